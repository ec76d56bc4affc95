// @ts-check
// Kind 18, producers: the 27 elected producers of Tron build on a block. A block id is a hash of the raw header alone, so a
// buried header shows its producer and not the key that signed it: a step takes a producer's key where it is the producer's
// own address, or the key of the list before. Sources: java-tron `BlockCapsule`, `DposService.updateSolidBlock`,
// `MaintenanceManager.applyBlock`.
//
// set        number:u64 ‖ count:u8 ‖ (producer:20 ‖ key:20)*
// body, step length:u16 ‖ header ‖ signature:65 ‖ (place:u8 ‖ length:u16 ‖ rest of a header ‖ signature:65)*

import { compare, concat, fromHex, need, Reader, reading, same, toHex, u64 } from "./bytes.js";
import { sha256 } from "./hash.js";
import { readTronHeader } from "./ledger/tron.js";
import { isCanonical, signingAddress } from "./secp256k1.js";
import {
  badHeader, badSignature, early, encoding, expired, fewSigners, order, otherBlock, otherNumber, otherSet,
} from "./verdict.js";

/** Seconds from a set to the next, and blocks behind a set's first whose producers are the set.
 * @typedef {{ set_seconds: number, window_blocks: number, trusted_seconds: number }} ProducerParams */
/** `keys`: addresses of signing keys by producer, in hex. @typedef {{ number: bigint, id: Uint8Array,
 *   keys: Map<string, string> }} ProducerSet */
/** A header with a signature that is not checked yet; no producer without an address.
 * @typedef {{ header: import("./ledger/tron.js").TronHeader, producer: string | null, digest: Uint8Array,
 *   signature: Uint8Array }} RunBlock */

const EVIDENCE_BLOCKS_MAX = 64;
const STEP_BLOCKS_MAX = 160;
const PRODUCERS_MAX = 27;
/** Least producers that build on a final block. */
const QUORUM = 19;
/** Least members of a set. */
const MEMBERS_MIN = 23;
const ADDRESS_BYTES = 20;
const ADDRESS_MARK = 0x41;
const SIGNATURE_BYTES = 65;
/** A step's blocks before the window: the last in a set's time and the first in the next. */
const BEFORE_WINDOW = 2;

/** The next raw header: whole at first, then without the parent's id at its first place. @param {Reader} reader
 * @param {Uint8Array | undefined} parent @returns {Uint8Array} */
function readRaw(reader, parent) {
  if (!parent) return reader.bytes(reader.u16());
  const place = reader.u8();
  const rest = reader.bytes(reader.u16());
  need(place <= rest.length);
  const raw = concat(rest.subarray(0, place), parent, rest.subarray(place));
  for (let at = 0; at < place; at++) {
    need(!same(raw.subarray(at, at + parent.length), parent));
  }
  return raw;
}

/** @param {RunBlock["header"]} header @param {RunBlock["header"] | undefined} parent */
function checkChild(header, parent) {
  if (!parent) return;
  if (parent.number + 1n !== header.number) throw badHeader(header.number, "the number does not follow");
  if (!same(header.parent, parent.id)) throw badHeader(header.number, "the parent is another");
  if (header.timestampMs <= parent.timestampMs) throw badHeader(header.number, "the time does not rise");
}

/** Reads up to `max` headers, each the child of the one before and later. @param {Uint8Array} bytes @param {number} max
 * @returns {RunBlock[]} */
function readRun(bytes, max) {
  const reader = new Reader(bytes);
  /** @type {RunBlock[]} */
  const blocks = [];
  while (reader.left > 0) {
    const parent = blocks.at(-1)?.header;
    const { raw, signature, header } = reading("headers", () => {
      need(blocks.length < max);
      const raw = readRaw(reader, parent?.id);
      return { raw, signature: reader.bytes(SIGNATURE_BYTES), header: readTronHeader(raw) };
    });
    checkChild(header, parent);
    if (!isCanonical(signature)) throw badSignature();
    const { witness } = header;
    const isAddress = witness.length === ADDRESS_BYTES + 1 && witness[0] === ADDRESS_MARK;
    const producer = isAddress ? toHex(witness.subarray(1)) : null;
    blocks.push({ header, producer, digest: sha256(raw), signature });
  }
  return blocks;
}

/** @param {RunBlock} block */
const secondsOf = ({ header }) => header.timestampMs / 1_000n;

/** Address of the signing key. @param {RunBlock} block @returns {string} */
function signerOf({ digest, signature }) {
  const address = signingAddress(digest, signature);
  if (!address) throw badSignature();
  return toHex(address);
}

/** Checks that 19 members signed, each counted once; keys are recovered until then. @param {ProducerSet} set
 * @param {RunBlock[]} blocks */
function checkQuorum({ keys }, blocks) {
  const named = new Set();
  for (const { producer } of blocks) if (producer && keys.has(producer)) named.add(producer);
  if (named.size < QUORUM) throw fewSigners(named.size, keys.size, QUORUM);
  const signed = new Set();
  for (const block of blocks) {
    const key = block.producer && keys.get(block.producer);
    if (!key || signed.size >= QUORUM || signed.has(block.producer)) continue;
    if (signerOf(block) === key) signed.add(block.producer);
  }
  if (signed.size < QUORUM) throw fewSigners(signed.size, keys.size, QUORUM);
}

