import assert from "node:assert/strict";
import crypto from "node:crypto";
import { test } from "node:test";
import { verify as ed25519, isKey } from "../src/verify/ed25519.js";
import { fromHex, toHex } from "../src/verify/hash.js";
import { parseAnyKey, parseKey, signedBy, splitNote } from "../src/verify/note.js";
import { NoteError, parsePolicy, verifyNote } from "../src/verify/policy.js";
import { Fault } from "../src/verify/reader.js";
import { read } from "./vectors.mjs";

/** @param {() => any} run @returns {any} what it returns, or the name of the refusal */
function attempt(name, run) {
  try {
    return { value: run() };
  } catch (error) {
    if (error instanceof NoteError) return { refused: error.step };
    if (error instanceof Fault) return { refused: name };
    throw error;
  }
}

test("notes, keys and policies: what they show, or the step", () => {
  for (const { name, reason, refused_at: step, key, policy, note, shows } of read("notes/notes.json")) {
    const asked = policy === null ? { value: null } : attempt("policy", () => parsePolicy(policy));
    const own = attempt("key", () => parseAnyKey(key));
    const checked = asked.refused || own.refused ? { refused: asked.refused ?? own.refused }
      : attempt("", () => verifyNote(note, { key: own.value, policy: asked.value }));
    assert.equal(checked.refused ?? null, step, `${name}: ${reason}`);
    if (step !== null) continue;
    const { origin, size, root } = checked.value;
    assert.deepEqual({ origin, size: String(size), root: toHex(root) }, shows, name);
  }
});

test("cosignatures: their time, or why they do not count", () => {
  for (const { name, reason, refused_at: step, key, note, time } of read("notes/cosignatures.json")) {
    const own = attempt("key", () => parseAnyKey(key));
    const split = own.refused ? own : attempt("note", () => splitNote(note));
    const signed = split.refused ? null : signedBy(split.value, own.value);
    const got = split.refused ?? ({ signed: null, unsigned: "unsigned", false: "signature" })[signed.state];
    assert.equal(got, step, `${name}: ${reason}`);
    if (step === null) assert.equal(signed.time === null ? null : Number(signed.time), time, name);
  }
});

test("lines of a policy end in a newline, or in a carriage return and a newline", () => {
  const witness = read("notes/notes.json").find((row) => row.policy?.startsWith("witness w1")).policy.split("\n")[0];
  assert.equal(parsePolicy(`# a\r\n\r\n${witness}\t\r\nquorum w1`).quorum, "w1");
  for (const text of ["", "quorum none\r", "quorum none\r\r\n", "quorum\u0000none\n", `${"x".repeat(65537)}`]) {
    assert.throws(() => parsePolicy(text), Fault, JSON.stringify(text.slice(0, 20)));
  }
});

test("a witness's key is no log's", () => {
  const [{ key: witness }, { key: log }] = read("notes/cosignatures.json");
  assert.throws(() => parseKey(witness), Fault);
  assert.equal(parseKey(log).kind, "log");
});

/** Little-endian, 32 bytes. @param {bigint} value */
const bytesOf = (value) => Uint8Array.from({ length: 32 }, (_, at) => Number((value >> BigInt(8 * at)) & 255n));
const [P, ORDER] = [2n ** 255n - 19n, 2n ** 252n + 27742317777372353535851937790883648493n];

test("Ed25519: what node signs holds, and nothing else", () => {
  for (let round = 0; round < 8; round++) {
    const { publicKey, privateKey } = crypto.generateKeyPairSync("ed25519");
    const key = Uint8Array.from(publicKey.export({ type: "spki", format: "der" }).subarray(-32));
    const message = crypto.randomBytes(round * 37);
    const signature = Uint8Array.from(crypto.sign(null, message, privateKey));
    assert.ok(ed25519(key, message, signature));
    for (let at = round; at < 64; at += 8) {
      const other = Uint8Array.from(signature);
      other[at] ^= 1 << (at % 8);
      assert.ok(!ed25519(key, message, other), `bit of byte ${at}`);
    }
    const s = signature.slice(32).reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
    const more = Uint8Array.from([...signature.slice(0, 32), ...bytesOf(s + ORDER)]);
    assert.ok(!ed25519(key, message, more), "S + L");
    assert.ok(!ed25519(key, Buffer.concat([message, Buffer.from([0])]), signature));
    assert.ok(!ed25519(key, message, signature.subarray(1)) && !ed25519(key.subarray(1), message, signature));
  }
});

test("Ed25519: points of small order sign nothing, in whatever form they are written", () => {
  const order8 = fromHex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")
    .reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
  const ys = [0n, 1n, P - 1n, P, P + 1n, order8, P - order8];
  const forms = ys.flatMap((y) => [bytesOf(y), bytesOf(y | (1n << 255n))]);
  for (const key of forms) {
    assert.ok(isKey(key), `${toHex(key)} is a point`);
    for (const r of forms) {
      for (const s of [0n, 1n, 8n]) {
        const signature = Uint8Array.from([...r, ...bytesOf(s)]);
        for (let message = 0; message < 4; message++) assert.ok(!ed25519(key, Uint8Array.of(message), signature));
      }
    }
  }
  assert.ok(!isKey(bytesOf(2n)), "no point has this y");
});
