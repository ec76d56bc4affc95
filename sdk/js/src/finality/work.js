// @ts-check
// Kind 11, work: Bitcoin's headers, each with its work, from the first of a period of 2,016 on. Evidence binds the number.
// Of two branches the one with more work counts: a client that is shown one sees its work, not that there is no other.
// Sources: Bitcoin Core `pow.cpp`, `validation.cpp` (`ContextualCheckBlockHeader`), `chain.h` (`GetMedianTimePast`).

import { concat, Reader, reading, same, toNumberLE } from "./bytes.js";
import { readBitcoinHeader } from "./ledger/bitcoin.js";
import {
  badHeader, cheapWork, early, encoding, fewConfirmations, order, otherBlock, otherSet,
} from "./verdict.js";

/** @typedef {{ target_limit_bits: number, floor_bits: number, retargets: boolean, confirmations: number }} WorkParams */
/** @typedef {import("./ledger/bitcoin.js").BitcoinHeader} BitcoinHeader */
/** @typedef {{ number: bigint, header: BitcoinHeader }} WorkSet */

const RETARGET_BLOCKS = 2_016n;
const TIMESPAN_SECONDS = 14n * 24n * 60n * 60n;
/** Bytes of a header without its parent. */
const HEADER_BYTES = 48;
const VERSION_BYTES = 4;
/** Blocks before a block whose median time is a lower bound for its own. */
const MEDIAN_BLOCKS = 11;
/** Largest allowed difference to the client's clock. */
const EARLY_SECONDS = 7_200n;
const SAFE_INTEGER_MAX = BigInt(Number.MAX_SAFE_INTEGER);
const U256_MAX = (1n << 256n) - 1n;

/** Expands a compact target, an exponent of 256 and the three highest bytes; null if zero, negative, above 256 bits or
 * not canonical. @param {number} bits @returns {bigint | null} */
export function targetOf(bits) {
  const [exponent, high, middle, low] = [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff);
  // a highest byte of 80 or more would read as negative, and takes a byte of zero before it
  if (!((high >= 1 && high < 0x80) || (high === 0 && middle >= 0x80))) return null;
  let target = 0n;
  for (const [distance, byte] of [[1, high], [2, middle], [3, low]]) {
    const place = exponent - distance;
    if (byte > 0 && (place < 0 || place > 31)) return null;
    if (byte > 0) target |= BigInt(byte) << BigInt(8 * place);
  }
  return target;
}

/** A number's compact form, with only the three highest bytes. @param {bigint} target @returns {number} */
export function compactOf(target) {
  let digits = target === 0n ? "" : target.toString(16);
  if (digits.length % 2 === 1) digits = `0${digits}`;
  // one byte of zero before a highest one that would read as negative
  if (digits !== "" && parseInt(digits.slice(0, 2), 16) >= 0x80) digits = `00${digits}`;
  return (digits.length / 2) * 2 ** 24 + parseInt(digits.slice(0, 6).padEnd(6, "0"), 16);
}

/** Target of the next 2,016 blocks in compact form: adjusted by the seconds that the last ones took, limited to a quarter
 * and four times the target time, and never easier than the limit. @param {number} bits @param {bigint} takenSeconds
 * @param {number} limitBits @returns {number | null} null for bits that are no target */
export function retargeted(bits, takenSeconds, limitBits) {
  const [least, most] = [TIMESPAN_SECONDS / 4n, TIMESPAN_SECONDS * 4n];
  const taken = takenSeconds < least ? least : takenSeconds > most ? most : takenSeconds;
  const [before, limit] = [targetOf(bits), targetOf(limitBits)];
  if (before === null || limit === null) return null;
  // a target past 233 bits would not fit, and is past any limit of a chain that adjusts
  const product = before * taken;
  const scaled = product > U256_MAX ? limit : product / TIMESPAN_SECONDS;
  return compactOf(scaled < limit ? scaled : limit);
}

/** Headers in a row, each checked: target, time, work. */
class HeaderLine {
  /** Begins with the first header of a period. @param {WorkParams} params @param {WorkSet} set */
  constructor(params, { number, header }) {
    this.params = params;
    this.number = number;
    this.first = header;
    this.last = header;
    this.times = [header.time];
    this.floor = targetOf(params.floor_bits);
  }

