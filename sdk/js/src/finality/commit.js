// @ts-check
// Kind 16, commit: validators of a CometBFT chain sign each block by voting power. Kind 17 has equal sets and commits with
// other keys. A set is the header of a height and its validators; a trusted set shows any later height by skipping:
// validators with more than a third of its power are among the signers. Sources: CometBFT `light/verifier.go`,
// `types/validation.go`, `types/validator_set.go`; GHSA-6jrf-4jv4-r9mw for counting by key alone.

import { Reader, need, readOrNull, reading, same, toHex } from "./bytes.js";
import { ED25519_KEY_BYTES, isSignedByEd25519 } from "./ed25519.js";
import { precommitBytes, readCosmosHeader, validatorsHash } from "./ledger/cosmos.js";
import { readVarint } from "./ledger/protobuf.js";
import { leastAboveTwoThirds, setBits } from "./quorum.js";
import {
  badHeader, badKey, badSignature, branch, early, encoding, expired, fewSigners, order, otherBlock, otherNumber,
  otherSet,
} from "./verdict.js";

/** @typedef {{ chain_id: string, set_blocks: number, trusted_seconds: number }} CommitParams */
/** @typedef {import("./ledger/cosmos.js").CosmosHeader} CosmosHeader */
/** Signature scheme of validators: bytes of a key, its field in message `PublicKey`, and whether a signature is valid
 * (null for an invalid key). @typedef {{ bytes: number, field: number,
 *   isSigned: (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean | null }} KeyScheme */
/** @typedef {{ key: Uint8Array, power: bigint }} Validator */
/** @typedef {{ members: Validator[], powers: Map<string, bigint>, total: bigint }} ValidatorList */
/** @typedef {{ index: number, time: bigint, signature: Uint8Array }} Vote */
/** Header with its validators and their votes. @typedef {{ header: CosmosHeader, round: bigint, partCount: bigint,
 *   partsHash: Uint8Array, validators: ValidatorList, votes: Vote[] }} Commit */
/** @typedef {{ header: CosmosHeader, number: bigint, validators: ValidatorList }} CommitSet */

const VALIDATORS_MAX = 512;
const SIGNATURE_BYTES = 64;
const ROUND_MAX = 0x7fff_ffff;
/** `MaxTotalVotingPower`. */
const POWER_MAX = ((1n << 63n) - 1n) / 8n;
/** Most seconds of a header's time past the client's clock. */
const DRIFT_SECONDS = 10n;

/** @type {KeyScheme} */
const ED25519 = { bytes: ED25519_KEY_BYTES, field: 1, isSigned: isSignedByEd25519 };

/** Validators in their order, at least one, each once and with power. @param {Validator[]} members
 * @returns {ValidatorList} */
function listOf(members) {
  const powers = new Map();
  let total = 0n;
  for (const { key, power } of members) {
    total += power;
    if (power === 0n || total > POWER_MAX) throw encoding("validators");
    const name = toHex(key);
    if (powers.has(name)) throw order("a validator is named twice");
    powers.set(name, power);
  }
  return { members, powers, total };
}

/** @param {KeyScheme} scheme @param {Reader} reader @returns {ValidatorList} */
function readValidators(scheme, reader) {
  return listOf(reading("validators", () => {
    const count = reader.u16();
    need(count >= 1 && count <= VALIDATORS_MAX);
    return Array.from({ length: count }, () => ({ key: reader.bytes(scheme.bytes), power: readVarint(reader) }));
  }));
}

/** Bits by validator, then a vote a bit, and nothing else. @param {Reader} reader @param {number} count @returns {Vote[]} */
function readVotes(reader, count) {
  const indices = setBits(reader.bytes(Math.ceil(count / 8)), count);
  need(indices);
  const votes = indices.map((index) => ({ index, time: reader.u64(), signature: reader.bytes(SIGNATURE_BYTES) }));
  reader.end();
  return votes;
}

/** @param {KeyScheme} scheme @param {CosmosHeader} header @param {ValidatorList} validators */
function checkValidators(scheme, header, validators) {
  const isUnder = same(validatorsHash(validators.members, scheme.field), header.validatorsHash);
  if (!isUnder) throw branch("list of validators");
}

/** @param {Uint8Array} bytes */
const readHeader = (bytes) => reading("header", () => readCosmosHeader(bytes));

/** Reads a body or a step; its validators are under its header. @param {KeyScheme} scheme @param {Uint8Array} bytes
 * @returns {Commit} */
export function readCommit(scheme, bytes) {
  const reader = new Reader(bytes);
  const header = readHeader(reading("commit", () => reader.long()));
  const { round, partCount, partsHash } = reading("commit", () => {
    const round = reader.u32();
    need(round <= ROUND_MAX);
    return { round: BigInt(round), partCount: BigInt(reader.u32()), partsHash: reader.hash() };
  });
  const validators = readValidators(scheme, reader);
  const votes = reading("commit", () => readVotes(reader, validators.members.length));
  checkValidators(scheme, header, validators);
  return { header, round, partCount, partsHash, validators, votes };
}

/** Height of a commit's header, unchecked; null for a malformed one. @param {Uint8Array} bytes @returns {bigint | null} */
export const heightOf = (bytes) => readOrNull(() => readCosmosHeader(new Reader(bytes).long()).height);

