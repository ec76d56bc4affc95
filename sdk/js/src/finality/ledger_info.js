// @ts-check
// Kind 1b, ledger info: validators of Aptos sign the accumulator root after a block. Evidence may be a later ledger info of
// the same epoch, with a path: roots of perfect subtrees up to an earlier version give the earlier root, and lead to the
// signed one. That a version ends a block, and the block's number, stand in no ledger info. Sources: aptos-core
// `types/src/{ledger_info,block_info,waypoint,trusted_state,validator_verifier,aggregate_signature}.rs`,
// `crates/aptos-bitvec`, `types/src/proof/definition.rs`.
//
// body, step length:u32 ‖ signed ‖ (version:u64 ‖ node:32 ‖ sibling:32*)?
// signed     00 ‖ ledger info ‖ count ‖ bits ‖ 01 ‖ 60 ‖ signature:96

import { isSignedByMembers, MEMBER_SIGNATURE_BYTES, validMemberKey } from "./bls.js";
import { need, Reader, reading, same } from "./bytes.js";
import {
  DEPTH_MAX, endOf, PLACEHOLDER, readEpochEnd, readLedgerInfo, rootOfFrozen, rootOfPath, signedBytes, VALIDATORS_MAX,
  waypoint,
} from "./ledger/aptos.js";
import { BcsReader } from "./ledger/bcs.js";
import { leastAboveTwoThirds, setBits } from "./quorum.js";
import { badKey, badSignature, branch, early, encoding, expired, fewSigners, order, otherBlock, otherSet } from "./verdict.js";

/** @typedef {{ trusted_seconds: number }} LedgerInfoParams */
/** @typedef {import("./ledger/aptos.js").EpochEnd} EpochEnd */
/** @typedef {import("./ledger/aptos.js").LedgerInfo} LedgerInfo */
/** Validators of an epoch, named by the end of the epoch before. @typedef {{ id: Uint8Array, epoch: bigint, asOf: bigint,
 *   members: { key: import("./bls.js").MemberKey, power: bigint }[], total: bigint }} LedgerInfoSet */
/** The accumulator after an earlier version. @typedef {{ version: bigint, node: Uint8Array, siblings: Uint8Array[] }}
 *   EarlierRoot */
/** @typedef {{ info: LedgerInfo, bits: Uint8Array, signature: Uint8Array, earlier: EarlierRoot | null }}
 *   SignedLedgerInfo */

const SECOND_US = 1_000_000n;

/** @param {Uint8Array} bytes @returns {EarlierRoot} */
function readEarlier(bytes) {
  const reader = new Reader(bytes);
  const [version, node] = [reader.u64(), reader.hash()];
  need(reader.left <= DEPTH_MAX * 32);
  const siblings = [];
  while (reader.left > 0) siblings.push(reader.hash());
  return { version, node, siblings };
}

/** @param {Uint8Array} body @returns {SignedLedgerInfo} */
const readBody = (body) => reading("ledger info", () => {
  const outer = new Reader(body);
  const reader = new BcsReader(outer.long());
  need(reader.u8() === 0);
  const info = readLedgerInfo(reader);
  const bits = reader.counted();
  need(bits.length <= VALIDATORS_MAX / 8 && reader.flag());
  const signature = reader.counted();
  need(signature.length === MEMBER_SIGNATURE_BYTES);
  reader.end();
  return { info, bits, signature, earlier: outer.left > 0 ? readEarlier(outer.rest()) : null };
});

/** @param {bigint} value @returns {number} lowest bits that are 1 */
const trailingOnes = (value) => /1*$/.exec(value.toString(2))?.[0].length ?? 0;

/** The earlier root and the signed one; null unless the version is before `last` and the path has the depth of an
 * accumulator that ends with `last`. @param {EarlierRoot} earlier @param {bigint} last */
function rootsOf({ version, node, siblings }, last) {
  const height = trailingOnes(version);
  const depth = last.toString(2).length;
  if (version >= last || siblings.length !== depth - height) return null;
  const index = version >> BigInt(height);
  const left = siblings.filter((_, level) => (index >> BigInt(level)) & 1n).reverse();
  const roots = { earlier: rootOfFrozen(version + 1n, [...left, node]), signed: rootOfPath(node, index, siblings) };
  return roots.earlier && roots.signed ? { earlier: roots.earlier, signed: roots.signed } : null;
}

