import assert from "node:assert/strict";
import { test } from "node:test";
import { renderAnswer } from "../src/forms/answer.js";
import { decodeCalldata } from "../src/forms/calldata.js";
import { verifyAny } from "../src/forms/index.js";
import { keccak256, toHex } from "../src/verify/hash.js";
import { hash, judge, plainStep, random, readJson, textOf } from "./forms-support.mjs";

const ORIGIN = "recorded/calldata";

test("proofs of real blocks in the form for contracts show what the vectors say", () => {
  const rows = readJson("vectors/real/calldata.json");
  assert.ok(rows.length >= 232);
  for (const row of rows) {
    const trust = { origin: row.origin, trustedHash: hash(row.trusted) };
    const { step, message, result } = judge(() => verifyAny(`0x${row.calldata}`, trust));
    assert.equal(step, null, `${row.name}: ${message}`);
    const { shown } = result;
    assert.deepEqual([shown.chain.id, shown.number, toHex(shown.blockHash), shown.subject.kind],
      [row.chain_id, row.block_number, row.block_hash, row.shows], row.name);
    const log = shown.entry?.event?.log;
    if (row.emitter) {
      assert.deepEqual([toHex(log.address), log.topics.map(toHex), toHex(keccak256(log.data))],
        [row.emitter, row.topics, row.data_hash], row.name);
    }
    // real blocks as JSON: what is rendered is read again
    const proof = decodeCalldata(hash(row.calldata), row.origin);
    const answer = judge(() => verifyAny(textOf(renderAnswer(proof, shown)), trust));
    assert.equal(answer.step, null, `${row.name}: ${answer.message}`);
  }
});

test("proofs of Bitcoin in the form for contracts show what the vectors say", () => {
  const rows = readJson("vectors/real/calldata-bitcoin.json");
  assert.ok(rows.length >= 67);
  for (const row of rows) {
    const { step, message, result } = judge(() =>
      verifyAny(hash(row.calldata), { origin: row.origin, trustedHash: hash(row.trusted) }));
    assert.equal(step, null, `${row.name}: ${message}`);
    const { shown } = result;
    assert.equal(toHex(shown.blockHash), row.block_hash);
    if (row.value_sats !== null) assert.equal(String(shown.entry.event.output.satoshi), String(row.value_sats), row.name);
  }
});

for (const [file, least] of [["calldata", 137], ["calldata-bitcoin", 75]]) {
  test(`every row of hostile/${file}.json is refused at its step`, () => {
    const rows = readJson(`vectors/hostile/${file}.json`);
    assert.ok(rows.length >= least);
    for (const { name, refused_at, trusted, calldata } of rows) {
      const found = judge(() => verifyAny(`0x${calldata}`, { origin: ORIGIN, trustedHash: hash(trusted) }));
      const isNone = refused_at === "form" && found.step === "encoding"; // not even the first byte is of the form
      assert.ok(found.step === plainStep(refused_at) || isNone, `${name}: ${found.step} ${found.message}`);
    }
  });
}

test("a flipped bit of the form is refused", () => {
  const next = random(31);
  for (const { name, trusted, calldata } of readJson("vectors/real/calldata.json").filter((_, at) => at % 12 === 0)) {
    for (let turn = 0; turn < 8; turn++) {
      const bytes = hash(calldata);
      bytes[next(bytes.length)] ^= 1 << next(8);
      assert.notEqual(judge(() => verifyAny(bytes, { origin: ORIGIN, trustedHash: hash(trusted) })).step, null, name);
    }
  }
});
