// @ts-check
// BCS: numbers with the lowest byte first, lengths in the shortest ULEB128 below 2^32.

import { need, Reader } from "../bytes.js";

export class BcsReader extends Reader {
  /** 0 or 1. @returns {boolean} */
  flag() {
    const byte = this.u8();
    need(byte <= 1);
    return byte === 1;
  }

  /** A length or a variant. @returns {number} */
  uleb() {
    let value = 0;
    for (let place = 0; place < 5; place++) {
      const byte = this.u8();
      value += (byte & 0x7f) * 2 ** (7 * place);
      if (byte < 0x80) {
        need((byte !== 0 || place === 0) && value < 2 ** 32);
        return value;
      }
    }
    need(false);
    return value;
  }

  /** Items of at least that many bytes each, which the rest can hold. @param {number} itemBytesMin @returns {number} */
  count(itemBytesMin) {
    const count = this.uleb();
    need(count * itemBytesMin <= this.left);
    return count;
  }

  /** Bytes behind their length. @returns {Uint8Array} */
  counted() {
    return this.bytes(this.uleb());
  }

  /** A hash behind its length. @returns {Uint8Array} */
  digest() {
    const bytes = this.counted();
    need(bytes.length === 32);
    return bytes;
  }
}
