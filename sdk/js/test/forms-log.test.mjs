import assert from "node:assert/strict";
import { test } from "node:test";
import { toHex } from "../src/verify/hash.js";
import { verifyAny } from "../src/forms/index.js";
import { hash, judge, readJson } from "./forms-support.mjs";

test("every extension of a SuperRoot is judged at its step", () => {
  const rows = [...readJson("vectors/protocol/consistency.json"), ...readJson("vectors/hostile/consistency.json")];
  assert.ok(rows.length >= 50);
  for (const { name, refused_at, trusted_from, claimed_to, body } of rows) {
    const found = judge(() => verifyAny(body, { trustedHash: hash(trusted_from), laterHash: hash(claimed_to) }));
    assert.equal(found.step, refused_at, `${name}: ${found.message}`);
    if (refused_at === null) assert.equal(found.result.appending, null);
  }
});

test("every evidence of a fork is judged at its step", () => {
  const rows = readJson("vectors/notes/evidence.json");
  assert.ok(rows.length >= 22);
  for (const { name, refused_at, body, size, roots } of rows) {
    const found = judge(() => verifyAny(body));
    assert.equal(found.step, refused_at, `${name}: ${found.message}`);
    if (refused_at === null) {
      assert.equal(found.result.size, BigInt(size), name);
      assert.deepEqual(found.result.roots.map(toHex), roots, name);
    }
  }
});
