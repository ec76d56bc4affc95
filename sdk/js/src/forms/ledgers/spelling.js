// @ts-check
// Hashes and addresses as explorers write them.

import { concat, sha256d, toHex } from "../../verify/hash.js";

const DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

/** Hex without 0x. @param {Uint8Array} bytes */
export const plain = (bytes) => toHex(bytes).slice(2);

/** @param {Uint8Array} bytes @returns {string} */
export function base58(bytes) {
  let value = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = "";
  for (; value > 0n; value /= 58n) text = DIGITS[Number(value % 58n)] + text;
  for (let at = 0; at < bytes.length && bytes[at] === 0; at++) text = DIGITS[0] + text;
  return text;
}

/** Base58 with four bytes of a double SHA-256 behind. @param {Uint8Array} bytes */
export const base58Check = (bytes) => base58(concat(bytes, sha256d(bytes).subarray(0, 4)));

/** @param {number[]} values @returns {number} */
function checksum(values) {
  const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
  return values.reduce((sum, value) => {
    const next = ((sum & 0x1ffffff) << 5) ^ value;
    return generators.reduce((mixed, generator, at) => ((sum >>> 25) >> at) & 1 ? mixed ^ generator : mixed, next);
  }, 1);
}

/** BIP 173. @param {string} prefix @param {Uint8Array} bytes @returns {string} */
export function bech32(prefix, bytes) {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  const words = (bits.match(/.{1,5}/g) ?? []).map((five) => parseInt(five.padEnd(5, "0"), 2));
  const codes = Array.from(prefix, (letter) => letter.charCodeAt(0));
  const expanded = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
  const sum = checksum([...expanded, ...words, 0, 0, 0, 0, 0, 0]) ^ 1;
  const check = [0, 1, 2, 3, 4, 5].map((at) => (sum >>> (5 * (5 - at))) & 31);
  return `${prefix}1${[...words, ...check].map((word) => BECH32[word]).join("")}`;
}

/** Reads with a reader that refuses by throwing; null where it refuses. @template T @param {() => T} read
 * @returns {T | null} */
export function orNull(read) {
  try {
    return read();
  } catch {
    return null;
  }
}
