// @ts-check
// A scan file: all events of a block range that pass a filter, or that there are none. docs/protocol/files.md, "The
// scan file".

import { decode as decodeProof } from "../verify/file.js";
import { keccak256, same, utf8 } from "../verify/hash.js";
import { readHeader } from "../verify/ledger/evm.js";
import { ruleAt as solanaRuleAt } from "../verify/ledger/solana.js";
import { readProfile } from "../verify/file.js";
import { verifyProof } from "../verify/proof.js";
import { Reader, match, need } from "../verify/reader.js";
import { checkAnchor } from "../verify/srproof.js";
import { outsideReceipts, whyNotBinding } from "./blooms.js";
import { Fault, needAt, within } from "./fault.js";
import { bloomBits, hasBit } from "./ledgers/evm.js";
import { bytesOf, itemsOf, numberOf, readList } from "./rlp.js";
import { compareBytes, rootOfLeaves } from "./trie.js";

/** @typedef {import("../verify/file.js").Proof} Proof */
/** @typedef {import("../verify/proof.js").ShownProof} ShownProof */
/** @typedef {import("../verify/ledger/evm.js").Header} Header */
/** @typedef {import("../verify/ledger/evm.js").Log} Log */
/** Lists that rise; an empty one allows anything. @typedef {{ addresses: Uint8Array[], topics: Uint8Array[][],
 *   anywhere: Uint8Array[] }} Filter */
/** @typedef {{ number: bigint, leaves: Uint8Array[] }} BlockReceipts */
/** @typedef {{ family: number, chainId: bigint, from: bigint, to: bigint, filter: Filter, headers: Uint8Array[],
 *   receipts: BlockReceipts[], last: Proof }} Scan */
/** @typedef {{ number: number, blockHash: Uint8Array, timestamp: bigint, txIndex: number, logIndex: number, log: Log }} ScanEvent */
/** `events`: all in the range that pass the filter, in order. @typedef {{ chainId: number, from: number, to: number,
 *   filter: Filter, events: ScanEvent[], byBloom: number, byReceipts: number, bloomsNotBinding: string | null,
 *   outsideReceipts: string | null, last: ShownProof, anchor: string }} ShownScan */

const BYTES_MAX = 16 << 20;
const BLOCKS_MAX = 2048n;
const [ADDRESSES_MAX, TOPICS_MAX, ANYWHERE_MAX] = [100, 100, 4];
const RECEIPT_BYTES_MIN = 256;
const MAGIC = "SRSCAN";

/** Whether bytes begin as a scan file does. @param {Uint8Array} bytes */
export const isScanFile = (bytes) => same(bytes.subarray(0, MAGIC.length), utf8(MAGIC));

// --- reading -------------------------------------------------------------------------------------

/** A list that rises and names nothing twice. @param {Reader} reader @param {number} length @param {number} max */
function readRising(reader, length, max) {
  const count = reader.u8();
  need(count <= max, "a list of the filter is too long");
  const items = Array.from({ length: count }, () => reader.bytes(length));
  need(items.every((item, at) => at === 0 || compareBytes(items[at - 1], item) < 0), "the scan is not in its one form");
  return items;
}

/** @param {Reader} reader @param {bigint} from @param {bigint} to @returns {BlockReceipts[]} */
function readReceipts(reader, from, to) {
  /** @type {BlockReceipts[]} */
  const blocks = [];
  for (let left = reader.number(2); left > 0; left--) {
    const number = from + BigInt(reader.number(2));
    const before = blocks[blocks.length - 1];
    need(number <= to && (!before || before.number < number), "receipts of blocks out of order");
    const leaves = [];
    for (let more = reader.number(4); more > 0; more--) {
      const leaf = reader.long();
      need(leaf.length >= RECEIPT_BYTES_MIN, "a receipt is too short");
      leaves.push(leaf);
    }
    blocks.push({ number, leaves });
  }
  return blocks;
}

