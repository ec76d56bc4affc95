// Altered bytes and members: refused with a ProofError, or the same statement.
import assert from "node:assert/strict";
import { test } from "node:test";
import { toHex } from "../src/verify/hash.js";
import { verifyAny } from "../src/forms/index.js";
import { answers, bodiesOf, hash, judge, leavesOf, mutated, random, readJson } from "./forms-support.mjs";

/** What an answer states, by its form: members that are the service's word are left out. */
const STATEMENTS = {
  scan: ({ chainId, from, to, filter, events, last }) => ({ chainId, from, to, filter, events, root: last.superRoot.hash }),
  evidence: ({ key, origin, size, roots }) => ({ key, origin, size, roots }),
  consistency: ({ strength, from, to, toHash }) => ({ strength, from, to, toHash }),
  blob: ({ blob, hash: root }) => ({ blob, root }),
  usage: ({ userId, day, environment, requests, billingTokens, rowCount, contract, chainId, sequence, root }) =>
    ({ userId: userId.toLowerCase(), day, environment, requests, billingTokens, rowCount, contract, chainId, sequence, root }),
  launch: ({ proofHash, chainId, protocol, pool, poolId, pair, addsLiquidity, hooks }) =>
    ({ proofHash, chainId, protocol, pool, poolId, pair, addsLiquidity, hooks }),
  price: ({ token, chainId, block, priceUsd, pools }) => ({ token, chainId, block, priceUsd, pools }),
};

const statementOf = (result) => STATEMENTS[result.form](result);

/** Alters a body a number of times: whatever still holds, states the same. Returns how many were refused. */
function alter(name, body, trust, turns, next) {
  const good = statementOf(verifyAny(body, trust));
  const leaves = leavesOf(body);
  let refused = 0;
  for (let turn = 0; turn < turns; turn++) {
    const path = leaves[next(leaves.length)];
    const found = judge(() => verifyAny(mutated(body, path, next), trust));
    if (found.step !== null) refused += 1;
    else assert.deepEqual(statementOf(found.result), good, `${name}: ${path.join(".")}`);
  }
  return refused;
}

test("a flipped bit of a scan file is refused, or changes nothing that it shows", () => {
  const next = random(3);
  for (const { name, trusted, scan } of readJson("vectors/hostile/scans.json").filter((row) => row.refused_at === null)) {
    const [bytes, trust] = [hash(scan), { trustedHash: hash(trusted) }];
    for (let turn = 0; turn < 60; turn++) {
      const bad = Uint8Array.from(bytes);
      bad[next(bad.length)] ^= 1 << next(8);
      assert.notEqual(judge(() => verifyAny(bad, trust)).step, null, name);
      const cut = bytes.subarray(0, next(bytes.length));
      assert.notEqual(judge(() => verifyAny(cut, trust)).step, null, name);
    }
  }
});

test("altered scans in JSON", () => {
  const { key, answers: all } = answers();
  for (const name of ["scan", "absence of events"]) {
    const body = JSON.parse(all.find((one) => one.name === name).body);
    assert.ok(alter(name, body, { key }, 60, random(5)) > 30);
  }
});

test("altered consistency", () => {
  const next = random(13);
  for (const { name, trusted_from, claimed_to, body } of readJson("vectors/protocol/consistency.json")) {
    const trust = { trustedHash: hash(trusted_from), laterHash: hash(claimed_to) };
    assert.ok(alter(name, body, trust, 40, next) > 35, name);
  }
});

test("altered blobs", () => {
  const { body } = readJson("vectors/protocol/consistency.json").find(({ name }) => name.startsWith("full"));
  const blob = { ...body.toBlob, appendedTwigCount: 0, appendedTwigs: [] };
  const trust = { trustedHash: hash(blob.superRootHash) };
  assert.ok(alter("blob", blob, trust, 80, random(17)) > 70);
  assert.equal(judge(() => verifyAny(blob, { trustedHash: new Uint8Array(32) })).step, "anchor");
  assert.equal(judge(() => verifyAny(blob)).step, "anchor");
});

test("altered evidence", () => {
  const next = random(19);
  for (const { name, body } of readJson("vectors/notes/evidence.json").filter((row) => row.refused_at === null)) {
    assert.ok(alter(name, body, {}, 60, next) > 40, name);
  }
});

for (const [file, turns] of [["usage/usage", 120], ["prices/launches", 60], ["prices/prices", 60]]) {
  test(`altered answers of ${file}.json`, () => {
    const rows = readJson(`vectors/${file}.json`);
    const next = random(23);
    const bodies = bodiesOf(rows);
    const good = rows.map((row, at) => ({ ...row, body: bodies[at] })).filter((row) => row.refused_at === null);
    for (const { name, trusted, body } of good) {
      assert.ok(alter(name, body, { trustedHash: hash(trusted) }, turns, next) > turns / 3, name);
    }
  });
}

test("a proof in an answer that is altered is refused", () => {
  const rows = readJson("vectors/prices/launches.json");
  const [{ body, trusted }] = rows;
  const next = random(29);
  for (let turn = 0; turn < 60; turn++) {
    const copy = structuredClone(body);
    const bytes = hash(copy.events[turn % 2].proofBlob);
    bytes[next(bytes.length)] ^= 1 << next(8);
    copy.events[turn % 2].proofBlob = toHex(bytes);
    assert.notEqual(judge(() => verifyAny(copy, { trustedHash: hash(trusted) })).step, null);
  }
});
