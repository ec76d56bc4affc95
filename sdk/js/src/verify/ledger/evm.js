// @ts-check
// Levels 1 and 2 of the EVM family: headers by rule, the trie of a block, receipts.
// docs/protocol.md, "Headers and leaves of the EVM family".

import { keccak256, same } from "../hash.js";
import { Fault, need } from "../reader.js";
import { bindsAll, shownEntry } from "./shown.js";

const TRIE_NODES_MAX = 20;
const HEADER_FIELDS_MAX = 30;
const TOPICS_MAX = 4;
/** Bytes of a path in a trie node that are compared: no key is as long. */
const PATH_BYTES_MAX = 10;

/** @typedef {import("./index.js").Subject} Subject */
/** @typedef {{ isList: boolean, payload: Uint8Array, whole: Uint8Array }} Item */
/** A header; `fields` has every field by its name, in the header's order.
 * @typedef {import("./index.js").Header & { number: bigint, timestamp: bigint, parentHash: Uint8Array,
 *   stateRoot: Uint8Array, transactionsRoot: Uint8Array, receiptsRoot: Uint8Array, bloom: Uint8Array,
 *   settlesOthers: boolean, fields: Record<string, Uint8Array | bigint> }} Header */
/** @typedef {{ address: Uint8Array, topics: Uint8Array[], data: Uint8Array }} Log */
/** A receipt; `succeeded` is null before Byzantium, where it names a state root.
 * @typedef {{ raw: Uint8Array, type: number, succeeded: boolean | null, stateRoot: Uint8Array | null,
 *   cumulativeGasUsed: bigint, bloom: Uint8Array, logs: Log[],
 *   deposit: { nonce: bigint, version: bigint } | null, feeCurrencyBaseFee: bigint | null }} Receipt */
/** Nodes of tries from the root down. @typedef {{ transaction: Uint8Array[] | null, receipt: Uint8Array[] | null }} Entry */

/** Reads one RLP item, in its one form. @param {Uint8Array} bytes @param {number} at @returns {Item} */
function readItem(bytes, at) {
  const first = bytes[at];
  if (first === undefined) throw new Fault("RLP is cut short");
  const isList = first >= 0xc0;
  const short = first - (isList ? 0xc0 : 0x80);
  let [start, length] = [at + 1, short];
  if (first < 0x80) {
    [start, length] = [at, 1];
  } else if (short > 55) {
    const digits = bytes.subarray(at + 1, at + 1 + short - 55);
    if (digits.length !== short - 55 || digits[0] === 0 || digits.length > 6) throw new Fault("malformed RLP");
    start += digits.length;
    length = digits.reduce((value, byte) => value * 256 + byte, 0);
    if (length < 56) throw new Fault("an RLP length in a longer form");
  }
  const payload = bytes.subarray(start, start + length);
  if (payload.length !== length) throw new Fault("RLP is cut short");
  if (!isList && first >= 0x80 && length === 1 && payload[0] < 0x80) throw new Fault("a byte in a longer form");
  return { isList, payload, whole: bytes.subarray(at, start + length) };
}

/** Reads the items that some bytes hold, one after the other. @param {Uint8Array} bytes
 * @param {(item: Item) => void} read */
function eachItem(bytes, read) {
  for (let at = 0; at < bytes.length; ) {
    const next = readItem(bytes, at);
    read(next);
    at += next.whole.length;
  }
}

/** The items that some bytes hold. @param {Uint8Array} bytes @param {string} what @param {number} most
 * @returns {Item[]} */
function readItems(bytes, what, most) {
  /** @type {Item[]} */
  const all = [];
  eachItem(bytes, (next) => {
    need(all.length < most, `the ${what} has too many items`);
    all.push(next);
  });
  return all;
}

/** The items of the one list that the bytes hold. @param {Uint8Array} bytes @param {string} what @param {number} most */
function readList(bytes, what, most) {
  const [whole] = readItems(bytes, what, 1);
  if (!whole?.isList) throw new Fault(`the ${what} is not one RLP list`);
  return readItems(whole.payload, what, most);
}

/** The bytes of a field, of that length where one is named.
 * @param {Item | undefined} field @param {string} what @param {number} [length] */
function stringOf(field, what, length) {
  if (!field || field.isList || (length !== undefined && field.payload.length !== length)) {
    throw new Fault(`malformed ${what}`);
  }
  return field.payload;
}

