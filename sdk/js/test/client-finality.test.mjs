// Finality of a running demo's chains, from sets that were pinned by their ids: shown, and refused by name when anything is
// another set's, another network's or bent. SUPERROOT_URL, SUPERROOT_API_KEY and SUPERROOT_TX as for the other live tests.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { before } from "node:test";
import { builtInSet, check, checkBlock, paramsOf, readSet } from "../src/finality/index.js";
import { ClientError, SuperRoot, TrustError, TrustStore } from "../src/index.js";
import { fromHex, toHex } from "../src/verify/hash.js";
import { live, liveTest } from "./client-support.mjs";
import { setFile } from "./trust-support.mjs";

/** Chains with the kind of their evidence, and the family and id of those whose set is pinned. `there`: what the live network's
 * constants make of it; where they are those of the simulated one, the pin alone keeps both apart. */
const CHAINS = [
  { chain: "ethereum", caip2: "eip155:1", kind: "beacon", of: [0, 1], byte: 0x10, there: ["encoding"] },
  { chain: "gnosis", caip2: "eip155:100", kind: "beacon", of: [0, 100], byte: 0x10, there: ["encoding"] },
  { chain: "bnb", caip2: "eip155:56", kind: "vote", of: [0, 56], byte: 0x14, there: ["order", "encoding", "header"] },
  { chain: "bitcoin", caip2: "bip122:000000000019d6689c085ae165831e93", kind: "work", of: [1, 21_000_000], byte: 0x11,
    there: ["order", "work", "header"] },
  { chain: "sui", caip2: "sui:35834a8a", kind: "checkpoint", of: [6, 784], byte: 0x12 },
  { chain: "icp", caip2: "icp:1", kind: "certificate", of: [7, 223], byte: 0x13, there: ["signature"] },
  { chain: "base", caip2: "eip155:8453", kind: "anchor", signer: "ethereum", of: [0, 1], byte: 0x10, there: ["encoding"] },
  { chain: "polygon", caip2: "eip155:137", kind: "milestone", of: [0, 137], byte: 0x17, there: ["order", "header", "branch"] },
  { chain: "cosmoshub", caip2: "cosmos:cosmoshub-4", kind: "commit", of: [8, 118], byte: 0x16, there: ["order", "set"] },
  { chain: "polkadot", caip2: "polkadot:91b171bb158e2d3848fa23a9f1c25182", kind: "grandpa", of: [3, 400], byte: 0x19 },
  { chain: "tron", caip2: "tron:0x2b6653dc", kind: "producers", of: [4, 728_126_428], byte: 0x18, there: ["order", "encoding"] },
  { chain: "aptos", caip2: "aptos:1", kind: "ledger_info", of: [5, 637], byte: 0x1b },
];

let trust = null;
const clientOf = (store = trust) => new SuperRoot({ url: live.url, apiKey: live.apiKey, trust: store });
const get = async (path) => {
  const answer = await fetch(`${live.url}${path}`, { headers: { accept: "application/json", "x-api-key": live.apiKey } });
  const body = await answer.json();
  return answer.ok ? body : { refused: `${answer.status} ${body.code}: ${body.detail}` };
};

before(async () => {
  if (!live) return;
  trust = TrustStore.pin((await get("/v5/superroot")).publication.keys[0]);
});

/** A set of the service, two before the signing one where it still has that: the reader pins its id. */
async function pinOf(signer, signing) {
  const { firstSet } = await get(`/v5/light-client/${signer}`);
  const number = Math.max(firstSet, signing - 2);
  const { id, set, refused } = await get(`/v5/light-client/${signer}/sets/${number}`);
  assert.equal(refused, undefined);
  return { number, setId: fromHex(id), set: fromHex(set) };
}

const flipped = (bytes, place) => bytes.map((byte, at) => (at === place ? byte ^ 1 : byte));

/** What a call throws. */
const codeOf = (call) => call.then(() => "none", (error) => {
  assert.ok(error instanceof ClientError || error instanceof TrustError, error.stack);
  return error.code;
});

