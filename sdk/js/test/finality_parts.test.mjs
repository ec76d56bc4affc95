// Parts of the checks that no row of the vectors reaches: signatures of other forms, arithmetic, contracts, params.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { bls12_381 } from "@noble/curves/bls12-381.js";
import { ed25519 } from "@noble/curves/ed25519.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { sha512 } from "@noble/hashes/sha2.js";

import { isSignedByMembers, isSumOf, readMemberKey, validMemberKey, validStakeKey } from "../src/finality/bls.js";
import { concat, fromHex, same, toHex, toNumber, toNumberLE, u64, utf8, wordOf } from "../src/finality/bytes.js";
import { checkOutbox, checkRegistry } from "../src/finality/contracts.js";
import { isSignedByEd25519 } from "../src/finality/ed25519.js";
import { keccak256, sha256 } from "../src/finality/hash.js";
import {
  advance, builtInSet, check, checkableChains, checkBlock, FinalitySet, paramsOf, readSet, splitProof,
} from "../src/finality/index.js";
import { rlpNumber, rlpList } from "../src/finality/ledger/rlp.js";
import { varint, readVarint } from "../src/finality/ledger/protobuf.js";
import { Malformed, Reader } from "../src/finality/bytes.js";
import { follow, readLink } from "../src/finality/link.js";
import { decode, verify } from "../src/verify/index.js";
import { isCanonical, isSignedBySecp256k1, signingAddress } from "../src/finality/secp256k1.js";
import { compactOf, retargeted, targetOf } from "../src/finality/work.js";

const REPOSITORY = new URL("../../../", import.meta.url);
const source = (path) => readFileSync(new URL(path, REPOSITORY), "utf8");
const message = utf8("a block");
/** Bytes that follow from a number. */
const made = (seed) => sha256(Uint8Array.of(seed));
const seedOf = (seed) => concat(made(seed), made(seed)).subarray(0, 48);

