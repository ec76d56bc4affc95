// @ts-check
// Who signed: the address of an ECDSA signature over secp256k1 (SEC 1, 4.1.6). Nothing here is secret.

import { fromHex, keccak256 } from "../verify/hash.js";

const P = 2n ** 256n - 2n ** 32n - 977n;
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const G = /** @type {Point} */ ([0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
  0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n, 1n]);

/** A point in Jacobian coordinates; z = 0 is the point at infinity. @typedef {[bigint, bigint, bigint]} Point */

/** @param {bigint} value @param {bigint} [modulus] */
const mod = (value, modulus = P) => ((value % modulus) + modulus) % modulus;

/** @param {bigint} base @param {bigint} exponent @param {bigint} modulus */
function power(base, exponent, modulus) {
  let [result, square] = [1n, mod(base, modulus)];
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

/** @param {Point} point @returns {Point} */
function double([x, y, z]) {
  const b = (y * y) % P;
  const c = (4n * x * b) % P;
  const m = (3n * x * x) % P;
  const x2 = mod(m * m - 2n * c);
  return [x2, mod(m * (c - x2) - 8n * b * b), mod(2n * y * z)];
}

/** @param {Point} one @param {Point} other @returns {Point} */
function add(one, other) {
  if (one[2] === 0n) return other;
  if (other[2] === 0n) return one;
  const [z1, z2] = [(one[2] * one[2]) % P, (other[2] * other[2]) % P];
  const [u1, u2] = [(one[0] * z2) % P, (other[0] * z1) % P];
  const [s1, s2] = [(one[1] * z2 * other[2]) % P, (other[1] * z1 * one[2]) % P];
  const [h, r] = [mod(u2 - u1), mod(s2 - s1)];
  if (h === 0n) return r === 0n ? double(one) : [1n, 1n, 0n];
  const h2 = (h * h) % P;
  const h3 = (h * h2) % P;
  const v = (u1 * h2) % P;
  const x = mod(r * r - h3 - 2n * v);
  return [x, mod(r * (v - x) - s1 * h3), (h * one[2] * other[2]) % P];
}

/** @param {bigint} times @param {Point} point @returns {Point} */
function multiply(times, point) {
  /** @type {Point} */
  let result = [1n, 1n, 0n];
  let doubled = point;
  for (let left = times; left > 0n; left >>= 1n) {
    if (left & 1n) result = add(result, doubled);
    doubled = double(doubled);
  }
  return result;
}

/** The address that signed a hash; null for no signature.
 * @param {Uint8Array} hash 32 bytes @param {bigint} r @param {bigint} s @param {boolean} isOdd parity of R's y
 * @returns {Uint8Array | null} 20 bytes */
export function recoverAddress(hash, r, s, isOdd) {
  if (r <= 0n || r >= N || s <= 0n || s >= N) return null;
  const square = mod(r * r * r + 7n);
  let y = power(square, (P + 1n) / 4n, P);
  if ((y * y) % P !== square) return null;
  if (((y & 1n) === 1n) !== isOdd) y = P - y;
  const z = hash.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
  const inverse = power(r, N - 2n, N);
  const [a, b] = [mod(-z * inverse, N), mod(s * inverse, N)];
  const [x, w, k] = add(multiply(a, G), multiply(b, [r, y, 1n]));
  if (k === 0n) return null;
  const over = power(k, P - 2n, P);
  const over2 = (over * over) % P;
  const key = [(x * over2) % P, (w * over2 * over) % P].map((one) => one.toString(16).padStart(64, "0")).join("");
  return keccak256(fromHex(key)).slice(12);
}
