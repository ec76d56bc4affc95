// The trust store: its forms, its rules, damage, an older copy, and two processes at once.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, copyFileSync, lstatSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { TrustStore } from "../src/index.js";
import { readLogs, writeLogs } from "../src/trust/text.js";
import { readTables, tomlString } from "../src/trust/toml.js";
import { sha256, toHex, utf8 } from "../src/verify/hash.js";
import { newKey, newLog } from "./trust-support.mjs";

const folder = mkdtempSync(join(tmpdir(), "superroot-trust-"));
after(() => rmSync(folder, { recursive: true }));
let files = 0;
const newPath = () => join(folder, `${files++}`, "trust.toml");
const hashOf = (byte) => `0x${byte.toString(16).padStart(2, "0").repeat(32)}`;
const refused = (code) => (error) => error.name === "TrustError" && error.code === code || assert.fail(`${error.code}: ${error.stack}`);
const signed = (rest) => `# superroot trust store; sha256 of the lines below: ${toHex(sha256(utf8(rest)))}\n${rest}`;

test("a_store_keeps_keys_policies_and_pins_over_every_storage", async () => {
  const [key, witness] = [newKey("log.example.org"), newKey("w.example.org/1", 4)];
  const policy = `witness w ${witness.vkey} https://w.example.org\nquorum w\n`;
  const items = new Map();
  const storage = { getItem: (name) => items.get(name) ?? null, setItem: (name, text) => void items.set(name, text) };
  const path = newPath();
  for (const open of [() => TrustStore.localStorage({ storage }), () => TrustStore.file(path)]) {
    assert.deepEqual(await open().logs(), []);
    await open().pinKey(key.vkey, { policy, firstUse: true });
    await open().pinSuperRoot({ origin: "log.example.org", sequence: 7, superRootHash: hashOf(7) });
    await open().pinSuperRoot({ origin: "other.example.org", sequence: 3, superRootHash: hashOf(3) });
    const [log, other] = await open().logs();
    assert.deepEqual(log, { origin: "log.example.org", key: { key: key.vkey, firstUse: true, policy }, registry: [],
      pins: [{ sequence: 7, superRootHash: hashOf(7), note: null }] });
    assert.equal(other.key, null);
    await open().pinKey(key.vkey);
    assert.equal((await open().log("log.example.org")).key.firstUse, false, "a given key confirms it");
    assert.equal((await open().log("log.example.org")).key.policy, policy, "the policy stays");
    await open().remove("log.example.org", 7);
    await open().remove("other.example.org");
    assert.deepEqual((await open().logs()).map((one) => [one.origin, one.pins.length]), [["log.example.org", 0]]);
  }
  assert.deepEqual(readdirSync(join(path, "..")).filter((name) => name.endsWith(".new")), []);
});

test("what_is_pinned_is_never_exchanged_in_silence", async () => {
  const [key, next] = [newKey("log.example.org"), newKey("log.example.org")];
  const store = TrustStore.pin(key.vkey);
  await assert.rejects(store.pinKey(next.vkey), refused("other_key"));
  await store.pinSuperRoot({ origin: key.name, sequence: 1, superRootHash: hashOf(1) });
  await assert.rejects(store.pinSuperRoot({ origin: key.name, sequence: 1, superRootHash: hashOf(2) }), refused("fork"));
  await store.pinKey(next.vkey, { replaces: true });
  const log = await store.log(key.name);
  assert.deepEqual([log.key.key, log.pins.length], [next.vkey, 1]);
  await assert.rejects(store.pinKey(newKey("w", 4).vkey), refused("key"));
  await assert.rejects(store.pinKey(`${key.vkey.slice(0, -5)}AAAA=`), refused("key"));
  await assert.rejects(store.pinKey(newKey("Log.example.org").vkey), refused("confusing"));
  await assert.rejects(store.pinKey(newKey("l\u043eg.example.org").vkey), refused("confusing"));
  await assert.rejects(store.pinKey(next.vkey, { policy: "quorum of\n" }), refused("policy"));
  await assert.rejects(store.pinKey(next.vkey, { policy: `log ${key.vkey}\nquorum none\n` }), refused("policy"));
  for (const wrong of [-1, 1.5, 2 ** 53]) {
    await assert.rejects(store.pinSuperRoot({ origin: key.name, sequence: wrong, superRootHash: hashOf(1) }), refused("malformed"));
  }
});

