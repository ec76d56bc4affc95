// @ts-check
// Levels 1 and 2 of the EVM family: headers by rule, the trie of a block, receipts.
// docs/protocol.md, "Headers and leaves of the EVM family".

import { keccak256, same } from "./hash.js";

/** @typedef {{ isList: boolean, payload: Uint8Array, whole: Uint8Array }} Item */
/** @typedef {{ number: number, timestamp: number, transactionsRoot: Uint8Array, receiptsRoot: Uint8Array,
 *   bloom: Uint8Array, settlesOthers: boolean }} Header */
/** @typedef {{ address: Uint8Array, topics: Uint8Array[], data: Uint8Array }} Log */
/** @typedef {{ succeeded: boolean | null, bloom: Uint8Array, logs: Log[] }} Receipt */

/** Reads one RLP item, in its one form. @param {Uint8Array} bytes @param {number} at @returns {Item} */
function item(bytes, at) {
  const first = bytes[at];
  if (first === undefined) throw new Error("RLP is cut short");
  const isList = first >= 0xc0;
  const short = first - (isList ? 0xc0 : 0x80);
  let [start, length] = [at + 1, short];
  if (first < 0x80) {
    [start, length] = [at, 1];
  } else if (short > 55) {
    const digits = bytes.subarray(at + 1, at + 1 + short - 55);
    if (digits.length !== short - 55 || digits[0] === 0 || digits.length > 6) throw new Error("malformed RLP");
    start += digits.length;
    length = digits.reduce((value, byte) => value * 256 + byte, 0);
    if (length < 56) throw new Error("an RLP length in a longer form");
  }
  const payload = bytes.subarray(start, start + length);
  if (payload.length !== length) throw new Error("RLP is cut short");
  if (!isList && first >= 0x80 && length === 1 && payload[0] < 0x80) throw new Error("a byte in a longer form");
  return { isList, payload, whole: bytes.subarray(at, start + length) };
}

/** The items that some bytes hold. @param {Uint8Array} bytes @returns {Item[]} */
function items(bytes) {
  const all = [];
  for (let at = 0; at < bytes.length; ) {
    const next = item(bytes, at);
    all.push(next);
    at += next.whole.length;
  }
  return all;
}

/** The items of the one list that the bytes hold. @param {Uint8Array} bytes @param {string} what */
function list(bytes, what) {
  const all = items(bytes);
  if (all.length !== 1 || !all[0].isList) throw new Error(`the ${what} is not one RLP list`);
  return items(all[0].payload);
}

/** The bytes of a field, of that length where one is named.
 * @param {Item | undefined} field @param {string} what @param {number} [length] */
function text(field, what, length) {
  if (!field || field.isList || (length !== undefined && field.payload.length !== length)) {
    throw new Error(`malformed ${what}`);
  }
  return field.payload;
}

/** A number of at most that many bytes, without leading zeros. @param {Item | undefined} field
 * @param {string} what @param {number} [max] @returns {bigint} */
