import assert from "node:assert/strict";
import { test } from "node:test";
import { ProofError, verify } from "../src/verify/index.js";
import { fromHex, toHex } from "../src/verify/hash.js";
import { list, readBytes, read, rows, verdict } from "./vectors.mjs";

test("valid proofs of every ledger hold, with the transaction hash and count that they show", () => {
  const families = new Set();
  for (const { name, bytes, trust, transaction_hash: hash, tx_count: count } of rows("valid/ledgers.json")) {
    assert.equal(verdict(bytes, trust), null, name);
    const shown = verify(bytes, { trustedHash: trust });
    const got = shown.entry?.transaction;
    assert.equal(got ? toHex(got.hash) : null, hash, name);
    assert.equal(shown.entry?.txCount ?? null, count, name);
    assert.equal(shown.level, 5, name);
    families.add(shown.chain.family);
  }
  assert.equal(families.size, 9);
});

test("what a proof shows of positions and of its block", () => {
  for (const { name, bytes, trust, ...row } of rows("protocol/shown.json")) {
    const { subject, boundIndexes, isBlockBound } = verify(bytes, { trustedHash: trust });
    assert.equal(isBlockBound, row.block_bound, name);
    const own = { txIndex: subject.kind !== "block", logIndex: subject.kind === "event" };
    assert.equal(own.txIndex && boundIndexes.txIndex ? subject.txIndex : null, row.tx_index, name);
    assert.equal(own.logIndex && boundIndexes.logIndex ? subject.logIndex : null, row.log_index, name);
  }
});

test("real proofs hold", () => {
  const proofs = rows("real/ethereum.json");
  for (const { bytes, trust, shows, source } of proofs) {
    assert.equal(verdict(bytes, trust), null, source);
    assert.equal(verify(bytes, { trustedHash: trust }).subject.kind, shows.split(" ")[0], source);
    assert.equal(verdict(bytes, new Uint8Array(32)), "anchor", source);
  }
  assert.equal(verdict(readBytes("real/ethereum-13998626-event.srproof"), proofs[0].trust), null);
});

for (const name of list("hostile").filter((name) => "proof" in read(`hostile/${name}`)[0])) {
  test(`hostile/${name}: every row is refused at its step`, () => {
    for (const { name: row, bytes, trust, refused_at: step, reason } of rows(`hostile/${name}`)) {
      assert.equal(verdict(bytes, trust), step, `${row}: ${reason}`);
    }
  });
}

test("without a key, a hash or a policy nothing is anchored", () => {
  const [{ bytes, trust }] = rows("valid/ledgers.json");
  const refused = (brought) => assert.throws(() => verify(bytes, brought),
    (error) => error instanceof ProofError && error.step === "anchor" && error.levels.length > 3);
  refused({});
  refused(undefined);
  refused({ trustedHash: toHex(trust).slice(0, -2) });
  assert.ok(verify(bytes, { trustedHash: toHex(trust) }).isWhole);
  for (const other of [null, undefined, "SRPROOF", [...bytes], bytes.buffer]) {
    assert.throws(() => verify(other, { trustedHash: trust }), (error) => error.step === "encoding");
  }
  refused({ trustedHash: fromHex(`0x${"00".repeat(32)}`) });
  refused({ policy: "quorum none\n" });
  refused({ trustedHash: trust, policy: "quorum none\n" });
});
