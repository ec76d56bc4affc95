// Sets of signers beside a trust store, as `superroot trust light-client` keeps them: read, and refused by name when damaged.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { ClientError, SuperRoot, TrustError, TrustStore } from "../src/index.js";
import { fromHex, same } from "../src/verify/hash.js";
import { setFile } from "./trust-support.mjs";

const rows = JSON.parse(readFileSync(new URL("../../../vectors/finality/finality.json", import.meta.url), "utf8"));
/** A committee under the constants of the simulated Ethereum. */
const row = rows.find(({ name }) => name === "beacon: a final block");
const [set, setId] = [fromHex(row.set), fromHex(row.id)];
const period = BigInt(`0x${Buffer.from(set.subarray(0, 8)).toString("hex")}`);
const whole = { of: [0, 1], byte: 0x10, set, setId, pin: new Uint8Array(32).fill(7), pinnedAt: 1_700_000_001 };

const folder = mkdtempSync(join(tmpdir(), "superroot-sets-"));
test.after(() => rmSync(folder, { recursive: true }));
const sets = join(folder, "light-clients");
mkdirSync(sets);
const trust = TrustStore.file(join(folder, "trust.toml"));
const client = new SuperRoot({ url: "http://127.0.0.1:9", trust });
const put = (name, bytes) => writeFileSync(join(sets, name), bytes);

const refusal = async (act) => {
  const error = await act().then((value) => assert.fail(`read: ${value}`), (one) => one);
  assert.ok(error instanceof TrustError || error instanceof ClientError, error.stack);
  return error.code;
};

test("a pinned set is read, for its chain and network alone", async () => {
  put("simulated-ethereum.set", setFile(whole));
  const found = await client.pinnedSet("ethereum", "simulated");
  assert.ok(same(found.set, set) && same(found.id, setId) && same(found.pin, whole.pin));
  assert.equal(found.pinnedAt, 1_700_000_001n);
  assert.equal(found.number, period);
  assert.ok(found.trustedUntil > BigInt(row.now));
  // rollups that contracts on Ethereum hold have Ethereum's
  assert.ok(same((await client.pinnedSet("base", "simulated")).id, setId));
  for (const [chain, network] of [["ethereum", "live"], ["ethereum", "recorded"], ["gnosis", "simulated"], ["base", "live"]]) {
    assert.equal(await client.pinnedSet(chain, network), null, `${chain} ${network}`);
  }
  for (const [chain, network] of [["solana", "live"], ["arbitrum", "simulated"], ["ethereum", "testnet"]]) {
    assert.equal(await refusal(() => client.pinnedSet(chain, network)), "not_whole", `${chain} ${network}`);
  }
  // recorded blocks are those of the live chain, and have its constants
  put("live-bnb.set", setFile({ ...whole, of: [0, 56], byte: 0x14 }));
  assert.equal(await refusal(() => client.pinnedSet("bnb", "recorded")), "malformed");
});

test("stores without files have no sets", async () => {
  assert.equal(await new SuperRoot({ url: "http://127.0.0.1:9", trust: TrustStore.memory() }).pinnedSet("ethereum", "simulated"), null);
  assert.equal(await trust.pinnedSet({ family: 0, id: 77_777 }, "live"), null, "an unknown chain");
});

test("a damaged file is named, whatever is wrong with it", async () => {
  const bytes = setFile(whole);
  const bent = (place) => bytes.map((byte, at) => (at === place ? byte ^ 1 : byte));
  const read = () => client.pinnedSet("ethereum", "simulated");
  for (const length of [0, 7, 8, 93, 94, bytes.length - 1]) {
    put("simulated-ethereum.set", bytes.subarray(0, length));
    assert.equal(await refusal(read), "malformed", `${length} bytes`);
  }
  put("simulated-ethereum.set", new Uint8Array([...bytes, 0]));
  assert.equal(await refusal(read), "malformed", "a byte more");
  // magic, format, family, chain, kind, id, length, set: every byte but those of the time and of the first pin
  const places = [0, 6, 7, 8, 9, 16, 17, 58, 89, 90, 93, 94, 101, 102, bytes.length - 1];
  for (const place of places) {
    put("simulated-ethereum.set", bent(place));
    // the first eight bytes of a committee are its period, which its id does not hold
    if (place >= 94 && place < 102) assert.notEqual((await read()).number, period);
    else assert.equal(await refusal(read), "malformed", `byte ${place}`);
  }
  put("simulated-ethereum.set", setFile({ ...whole, of: [0, 100] }));
  assert.equal(await refusal(read), "malformed", "another chain's");
  put("simulated-ethereum.set", new Uint8Array((1 << 20) + 1));
  assert.equal(await refusal(read), "file", "larger than any set");
  rmSync(join(sets, "simulated-ethereum.set"));
  mkdirSync(join(sets, "simulated-ethereum.set"));
  assert.equal(await refusal(read), "file", "a folder");
});