function integer(field, what, max = 8) {
  const bytes = text(field, what);
  if (bytes.length > max || bytes[0] === 0) throw new Error(`malformed ${what}`);
  return bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

// Fields of headers: h 32 bytes, a 20, B 256, n 8, s 65, b any bytes, q a number, Q a large one.
const FIRST = "parentHash:h ommers:h miner:a stateRoot:h transactionsRoot:h receiptsRoot:h bloom:B " +
  "difficulty:Q number:q gasLimit:q gasUsed:q timestamp:q extraData:b ";
const SEALED = `${FIRST}mixHash:h nonce:n `;
const CANCUN = "blobGasUsed:q excessBlobGas:q beaconRoot:h ";

/** By the code of a rule: the fields in order, and how many there may be. @type {Record<number, [string, number[]]>} */
const LAYOUTS = {
  0x0001: [`${SEALED}baseFee:q withdrawalsRoot:h ${CANCUN}requestsHash:h accessList:h slot:q`,
    [15, 16, 17, 20, 21, 22, 23]],
  0x0002: [`${FIRST}step:q signature:s baseFee:q`, [15, 16]],
  0x0003: ["parentHash:h miner:a stateRoot:h transactionsRoot:h receiptsRoot:h bloom:B number:q " +
    "gasUsed:q timestamp:q extraData:b", [10]],
  0x0004: [`${SEALED}baseFee:q`, [15, 16]],
  0x0005: [`${SEALED}extDataHash:h baseFee:q extDataGasUsed:q blockGasCost:q ${CANCUN}` +
    "milliseconds:q minDelayExcess:q targetExponent:q minPriceExponent:q settledHeight:q settledGasUnix:q " +
    "settledGasNumerator:q settledExcess:q", [16, 17, 19, 22, 24, 26, 30]],
  0x0006: [`${SEALED}baseFee:q withdrawalsRoot:h blobGasUsed:q excessBlobGas:q`, [19]],
};
/** @type {Record<string, number>} */
const LENGTHS = { h: 32, a: 20, B: 256, n: 8, s: 65 };

/** Whether this module has the rule. @param {number} rule */
export const hasRule = (rule) => rule in LAYOUTS;

/** Reads a header, whole, by the layout of its rule; its Keccak-256 is the block hash.
 * @param {number} rule @param {Uint8Array} bytes @returns {Header} */
export function readHeader(rule, bytes) {
  const [layout, counts] = LAYOUTS[rule];
  const fields = list(bytes, "header");
  if (!counts.includes(fields.length)) throw new Error(`a header of ${fields.length} fields`);
  /** @type {Record<string, any>} */
  const read = {};
  layout.split(" ").slice(0, fields.length).forEach((field, at) => {
    const [name, kind] = field.split(":");
    const isNumber = kind === "q" || kind === "Q";
    read[name] = isNumber
      ? integer(fields[at], name, kind === "q" ? 8 : 32)
      : text(fields[at], name, LENGTHS[kind]);
  });
  return {
    number: Number(read.number), timestamp: Number(read.timestamp), bloom: read.bloom,
    transactionsRoot: read.transactionsRoot, receiptsRoot: read.receiptsRoot,
    settlesOthers: "settledHeight" in read,
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
function child(field) {
  if (!field.isList && field.payload.length === 0) return null;
  if (!field.isList && field.payload.length === 32) return { hash: field.payload };
  if (field.isList && field.whole.length < 32) return { inline: field.whole };
  throw new Error("a malformed child of a trie node");
}

/** One step along a key. Every part of the node is read, whether it lies on the way or not.
 * @param {Uint8Array} node @param {number[]} key what is left of it
 * @returns {{ value: Uint8Array | null } | { next: ReturnType<typeof child>, key: number[] }} */
function step(node, key) {
  const fields = list(node, "trie node");
  if (fields.length === 17) {
    const children = fields.slice(0, 16).map(child);
    const value = text(fields[16], "branch value");
    const filled = children.filter((one) => one !== null).length + (value.length ? 1 : 0);
    if (filled < 2) throw new Error("a branch that does not branch");
    if (key.length === 0) return { value: value.length ? value : null };
    return { next: children[key[0]], key: key.slice(1) };
  }
  if (fields.length !== 2) throw new Error(`a trie node of ${fields.length} items`);
  const packed = text(fields[0], "path");
  const [flag, odd] = [packed[0] >> 4, (packed[0] >> 4) & 1];
  if (packed.length === 0 || flag > 3 || (!odd && packed[0] & 15)) throw new Error("a malformed path");
  const path = nibbles(packed).slice(odd ? 1 : 2);
  if (flag & 2) {
    const value = text(fields[1], "leaf value");
    if (value.length === 0) throw new Error("a leaf without a value");
    return { value: same(path, key) ? value : null };
  }
  const below = child(fields[1]);
  if (path.length === 0 || below === null) throw new Error("a malformed extension");
  if (!same(path, key.slice(0, path.length))) return { value: null };
  return { next: below, key: key.slice(path.length) };
}

/** The value under `rlp(index)` in the trie of that root, or null where the nodes show that there is none.
 * @param {Uint8Array} root @param {number} index @param {Uint8Array[]} nodes from the root down
 * @returns {Uint8Array | null} */
export function walk(root, index, nodes) {
  if (nodes.length === 0) throw new Error("the trie proof is empty");
  const left = [...nodes];
  /** @param {Uint8Array} hash */
  const take = (hash) => {
    const node = left.shift();
    if (!node) throw new Error("the trie proof ends before its key");
    if (!same(keccak256(node), hash)) throw new Error("a trie node has another hash than its parent says");
    return node;
  };
  let [node, key] = [take(root), keyOf(index)];
  /** @type {Uint8Array | null} */
  let value = null;
  while (!(nodes.length === 1 && same(node, [0x80]))) {
    const done = step(node, key);
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
      if (node.length < 32) throw new Error("a hashed trie node under 32 bytes");
    }
  }
  if (left.length > 0) throw new Error("the trie proof has nodes too many");
  return value;
}

/** Sets the three bits of an address or topic. @param {Uint8Array} bloom @param {Uint8Array} input */
function insert(bloom, input) {
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
  if (type === 0 || leaf.length === 0) throw new Error("malformed receipt type");
  const fields = list(type === null ? leaf : leaf.subarray(1), "receipt");
  const status = text(fields[0], "status");
  const isStatus = status.length === 0 || (status.length === 1 && status[0] === 1);
  if (!isStatus && status.length !== 32) throw new Error("malformed status");
  integer(fields[1], "gas used");
  const bloom = text(fields[2], "bloom", 256);
  if (!fields[3]?.isList) throw new Error("malformed logs");
  const logs = items(fields[3].payload).map(readLog);
  const isDeposit = type === 0x7e && fields.length === 6;
  const isFeeCurrency = type === 0x7b && fields.length === 5;
  if (fields.length !== 4 && !isDeposit && !isFeeCurrency) throw new Error("a receipt of another form");
  if (isDeposit) [fields[4], fields[5]].forEach((field) => integer(field, "deposit"));
  if (isFeeCurrency) integer(fields[4], "base fee", 32);
  const own = new Uint8Array(256);
  for (const log of logs) [log.address, ...log.topics].forEach((input) => insert(own, input));
  if (!same(own, bloom)) throw new Error("the receipt's bloom is not that of its logs");
  return { succeeded: isStatus ? status.length === 1 : null, bloom, logs };
}

/** @param {Item} whole @returns {Log} */
function readLog(whole) {
  const fields = whole.isList ? items(whole.payload) : [];
  if (fields.length !== 3 || !fields[1].isList) throw new Error("malformed log");
  const topics = items(fields[1].payload).map((topic) => text(topic, "topic", 32));
  if (topics.length > 4) throw new Error("a log of more than four topics");
  return { address: text(fields[0], "address", 20), topics, data: text(fields[2], "data") };
}
