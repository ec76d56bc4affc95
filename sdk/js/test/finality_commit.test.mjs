// Commits of validators that are made here: heights next to a set's, and times that do not rise.

import assert from "node:assert/strict";
import test from "node:test";

import { ed25519 } from "@noble/curves/ed25519.js";

import { concat, u64, utf8 } from "../src/finality/bytes.js";
import { sha256 } from "../src/finality/hash.js";
import { advance, check, readSet } from "../src/finality/index.js";
import { precommitBytes, readCosmosHeader, validatorsHash } from "../src/finality/ledger/cosmos.js";
import { bytesField, messageField, numberField, varint } from "../src/finality/ledger/protobuf.js";

const CHAIN = "made-2";
const params = { kind: "commit", chain_id: CHAIN, set_blocks: 10, trusted_seconds: 1_000 };
const [HEIGHT, TIME] = [50n, 1_700_000_000n];
const NONE = new Uint8Array();
const made = (seed) => sha256(Uint8Array.of(seed));
const u32 = (value) => u64(BigInt(value)).subarray(4);
const u16 = (value) => u64(BigInt(value)).subarray(6);

const group = (first, count) => Array.from({ length: count }, (_, at) => ({ ...ed25519.keygen(made(first + at)), power: 1n }));
const membersOf = (keys) => keys.map(({ publicKey, power }) => ({ key: publicKey, power }));
const rootOf = (keys) => validatorsHash(membersOf(keys), 1);
const [OWN, OTHERS] = [group(1, 4), group(11, 4)];

/** A header of a height by validators, who name the next ones. */
function headerOf(height, keys, { seconds = TIME + height, nanos = 5n, next = keys, chain = CHAIN } = {}) {
  const hashes = [made(6), made(7), rootOf(keys), rootOf(next), made(10), made(11), made(12), made(13), made(14).subarray(12)];
  return concat(messageField(1, numberField(1, 11n)), bytesField(2, utf8(chain)), numberField(3, height),
    messageField(4, concat(numberField(1, seconds), numberField(2, nanos))), messageField(5, messageField(2, NONE)),
    ...hashes.map((hash, at) => bytesField(6 + at, hash)));
}

const validators = (keys) => concat(u16(keys.length), ...keys.flatMap(({ publicKey, power }) => [publicKey, varint(power)]));

/** A header with votes of all its validators but `missing`. */
function commitOf(header, keys, missing = 0) {
  const { hash, height, chainId } = readCosmosHeader(header);
  const id = { hash, partCount: 1n, partsHash: made(20) };
  const votes = keys.slice(missing).flatMap(({ secretKey }) => {
    const time = 1_700_000_123_456_789_000n;
    return [u64(time), ed25519.sign(precommitBytes(chainId, height, 2n, id, time), secretKey)];
  });
  const bits = Uint8Array.of(((1 << keys.length) - 1) & ~((1 << missing) - 1));
  return concat(u32(header.length), header, u32(2), u32(1), id.partsHash, validators(keys), bits, ...votes);
}

const setBytes = (header, keys) => concat(u32(header.length), header, validators(keys));
const pinned = readSet(params, setBytes(headerOf(HEIGHT, OWN, { next: OTHERS }), OWN)).set;

function verdictOf(header, keys, missing) {
  const { hash, height } = readCosmosHeader(header);
  const body = commitOf(header, keys, missing);
  const rest = concat(u64(height), hash, body);
  return check(params, pinned, concat(Uint8Array.of(0x16), u32(rest.length), rest), TIME + 500n);
}

test("the next height has the validators that the set's header names, and needs none of the set's own", () => {
  const shown = verdictOf(headerOf(HEIGHT + 1n, OTHERS), OTHERS, 1);
  assert.deepEqual([shown.verdict, shown.by], ["shown", "3 of 4 of the voting power at height 51"]);
  assert.equal(verdictOf(headerOf(HEIGHT + 1n, OTHERS), OTHERS, 2).code, "signers");
  assert.equal(verdictOf(headerOf(HEIGHT + 1n, OWN), OWN).reason, "validators of the next height is not under its root");
  // one height further the set's own power counts
  assert.equal(verdictOf(headerOf(HEIGHT + 2n, OWN), OWN, 1).verdict, "shown");
  assert.equal(verdictOf(headerOf(HEIGHT + 2n, OTHERS), OTHERS).reason, "0 of 4 signed it, 2 must");
  const mixed = [...OWN.slice(0, 2), ...OTHERS];
  assert.equal(verdictOf(headerOf(HEIGHT + 2n, mixed), mixed).verdict, "shown");
  assert.equal(verdictOf(headerOf(HEIGHT + 2n, mixed), mixed, 1).reason, "1 of 4 signed it, 2 must");
});

test("at the set's own height the header is the set's, and below it nothing is shown", () => {
  assert.equal(verdictOf(headerOf(HEIGHT, OWN, { next: OTHERS }), OWN).verdict, "shown");
  assert.equal(verdictOf(headerOf(HEIGHT, OWN), OWN).code, "block");
  assert.equal(verdictOf(headerOf(HEIGHT - 1n, OWN), OWN).reason, "the set of number 4 signed it, this is the set of number 5");
});

test("times rise, by nanoseconds too", () => {
  const at = (seconds, nanos) => verdictOf(headerOf(HEIGHT + 2n, OWN, { seconds, nanos }), OWN);
  const [seconds, nanos] = [TIME + HEIGHT, 5n];
  assert.equal(at(seconds, nanos + 1n).verdict, "shown");
  assert.equal(at(seconds + 1n, 0n).verdict, "shown");
  for (const [s, n] of [[seconds, nanos], [seconds, nanos - 1n], [seconds - 1n, 9n]]) {
    assert.equal(at(s, n).reason, "the header's time does not rise");
  }
});

test("a step is the commit of the next set's header", () => {
  const step = (header, keys) => advance(params, pinned, commitOf(header, keys), TIME + 500n);
  const next = step(headerOf(HEIGHT + 10n, OWN), OWN);
  assert.deepEqual([next.verdict, next.set?.number], ["shown", 6n]);
  assert.equal(step(headerOf(HEIGHT + 11n, OWN), OWN).reason, "the header's height is not that of a set");
  assert.equal(step(headerOf(HEIGHT + 20n, OWN), OWN).code, "set");
  assert.equal(step(headerOf(HEIGHT, OWN, { next: OTHERS }), OWN).code, "set");
  assert.equal(step(headerOf(HEIGHT + 10n, OWN, { chain: "made-3" }), OWN).reason,
    "header 60 breaks a rule: the chain id is another");
});

test("powers and validators have bounds", () => {
  const read = (keys) => readSet(params, setBytes(headerOf(HEIGHT, keys), keys)).reason;
  const most = ((1n << 63n) - 1n) / 8n;
  const [one, two] = OWN;
  assert.equal(read([{ ...one, power: most }]), undefined);
  assert.equal(read([{ ...one, power: most }, two]), "validators cannot be read");
  assert.equal(read([one, one]), "a validator is named twice");
  const bytes = setBytes(headerOf(HEIGHT, OWN), OWN);
  assert.equal(readSet(params, setBytes(headerOf(HEIGHT, OWN), OTHERS)).reason, "list of validators is not under its root");
  const none = concat(bytes.subarray(0, bytes.length - validators(OWN).length), u16(0));
  assert.equal(readSet(params, none).reason, "validators cannot be read");
});
