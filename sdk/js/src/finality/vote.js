// @ts-check
// Kind 14, vote: validators of BNB Smart Chain vote for a block and its child together, in a later header. A vote from a
// block to its child makes the block final; a vote from further below finalizes nothing, and is no evidence. A set signs
// from a few blocks after its epoch's begin to as many after the next begin. Sources: BEP-126, BEP-590; bnb-chain/bsc
// `consensus/parlia` (`snapshot.go`, `parlia.go`), `core/types/vote.go`.

import { isSignedByMembers, MEMBER_KEY_BYTES, MEMBER_SIGNATURE_BYTES, validMemberKey } from "./bls.js";
import { compare, concat, need, Reader, reading, same } from "./bytes.js";
import { keccak256 } from "./hash.js";
import { readEvmHeader } from "./ledger/evm.js";
import { follow, readLink } from "./link.js";
import { badKey, badSignature, early, encoding, expired, fewSigners, order, otherBlock, otherSet } from "./verdict.js";

/** `rule` is that of all headers. @typedef {{ rule: number, epoch_blocks: number, trusted_seconds: number }} VoteParams */
/** @typedef {import("./ledger/evm.js").EvmHeader} EvmHeader */
/** First header of an epoch, with its validators; `end` is the first target of the next set. Keys are read when they
 * sign. @typedef {{ hash: Uint8Array, block: bigint, epoch: bigint, asOf: bigint, keys: Uint8Array[], end: bigint }}
 *   VoteSet */
/** @typedef {{ epoch: bigint, bits: bigint, signature: Uint8Array, target: Uint8Array, header: EvmHeader }} SignedVote */

/** Most validators of a set, one per bit of a vote. */
const VALIDATORS_MAX = 64;
const VANITY_BYTES = 32;
const SEAL_BYTES = 65;
const ADDRESS_BYTES = 20;
const MEMBER_BYTES = ADDRESS_BYTES + MEMBER_KEY_BYTES;

/** Validators in an epoch header's extra data:
 * `vanity:32 ‖ count:u8 ‖ (address:20 ‖ key:48)* ‖ turn:u8 ‖ vote ‖ seal:65`.
 * @param {Uint8Array} extra @returns {{ keys: Uint8Array[], turn: number }} */
function readValidators(extra) {
  const members = reading("validators", () => {
    need(extra.length >= VANITY_BYTES + SEAL_BYTES);
    const reader = new Reader(extra.subarray(VANITY_BYTES, extra.length - SEAL_BYTES));
    const count = reader.u8();
    const read = Array.from({ length: count }, () => reader.bytes(MEMBER_BYTES));
    const turn = reader.u8();
    need(count >= 1 && count <= VALIDATORS_MAX && turn > 0);
    return { read, turn };
  });
  const addresses = members.read.map((member) => member.subarray(0, ADDRESS_BYTES));
  // bits count the validators by address
  const rises = addresses.every((address, at) => at === 0 || compare(addresses[at - 1], address) < 0);
  if (!rises) throw order("the validators' addresses do not rise");
  return { keys: members.read.map((member) => member.subarray(ADDRESS_BYTES)), turn: members.turn };
}

/** @param {VoteParams} params @param {Uint8Array} bytes an epoch header @returns {VoteSet} */
function readSet(params, bytes) {
  const header = reading("epoch header", () => readEvmHeader(params.rule, bytes));
  const blocks = BigInt(params.epoch_blocks);
  const block = header.number;
  if (block % blocks !== 0n) throw order("the header does not begin an epoch");
  const { keys, turn } = readValidators(header.extraData);
  const behind = BigInt((Math.floor(keys.length / 2) + 1) * turn);
  const hash = keccak256(bytes);
  return { hash, block, epoch: block / blocks, asOf: header.timestamp, keys, end: block + blocks + behind };
}

/** @param {VoteParams} params @param {Uint8Array} body @returns {SignedVote} */
function readVote(params, body) {
  const vote = reading("vote", () => {
    const reader = new Reader(body);
    const [epoch, bits] = [reader.u64(), reader.u64()];
    return { epoch, bits, signature: reader.bytes(MEMBER_SIGNATURE_BYTES), target: reader.rest() };
  });
  const header = reading("header of the target", () => readEvmHeader(params.rule, vote.target));
  return { ...vote, header };
}

