// Steps and votes that no row of the vectors has, signed here.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { bls12_381 } from "@noble/curves/bls12-381.js";
import { ed25519 } from "@noble/curves/ed25519.js";

import { concat, fromHex, toNumberLE, u64, u64le, utf8 } from "../src/finality/bytes.js";
import { sha256 } from "../src/finality/hash.js";
import { advance, check, readSet } from "../src/finality/index.js";
import { authorityChange, readPolkadotHeader } from "../src/finality/ledger/polkadot.js";
import { depthOf, node, numberLeaf, rootOf } from "../src/finality/ssz.js";

const vectors = JSON.parse(readFileSync(new URL("../../../vectors/finality/finality.json", import.meta.url), "utf8"));
const ZERO = new Uint8Array(32);
const made = (seed) => sha256(Uint8Array.of(seed));
const u32 = (value) => u64(BigInt(value)).subarray(4);

// -- beacon ----------------------------------------------------------------------------------------------------------------

const MEMBERS = 8;
const BEACON = {
  kind: "beacon", genesis_validators_root: `0x${"51".repeat(32)}`, genesis_time: 0, slot_seconds: 2, epoch_slots: 8, period_epochs: 12,
  members: MEMBERS, forks: [{ epoch: 0, version: "05000051", layout: "electra" }], trusted_seconds: 1_000_000,
};
const [FINALIZED, NEXT] = [169, 87];
const { fields: { Fr }, G1, longSignatures } = bls12_381;
const committeeOf = (first) => {
  const pairs = Array.from({ length: MEMBERS }, (_, at) => longSignatures.keygen(concat(made(first + at), new Uint8Array(16))));
  const sum = pairs.reduce((total, { publicKey }) => total.add(publicKey), G1.Point.ZERO);
  const keys = [...pairs.map(({ publicKey }) => publicKey.toBytes()), sum.toBytes()];
  const leaves = keys.map((key) => sha256(key, new Uint8Array(16)));
  const secret = pairs.reduce((total, { secretKey }) => Fr.add(total, Fr.fromBytes(secretKey)), 0n);
  return { secret: Fr.toBytes(secret), bytes: concat(...keys), root: node(rootOf(leaves.slice(0, -1)), leaves[MEMBERS]) };
};
const [own, next] = [committeeOf(1), committeeOf(101)];

/** A tree of zeros but for leaves at generalised indices: a node, and the branch to a leaf. */
const treeOf = (leaves) => {
  const isAbove = (index, leaf) => leaf > index && leaf >> (depthOf(leaf) - depthOf(index)) === index;
  const valueAt = (index) => leaves.get(index) ??
    ([...leaves.keys()].some((leaf) => isAbove(index, leaf)) ? node(valueAt(2 * index), valueAt(2 * index + 1)) : ZERO);
  const branchOf = (leaf) => Array.from({ length: depthOf(leaf) }, (_, height) => valueAt((leaf >> height) ^ 1));
  return { root: valueAt(1), branchOf };
};
const headerOf = (slot, stateRoot) => ({
  bytes: concat(u64le(BigInt(slot)), u64le(0n), ZERO, stateRoot, ZERO),
  root: rootOf([numberLeaf(BigInt(slot)), numberLeaf(0n), ZERO, stateRoot, ZERO, ZERO, ZERO, ZERO]),
});

/** A step of the committee of period 5, slots 480 to 575, to the next one. */
function stepOf(finalizedSlot, attestedSlot, signatureSlot) {
  const finalized = headerOf(finalizedSlot, ZERO);
  const state = treeOf(new Map([[FINALIZED, finalized.root], [NEXT, next.root]]));
  const attested = headerOf(attestedSlot, state.root);
  const domain = sha256(concat(fromHex("05000051"), new Uint8Array(28)), fromHex(BEACON.genesis_validators_root)).subarray(0, 28);
  const message = longSignatures.hash(node(attested.root, concat(Uint8Array.of(7, 0, 0, 0), domain)),
    "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_");
  // one signature by the sum of the keys is the sum of their signatures
  const signature = longSignatures.sign(message, own.secret);
  return concat(attested.bytes, finalized.bytes, ...state.branchOf(FINALIZED), Uint8Array.of(0xff),
    longSignatures.Signature.toBytes(signature), u64(BigInt(signatureSlot)), next.bytes, ...state.branchOf(NEXT));
}

