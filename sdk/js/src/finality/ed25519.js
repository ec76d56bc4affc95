// @ts-check
// Ed25519 as strictly as the Rust verifier: RFC 8032 without the cofactor, no key or commitment of small order, one
// encoding of the commitment and of `s`. The library's own `verify` multiplies by the cofactor, and so accepts more.

import { ed25519 } from "@noble/curves/ed25519.js";
import { sha512 } from "@noble/hashes/sha2.js";
import { concat, same, toNumberLE } from "./bytes.js";

export const ED25519_KEY_BYTES = 32;
export const ED25519_SIGNATURE_BYTES = 64;
const { Point } = ed25519;
const ORDER = Point.Fn.ORDER;

/** Whether a signature is valid; null where the key is no point. @param {Uint8Array} key 32
 * @param {Uint8Array} message @param {Uint8Array} signature 64 @returns {boolean | null} */
export function isSignedByEd25519(key, message, signature) {
  const point = readKey(key);
  if (!point) return null;
  const commitment = signature.subarray(0, 32);
  const s = toNumberLE(signature.subarray(32));
  if (s >= ORDER || point.isSmallOrder()) return false;
  const challenge = toNumberLE(sha512(concat(commitment, key, message))) % ORDER;
  const expected = Point.BASE.multiplyUnsafe(s).subtract(point.multiplyUnsafe(challenge));
  return !expected.isSmallOrder() && same(expected.toBytes(), commitment);
}

/** A point in any encoding, as the Rust verifier reads keys. @param {Uint8Array} key */
function readKey(key) {
  try {
    return Point.fromBytes(key, true);
  } catch {
    return null;
  }
}
