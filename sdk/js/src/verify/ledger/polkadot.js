// @ts-check
// Levels 1 and 2 of the Polkadot family: SCALE headers, and the tries of extrinsics and of the state.
// docs/protocol/polkadot.md.

import { blake2b256, fromHex, same } from "../hash.js";
import { Fault, Reader, match, need, needValue } from "../reader.js";
import { bindsAll, shownEntry } from "./shown.js";

const HEADER_BYTES_MAX = 2 ** 20;
const [EXTRINSIC_NODES_MAX, EVENTS_NODES_MAX] = [12, 66];
const PATH_NIBBLES_MAX = 512;
const RECORD_BYTES_MIN = 4;
/** `System.Events`: twox-128 of both words. */
const EVENTS_KEY = fromHex("26aa394eea5630e07c48ae0c9558cef780d41e5e16056765bc8461851072c9d7");

/** @typedef {import("./index.js").Subject} Subject */
/** @typedef {import("./index.js").Header & { number: bigint, parentHash: Uint8Array, stateRoot: Uint8Array,
 *   extrinsicsRoot: Uint8Array, digest: Uint8Array[] }} Header */
/** Nodes of the extrinsics trie and, for an event, of the state trie, from the root down.
 * @typedef {{ extrinsic: Uint8Array[], events: Uint8Array[] | null }} Entry */

/** A compact number below 2^64, in its shortest form. @param {Reader} reader @returns {bigint} */
export function readCompact(reader) {
  const first = reader.u8();
  /** @param {Uint8Array} bytes */
  const little = (bytes) => bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
  if ((first & 3) === 0) return BigInt(first >> 2);
  let [value, least] = [0n, 0n];
  if ((first & 3) === 3) {
    const bytes = reader.bytes((first >> 2) + 4);
    need(bytes.length <= 8 && bytes[bytes.length - 1] !== 0, "a compact number is too large, or in a longer form");
    [value, least] = [little(bytes), 0x40000000n];
  } else {
    const more = little(reader.bytes((first & 3) === 1 ? 1 : 3));
    [value, least] = [((more << 8n) | BigInt(first)) >> 2n, (first & 3) === 1 ? 0x40n : 0x4000n];
  }
  need(value >= least, "a compact number in a longer form");
  return value;
}

/** A number of 32 bits in its compact form. @param {number} value @returns {Uint8Array} */
export function compact(value) {
  const [mode, length] = value < 2 ** 6 ? [0, 1] : value < 2 ** 14 ? [1, 2] : value < 2 ** 30 ? [2, 4] : [3, 4];
  const body = mode === 3 ? value : value * 4 + mode;
  const bytes = Array.from({ length }, (_, at) => Math.floor(body / 2 ** (8 * at)) % 256);
  return Uint8Array.from(mode === 3 ? [3, ...bytes] : bytes);
}

/** Bytes behind their compact length. @param {Reader} reader */
function readBytes(reader) {
  const length = readCompact(reader);
  need(length <= BigInt(reader.left), `the ${reader.what} is cut short`);
  return reader.bytes(Number(length));
}

/** @param {Reader} reader */
function digestItem(reader) {
  const begin = reader.at;
  const kind = reader.u8();
  need([0, 2, 4, 5, 6, 8].includes(kind), "an unknown kind of digest item");
  if (kind === 2) reader.hash();
  if (kind >= 4 && kind <= 6) reader.bytes(4);
  if (kind === 0 || (kind >= 4 && kind <= 6)) readBytes(reader);
  return reader.all.subarray(begin, reader.at);
}

/** @param {number} _ @param {Uint8Array} bytes @returns {Header} */
export function readHeader(_, bytes) {
  need(bytes.length <= HEADER_BYTES_MAX, "the header is too long");
  const reader = new Reader(bytes, "header");
  const [parentHash, number] = [reader.hash(), readCompact(reader)];
  const [stateRoot, extrinsicsRoot] = [reader.hash(), reader.hash()];
  const begin = reader.at;
  for (let left = readCompact(reader); left > 0n; left--) digestItem(reader);
  reader.end();
  return {
    hash: blake2b256(bytes), number, timestamp: null, parentHash, stateRoot, extrinsicsRoot,
    // kept as bytes: a header may have a million items
    get digest() {
      return readDigest(bytes.subarray(begin));
    },
  };
}

/** @param {Uint8Array} bytes @returns {Uint8Array[]} */
function readDigest(bytes) {
  const reader = new Reader(bytes, "digest");
  /** @type {Uint8Array[]} */
  const items = [];
  for (let left = readCompact(reader); left > 0n; left--) items.push(digestItem(reader));
  return items;
}

// --- tries ---------------------------------------------------------------------------------------

/** What the first byte says: [lowest, branch, value, by its hash, bits of the count]. @type {[number, boolean, boolean, boolean, number][]} */
const KINDS = [[0xc0, true, true, false, 0x3f], [0x80, true, false, false, 0x3f], [0x40, false, true, false, 0x3f],
  [0x20, false, true, true, 0x1f], [0x10, true, true, true, 0x0f]];

/** @param {Reader} reader @param {number} first @param {number} full */
function nibbleCount(reader, first, full) {
  let count = first & full;
  for (let goesOn = count === full; goesOn;) {
    const more = reader.u8();
    count += more;
    need(count <= PATH_NIBBLES_MAX, "a path longer than any key");
    goesOn = more === 0xff;
  }
  return count;
}

/** @param {ArrayLike<number>} bytes @returns {number[]} */
const nibbles = (bytes) => Array.from(bytes).flatMap((byte) => [byte >> 4, byte & 15]);

