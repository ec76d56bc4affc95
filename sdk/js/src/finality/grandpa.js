// @ts-check
// Kind 19, grandpa: authorities of Polkadot's relay chain sign a block, and with it all ancestors. A set is a number and the
// header in which the set before named the authorities; the number is under every signature. Authorities change behind
// that block, without delay; after a forced change a client pins again. No authority votes past the block that names the
// next set. Signatures are checked strictly (RFC 8032): what ZIP 215 alone accepts is left out of evidence. Sources:
// paritytech/polkadot-sdk `sc-consensus-grandpa` (`justification.rs`, `authorities.rs`), `pallet-grandpa`;
// paritytech/finality-grandpa `lib.rs`, `voter_set.rs`.
//
// set        set:u64 ‖ header
// body, step set:u64 ‖ round:u64 ‖ count:u8 ‖ (length:u32 ‖ header)*count ‖ authority_count:u16 ‖ bits ‖
//            (place:u8 ‖ signature:64)*

import { concat, need, Reader, reading, same, toHex, U64_MAX, u64le } from "./bytes.js";
import { ED25519_SIGNATURE_BYTES, isSignedByEd25519 } from "./ed25519.js";
import { authorityChange, babeSlot, readPolkadotHeader } from "./ledger/polkadot.js";
import { leastAboveTwoThirds, setBits } from "./quorum.js";
import {
  badHeader, badKey, badLink, badSignature, early, encoding, expired, fewSigners, order, otherBlock, otherNumber,
  otherSet,
} from "./verdict.js";

/** @typedef {{ slot_seconds: number, trusted_seconds: number }} GrandpaParams */
/** @typedef {import("./ledger/polkadot.js").PolkadotHeader} PolkadotHeader */
/** @typedef {import("./ledger/polkadot.js").Authority} Authority */
/** @typedef {{ number: bigint, hash: Uint8Array, block: bigint, asOf: bigint, authorities: Authority[],
 *   total: bigint }} GrandpaSet */
/** `place` of the voted header: 0 for the block. @typedef {{ index: number, place: number, signature: Uint8Array }} Vote */
/** `next`: authorities behind the block, if they change. @typedef {{ block: PolkadotHeader, next: Authority[] | null,
 *   headers: { hash: Uint8Array, number: bigint }[] }} VotedLine */
/** @typedef {{ set: bigint, round: bigint, line: VotedLine, authorityCount: number, votes: Vote[] }} GrandpaBody */

/** 600 on Polkadot. */
const AUTHORITIES_MAX = 1_024;
/** Most headers of a body: the block and descendants. */
const HEADERS_MAX = 65;
const NUMBER_MAX = 0xffff_ffffn;
/** `Message::Precommit`. */
const PRECOMMIT = Uint8Array.of(1);

/** Header, with the authorities behind the block if they change. @param {Uint8Array} bytes */
function readHeader(bytes) {
  const { header, change } = reading("header", () => {
    const header = readPolkadotHeader(bytes);
    return { header, change: authorityChange(header) };
  });
  if (change?.kind === "forced") {
    throw badHeader(header.number, "a change of authorities is forced: pin again");
  }
  if (change && change.delay !== 0) {
    throw badHeader(header.number, "a change of authorities is delayed, expected one behind the block");
  }
  return { header, next: change ? change.next : null };
}

/** @param {PolkadotHeader} header @returns {PolkadotHeader} one whose number fits in a vote */
function voted(header) {
  if (header.number > NUMBER_MAX) throw badHeader(header.number, "the number has more than 32 bits");
  return header;
}

/** A block and descendants, each the parent of the next; only the last may name authorities.
 * @param {Uint8Array[]} headers @returns {VotedLine} */
function readLine(headers) {
  if (headers.length === 0) throw encoding("header");
  const { header: block, next } = readHeader(headers[0]);
  const line = [voted(block)];
  let ends = next !== null;
  for (const [at, bytes] of headers.slice(1).entries()) {
    const above = line[line.length - 1];
    const { header, next: named } = readHeader(bytes);
    if (!same(header.parent, above.hash) || header.number !== above.number + 1n) throw badLink(at + 1);
    if (ends) throw order("a vote is for a block past the set's last");
    ends = named !== null;
    line.push(voted(header));
  }
  return { block, next, headers: line };
}

/** Bits by authority, then a vote a bit, and nothing else; the last header has a vote. @param {Reader} reader
 * @param {number} authorityCount @param {number} headerCount @returns {Vote[]} */
function readVotes(reader, authorityCount, headerCount) {
  need(authorityCount <= AUTHORITIES_MAX);
  const indices = setBits(reader.bytes(Math.ceil(authorityCount / 8)), authorityCount);
  need(indices);
  const votes = indices.map((index) => (
    { index, place: reader.u8(), signature: reader.bytes(ED25519_SIGNATURE_BYTES) }));
  reader.end();
  const last = votes.reduce((most, { place }) => Math.max(most, place), 0);
  need(last + 1 === headerCount);
  return votes;
}

