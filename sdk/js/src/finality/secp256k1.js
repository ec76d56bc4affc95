// @ts-check
// ECDSA over secp256k1, with the lower `s` alone.

import { secp256k1 } from "@noble/curves/secp256k1.js";
import { concat } from "./bytes.js";
import { keccak256 } from "./hash.js";

export const UNCOMPRESSED_KEY_BYTES = 65;
const UNCOMPRESSED = 0x04;

/** @template T @param {() => T} decode @returns {T | null} null where the library refuses the bytes */
function decoded(decode) {
  try {
    return decode();
  } catch {
    return null;
  }
}

/** @param {Uint8Array} bytes `r:32 ‖ s:32` @returns {InstanceType<typeof secp256k1.Signature> | null} null where `r` or `s` is out
 * of range or `s` the higher one */
function readSignature(bytes) {
  const signature = decoded(() => secp256k1.Signature.fromBytes(bytes, "compact"));
  return signature?.hasHighS() ? null : signature;
}

/** Whether a signature over a hash is valid; null where the key is no point. @param {Uint8Array} key 65, uncompressed
 * @param {Uint8Array} hash 32 @param {Uint8Array} signature `r:32 ‖ s:32` @returns {boolean | null} */
export function isSignedBySecp256k1(key, hash, signature) {
  const isForm = key.length === UNCOMPRESSED_KEY_BYTES && key[0] === UNCOMPRESSED;
  if (!isForm || !decoded(() => secp256k1.Point.fromBytes(key))) return null;
  return readSignature(signature) !== null && secp256k1.verify(signature, hash, key, { prehash: false });
}

/** Whether a signature has the one form: `r` and `s` in range, the lower `s`, `v` of 0 or 1.
 * @param {Uint8Array} signature `r:32 ‖ s:32 ‖ v:1` */
export const isCanonical = (signature) => signature[64] <= 1 && readSignature(signature.subarray(0, 64)) !== null;

/** Last 20 bytes of the Keccak-256 of the key behind a signature; null where no key signed.
 * @param {Uint8Array} hash 32 @param {Uint8Array} signature `r:32 ‖ s:32 ‖ v:1`, canonical @returns {Uint8Array | null} */
export function signingAddress(hash, signature) {
  const recoverable = concat(signature.subarray(64), signature.subarray(0, 64));
  const key = decoded(() => secp256k1.Signature.fromBytes(recoverable, "recovered").recoverPublicKey(hash));
  return key && keccak256(key.toBytes(false).subarray(1)).subarray(12);
}
