// @ts-check
// Ed25519, the check of a signature alone: RFC 8032, 5.1. Nothing here is secret, so nothing has to take
// the same time. Strict: no point of small order, no number written in another form than its one.

import { concat, same, sha512 } from "./hash.js";

const P = 2n ** 255n - 19n;
const L = 2n ** 252n + 27742317777372353535851937790883648493n;

/** @param {bigint} value @returns {bigint} */
const mod = (value) => ((value % P) + P) % P;

/** @param {bigint} base @param {bigint} exponent @returns {bigint} */
function power(base, exponent) {
  let [result, square] = [1n, mod(base)];
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = mod(result * square);
    square = mod(square * square);
  }
  return result;
}

/** @param {bigint} value @returns {bigint} */
const inverse = (value) => power(value, P - 2n);

const D = mod(-121665n * inverse(121666n));
const ROOT_OF_MINUS_1 = power(2n, (P - 1n) / 4n);

/** A point in extended coordinates: X, Y, Z, T. @typedef {[bigint, bigint, bigint, bigint]} Point */

/** @type {Point} */
const ZERO = [0n, 1n, 1n, 0n];

/** @param {Point} one @param {Point} other @returns {Point} */
function add([x1, y1, z1, t1], [x2, y2, z2, t2]) {
  const a = mod((y1 - x1) * (y2 - x2));
  const b = mod((y1 + x1) * (y2 + x2));
  const c = mod(2n * D * t1 * t2);
  const d = mod(2n * z1 * z2);
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return [mod(e * f), mod(g * h), mod(f * g), mod(e * h)];
}

/** @param {bigint} times @param {Point} point @returns {Point} */
function multiply(times, point) {
  let [result, doubled] = [ZERO, point];
  for (let left = times; left > 0n; left >>= 1n) {
    if (left & 1n) result = add(result, doubled);
    doubled = add(doubled, doubled);
  }
  return result;
}

/** @param {Uint8Array} bytes the lowest first @returns {bigint} */
const little = (bytes) => bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);

/** The point that 32 bytes stand for; null where they stand for none, or in another form.
 * @param {Uint8Array} bytes @returns {Point | null} */
function decode(bytes) {
  const whole = little(bytes);
  const [sign, y] = [whole >> 255n, whole & (2n ** 255n - 1n)];
  if (y >= P) return null;
  const [u, v] = [mod(y * y - 1n), mod(D * y * y + 1n)];
  let x = mod(u * v ** 3n * power(u * v ** 7n, (P - 5n) / 8n));
  if (mod(v * x * x) !== u) x = mod(x * ROOT_OF_MINUS_1);
  if (mod(v * x * x) !== u || (x === 0n && sign === 1n)) return null;
  if ((x & 1n) !== sign) x = P - x;
  return [x, y, 1n, mod(x * y)];
}

/** @param {Point} point @returns {boolean} */
const isZero = ([x, y, z]) => x === 0n && y === z;

/** @param {Point} one @param {Point} other @returns {boolean} */
const isSame = ([x1, y1, z1], [x2, y2, z2]) =>
  mod(x1 * z2 - x2 * z1) === 0n && mod(y1 * z2 - y2 * z1) === 0n;

const BASE = /** @type {Point} */ (
  decode(Uint8Array.from({ length: 32 }, (_, at) => (at === 0 ? 0x58 : 0x66))));

/** Whether the key signed the message.
 * @param {Uint8Array} key 32 bytes @param {Uint8Array} message @param {Uint8Array} signature 64 bytes
 * @returns {boolean} */
export function verify(key, message, signature) {
  if (key.length !== 32 || signature.length !== 64) return false;
  const [r, s] = [signature.subarray(0, 32), little(signature.subarray(32))];
  const [own, nonce] = [decode(key), decode(r)];
  if (!own || !nonce || s >= L) return false;
  if (isZero(multiply(8n, own)) || isZero(multiply(8n, nonce))) return false;
  const challenge = little(sha512(concat(r, key, message))) % L;
  return isSame(multiply(s, BASE), add(nonce, multiply(challenge, own)));
}

/** Whether 32 bytes are a key. @param {Uint8Array} key @returns {boolean} */
export function isKey(key) {
  return key.length === 32 && decode(key) !== null && !same(key, new Uint8Array(32));
}
