// @ts-check
// BLS12-381 in both forms that chains use.
//
// member   key in G1, signature in G2    proofs of possession (draft-irtf-cfrg-bls-signature-05, 4.2.3)
// stake    key in G2, signature in G1    possession shown elsewhere

import { bls12_381 } from "@noble/curves/bls12-381.js";

export const MEMBER_KEY_BYTES = 48;
export const STAKE_KEY_BYTES = 96;
export const MEMBER_SIGNATURE_BYTES = 96;
export const STAKE_SIGNATURE_BYTES = 48;
const MEMBER_SUITE = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";
const STAKE_SUITE = "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";
const [COMPRESSED, INFINITY, SIGN] = [0x80, 0x40, 0x20];

const { G1, G2, fields: { Fp }, longSignatures, shortSignatures } = bls12_381;
/** @typedef {InstanceType<typeof G1.Point>} MemberKey */
/** @typedef {InstanceType<typeof G2.Point>} StakeKey */

/** The value, or null where the library refuses the bytes of a point. @template T @param {() => T} decode
 * @returns {T | null} */
function decoded(decode) {
  try {
    return decode();
  } catch {
    return null;
  }
}

/** Reads a compressed key on the curve; null for any other. Its subgroup is not checked, which takes ten times as long:
 * the keys of a set are under a root that the chain checked, and a sum outside the subgroup signs nothing.
 * @param {Uint8Array} bytes 48 @returns {MemberKey | null} */
export function readMemberKey(bytes) {
  const [first] = bytes;
  if (bytes.length !== MEMBER_KEY_BYTES || (first & COMPRESSED) === 0) return null;
  const digits = bytes.slice();
  digits[0] = first & 0x1f;
  if (first & INFINITY) {
    return (first & SIGN) === 0 && digits.every((digit) => digit === 0) ? G1.Point.ZERO : null;
  }
  return decoded(() => {
    const x = Fp.fromBytes(digits);
    const y = Fp.sqrt(Fp.add(Fp.mul(Fp.sqr(x), x), 4n));
    const isGreater = 2n * y > Fp.ORDER;
    return G1.Point.fromAffine({ x, y: isGreater === ((first & SIGN) !== 0) ? y : Fp.neg(y) });
  });
}

/** Reads a compressed key of the subgroup, not infinity; null for any other. @param {Uint8Array} bytes 48
 * @returns {MemberKey | null} */
export function validMemberKey(bytes) {
  const key = bytes.length === MEMBER_KEY_BYTES ? decoded(() => G1.Point.fromBytes(bytes)) : null;
  return key?.is0() ? null : key;
}

/** Reads a compressed key of the subgroup, not infinity; null for any other. @param {Uint8Array} bytes 96
 * @returns {StakeKey | null} */
export function validStakeKey(bytes) {
  const key = bytes.length === STAKE_KEY_BYTES ? decoded(() => G2.Point.fromBytes(bytes)) : null;
  return key?.is0() ? null : key;
}

/** Whether a compressed key is the sum of others. @param {MemberKey[]} keys @param {Uint8Array} bytes 48 */
export const isSumOf = (keys, bytes) => readMemberKey(bytes)?.equals(sum(keys, G1.Point.ZERO)) ?? false;

/** @template {{ add(other: T): T }} T @param {T[]} keys @param {T} zero @returns {T} */
const sum = (keys, zero) => keys.reduce((total, key) => total.add(key), zero);

/** Whether these keys together signed a message; a sum at infinity signs nothing.
 * @param {MemberKey[]} keys @param {Uint8Array} message @param {Uint8Array} signature 96 */
export function isSignedByMembers(keys, message, signature) {
  const point = decoded(() => longSignatures.Signature.fromBytes(signature));
  const key = sum(keys, G1.Point.ZERO);
  if (!point || point.is0() || key.is0()) return false;
  return longSignatures.verify(point, longSignatures.hash(message, MEMBER_SUITE), key);
}

/** Whether these keys together signed a message; a sum at infinity signs nothing.
 * @param {StakeKey[]} keys @param {Uint8Array} message @param {Uint8Array} signature 48 */
export function isSignedByStake(keys, message, signature) {
  const point = decoded(() => shortSignatures.Signature.fromBytes(signature));
  const key = sum(keys, G2.Point.ZERO);
  if (!point || point.is0() || key.is0()) return false;
  return shortSignatures.verify(point, shortSignatures.hash(message, STAKE_SUITE), key);
}
