// What was altered is refused by a ProofError, and by nothing else. A part that no hash reaches (docs/protocol.md: a
// count that is not shown, an index that is not bound) may differ: then nothing that is shown differs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FAMILIES, decode, verify } from "../src/verify/index.js";
import { concat, keccak256, same } from "../src/verify/hash.js";
import { readBytes, rows, verdict } from "./vectors.mjs";

/** Shortest valid proof of each kind of subject of each ledger. */
const PROOFS = (() => {
  const found = new Map();
  for (const { bytes, trust } of rows("valid/ledgers.json")) {
    const { family, subject } = decode(bytes);
    const key = `${FAMILIES[family]} ${subject.kind}`;
    if (!found.has(key) || found.get(key).bytes.length > bytes.length) found.set(key, { bytes, trust });
  }
  return [...found];
})();
/** Counts of which hashes show nothing, and the signatures' place in a record of Solana. */
const UNSHOWN = ["count", "txCount", "signatureCount", "signatureIndex"];

/** What a proof shows, and what its parts are without those that no hash reaches. */
function facts(bytes, trustedHash) {
  const { subject, boundIndexes, ...shown } = verify(bytes, { trustedHash });
  const { txIndex, logIndex } = subject;
  const place = [boundIndexes.txIndex ? txIndex : null, boundIndexes.logIndex ? logIndex : null];
  const entry = decode(bytes).entry ?? {};
  const parts = Object.entries(entry).filter(([name]) => !UNSHOWN.includes(name) || shown.entry.txCount !== null);
  const levels = shown.levels.filter(({ step }) => step !== "entry");
  return { ...shown, kind: subject.kind, place, levels, parts };
}

/** That altered bytes are refused, or differ in nothing that is shown. @returns {boolean} whether they are accepted */
function checkAltered(bytes, altered, trust, what) {
  if (same(bytes, altered) || verdict(altered, trust) !== null) return false;
  assert.deepEqual(facts(altered, trust), facts(bytes, trust), what);
  return true;
}

/** @param {Uint8Array} bytes @param {number} at @param {number} mask */
function flipped(bytes, at, mask) {
  const other = Uint8Array.from(bytes);
  other[at] ^= mask;
  return other;
}

/** The same bytes with a right checksum of the statement, so that an altered statement is read. */
function rechecked(bytes) {
  const subject = 9 + bytes[8] + 17;
  const end = subject + 1 + [0, 4, 8, 4][bytes[subject]];
  return bytes[subject] > 3 || end + 4 > bytes.length ? bytes
    : concat(bytes.subarray(0, end), keccak256(bytes.subarray(0, end)).subarray(0, 4), bytes.subarray(end + 4));
}

for (const [name, { bytes, trust }] of PROOFS) {
  test(`${name}: every altered byte`, () => {
    assert.equal(verdict(bytes, trust), null);
    let accepted = 0;
    for (let at = 0; at < bytes.length; at++) {
      accepted += checkAltered(bytes, flipped(bytes, at, 1 << (at % 8)), trust, `byte ${at}`);
    }
    // the count of Bitcoin, Tron and Cosmos where the last transaction is not shown, that of a record of Solana
    const mayDiffer = /^(bitcoin|tron|cosmos|solana) (transaction|event)$/.test(name);
    assert.ok(accepted <= (mayDiffer ? 4 : 0), `${accepted} altered bytes are accepted`);
  });
}

test("a real proof: every altered byte", () => {
  const event = readBytes("real/ethereum-13998626-event.srproof");
  const { trust } = rows("real/ethereum.json")[0];
  for (let at = 0; at < event.length; at++) {
    assert.notEqual(verdict(flipped(event, at, 1 << (at % 8)), trust), null, `byte ${at}`);
  }
});

test("an event of ICP: every bit", () => {
  const [, { bytes, trust }] = PROOFS.find(([name]) => name === "icp event");
  for (let bit = 0; bit < 8 * bytes.length; bit++) {
    assert.notEqual(verdict(flipped(bytes, bit >> 3, 1 << (bit & 7)), trust), null, `bit ${bit}`);
  }
});

test("a statement that was altered with its checksum holds where it is true, or says what is not shown", () => {
  /** @param {Uint8Array} bytes @param {Uint8Array} trust */
  const rest = (bytes, trust) => {
    const { place, levels, entry, parts, isWhole, ...shown } = facts(bytes, trust);
    return { ...shown, transaction: entry?.transaction };
  };
  const accepted = new Set();
  for (const [name, { bytes, trust }] of PROOFS) {
    for (let bit = 8 * 8; bit < 8 * (9 + bytes[8] + 26); bit++) {
      const other = rechecked(flipped(bytes, bit >> 3, 1 << (bit & 7)));
      if (same(other, bytes) || verdict(other, trust) !== null) continue;
      assert.deepEqual(rest(other, trust), rest(bytes, trust), `${name}, bit ${bit}`);
      accepted.add(name);
    }
  }
  assert.deepEqual([...accepted].sort(), [
    "aptos event", "aptos transaction", "polkadot event", "solana transaction", // indexes that no hash binds
    "bitcoin absence", "cosmos absence", "evm absence", "icp absence", "polkadot absence", "sui absence", "tron absence",
    "evm event", "sui event", // another event of the same transaction
  ].sort());
});

test("cuts, doublings and bytes too many", () => {
  for (const [name, { bytes, trust }] of PROOFS) {
    for (let at = 1; at < bytes.length; at += at < 200 ? 5 : 29) {
      const [front, rest] = [bytes.subarray(0, at), bytes.subarray(at)];
      assert.equal(verdict(front, trust), "encoding", `${name}, ${at} bytes`);
      checkAltered(bytes, concat(front, rest.subarray(1)), trust, `${name}, without byte ${at}`);
      checkAltered(bytes, concat(front, rest.subarray(32)), trust, `${name}, without 32 bytes from ${at}`);
      checkAltered(bytes, concat(front, front.subarray(-32), rest), trust, `${name}, 32 bytes doubled before ${at}`);
    }
    for (const more of [[0], [0xff], bytes]) assert.equal(verdict(concat(bytes, more), trust), "encoding", name);
  }
});

test("numbers at their edges, anywhere", () => {
  const edges = [[0xff, 0xff], [0xff, 0xff, 0xff, 0xff], [0x7f, 0xff, 0xff, 0xff], [0, 0, 0, 0], Array(8).fill(0xff),
    [...Array(9).fill(0x80), 1], [0x40, 0, 0, 0, 0, 0, 0, 0]];
  for (const [name, { bytes, trust }] of PROOFS) {
    for (let at = 8; at < bytes.length; at += 11) {
      for (const edge of edges) {
        const other = Uint8Array.from(bytes);
        other.set(edge.slice(0, bytes.length - at), at);
        checkAltered(bytes, other, trust, `${name}, byte ${at}`);
      }
    }
  }
});
