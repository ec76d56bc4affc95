import assert from "node:assert/strict";
import { test } from "node:test";
import { verifyAny } from "../src/forms/index.js";
import { hash, judge, plainStep, readJson } from "./forms-support.mjs";

const rows = readJson("vectors/hostile/bodies.json");

test("every body that contradicts its proof is refused at its step", () => {
  assert.ok(rows.length >= 46);
  for (const { name, refused_at, trusted, body } of rows) {
    const found = judge(() => verifyAny(body, { trustedHash: hash(trusted) }));
    assert.equal(found.step, plainStep(refused_at), `${name}: ${found.message}`);
  }
});
