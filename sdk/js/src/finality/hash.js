// @ts-check
// Hash functions over joined parts.

import { blake2b } from "@noble/hashes/blake2.js";
import { sha256 as sha2 } from "@noble/hashes/sha2.js";
import { keccak_256, sha3_256 } from "@noble/hashes/sha3.js";
import { concatBytes } from "@noble/hashes/utils.js";

/** @param {Uint8Array[]} parts @returns {Uint8Array} */
const joined = (parts) => (parts.length === 1 ? parts[0] : concatBytes(...parts));

/** @param {...Uint8Array} parts */
export const sha256 = (...parts) => sha2(joined(parts));

/** @param {...Uint8Array} parts */
export const sha256d = (...parts) => sha2(sha2(joined(parts)));

/** @param {...Uint8Array} parts */
export const keccak256 = (...parts) => keccak_256(joined(parts));

/** @param {...Uint8Array} parts */
export const sha3 = (...parts) => sha3_256(joined(parts));

/** BLAKE2b with 32 bytes. @param {...Uint8Array} parts */
export const blake2b256 = (...parts) => blake2b(joined(parts), { dkLen: 32 });

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** Root of RFC 6962 over leaves in SHA-256. @param {Uint8Array[]} leaves at least one @returns {Uint8Array} */
export function rfc6962Root(leaves) {
  if (leaves.length === 1) return sha256(LEAF, leaves[0]);
  const left = 2 ** Math.floor(Math.log2(leaves.length - 1));
  return sha256(NODE, rfc6962Root(leaves.slice(0, left)), rfc6962Root(leaves.slice(left)));
}