test("both headers of a step are of the period of its signers", () => {
  const { set } = readSet(BEACON, concat(u64(5n), own.bytes), own.root);
  const ofStep = (...slots) => advance(BEACON, set, stepOf(...slots), 2_000);
  const shown = ofStep(490, 500, 501);
  assert.equal(shown.verdict, "shown", shown.reason);
  assert.deepEqual([shown.set.number, shown.set.id], [6n, next.root]);
  assert.equal(ofStep(480, 481, 482).verdict, "shown", "the period's first slot");
  const reason = "the headers of a step are of the period of its signers";
  assert.equal(ofStep(479, 500, 501).reason, reason, "a finalized header of the period before");
  assert.equal(ofStep(478, 479, 480).reason, reason, "both headers of the period before");
});

// -- grandpa ---------------------------------------------------------------------------------------------------------------

test("authorities sign blocks above the one that names them", () => {
  const row = vectors.find(({ name }) => name === "grandpa: a final block");
  const params = { kind: row.kind, ...row.params };
  const bytes = fromHex(row.set);
  const header = readPolkadotHeader(bytes.subarray(8));
  // parts of a header are views of its bytes: the authorities become ours
  const authorities = authorityChange(header).next;
  const pairs = authorities.map((_, at) => ed25519.keygen(made(at)));
  authorities.forEach(({ key }, at) => key.set(pairs[at].publicKey));
  const read = readSet(params, bytes);
  assert.equal(read.verdict, "shown", read.reason);
  const [number, round] = [read.set.number, 3n];

  /** Votes of all for a block `above` that of the set, `slots` later. */
  const voted = (above, slots) => {
    const block = bytes.slice(8);
    const view = new DataView(block.buffer);
    assert.equal(block[32] & 3, 1, "a number of two bytes");
    view.setUint16(32, view.getUint16(32, true) + 4 * above, true);
    const { content } = readPolkadotHeader(block).digest.find(({ kind }) => kind === 6);
    // variant, index of the authority, slot
    content.set(u64le(toNumberLE(content.slice(5, 13)) + BigInt(slots)), 5);
    const { hash, number: height } = readPolkadotHeader(block);
    assert.equal(height, header.number + BigInt(above));
    const message = concat(Uint8Array.of(1), hash, u64le(height).subarray(0, 4), u64le(round), u64le(number));
    const votes = pairs.map(({ secretKey }) => concat(Uint8Array.of(0), ed25519.sign(message, secretKey)));
    const body = concat(u64(number), u64(round), Uint8Array.of(1), u32(block.length), block, u32(pairs.length).subarray(2),
      Uint8Array.of(2 ** pairs.length - 1), ...votes);
    const rest = concat(u64(height), hash, body);
    return { body, evidence: concat(Uint8Array.of(0x19), u32(rest.length), rest) };
  };
  const verdictsOf = ({ body, evidence }) =>
    [check(params, read.set, evidence, row.now), advance(params, read.set, body, row.now)].map(({ reason, verdict }) => reason ?? verdict);
  assert.ok(pairs.length <= 8);
  assert.deepEqual(verdictsOf(voted(1, 1)), ["shown", "shown"]);
  const reason = "the block is not above that of the set";
  assert.deepEqual(verdictsOf(voted(0, 1)), [reason, reason], "another block at the set's own number");
  assert.deepEqual(verdictsOf(voted(-1, 1)), [reason, reason]);
  const rises = "the block's time does not rise";
  assert.deepEqual(verdictsOf(voted(1, 0)), [rises, rises]);
});
