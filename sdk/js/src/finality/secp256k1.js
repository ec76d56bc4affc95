// @ts-check
// ECDSA over secp256k1 with the lower `s` alone: SEC 1, 4.1.4 and 4.1.6. The curve's points are the library's; its own
// ECDSA comes with DER and signing, and is seven times as long as these equations (the tests compare both).

import { weierstrass } from "@noble/curves/abstract/weierstrass.js";
import { concat, toNumber } from "./bytes.js";
import { keccak256 } from "./hash.js";

export const UNCOMPRESSED_KEY_BYTES = 65;
const UNCOMPRESSED = 0x04;
const COMPRESSED = 0x02;

/** SEC 2, 2.4.1. */
const Point = weierstrass({
  p: 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2fn,
  n: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
  h: 1n,
  a: 0n,
  b: 7n,
  Gx: 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
  Gy: 0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n,
});
const { Fn } = Point;

/** @typedef {{ r: bigint, s: bigint }} Signature */

/** A point of the curve; null for other bytes. @param {Uint8Array} bytes */
function readPoint(bytes) {
  try {
    return Point.fromBytes(bytes);
  } catch {
    return null;
  }
}

/** Null where `r` or `s` is out of range, or `s` the higher one. @param {Uint8Array} bytes `r:32 ‖ s:32`, and more
 * @returns {Signature | null} */
function readSignature(bytes) {
  const [r, s] = [toNumber(bytes.subarray(0, 32)), toNumber(bytes.subarray(32, 64))];
  const isInRange = r > 0n && r < Fn.ORDER && s > 0n && 2n * s < Fn.ORDER;
  return isInRange ? { r, s } : null;
}

/** Whether a signature over a hash is valid; null where the key is no point. @param {Uint8Array} key 65, uncompressed
 * @param {Uint8Array} hash 32 @param {Uint8Array} bytes `r:32 ‖ s:32` @returns {boolean | null} */
export function isSignedBySecp256k1(key, hash, bytes) {
  const isForm = key.length === UNCOMPRESSED_KEY_BYTES && key[0] === UNCOMPRESSED;
  const point = isForm ? readPoint(key) : null;
  if (!point) return null;
  const signature = readSignature(bytes);
  if (!signature) return false;
  const { r, s } = signature;
  const inverse = Fn.inv(s);
  const ofHash = Fn.mul(Fn.create(toNumber(hash)), inverse);
  const sum = Point.BASE.mulAddUnsafe(ofHash, point, Fn.mul(r, inverse));
  return !sum.is0() && Fn.create(sum.x) === r;
}

/** Whether a signature has the one form: `r` and `s` in range, the lower `s`, `v` of 0 or 1.
 * @param {Uint8Array} bytes `r:32 ‖ s:32 ‖ v:1` */
export const isCanonical = (bytes) => bytes[64] <= 1 && readSignature(bytes) !== null;

/** Last 20 bytes of the Keccak-256 of the key behind a signature; null where no key signed.
 * @param {Uint8Array} hash 32 @param {Uint8Array} bytes `r:32 ‖ s:32 ‖ v:1`, canonical @returns {Uint8Array | null} */
export function signingAddress(hash, bytes) {
  const signature = readSignature(bytes);
  const commitment = readPoint(concat(Uint8Array.of(COMPRESSED + bytes[64]), bytes.subarray(0, 32)));
  if (!signature || !commitment) return null;
  const inverse = Fn.inv(signature.r);
  const ofHash = Fn.mul(Fn.create(-toNumber(hash)), inverse);
  const key = Point.BASE.mulAddUnsafe(ofHash, commitment, Fn.mul(signature.s, inverse));
  return key.is0() ? null : keccak256(key.toBytes(false).subarray(1)).subarray(12);
}
