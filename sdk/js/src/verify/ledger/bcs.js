// @ts-check
// BCS, and types of Move in it: docs/protocol/sui.md, "BCS" and "Types of Move".

import { fromUtf8, toHex } from "../hash.js";
import { Fault, Reader, need, needValue } from "../reader.js";

const [DEPTH_MAX, TYPES_MAX] = [128, 256];
const NAMES = ["bool", "u8", "u64", "u128", "address", "signer", "", "", "u16", "u32", "u256"];
const [VECTOR, STRUCT] = [6, 7];

/** Integers are little-endian, numbers ULEB128 below 2^32 in the shortest form. */
export class BcsReader extends Reader {
  /** A length, a count or a variant. @returns {number} */
  uleb() {
    let value = 0;
    for (let place = 0; place < 5; place++) {
      const byte = this.u8();
      value += (byte & 0x7f) * 2 ** (7 * place);
      if (byte < 0x80) {
        need((byte !== 0 || place === 0) && value < 2 ** 32, `a number of the ${this.what} is malformed`);
        return value;
      }
    }
    throw new Fault(`a number of the ${this.what} is malformed`);
  }

  /** A count of items that the bytes left can hold. @param {number} bytesMin of an item @returns {number} */
  count(bytesMin) {
    const count = this.uleb();
    need(count * bytesMin <= this.left, `the ${this.what} is cut short`);
    return count;
  }

  /** Bytes behind their length. @returns {Uint8Array} */
  blob() {
    return this.bytes(this.count(1));
  }

  /** @returns {boolean} */
  flag() {
    const byte = this.u8();
    need(byte <= 1, `a flag of the ${this.what} is neither 0 nor 1`);
    return byte === 1;
  }

  /** 32 bytes behind their length. @returns {Uint8Array} */
  digest() {
    need(this.u8() === 32, `a digest of the ${this.what} has another length`);
    return this.hash();
  }

  /** @template T @param {() => T} read @returns {T | null} */
  option(read) {
    return this.flag() ? read() : null;
  }

  /** A name of Move. @returns {string} */
  name() {
    const text = fromUtf8(this.blob());
    need(text !== null && /^[A-Za-z_][A-Za-z0-9_]*$/.test(text) && text !== "_", "a malformed name");
    return needValue(text, "a malformed name");
  }

  /** A type of Move, as text with whole addresses. @returns {string} */
  type() {
    return readType(this, 0, { types: 0 });
  }

  /** A struct, as text with whole addresses. @returns {string} */
  struct() {
    return readStruct(this, 0, { types: 0 });
  }
}

/** @param {BcsReader} reader @param {number} depth @param {{ types: number }} read @returns {string} */
function readType(reader, depth, read) {
  read.types += 1;
  need(depth <= DEPTH_MAX && read.types <= TYPES_MAX, "a type of too many parts");
  const kind = reader.uleb();
  if (kind === VECTOR) return `vector<${readType(reader, depth + 1, read)}>`;
  if (kind === STRUCT) return readStruct(reader, depth, read);
  return needValue(NAMES[kind], "an unknown type");
}

/** @param {BcsReader} reader @param {number} depth @param {{ types: number }} read @returns {string} */
function readStruct(reader, depth, read) {
  const head = `${toHex(reader.hash())}::${reader.name()}::${reader.name()}`;
  const parts = [];
  for (let left = reader.count(1); left > 0; left--) parts.push(readType(reader, depth + 1, read));
  return parts.length > 0 ? `${head}<${parts.join(", ")}>` : head;
}
