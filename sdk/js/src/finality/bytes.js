// @ts-check
// Bounded reading of bytes from outside. Every length is compared with what is left before anything is taken.

import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { encoding } from "./verdict.js";

export const U64_MAX = (1n << 64n) - 1n;

/** Bytes that are not in the one form that is read. Callers name the part: {@link reading}. */
export class Malformed extends Error {}

/** Runs a reader; a malformed part is refused by this name. @template T @param {string} part @param {() => T} read
 * @returns {T} */
export function reading(part, read) {
  try {
    return read();
  } catch (error) {
    if (error instanceof Malformed) throw encoding(part);
    throw error;
  }
}

/** The value, or null where the bytes are malformed. @template T @param {() => T} read @returns {T | null} */
export function readOrNull(read) {
  try {
    return read();
  } catch (error) {
    if (error instanceof Malformed) return null;
    throw error;
  }
}

/** @param {unknown} holds @returns {asserts holds} or the bytes are malformed */
export function need(holds) {
  if (!holds) throw new Malformed();
}

/** Reads from the front, numbers with the highest byte first. */
export class Reader {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.all = bytes;
    this.at = 0;
  }

  get left() {
    return this.all.length - this.at;
  }

  /** @param {number | bigint} length @returns {Uint8Array} */
  bytes(length) {
    need(length <= this.left);
    const end = this.at + Number(length);
    const taken = this.all.subarray(this.at, end);
    this.at = end;
    return taken;
  }

  u8() {
    return this.bytes(1)[0];
  }

  u16() {
    const [high, low] = this.bytes(2);
    return high * 256 + low;
  }

  u32() {
    return this.bytes(4).reduce((value, byte) => value * 256 + byte, 0);
  }

  u64() {
    return toNumber(this.bytes(8));
  }

  /** The lowest byte first. */
  u32le() {
    return Number(toNumberLE(this.bytes(4)));
  }

  /** The lowest byte first. */
  u64le() {
    return toNumberLE(this.bytes(8));
  }

  hash() {
    return this.bytes(32);
  }

  /** Bytes behind their length. */
  long() {
    return this.bytes(this.u32());
  }

  /** All that is left. */
  rest() {
    return this.bytes(this.left);
  }

  end() {
    need(this.left === 0);
  }
}

/** The number that bytes are, the highest first. @param {Uint8Array} bytes @returns {bigint} */
export function toNumber(bytes) {
  return bytes.length === 0 ? 0n : BigInt(`0x${bytesToHex(bytes)}`);
}

/** The number that bytes are, the lowest first. @param {Uint8Array} bytes @returns {bigint} */
export function toNumberLE(bytes) {
  return toNumber(bytes.slice().reverse());
}

/** A number below 2^64 in eight bytes, the highest first. @param {bigint} value @returns {Uint8Array} */
export function u64(value) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value);
  return bytes;
}

/** A number below 2^64 in eight bytes, the lowest first. @param {bigint} value @returns {Uint8Array} */
export const u64le = (value) => u64(value).reverse();

/** A number below 2^64 as a word of 32 bytes. @param {bigint} value @returns {Uint8Array} */
export const wordOf = (value) => concatBytes(new Uint8Array(24), u64(value));

/** The greatest number of 64 bits where a sum is past them. @param {bigint} value @returns {bigint} */
export const saturated = (value) => (value > U64_MAX ? U64_MAX : value);

/** Text of UTF-8 bytes; null for others. @param {Uint8Array} bytes @returns {string | null} */
export function textOf(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** @param {Uint8Array} one @param {Uint8Array} other @returns {number} negative, 0 or positive */
export function compare(one, other) {
  const shorter = Math.min(one.length, other.length);
  for (let at = 0; at < shorter; at++) if (one[at] !== other[at]) return one[at] - other[at];
  return one.length - other.length;
}

/** @param {Uint8Array} one @param {Uint8Array} other */
export const same = (one, other) => compare(one, other) === 0;

/** @param {Uint8Array} bytes */
export const toHex = (bytes) => `0x${bytesToHex(bytes)}`;

/** Bytes of digits behind 0x. @param {string} text */
export const fromHex = (text) => hexToBytes(text.startsWith("0x") ? text.slice(2) : text);

export { concatBytes as concat, utf8ToBytes as utf8 };

/** A copy that nobody else changes. @param {Uint8Array} bytes @returns {Uint8Array} */
export function copyOf(bytes) {
  if (!(bytes instanceof Uint8Array)) throw new TypeError("bytes are a Uint8Array");
  return new Uint8Array(bytes);
}
