import assert from "node:assert/strict";
import { test } from "node:test";
import { toHex } from "../src/verify/hash.js";
import { verifyAny } from "../src/forms/index.js";
import { hash, judge, readJson } from "./forms-support.mjs";

test("every extension of a SuperRoot is judged at its step", () => {
  const rows = [...readJson("vectors/protocol/consistency.json"), ...readJson("vectors/hostile/consistency.json")];
  assert.ok(rows.length >= 50);
  for (const { name, refused_at, trusted_from, claimed_to, body } of rows) {
    const found = judge(() => verifyAny(body, { trustedHash: hash(trusted_from), laterHash: hash(claimed_to) }));
    assert.equal(found.step, refused_at, `${name}: ${found.message}`);
    const inHex = judge(() => verifyAny(body, { trustedHash: trusted_from, laterHash: claimed_to ?? undefined }));
    assert.equal(inHex.step, refused_at, `${name}: ${inHex.message}`);
  }
  assert.equal(judge(() => verifyAny(rows[0].body, { trustedHash: "0x12" })).step, "anchor");
});

test("appended twigs are taken in pages, in their order and whole", () => {
  const rows = readJson("vectors/protocol/consistency.json").filter(({ body }) => body.strength === "full");
  const SIZE = 2;
  let paged = 0;
  for (const { name, refused_at, trusted_from, body } of rows) {
    const all = body.appendedTwigs;
    if (refused_at !== null || !all?.length) continue;
    /** @type {any[]} */
    const pages = [];
    for (let at = 0; at < all.length;) {
      const family = all[at].family;
      let end = at;
      while (end < all.length && end < at + SIZE && all[end].family === family) end += 1;
      const before = body.fromBlob.miniMmrs.find((/** @type {any} */ mmr) => mmr.family === family).leafCount;
      const from = before + all.slice(0, at).filter((/** @type {any} */ twig) => twig.family === family).length;
      pages.push({ family, from, twigs: all.slice(at, end) });
      at = end;
    }
    const rest = { ...body, appendedTwigs: null };
    const step = (/** @type {any[]} */ twigPages) => judge(() => verifyAny(rest, { trustedHash: hash(trusted_from), twigPages })).step;
    assert.equal(step(pages), null, name);
    assert.equal(step([]), "anchor", name);
    assert.equal(step(pages.slice(0, -1)), "anchor", name);
    assert.equal(step(pages.slice(1)), pages.length > 1 ? "body" : "anchor", name);
    assert.equal(step([...pages, pages[0]]), "body", name);
    const other = structuredClone(pages);
    other[0].twigs[0].twigRoot = `0x${"11".repeat(32)}`;
    assert.ok(["body", "consistency"].includes(step(other)), name);
    paged += pages.length;
  }
  assert.ok(paged >= 2);
});

test("every evidence of a fork is judged at its step", () => {
  const rows = readJson("vectors/notes/evidence.json");
  assert.ok(rows.length >= 22);
  for (const { name, refused_at, body, size, roots } of rows) {
    const found = judge(() => verifyAny(body));
    assert.equal(found.step, refused_at, `${name}: ${found.message}`);
    if (refused_at === null) {
      assert.equal(found.result.size, BigInt(size), name);
      assert.deepEqual(found.result.roots.map(toHex), roots, name);
    }
  }
});