test("Ed25519 accepts what RFC 8032 signs, and nothing that needs the cofactor", () => {
  const { secretKey, publicKey } = ed25519.keygen(made(1));
  const signature = ed25519.sign(message, secretKey);
  assert.equal(isSignedByEd25519(publicKey, message, signature), true);
  assert.equal(isSignedByEd25519(publicKey, utf8("another"), signature), false);
  const { Point } = ed25519;
  const order = Point.Fn.ORDER;
  const le = (value) => fromHex(value.toString(16).padStart(64, "0")).reverse();
  // s + order is the same signature in a second form
  const s = toNumberLE(signature.subarray(32));
  assert.equal(isSignedByEd25519(publicKey, message, concat(signature.subarray(0, 32), le(s + order))), false);
  // a commitment with a part of small order passes an equation that multiplies by the cofactor
  const small = Point.fromBytes(fromHex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa"));
  assert.ok(small.isSmallOrder() && !small.is0());
  const { scalar } = ed25519.utils.getExtendedPublicKey(secretKey);
  const r = toNumberLE(made(2)) % order;
  const commitment = Point.BASE.multiply(r).add(small).toBytes();
  const challenge = toNumberLE(sha512(concat(commitment, publicKey, message))) % order;
  const mixed = concat(commitment, le((r + challenge * scalar) % order));
  assert.equal(ed25519.verify(mixed, message, publicKey, { zip215: false }), true, "the library takes it");
  assert.equal(isSignedByEd25519(publicKey, message, mixed), false);
  // a key of small order signs everything
  const identity = concat(Uint8Array.of(1), new Uint8Array(31));
  for (const key of [identity, small.toBytes()]) {
    assert.equal(isSignedByEd25519(key, message, concat(identity, new Uint8Array(32))), false);
  }
  assert.equal(isSignedByEd25519(concat(Uint8Array.of(2), new Uint8Array(31)), message, signature), null, "no point");
});

test("secp256k1 agrees with the library's own ECDSA", () => {
  for (let seed = 0; seed < 6; seed++) {
    const { secretKey, publicKey } = secp256k1.keygen(seedOf(seed));
    const hash = made(100 + seed);
    const key = secp256k1.Point.fromBytes(publicKey).toBytes(false);
    const signature = secp256k1.sign(hash, secretKey, { prehash: false, format: "recovered" });
    const [v, rs] = [signature[0], signature.subarray(1)];
    assert.equal(isSignedBySecp256k1(key, hash, rs), true);
    assert.equal(isSignedBySecp256k1(key, made(seed), rs), false);
    const whole = concat(rs, Uint8Array.of(v));
    assert.ok(isCanonical(whole));
    const address = keccak256(key.subarray(1)).subarray(12);
    assert.deepEqual(signingAddress(hash, whole), address);
    assert.notDeepEqual(signingAddress(made(seed), whole), address);
    const other = signingAddress(hash, concat(rs, Uint8Array.of(1 - v)));
    const recovered = secp256k1.recoverPublicKey(concat(Uint8Array.of(1 - v), rs), hash, { prehash: false });
    assert.deepEqual(other, keccak256(secp256k1.Point.fromBytes(recovered).toBytes(false).subarray(1)).subarray(12));
    // the higher s is valid too, and refused
    const order = secp256k1.Point.Fn.ORDER;
    const high = fromHex((order - toNumber(rs.subarray(32))).toString(16).padStart(64, "0"));
    const second = concat(rs.subarray(0, 32), high);
    assert.ok(secp256k1.verify(second, hash, key, { prehash: false, lowS: false }));
    assert.equal(isSignedBySecp256k1(key, hash, second), false);
    assert.ok(!isCanonical(concat(second, Uint8Array.of(1 - v))) && !isCanonical(concat(rs, Uint8Array.of(2 + v))));
  }
  const zero = new Uint8Array(64);
  const { publicKey } = secp256k1.keygen(seedOf(1));
  const key = secp256k1.Point.fromBytes(publicKey).toBytes(false);
  assert.equal(isSignedBySecp256k1(key, made(1), zero), false);
  assert.equal(isSignedBySecp256k1(publicKey, made(1), zero), null, "a compressed key");
  assert.equal(isSignedBySecp256k1(concat(key.subarray(0, 64), Uint8Array.of(key[64] ^ 1)), made(1), zero), null);
});

test("BLS keys are read as the library reads them, and in one encoding", () => {
  const { G1, longSignatures } = bls12_381;
  const suite = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";
  const pairs = [1, 2, 3, 4].map((seed) => longSignatures.keygen(seedOf(seed)));
  const keys = pairs.map(({ publicKey }) => publicKey.toBytes());
  for (const key of keys) {
    assert.ok(readMemberKey(key)?.equals(G1.Point.fromBytes(key)) && validMemberKey(key));
    const negated = key.slice();
    negated[0] ^= 0x20;
    assert.ok(readMemberKey(negated)?.equals(G1.Point.fromBytes(key).negate()));
    const uncompressed = key.slice();
    uncompressed[0] &= 0x7f;
    assert.equal(readMemberKey(uncompressed), null);
  }
  const infinity = concat(Uint8Array.of(0xc0), new Uint8Array(47));
  assert.ok(readMemberKey(infinity)?.is0());
  assert.equal(validMemberKey(infinity), null, "no key signs as infinity");
  assert.equal(validStakeKey(concat(Uint8Array.of(0xc0), new Uint8Array(95))), null);
  assert.equal(readMemberKey(concat(Uint8Array.of(0xe0), new Uint8Array(47))), null);
  assert.equal(readMemberKey(concat(Uint8Array.of(0xc0), new Uint8Array(46), Uint8Array.of(1))), null);
  assert.equal(readMemberKey(concat(Uint8Array.of(0x9f), new Uint8Array(47).fill(0xff))), null, "past the field");
  const points = keys.map((key) => readMemberKey(key));
  const sum = points.reduce((total, point) => total.add(point));
  assert.ok(isSumOf(points, sum.toBytes()) && !isSumOf(points, keys[0]) && !isSumOf(points, infinity));
  const hashed = longSignatures.hash(message, suite);
  const signed = pairs.map(({ secretKey }) => longSignatures.sign(hashed, secretKey));
  const signature = longSignatures.Signature.toBytes(signed.reduce((total, one) => total.add(one)));
  assert.ok(isSignedByMembers(points, message, signature));
  assert.ok(!isSignedByMembers(points.slice(1), message, signature));
  assert.ok(!isSignedByMembers(points, utf8("another"), signature));
  assert.ok(!isSignedByMembers([], message, signature) && !isSignedByMembers(points, message, signature.subarray(1)));
  const nobody = concat(Uint8Array.of(0xc0), new Uint8Array(95));
  assert.ok(!isSignedByMembers([points[0], points[0].negate()], message, nobody), "infinity signs nothing");
  // on the curve, outside the subgroup: taken as a key under a root, and a sum with it signs nothing
  const outside = outsideSubgroup();
  assert.ok(readMemberKey(outside) && validMemberKey(outside) === null);
  assert.equal(isSignedByMembers([readMemberKey(outside)], message, signature), false);
});

/** The point with the smallest x that is on the curve of G1 and outside its subgroup. */
function outsideSubgroup() {
  for (let x = 1; ; x++) {
    const key = concat(Uint8Array.of(0x80), new Uint8Array(46), Uint8Array.of(x));
    if (readMemberKey(key) && !validMemberKey(key)) return key;
  }
}

test("targets of Bitcoin change as Bitcoin Core's own tests say", () => {
  const LIMIT = 0x1d00ffff;
  // src/test/pow_tests.cpp: first block, last block, bits, expected
  for (const [first, last, bits, expected] of [
    [1_261_130_161, 1_262_152_739, 0x1d00ffff, 0x1d00d86a],
    [1_231_006_505, 1_233_061_996, 0x1d00ffff, 0x1d00ffff],
    [1_279_008_237, 1_279_297_671, 0x1c05a3f4, 0x1c0168fd],
    [1_263_163_443, 1_269_211_443, 0x1c387f6f, 0x1d00e1fd],
  ]) assert.equal(retargeted(bits, BigInt(last - first), LIMIT), expected);
  for (const bits of [LIMIT, 0x170fffff, 0x1b0404cb, 0x207fffff, 0x03123456, 0x04008000]) {
    assert.equal(compactOf(targetOf(bits)), bits);
  }
  assert.equal(targetOf(0x05009234), 0x92340000n);
  // zero, negative, not canonical, past 256 bits, below one byte
  for (const bits of [0, 0x01003456, 0x04923456, 0x04000123, 0x21123456, 0x23123456, 0x01123456]) {
    assert.equal(targetOf(bits), null, bits.toString(16));
  }
  assert.equal(retargeted(0, 1n, LIMIT), null);
});

// -- tries with one leaf -------------------------------------------------------------------------------------------------

const rlp = (value) => {
  if (Array.isArray(value)) return prefixed(0xc0, concat(...value.map(rlp)));
  return value.length === 1 && value[0] < 0x80 ? value : prefixed(0x80, value);
};
const prefixed = (base, bytes) => bytes.length < 56 ? concat(Uint8Array.of(base + bytes.length), bytes)
  : concat(Uint8Array.of(base + 56, bytes.length), bytes);
/** A trie that holds one value under a hashed key: its root, and its one node. */
function trieOf(key, value) {
  const node = rlp([concat(Uint8Array.of(0x20), keccak256(key)), value]);
  return { root: keccak256(node), nodes: [node] };
}
const trimmed = (word) => word.subarray(word.findIndex((byte) => byte !== 0));
const accountOf = (storage, code) => rlp([new Uint8Array(), new Uint8Array(), storage, code]);

test("an outbox holds the hash under the header's send root, and no other", () => {
  const contract = made(1).subarray(12);
  const [sendRoot, hash] = [made(2), made(3)];
  const slot = trieOf(keccak256(sendRoot, wordOf(3n)), rlp(trimmed(hash)));
  const outbox = trieOf(contract, accountOf(slot.root, made(4)));
  const proof = { outbox: outbox.nodes, word: slot.nodes };
  const state = { stateRoot: outbox.root, contract };
  const header = { extraData: sendRoot };
  checkOutbox(proof, state, header, hash);
  const refused = (change) => {
    const [a, b, c, d] = change;
    assert.throws(() => checkOutbox(a, b, c, d), { isRefusal: true });
  };
  refused([proof, state, header, made(5)]);
  refused([proof, state, { extraData: made(5) }, hash]);
  refused([proof, state, { extraData: new Uint8Array(31) }, hash]);
  refused([proof, { ...state, stateRoot: made(5) }, header, hash]);
  refused([proof, { ...state, contract: made(5).subarray(12) }, header, hash]);
  refused([{ ...proof, word: [] }, state, header, hash]);
  refused([{ ...proof, word: [...slot.nodes, slot.nodes[0]] }, state, header, hash]);
  refused([{ outbox: slot.nodes, word: outbox.nodes }, state, header, hash]);
});

test("a registry's word with more than an address is refused", () => {
  const contract = made(1).subarray(12);
  const word = trieOf(wordOf(2n), rlp(made(6)));
  const registry = trieOf(contract, accountOf(word.root, made(4)));
  const proof = { registry: registry.nodes, word: word.nodes, game: [], code: new Uint8Array(200) };
  const header = { stateRoot: made(1), withdrawalsRoot: made(2) };
  assert.throws(() => checkRegistry(proof, { stateRoot: registry.root, contract }, 10n, header, made(3)),
    { message: "the registry's slot holds more than an address" });
});

test("numbers have one form", () => {
  for (const value of [0n, 1n, 0x7fn, 0x80n, 0x3fffn, (1n << 63n) - 1n, (1n << 64n) - 1n]) {
    assert.equal(readVarint(new Reader(varint(value))), value);
  }
  for (const bytes of [[0x80, 0x00], [0x80], Array(10).fill(0xff), [...Array(9).fill(0xff), 0x02], Array(11).fill(0x80)]) {
    assert.throws(() => readVarint(new Reader(Uint8Array.from(bytes))), Malformed);
  }
  for (const bytes of [[0xc1, 0x81, 0x05], [0xc2, 0xb8, 0x01], [0xb8, 0x01, 0x05], [0xc1, 0x80, 0x00], [0xf8], []]) {
    assert.throws(() => rlpList(Uint8Array.from(bytes)), Malformed);
  }
  assert.throws(() => rlpNumber(rlpList(Uint8Array.of(0xc2, 0x00, 0x01))[0], 8), Malformed, "a leading zero");
});

const PROOFS = JSON.parse(source("vectors/valid/ledgers.json")).map(({ name, proof, trusted }) => (
  { name, bytes: fromHex(proof), trust: fromHex(trusted) }));

test("links go to the parent that the verifier of files reads, by every rule", () => {
  const rules = new Map();
  for (const { name, bytes, trust } of PROOFS) {
    const { rule, number, blockHash: hash, header } = verify(bytes, { trustedHash: trust });
    const raw = decode(bytes).header?.bytes;
    if (!raw || !header) continue;
    const link = readLink(concat(u64(BigInt(raw.length)).subarray(4), raw));
    const block = { number: BigInt(number), hash };
    if (header.parentHash === null) {
      assert.throws(() => follow(link, rule, 0n, block), { code: "link" }, name);
      continue;
    }
    const below = follow(link, rule, 0n, block);
    assert.deepEqual(toHex(below.hash), toHex(header.parentHash), name);
    assert.equal(below.number, block.number > 0n ? block.number - 1n : 0n, name);
    assert.throws(() => follow(link, rule, 0n, { ...block, hash: header.parentHash }), { code: "link" }, name);
    assert.throws(() => follow(link, 0x0501, 0n, block), { code: "link" }, name);
    const ancestor = [{ ...link[0], ancestor: { number: block.number - 1n, account: [], word: [] } }];
    assert.throws(() => follow(ancestor, rule, 8_191n, block), { code: "link" }, name);
    rules.set(rule, (rules.get(rule) ?? 0) + 1);
  }
  console.log("links by rule:", Object.fromEntries([...rules].map(([rule, count]) => [rule.toString(16), count])));
  for (const rule of [0x0001, 0x0101, 0x0301, 0x0401, 0x0601, 0x0701, 0x0801]) assert.ok(rules.has(rule), rule.toString(16));
});

// -- params of main networks -----------------------------------------------------------------------------------------------

test("params of main networks are those of the service", () => {
  const toml = source("crates/chain/chains.toml").split("[[chain]]").slice(1);
  const named = new Map(toml.map((row) => [/caip2 = "([^"]+)"/.exec(row)[1], row]));
  let anchors = 0;
  for (const [caip2, row] of named) {
    const found = /anchors = \[\{ from = (\d+), kind = "(\w+)", address = "(0x\w+)" \}\]/.exec(row);
    if (!found) continue;
    anchors += 1;
    const params = paramsOf(caip2);
    assert.deepEqual([params.kind, params.contract, params.contracts], ["anchor", found[2],
      [{ from: Number(found[1]), address: found[3].toLowerCase() }]], caip2);
    assert.equal(`eip155:${params.chain}`, caip2);
    const code = [...row.matchAll(/code = (0x\w{4})/g)].at(-1)[1];
    assert.equal(params.rule, Number(code), caip2);
  }
  assert.equal(anchors, [...source("crates/chain/chains.toml").matchAll(/^anchors = /gm)].length);
  for (const caip2 of checkableChains()) assert.ok(named.has(caip2), caip2);
  const icp = named.get("icp:1");
  assert.equal(paramsOf("icp:1").canister, /canister = "([^"]+)"/.exec(icp)[1]);
  assert.ok(same(builtInSet("icp:1"), fromHex(/root_key = "(\w+)"/.exec(icp)[1])));
  const bitcoin = named.get("bip122:000000000019d6689c085ae165831e93");
  const { confirmations, target_limit_bits: limit, floor_bits: floor } = paramsOf("bip122:000000000019d6689c085ae165831e93");
  assert.equal(confirmations, Number(/confirmations = (\d+)/.exec(bitcoin)[1]));
  assert.equal(limit, Number(/target_limit_bits = (0x\w+)/.exec(bitcoin)[1]));
  const rust = source("crates/chain/src/finality/params.rs");
  assert.equal(floor, Number(/FLOOR_BITS: u32 = (0x[\w]+)/.exec(rust)[1].replace("_", "")));
  const days = (name) => new RegExp(`${name}: u64 = ([\\d_* ]+);`).exec(rust)[1].split("*")
    .reduce((product, factor) => product * Number(factor.trim().replaceAll("_", "")), 1);
  assert.equal(paramsOf("sui:35834a8a").trusted_seconds, days("SUI_TRUSTED_SECONDS"));
  assert.equal(paramsOf("aptos:1").trusted_seconds, days("APTOS_TRUSTED_SECONDS"));
  assert.equal(paramsOf("cosmos:cosmoshub-4").trusted_seconds, days("HUB_TRUSTED_SECONDS"));
  assert.equal(paramsOf("eip155:137").heimdall.trusted_seconds, days("HEIMDALL_TRUSTED_SECONDS"));
  assert.equal(paramsOf("eip155:137").heimdall.set_blocks, days("HEIMDALL_SET_BLOCKS"));
  assert.equal(paramsOf("eip155:42161").history_blocks, days("ARBITRUM_HISTORY_BLOCKS"));
  assert.equal(paramsOf("eip155:59144"), null);
  assert.equal(builtInSet("eip155:1"), null);
});

test("constants of beacon chains are those of the Rust verifier", () => {
  const rust = source("crates/proof/src/finality/beacon/params.rs");
  for (const [caip2, name] of [["eip155:1", "ETHEREUM"], ["eip155:100", "GNOSIS"]]) {
    const params = paramsOf(caip2);
    const block = rust.slice(rust.indexOf(`const ${name}: Self`)).split("\n    };")[0];
    const root = [.../genesis_validators_root: Hash\(\[([^\]]+)\]/.exec(block)[1].matchAll(/0x(\w\w)/g)].map(([, byte]) => byte);
    assert.equal(params.genesis_validators_root, `0x${root.join("")}`);
    const forks = [...block.matchAll(/epoch: ([\d_]+),\s*version: \[([^\]]+)\],\s*layout: BeaconLayout::(\w+)/g)];
    assert.deepEqual(params.forks, forks.map(([, epoch, version, layout]) => ({
      epoch: Number(epoch.replaceAll("_", "")), layout: layout.toLowerCase(),
      version: version.split(",").map((byte) => Number(byte).toString(16).padStart(2, "0")).join(""),
    })));
    for (const field of ["slot_seconds", "epoch_slots", "period_epochs", "members"]) {
      assert.equal(params[field], Number(new RegExp(`${field}: ([\\d_]+)`).exec(block)[1]), field);
    }
    assert.equal(params.genesis_time, Number(/UnixSeconds\(([\d_]+)\)/.exec(block)[1].replaceAll("_", "")));
  }
});

