// @ts-check
// Headers under rule 0701, the whole encoded block: docs/protocol/icp.md. Links read the parent alone, from bytes whose
// hash was compared before: what else the block holds is not looked at.

import { need, Reader } from "../bytes.js";
import { sha256 } from "../hash.js";
import { readVarint } from "./protobuf.js";

const BLOCK_BYTES_MAX = 1_024;
const PARENT = 1n;

/** Fields of a message, rising, each bytes. @param {Uint8Array} bytes @param {bigint} last
 * @returns {Map<bigint, Uint8Array>} */
function readFields(bytes, last) {
  const reader = new Reader(bytes);
  const fields = new Map();
  let before = 0n;
  while (reader.left > 0) {
    const tag = readVarint(reader);
    const field = tag >> 3n;
    need(field > before && field <= last && (tag & 7n) === 2n);
    before = field;
    fields.set(field, reader.bytes(readVarint(reader)));
  }
  return fields;
}

/** The parent's hash; null in the first block. @param {Uint8Array} bytes
 * @returns {{ hash: Uint8Array, parent: Uint8Array | null }} */
export function readIcpHeader(bytes) {
  need(bytes.length <= BLOCK_BYTES_MAX);
  const fields = readFields(bytes, 3n);
  need(fields.has(2n) && fields.has(3n));
  const wrapped = fields.get(PARENT);
  const parent = wrapped && readFields(wrapped, 1n).get(1n);
  need(!wrapped || parent?.length === 32);
  return { hash: sha256(bytes), parent: parent ?? null };
}