/** Reads a node whole. @param {Uint8Array} bytes */
function readNode(bytes) {
  const reader = new Reader(bytes, "trie node");
  const first = reader.u8();
  const kind = needValue(KINDS.find(([lowest]) => first >= lowest), "an unknown kind of trie node");
  const [, isBranch, hasValue, isHashed, full] = kind;
  const count = nibbleCount(reader, first, full);
  const packed = nibbles(reader.bytes(Math.ceil(count / 2)));
  need(count % 2 === 0 || packed[0] === 0, "a padded path whose padding is not zero");
  const bitmap = isBranch ? reader.u8() + 256 * reader.u8() : 0;
  const value = hasValue ? (isHashed ? reader.hash() : readBytes(reader)) : null;
  const children = Array.from({ length: 16 }, (_, at) => {
    if (((bitmap >> at) & 1) === 0) return null;
    const child = readBytes(reader);
    need(child.length > 0 && child.length <= 32, "a child of no bytes, or longer than a hash");
    return child;
  });
  const filled = children.filter((child) => child !== null).length;
  need(!isBranch || filled >= (hasValue ? 1 : 2), "a branch that does not branch");
  reader.end();
  return { path: packed.slice(count % 2), children, value, isHashed };
}

/** The value under a key in the trie of that root, or null where the nodes show that there is none.
 * @param {Uint8Array} root @param {Uint8Array} key @param {Uint8Array[]} nodes from the root down, a value that is
 *   named by its hash last @returns {Uint8Array | null} */
export function walk(root, key, nodes) {
  need(nodes.length > 0, "the trie proof is empty");
  const left = [...nodes];
  /** @param {Uint8Array} hash @param {number} least */
  const take = (hash, least) => {
    const bytes = needValue(left.shift(), "the trie proof ends before its key");
    match(blake2b256(bytes), hash, "hash of a trie node");
    need(bytes.length >= least, "a hashed node or value that is too short for it");
    return bytes;
  };
  const value = same(nodes[0], [0]) ? (take(root, 1), null) : follow(take(root, 0), nibbles(key), take);
  need(left.length === 0, "the trie proof has nodes too many");
  return value;
}

/** @param {Uint8Array} from @param {number[]} key @param {(hash: Uint8Array, least: number) => Uint8Array} take */
function follow(from, key, take) {
  for (let [bytes, at] = [from, 0]; ;) {
    const { path, children, value, isHashed } = readNode(bytes);
    if (!same(path, key.slice(at, at + path.length))) return null;
    at += path.length;
    if (at === key.length) return value && isHashed ? take(value, 33) : value;
    const child = children[key[at]];
    if (child === null) return null;
    at += 1;
    bytes = child.length === 32 ? take(child, 32) : child;
  }
}

// --- level 1 -------------------------------------------------------------------------------------

/** An extrinsic without the length in front of it. @param {Uint8Array} leaf */
export function extrinsicOf(leaf) {
  const reader = new Reader(leaf, "extrinsic");
  const extrinsic = readBytes(reader);
  reader.end();
  return extrinsic;
}

/** @param {Uint8Array[]} nodes @param {Header | null} header @param {number} logIndex */
function checkList(nodes, header, logIndex) {
  need(nodes.length > 0, "the trie proof is empty");
  const stateRoot = header?.stateRoot ?? blake2b256(nodes[0]);
  const value = needValue(walk(stateRoot, EVENTS_KEY, nodes), "the state has no list of events");
  const reader = new Reader(value, "list of events");
  const count = readCompact(reader);
  need(count * BigInt(RECORD_BYTES_MIN) <= BigInt(reader.left), "the list of events has too few bytes");
  need(BigInt(logIndex) < count, "there is no such event");
  return { kind: /** @type {const} */ ("list"), stateRoot, value, recordCount: Number(count) };
}

/** @param {Entry} entry @param {Subject} subject @param {Header | null} header */
function checkEntry({ extrinsic, events }, { kind, txIndex, logIndex }, header) {
  need(extrinsic.length > 0 && extrinsic.length <= EXTRINSIC_NODES_MAX, "no trie proof of an extrinsic");
  need((events?.length ?? 0) <= EVENTS_NODES_MAX, "a trie proof of too many nodes");
  const root = header?.extrinsicsRoot ?? blake2b256(extrinsic[0]);
  const leaf = walk(root, compact(txIndex), extrinsic);
  need((kind === "absence") === (leaf === null), `the extrinsics trie has ${leaf ? "a" : "no"} leaf at ${txIndex}`);
  const shown = shownEntry({ transactionsRoot: root });
  if (leaf === null) return shown;
  extrinsicOf(leaf);
  shown.transaction = { hash: blake2b256(leaf), raw: leaf };
  if (kind === "event") {
    if (events === null) throw new Fault("the list of events is missing");
    shown.event = checkList(events, header, logIndex);
  }
  return shown;
}

/** @param {Reader} reader @param {number} most */
function readNodes(reader, most) {
  const count = reader.u8();
  need(count <= most, "a trie proof of too many nodes");
  return Array.from({ length: count }, () => reader.long());
}

/** @type {import("./index.js").Ledger<Entry, Header>} */
export const polkadot = {
  name: "polkadot",
  rules: [0x0301],
  bindsNumber: true,
  boundIndexes: (kind) => (kind === "event" ? { txIndex: false, logIndex: false } : bindsAll()),
  showsBlock: () => true,
  readEntry(reader, _, parts) {
    need(parts.transaction, "the extrinsic is missing");
    const extrinsic = readNodes(reader, EXTRINSIC_NODES_MAX);
    return { extrinsic, events: parts.receipt ? readNodes(reader, EVENTS_NODES_MAX) : null };
  },
  checkParts({ events }, { kind }) {
    need((kind === "event") === (events !== null), "the list of events is missing, or not asked for");
  },
  readHeader,
  checkChain() {},
  checkEntry,
};