const vectors = JSON.parse(source("vectors/finality/finality.json"));

test("an aggregate is the sum of the committee's keys, and a signature is of a later slot than its header", () => {
  const one = vectors.find(({ name }) => name === "beacon: no step");
  const of = { kind: one.kind, ...one.params };
  const committee = fromHex(vectors.find(({ name }) => name === "beacon: a final block").set);
  const read = readSet(of, committee);
  assert.equal(read.verdict, "shown");
  const bent = committee.slice();
  bent.set(committee.subarray(8, 56), committee.length - 48);
  assert.equal(readSet(of, bent).reason, "key 32 of the set is none");
  // the signers of the row's evidence follow from its steps
  const whole = splitProof(fromHex(vectors.find(({ name }) => name === "beacon: a final block").finality));
  const signer = whole.steps.reduce((set, step) => advance(of, set, step, one.now).set, read.set);
  const { evidence } = whole;
  assert.equal(check(of, signer, evidence, one.now).verdict, "shown");
  // kind, length, number, hash; attested, finalized, seven siblings, bits, signature: the slot is under no signature
  const [attested, slot] = [45, 45 + 112 + 112 + 7 * 32 + 4 + 96];
  const slotOf = toNumberLE(evidence.slice(attested, attested + 8));
  const at = (value) => {
    const moved = evidence.slice();
    moved.set(u64(value), slot);
    return check(of, signer, moved, one.now);
  };
  assert.equal(at(slotOf + 1n).verdict, "shown");
  for (const value of [slotOf, slotOf - 1n, 0n]) assert.equal(at(value).code, "order", String(value));
  assert.equal(at(slotOf + 96n).code, "early");
});