/** A number of at most that many bytes, without leading zeros. @param {Item | undefined} field
 * @param {string} what @param {number} [max] @returns {bigint} */
function integerOf(field, what, max = 8) {
  const bytes = stringOf(field, what);
  if (bytes.length > max || bytes[0] === 0) throw new Fault(`malformed ${what}`);
  return bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

// Fields of headers: h 32 bytes, a 20, B 256, n 8, s 65, b any bytes, q a number, Q a large one.
const FIRST = "parentHash:h sha3Uncles:h miner:a stateRoot:h transactionsRoot:h receiptsRoot:h logsBloom:B " +
  "difficulty:Q number:q gasLimit:q gasUsed:q timestamp:q extraData:b ";
const SEALED = `${FIRST}mixHash:h nonce:n `;
const CANCUN = "blobGasUsed:q excessBlobGas:q parentBeaconBlockRoot:h ";

/** By the code of a rule: the fields in order, and how many there may be. @type {Record<number, [string, number[]]>} */
const LAYOUTS = {
  0x0001: [`${SEALED}baseFeePerGas:q withdrawalsRoot:h ${CANCUN}requestsHash:h blockAccessListHash:h slotNumber:q`,
    [15, 16, 17, 20, 21, 22, 23]],
  0x0002: [`${FIRST}step:q signature:s baseFeePerGas:q`, [15, 16]],
  0x0003: ["parentHash:h miner:a stateRoot:h transactionsRoot:h receiptsRoot:h logsBloom:B number:q " +
    "gasUsed:q timestamp:q extraData:b", [10]],
  0x0004: [`${SEALED}baseFeePerGas:q`, [15, 16]],
  0x0005: [`${SEALED}extDataHash:h baseFeePerGas:q extDataGasUsed:q blockGasCost:q ${CANCUN}` +
    "timestampMilliseconds:q minDelayExcess:q targetExponent:q minPriceExponent:q settledHeight:q settledGasUnix:q " +
    "settledGasNumerator:q settledExcess:q", [16, 17, 19, 22, 24, 26, 30]],
  0x0006: [`${SEALED}baseFeePerGas:q withdrawalsRoot:h blobGasUsed:q excessBlobGas:q`, [19]],
};
/** @type {Record<string, number>} */
const LENGTHS = { h: 32, a: 20, B: 256, n: 8, s: 65 };

/** Reads a header, whole, by the layout of its rule.
 * @param {number} rule @param {Uint8Array} bytes @returns {Header} */
export function readHeader(rule, bytes) {
  need(rule in LAYOUTS, "there is no such layout of a header");
  const [layout, counts] = LAYOUTS[rule];
  const items = readList(bytes, "header", HEADER_FIELDS_MAX);
  need(counts.includes(items.length), `a header of ${items.length} fields`);
  /** @type {Record<string, any>} */
  const fields = {};
  layout.split(" ").slice(0, items.length).forEach((field, at) => {
    const [name, kind] = field.split(":");
    const isNumber = kind === "q" || kind === "Q";
    fields[name] = isNumber
      ? integerOf(items[at], name, kind === "q" ? 8 : 32)
      : stringOf(items[at], name, LENGTHS[kind]);
  });
  const { number, timestamp, parentHash, stateRoot, transactionsRoot, receiptsRoot, logsBloom } = fields;
  return {
    hash: keccak256(bytes), number, timestamp, parentHash, stateRoot, transactionsRoot, receiptsRoot,
    bloom: logsBloom, settlesOthers: "settledHeight" in fields, fields,
  };
}

/** The key of a transaction or receipt, `rlp(index)`, as nibbles. @param {number} index */
function keyOf(index) {
  const digits = index.toString(16);
  const whole = digits.length % 2 ? `0${digits}` : digits;
  if (index === 0) return nibbles([0x80]);
  const bytes = (whole.match(/../g) ?? []).map((pair) => parseInt(pair, 16));
  return nibbles(index < 0x80 ? bytes : [0x80 + bytes.length, ...bytes]);
}

/** @param {ArrayLike<number>} bytes @returns {number[]} */
const nibbles = (bytes) => Array.from(bytes).flatMap((byte) => [byte >> 4, byte & 15]);

/** What a parent holds of a child: nothing, its hash, or the child itself.
 * @param {Item} field @returns {null | { hash: Uint8Array } | { inline: Uint8Array }} */
function readChild(field) {
  if (!field.isList && field.payload.length === 0) return null;
  if (!field.isList && field.payload.length === 32) return { hash: field.payload };
  if (field.isList && field.whole.length < 32) return { inline: field.whole };
  throw new Fault("a malformed child of a trie node");
}

/** One step along a key. Every part of the node is read, whether it lies on the way or not.
 * @param {Uint8Array} node @param {number[]} key what is left of it
 * @returns {{ value: Uint8Array | null } | { next: ReturnType<typeof readChild>, key: number[] }} */
function walkNode(node, key) {
  const fields = readList(node, "trie node", 17);
  if (fields.length === 17) {
    const children = fields.slice(0, 16).map(readChild);
    const value = stringOf(fields[16], "branch value");
    const filled = children.filter((one) => one !== null).length + (value.length ? 1 : 0);
    if (filled < 2) throw new Fault("a branch that does not branch");
    if (key.length === 0) return { value: value.length ? value : null };
    return { next: children[key[0]], key: key.slice(1) };
  }
  if (fields.length !== 2) throw new Fault(`a trie node of ${fields.length} items`);
  const packed = stringOf(fields[0], "path");
  const [flag, odd] = [packed[0] >> 4, (packed[0] >> 4) & 1];
  if (packed.length === 0 || flag > 3 || (!odd && packed[0] & 15)) throw new Fault("a malformed path");
  const path = nibbles(packed.subarray(0, PATH_BYTES_MAX)).slice(odd ? 1 : 2);
  if (flag & 2) {
    const value = stringOf(fields[1], "leaf value");
    if (value.length === 0) throw new Fault("a leaf without a value");
    return { value: same(path, key) ? value : null };
  }
  const below = readChild(fields[1]);
  if (path.length === 0 || below === null) throw new Fault("a malformed extension");
  if (!same(path, key.slice(0, path.length))) return { value: null };
  return { next: below, key: key.slice(path.length) };
}

/** The value under `rlp(index)` in the trie of that root, or null where the nodes show that there is none.
 * @param {Uint8Array} root @param {number} index @param {Uint8Array[]} nodes from the root down
 * @returns {Uint8Array | null} */
export function walk(root, index, nodes) {
  if (nodes.length === 0) throw new Fault("the trie proof is empty");
  const left = [...nodes];
  /** @param {Uint8Array} hash */
  const take = (hash) => {
    const node = left.shift();
    if (!node) throw new Fault("the trie proof ends before its key");
    if (!same(keccak256(node), hash)) throw new Fault("a trie node has another hash than its parent says");
    return node;
  };
  let [node, key] = [take(root), keyOf(index)];
  /** @type {Uint8Array | null} */
  let value = null;
  while (!(nodes.length === 1 && same(node, [0x80]))) {
    const done = walkNode(node, key);
    if ("value" in done) {
      value = done.value;
      break;
    }
    if (done.next === null) break;
    key = done.key;
    if ("inline" in done.next) {
      node = done.next.inline;
    } else {
      node = take(done.next.hash);
      if (node.length < 32) throw new Fault("a hashed trie node under 32 bytes");
    }
  }
  if (left.length > 0) throw new Fault("the trie proof has nodes too many");
  return value;
}

/** Sets the three bits of an address or topic. @param {Uint8Array} bloom @param {Uint8Array} input */
function insertBits(bloom, input) {
  const hash = keccak256(input);
  for (let at = 0; at < 6; at += 2) {
    const bit = ((hash[at] << 8) | hash[at + 1]) & 0x7ff;
    bloom[255 - (bit >> 3)] |= 1 << (bit & 7);
  }
}

/** Whether every bit of the one is set in the other. @param {Uint8Array} needed @param {Uint8Array} bloom */
export const isWithin = (needed, bloom) => needed.every((byte, at) => (bloom[at] & byte) === byte);

/** Reads a receipt from its leaf, and recomputes its bloom.
 * @param {Uint8Array} leaf @returns {Receipt} */
export function readReceipt(leaf) {
  const type = leaf[0] < 0x80 ? leaf[0] : null;
  if (type === 0 || leaf.length === 0) throw new Fault("malformed receipt type");
  const fields = readList(type === null ? leaf : leaf.subarray(1), "receipt", 6);
  const status = stringOf(fields[0], "status");
  const isStatus = status.length === 0 || (status.length === 1 && status[0] === 1);
  if (!isStatus && status.length !== 32) throw new Fault("malformed status");
  const cumulativeGasUsed = integerOf(fields[1], "gas used");
  const bloom = stringOf(fields[2], "bloom", 256);
  if (!fields[3]?.isList) throw new Fault("malformed logs");
  /** @type {Log[]} */
  const logs = [];
  eachItem(fields[3].payload, (log) => logs.push(readLog(log)));
  const isDeposit = type === 0x7e && fields.length === 6;
  const isFeeCurrency = type === 0x7b && fields.length === 5;
  if (fields.length !== 4 && !isDeposit && !isFeeCurrency) throw new Fault("a receipt of another form");
  const deposit = isDeposit ? { nonce: integerOf(fields[4], "nonce"), version: integerOf(fields[5], "version") } : null;
  const feeCurrencyBaseFee = isFeeCurrency ? integerOf(fields[4], "base fee", 32) : null;
  const own = new Uint8Array(256);
  for (const log of logs) [log.address, ...log.topics].forEach((input) => insertBits(own, input));
  if (!same(own, bloom)) throw new Fault("the receipt's bloom is not that of its logs");
  return {
    raw: leaf, type: type ?? 0, succeeded: isStatus ? status.length === 1 : null, stateRoot: isStatus ? null : status,
    cumulativeGasUsed, bloom, logs, deposit, feeCurrencyBaseFee,
  };
}

/** @param {Item} whole @returns {Log} */
function readLog(whole) {
  const fields = whole.isList ? readItems(whole.payload, "log", 3) : [];
  if (fields.length !== 3 || !fields[1].isList) throw new Fault("malformed log");
  const topics = readItems(fields[1].payload, "list of topics", TOPICS_MAX).map((topic) => stringOf(topic, "topic", 32));
  return { address: stringOf(fields[0], "address", 20), topics, data: stringOf(fields[2], "data") };
}

/** @param {import("../reader.js").Reader} reader */
function readNodes(reader) {
  const count = reader.u8();
  need(count <= TRIE_NODES_MAX, "a trie proof of too many nodes");
  return Array.from({ length: count }, () => reader.long());
}

/** @param {Entry} entry @param {Subject} subject @param {Header | null} header */
function checkEntry(entry, subject, header) {
  const { kind, txIndex, logIndex } = subject;
  const isAbsence = kind === "absence";
  /** @param {Uint8Array[]} nodes @param {Uint8Array | undefined} root @param {string} what */
  const leafOf = (nodes, root, what) => {
    need(nodes.length > 0, "the trie proof is empty");
    const under = root ?? keccak256(nodes[0]);
    const value = walk(under, txIndex, nodes);
    need(isAbsence === (value === null), `the ${what} trie has ${value ? "a" : "no"} leaf at ${txIndex}`);
    return { root: under, leaf: value };
  };
  const shown = shownEntry({
    transactionsRoot: header?.transactionsRoot ?? null, receiptsRoot: header?.receiptsRoot ?? null });
  if (entry.transaction) {
    const { root, leaf } = leafOf(entry.transaction, header?.transactionsRoot, "transaction");
    shown.transactionsRoot = root;
    shown.transaction = leaf && { hash: keccak256(leaf), raw: leaf };
  }
  if (entry.receipt) {
    need(!header?.settlesOthers, "the header's receipts are those of other blocks");
    const { root, leaf } = leafOf(entry.receipt, header?.receiptsRoot, "receipt");
    shown.receiptsRoot = root;
    const receipt = leaf && readReceipt(leaf);
    need(!receipt || !header || isWithin(receipt.bloom, header.bloom), "the header's bloom lacks the receipt's");
    shown.receipt = receipt;
  }
  if (kind === "event") {
    const logs = shown.receipt?.logs ?? [];
    need(logIndex < logs.length, "there is no such log");
    shown.event = { kind: "log", log: logs[logIndex], logCount: logs.length };
  }
  return shown;
}

/** @type {import("./index.js").Ledger<Entry, Header>} */
export const evm = {
  name: "evm",
  rules: Object.keys(LAYOUTS).map(Number),
  bindsNumber: true,
  boundIndexes: bindsAll,
  showsBlock: () => true,
  readEntry(reader, _, parts) {
    const transaction = parts.transaction ? readNodes(reader) : null;
    return { transaction, receipt: parts.receipt ? readNodes(reader) : null };
  },
  checkParts(entry, { kind }) {
    need((kind === "event" ? entry.receipt : entry.transaction) !== null, "a trie is missing");
  },
  readHeader,
  checkChain() {},
  checkEntry,
};
