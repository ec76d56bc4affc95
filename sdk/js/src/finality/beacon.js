// @ts-check
// Kind 10, beacon: the sync committee of a beacon chain (Ethereum, Gnosis) signs a header whose state names a finalized one,
// whose body names an execution block. Of the block its hash alone is shown. Sources: ethereum/consensus-specs
// `specs/{altair,capella,deneb,electra,gloas}/light-client/sync-protocol.md`.
//
// signed     attested:112 ‖ finalized:112 ‖ branch ‖ bits ‖ signature:96 ‖ signature_slot:u64
// body       signed ‖ block_hash:32 ‖ branch
// step       signed ‖ committee ‖ branch

import { isSignedByMembers, isSumOf, MEMBER_KEY_BYTES, MEMBER_SIGNATURE_BYTES, readMemberKey } from "./bls.js";
import { concat, fromHex, Reader, reading, same, saturated } from "./bytes.js";
import { sha256 } from "./hash.js";
import { setBits } from "./quorum.js";
import { depthOf, isUnder, node, numberLeaf, rootOf } from "./ssz.js";
import {
  badKey, badSignature, branch, early, encoding, expired, fewSigners, noRules, order, otherBlock, otherSet,
} from "./verdict.js";

/** @typedef {"capella" | "deneb" | "electra" | "gloas"} BeaconLayout */
/** `version`: four bytes in hex. @typedef {{ epoch: number, version: string, layout: BeaconLayout }} BeaconFork */
/** Forks rise by epoch, from Capella on; `genesis_validators_root` is hex.
 * @typedef {{ genesis_validators_root: string, genesis_time: number, slot_seconds: number, epoch_slots: number,
 *   period_epochs: number, members: number, forks: BeaconFork[], trusted_seconds: number }} BeaconParams */
/** @typedef {{ slot: bigint, stateRoot: Uint8Array, bodyRoot: Uint8Array, root: Uint8Array }} BeaconHeader */
/** @typedef {{ attested: BeaconHeader, finalized: BeaconHeader, finalityBranch: Uint8Array[], bits: Uint8Array,
 *   signature: Uint8Array, signatureSlot: bigint }} SignedHeader */
/** @typedef {{ period: bigint, id: Uint8Array, keys: import("./bls.js").MemberKey[] }} BeaconSet */
/** @typedef {{ finalizedRoot: number, nextCommittee: number, blockHash: number }} LayoutIndices */

/** Generalised indices: finalized root and next committee in the state, block hash in the body (from Gloas on that of the
 * parent). @type {Record<BeaconLayout, LayoutIndices>} */
const LAYOUTS = {
  capella: { finalizedRoot: 105, nextCommittee: 55, blockHash: 412 },
  deneb: { finalizedRoot: 105, nextCommittee: 55, blockHash: 812 },
  electra: { finalizedRoot: 169, nextCommittee: 87, blockHash: 812 },
  gloas: { finalizedRoot: 735, nextCommittee: 2_946, blockHash: 2_856 },
};
const SYNC_COMMITTEE_DOMAIN = Uint8Array.of(7, 0, 0, 0);

/** Rules at a slot; null before Capella. @param {BeaconParams} params @param {bigint} slot */
const forkAt = (params, slot) =>
  params.forks.filter((fork) => BigInt(fork.epoch) <= slot / BigInt(params.epoch_slots)).at(-1) ?? null;

/** @param {BeaconParams} params @param {bigint} slot @returns {LayoutIndices} */
function layoutAt(params, slot) {
  const fork = forkAt(params, slot);
  if (!fork) throw noRules(slot);
  return LAYOUTS[fork.layout];
}

/** Slots of a period. @param {BeaconParams} params */
const periodSlots = (params) => BigInt(params.epoch_slots) * BigInt(params.period_epochs);

/** @param {BeaconParams} params @param {bigint} slot */
const periodOf = (params, slot) => slot / periodSlots(params);

/** @param {BeaconParams} params @param {bigint} slot @returns {bigint} seconds since 1970 */
const timeOf = (params, slot) =>
  saturated(BigInt(params.genesis_time) + saturated(slot * BigInt(params.slot_seconds)));