test("a producer's second signature in a window is not recovered, and has the one form", () => {
  const one = vectors.find(({ name }) => name === "producers: a final block");
  const of = { kind: one.kind, ...one.params };
  const { set } = readSet(of, fromHex(one.set));
  const [step] = splitProof(fromHex(one.finality)).steps;
  // length:u16 and header, then place:u8, length:u16 and the rest; a signature of 65 behind each
  const ends = [];
  for (const reader = new Reader(step); reader.left > 0; ends.push(reader.at)) {
    if (ends.length > 0) reader.u8();
    reader.bytes(reader.u16());
    reader.bytes(65);
  }
  // two headers before the window of 54: its second round begins with the 27th
  const end = ends[2 + 40];
  const bent = (place, value) => {
    const moved = step.slice();
    moved[place] = value;
    return advance(of, set, moved, one.now);
  };
  const honest = advance(of, set, step, one.now);
  const other = bent(end - 60, step[end - 60] ^ 1);
  assert.equal(other.verdict, "shown");
  assert.ok(same(other.set.id, honest.set.id));
  for (const v of [2, 27, 28]) assert.equal(bent(end - 1, v).code, "signature", String(v));
  assert.equal(bent(end - 33, 0xff).code, "signature", "the higher s");
});

// -- what is not bytes -------------------------------------------------------------------------------------------------------