/** A number of at most eight bytes in RLP. @param {bigint} value @returns {Uint8Array} */
function rlpOf(value) {
  const bytes = [];
  for (let rest = value; rest > 0n; rest >>= 8n) bytes.unshift(Number(rest & 0xffn));
  const isOwn = value > 0n && value < 0x80n;
  return Uint8Array.from(isOwn ? bytes : [0x80 + bytes.length, ...bytes]);
}

/** Signed message: Keccak-256 of the RLP list of both numbers and hashes.
 * @param {import("./rules.js").Block[]} blocks source and target */
function messageOf(blocks) {
  const hashPrefix = Uint8Array.of(0x80 + 32);
  const items = concat(...blocks.flatMap(({ number, hash }) => [rlpOf(number), hashPrefix, hash]));
  // two hashes and two numbers: 68 to 84 bytes
  return keccak256(Uint8Array.of(0xf8, items.length), items);
}

/** Indices of the voters. @param {VoteSet} set @param {bigint} bits @returns {number[]} */
function votersOf(set, bits) {
  const of = set.keys.length;
  if (bits >> BigInt(of) !== 0n) throw encoding("bits past the validators");
  const voters = set.keys.map((_, index) => index).filter((index) => (bits >> BigInt(index)) & 1n);
  const quorum = Math.ceil((2 * of) / 3);
  if (voters.length < quorum) throw fewSigners(voters.length, of, quorum);
  return voters;
}

/** Checks a vote for a block. @param {VoteParams} params @param {VoteSet} set @param {import("./rules.js").Block} source
 * @param {SignedVote} vote @param {bigint} now @returns {import("./rules.js").SetSignature} */
function checked(params, set, source, { epoch, bits, signature, target, header }, now) {
  if (epoch !== set.epoch) throw otherSet(epoch, set.epoch);
  if (source.number + 1n !== header.number) throw order("the target's number does not follow");
  if (!same(header.parentHash, source.hash)) throw otherBlock(header.parentHash, source.hash);
  if (header.number <= set.block || header.number >= set.end) throw order("the target is not of the set's epoch");
  if (header.timestamp > now) throw early(header.timestamp);
  const seconds = BigInt(params.trusted_seconds);
  if (now > set.asOf + seconds) throw expired(set.asOf, seconds);
  const voters = votersOf(set, bits);
  const keys = voters.map((index) => {
    const key = validMemberKey(set.keys[index]);
    if (!key) throw badKey(index);
    return key;
  });
  const message = messageOf([source, { number: header.number, hash: keccak256(target) }]);
  if (!isSignedByMembers(keys, message, signature)) throw badSignature();
  return { at: header.timestamp, by: `${voters.length} of ${set.keys.length} validators of epoch ${set.epoch}` };
}

/** @type {import("./rules.js").SetRules<VoteParams, VoteSet>} */
export const vote = {
  decode: readSet,
  id: (set) => set.hash,
  number: (set) => set.epoch,
  begins: (set) => set.asOf,
  trustedUntil: (set, params) => set.asOf + BigInt(params.trusted_seconds),

  check: (params, set, block, body, now) => checked(params, set, block, readVote(params, body), now),

  /** Next epoch's header, final by a vote of this set for it or for a block behind it. */
  advance(params, set, step, now) {
    const { link, body } = reading("step", () => {
      const reader = new Reader(step);
      return { link: readLink(reader.long()), body: reader.rest() };
    });
    const signed = readVote(params, body);
    if (signed.header.number === 0n) throw encoding("step");
    const source = { number: signed.header.number - 1n, hash: signed.header.parentHash };
    checked(params, set, source, signed, now);
    const below = follow(link, params.rule, 0n, source);
    const last = link.at(-1);
    if (!last) throw encoding("step");
    const next = readSet(params, last.header);
    if (next.epoch !== set.epoch + 1n || next.block - 1n !== below.number) {
      throw order("the header is not the next epoch's");
    }
    return next;
  },
};