/** Hash of the block that the ledger info is about, by root and path. @param {SignedLedgerInfo} signed */
function blockRoot({ info, earlier }) {
  if (same(info.root, PLACEHOLDER)) throw order("the ledger info is of a block before execution");
  if (!earlier) return info.root;
  const roots = rootsOf(earlier, info.version);
  if (!roots) throw encoding("path");
  if (!same(roots.signed, info.root)) throw branch("earlier version");
  return roots.earlier;
}

/** Set of the epoch behind an end. @param {EpochEnd} end @returns {LedgerInfoSet} */
function setBehind(end) {
  if (end.epoch + 1n !== end.next.epoch) throw order("the named epoch does not follow");
  const total = end.next.validators.reduce((sum, { power }) => sum + power, 0n);
  if (total === 0n || total >= 1n << 64n) throw encoding("voting power");
  const members = end.next.validators.map(({ key: bytes, power }, index) => {
    const key = validMemberKey(bytes);
    if (!key) throw badKey(index);
    return { key, power };
  });
  return { id: waypoint(end), epoch: end.next.epoch, asOf: end.timestampUs / SECOND_US, members, total };
}

/** @param {LedgerInfoSet} set @param {LedgerInfoParams} params */
const trustedUntil = (set, params) => set.asOf + BigInt(params.trusted_seconds);

/** @param {LedgerInfoParams} params @param {LedgerInfoSet} set @param {LedgerInfo} info @param {bigint} now */
function checkTime(params, set, info, now) {
  if (info.epoch !== set.epoch) throw otherSet(info.epoch, set.epoch);
  if (now > trustedUntil(set, params)) throw expired(set.asOf, BigInt(params.trusted_seconds));
  const at = info.timestampUs / SECOND_US;
  if (at > now) throw early(at);
  return at;
}

/** A byte's bits in the other order: the first validator has the highest bit. @param {number} byte */
const reversed = (byte) => [0, 1, 2, 3, 4, 5, 6, 7].reduce((bits, at) => bits | (((byte >> at) & 1) << (7 - at)), 0);

/** Checks the signature. @param {LedgerInfoSet} set @param {SignedLedgerInfo} signed @returns {bigint} voting power of the
 * signers */
function checkSignature({ members, total }, { info, bits, signature }) {
  const isWhole = bits.length === Math.ceil(members.length / 8);
  const indices = isWhole ? setBits(bits.map(reversed), members.length) : null;
  if (!indices) throw encoding("signers");
  const signers = indices.map((index) => members[index]);
  const power = signers.reduce((sum, member) => sum + member.power, 0n);
  const quorum = leastAboveTwoThirds(total);
  if (power < quorum) throw fewSigners(power, total, quorum);
  if (!isSignedByMembers(signers.map(({ key }) => key), signedBytes(info), signature)) throw badSignature();
  return power;
}

/** @type {import("./rules.js").SetRules<LedgerInfoParams, LedgerInfoSet>} */
export const ledgerInfo = {
  decode: (_, bytes) => setBehind(reading("end of an epoch", () => readEpochEnd(bytes))),
  id: (set) => set.id,
  number: (set) => set.epoch,
  begins: (set) => set.asOf,
  trustedUntil,

  check(params, set, { hash }, body, now) {
    const signed = readBody(body);
    const at = checkTime(params, set, signed.info, now);
    const got = blockRoot(signed);
    if (!same(got, hash)) throw otherBlock(got, hash);
    const power = checkSignature(set, signed);
    return { at, by: `${power} of ${set.total} of the voting power of epoch ${signed.info.epoch}` };
  },

  /** Last ledger info of the epoch. */
  advance(params, set, step, now) {
    const signed = readBody(step);
    checkTime(params, set, signed.info, now);
    blockRoot(signed);
    checkSignature(set, signed);
    if (signed.earlier) throw encoding("step");
    const end = endOf(signed.info);
    if (!end) throw order("the ledger info does not end its epoch");
    return setBehind(end);
  },
};