const row = vectors.find(({ name }) => name === "commit: a final block");
const params = { kind: row.kind, ...row.params };
const bytes = fromHex(row.set);
const proof = splitProof(fromHex(row.finality));
const question = { rule: row.rule, number: row.number, hash: fromHex(row.hash) };

test("no error escapes, and an error of a caller or of this module shows", () => {
  const { set } = readSet(params, bytes);
  for (const run of [
    () => readSet(params, "0x00"), () => readSet(null, bytes), () => readSet(params, undefined),
    () => check(params, {}, proof.evidence, row.now), () => check(params, set, null, row.now),
    () => check(params, set, proof.evidence, NaN), () => check(params, set, proof.evidence, "soon"),
    () => advance(params, bytes, proof.steps[0], row.now), () => advance(undefined, set, proof.steps[0], 1),
    () => checkBlock(params, set, {}, question, row.now), () => checkBlock(params, set, proof, {}, row.now),
    () => checkBlock(params, set, proof, { ...question, number: 1.5 }, row.now), () => splitProof(7),
  ]) {
    const verdict = run();
    assert.equal(verdict.verdict, "refused", run.toString());
    assert.ok(verdict.code === "fault" && verdict.fault instanceof Error, `${run}: ${verdict.reason}`);
  }
  assert.throws(() => new FinalitySet(Symbol("mine"), "commit", {}), TypeError);
  assert.throws(() => Object.assign(set, { kind: "work" }), TypeError);
});

