// @ts-check
// Ed25519, the check of a signature alone: strict, as crates/proof checks (RFC 8032 without cofactor). S below the
// group's order, R as its point is written, neither R nor the key of small order. Nothing here is secret, so nothing
// has to take the same time.

import { Point } from "../noble/ed25519/index.js";
import { same, sha512 } from "./hash.js";

const ORDER = Point.CURVE().n;
/** Signed digits of 5 bits, all odd: 8 multiples of a point. */
const WIDTH = 5;

/** @param {Uint8Array} bytes the lowest first @returns {bigint} */
function little(bytes) {
  let digits = "0x";
  for (let at = bytes.length - 1; at >= 0; at--) digits += bytes[at].toString(16).padStart(2, "0");
  return BigInt(digits);
}

/** The point that 32 bytes stand for; null where they stand for none.
 * @param {Uint8Array} bytes @returns {InstanceType<typeof Point> | null} */
function decode(bytes) {
  try {
    return Point.fromBytes(Uint8Array.from(bytes), true);
  } catch {
    return null;
  }
}

/** Digits of a number: odd or 0, below 2^4 without sign, the lowest first. @param {bigint} value @returns {number[]} */
function digitsOf(value) {
  const digits = [];
  for (let left = value; left > 0n; left >>= 1n) {
    let digit = 0;
    if (left & 1n) {
      digit = Number(left & BigInt(2 ** WIDTH - 1));
      if (digit >= 2 ** (WIDTH - 1)) digit -= 2 ** WIDTH;
      left -= BigInt(digit);
    }
    digits.push(digit);
  }
  return digits;
}

/** Multiples 1, 3, 5 .. 15. @param {InstanceType<typeof Point>} point */
function oddMultiples(point) {
  const [all, twice] = [[point], point.double()];
  while (all.length < 2 ** (WIDTH - 2)) all.push(all[all.length - 1].add(twice));
  return all;
}

/** @type {InstanceType<typeof Point>[] | undefined} */
let ofBase;

/** `times * base + otherTimes * other`. @param {bigint} times @param {bigint} otherTimes
 * @param {InstanceType<typeof Point>} other */
function sum(times, otherTimes, other) {
  ofBase ??= oddMultiples(Point.BASE);
  const ways = [{ digits: digitsOf(times), multiples: ofBase },
    { digits: digitsOf(otherTimes), multiples: oddMultiples(other) }];
  let point = Point.ZERO;
  for (let at = Math.max(...ways.map((way) => way.digits.length)) - 1; at >= 0; at--) {
    point = point.double();
    for (const { digits, multiples } of ways) {
      const digit = digits[at] ?? 0;
      if (digit > 0) point = point.add(multiples[digit >> 1]);
      if (digit < 0) point = point.subtract(multiples[-digit >> 1]);
    }
  }
  return point;
}

/** Whether the key signed the message.
 * @param {Uint8Array} key 32 bytes @param {Uint8Array} message @param {Uint8Array} signature 64 bytes
 * @returns {boolean} */
export function verify(key, message, signature) {
  if (key.length !== 32 || signature.length !== 64) return false;
  const [r, s] = [signature.subarray(0, 32), little(signature.subarray(32))];
  const own = decode(key);
  if (!own || s >= ORDER || own.isSmallOrder()) return false;
  const challenge = little(sha512(r, key, message)) % ORDER;
  // where the point is written as R is, R stands for it, and for no other
  const nonce = sum(s, challenge, own.negate());
  return !nonce.isSmallOrder() && same(nonce.toBytes(), r);
}

/** Whether 32 bytes are a point on the curve. @param {Uint8Array} key @returns {boolean} */
export const isKey = (key) => key.length === 32 && decode(key) !== null;
