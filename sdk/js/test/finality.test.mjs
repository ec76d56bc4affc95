// Rows of vectors/finality/finality.json, and whatever is bent in them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { advance, check, checkBlock, FinalitySet, readSet, splitProof } from "../src/finality/index.js";
import { KINDS } from "../src/finality/kinds.js";

const REPOSITORY = new URL("../../../", import.meta.url);
const rows = JSON.parse(readFileSync(new URL("vectors/finality/finality.json", REPOSITORY), "utf8"));
const ORDER = ["work", "commit", "checkpoint", "certificate", "vote", "beacon", "anchor", "producers", "milestone", "grandpa",
  "ledger_info"];

const fromHex = (text) => new Uint8Array(Buffer.from(text.slice(2), "hex"));
const toHex = (bytes) => `0x${Buffer.from(bytes).toString("hex")}`;

/** Params of a row; those of anchors leave the rules of headers to the reader. */
const paramsOf = (row) => {
  const rules = row.kind === "anchor" ? { rule: row.rule, ethereum_rule: 1 } : {};
  return { kind: row.kind, ...rules, ...row.params };
};

const questionOf = (row) => ({ rule: row.rule, number: row.number, hash: fromHex(row.hash) });

/** What a client with the row's set and clock finds. */
function verdictOf(row, { set = fromHex(row.set), id = fromHex(row.id), proof = null } = {}) {
  const params = paramsOf(row);
  const pinned = readSet(params, set, id);
  if (pinned.verdict !== "shown") return pinned;
  const parts = proof ?? splitProof(fromHex(row.finality));
  if (parts.verdict !== undefined && parts.verdict !== "shown") return parts;
  return checkBlock(params, pinned.set, parts, questionOf(row), row.now);
}

/** An error of this module's own is never taken for a refusal. */
function assertNoFault(verdict, what) {
  assert.ok(!("fault" in verdict), `${what}: ${verdict.fault?.stack}`);
}

const statementOf = ({ kind, number, hash, target, set, by }) =>
  [kind, number, toHex(hash), toHex(target), toHex(set), by].join(" ");

/** Verdicts on sets and steps, by all that they depend on: rows of a kind share them. */
const checked = new Map();
function once(key, check) {
  if (!checked.has(key)) checked.set(key, check());
  return checked.get(key);
}

/** Sets of a row with the verdict on each: the pinned one, and one behind each step until the first that shows none. */
function walk(row, steps) {
  const params = paramsOf(row);
  let key = JSON.stringify([params, row.set, row.id, row.now]);
  const verdicts = [once(key, () => readSet(params, fromHex(row.set), fromHex(row.id)))];
  for (const step of steps) {
    const { verdict, set } = verdicts.at(-1);
    if (verdict !== "shown") break;
    key += toHex(step);
    verdicts.push(once(key, () => advance(params, set, step, row.now)));
  }
  return verdicts;
}

/** A row of each kind that shows something by steps. */
const stepped = new Set(ORDER.map((kind) => rows.find((row) => row.kind === kind && row.steps > 0)));

/** The same verdict with each step checked once. In a row of each kind, and where a step is skipped, the check takes them all
 * by itself; in all rows with FLIPS=all. */
function verdictOfRow(row) {
  const parts = splitProof(fromHex(row.finality));
  if (process.env.FLIPS === "all" || stepped.has(row) || parts.verdict !== "shown") return verdictOf(row);
  const read = walk(row, parts.steps).at(-1);
  if (read.verdict !== "shown") return read.code === "set" ? verdictOf(row) : read;
  const verdict = checkBlock(paramsOf(row), read.set, { ...parts, steps: [] }, questionOf(row), row.now);
  return verdict.verdict === "shown" ? { ...verdict, steps: parts.steps.length } : verdict;
}

/** What each row says, found once. */
const verdicts = new Map(rows.map((row) => [row.name, verdictOfRow(row)]));