  /** Takes the next header, without its parent. @param {Uint8Array} bytes @param {bigint} now */
  take(bytes, now) {
    const number = this.number + 1n;
    const header = reading("headers", () =>
      readBitcoinHeader(concat(bytes.subarray(0, VERSION_BYTES), this.last.hash, bytes.subarray(VERSION_BYTES))));
    const begins = number % RETARGET_BLOCKS === 0n;
    if (header.bits !== this.due(begins)) throw badHeader(number, "its target is not the one that is due");
    const median = this.median();
    if (median !== null && header.time <= median) {
      throw badHeader(number, "its time is not later than the median of the eleven before");
    }
    const at = BigInt(header.time);
    if (at > now + EARLY_SECONDS) throw early(at);
    const target = targetOf(header.bits);
    if (target === null || toNumberLE(header.hash) > target) throw badHeader(number, "its hash is above its target");
    if (this.floor === null || target > this.floor) throw cheapWork(number);
    this.times = [...this.times, header.time].slice(-MEDIAN_BLOCKS);
    if (begins) this.first = header;
    this.number = number;
    this.last = header;
  }

  /** Target that the next header must have. @param {boolean} begins whether it begins a period */
  due(begins) {
    if (!begins || !this.params.retargets) return this.last.bits;
    const taken = BigInt(Math.max(0, this.last.time - this.first.time));
    return retargeted(this.last.bits, taken, this.params.target_limit_bits);
  }

  /** Median time of the eleven last blocks; null where fewer are known. */
  median() {
    if (this.times.length < MEDIAN_BLOCKS) return null;
    return [...this.times].sort((one, other) => one - other)[MEDIAN_BLOCKS >> 1];
  }
}

/** @param {Uint8Array} bytes @returns {Uint8Array[]} */
function headersIn(bytes) {
  const headers = [];
  for (let at = 0; at < bytes.length; at += HEADER_BYTES) headers.push(bytes.subarray(at, at + HEADER_BYTES));
  return headers;
}

/** @param {bigint} number */
const periodOf = (number) => number / RETARGET_BLOCKS;

/** @type {import("./rules.js").SetRules<WorkParams, WorkSet>} */
export const work = {
  decode(params, bytes) {
    const { number, header } = reading("set", () => {
      const reader = new Reader(bytes);
      return { number: reader.u64(), header: readBitcoinHeader(reader.rest()) };
    });
    const begins = number % RETARGET_BLOCKS === 0n || !params.retargets;
    if (!begins || number > SAFE_INTEGER_MAX) throw order("the number is not a multiple of 2,016");
    return { number, header };
  },
  id: (set) => set.header.hash,
  number: (set) => periodOf(set.number),
  begins: () => null,
  trustedUntil: () => null,

  /** Headers from the one behind the set's to the last that confirms the block. */
  check(params, set, { number, hash }, body, now) {
    const [needed, held] = [periodOf(number), periodOf(set.number)];
    if (needed !== held) throw otherSet(needed, held);
    const headers = headersIn(body);
    const last = set.number + BigInt(headers.length);
    const got = last > number ? last - number : 0n;
    const expected = BigInt(params.confirmations);
    if (number > last || got < expected) throw fewConfirmations(got, expected);
    if (got > expected) throw encoding("headers behind the last confirmation");
    const line = new HeaderLine(params, set);
    let found = number === set.number ? set.header.hash : null;
    for (const header of headers) {
      line.take(header, now);
      if (line.number === number) found = line.last.hash;
    }
    if (found === null) throw encoding("headers");
    if (!same(found, hash)) throw otherBlock(found, hash);
    const log2 = 256 - (targetOf(line.last.bits)?.toString(2).length ?? 256);
    return { at: BigInt(line.last.time), by: `${expected} blocks of 2^${log2} hashes each` };
  },

  /** All headers up to the first of the next period. */
  advance(params, set, step, now) {
    const { from, headers } = reading("step", () => {
      const reader = new Reader(step);
      return { from: reader.u64(), headers: reader.rest() };
    });
    if (from !== set.number) throw otherSet(periodOf(from), periodOf(set.number));
    const toNext = RETARGET_BLOCKS - (from % RETARGET_BLOCKS);
    if (BigInt(headers.length) !== toNext * BigInt(HEADER_BYTES)) throw encoding("step");
    const line = new HeaderLine(params, set);
    for (const header of headersIn(headers)) line.take(header, now);
    return { number: line.number, header: line.last };
  },
};
