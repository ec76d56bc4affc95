// Certificates of the Internet Computer: made ones with delegations, and real ones of its main network, which are found
// through SUPERROOT_DATA alone.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";

import { bls12_381 } from "@noble/curves/bls12-381.js";

import { concat, fromHex, Malformed, Reader, toHex, u64, utf8 } from "../src/finality/bytes.js";
import { bytesOf, readCbor } from "../src/finality/cbor.js";
import { digestOf, readTree, valueAt } from "../src/finality/hash_tree.js";
import { sha256 } from "../src/finality/hash.js";
import { builtInSet, check, paramsOf, readSet } from "../src/finality/index.js";

const LEDGER = fromHex("00000000000000020101");
const HASH = sha256(utf8("a block"));
const NOW = 1_795_000_000n;
const params = paramsOf("icp:1");
const { shortSignatures } = bls12_381;

// -- writing --------------------------------------------------------------------------------------------------------------

const head = (major, value) => value < 24 ? Uint8Array.of((major << 5) | value)
  : Uint8Array.of((major << 5) | 25, value >> 8, value & 0xff);
const blob = (bytes) => concat(head(2, bytes.length), bytes);
const list = (...items) => concat(head(4, items.length), ...items);
const map = (members) => concat(head(5, Object.keys(members).length),
  ...Object.entries(members).flatMap(([name, value]) => [head(3, name.length), utf8(name), value]));
const number = (value) => head(0, value);
const leaf = (bytes) => list(number(3), blob(bytes));
const label = (name, below) => list(number(2), blob(typeof name === "string" ? utf8(name) : name), below);
const fork = (left, right) => list(number(1), left, right);
const pruned = (hash) => list(number(4), blob(hash));

const keyOf = (seed) => shortSignatures.keygen(concat(sha256(Uint8Array.of(seed)), new Uint8Array(16)));
const [root, subnet] = [keyOf(1), keyOf(2)];
const set = readSet(params, root.publicKey.toBytes()).set;
const DER = fromHex("308182301d060d2b0601040182dc7c0503010201060c2b0601040182dc7c05030201036100");
const SUBNET = Uint8Array.of(7, 7);

function leb128(value) {
  const bytes = [];
  for (let rest = value; rest > 0n || bytes.length === 0; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0));
  return Uint8Array.from(bytes);
}
const time = (seconds) => label("time", leaf(leb128(seconds * 1_000_000_000n)));

/** Signatures by what is signed: most certificates here share a tree. */
const signatures = new Map();
function signed(tree, { secretKey }, more = {}) {
  const signedBytes = concat(utf8("\x0dic-state-root"), digestOf(readTree(readCbor(tree))));
  const name = toHex(concat(signedBytes, secretKey));
  const signature = signatures.get(name) ??
    shortSignatures.Signature.toBytes(shortSignatures.sign(shortSignatures.hash(signedBytes), secretKey));
  signatures.set(name, signature);
  return concat(fromHex("d9d9f7"), map({ tree, signature: blob(signature), ...more }));
}

const ranges = (first, last) => concat(fromHex("d9d9f7"), list(list(blob(first), blob(last))));
const state = (data = HASH, canister = LEDGER) =>
  fork(label("canister", label(canister, label("certified_data", leaf(data)))), time(NOW));
const key = (bytes = concat(DER, subnet.publicKey.toBytes())) => label("public_key", leaf(bytes));
const WITHIN = ranges(new Uint8Array(10), new Uint8Array(10).fill(0xff));
const named = (canisters = WITHIN) => fork(
  label("subnet", label(SUBNET, fork(label("canister_ranges", leaf(canisters)), key()))), time(NOW));
const delegated = (given, tree = state()) => signed(tree, subnet,
  { delegation: map({ subnet_id: blob(SUBNET), certificate: blob(given) }) });

const evidenceOf = (body, hash = HASH, block = 5n) => {
  const rest = concat(u64(block), hash, body);
  return concat(Uint8Array.of(0x13), u64(BigInt(rest.length)).subarray(4), rest);
};
const verdictOf = (body, hash) => check(params, set, evidenceOf(body, hash), NOW);