test("every row gives the verdict of the Rust verifier", () => {
  const counts = { shown: 0, not_enough: 0, refused: 0 };
  const unchecked = [];
  for (const row of rows) {
    const verdict = verdicts.get(row.name);
    assertNoFault(verdict, row.name);
    if (verdict.code === "unchecked") {
      unchecked.push(row.name);
      continue;
    }
    assert.equal(verdict.verdict, row.verdict, `${row.name}: ${verdict.reason ?? verdict.by}`);
    counts[verdict.verdict] += 1;
    if (row.reason_words !== undefined) assert.equal(verdict.reason, row.reason_words, row.name);
    if (verdict.verdict !== "shown") continue;
    assert.equal(verdict.steps, row.steps, row.name);
    assert.equal(verdict.number, row.shown_number === null ? null : BigInt(row.shown_number), row.name);
    assert.equal(toHex(verdict.hash), row.hash, row.name);
  }
  if (unchecked.length > 0) console.error(`${unchecked.length} ROWS ARE NOT CHECKED HERE:\n${unchecked.join("\n")}`);
  assert.deepEqual(unchecked, [], "every kind is done");
  assert.deepEqual(counts, { shown: 31, not_enough: 63, refused: 108 });
  assert.deepEqual(new Set(rows.map((row) => row.kind)), new Set(ORDER));
});