/** @param {CommitParams} params @param {CosmosHeader} header */
function checkChain(params, header) {
  if (header.chainId !== params.chain_id) throw badHeader(header.height, "the chain id is another");
}

/** Number of the set whose header is the last at or below a height. @param {CommitParams} params @param {bigint} height */
const setOf = (params, height) => height / BigInt(params.set_blocks);

/** @param {CommitParams} params @param {CosmosHeader} header @param {ValidatorList} validators @returns {CommitSet} */
function setAt(params, header, validators) {
  checkChain(params, header);
  if (header.height % BigInt(params.set_blocks) !== 0n) throw order("the header's height is not that of a set");
  return { header, number: setOf(params, header.height), validators };
}

/** Last whole second within the period: the header's nanoseconds do not count.
 * @param {CommitSet} set @param {CommitParams} params */
const endOf = (set, params) => set.header.seconds + BigInt(params.trusted_seconds) - 1n;

/** Whether the header is of the next height, whose validators the set's header names. @param {CommitSet} set
 * @param {CosmosHeader} header */
const isNext = (set, header) => set.header.height + 1n === header.height;

/** @param {CommitParams} params @param {CommitSet} set @param {CosmosHeader} header */
function checkHeight(params, set, header) {
  if (header.height < set.header.height) throw otherSet(setOf(params, header.height), set.number);
  if (header.height === set.header.height && !same(header.hash, set.header.hash)) {
    throw otherBlock(header.hash, set.header.hash);
  }
  if (isNext(set, header) && !same(header.validatorsHash, set.header.nextValidatorsHash)) {
    throw branch("validators of the next height");
  }
}

/** @param {CommitParams} params @param {CommitSet} set @param {CosmosHeader} header @param {bigint} now */
function checkTime(params, set, header, now) {
  const own = set.header;
  if (now > endOf(set, params)) throw expired(own.seconds, BigInt(params.trusted_seconds));
  if (header.seconds >= now + DRIFT_SECONDS) throw early(header.seconds);
  const rises = header.seconds > own.seconds || (header.seconds === own.seconds && header.nanos > own.nanos);
  if (header.height > own.height && !rises) throw order("the header's time does not rise");
}

/** @param {KeyScheme} scheme @param {CommitParams} params @param {Commit} commit */
function checkVotes(scheme, params, { header, round, partCount, partsHash, validators, votes }) {
  for (const { index, time, signature } of votes) {
    const id = { hash: header.hash, partCount, partsHash };
    const message = precommitBytes(params.chain_id, header.height, round, id, time);
    const isValid = scheme.isSigned(validators.members[index].key, message, signature);
    if (isValid === null) throw badKey(index);
    if (!isValid) throw badSignature();
  }
}

/** Checks a commit of the set's height or a later one. @param {KeyScheme} scheme @param {CommitParams} params
 * @param {CommitSet} set @param {Commit} commit @param {bigint} now @returns {import("./rules.js").SetSignature} */
export function checkCommit(scheme, params, set, commit, now) {
  const { header, validators, votes } = commit;
  checkChain(params, header);
  checkHeight(params, set, header);
  checkTime(params, set, header, now);
  const signers = votes.map(({ index }) => validators.members[index]);
  const own = signers.reduce((sum, { power }) => sum + power, 0n);
  const quorum = leastAboveTwoThirds(validators.total);
  if (own < quorum) throw fewSigners(own, validators.total, quorum);
  const trusted = signers.reduce((sum, { key }) => sum + (set.validators.powers.get(toHex(key)) ?? 0n), 0n);
  const overlap = set.validators.total / 3n + 1n;
  if (trusted < overlap && !isNext(set, header)) throw fewSigners(trusted, set.validators.total, overlap);
  checkVotes(scheme, params, commit);
  const by = `${own} of ${validators.total} of the voting power at height ${header.height}`;
  return { at: header.seconds, by };
}

/** Sets and steps of a CometBFT chain with these keys; the check is the kind's own.
 * @param {KeyScheme} scheme @returns {Omit<import("./rules.js").SetRules<CommitParams, CommitSet>, "check">} */
export const commitSets = (scheme) => ({
  decode(params, bytes) {
    const reader = new Reader(bytes);
    const header = readHeader(reading("set", () => reader.long()));
    const validators = readValidators(scheme, reader);
    reading("set", () => reader.end());
    checkValidators(scheme, header, validators);
    return setAt(params, header, validators);
  },
  id: (set) => set.header.hash,
  number: (set) => set.number,
  begins: (set) => set.header.seconds,
  trustedUntil: endOf,

  /** Commit of the next set's header. */
  advance(params, set, step, now) {
    const commit = readCommit(scheme, step);
    const number = setOf(params, commit.header.height);
    if (number !== set.number + 1n) throw otherSet(number > 0n ? number - 1n : 0n, set.number);
    checkCommit(scheme, params, set, commit, now);
    return setAt(params, commit.header, commit.validators);
  },
});

/** @type {import("./rules.js").SetRules<CommitParams, CommitSet>} */
export const commit = {
  ...commitSets(ED25519),

  check(params, set, { number, hash }, body, now) {
    const read = readCommit(ED25519, body);
    const { header } = read;
    if (!same(header.hash, hash)) throw otherBlock(header.hash, hash);
    if (header.height !== number) throw otherNumber(header.height, number);
    return checkCommit(ED25519, params, set, read, now);
  },
};