test("every_cut_and_every_changed_byte_of_a_file_is_refused", async () => {
  const path = newPath();
  const key = newKey("log.example.org");
  await TrustStore.file(path).pinKey(key.vkey);
  await TrustStore.file(path).pinSuperRoot({ origin: key.name, sequence: 7, superRootHash: hashOf(7) });
  const whole = readFileSync(path);
  for (let at = 0; at < whole.length; at++) {
    writeFileSync(path, whole.subarray(0, at));
    await assert.rejects(TrustStore.file(path).logs(), refused("malformed"), `cut at ${at}`);
    const flipped = Buffer.from(whole);
    flipped[at] ^= 1;
    writeFileSync(path, flipped);
    await assert.rejects(TrustStore.file(path).logs(), refused("malformed"), `byte ${at}`);
    if (at % 32 === 0) await assert.rejects(TrustStore.file(path).pinKey(key.vkey, { firstUse: true }), refused("malformed"));
    assert.deepEqual(readFileSync(path), flipped, "a damaged file is left as it is");
  }
  writeFileSync(path, whole);
  assert.equal((await TrustStore.file(path).logs()).length, 1);
});

test("a_file_with_a_right_checksum_and_wrong_content_is_refused", () => {
  const key = newKey("log.example.org").vkey;
  const pin = (sequence, hash = hashOf(1)) => `[[log.pin]]\nsequence = ${sequence}\nsuper_root_hash = "${hash}"\n`;
  const log = `[[log]]\norigin = "log.example.org"\nkey = "${key}"\n`;
  assert.equal(readLogs(signed(log + pin(1) + pin(2))).length, 1);
  assert.deepEqual(readLogs(signed("")), []);
  assert.deepEqual(readLogs(writeLogs([])), []);
  for (const [why, rest] of Object.entries({
    "unknown key": `${log}colour = "red"\n`, "key twice": `${log}key = "${key}"\n`, "log twice": log + log,
    "no origin": `[[log]]\nkey = "${key}"\n`, "another origin": log.replace("log.example.org", "log.example.com"),
    "falling pins": log + pin(2) + pin(1), "pin twice": log + pin(1) + pin(1), "short hash": log + pin(1, "0x12"),
    "a pin of no log": pin(1), "negative": log + pin(-1), "2^53": log + pin(2 ** 53), "a fraction": log + pin("1.5"),
    "no profile": `${log}registry = ["0x08"]\n`, "text for truth": `${log}first_use = "true"\n`,
    "table": `${log}[log.other]\n`,
    "two values": `[[log]] origin = "a"\n`, "open string": `[[log]]\norigin = "a\n`, "a control": `[[log]]\norigin = "a\u0001"\n`,
  })) assert.throws(() => readLogs(signed(rest)), refused("malformed"), why);
  assert.throws(() => readLogs(signed(log + Array.from({ length: 65 }, (_, at) => pin(at)).join(""))), refused("full"));
  assert.throws(() => readLogs(signed(`[[log]]\norigin = "Log"\nkey = "${newKey("Log").vkey}"\n`)), refused("confusing"));
});

test("strings_of_the_command_line_are_read_in_all_four_forms", () => {
  const text = ['[[log]] # comment', 'a = "b\\"\\\\\\u00e9\\n"', "c = 'd\\'", 'e = """', 'f "g"', '', 'h\\t"""', "i = '''", "j'k", "'''",
    "l = [ 'm', \"n\", ]", "o = true", "p = 12", ""].join("\n");
  const [{ values }] = readTables(text);
  assert.deepEqual(Object.fromEntries(values), { a: 'b"\\\u00e9\n', c: "d\\", e: 'f "g"\n\nh\t', i: "j'k\n", l: ["m", "n"], o: true, p: 12 });
  const odd = "\u0000\b\t\n\f\r\u001b\"\\\u007f\u00e9\u{1f600}'''\"\"\"";
  assert.equal(readTables(`[[log]]\na = ${tomlString(odd)}\n`)[0].values.get("a"), odd);
  for (const wrong of ["a = \"\\q\"", "a = \"\\ud800\"", "a = 01", "a = 1_0", "a = tru", "a = [1]", "a = {}", "a.b = 1", "a = 1 b", "= 1",
    "a = \"x\" y", "a = [\"x\" \"y\"]", "a = 99999999999999999999", "a = \"\\constructor\""]) {
    assert.throws(() => readTables(`[[log]]\n${wrong}\n`), /^Error: line 2:/, wrong);
  }
});