/** Reads the file. @param {Uint8Array} bytes @returns {Scan} throws a Fault */
export function decodeScan(bytes) {
  need(bytes.length <= BYTES_MAX, "the scan is too large");
  const reader = new Reader(bytes, "scan");
  need(same(reader.bytes(MAGIC.length), utf8(MAGIC)), "not a scan file");
  need(reader.u8() === 1, "a scan file of another format");
  const family = reader.u8();
  need(family < 9, "there is no such family");
  const [chainId, from, to] = [reader.u64(), reader.u64(), reader.u64()];
  const addresses = readRising(reader, 20, ADDRESSES_MAX);
  const topics = Array.from({ length: 4 }, () => readRising(reader, 32, TOPICS_MAX));
  const anywhere = readRising(reader, 32, ANYWHERE_MAX);
  need(from <= to && to - from < BLOCKS_MAX, "a range of no or too many blocks");
  const check = keccak256(bytes.subarray(0, reader.at)).subarray(0, 4);
  need(same(reader.bytes(4), check), "the statement is damaged");
  const headers = Array.from({ length: Number(to - from) }, () => reader.long());
  const receipts = readReceipts(reader, from, to);
  const file = reader.long();
  need(file[7] === 1, "a proof file of another format");
  const last = decodeProof(file);
  reader.end();
  return { family, chainId, from, to, filter: { addresses, topics, anywhere }, headers, receipts, last };
}

/** The logs of a receipt that was checked by its root; its bloom is not looked at. @param {Uint8Array} leaf
 * @returns {Log[]} */
function readLogs(leaf) {
  const type = leaf[0] < 0x80 ? leaf[0] : null;
  need(type !== 0, "malformed receipt type");
  const fields = readList(type === null ? leaf : leaf.subarray(1));
  const status = bytesOf(fields[0]);
  need(status.length === 0 || status.length === 32 || (status.length === 1 && status[0] === 1), "malformed status");
  numberOf(fields[1], 8);
  bytesOf(fields[2], 256);
  if (type === 0x7e && fields.length === 6) [fields[4], fields[5]].forEach((field) => numberOf(field, 8));
  else if (type === 0x7b && fields.length === 5) numberOf(fields[4], 32);
  else need(fields.length === 4, "a receipt of another form");
  return itemsOf(fields[3]).map((log) => {
    const parts = itemsOf(log);
    const topics = itemsOf(parts[1]).map((topic) => bytesOf(topic, 32));
    need(parts.length === 3 && topics.length <= 4, "malformed log");
    return { address: bytesOf(parts[0], 20), topics, data: bytesOf(parts[2]) };
  });
}

// --- checking ------------------------------------------------------------------------------------

/** @param {Scan} scan */
function checkStatement({ family, chainId, to, last }) {
  need(family === 0, "headers of this family commit to no receipts with logs");
  const isLast = last.family === family && last.chainId === chainId && last.number === to && last.subject.kind === "block";
  need(isLast, "the proof at its end is not of the last block of the range");
}

/** What a bloom has to allow: of each list one. @param {Filter} filter @returns {(bloom: Uint8Array) => boolean} */
function sieveOf({ addresses, topics, anywhere }) {
  const lists = [addresses, ...topics, ...anywhere.map((topic) => [topic])].filter((list) => list.length > 0);
  const bits = lists.map((list) => list.map(bloomBits));
  return (bloom) => bits.every((list) => list.some((three) => three.every((bit) => hasBit(bloom, bit))));
}

/** @param {Uint8Array[]} list @param {Uint8Array | undefined} item */
const has = (list, item) => item !== undefined && list.some((one) => same(one, item));

/** @param {Filter} filter @param {Log} log */
function passes({ addresses, topics, anywhere }, log) {
  return (addresses.length === 0 || has(addresses, log.address)) &&
    topics.every((list, at) => list.length === 0 || has(list, log.topics[at])) &&
    anywhere.every((topic) => has(log.topics, topic));
}

/** The rule of a chain at a number, as the verifier and the opened profile have it. @param {[number, number][][]} lists
 * @param {number} number */
