// @ts-check
// Levels 1 and 2 of Aptos: results of versions, the accumulator over all versions, and a version's events.
// docs/protocol/aptos.md.

import { fromUtf8, sha3, utf8 } from "../hash.js";
import { Fault, Reader, match, need } from "../reader.js";
import { BcsReader } from "./bcs.js";
import { shownEntry } from "./shown.js";

const INFO_BYTES_MAX = 65536;
const EVENT_BYTES_MAX = 10 * 2 ** 20;
const DEPTH_MAX = 63;

/** @typedef {import("./index.js").Subject} Subject */
/** @typedef {import("./index.js").Header} Header */
/** Bytes of a leaf, and its siblings upward. @typedef {{ leaf: Uint8Array, siblings: Uint8Array[] }} Path */
/** @typedef {{ version: bigint, info: Path, event: Path | null }} Entry */
/** `status`: success, out_of_gas, move_abort, execution_failure, miscellaneous_error; `code` of an abort or error.
 * @typedef {{ gasUsed: bigint, status: string, code: bigint | null, reason: string | null,
 *   transactionHash: Uint8Array, eventRoot: Uint8Array, stateChangeHash: Uint8Array,
 *   stateCheckpointHash: Uint8Array | null, auxiliaryHash: Uint8Array | null }} Info */
/** @typedef {{ handle: { account: Uint8Array, creationNumber: bigint, sequenceNumber: bigint } | null,
 *   type: string, data: Uint8Array }} ModuleEvent */

/** @param {string} name */
const seed = (name) => sha3(utf8(`APTOS::${name}`));
const [INFO, VERSIONS, EVENT, EVENTS] = ["TransactionInfo", "TransactionAccumulator", "ContractEvent",
  "EventAccumulator"].map(seed);

/** A text of at most three bytes of length. @param {BcsReader} reader @returns {string} */
function readText(reader) {
  const begin = reader.at;
  const length = reader.uleb();
  need(reader.at - begin <= 3, "a text is too long");
  const text = fromUtf8(reader.bytes(length));
  if (text === null) throw new Fault("a text is no UTF-8");
  return text;
}

/** @param {BcsReader} reader */
function skipLocation(reader) {
  const kind = reader.u8();
  need(kind <= 1, "an unknown location");
  if (kind === 0) {
    reader.hash();
    readText(reader);
  }
}

/** @param {BcsReader} reader @returns {{ status: string, code: bigint | null, reason: string | null }} */
function readStatus(reader) {
  const kind = reader.u8();
  if (kind === 0) return { status: "success", code: null, reason: null };
  if (kind === 1) return { status: "out_of_gas", code: null, reason: null };
  if (kind === 2) {
    skipLocation(reader);
    const code = reader.u64le();
    const info = reader.option(() => [readText(reader), readText(reader)]);
    return { status: "move_abort", code, reason: info?.[0] ?? null };
  }
  if (kind === 3) {
    skipLocation(reader);
    reader.bytes(4);
    return { status: "execution_failure", code: null, reason: null };
  }
  need(kind === 4, "an unknown status");
  return { status: "miscellaneous_error", code: reader.option(() => reader.u64le()), reason: null };
}

/** Reads the result of a version whole. @param {Uint8Array} bytes @returns {Info} */
export function readInfo(bytes) {
  need(bytes.length <= INFO_BYTES_MAX, "the info is too long");
  const reader = new BcsReader(bytes, "info");
  need(reader.u8() === 0, "an info of an unknown version");
  const gasUsed = reader.u64le();
  const { status, code, reason } = readStatus(reader);
  const [transactionHash, eventRoot, stateChangeHash] = [reader.hash(), reader.hash(), reader.hash()];
  const stateCheckpointHash = reader.option(() => reader.hash());
  const auxiliaryHash = reader.option(() => reader.hash());
  reader.end();
  return { gasUsed, status, code, reason, transactionHash, eventRoot, stateChangeHash, stateCheckpointHash,
    auxiliaryHash };
}

/** Reads an event, whole. A proof binds its bytes, whether they are read or not.
 * @param {Uint8Array} bytes @returns {ModuleEvent} */
export function readEvent(bytes) {
  const reader = new BcsReader(bytes, "event");
  const form = reader.uleb();
  need(form <= 1, "an event of an unknown form");
  const handle = form === 1 ? null : { creationNumber: reader.u64le(), account: reader.hash(),
    sequenceNumber: reader.u64le() };
  const [type, data] = [reader.type(), reader.blob()];
  reader.end();
  return { handle, type, data };
}

/** @param {Uint8Array} nodeSeed @param {Uint8Array} leaf @param {bigint} index @param {Uint8Array[]} siblings */
function rootOf(nodeSeed, leaf, index, siblings) {
  need(siblings.length <= DEPTH_MAX && index >> BigInt(siblings.length) === 0n, "the tree is too flat for the index");
  return siblings.reduce((node, sibling, height) => ((index >> BigInt(height)) & 1n
    ? sha3(nodeSeed, sibling, node) : sha3(nodeSeed, node, sibling)), leaf);
}

/** @param {Entry} entry @param {Subject} subject @param {Header | null} header */
function checkEntry({ version, info: { leaf, siblings }, event }, { kind, logIndex }, header) {
  const info = readInfo(leaf);
  const got = rootOf(VERSIONS, sha3(INFO, leaf), version, siblings);
  match(got, header?.hash ?? got, "root of the transaction accumulator");
  const shown = shownEntry({ transactionsRoot: got, transaction: { hash: info.transactionHash, raw: leaf } });
  if (kind === "event") {
    if (event === null) throw new Fault("the event is missing");
    need(event.leaf.length <= EVENT_BYTES_MAX, "the event is too long");
    const root = rootOf(EVENTS, sha3(EVENT, event.leaf), BigInt(logIndex), event.siblings);
    match(root, info.eventRoot, "root of the event accumulator");
    shown.event = { kind: "versionEvent", raw: event.leaf, eventRoot: root };
  }
  return shown;
}

/** @param {Reader} reader @param {number} most @returns {Path} */
function readPath(reader, most) {
  const [leaf, count] = [reader.long(most), reader.u8()];
  need(count <= DEPTH_MAX, "a path is too long");
  return { leaf, siblings: reader.hashes(count) };
}

/** @type {import("./index.js").Ledger<Entry, Header>} */
export const aptos = {
  name: "aptos",
  rules: [0x0501],
  bindsNumber: false,
  boundIndexes: () => ({ txIndex: false, logIndex: true }),
  showsBlock: () => false,
  readEntry(reader, _, parts) {
    need(parts.transaction, "the version is missing");
    const [version, info] = [reader.u64(), readPath(reader, INFO_BYTES_MAX)];
    return { version, info, event: parts.receipt ? readPath(reader, EVENT_BYTES_MAX) : null };
  },
  checkParts({ event }, { kind }) {
    need(kind !== "absence", "no root of Aptos tells where a block ends");
    need((kind === "event") === (event !== null), "the event is missing, or not asked for");
  },
  readHeader(_, bytes) {
    need(bytes.length === 32, "a header is a root of 32 bytes");
    return { hash: bytes, number: null, timestamp: null, parentHash: null };
  },
  checkChain() {},
  checkEntry,
};
