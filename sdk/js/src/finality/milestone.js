// @ts-check
// Kind 17, milestone: Heimdall's validators, on a CometBFT chain, finalize blocks of Polygon PoS in Heimdall's state. Sets,
// steps and commits are as in kind 16, with keys of secp256k1. The header at height h has the state after height h - 1.
// Sources: 0xPolygon/heimdall-v2 `x/milestone/types/keys.go`, `x/milestone/keeper/keeper.go`,
// `x/milestone/types/milestone.pb.go`; 0xPolygon/cometbft `crypto/secp256k1/secp256k1.go`.
//
// body       length:u32 ‖ commit ‖ number:u64 ‖ length:u32 ‖ milestone ‖ path ‖ stores

import { concat, need, Reader, reading, same, textOf, u64, utf8 } from "./bytes.js";
import { checkCommit, commitSets, readCommit } from "./commit.js";
import { keccak256 } from "./hash.js";
import { Fields } from "./ledger/protobuf.js";
import { readIavlPath, readStorePath, rootOfStores, storeRoot } from "./milestone_store.js";
import { isSignedBySecp256k1, UNCOMPRESSED_KEY_BYTES } from "./secp256k1.js";
import { badHeader, branch, otherBlock, otherNumber } from "./verdict.js";

/** `bor_chain`: chain id in milestones. @typedef {{ heimdall: import("./commit.js").CommitParams, bor_chain: number }}
 *   MilestoneParams */
/** @typedef {{ endBlock: bigint, hash: Uint8Array, chainId: string | null }} Milestone */
/** @typedef {import("./commit.js").CommitSet} CommitSet */

const MILESTONE_BYTES_MAX = 1_024;
const MILESTONE_PREFIX = Uint8Array.of(0x81);
const STORE = utf8("milestone");

/** Signatures are over Keccak-256. @type {import("./commit.js").KeyScheme} */
const SECP256K1 = {
  bytes: UNCOMPRESSED_KEY_BYTES,
  field: 3,
  isSigned: (key, message, signature) => isSignedBySecp256k1(key, keccak256(message), signature),
};

/** @param {Uint8Array} body */
const readBody = (body) => reading("body", () => {
  const reader = new Reader(body);
  const [commit, number, milestone] = [reader.long(), reader.u64(), reader.long()];
  need(milestone.length <= MILESTONE_BYTES_MAX);
  const read = { commit, number, milestone, path: readIavlPath(reader), stores: readStorePath(reader) };
  reader.end();
  return read;
});

/** Reads a whole message `Milestone`. @param {Uint8Array} bytes @returns {Milestone} */
const readMilestone = (bytes) => reading("milestone", () => {
  const fields = new Fields(bytes);
  fields.bytes(1);
  fields.number(2);
  const endBlock = fields.number(3);
  const hash = fields.hash(4);
  const chainId = textOf(fields.bytes(5));
  fields.bytes(6);
  fields.number(7);
  fields.number(8);
  fields.end();
  return { endBlock, hash, chainId };
});

/** Compares a milestone with the stated block. @param {MilestoneParams} params @param {Uint8Array} bytes
 * @param {import("./rules.js").Block} block */
function checkMilestone(params, bytes, { number, hash }) {
  const milestone = readMilestone(bytes);
  if (!same(milestone.hash, hash)) throw otherBlock(milestone.hash, hash);
  if (milestone.endBlock !== number) throw otherNumber(milestone.endBlock, number);
  const isOwn = milestone.chainId === String(params.bor_chain);
  if (!isOwn) throw badHeader(number, "the milestone's chain id is another");
}

/** Checks a milestone against the root over all stores. @param {ReturnType<typeof readBody>} body
 * @param {Uint8Array} appHash */
function checkState({ number, milestone, path, stores }, appHash) {
  const root = reading("path of the milestone", () =>
    rootOfStores(stores, STORE, storeRoot(path, concat(MILESTONE_PREFIX, u64(number)), milestone)));
  if (!same(root, appHash)) throw branch("milestone");
}

const sets = commitSets(SECP256K1);

/** @type {import("./rules.js").SetRules<MilestoneParams, CommitSet>} */
export const milestone = {
  decode: (params, bytes) => sets.decode(params.heimdall, bytes),
  id: sets.id,
  number: sets.number,
  begins: (set, params) => sets.begins(set, params.heimdall),
  trustedUntil: (set, params) => sets.trustedUntil(set, params.heimdall),

  check(params, set, block, body, now) {
    const read = readBody(body);
    checkMilestone(params, read.milestone, block);
    const commit = readCommit(SECP256K1, read.commit);
    checkState(read, commit.header.appHash);
    const { at, by } = checkCommit(SECP256K1, params.heimdall, set, commit, now);
    return { at, by: `${by} of Heimdall, whose milestone ${read.number} ends with block ${block.number}` };
  },

  /** Commit of the next set's header. */
  advance: (params, set, step, now) => sets.advance(params.heimdall, set, step, now),
};