/** Begin of a period. @param {BeaconParams} params @param {bigint} period */
const beginOf = (params, period) => timeOf(params, saturated(period * periodSlots(params)));

/** @param {Reader} reader @returns {BeaconHeader} */
function readHeader(reader) {
  const [slot, proposer] = [reader.u64le(), reader.u64le()];
  const [parent, stateRoot, bodyRoot] = [reader.hash(), reader.hash(), reader.hash()];
  const root = rootOf([numberLeaf(slot), numberLeaf(proposer), parent, stateRoot, bodyRoot,
    ...Array(3).fill(new Uint8Array(32))]);
  return { slot, stateRoot, bodyRoot, root };
}

/** @param {Reader} reader @param {number} index @returns {Uint8Array[]} */
const readBranch = (reader, index) => Array.from({ length: depthOf(index) }, () => reader.hash());

/** @param {BeaconParams} params @param {Reader} reader @returns {SignedHeader} */
function readSigned(params, reader) {
  const attested = reading("attested header", () => readHeader(reader));
  const finalized = reading("finalized header", () => readHeader(reader));
  const index = layoutAt(params, attested.slot).finalizedRoot;
  const finalityBranch = reading("finality branch", () => readBranch(reader, index));
  const bits = reading("bits", () => reader.bytes(Math.ceil(params.members / 8)));
  const signature = reading("signature", () => reader.bytes(MEMBER_SIGNATURE_BYTES));
  const signatureSlot = reading("signature slot", () => reader.u64());
  return { attested, finalized, finalityBranch, bits, signature, signatureSlot };
}

/** @param {BeaconParams} params @param {Uint8Array} body */
function readBody(params, body) {
  const reader = new Reader(body);
  const signed = readSigned(params, reader);
  const blockHash = reading("block hash", () => reader.hash());
  const index = layoutAt(params, signed.finalized.slot).blockHash;
  const blockBranch = reading("block branch", () => readBranch(reader, index));
  reading("bytes behind the evidence", () => reader.end());
  return { signed, blockHash, blockBranch };
}

/** @param {BeaconParams} params @param {Uint8Array} step */
function readStep(params, step) {
  const reader = new Reader(step);
  const signed = readSigned(params, reader);
  const committee = reading("committee", () => reader.bytes((params.members + 1) * MEMBER_KEY_BYTES));
  const index = layoutAt(params, signed.attested.slot).nextCommittee;
  const committeeBranch = reading("committee branch", () => readBranch(reader, index));
  reading("bytes behind the step", () => reader.end());
  return { signed, committee, committeeBranch };
}

/** Keys of a serialized committee, the aggregate last. @param {BeaconParams} params @param {Uint8Array} bytes */
const keysIn = (params, bytes) => reading("committee", () => {
  const reader = new Reader(bytes);
  const keys = Array.from({ length: params.members + 1 }, () => reader.bytes(MEMBER_KEY_BYTES));
  reader.end();
  return keys;
});

/** `hash_tree_root` of a committee. @param {Uint8Array[]} keys the aggregate last */
function committeeRoot(keys) {
  const leaves = keys.map((key) => sha256(key, new Uint8Array(16)));
  return node(rootOf(leaves.slice(0, -1)), leaves[leaves.length - 1]);
}

/** A committee whose aggregate is the sum of its keys. @param {BeaconParams} params @param {bigint} period
 * @param {Uint8Array[]} encoded the aggregate last @param {Uint8Array} id @returns {BeaconSet} */
function setOf(params, period, encoded, id) {
  const keys = encoded.slice(0, -1).map((bytes, index) => {
    const key = readMemberKey(bytes);
    if (!key) throw badKey(index);
    return key;
  });
  if (!isSumOf(keys, encoded[encoded.length - 1])) throw badKey(params.members);
  return { period, id, keys };
}

/** Message of a header, by the version of the slot before the signature: the signed block is older than the signature.
 * @param {BeaconParams} params @param {Uint8Array} root @param {bigint} signatureSlot */
