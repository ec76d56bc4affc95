// Logs that fork, fall back and hide, by keys made here: what a pin makes of them.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { execFileSync } from "node:child_process";
import { SuperRoot, TrustStore } from "../src/index.js";
import { verifyEvidence } from "../src/forms/evidence.js";
import { parseJson } from "../src/forms/json.js";
import { serve } from "./client-support.mjs";
import { newKey, newLog } from "./trust-support.mjs";

const folder = mkdtempSync(join(tmpdir(), "superroot-evidence-"));
after(() => rmSync(folder, { recursive: true }));

/** A service of a log that shows SuperRoot `newest`; `more` answers first. */
function serviceOf(log, newest, more = () => null, signers = undefined) {
  return serve((url) => {
    const own = more(url);
    if (own) return own;
    const query = Object.fromEntries(url.searchParams);
    const named = /^\/v5\/superroot\/(\d+)$/.exec(url.pathname)?.[1];
    if (url.pathname === "/v5/checkpoint") return { body: log.noteOf(Number(query.sequence ?? newest), query.cosigned ? signers : undefined) };
    if (named) return { body: log.pageOf(Number(named)) };
    if (url.pathname === "/v5/superroot/consistency") return { body: log.consistencyOf(Number(query.from), Number(query.to)) };
    const blob = log.roots.find(({ hash }) => url.pathname === `/kv/blob/${hash}`);
    if (blob) return { body: { history: blob.history, slots: blob.slots } };
    return { status: 404, body: { code: "not_found", detail: "no such route", retryable: false } };
  });
}

/** A store with the log's key, pinned at a SuperRoot with its note. */
async function pinnedAt(key, log, sequence, policy) {
  const trust = TrustStore.pin(key.vkey, { policy });
  await trust.advance({ origin: key.name, key: key.vkey, from: null, registry: [],
    to: { sequence, superRootHash: log.roots[sequence].hash, note: log.noteOf(sequence) } });
  return trust;
}

async function updateOf(trust, server, origin) {
  try {
    const before = await trust.log(origin);
    const error = await new SuperRoot({ url: server.url, trust, tries: 1 }).advancePin(origin).then(() => null, (one) => one);
    if (error) assert.deepEqual(await trust.log(origin), before, "the pin did not move");
    return error;
  } finally {
    await server.close();
  }
}

/** Evidence convinces everyone who knows the key: this library and, where there is one, the command line. */
function checkEvidence({ code, evidence, isContradiction }, kind, key, size) {
  assert.deepEqual([code, isContradiction, evidence?.evidence], ["two_histories", true, kind]);
  const shown = verifyEvidence(parseJson(JSON.stringify(evidence)));
  assert.deepEqual([shown.key, shown.size], [key.vkey, BigInt(size)]);
  if (!process.env.SUPERROOT_BIN) return;
  const file = join(folder, "evidence.json");
  writeFileSync(file, JSON.stringify(evidence));
  execFileSync(process.env.SUPERROOT_BIN, ["verify", file]);
}

const key = newKey("log.example.org");
const [log, fork] = [newLog(key, 12), newLog(key, 12, 1)];

test("another_super_root_at_the_size_of_the_pin_leaves_evidence", async () => {
  const error = await updateOf(await pinnedAt(key, log, 5), await serviceOf(fork, 5), key.name);
  checkEvidence(error, "two_notes", key, 6);
});

test("a_longer_log_with_another_past_leaves_evidence", async () => {
  for (const newest of [6, 7, 11]) {
    const error = await updateOf(await pinnedAt(key, log, 5), await serviceOf(fork, newest), key.name);
    checkEvidence(error, "another_history", key, 6);
  }
});

test("a_service_that_withholds_the_evidence_is_refused_all_the_same", async () => {
  const hidden = (url) => (url.pathname === "/v5/superroot/consistency" && url.searchParams.get("strength") === "history" ? { status: 500, body: "" } : null);
  const error = await updateOf(await pinnedAt(key, log, 5), await serviceOf(fork, 9, hidden), key.name);
  assert.deepEqual([error.code, error.isContradiction, error.evidence], ["inconsistent", true, undefined]);
  // an honest log without the proof is no evidence either
  const bare = await updateOf(await pinnedAt(key, log, 5), await serviceOf(log, 9), key.name);
  assert.ok(["inconsistent", "malformed"].includes(bare.code) && !bare.evidence, bare);
});

test("a_pin_by_hand_has_no_note_and_a_fork_of_it_no_evidence", async () => {
  const trust = TrustStore.pin(key.vkey);
  await trust.pinSuperRoot({ origin: key.name, sequence: 5, superRootHash: log.roots[5].hash });
  const error = await updateOf(trust, await serviceOf(fork, 5), key.name);
  assert.deepEqual([error.code, error.isContradiction], ["fork", true]);
});

test("a_service_behind_another_log_and_a_swapped_key_have_their_names", async () => {
  const pin = () => pinnedAt(key, log, 5);
  const other = newKey("other.example.org");
  const stolen = newKey(key.name);
  for (const [expected, server] of [
    ["behind", await serviceOf(log, 3)], ["other_log", await serviceOf(newLog(other, 9), 8)],
    ["signature", await serviceOf(newLog(stolen, 9), 8)],
    ["note_size", await serviceOf(log, 9, (url) => (url.pathname === "/v5/superroot/9" ? { body: log.pageOf(8) } : null))],
    ["not_under_note", await serviceOf(log, 9, (url) => (url.pathname === "/v5/superroot/9" ? { body: fork.pageOf(9) } : null))],
  ]) {
    const error = await updateOf(await pin(), server, key.name);
    assert.equal(error.code, expected, error.stack);
    assert.equal(error.isContradiction, false);
  }
  const error = await updateOf(TrustStore.pinSuperRoot({ origin: key.name, sequence: 5, superRootHash: log.roots[5].hash }), await serviceOf(log, 9), key.name);
  assert.equal(error.code, "no_key");
});

test("a_fork_without_witnesses_is_seen_though_the_policy_asks_for_them", async () => {
  const w = newKey("w.example.org", 4);
  const policy = `witness w ${w.vkey}\nquorum w\n`;
  const trust = await pinnedAt(key, log, 5, policy);
  // the witnesses signed nothing newer than the pin; the key alone signs another past
  const server = await serviceOf(fork, 9, (url) => (url.searchParams.has("cosigned") ? { body: log.noteOf(5, [[key], [w, 1_700_000_100]]) } : null));
  checkEvidence(await updateOf(trust, server, key.name), "another_history", key, 6);
  const none = await updateOf(await pinnedAt(key, log, 5, policy), await serviceOf(log, 5), key.name);
  assert.equal(none.code, "quorum");
});