test("an_older_copy_is_refused_by_whoever_read_the_newer_one", async () => {
  const path = newPath();
  const store = TrustStore.file(path);
  await store.pinSuperRoot({ origin: "log.example.org", sequence: 7, superRootHash: hashOf(7) });
  copyFileSync(path, `${path}.backup`);
  await store.pinSuperRoot({ origin: "log.example.org", sequence: 9, superRootHash: hashOf(9) });
  copyFileSync(`${path}.backup`, path);
  await assert.rejects(store.logs(), refused("older"));
  await assert.rejects(store.pinSuperRoot({ origin: "log.example.org", sequence: 8, superRootHash: hashOf(8) }), refused("older"));
  assert.equal((await TrustStore.file(path).log("log.example.org")).pins.length, 1, "opened again, it is what it is");
});

test("two_processes_lose_no_pin_of_each_other", async () => {
  const path = newPath();
  const script = `import { TrustStore } from ${JSON.stringify(new URL("../src/index.js", import.meta.url).href)};
    const store = TrustStore.file(process.argv[1]);
    for (let at = 0; at < 12; at++) await store.pinSuperRoot({ origin: "log.example.org", sequence: 2 * at + Number(process.argv[2]),
      superRootHash: "0x" + "ab".repeat(32) });`;
  const run = (which, env) => promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, path, String(which)], { env });
  await Promise.all([run(0, process.env), run(1, process.env)]);
  assert.equal((await TrustStore.file(path).log("log.example.org")).pins.length, 24);
  // where there is no program `flock`, the processes exclude each other by a file
  rmSync(path);
  await Promise.all([run(0, { PATH: "/nowhere" }), run(1, { PATH: "/nowhere" })]);
  assert.equal((await TrustStore.file(path).log("log.example.org")).pins.length, 24);
});

test("a_change_between_reading_and_writing_is_refused", async () => {
  const items = new Map();
  let reads = 0;
  const storage = { setItem: (name, text) => void items.set(name, text),
    // another tab writes after the first read
    getItem: (name) => (reads++ === 1 ? "another text" : items.get(name) ?? null) };
  await assert.rejects(TrustStore.localStorage({ storage }).pinSuperRoot({ origin: "a", sequence: 1, superRootHash: hashOf(1) }), refused("changed"));
  assert.equal(items.size, 0);
  const full = { getItem: () => null, setItem: () => { throw new Error("quota"); } };
  await assert.rejects(TrustStore.localStorage({ storage: full }).pinSuperRoot({ origin: "a", sequence: 1, superRootHash: hashOf(1) }), refused("file"));
});

test("a_file_keeps_its_permissions_and_a_link_stays_a_link", async () => {
  const path = newPath();
  await TrustStore.file(path).pinSuperRoot({ origin: "a", sequence: 1, superRootHash: hashOf(1) });
  chmodSync(path, 0o600);
  const link = join(folder, "link.toml");
  symlinkSync(path, link);
  await TrustStore.file(link).pinSuperRoot({ origin: "a", sequence: 2, superRootHash: hashOf(2) });
  assert.ok(lstatSync(link).isSymbolicLink());
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal((await TrustStore.file(path).log("a")).pins.length, 2);
  await assert.rejects(TrustStore.file(folder).logs(), refused("file"));
});

/** Facts of a proof under a SuperRoot of the log, with the note of `size` SuperRoots. */
async function factsOf(log, sequence, note) {
  const { parseNote } = await import("../src/verify/note.js");
  const { fromHex } = await import("../src/verify/hash.js");
  return { origin: log.origin ?? "log.example.org", chain: { family: 0, id: 1 }, number: 5,
    superRoot: { sequence, hash: fromHex(log.roots[sequence].hash), note: note ? parseNote(note) : null } };
}

