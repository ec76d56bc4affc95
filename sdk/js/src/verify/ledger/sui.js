// @ts-check
// Levels 1 and 2 of the Sui family: checkpoints, their contents, and a transaction's effects and events.
// docs/protocol/sui.md.

import { blake2b256, utf8 } from "../hash.js";
import { Fault, match, need } from "../reader.js";
import { BcsReader } from "./bcs.js";
import { bindsAll, shownEntry } from "./shown.js";

const BYTES_MAX = 8 * 2 ** 20;
const GAS_BYTES = 32;
const [DIGEST_BYTES, MEMBER_BYTES, KEY_BYTES] = [33, 105, 96];
const REFERENCE_BYTES = 32 + 8 + DIGEST_BYTES;
const EVENT_BYTES_MIN = 32 + 2 + 32 + 32 + 2 + 2 + 1 + 1;
/** Bytes of an object's owner, by variant. */
const OWNER_BYTES = [32, 32, 8, 0, 40];

/** @typedef {import("./index.js").Subject} Subject */
/** @typedef {import("./index.js").Header & { number: bigint, timestamp: bigint, parentHash: Uint8Array,
 *   contentDigest: Uint8Array, epoch: bigint, networkTotalTransactions: bigint, timestampMs: bigint,
 *   nextCommittee: Uint8Array | null }} Header `nextCommittee`: its members in BCS, where the checkpoint ends its epoch */
/** @typedef {{ package: Uint8Array, module: string, sender: Uint8Array, type: string, contents: Uint8Array }} MoveEvent */
/** The contents of the checkpoint, and what of a transaction in them the proof has.
 * @typedef {{ contents: Uint8Array, transaction: Uint8Array | null, effects: Uint8Array | null,
 *   events: Uint8Array | null }} Entry */
/** @typedef {{ transaction: Uint8Array, effects: Uint8Array }} Listed digests */

/** @param {string} name of a type @param {Uint8Array} bytes */
const digestOf = (name, bytes) => blake2b256(utf8(`${name}::`), bytes);

/** @param {BcsReader} reader */
function skipCommitments(reader) {
  for (let left = reader.count(DIGEST_BYTES); left > 0; left--) {
    need(reader.uleb() <= 1, "an unknown commitment of a checkpoint");
    reader.digest();
  }
}

/** @param {BcsReader} reader */
function readCommittee(reader) {
  const begin = reader.at;
  for (let left = reader.count(MEMBER_BYTES); left > 0; left--) {
    need(reader.blob().length === KEY_BYTES, "a key of another length");
    reader.bytes(8);
  }
  const members = reader.all.subarray(begin, reader.at);
  reader.bytes(8);
  skipCommitments(reader);
  return members;
}

/** Reads a checkpoint summary whole. @param {number} _ @param {Uint8Array} bytes @returns {Header} */
export function readHeader(_, bytes) {
  const reader = new BcsReader(bytes, "summary");
  const [epoch, number, networkTotalTransactions] = [reader.u64le(), reader.u64le(), reader.u64le()];
  const contentDigest = reader.digest();
  const previous = reader.option(() => reader.digest());
  reader.bytes(GAS_BYTES);
  const timestampMs = reader.u64le();
  skipCommitments(reader);
  const nextCommittee = reader.option(() => readCommittee(reader));
  reader.blob();
  reader.end();
  need((previous === null) === (number === 0n), "the first checkpoint alone has no previous one");
  return {
    hash: digestOf("CheckpointSummary", bytes), number, timestamp: timestampMs / 1000n, timestampMs,
    parentHash: previous ?? new Uint8Array(32), contentDigest, epoch, networkTotalTransactions, nextCommittee,
  };
}

/** Reads contents whole. @param {Uint8Array} bytes @returns {Listed[]} */
export function readContents(bytes) {
  const reader = new BcsReader(bytes, "contents");
  const version = reader.uleb();
  need(version <= 1, "contents of an unknown version");
  /** @type {Listed[]} */
  const listed = [];
  const count = reader.count(2 * DIGEST_BYTES);
  for (let at = 0; at < count; at++) {
    listed.push({ transaction: reader.digest(), effects: reader.digest() });
    if (version === 0) continue;
    for (let left = reader.count(2); left > 0; left--) {
      reader.blob();
      reader.option(() => reader.bytes(8));
    }
  }
  if (version === 0) {
    need(reader.count(1) === count, "signatures are not of as many transactions");
    for (let at = 0; at < count; at++) for (let left = reader.count(1); left > 0; left--) reader.blob();
  }
  reader.end();
  return listed;
}

/** @param {BcsReader} reader */
function skipOwner(reader) {
  const kind = reader.uleb();
  need(kind < OWNER_BYTES.length, "an unknown owner of an object");
  reader.bytes(OWNER_BYTES[kind]);
}

