import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { ProofError } from "../src/verify/index.js";
import { verifyAny } from "../src/forms/index.js";
import { hash, readJson } from "./forms-support.mjs";

const cycle = /** @type {any} */ ({});
cycle.self = cycle;
let deep = {};
for (let at = 0; at < 100_000; at++) deep = { deep };

/** @type {[string, unknown][]} */
const NONE = [
  ["nothing", undefined], ["null", null], ["a number", 5], ["a bigint", 5n], ["a function", () => 1], ["a symbol", Symbol("x")],
  ["a date", new Date(0)], ["a cycle", cycle], ["a deep object", deep], ["a deep text", "[".repeat(1_000_000)],
  ["deep objects", '{"a":'.repeat(100_000)], ["an empty text", ""], ["no bytes", new Uint8Array()], ["a batch of none", { items: [] }],
  ["a member named twice", '{"a":1,"a":2}'], ["a byte order mark", Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d)],
  ["no UTF-8", Uint8Array.of(0x22, 0xff, 0x22)], ["half a character", '"\\ud800"'], ["a number out of range", "1e999"],
  ["a long number", "9".repeat(1_000_000)], ["a member that throws", { get proofKind() { throw new Error("thrown"); } }],
  ["an object that throws", new Proxy({}, { ownKeys() { throw new Error("thrown"); } })], ["zeros", new Uint8Array(1 << 20)],
  ["a cut proof", new TextEncoder().encode("SRPROOF")], ["a cut scan", new TextEncoder().encode("SRSCAN")], ["hex of nothing", "0x"],
];

test("what is no proof is refused as that", () => {
  for (const [name, input] of NONE) {
    assert.throws(() => verifyAny(input, { trustedHash: new Uint8Array(32) }), (/** @type {any} */ error) =>
      error instanceof ProofError && error.step === "encoding" && !/** @type {any} */ (error.cause)?.stack?.startsWith("TypeError"), name);
  }
});

test("bytes, a buffer, bytes of another realm, a text and parsed JSON are one input", () => {
  const { trusted_from, body } = readJson("vectors/protocol/consistency.json")[0];
  const text = JSON.stringify(body);
  const bytes = new TextEncoder().encode(text);
  const foreign = runInNewContext("Uint8Array.from(all)", { all: [...bytes] });
  assert.ok(!(foreign instanceof Uint8Array));
  for (const input of [bytes, bytes.buffer, new DataView(bytes.buffer), foreign, text, body]) {
    assert.equal(verifyAny(input, { trustedHash: hash(trusted_from), chains: undefined }).form, "consistency");
  }
});
