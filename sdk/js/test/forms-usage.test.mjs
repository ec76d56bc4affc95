import assert from "node:assert/strict";
import { test } from "node:test";
import { verifyAny } from "../src/forms/index.js";
import { bodiesOf, hash, judge, readExact, textOf } from "./forms-support.mjs";

test("every usage bill is judged at its step", () => {
  const rows = readExact("vectors/usage/usage.json");
  assert.ok(rows.length >= 60);
  bodiesOf(rows).forEach((body, at) => {
    const { name, refused_at, trusted } = rows[at];
    const found = judge(() => verifyAny(textOf(body), { trustedHash: hash(trusted) }));
    assert.equal(found.step, refused_at, `${name}: ${found.message}`);
  });
});
