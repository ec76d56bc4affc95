// @ts-check
// Headers under rule 0101: version:4 ‖ previous:32 ‖ merkle_root:32 ‖ time:4 ‖ bits:4 ‖ nonce:4, lowest byte first.

import { Reader } from "../bytes.js";
import { sha256d } from "../hash.js";

const HEADER_BYTES = 80;

/** @typedef {{ bytes: Uint8Array, hash: Uint8Array, parent: Uint8Array, time: number, bits: number }} BitcoinHeader */

/** @param {Uint8Array} bytes @returns {BitcoinHeader} */
export function readBitcoinHeader(bytes) {
  const reader = new Reader(bytes);
  const whole = new Reader(reader.bytes(HEADER_BYTES));
  reader.end();
  whole.bytes(4);
  const parent = whole.hash();
  whole.hash();
  return { bytes, hash: sha256d(bytes), parent, time: whole.u32le(), bits: whole.u32le() };
}