/** A file store of the demo's log, with one file of a set. */
async function withFile(name, bytes, act) {
  const folder = mkdtempSync(join(tmpdir(), "superroot-sets-"));
  try {
    const store = TrustStore.file(join(folder, "trust.toml"));
    await store.pinKey((await trust.logs())[0].key.key);
    mkdirSync(join(folder, "light-clients"));
    writeFileSync(join(folder, "light-clients", name), bytes);
    return await act(store);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

for (const { chain, caip2, kind, signer = chain, of, byte, there: expected } of CHAINS) {
  liveTest(`finality_of_${chain}_is_shown_from_a_pinned_set_and_from_no_other`, async (t) => {
    const { checkable, refused } = await get(`/finality/${chain}`);
    if (!checkable?.number) {
      const why = `SKIPPED ${chain}: the service has no evidence of it (${refused ?? "none yet"})`;
      console.log(why);
      return t.skip(why);
    }
    assert.equal(checkable.kind, kind);
    const { number, ...pinned } = await pinOf(signer, checkable.set);
    const asked = { chain, block: checkable.number };
    const fact = await clientOf().proveBlock(asked, { wait: 15, evidence: true, setNumber: number });
    assert.equal(fact.network, "simulated");
    const shown = await fact.checkFinality(pinned);
    assert.equal(shown.verdict, "shown", shown.reason);
    assert.deepEqual([shown.kind, toHex(shown.hash)], [kind, fact.block.hash]);
    assert.ok(shown.number === null || shown.number === BigInt(fact.block.number));
    assert.ok(number >= checkable.set || shown.steps > 0, `from set ${number}`);

    // another id, and a set that is not the id's
    const other = { ...pinned, setId: flipped(pinned.setId, 31) };
    assert.equal((await fact.checkFinality(other)).reason, "the set has another id");
    const bent = await fact.checkFinality({ ...pinned, set: flipped(pinned.set, pinned.set.length - 1) });
    assert.ok(bent.verdict === "refused" && ["root", "key", "encoding", "branch"].includes(bent.code), bent.reason);
    // neither counts alone, and without both nothing is pinned but ICP's root key
    for (const half of [{ set: pinned.set }, { setId: pinned.setId }]) {
      assert.equal(await codeOf(fact.checkFinality(half)), "argument");
    }
    if (kind !== "certificate") assert.equal(await codeOf(fact.checkFinality()), "argument");
    else assert.equal((await fact.checkFinality()).verdict, "shown");

    // the live network's constants
    const question = { rule: fact.rule, number: fact.block.number, hash: fromHex(fact.block.hash) };
    const now = Math.floor(Date.now() / 1000);
    const main = paramsOf(caip2);
    const own = builtInSet(caip2);
    const read = own ? readSet(main, own) : readSet(main, pinned.set, pinned.setId);
    const there = read.verdict === "shown" ? checkBlock(main, read.set, fact.finalityProof, question, now) : read;
    if (expected) assert.ok(expected.includes(there.code), `under live constants: ${there.code} ${there.reason}`);
    else assert.deepEqual(main, paramsOf(caip2, fact.network));

    // a byte of evidence, link or steps
    const { evidence, link, steps } = fact.finalityProof;
    const codes = new Set();
    for (const [part, bytes] of [["evidence", evidence], ["link", link], ...steps.slice(-1).map((step) => ["steps", step])]) {
      for (const place of [0.3, 0.8].map((share) => Math.floor(share * bytes.length)).filter((at) => at < bytes.length)) {
        const lie = flipped(bytes, place);
        fact.finalityProof = { evidence, link, steps, [part]: part === "steps" ? [...steps.slice(0, -1), lie] : lie };
        const verdict = await fact.checkFinality(pinned);
        assert.ok(!("fault" in verdict), `${part} ${place}: ${verdict.fault?.stack}`);
        codes.add(verdict.code ?? "shown");
        // a byte that nobody signs may change, and then changes nothing that is shown
        if (verdict.verdict === "shown") assert.deepEqual([toHex(verdict.hash), toHex(verdict.target)], [toHex(shown.hash), toHex(shown.target)]);
      }
    }
    fact.finalityProof = { evidence, link, steps };
    assert.ok([...codes].some((code) => code !== "shown"), `${chain}: ${[...codes]}`);
    const params = paramsOf(caip2, fact.network);
    const { set } = readSet(params, pinned.set, pinned.setId);
    assert.ok(["kind", "encoding"].includes(check(params, set, flipped(evidence, 0), now).code), "the byte of another kind");

    // the pin of the command line: of this network and chain alone
    const [bytes, name] = [setFile({ of, byte, ...pinned }), `${signer}.set`];
    const files = { shown: [`simulated-${name}`, bytes], argument: [`live-${name}`, bytes],
      malformed: [`simulated-${name}`, flipped(bytes, 16)] };
    for (const [wanted, [file, content]] of Object.entries(files)) {
      await withFile(file, content, async (store) => {
        const again = await clientOf(store).proveBlock(asked, { evidence: true, setNumber: number });
        const found = await again.checkFinality().then((verdict) => verdict.verdict, (error) => error.code);
        // without a pin of its own the demo's ICP has its built-in key
        assert.equal(found, wanted === "argument" && kind === "certificate" ? "shown" : wanted, file);
        if (wanted === "shown") assert.equal((await clientOf(store).pinnedSet(chain, "simulated")).number, BigInt(number));
      });
    }
    console.log(`${chain}: ${kind}, ${shown.steps} steps from set ${number}, ${shown.by}; here ${[...codes]}, live ${there.code ?? there.verdict}`);
  });
}

const { SUPERROOT_BIN: program } = process.env;
const why = "SKIPPED: set SUPERROOT_BIN to the program, and SUPERROOT_URL and the others to its demo's";
if (!live || !program) console.log(`a_pin_of_the_command_line_counts_here ${why}`);
test("a_pin_of_the_command_line_counts_here", { skip: live && program ? false : why }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "superroot-sets-"));
  try {
    const store = TrustStore.file(join(folder, "trust.toml"));
    await store.pinKey((await trust.logs())[0].key.key);
    const client = clientOf(store);
    const { checkable } = await get("/finality/ethereum");
    const fact = await client.proveBlock({ chain: "ethereum", block: checkable.number }, { wait: 15, evidence: true });
    assert.equal(await codeOf(fact.checkFinality()), "argument");
    const { id } = await get(`/v5/light-client/ethereum/sets/${checkable.set}`);
    const run = (...words) => execFileSync(program, ["trust", "light-client", ...words, "--network", "simulated", "--trust-store",
      join(folder, "trust.toml")]);
    run("pin", "ethereum", "--url", live.url, "--id", id);
    const { number, pin } = await client.pinnedSet("ethereum", "simulated");
    assert.deepEqual([number, toHex(pin)], [BigInt(checkable.set), id]);
    const shown = await fact.checkFinality();
    assert.equal(shown.verdict, "shown", shown.reason);
    run("remove", "ethereum");
    assert.equal(await codeOf(fact.checkFinality()), "argument");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