/** Producers of a window, each with its first key that is its own address or the one of before.
 * @param {ProducerSet} before @param {RunBlock[]} window @returns {Map<string, string>} */
function keysBehind(before, window) {
  /** @type {Map<string, string>} */
  const keys = new Map();
  for (const block of window) {
    const { producer } = block;
    if (!producer || keys.has(producer)) continue;
    const key = signerOf(block);
    if (key === producer || before.keys.get(producer) === key) keys.set(producer, key);
  }
  if (keys.size < MEMBERS_MIN) throw fewSigners(keys.size, PRODUCERS_MAX, MEMBERS_MIN);
  if (keys.size > PRODUCERS_MAX) throw order("more than 27 producers made the window");
  return keys;
}

/** Bytes of a set, producers rising. @param {bigint} number @param {Map<string, string>} keys */
function setBytes(number, keys) {
  const members = [...keys].sort(([one], [other]) => (one < other ? -1 : 1));
  const hex = members.map(([producer, key]) => producer.slice(2) + key.slice(2)).join("");
  return concat(u64(number), Uint8Array.of(keys.size), fromHex(hex));
}

/** @param {ProducerParams} params @param {bigint} seconds */
const setAt = (params, seconds) => seconds / BigInt(params.set_seconds);

/** @param {ProducerSet} set @param {ProducerParams} params */
const beginOf = (set, params) => set.number * BigInt(params.set_seconds);

/** @param {ProducerSet} set @param {ProducerParams} params */
const endOf = (set, params) => beginOf(set, params) + BigInt(params.trusted_seconds);

/** Compares the last header's time with the clock. @param {ProducerParams} params @param {ProducerSet} set
 * @param {RunBlock[]} blocks @param {bigint} now @returns {bigint} that time */
function checkTime(params, set, blocks, now) {
  const at = secondsOf(blocks[blocks.length - 1]);
  if (at > now) throw early(at);
  if (now > endOf(set, params)) throw expired(beginOf(set, params), BigInt(params.trusted_seconds));
  return at;
}

/** @param {Reader} reader @returns {Map<string, string>} */
function readKeys(reader) {
  const pairs = reading("producers", () => {
    const count = reader.u8();
    need(count >= MEMBERS_MIN && count <= PRODUCERS_MAX);
    return Array.from({ length: count }, () => [reader.bytes(ADDRESS_BYTES), reader.bytes(ADDRESS_BYTES)]);
  });
  const rises = pairs.every(([producer], at) => at === 0 || compare(pairs[at - 1][0], producer) < 0);
  if (!rises) throw order("producers do not rise");
  return new Map(pairs.map(([producer, key]) => [toHex(producer), toHex(key)]));
}

/** @type {import("./rules.js").SetRules<ProducerParams, ProducerSet>} */
export const producers = {
  decode(_, bytes) {
    const reader = new Reader(bytes);
    const number = reading("set", () => reader.u64());
    const keys = readKeys(reader);
    reading("set", () => reader.end());
    return { number, id: sha256(bytes), keys };
  },
  id: (set) => set.id,
  number: (set) => set.number,
  begins: beginOf,
  trustedUntil: endOf,

  /** Headers from the block's on, of the set's time or later. */
  check(params, set, { number, hash }, body, now) {
    const blocks = readRun(body, EVIDENCE_BLOCKS_MAX);
    if (blocks.length === 0) throw encoding("headers");
    const [first] = blocks;
    if (!same(first.header.id, hash)) throw otherBlock(first.header.id, hash);
    if (first.header.number !== number) throw otherNumber(first.header.number, number);
    const needed = setAt(params, secondsOf(first));
    if (needed < set.number) throw otherSet(needed, set.number);
    const at = checkTime(params, set, blocks, now);
    checkQuorum(set, blocks);
    return { at, by: `${QUORUM} of ${set.keys.size} producers of day ${set.number}` };
  },

  /** Producers behind the next set's first block, under blocks by this set. */
  advance(params, set, step, now) {
    const blocks = readRun(step, STEP_BLOCKS_MAX);
    if (blocks.length < BEFORE_WINDOW) throw encoding("step");
    const [before, first] = blocks;
    const number = setAt(params, secondsOf(first));
    if (setAt(params, secondsOf(before)) >= number) throw order("the second header does not begin a set");
    if (number !== set.number + 1n) throw otherSet(number > 0n ? number - 1n : 0n, set.number);
    checkTime(params, set, blocks, now);
    const windowEnd = BEFORE_WINDOW + params.window_blocks;
    checkQuorum(set, blocks.slice(windowEnd));
    const keys = keysBehind(set, blocks.slice(BEFORE_WINDOW, windowEnd));
    return { number, id: sha256(setBytes(number, keys)), keys };
  },
};