test("a subnet signs for its canisters alone", () => {
  const direct = verdictOf(signed(state(), root));
  assert.deepEqual([direct.verdict, direct.at, direct.number], ["shown", NOW, null]);
  assert.equal(verdictOf(delegated(signed(named(), root))).verdict, "shown");
  // the form of today: lists by first canister
  const sharded = fork(label("canister_ranges", label(SUBNET, label(new Uint8Array(10), leaf(WITHIN)))),
    fork(label("subnet", label(SUBNET, key())), time(NOW)));
  assert.equal(verdictOf(delegated(signed(sharded, root))).verdict, "shown");
  const reason = (body, hash) => verdictOf(body, hash).reason;
  const before = ranges(new Uint8Array(10), fromHex("00000000000000020100"));
  assert.equal(reason(delegated(signed(named(before), root))), "the canister is not under its root");
  const nothing = fork(label("subnet", label(SUBNET, key())), time(NOW));
  assert.equal(reason(delegated(signed(nothing, root))), "the canister is not under its root");
  assert.equal(reason(delegated(signed(named(utf8("no list")), root))), "canister_ranges cannot be read");
  assert.equal(reason(delegated(signed(named(), subnet))), "the signature is not that of the set");
  assert.equal(reason(signed(state(), subnet)), "the signature is not that of the set");
  assert.equal(reason(delegated(delegated(signed(named(), root), named()))), "delegation of a delegation cannot be read");
  const short = fork(label("subnet", label(SUBNET, fork(label("canister_ranges", leaf(WITHIN)), key(subnet.publicKey.toBytes())))), time(NOW));
  assert.equal(reason(delegated(signed(short, root))), "the subnet's public key cannot be read");
  assert.equal(reason(delegated(signed(time(NOW), root))), "the subnet's public key is not under its root");
  assert.equal(reason(signed(state(HASH, fromHex("00000000000000020102")), root)),
    "the canister's certified data is not under its root");
  assert.equal(reason(signed(state(HASH.subarray(1)), root)), "certified data cannot be read");
  assert.equal(reason(signed(label("canister", leaf(HASH)), root)), "its time is not under its root");
  assert.equal(reason(signed(label("time", leaf(Uint8Array.of(0x80))), root)), "its time cannot be read");
  assert.match(reason(signed(state(), root), sha256(HASH)), /^it is about block 0x/);
  assert.equal(verdictOf(signed(fork(state(), time(NOW)), root)).verdict, "shown");
});

test("every bit of a delegated certificate counts", () => {
  const body = delegated(signed(named(), root));
  // a bit of each byte with FLIPS=all, and of every fiftieth without
  for (let at = 0; at < body.length * 8; at += process.env.FLIPS === "all" ? 9 : 401) {
    const bent = body.slice();
    bent[at >> 3] ^= 1 << (at & 7);
    const verdict = verdictOf(bent);
    assert.ok(verdict.verdict !== "shown" && !verdict.fault, `bit ${at}: ${verdict.fault?.stack}`);
  }
});

test("a tree shows what is under a path, and hides what is pruned", () => {
  const at = (tree, ...path) => valueAt(readTree(readCbor(tree)), path.map(utf8));
  const tree = fork(label("a", leaf(utf8("1"))), fork(label("c", label("d", leaf(utf8("2")))), pruned(HASH)));
  assert.deepEqual(at(tree, "a"), utf8("1"));
  assert.deepEqual(at(tree, "c", "d"), utf8("2"));
  for (const path of [[], ["b"], ["c"], ["c", "a"], ["a", "a"], ["z"]]) assert.equal(at(tree, ...path), null, path.join());
  for (const bent of [list(), list(number(0), number(0)), list(number(5), blob(HASH)), number(0), list(number(4), blob(utf8("1"))),
    list(number(1), leaf(HASH)), list(blob(HASH), leaf(HASH))]) {
    assert.throws(() => readTree(readCbor(bent)), Malformed);
  }
  let deep = leaf(HASH);
  for (let depth = 0; depth < 200; depth++) deep = label("a", deep);
  assert.throws(() => readCbor(deep), Malformed);
  // endless lengths, floats, other tags, a member twice, text that is not UTF-8, and what follows
  for (const bytes of ["9f", "f90000", "c100", "d9d9f7d9d9f700", "a2616100616100", "61ff", "0000", "9b00000000ffffffff", "", "5bffffffffffffffff"]) {
    assert.throws(() => readCbor(fromHex(bytes)), Malformed, bytes);
  }
});

const data = process.env.SUPERROOT_DATA;
test("real certificates have both signatures", { skip: data ? false : "SUPERROOT_DATA is not set" }, () => {
  const folder = join(data, "other/icp");
  const names = readdirSync(folder).filter((name) => name.endsWith(".bin"));
  assert.equal(names.length, 5);
  const own = readSet(params, builtInSet("icp:1")).set;
  for (const name of names) {
    const body = bytesOf(readCbor(new Uint8Array(readFileSync(join(folder, name)))).get("certificate"));
    const verdict = (of, by) => check(of, by, evidenceOf(body), NOW);
    // none of them is of the ledger's subnet, which is looked at behind both signatures
    assert.equal(verdict(params, own).reason, "the canister is not under its root", name);
    assert.equal(verdict(params, set).reason, "the signature is not that of the set", name);
    const isNamed = name === "ivg37_delegated_v2.bin" || name === "ivg37_time.bin";
    const what = isNamed ? "the canister's certified data" : "the canister";
    assert.equal(verdict({ ...params, canister: "ivg37-qiaaa-aaaab-aaaga-cai" }, own).reason, `${what} is not under its root`, name);
  }
});

test("a canister's text has a checksum", () => {
  const body = signed(state(), root);
  for (const canister of ["ryjl3-tyaaa-aaaaa-aaaba-caa", "", "RYJL3-TYAAA-AAAAA-AAABA-CAI", "ryjl3"]) {
    const verdict = check({ ...params, canister }, set, evidenceOf(body), NOW);
    assert.equal(verdict.code, "fault", canister);
  }
  assert.equal(new Reader(LEDGER).left, 10);
});
