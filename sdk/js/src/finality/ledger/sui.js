// @ts-check
// Headers under rule 0601, a checkpoint summary in BCS: docs/protocol/sui.md.

import { need, utf8 } from "../bytes.js";
import { blake2b256 } from "../hash.js";
import { BcsReader } from "./bcs.js";

const DIGEST_BYTES = 33;
const GAS_BYTES = 32;
/** A key behind its length, and a stake. */
const MEMBER_BYTES = 105;
const KEY_BYTES = 96;
const SEED = utf8("CheckpointSummary::");

/** @typedef {{ hash: Uint8Array, epoch: bigint, number: bigint, parent: Uint8Array | null, timestampMs: bigint,
 *   nextCommittee: Uint8Array | null }} SuiHeader */

/** Skips digests over live objects or checkpoint artifacts. @param {BcsReader} reader */
function skipCommitments(reader) {
  for (let left = reader.count(DIGEST_BYTES); left > 0; left--) {
    need(reader.uleb() <= 1);
    reader.digest();
  }
}

/** Members of the next committee, in BCS. @param {BcsReader} reader @returns {Uint8Array} */
function readNextCommittee(reader) {
  const begin = reader.at;
  for (let left = reader.count(MEMBER_BYTES); left > 0; left--) {
    need(reader.counted().length === KEY_BYTES);
    reader.u64le();
  }
  const members = reader.all.subarray(begin, reader.at);
  reader.u64le();
  skipCommitments(reader);
  return members;
}

/** Reads a whole summary. @param {Uint8Array} bytes @returns {SuiHeader} */
export function readSuiHeader(bytes) {
  const reader = new BcsReader(bytes);
  const [epoch, number] = [reader.u64le(), reader.u64le()];
  reader.u64le();
  reader.digest();
  const parent = reader.flag() ? reader.digest() : null;
  reader.bytes(GAS_BYTES);
  const timestampMs = reader.u64le();
  skipCommitments(reader);
  const nextCommittee = reader.flag() ? readNextCommittee(reader) : null;
  reader.counted();
  reader.end();
  need((parent === null) === (number === 0n));
  return { hash: blake2b256(SEED, bytes), epoch, number, parent, timestampMs, nextCommittee };
}