function ruleOf(lists, number) {
  const codes = lists.map((rules) => {
    const covers = rules.filter(([from]) => from <= number).map(([, code]) => code);
    need(covers.length > 0 && !covers.includes(0), "no rule covers this block, or the log withdrew it");
    return solanaRuleAt(covers[covers.length - 1], number);
  });
  need(codes.every((code) => code === codes[0]), "the opened profile has another rule");
  return codes[0];
}

/** Takes blocks from the last to the first. */
class Walk {
  /** @param {Scan} scan */
  constructor({ filter, receipts, chainId }) {
    this.filter = filter;
    this.chainId = Number(chainId);
    this.allows = sieveOf(filter);
    this.left = [...receipts];
    this.byBloom = 0;
    this.byReceipts = 0;
    /** @type {string | null} */
    this.bloomsNotBinding = null;
    /** @type {ScanEvent[][]} */
    this.found = [];
  }

  /** @param {Header} header @param {number} rule */
  take(header, rule) {
    const number = Number(header.number);
    needAt(!header.settlesOthers, "headers", `block ${number}: its header names the receipts of blocks that it settles`);
    const last = this.left[this.left.length - 1];
    const given = last && last.number === header.number ? this.left.pop() : undefined;
    const why = whyNotBinding(this.chainId, number, rule);
    if (why === null && !this.allows(header.bloom)) {
      needAt(!given, "receipts", `block ${number} has receipts, though its bloom rules the filter out`);
      this.byBloom += 1;
      return;
    }
    this.bloomsNotBinding = why ?? this.bloomsNotBinding;
    needAt(given, "receipts", `block ${number}: its receipts are missing`);
    this.byReceipts += 1;
    within("receipts", () => this.pick(header, given.leaves));
  }

  /** @param {Header} header @param {Uint8Array[]} leaves */
  pick(header, leaves) {
    match(rootOfLeaves(leaves), header.receiptsRoot, `receipts root of block ${header.number}`);
    const events = leaves.flatMap((leaf, txIndex) => readLogs(leaf).flatMap((log, logIndex) => (
      passes(this.filter, log) ? [{ number: Number(header.number), blockHash: header.hash, timestamp: header.timestamp, txIndex,
        logIndex, log }] : [])));
    this.found.push(events);
  }
}

/** Checks a scan that was read.
 * @param {Scan} scan @param {import("./index.js").Brought} brought @returns {ShownScan} throws a ProofError: `statement`, a
 *   step of the last block's proof, `anchor`, `headers` or `receipts` */
export function verifyScan(scan, brought) {
  within("statement", () => checkStatement(scan));
  const last = verifyProof(scan.last, brought);
  const anchor = checkAnchor(last, brought);
  const walk = new Walk(scan);
  const profile = scan.last.superRoot?.profile;
  const rules = [last.chain.rules, ...(profile ? [within("statement", () => readProfile(profile)).rules] : [])];
  let next = /** @type {Header} */ (last.header);
  walk.take(next, last.rule);
  for (let at = scan.headers.length - 1; at >= 0; at--) {
    const bytes = scan.headers[at];
    const number = Number(scan.from) + at;
    const { header, rule } = within("headers", () => {
      match(keccak256(bytes), next.parentHash, `hash of block ${number}, the parent of the next,`);
      const own = ruleOf(rules, number);
      const read = readHeader(own, bytes);
      if (read.number !== BigInt(number)) throw new Fault(`the header of block ${number} has the number ${read.number}`);
      return { header: read, rule: own };
    });
    walk.take(header, rule);
    next = header;
  }
  needAt(walk.left.length === 0, "receipts", "receipts are left over");
  const { filter, byBloom, byReceipts, bloomsNotBinding } = walk;
  return { chainId: last.chain.id, from: Number(scan.from), to: Number(scan.to), filter, byBloom, byReceipts, bloomsNotBinding,
    outsideReceipts: outsideReceipts(last.chain.id), events: walk.found.reverse().flat(), last, anchor };
}
