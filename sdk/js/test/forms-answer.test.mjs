import assert from "node:assert/strict";
import { test } from "node:test";
import { renderAnswer } from "../src/forms/answer.js";
import { verifyAny } from "../src/forms/index.js";
import { decode } from "../src/verify/file.js";
import { verifyLevels } from "../src/verify/index.js";
import { answers, hash, judge, leavesOf, mutated, plainStep, random, readJson, textOf } from "./forms-support.mjs";

test("every body that contradicts its proof is refused at its step", () => {
  const rows = readJson("vectors/hostile/bodies.json");
  assert.ok(rows.length >= 46);
  for (const { name, refused_at, trusted, body } of rows) {
    const found = judge(() => verifyAny(body, { trustedHash: hash(trusted) }));
    assert.equal(found.step, plainStep(refused_at), `${name}: ${found.message}`);
  }
});

/** What a service says besides: nothing of it is proven. */
const BESIDES = ["notProven", "not_proven", "v5Anchor", "v5_anchor", "transactionCount"];

test("answers of a service hold, and unproven is what the service itself calls so", () => {
  const { key, answers: all } = answers();
  assert.ok(all.length >= 38);
  for (const { name, body } of all) {
    const found = judge(() => verifyAny(body, { key }));
    assert.equal(found.step, null, `${name}: ${found.message}`);
    const read = JSON.parse(body);
    const listed = read.notProven ?? read.not_proven;
    if (found.result.form !== "answer") continue;
    const own = found.result.unproven.filter((path) => !BESIDES.includes(path.split(".")[0]));
    assert.deepEqual([...new Set(own)].sort(), listed.filter((path) => !BESIDES.includes(path)).sort(), name);
  }
});

test("a batch holds item by item, and an item that fails is a ProofError", () => {
  const { key, answers: all } = answers();
  const body = JSON.parse(all.find(({ name }) => name === "batch").body);
  const good = verifyAny(body, { key });
  assert.deepEqual(good.items.map((item) => item.form), ["answer", "answer", "answer"]);
  const [block] = body.items.slice(1);
  const [index] = block.twig.siblings;
  body.nodes[index] = `0x${"11".repeat(32)}`;
  const bad = verifyAny(body, { key });
  assert.equal(bad.items[1].step, "twig");
  assert.equal(bad.items[2].form, "answer");
  block.twig.siblings[0] = body.nodes.length;
  assert.equal(judge(() => verifyAny(body, { key })).step, "encoding");
});

test("every ledger's proof holds as an answer, and no member of it can be another", () => {
  const rows = readJson("vectors/valid/ledgers.json");
  const next = random(7);
  const families = new Set();
  for (const { name, proof, trusted } of rows) {
    const trust = { trustedHash: hash(trusted) };
    const parts = decode(hash(proof));
    const text = textOf(renderAnswer(parts, verifyLevels(hash(proof))));
    assert.equal(judge(() => verifyAny(text, trust)).step, null, name);
    families.add(parts.family);
    const body = JSON.parse(text);
    const leaves = leavesOf(body).filter((path) => path[0] !== "receiptRoot" || body.receiptRoot !== null);
    for (let turn = 0; turn < 12; turn++) {
      const path = leaves[next(leaves.length)];
      const found = judge(() => verifyAny(mutated(body, path, next), trust));
      // what is left out, or null, says nothing false
      const isSilent = found.step === null && found.result.unproven.some((one) => path.join(".").startsWith(one.split("[")[0]));
      assert.ok(found.step !== null || isSilent, `${name}: ${path.join(".")}`);
    }
  }
  assert.equal(families.size, 9);
});

test("a member of an answer that is another is refused, or was never proven", () => {
  const { key, answers: all } = answers();
  const next = random(11);
  for (const { name, body } of all.filter((one) => one.name !== "batch")) {
    const read = JSON.parse(body);
    const leaves = leavesOf(read);
    for (let turn = 0; turn < 14; turn++) {
      const path = leaves[next(leaves.length)];
      const found = judge(() => verifyAny(mutated(read, path, next), { key }));
      if (found.step !== null) continue;
      const plain = path.filter((part) => !/^\d+$/.test(part)).join(".");
      const { unproven } = found.result;
      assert.ok(unproven.some((one) => plain.startsWith(one.replace(/\[\d*\]/g, ""))), `${name}: ${path.join(".")}`);
    }
  }
});

test("what is no JSON of a proof is refused as such", () => {
  const key = answers().key;
  const deep = "[".repeat(1000);
  const list = ["", "{", "{} x", "nul", deep, '{"a":1,"a":1}', "[]", "null", "7", '"x"', "{}", '{"chainId":1}', '{"proof_blob":"0x"}',
    '{"chainId":1,"proofKind":"block","blockNumber":1.0}', '{"nodes":[],"items":[]}', '{"nodes":1,"items":{}}',
    '{"evidence":1,"notes":2}', '{"scanBlob":null}', '{"strength":1,"inclusionPath":[]}', '{"slots":[],"superRoot":{}}',
    '{"price_usd":1,"pools":[],"bases":[]}', '{"usage_checkpoint":{}}', '{"proofHash":1,"events":[]}',
    '{"status":404,"code":"not_found","detail":"there is none"}', '{"conflict":"0x","set":{}}', '{"__proto__":{"chainId":1}}'];
  for (const text of list) assert.notEqual(judge(() => verifyAny(text, { key })).step, null, text.slice(0, 40));
  for (const value of [undefined, () => 1, 7n, new Uint8Array(), Uint8Array.of(0xff, 0xfe), Symbol("x")]) {
    assert.equal(judge(() => verifyAny(value, { key })).step, "encoding");
  }
  const cycle = {};
  cycle.own = cycle;
  assert.equal(judge(() => verifyAny(cycle, { key })).step, "encoding");
});