/** @param {Uint8Array} bytes @returns {GrandpaBody} */
function readBody(bytes) {
  const { headers, ...rest } = reading("votes", () => {
    const reader = new Reader(bytes);
    const [set, round, count] = [reader.u64(), reader.u64(), reader.u8()];
    need(count <= HEADERS_MAX);
    const headers = Array.from({ length: count }, () => reader.long());
    const authorityCount = reader.u16();
    return { headers, set, round, authorityCount, votes: readVotes(reader, authorityCount, count) };
  });
  return { ...rest, line: readLine(headers) };
}

/** Begin of the header's slot. @param {GrandpaParams} params @param {PolkadotHeader} header */
function timeOf(params, header) {
  const slot = babeSlot(header);
  const time = slot === null ? null : slot * BigInt(params.slot_seconds);
  if (time === null || time > U64_MAX) throw badHeader(header.number, "the digest has no slot of BABE");
  return time;
}

/** All weight of authorities: at least one, each once and with weight. @param {Authority[]} authorities */
function totalOf(authorities) {
  if (authorities.length < 1 || authorities.length > AUTHORITIES_MAX) throw encoding("authorities");
  const keys = new Set();
  let total = 0n;
  for (const { key, weight } of authorities) {
    total += weight;
    if (weight === 0n || total > U64_MAX) throw encoding("authorities");
    if (keys.has(toHex(key))) throw order("an authority is named twice");
    keys.add(toHex(key));
  }
  return total;
}

/** Set behind a block that names authorities. @param {GrandpaParams} params @param {bigint} number
 * @param {PolkadotHeader} header @param {Authority[] | null} next @returns {GrandpaSet} */
function setBehind(params, number, header, next) {
  if (!next) throw badHeader(header.number, "the block names no next authorities");
  const asOf = timeOf(params, header);
  return { number, hash: header.hash, block: header.number, asOf, authorities: next, total: totalOf(next) };
}

/** @param {GrandpaSet} set @param {GrandpaParams} params */
const endOf = (set, params) => set.asOf + BigInt(params.trusted_seconds);

/** @param {GrandpaSet} set @param {GrandpaBody} body */
function checkVotes(set, { round, line, votes }) {
  for (const { index, place, signature } of votes) {
    const { hash, number } = line.headers[place];
    const message = concat(PRECOMMIT, hash, u64le(number).subarray(0, 4), u64le(round), u64le(set.number));
    const isValid = isSignedByEd25519(set.authorities[index].key, message, signature);
    if (isValid === null) throw badKey(index);
    if (!isValid) throw badSignature();
  }
}

/** Checks votes for a block of this set: its time, and the weight that signed. @param {GrandpaParams} params
 * @param {GrandpaSet} set @param {GrandpaBody} body @param {bigint} now */
function checked(params, set, body, now) {
  const { block } = body.line;
  if (body.set !== set.number) throw otherSet(body.set, set.number);
  if (block.number <= set.block) throw order("the block is not above that of the set");
  if (now > endOf(set, params)) throw expired(set.asOf, BigInt(params.trusted_seconds));
  const at = timeOf(params, block);
  if (at > now) throw early(at);
  if (at <= set.asOf) throw order("the block's time does not rise");
  if (body.authorityCount !== set.authorities.length) throw encoding("bits of the authorities");
  const weight = body.votes.reduce((sum, { index }) => sum + set.authorities[index].weight, 0n);
  const quorum = leastAboveTwoThirds(set.total);
  if (weight < quorum) throw fewSigners(weight, set.total, quorum);
  checkVotes(set, body);
  return { at, weight };
}

/** @type {import("./rules.js").SetRules<GrandpaParams, GrandpaSet>} */
export const grandpa = {
  decode(params, bytes) {
    const reader = new Reader(bytes);
    const number = reading("set", () => reader.u64());
    const { header, next } = readHeader(reader.rest());
    return setBehind(params, number, header, next);
  },
  id: (set) => set.hash,
  number: (set) => set.number,
  begins: (set) => set.asOf,
  trustedUntil: endOf,

  check(params, set, { number, hash }, body, now) {
    const read = readBody(body);
    const { block } = read.line;
    if (!same(block.hash, hash)) throw otherBlock(block.hash, hash);
    if (block.number !== number) throw otherNumber(block.number, number);
    const { at, weight } = checked(params, set, read, now);
    return { at, by: `${weight} of ${set.total} of the weight of authority set ${set.number}` };
  },

  /** Votes for the set's last block, which names the next authorities. */
  advance(params, set, step, now) {
    const read = readBody(step);
    checked(params, set, read, now);
    if (read.set === U64_MAX) throw encoding("set");
    return setBehind(params, read.set + 1n, read.line.block, read.line.next);
  },
};