test("a_proof_is_judged_by_pins_key_quorum_and_one_history", async () => {
  const [key, w] = [newKey("log.example.org"), newKey("w.example.org", 4)];
  const [log, fork] = [newLog(key, 9), newLog(key, 9, 1)];
  const reason = async (store, facts) => store.judge(await facts).then(({ by, size, witnessed }) => `${by} ${size} ${witnessed}`, (error) => error.code);
  const byKey = TrustStore.pin(key.vkey);
  assert.equal(await reason(byKey, factsOf(log, 3, log.noteOf(5))), "not_joined 6 false");
  assert.equal(await reason(byKey, factsOf(log, 3)), "no_note");
  assert.equal(await reason(byKey, factsOf(log, 3, log.noteOf(5, [[newKey("log.example.org")]]))), "signature");
  assert.equal(await reason(TrustStore.memory(), factsOf(log, 3, log.noteOf(5))), "unknown_log");
  const policy = `witness w ${w.vkey}\nquorum w\n`;
  const byQuorum = TrustStore.pin(key.vkey, { policy });
  assert.equal(await reason(byQuorum, factsOf(log, 3, log.noteOf(5))), "quorum");
  assert.equal(await reason(byQuorum, factsOf(log, 3, log.noteOf(5, [[key], [w, 1_700_000_100]]))), "not_joined 6 true");
  assert.equal(await reason(byQuorum, factsOf(log, 3, log.noteOf(5, [[key], [newKey("w.example.org", 4), 1]]))), "quorum");
  // a pin with its note
  const pinned = TrustStore.pin(key.vkey);
  await pinned.advance({ origin: key.name, key: key.vkey, from: null, registry: [],
    to: { sequence: 5, superRootHash: log.roots[5].hash, note: log.noteOf(5) } });
  assert.equal(await reason(pinned, factsOf(log, 5)), "pin null false");
  assert.equal(await reason(pinned, factsOf(log, 3, log.noteOf(5))), "joined 6 false");
  assert.equal(await reason(pinned, factsOf(log, 3, log.noteOf(4))), "older_note");
  assert.equal(await reason(pinned, factsOf(fork, 5)), "fork");
  const refusal = await pinned.judge(await factsOf(fork, 3, fork.noteOf(5))).catch((error) => error);
  assert.equal(refusal.code, "two_histories");
  assert.deepEqual(refusal.evidence, { evidence: "two_notes", key: key.vkey, notes: [log.noteOf(5), fork.noteOf(5)] });
  assert.ok(refusal.isContradiction);
  // a log without a key
  const byHash = TrustStore.pinSuperRoot({ origin: key.name, sequence: 5, superRootHash: log.roots[5].hash });
  assert.equal(await reason(byHash, factsOf(log, 5)), "pin null false");
  assert.equal(await reason(byHash, factsOf(log, 4, log.noteOf(4))), "no_key");
});

test("a_withdrawn_block_is_true_under_no_super_root", async () => {
  const key = newKey("log.example.org");
  const log = newLog(key, 9);
  const profile = "0x08000000000000000001086569703135353a310200000000000000000001" + "00000000000000050000";
  const store = TrustStore.pin(key.vkey);
  await store.advance({ origin: key.name, key: key.vkey, from: null, registry: [profile], to: { sequence: 5, superRootHash: log.roots[5].hash, note: log.noteOf(5) } });
  const facts = await factsOf(log, 3, log.noteOf(5));
  await assert.rejects(store.judge(facts), (error) => error.code === "withdrawn" && error.isContradiction);
  assert.equal((await store.judge({ ...facts, number: 4 })).by, "joined");
  assert.equal((await store.judge({ ...facts, chain: { family: 0, id: 10 } })).by, "joined");
});

test("a_step_for_another_state_of_the_store_is_refused", async () => {
  const key = newKey("log.example.org");
  const log = newLog(key, 70);
  const to = (sequence) => ({ sequence, superRootHash: log.roots[sequence].hash, note: log.noteOf(sequence) });
  const step = (from, sequence) => ({ origin: key.name, key: key.vkey, registry: [], from, to: to(sequence) });
  const store = TrustStore.pin(key.vkey);
  await assert.rejects(store.advance(step(to(1), 2)), refused("changed"));
  await store.advance(step(null, 1));
  await assert.rejects(store.advance(step(null, 2)), refused("changed"));
  await assert.rejects(store.advance({ ...step(to(1), 2), key: newKey(key.name).vkey }), refused("changed"));
  for (let at = 2; at < 70; at++) await store.advance(step(to(at - 1), at));
  const { pins } = await store.log(key.name);
  assert.deepEqual([pins.length, pins[0].sequence, pins[63].sequence], [64, 6, 69], "the newest 64 are kept");
});
