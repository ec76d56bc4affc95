// Real updates of sync committees, and real authorities of Polkadot. Data is found through SUPERROOT_DATA alone.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { gunzipSync } from "node:zlib";

import { concat, fromHex, same, toHex, u64, u64le } from "../src/finality/bytes.js";
import { sha256 } from "../src/finality/hash.js";
import { advance, check, paramsOf, readSet } from "../src/finality/index.js";
import { babeSlot, authorityChange, readPolkadotHeader } from "../src/finality/ledger/polkadot.js";
import { isUnder, node, numberLeaf, rootOf } from "../src/finality/ssz.js";

const data = process.env.SUPERROOT_DATA;
const options = { skip: data ? false : "SUPERROOT_DATA is not set" };
const json = (name) => {
  const value = JSON.parse(gunzipSync(readFileSync(join(data, "finality", `${name}.gz`))).toString());
  return value.data ?? value;
};

const header = ({ beacon }) => concat(u64le(BigInt(beacon.slot)), u64le(BigInt(beacon.proposer_index)),
  fromHex(beacon.parent_root), fromHex(beacon.state_root), fromHex(beacon.body_root));
const hashes = (list) => list.map(fromHex);
const committee = ({ pubkeys, aggregate_pubkey: aggregate }) => concat(...hashes(pubkeys), fromHex(aggregate));
const signed = (update) => concat(header(update.attested_header), header(update.finalized_header),
  ...hashes(update.finality_branch), fromHex(update.sync_aggregate.sync_committee_bits),
  fromHex(update.sync_aggregate.sync_committee_signature), u64(BigInt(update.signature_slot)));

/** Siblings of the block hash among the fields of the payload's header, then those of the header in the body. */
function blockBranch({ execution, execution_branch: above }) {
  const padded = (bytes) => concat(bytes, new Uint8Array(32 - bytes.length));
  const number = (name) => numberLeaf(BigInt(execution[name]));
  const extra = fromHex(execution.extra_data);
  const bloom = fromHex(execution.logs_bloom);
  const fee = u64le(BigInt(execution.base_fee_per_gas));
  const leaves = [
    fromHex(execution.parent_hash), padded(fromHex(execution.fee_recipient)), fromHex(execution.state_root),
    fromHex(execution.receipts_root), rootOf(Array.from({ length: 8 }, (_, at) => bloom.subarray(32 * at, 32 * at + 32))),
    fromHex(execution.prev_randao), number("block_number"), number("gas_limit"), number("gas_used"), number("timestamp"),
    node(padded(extra), numberLeaf(BigInt(extra.length))), padded(fee), fromHex(execution.block_hash),
    fromHex(execution.transactions_root), fromHex(execution.withdrawals_root),
  ];
  let row = [...leaves, ...Array(16 - leaves.length).fill(new Uint8Array(32))];
  const branch = [];
  for (let at = 12; row.length > 1; at >>= 1) {
    branch.push(row[at ^ 1]);
    row = row.filter((_, place) => place % 2 === 0).map((left, place) => node(left, row[2 * place + 1]));
  }
  return [...branch, ...hashes(above)];
}

const PERIOD_SLOTS = 8_192n;
const params = paramsOf("eip155:1");

function evidenceOf(update) {
  const execution = update.finalized_header.execution;
  const body = concat(signed(update), fromHex(execution.block_hash), ...blockBranch(update.finalized_header));
  const rest = concat(u64(BigInt(execution.block_number)), fromHex(execution.block_hash), body);
  return concat(Uint8Array.of(0x10), u64(BigInt(rest.length)).subarray(4), rest);
}

