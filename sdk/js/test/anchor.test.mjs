// Whose SuperRoot a proof ends in: notes with signatures and cosignatures, made here; and files with evidence of finality.
import assert from "node:assert/strict";
import crypto from "node:crypto";
import { test } from "node:test";
import { Fault, ProofError, checkAnchor, decode, parseKey, parsePolicy, readFinality, verify, verifyLevels,
  verifyProof, CHAINS } from "../src/verify/index.js";
import { concat, fromHex, keccak256, sha256, toHex, u64, utf8 } from "../src/verify/hash.js";
import { read, rows, verdict } from "./vectors.mjs";

const { bytes: PROOF, trust: TRUST } = rows("valid/ledgers.json").find(({ name }) => name === "icp, block 7, event 0/0");

/** A key pair under a name: `vkey`, and `sign(text, time)`, which gives a line of a note. */
function signer(name, kind) {
  const { publicKey, privateKey } = crypto.generateKeyPairSync("ed25519");
  const body = concat([kind], publicKey.export({ type: "spki", format: "der" }).subarray(-32));
  const id = sha256(utf8(`${name}\n`), body).subarray(0, 4);
  const vkey = `${name}+${toHex(id).slice(2)}+${Buffer.from(body).toString("base64")}`;
  const sign = (text, time) => {
    const message = kind === 1 ? text : `cosignature/v1\ntime ${time}\n${text}`;
    const signature = crypto.sign(null, utf8(message), privateKey);
    const line = concat(id, kind === 1 ? [] : u64(time), signature);
    return `\u2014 ${name} ${Buffer.from(line).toString("base64")}\n`;
  };
  return { vkey, sign };
}

const ORIGIN = decode(PROOF).origin;
const [LOG, W1, W2, STRANGER] = [signer(ORIGIN, 1), signer("w1.example", 4), signer("w2.example", 4), signer(ORIGIN, 1)];
const WITNESSES = `witness a ${W1.vkey}\nwitness b ${W2.vkey}\n`;

/** The proof with a note of a log of `size` entries that holds its SuperRoot. */
function noted(lines, { size = 64, origin = ORIGIN, change = (text) => text } = {}) {
  const { preimage } = decode(PROOF).superRoot;
  const sequence = Number(new DataView(preimage.buffer, preimage.byteOffset).getBigUint64(34));
  const siblings = [];
  let root = sha256([0], preimage);
  for (let height = 0; 2 ** height < size; height++) {
    siblings.push(new Uint8Array(crypto.createHash("sha256").update(String(height)).digest()));
    root = (sequence >> height) & 1 ? sha256([1], siblings[height], root) : sha256([1], root, siblings[height]);
  }
  const text = `${origin}\n${size}\n${Buffer.from(root).toString("base64")}\n`;
  const note = utf8(change(`${text}\n${lines(text)}`));
  const flags = 9 + PROOF[8] + 18 + 8 + 4;
  return concat(PROOF.subarray(0, flags), [PROOF[flags] | 128], PROOF.subarray(flags + 1),
    u64(note.length).subarray(4), note, [siblings.length], ...siblings);
}

/** The step at which a check fails, null where it holds. */
function step(run) {
  try {
    return run().isWhole ? null : "not whole";
  } catch (error) {
    assert.ok(error instanceof ProofError && error.cause instanceof Fault, error.stack);
    return error.step;
  }
}

test("a log's key, as text or read, and the name that it is of", () => {
  const bytes = noted((text) => W1.sign(text, 5) + LOG.sign(text));
  assert.equal(step(() => verify(bytes, { key: LOG.vkey })), null);
  assert.equal(step(() => verify(bytes, { key: parseKey(LOG.vkey) })), null);
  assert.equal(step(() => verify(bytes, { key: STRANGER.vkey })), "anchor");
  assert.equal(step(() => verify(bytes, { key: W1.vkey })), "anchor");
  assert.equal(step(() => verify(bytes, { key: "no key" })), "anchor");
  assert.equal(step(() => verify(PROOF, { key: LOG.vkey })), "anchor");
  assert.equal(step(() => verify(bytes, { trustedHash: TRUST })), null);
  assert.equal(step(() => verify(bytes, { trustedHash: TRUST, key: LOG.vkey })), null);
  assert.equal(step(() => verify(bytes, { trustedHash: TRUST, key: STRANGER.vkey })), "anchor");
  assert.equal(verify(bytes, { key: LOG.vkey }).superRoot.note.size, 64n);
});

test("witnesses that a policy asks for", () => {
  const bytes = noted((text) => LOG.sign(text) + W1.sign(text, 1700000000));
  const anchored = (quorum, more = "") =>
    step(() => verify(bytes, { key: LOG.vkey, policy: `${more}${WITNESSES}${quorum}\n` }));
  assert.equal(anchored("quorum none"), null);
  assert.equal(anchored("quorum a"), null);
  assert.equal(anchored("quorum b"), "anchor");
  assert.equal(anchored("group g any a b\nquorum g"), null);
  assert.equal(anchored("group g all a b\nquorum g"), "anchor");
  assert.equal(anchored("group g 3 a b\nquorum g"), "anchor");
  const policy = parsePolicy(`log ${LOG.vkey}\n${WITNESSES}quorum a\n`);
  assert.equal(step(() => verify(bytes, { policy })), null, "the policy names the log");
  assert.equal(step(() => verify(bytes, { policy: `log ${STRANGER.vkey}\nquorum none\n` })), "anchor");
  assert.equal(step(() => verify(bytes, { policy: `${WITNESSES}quorum a\n` })), "anchor", "no log is named");
});