test("a kind that is unknown or another's is not checked", () => {
  const { set } = readSet(params, bytes);
  const unknown = readSet({ kind: "oracle" }, bytes);
  assert.deepEqual(unknown, { verdict: "not_enough", code: "unchecked", reason: "this kind is not checked here" });
  const other = { kind: "checkpoint", trusted_seconds: 5 };
  assert.equal(check(other, set, proof.evidence, row.now).code, "kind");
  const asOther = proof.evidence.slice();
  asOther[0] = 0x12;
  assert.equal(check(params, set, asOther, row.now).code, "kind");
  asOther[0] = 0x1a;
  assert.equal(check(params, set, asOther, row.now).reason, "evidence of finality cannot be read");
});

test("bytes past their bounds are refused before they are read", () => {
  const { set } = readSet(params, bytes);
  const evidence = new Uint8Array((128 << 10) + 1);
  evidence[0] = 0x16;
  assert.equal(check(params, set, evidence, row.now).code, "encoding");
  const link = new Uint8Array((96 << 10) + 1);
  assert.equal(checkBlock(params, set, { ...proof, link }, question, row.now).reason, "link of finality cannot be read");
  const step = new Uint8Array((2 << 20) + 1);
  assert.equal(advance(params, set, step, row.now).code, "encoding");
  const steps = [proof.steps[0], step];
  assert.equal(checkBlock(params, set, { ...proof, steps }, question, row.now).reason, "steps of finality cannot be read");
  const many = Array(65_536).fill(new Uint8Array());
  assert.equal(checkBlock(params, set, { ...proof, steps: many }, question, row.now).code, "encoding");
  // a length of four billion takes no memory
  const huge = concat(Uint8Array.of(0xff, 0xff, 0xff, 0xff), new Uint8Array(64));
  assert.equal(splitProof(huge).code, "encoding");
  assert.equal(readSet(params, huge).code, "encoding");
});

test("bytes that a caller changes later change nothing", () => {
  const mine = Buffer.from(bytes);
  const { set } = readSet(params, mine);
  mine.fill(0);
  const verdict = checkBlock(params, set, proof, question, BigInt(row.now));
  assert.equal(verdict.verdict, "shown");
  verdict.set.fill(0);
  set.id.fill(0);
  assert.ok(same(set.id, fromHex(row.id)));
  assert.equal(set.number, 10n);
  assert.equal(set.trustedUntil(params) - set.begins(params), BigInt(row.params.trusted_seconds) - 1n);
  assert.ok(set.trustedUntil(params) > BigInt(row.now));
});