test("real updates of Ethereum show their block and the next committee", options, () => {
  const folder = "beacon/mainnet-capella-898";
  const bootstrap = json(`${folder}/bootstrap.json`);
  const period = BigInt(bootstrap.header.beacon.slot) / PERIOD_SLOTS;
  assert.equal(period, 898n);
  const begun = performance.now();
  const { set } = readSet(params, concat(u64(period), committee(bootstrap.current_sync_committee)));
  const read = performance.now();
  assert.ok(isUnder(fromHex(bootstrap.header.beacon.state_root), set.id, 54, hashes(bootstrap.current_sync_committee_branch)));
  const update = json(`${folder}/finality.json`);
  const now = params.genesis_time + 12 * (Number(update.signature_slot) + 1);
  const evidence = evidenceOf(update);
  const checking = performance.now();
  const verdict = check(params, set, evidence, now);
  console.log(`committee of 512: read in ${Math.round(read - begun)} ms, evidence in ${Math.round(performance.now() - checking)} ms`);
  assert.equal(verdict.verdict, "shown", verdict.reason);
  assert.equal(toHex(verdict.hash), update.finalized_header.execution.block_hash);
  assert.match(verdict.by, /^\d+ of 512 of the sync committee of period 898$/);
  for (let place = 0; place < evidence.length; place += 41) {
    const bent = evidence.slice();
    bent[place] ^= 1 << (place % 8);
    const found = check(params, set, bent, now);
    assert.ok(!found.fault, `byte ${place}: ${found.fault?.stack}`);
    // the number is not bound: bytes 5 to 12
    if (place < 5 || place > 12) assert.notEqual(found.verdict, "shown", `byte ${place}`);
  }
  const [first] = json(`${folder}/updates.json`);
  const next = first.data ?? first;
  const step = concat(signed(next), committee(next.next_sync_committee), ...hashes(next.next_sync_committee_branch));
  const soon = params.genesis_time + 12 * (Number(next.signature_slot) + 1);
  const behind = advance(params, set, step, soon);
  assert.equal(behind.verdict, "shown", behind.reason);
  assert.equal(behind.set.number, 899n);
  assert.equal(advance(params, behind.set, step, soon).code, "set");
  assert.equal(advance(params, set, step, soon - 40 * 86_400).code, "early");
  assert.equal(advance(params, set, step, soon + 40 * 86_400).code, "expired");
});

test("real authorities of Polkadot are a set, and real headers have a slot", options, () => {
  const polkadot = paramsOf("polkadot:91b171bb158e2d3848fa23a9f1c25182");
  for (const number of [2_903, 3_195]) {
    const real = json(`polkadot/grandpa_set_${number}.json`);
    const bytes = fromHex(real.finalizedHeader);
    const read = readPolkadotHeader(bytes);
    assert.equal(toHex(read.hash), real.finalizedHash);
    assert.equal(authorityChange(read), null);
    const slot = babeSlot(read);
    assert.ok(slot * 6n > 1_700_000_000n && slot * 6n < 1_800_000_000n);
    assert.equal(readSet(polkadot, concat(u64(BigInt(number)), bytes)).reason,
      `header ${read.number} breaks a rule: the block names no next authorities`);
    assert.equal(readSet(polkadot, concat(u64(BigInt(number)), bytes, Uint8Array.of(0))).reason, "header cannot be read");
    // the header that named them is not known: a made one names them
    const keys = real.authorities.map(fromHex);
    const log = concat(Uint8Array.of(1), compact(keys.length), ...keys.flatMap((key) => [key, u64le(1n)]), new Uint8Array(4));
    const item = concat(Uint8Array.of(4), new TextEncoder().encode("FRNK"), compact(log.length), log);
    const pre = concat(Uint8Array.of(2), new Uint8Array(4), u64le(slot));
    const babe = concat(Uint8Array.of(6), new TextEncoder().encode("BABE"), compact(pre.length), pre);
    const header = concat(sha256(bytes), compact(1_000), new Uint8Array(64), compact(2), babe, item);
    const { set } = readSet(polkadot, concat(u64(BigInt(number)), header));
    assert.equal(set.number, BigInt(number));
    assert.equal(set.begins(polkadot), slot * 6n);
    assert.ok(keys.length === 600 && !same(set.id, read.hash));
  }
});

function compact(value) {
  if (value < 64) return Uint8Array.of(value << 2);
  return value < 1 << 14 ? Uint8Array.of(((value << 2) | 1) & 0xff, value >> 6)
    : Uint8Array.of(((value << 2) | 2) & 0xff, (value >> 6) & 0xff, (value >> 14) & 0xff, (value >> 22) & 0xff);
}
