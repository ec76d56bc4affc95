// @ts-check
// Protobuf as chains hash it. Numbers are in shortest form.

import { concat, need, Reader, U64_MAX } from "../bytes.js";

/** Seven bits a byte, the lowest first, in the shortest form. @param {Reader} reader @returns {bigint} below 2^64 */
export function readVarint(reader) {
  let value = 0n;
  for (let place = 0; place < 10; place++) {
    const byte = reader.u8();
    value |= BigInt(byte & 0x7f) << BigInt(7 * place);
    if (byte < 0x80) {
      need((byte > 0 || place === 0) && value <= U64_MAX);
      return value;
    }
  }
  need(false);
  return value;
}

/** @param {bigint} value @returns {Uint8Array} */
export function varint(value) {
  const bytes = [];
  for (; value > 0x7fn; value >>= 7n) bytes.push(Number(value & 0x7fn) | 0x80);
  bytes.push(Number(value));
  return Uint8Array.from(bytes);
}

/** A number as a field, left out for 0. @param {number} field @param {bigint} value @returns {Uint8Array} */
export const numberField = (field, value) =>
  value === 0n ? new Uint8Array() : concat(Uint8Array.of(field << 3), varint(value));

/** Bytes as a field, there even if empty. @param {number} field @param {Uint8Array} bytes @returns {Uint8Array} */
export const messageField = (field, bytes) =>
  concat(Uint8Array.of((field << 3) | 2), varint(BigInt(bytes.length)), bytes);

/** Bytes as a field, left out if empty. @param {number} field @param {Uint8Array} bytes @returns {Uint8Array} */
export const bytesField = (field, bytes) => (bytes.length === 0 ? new Uint8Array() : messageField(field, bytes));

/** Fields of a message in order, in the one form that CometBFT writes: nothing empty, no zero. */
export class Fields {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.reader = new Reader(bytes);
  }

  /** @param {number} key */
  isNext(key) {
    return this.reader.left > 0 && this.reader.all[this.reader.at] === key;
  }

  /** 0 if left out. @param {number} field @returns {bigint} */
  number(field) {
    if (!this.isNext(field << 3)) return 0n;
    this.reader.u8();
    const value = readVarint(this.reader);
    need(value > 0n);
    return value;
  }

  /** Bytes that are there even if empty. @param {number} field @returns {Uint8Array} */
  message(field) {
    need(this.isNext((field << 3) | 2));
    this.reader.u8();
    return this.reader.bytes(readVarint(this.reader));
  }

  /** Bytes, empty if left out. @param {number} field @returns {Uint8Array} */
  bytes(field) {
    if (!this.isNext((field << 3) | 2)) return new Uint8Array();
    const bytes = this.message(field);
    need(bytes.length > 0);
    return bytes;
  }

  /** @param {number} field @returns {Uint8Array} */
  hash(field) {
    const bytes = this.bytes(field);
    need(bytes.length === 32);
    return bytes;
  }

  end() {
    this.reader.end();
  }
}