/** @param {BcsReader} reader @param {number} bytes @param {boolean} [isOwned] */
function skipList(reader, bytes, isOwned) {
  for (let left = reader.count(bytes); left > 0; left--) {
    reader.bytes(bytes);
    if (isOwned) skipOwner(reader);
  }
}

/** Reads effects up to the digest of the events, null where there are none; a failed transaction has none.
 * @param {Uint8Array} bytes @returns {{ isSuccess: boolean, eventsDigest: Uint8Array | null }} */
export function readEffects(bytes) {
  const reader = new BcsReader(bytes, "effects");
  const version = reader.uleb();
  need(version <= 1, "effects of an unknown version");
  if (reader.flag()) return { isSuccess: false, eventsDigest: null };
  reader.bytes(8 + GAS_BYTES);
  if (version === 0) {
    skipList(reader, 40);
    skipList(reader, REFERENCE_BYTES);
    reader.digest();
    for (let lists = 0; lists < 3; lists++) skipList(reader, REFERENCE_BYTES, true);
    for (let lists = 0; lists < 3; lists++) skipList(reader, REFERENCE_BYTES);
    reader.bytes(REFERENCE_BYTES);
    skipOwner(reader);
  } else {
    reader.digest();
    reader.option(() => reader.bytes(4));
  }
  return { isSuccess: true, eventsDigest: reader.option(() => reader.digest()) };
}

/** Reads the events of a transaction whole. @param {Uint8Array} bytes @returns {MoveEvent[]} */
export function readEvents(bytes) {
  const reader = new BcsReader(bytes, "events");
  /** @type {MoveEvent[]} */
  const events = [];
  for (let left = reader.count(EVENT_BYTES_MIN); left > 0; left--) {
    events.push({ package: reader.hash(), module: reader.name(), sender: reader.hash(), type: reader.struct(),
      contents: reader.blob() });
  }
  reader.end();
  return events;
}

/** @param {Entry} entry @param {Listed} listed @param {Subject} subject
 * @param {import("./index.js").ShownEntry} shown */
function checkListed({ transaction, effects, events }, listed, { kind, logIndex }, shown) {
  for (const part of [transaction, effects, events]) need((part?.length ?? 0) <= BYTES_MAX, "a part is too long");
  if (transaction) {
    const hash = digestOf("TransactionData", transaction);
    match(hash, listed.transaction, "digest of the transaction");
    shown.transaction = { hash, raw: transaction };
  }
  if (!effects) throw new Fault("the effects are missing");
  match(digestOf("TransactionEffects", effects), listed.effects, "digest of the effects");
  const { eventsDigest } = readEffects(effects);
  if (kind !== "event") return;
  if (!eventsDigest || !events) throw new Fault("the transaction has no events");
  match(digestOf("TransactionEvents", events), eventsDigest, "digest of the events");
  const all = readEvents(events);
  need(logIndex < all.length, "there is no such event");
  shown.event = { kind: "move", event: all[logIndex], eventCount: all.length, transactionHash: listed.transaction };
}

/** @param {Entry} entry @param {Subject} subject @param {Header | null} header */
function checkEntry(entry, subject, header) {
  const listed = readContents(entry.contents);
  const digest = digestOf("CheckpointContents", entry.contents);
  match(digest, header?.contentDigest ?? digest, "digest of the contents");
  const shown = shownEntry({ transactionsRoot: digest, txCount: listed.length });
  const isAbsence = subject.kind === "absence";
  need(isAbsence === (subject.txIndex >= listed.length), `the contents have ${listed.length} transactions`);
  if (!isAbsence) checkListed(entry, listed[subject.txIndex], subject, shown);
  return shown;
}

/** @type {import("./index.js").Ledger<Entry, Header>} */
export const sui = {
  name: "sui",
  rules: [0x0601],
  bindsNumber: true,
  boundIndexes: bindsAll,
  showsBlock: () => true,
  readEntry(reader, { kind }, parts) {
    need(kind !== "absence" || !parts.receipt, "an absence is shown by the contents alone");
    const contents = reader.long();
    const transaction = parts.transaction && kind !== "absence" ? reader.long() : null;
    const effects = parts.receipt ? reader.long() : null;
    return { contents, transaction, effects, events: effects && kind === "event" ? reader.long() : null };
  },
  checkParts({ transaction, effects, events }, { kind }) {
    if (kind === "transaction") need(!!transaction && !!effects && !events, "a transaction is shown with its effects");
    if (kind === "event") need(!!effects && !!events, "an event is shown by effects and events");
    if (kind === "absence") need(!transaction && !effects && !events, "an absence is shown by the contents alone");
  },
  readHeader,
  checkChain() {},
  checkEntry,
};
