// @ts-check
// Headers under rule 0401, message `BlockHeader.raw`: docs/protocol/tron.md. Unknown fields are skipped.

import { concat, need, Reader, u64 } from "../bytes.js";
import { sha256 } from "../hash.js";
import { readVarint } from "./protobuf.js";

const HEADER_BYTES_MAX = 4_096;
/** Deepest nesting of groups, as in nodes. */
const GROUPS_MAX = 100;
const SIGNED_MAX = 1n << 63n;
/** Fields that are read, with the wire type of each. @type {Map<number, number>} */
const KNOWN = new Map([[1, 0], [2, 2], [3, 2], [7, 0], [9, 2], [10, 0]]);

/** @typedef {{ id: Uint8Array, parent: Uint8Array, number: bigint, timestampMs: bigint, witness: Uint8Array }} TronHeader */
/** @typedef {{ wire: number, number: bigint, bytes: Uint8Array }} TronValue */

/** @param {Reader} reader */
function readTag(reader) {
  const tag = readVarint(reader);
  need(tag < 1n << 32n && tag >> 3n > 0n);
  return { field: Number(tag >> 3n), wire: Number(tag & 7n) };
}

/** Skips a group. @param {Reader} reader @param {number} field */
function skipGroup(reader, field) {
  const open = [field];
  while (open.length > 0) {
    const tag = readTag(reader);
    if (tag.wire === 3) {
      need(open.length < GROUPS_MAX);
      open.push(tag.field);
    } else if (tag.wire === 4) {
      need(open.pop() === tag.field);
    } else {
      readValue(reader, tag.field, tag.wire);
    }
  }
}

/** @param {Reader} reader @param {number} field @param {number} wire @returns {TronValue} */
function readValue(reader, field, wire) {
  /** @type {TronValue} */
  const value = { wire, number: 0n, bytes: new Uint8Array() };
  if (wire === 0) value.number = readVarint(reader);
  else if (wire === 1) reader.bytes(8);
  else if (wire === 2) value.bytes = reader.bytes(readVarint(reader));
  else if (wire === 3) skipGroup(reader, field);
  else if (wire === 5) reader.bytes(4);
  else need(false);
  return value;
}

/** Reads a whole header. @param {Uint8Array} bytes @returns {TronHeader} */
export function readTronHeader(bytes) {
  need(bytes.length <= HEADER_BYTES_MAX);
  const reader = new Reader(bytes);
  /** @type {Map<number, TronValue>} */
  const found = new Map();
  while (reader.left > 0) {
    const { field, wire } = readTag(reader);
    const value = readValue(reader, field, wire);
    const expected = KNOWN.get(field);
    if (expected === undefined) continue;
    need(wire === expected && !found.has(field));
    found.set(field, value);
  }
  /** @param {number} field nodes leave a 0 out */
  const positive = (field) => {
    const value = found.get(field)?.number;
    need(value === undefined || (value > 0n && value < SIGNED_MAX));
    return value ?? 0n;
  };
  const [timestampMs, number] = [positive(1), positive(7)];
  const [root, parent] = [found.get(2)?.bytes, found.get(3)?.bytes];
  need(root?.length === 32 && parent?.length === 32);
  const id = concat(u64(number), sha256(bytes).subarray(8));
  return { id, parent, number, timestampMs, witness: found.get(9)?.bytes ?? new Uint8Array() };
}
