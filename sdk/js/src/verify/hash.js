// @ts-check
// Hash functions, and bytes in their written forms. Everything is synchronous: a page served over plain HTTP has no
// WebCrypto, and a check that runs in one place only is tested in one place only.

import { blake2b } from "../noble/hashes/blake2.js";
import { sha256 as ofSha256, sha512 as ofSha512, _SHA256 } from "../noble/hashes/sha2.js";
import { keccak_256, sha3_256 as ofSha3 } from "../noble/hashes/sha3.js";

/** Joins bytes. @param {...ArrayLike<number>} parts @returns {Uint8Array} */
export function concat(...parts) {
  let length = 0;
  for (const part of parts) length += part.length;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** @param {ArrayLike<number>[]} parts @returns {Uint8Array} the one part itself, where there is one */
const whole = (parts) => (parts.length === 1 && parts[0] instanceof Uint8Array ? parts[0] : concat(...parts));

/** Keccak-256 as Ethereum uses it: the `H` of docs/protocol.md.
 * @param {...ArrayLike<number>} parts joined @returns {Uint8Array} 32 bytes */
export const keccak256 = (...parts) => keccak_256(whole(parts));

/** SHA3-256. @param {...ArrayLike<number>} parts joined @returns {Uint8Array} 32 bytes */
export const sha3 = (...parts) => ofSha3(whole(parts));

/** BLAKE2b of 32 bytes. @param {...ArrayLike<number>} parts joined @returns {Uint8Array} 32 bytes */
export const blake2b256 = (...parts) => blake2b(whole(parts), { dkLen: 32 });

/** SHA-256. @param {...ArrayLike<number>} parts joined @returns {Uint8Array} 32 bytes */
export const sha256 = (...parts) => ofSha256(whole(parts));

/** SHA-256 of SHA-256: Bitcoin's hash. @param {...ArrayLike<number>} parts joined @returns {Uint8Array} 32 bytes */
export const sha256d = (...parts) => ofSha256(ofSha256(whole(parts)));

/** SHA-512. @param {...ArrayLike<number>} parts joined @returns {Uint8Array} 64 bytes */
export const sha512 = (...parts) => ofSha512(whole(parts));

/** SHA-256 of itself, a number of times. 32 bytes with their padding are one block, so the compression function alone
 * runs. @param {Uint8Array} start 32 bytes @param {number} count 0 and more @returns {Uint8Array} */
export function sha256Chain(start, count) {
  const [block, first] = [new Uint8Array(64), new _SHA256()];
  block.set(start);
  [block[32], block[62]] = [0x80, 1]; // 256 bits
  const view = new DataView(block.buffer);
  const compress = /** @type {any} */ (new _SHA256()); // its state is no part of its types
  const [a, b, c, d, e, f, g, h] = /** @type {any} */ (first).get();
  for (let done = 0; done < count; done++) {
    compress.set(a, b, c, d, e, f, g, h);
    compress.process(view, 0);
    view.setInt32(0, compress.A);
    view.setInt32(4, compress.B);
    view.setInt32(8, compress.C);
    view.setInt32(12, compress.D);
    view.setInt32(16, compress.E);
    view.setInt32(20, compress.F);
    view.setInt32(24, compress.G);
    view.setInt32(28, compress.H);
  }
  return block.slice(0, 32);
}

/** @param {ArrayLike<number>} bytes @returns {string} lower-case digits after 0x */
export function toHex(bytes) {
  let text = "0x";
  for (let at = 0; at < bytes.length; at++) text += bytes[at].toString(16).padStart(2, "0");
  return text;
}

/** @param {string} text digits, with or without 0x @returns {Uint8Array} throws where it is no hex */
export function fromHex(text) {
  const digits = text.startsWith("0x") ? text.slice(2) : text;
  if (digits.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(digits)) throw new Error("not hex");
  return Uint8Array.from({ length: digits.length / 2 }, (_, at) => parseInt(digits.slice(2 * at, 2 * at + 2), 16));
}

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** @param {ArrayLike<number>} bytes @returns {string} as Bitcoin's alphabet writes them, a 1 for each leading zero */
export function toBase58(bytes) {
  let text = "";
  for (let left = BigInt(bytes.length ? toHex(bytes) : 0); left > 0n; left /= 58n) text = BASE58[Number(left % 58n)] + text;
  for (let at = 0; at < bytes.length && bytes[at] === 0; at++) text = `1${text}`;
  return text;
}

/** Standard base64 with padding, in its one form; null for anything else.
 * @param {string} text @returns {Uint8Array | null} */
export function fromBase64(text) {
  let binary;
  try {
    binary = atob(text);
  } catch {
    return null;
  }
  if (btoa(binary) !== text) return null;
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
}

/** @param {ArrayLike<number>} one @param {ArrayLike<number>} other @returns {boolean} */
export function same(one, other) {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}

/** A number as 8 bytes, the highest first. @param {number | bigint} value below 2^64 @returns {Uint8Array} */
export function u64(value) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
  return bytes;
}

/** @param {string} text @returns {Uint8Array} UTF-8 */
export const utf8 = (text) => new TextEncoder().encode(text);

/** @param {Uint8Array} bytes @returns {string | null} their text; null where they are no UTF-8 */
export function fromUtf8(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
