import assert from "node:assert/strict";
import { test } from "node:test";
import { verifyAny } from "../src/forms/index.js";
import { hash, judge, plainStep, readJson } from "./forms-support.mjs";

test("every scan is judged at its step, with the events that it shows", () => {
  const rows = readJson("vectors/hostile/scans.json");
  assert.ok(rows.length >= 42);
  for (const { name, refused_at, trusted, scan, events } of rows) {
    const found = judge(() => verifyAny(hash(scan), { trustedHash: hash(trusted) }));
    assert.equal(found.step, plainStep(refused_at), `${name}: ${found.message}`);
    if (refused_at !== null) continue;
    const places = found.result.events.map((event) => [event.number, event.txIndex, event.logIndex]);
    assert.deepEqual(places, events, name);
  }
});
