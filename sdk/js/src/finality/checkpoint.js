// @ts-check
// Kind 12, checkpoint: a committee of Sui signs each checkpoint of its epoch; the last one names the next committee. A set
// is `as_of:u64 ‖ ValidatorCommittee in BCS`. Sources: MystenLabs/sui-rust-sdk `sui-crypto` (`bls12381.rs`),
// `sui-sdk-types` (`CheckpointSummary`, `EndOfEpochData`, `signing_message`); RoaringFormatSpec.

import { concat, need, readOrNull, Reader, reading, same, U64_MAX, u64le } from "./bytes.js";
import { isSignedByStake, STAKE_KEY_BYTES, STAKE_SIGNATURE_BYTES, validStakeKey } from "./bls.js";
import { sha256 } from "./hash.js";
import { BcsReader } from "./ledger/bcs.js";
import { readSuiHeader } from "./ledger/sui.js";
import { leastAboveTwoThirds } from "./quorum.js";
import { badSignature, early, expired, fewSigners, order, otherBlock, otherSet } from "./verdict.js";

/** @typedef {{ trusted_seconds: number }} CheckpointParams */
/** @typedef {{ key: import("./bls.js").StakeKey, stake: bigint }} Member */
/** `asOf`: begin of the epoch. @typedef {{ asOf: bigint, epoch: bigint, id: Uint8Array, members: Member[], total: bigint }}
 *   CheckpointSet */
/** @typedef {{ summary: Uint8Array, signature: Uint8Array, signers: Uint8Array }} SignedSummary */

/** Signature intent: a summary, version 0, application Sui. */
const INTENT = Uint8Array.of(2, 0, 0);
const MEMBERS_MAX = 1_000;
/** Bytes of a member: a key behind its length, and a stake. */
const MEMBER_BYTES = 1 + STAKE_KEY_BYTES + 8;
const SIGNERS_BYTES_MAX = 4 << 10;
/** Cookie of a bitmap without run containers. */
const NO_RUNS = 12_346;
/** Most positions of an array container. */
const ARRAY_MAX = 4_096;
/** The first container's place: behind cookie, count, key, cardinality and offset. */
const OFFSET = 16;

/** A committee in BCS: epoch, and members with keys and stakes. @param {bigint} asOf @param {Uint8Array} bytes
 * @returns {CheckpointSet} */
function readCommittee(asOf, bytes) {
  const reader = new BcsReader(bytes);
  const epoch = reader.u64le();
  const count = reader.uleb();
  need(count >= 1 && count <= MEMBERS_MAX && reader.left === count * MEMBER_BYTES);
  const members = Array.from({ length: count }, () => {
    const key = validStakeKey(reader.counted());
    need(key);
    return { key, stake: reader.u64le() };
  });
  reader.end();
  const total = members.reduce((sum, { stake }) => sum + stake, 0n);
  need(total > 0n && total < 1n << 64n);
  return { asOf, epoch, id: sha256(bytes), members, total };
}

/** Positions of a Roaring bitmap, as the format writes at most 4,096 of them below 65,536: one array container.
 * @param {Uint8Array} bitmap @returns {number[]} */
function readPositions(bitmap) {
  const reader = new Reader(bitmap);
  const u16 = () => reader.u8() + 256 * reader.u8();
  need(reader.u32le() === NO_RUNS);
  const containers = reader.u32le();
  if (containers === 0) {
    reader.end();
    return [];
  }
  need(containers === 1 && u16() === 0);
  const count = u16() + 1;
  need(count <= ARRAY_MAX && reader.u32le() === OFFSET);
  const positions = Array.from({ length: count }, u16);
  need(positions.every((position, at) => at === 0 || positions[at - 1] < position));
  reader.end();
  return positions;
}

/** Checks that enough stake signed. @param {CheckpointSet} set @param {SignedSummary} signed */
function checkStake({ epoch, members, total }, { summary, signature, signers }) {
  const signing = reading("signers", () => {
    need(signers.length <= SIGNERS_BYTES_MAX);
    return readPositions(signers).map((position) => {
      need(position < members.length);
      return members[position];
    });
  });
  const stake = signing.reduce((sum, member) => sum + member.stake, 0n);
  const quorum = leastAboveTwoThirds(total);
  if (stake < quorum) throw fewSigners(stake, total, quorum);
  const message = concat(INTENT, summary, u64le(epoch));
  if (!isSignedByStake(signing.map(({ key }) => key), message, signature)) throw badSignature();
}

/** @param {Uint8Array} body @returns {SignedSummary} */
const readBody = (body) => reading("checkpoint", () => {
  const reader = new Reader(body);
  return { summary: reader.long(), signature: reader.bytes(STAKE_SIGNATURE_BYTES), signers: reader.rest() };
});

/** @param {import("./ledger/sui.js").SuiHeader} header */
const timeOf = (header) => header.timestampMs / 1_000n;

/** Checks a summary's signature. @param {CheckpointParams} params @param {CheckpointSet} set @param {Uint8Array} body
 * @param {bigint} now */
function verified(params, set, body, now) {
  const signed = readBody(body);
  const header = reading("summary", () => readSuiHeader(signed.summary));
  if (timeOf(header) > now) throw early(timeOf(header));
  if (header.epoch !== set.epoch) throw otherSet(header.epoch, set.epoch);
  const seconds = BigInt(params.trusted_seconds);
  if (now > set.asOf + seconds) throw expired(set.asOf, seconds);
  checkStake(set, signed);
  return header;
}

/** @type {import("./rules.js").SetRules<CheckpointParams, CheckpointSet>} */
export const checkpoint = {
  decode(_, bytes) {
    return reading("committee", () => {
      const reader = new Reader(bytes);
      return readCommittee(reader.u64(), reader.rest());
    });
  },
  id: (set) => set.id,
  number: (set) => set.epoch,
  begins: () => null,
  trustedUntil: (set, params) => set.asOf + BigInt(params.trusted_seconds),

  check(params, set, { number, hash }, body, now) {
    const header = verified(params, set, body, now);
    if (!same(header.hash, hash) || header.number !== number) throw otherBlock(header.hash, hash);
    return { at: timeOf(header), by: `two thirds of the stake of epoch ${header.epoch}` };
  },

  /** Last checkpoint of the epoch. */
  advance(params, set, step, now) {
    const header = verified(params, set, step, now);
    const [members, epoch] = [header.nextCommittee, header.epoch + 1n];
    const next = members && epoch <= U64_MAX && readOrNull(() =>
      readCommittee(timeOf(header), concat(u64le(epoch), members)));
    if (!next) throw order("the checkpoint does not end its epoch");
    return next;
  },
};
