// @ts-check
// Bytes from outside: read from the front, every length against what is left.

import { same } from "./hash.js";

/** Why bytes are refused. No other error is thrown for bytes, whatever they are. */
export class Fault extends Error {}

/** @param {boolean} holds @param {string} message @returns {asserts holds} */
export function need(holds, message) {
  if (!holds) throw new Fault(message);
}

/** That a value was found. @template T @param {T | null | undefined} value @param {string} message @returns {T} */
export function needValue(value, message) {
  if (value === null || value === undefined) throw new Fault(message);
  return value;
}

/** @param {Uint8Array} got @param {Uint8Array} expected @param {string} what */
export function match(got, expected, what) {
  if (same(got, expected)) return;
  const [one, other] = [got, expected].map((bytes) =>
    `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`);
  throw new Fault(`the ${what} comes out as ${one}, not as ${other}`);
}

/** A number below 2^53. @param {bigint} value @param {string} what @returns {number} */
export function within(value, what) {
  need(value >= 0n && value < 2n ** 53n, `the ${what} is 2^53 or more`);
  return Number(value);
}

/** Bytes read from the front; too few are a Fault. Integers are big-endian unless said otherwise. */
export class Reader {
  /** @param {Uint8Array} bytes @param {string} [what] their name in messages */
  constructor(bytes, what = "proof") {
    this.all = bytes;
    this.at = 0;
    this.what = what;
  }

  /** Bytes that are left. */
  get left() {
    return this.all.length - this.at;
  }

  /** @param {number} length @returns {Uint8Array} */
  bytes(length) {
    need(length >= 0 && length <= this.left, `the ${this.what} is cut short`);
    this.at += length;
    return this.all.subarray(this.at - length, this.at);
  }

  u8() {
    return this.number(1);
  }

  /** A number of that many bytes. @param {number} length at most 6 @returns {number} */
  number(length) {
    let value = 0;
    for (const byte of this.bytes(length)) value = value * 256 + byte;
    return value;
  }

  /** @returns {bigint} */
  u64() {
    const at = this.at;
    this.bytes(8);
    return new DataView(this.all.buffer, this.all.byteOffset).getBigUint64(at);
  }

  /** Little-endian. @returns {bigint} */
  u64le() {
    const at = this.at;
    this.bytes(8);
    return new DataView(this.all.buffer, this.all.byteOffset).getBigUint64(at, true);
  }

  hash() {
    return this.bytes(32);
  }

  /** @param {number} count @returns {Uint8Array[]} */
  hashes(count) {
    const hashes = [];
    for (let at = 0; at < count; at++) hashes.push(this.hash());
    return hashes;
  }

  /** Bytes behind their four-byte length. @param {number} [most] */
  long(most = Infinity) {
    const length = this.number(4);
    need(length <= most, `a part of the ${this.what} is too long`);
    return this.bytes(length);
  }

  /** A varint below 2^64: seven bits a byte, the lowest first, in the shortest form. @returns {bigint} */
  varint() {
    let value = 0;
    for (let place = 0; place < 10; place++) {
      const byte = this.u8();
      if (place === 7) return this.longVarint(value, byte);
      value += (byte & 0x7f) * 2 ** (7 * place);
      if (byte < 0x80) {
        need(byte !== 0 || place === 0, `a number of the ${this.what} is in a longer form`);
        return BigInt(value);
      }
    }
    throw new Fault(`a number of the ${this.what} is too large`);
  }

  /** @param {number} low 49 bits @param {number} eighth @returns {bigint} */
  longVarint(low, eighth) {
    let [value, byte] = [BigInt(low), eighth];
    for (let shift = 49n; ; shift += 7n) {
      need(shift < 63n || byte <= 1, `a number of the ${this.what} is too large`);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) break;
      byte = this.u8();
    }
    need(byte !== 0, `a number of the ${this.what} is in a longer form`);
    return value;
  }

  /** Bytes behind a varint. @returns {Uint8Array} */
  counted() {
    const length = this.varint();
    need(length <= BigInt(this.left), `the ${this.what} is cut short`);
    return this.bytes(Number(length));
  }

  /** That nothing is left. */
  end() {
    need(this.left === 0, `${this.left} bytes follow the ${this.what}`);
  }
}