test("reasons, trust and bytes of kinds are those of the Rust verifier", () => {
  const source = (name) => readFileSync(new URL(`crates/proof/src/finality/${name}`, REPOSITORY), "utf8");
  const formats = [...source("verdict.rs").matchAll(/#\[error\("(.*)"\)\]/g)].map(([, format]) => format);
  // a format that is a word alone holds whatever the code says
  const written = formats.filter((format) => format !== "{what}").map((format) =>
    new RegExp(`^${format.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\w+\}/g, ".+")}$`));
  assert.ok(written.length >= 17, `${written.length} formats`);
  const kinds = source("kind.rs");
  const said = new Set();
  for (const row of rows) {
    const { reason, code } = verdicts.get(row.name);
    if (reason === undefined) continue;
    said.add(code);
    const isWritten = written.some((format) => format.test(reason));
    // the whole reason is a rule's own words, which the next test looks up
    assert.ok(isWritten || code === "order", `${row.name}: ${reason}`);
  }
  assert.ok(said.size >= 10, [...said].join(", "));
  for (const [name, { byte, bindsNumber, trust }] of KINDS) {
    const line = new RegExp(`0x${byte.toString(16)} \\w+ "${name}" \\w+ \\w+ ${bindsNumber}\\s+"([^"]*)";`).exec(kinds);
    assert.equal(line?.[1], trust, name);
  }
  const bytes = [...kinds.matchAll(/^ {4}0x([0-9a-f]{2}) \w+ "/gm)].map(([, digits]) => parseInt(digits, 16));
  assert.deepEqual([...KINDS.values()].map(({ byte }) => byte), bytes);
});

/** Words of refusals that name a rule stand in the Rust sources of their kind. */
test("rules that are broken are named in the words of the Rust verifier", () => {
  const FOLDERS = { ledger_info: ["ledger_info"], anchor: ["anchor", "beacon"], milestone: ["milestone", "commit"] };
  for (const row of rows) {
    const { reason, code } = verdicts.get(row.name);
    if (code !== "order" && code !== "header" && code !== "encoding" && code !== "branch") continue;
    const words = reason.replace(/^header \d+ breaks a rule: /, "").replace(/ (cannot be read|is not under its root)$/, "");
    const folders = FOLDERS[row.kind] ?? [row.kind];
    assert.ok(folders.some((folder) => rustSource(folder).includes(`"${words}"`)), `${row.name}: ${words}`);
  }
});

/** Rows that a laxer check would answer with the same verdict for another reason. */
const REASONS = {
  "work: work that is too cheap": "header 4013 has too little work to count",
  "commit: a step of strangers": "20 of 90 signed it, 31 must",
  "commit: a third of the trusted power exactly": "30 of 90 signed it, 31 must",
  "checkpoint: a step that ends no epoch": "the checkpoint does not end its epoch",
  "vote: a step with a gap": "header 0 of the link is not the one that is named",
  "beacon: the committee of a step bent": "next committee is not under its root",
  "anchor: a node twice, of base": "registry is not under its root",
  "producers: real headers signed by strangers": "0 of 27 signed it, 23 must",
  "producers: a key that is delegated no longer": "18 of 27 signed it, 19 must",
  "milestone: a leaf as an inner node": "path of the milestone cannot be read",
  "grandpa: votes past a set's last block": "a vote is for a block past the set's last",
  "grandpa: a descendant without a vote": "votes cannot be read",
  "ledger_info: a block in order alone": "the ledger info is of a block before execution",
  "ledger_info: a path from the version itself": "path cannot be read",
};

test("a row fails for its own reason", () => {
  for (const [name, reason] of Object.entries(REASONS)) assert.equal(verdicts.get(name)?.reason, reason, name);
});

const sources = new Map();
function rustSource(folder) {
  if (!sources.has(folder)) {
    const names = ["set", "body", "params", "headers", "run", "members", "update", "verify", "rules", "extra", "contract",
      "ethereum", "evidence", "store", "validators", "authorities", "signed", "committee"];
    const files = names.flatMap((name) => {
      try {
        return [readFileSync(new URL(`crates/proof/src/finality/${folder}/${name}.rs`, REPOSITORY), "utf8")];
      } catch {
        return [];
      }
    });
    sources.set(folder, files.join("\n"));
  }
  return sources.get(folder);
}

/** Places of a part that are tried, fewer where each check takes long; all of them with FLIPS=all. */
const SAMPLES = { beacon: 3, anchor: 3, vote: 3, checkpoint: 3, certificate: 5, ledger_info: 3, producers: 2, commit: 16,
  milestone: 16, grandpa: 16, work: 200 };

/** Seconds by which evidence may be ahead of the clock. */
const AHEAD = { commit: 9n, milestone: 9n, work: 7_200n };

/** @returns {Uint8Array} the same bytes but one bit */
function flipped(bytes, place) {
  const bent = bytes.slice();
  bent[place] ^= 1 << (place % 8);
  return bent;
}

/** Places that are tried: all, or as many as are sampled, spread over the bytes. */
function placesOf(kind, bytes) {
  const count = process.env.FLIPS === "all" ? bytes.length : Math.min(bytes.length, SAMPLES[kind]);
  return Array.from({ length: count }, (_, at) => Math.floor(((at + 0.5) * bytes.length) / count));
}

/** A shown row with its sets: before each step, and the signing one last. */
function walkOf(row) {
  const params = paramsOf(row);
  const proof = splitProof(fromHex(row.finality));
  const verdicts = walk(row, proof.steps);
  const sets = verdicts.filter(({ verdict }) => verdict === "shown").map(({ set }) => set);
  // steps to the own set or an earlier one are skipped
  assert.ok(verdicts.every(({ verdict, code }) => verdict === "shown" || code === "set"));
  for (const step of proof.steps.slice(verdicts.length - 1)) {
    const next = advance(params, sets.at(-1), step, row.now);
    if (next.verdict === "shown") sets.push(next.set);
    else assert.equal(next.code, "set");
  }
  return { row, params, proof, sets, signer: sets.at(-1) };
}

/** Rows of a kind that together have evidence, a step and a link. */
function shownRows(kind) {
  const shown = rows.filter((row) => row.kind === kind && row.verdict === "shown");
  const hasStep = shown.find((row) => row.steps > 0) ?? shown[0];
  const hasLink = shown.find((row) => splitProof(fromHex(row.finality)).link.length > 0);
  return { whole: walkOf(hasStep), linked: hasLink && walkOf(hasLink) };
}

for (const kind of ORDER) {
  const { whole, linked } = shownRows(kind);
  const { row, params, proof, sets, signer } = whole;
  const honest = statementOf(verdicts.get(row.name));

  test(`${kind}: no flipped byte shows another statement`, () => {
    let [tried, same] = [0, 0];
    const tryAll = (name, bytes, run, expected, statement) => {
      for (const place of placesOf(kind, bytes)) {
        const verdict = run(flipped(bytes, place));
        assertNoFault(verdict, `${name}, byte ${place}`);
        tried += 1;
        if (verdict.verdict !== "shown") continue;
        same += 1;
        assert.equal(statement(verdict), expected, `${name}, byte ${place}`);
      }
    };
    const onBlock = (of, parts) =>
      checkBlock(of.params, of.signer, { ...of.proof, steps: [], ...parts }, questionOf(of.row), of.row.now);
    tryAll("evidence", proof.evidence, (evidence) => onBlock(whole, { evidence }), honest, statementOf);
    tryAll("set", fromHex(row.set), (set) => readSet(params, set, fromHex(row.id)), row.id, ({ set }) => toHex(set.id));
    const nameOf = (set) => `${set.number} ${toHex(set.id)}`;
    sets.slice(1).forEach((next, at) => tryAll(`step ${at}`, proof.steps[at], (step) => {
      const verdict = advance(params, sets[at], step, row.now);
      if (kind !== "work" || verdict.verdict !== "shown") return verdict;
      // the last header's work is so little that another one has as much; the evidence is not about it
      assertNoFault(verdict, `step ${at}`);
      return verdictOf(row, { proof: { ...proof, steps: proof.steps.with(at, step) } });
    }, nameOf(next), ({ set }) => nameOf(set)));
    if (linked) {
      const below = statementOf(verdicts.get(linked.row.name));
      tryAll("link", linked.proof.link, (link) => onBlock(linked, { link }), below, statementOf);
    }
    console.log(`${kind}: ${tried} flipped bytes, of which ${same} leave the statement as it is`);
    assert.ok(tried >= 2 * SAMPLES[kind] && same * 3 < tried, `${same} of ${tried} flips change nothing`);
  });

  test(`${kind}: a set that is not pinned shows no other statement under the pinned id`, () => {
    const set = fromHex(row.set);
    for (const place of placesOf(kind, set)) {
      const read = readSet(params, flipped(set, place));
      assertNoFault(read, `byte ${place}`);
      if (read.verdict !== "shown" || toHex(read.set.id) !== row.id) continue;
      if (read.set.number !== sets[0].number) continue;
      const verdict = checkBlock(params, read.set, proof, questionOf(row), row.now);
      assertNoFault(verdict, `byte ${place}`);
      if (verdict.verdict === "shown") assert.equal(statementOf(verdict), honest, `byte ${place}`);
    }
  });

  test(`${kind}: the first and the last second that count`, () => {
    const at = (now) => check(params, signer, proof.evidence, now);
    const shown = at(row.now);
    const first = shown.at - (AHEAD[kind] ?? 0n);
    assert.equal(at(first).verdict, "shown");
    assert.equal(at(first - 1n).code, "early");
    const last = signer.trustedUntil(params);
    if (last === null) {
      assert.equal(at(1n << 60n).verdict, "shown", "for ever");
      return;
    }
    assert.equal(at(last).verdict, "shown");
    assert.equal(at(Number(last) + 0.9).verdict, "shown", "a part of a second is cut off");
    assert.equal(at(last + 1n).code, "expired");
    assert.ok(signer.begins(params) === null || signer.begins(params) < last);
    const [before, after] = sets.slice(-2);
    if (!after) return;
    assert.equal(advance(params, before, proof.steps[sets.length - 2], before.trustedUntil(params)).verdict, "shown");
    assert.equal(advance(params, before, proof.steps[sets.length - 2], before.trustedUntil(params) + 1n).code, "expired");
  });

  test(`${kind}: what is cut short or longer shows nothing`, () => {
    const every = (bytes, run) => {
      const lengths = Array.from({ length: 12 }, (_, at) => Math.floor((at * bytes.length) / 12));
      const bent = [...lengths, bytes.length - 1].map((length) => bytes.subarray(0, length));
      for (const one of [...bent, new Uint8Array([...bytes, 0])]) {
        const verdict = run(one);
        assertNoFault(verdict, `${one.length} bytes`);
        assert.notEqual(verdict.verdict, "shown", `${one.length} of ${bytes.length} bytes`);
      }
    };
    every(proof.evidence, (evidence) => check(params, signer, evidence, row.now));
    every(fromHex(row.set), (set) => readSet(params, set, fromHex(row.id)));
    sets.slice(1).forEach((_, at) => every(proof.steps[at], (step) => advance(params, sets[at], step, row.now)));
    if (linked) {
      every(linked.proof.link, (link) =>
        checkBlock(linked.params, linked.signer, { ...linked.proof, steps: [], link }, questionOf(linked.row), row.now));
    }
  });
}