function signingRoot(params, root, signatureSlot) {
  const fork = forkAt(params, signatureSlot - 1n);
  if (!fork) throw noRules(signatureSlot);
  const version = concat(fromHex(fork.version), new Uint8Array(28));
  const domain = sha256(version, fromHex(params.genesis_validators_root)).subarray(0, 28);
  return node(root, concat(SYNC_COMMITTEE_DOMAIN, domain));
}

/** Set bits: at least two thirds, and none past the members. @param {BeaconParams} params @param {Uint8Array} bits */
function signersOf(params, bits) {
  const signers = setBits(bits, params.members);
  if (!signers) throw encoding("bits");
  const quorum = Math.ceil((2 * params.members) / 3);
  if (signers.length < quorum) throw fewSigners(signers.length, params.members, quorum);
  return signers;
}

/** Checks slots and times. @param {BeaconParams} params @param {BeaconSet} set @param {SignedHeader} signed
 * @param {bigint} now */
function checkTime(params, set, { attested, finalized, signatureSlot }, now) {
  const falls = signatureSlot > attested.slot && attested.slot >= finalized.slot && finalized.slot > 0n;
  if (!falls) throw order("the slots of signature, attested and finalized header do not fall, or are 0");
  const at = timeOf(params, signatureSlot);
  if (at > now) throw early(at);
  const needed = periodOf(params, signatureSlot);
  if (needed !== set.period) throw otherSet(needed, set.period);
  const end = beginOf(params, set.period + 1n);
  const seconds = BigInt(params.trusted_seconds);
  if (now > end + seconds) throw expired(end, seconds);
  return at;
}

/** Checks times, finality branch and signature. @param {BeaconParams} params @param {BeaconSet} set
 * @param {SignedHeader} signed @param {bigint} now @returns {{ at: bigint, signers: number }} */
function checkSigned(params, set, signed, now) {
  const at = checkTime(params, set, signed, now);
  const { attested, finalized, finalityBranch, bits, signature, signatureSlot } = signed;
  const index = layoutAt(params, attested.slot).finalizedRoot;
  if (!isUnder(attested.stateRoot, finalized.root, index, finalityBranch)) throw branch("finalized header");
  const signers = signersOf(params, bits);
  const message = signingRoot(params, attested.root, signatureSlot);
  if (!isSignedByMembers(signers.map((signer) => set.keys[signer]), message, signature)) throw badSignature();
  return { at, signers: signers.length };
}

/** @type {import("./rules.js").SetRules<BeaconParams, BeaconSet>} */
export const beacon = {
  decode(params, bytes) {
    const reader = new Reader(bytes);
    const period = reading("period", () => reader.u64());
    const keys = keysIn(params, reader.rest());
    return setOf(params, period, keys, committeeRoot(keys));
  },
  id: (set) => set.id,
  number: (set) => set.period,
  begins: (set, params) => beginOf(params, set.period),
  trustedUntil: (set, params) => saturated(beginOf(params, set.period + 1n) + BigInt(params.trusted_seconds)),

  check(params, set, { hash }, body, now) {
    const { signed, blockHash, blockBranch } = readBody(params, body);
    const { at, signers } = checkSigned(params, set, signed, now);
    const index = layoutAt(params, signed.finalized.slot).blockHash;
    if (!isUnder(signed.finalized.bodyRoot, blockHash, index, blockBranch)) throw branch("block hash");
    if (!same(blockHash, hash)) throw otherBlock(blockHash, hash);
    return { at, by: `${signers} of ${params.members} of the sync committee of period ${set.period}` };
  },

  /** The committee of the next period, out of a header of the set's own. */
  advance(params, set, step, now) {
    const { signed, committee, committeeBranch } = readStep(params, step);
    checkSigned(params, set, signed, now);
    const { attested, finalized } = signed;
    const isOwn = [attested, finalized].every(({ slot }) => periodOf(params, slot) === set.period);
    if (!isOwn) throw order("the headers of a step are of the period of its signers");
    const keys = keysIn(params, committee);
    const id = committeeRoot(keys);
    const index = layoutAt(params, attested.slot).nextCommittee;
    if (!isUnder(attested.stateRoot, id, index, committeeBranch)) throw branch("next committee");
    return setOf(params, set.period + 1n, keys, id);
  },
};