test("a note that does not hold the SuperRoot fails at level 5, whoever signed it", () => {
  const by = (lines, options) => step(() => verify(noted(lines, options), { key: LOG.vkey }));
  const sign = (text) => LOG.sign(text);
  assert.equal(by(sign, { change: (note) => note.replace("\n64\n", "\n16\n") }), "super_root");
  assert.equal(by(sign, { change: (note) => note.replace("\n64\n", "\n63\n") }), "anchor", "a path of as many");
  assert.equal(by(sign, { origin: "another/log" }), "super_root");
  assert.equal(by(sign, { change: (note) => note.replace("\n64\n", "\n18446744073709551615\n") }), "super_root");
  assert.equal(by(() => ""), "super_root", "it is no note");
  assert.equal(by((text) => LOG.sign(`${text}x`)), "anchor", "a false signature");
});

test("every altered byte of a note with its witnesses", () => {
  const bytes = noted((text) => LOG.sign(text) + W1.sign(text, 7) + W2.sign(text, 8));
  const trust = { key: LOG.vkey, policy: `${WITNESSES}group g all a b\nquorum g\n` };
  assert.equal(step(() => verify(bytes, trust)), null);
  for (let at = PROOF.length; at < bytes.length; at += 2) {
    const other = Uint8Array.from(bytes);
    other[at] ^= 1 << (at % 7);
    assert.notEqual(step(() => verify(other, trust)), null, `byte ${at}`);
  }
});

test("levels without an anchor, and proofs below level 5", () => {
  assert.throws(() => checkAnchor(verifyLevels(PROOF), {}), ProofError);
  assert.equal(checkAnchor(verifyLevels(PROOF), { trustedHash: TRUST }), "this is the SuperRoot that you named");
  const proof = decode(PROOF);
  const parts = [["sealed", "open", "superRoot", "note"], ["twig"], ["header"]];
  const levels = [];
  for (const names of parts) {
    for (const name of names) proof[name] = null;
    const shown = verifyProof(proof, { chains: CHAINS });
    levels.push(shown.level);
    assert.throws(() => checkAnchor(shown, { trustedHash: TRUST }), (error) => error.step === "anchor");
  }
  assert.deepEqual(levels, [3, 2, 1]);
});

test("an unknown chain is refused, or read by the profile that the proof opens", () => {
  const chains = CHAINS.filter((chain) => chain.family !== 7);
  assert.equal(step(() => verify(PROOF, { chains, trustedHash: TRUST })), "statement");
  const shown = verify(PROOF, { chains, trustedHash: TRUST, admitsUnknownChains: true });
  assert.deepEqual([shown.isChainKnown, shown.chain.caip2], [false, "icp:1"]);
  const proof = { ...decode(PROOF), sealed: null, open: null, superRoot: null, note: null };
  assert.throws(() => verifyProof(proof, { chains, admitsUnknownChains: true }), (error) => error.step === "statement");
});

// --- files with evidence of finality -------------------------------------------------------------

/** The proof in format 02, with these bytes at its end. */
function withFinality(finality, more = 1) {
  const begin = Uint8Array.from(PROOF.subarray(0, 9 + PROOF[8] + 18 + 8));
  begin[7] = 2;
  const rest = PROOF.subarray(begin.length + 4);
  return concat(begin, keccak256(begin).subarray(0, 4), rest.subarray(0, 1), [more], rest.subarray(1), finality);
}

const FINALITY = read("finality/finality.json").map((row) => ({ ...row, bytes: fromHex(row.finality) }));

test("evidence, link and steps are handed out as they stand", () => {
  for (const { name, bytes } of FINALITY) {
    const { evidence, link, steps: read } = readFinality(bytes);
    const long = (part) => concat(u64(part.length).subarray(4), part);
    const again = concat(long(evidence), long(link), u64(read.length).subarray(6), ...read.map(long));
    assert.deepEqual(again, bytes, name);
  }
  const { finality, isWhole } = verify(withFinality(FINALITY[0].bytes), { trustedHash: TRUST });
  assert.ok(isWhole);
  assert.deepEqual(finality, readFinality(FINALITY[0].bytes));
  assert.equal(verify(PROOF, { trustedHash: TRUST }).finality, null);
});

test("evidence in another form is no file", () => {
  const { bytes } = FINALITY.find(({ bytes }) => bytes.length < 4000);
  assert.equal(verdict(withFinality(bytes), TRUST), null);
  for (let length = 0; length < bytes.length; length++) {
    assert.equal(verdict(withFinality(bytes.subarray(0, length)), TRUST), "encoding", `${length} bytes`);
  }
  for (const more of [0, 2, 3, 255]) assert.equal(verdict(withFinality(bytes, more), TRUST), "encoding");
  assert.equal(verdict(concat(withFinality(bytes), [0]), TRUST), "encoding");
  assert.equal(verdict(concat(PROOF, bytes), TRUST), "encoding", "of format 01");
  const kind = Uint8Array.from(bytes);
  kind[4] = 0x1a;
  assert.equal(verdict(withFinality(kind), TRUST), "encoding", "an unknown kind");
  const evidence = concat([0x11], [0, 2, 0, 0], new Uint8Array(131072));
  const long = concat(u64(evidence.length).subarray(4), evidence, [0, 0, 0, 0, 0, 0]);
  assert.equal(verdict(withFinality(long), TRUST), "encoding", "evidence above 128 kB");
});
