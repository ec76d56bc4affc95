// Constants of simulated networks: those of the service, and apart from the live ones.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { bls12_381 } from "@noble/curves/bls12-381.js";

import { concat, same, toNumber, utf8 } from "../src/finality/bytes.js";
import { builtInSet, checkableChains, paramsOf, signingChain } from "../src/finality/index.js";

const source = (path) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const vectors = JSON.parse(source("vectors/finality/finality.json"));

test("params of simulated networks are those of the service, and never the live ones", () => {
  const file = (path) => source(`crates/${path}`);
  const number = (text) => Number(text.replaceAll("_", ""));
  /** Fields of a Rust constant. */
  const fields = (text, name) => Object.fromEntries([...text.slice(text.indexOf(`const ${name}: Self`)).split("};")[0]
    .matchAll(/(\w+): ([\d_]+)[,\s}]/g)].map(([, field, value]) => [field, number(value)]));
  const beacons = file("proof/src/finality/beacon/params.rs");
  const simulated = (caip2) => paramsOf(caip2, "simulated");
  for (const [caip2, name, byte] of [["eip155:1", "SIMULATED", "51"], ["eip155:100", "SIMULATED_GNOSIS", "64"]]) {
    const block = beacons.slice(beacons.indexOf(`const ${name}: Self`)).split("\n    };")[0];
    assert.ok(block.includes(`Hash([0x${byte}; 32])`) && block.includes(`version: [5, 0, 0, 0x${byte}], layout: BeaconLayout::Electra`));
    const params = simulated(caip2);
    assert.equal(params.genesis_validators_root, `0x${byte.repeat(32)}`);
    assert.deepEqual(params.forks, [{ epoch: 0, version: `050000${byte}`, layout: "electra" }]);
    const { slot_seconds, epoch_slots, period_epochs, members } = fields(beacons, "SIMULATED");
    assert.deepEqual([2, 8, 12, 32], [slot_seconds, epoch_slots, period_epochs, members]);
    assert.deepEqual([params.slot_seconds, params.epoch_slots, params.period_epochs, params.members, params.genesis_time,
      params.trusted_seconds], [slot_seconds, epoch_slots, period_epochs, members, 0, 14 * 86_400]);
  }
  assert.equal(simulated("eip155:56").epoch_blocks, fields(file("proof/src/finality/vote/params.rs"), "SIMULATED").epoch_blocks);
  const { set_seconds, window_blocks } = fields(file("proof/src/finality/producers/params.rs"), "SIMULATED");
  assert.deepEqual([simulated("tron:0x2b6653dc").set_seconds, simulated("tron:0x2b6653dc").window_blocks], [set_seconds, window_blocks]);
  const easy = number(/EASY_BITS: u32 = (0x\w+)/.exec(file("chain/src/ledger/bitcoin/params.rs"))[1]);
  assert.deepEqual(simulated("bip122:000000000019d6689c085ae165831e93"),
    { kind: "work", target_limit_bits: easy, floor_bits: easy, retargets: false, confirmations: 6 });
  const blocks = number(/SIMULATED_SET_BLOCKS: u64 = (\d+)/.exec(file("chain/src/ledger/cosmos/params.rs"))[1]);
  assert.equal(simulated("cosmos:cosmoshub-4").set_blocks, blocks);
  const [, network, apart] = /\("(\w+)"\.to_owned\(\), (\d+)\)/.exec(file("chain/src/finality/params.rs"));
  assert.deepEqual(simulated("eip155:137").heimdall,
    { ...paramsOf("eip155:137").heimdall, chain_id: `heimdallv2-${network}`, set_blocks: Number(apart) });
  const seed = utf8(/SIMULATED_KEY: \[u8; 32\] = \*b"\\0([^"]+)"/.exec(file("chain/src/ledger/icp/params.rs"))[1]);
  const key = bls12_381.G2.Point.BASE.multiply(toNumber(concat(Uint8Array.of(0), seed)));
  assert.ok(same(builtInSet("icp:1", "simulated"), key.toBytes()) && !same(builtInSet("icp:1"), key.toBytes()));
  // rows of the vectors that a service made with its own simulated constants
  for (const name of ["anchor: a final block", "anchor: an ancestor's game, of unichain"]) {
    const made = vectors.find((one) => one.name === name)?.params ?? assert.fail(name);
    const { kind, rule, ethereum_rule, ...params } = simulated(`eip155:${made.chain}`);
    assert.deepEqual([kind, rule, ethereum_rule, params], ["anchor", 1, 1, made]);
  }
  assert.equal(simulated("eip155:42161"), null, "an outbox is not simulated");
  assert.equal(simulated("eip155:59144"), null);
  const alike = checkableChains().filter((caip2) => same(utf8(JSON.stringify(simulated(caip2))), utf8(JSON.stringify(paramsOf(caip2)))));
  assert.deepEqual(alike, ["polkadot:91b171bb158e2d3848fa23a9f1c25182", "aptos:1", "sui:35834a8a", "icp:1"]);
  for (const caip2 of checkableChains()) {
    assert.deepEqual(paramsOf(caip2, "recorded"), paramsOf(caip2, "live"));
    for (const word of ["testnet", "", null, "constructor"]) assert.equal(paramsOf(caip2, word), null);
  }
  for (const word of ["testnet", null]) assert.equal(builtInSet("icp:1", word), null);
  assert.equal(builtInSet("constructor"), null);
  assert.equal(paramsOf("constructor"), null);
  assert.deepEqual(["eip155:8453", "eip155:42161", "eip155:1", "sui:35834a8a", "unknown"].map(signingChain),
    ["eip155:1", "eip155:1", "eip155:1", "sui:35834a8a", "unknown"]);
});
