// @ts-check
// Params by CAIP-2 name and network: the client's own constants, as in `crates/chain`. Trusting periods are policies
// (docs/finality.md, "Finality that you check yourself").

import { fromHex } from "./bytes.js";
import { simulated, SIMULATED_ROOT_KEY } from "./simulated.js";

/** @typedef {import("./kinds.js").FinalityParams} FinalityParams */
/** @typedef {import("./beacon.js").BeaconParams} BeaconParams */
/** `recorded` blocks are those of the live chain; those of a simulated one are made up by a demo.
 * @typedef {"live" | "recorded" | "simulated"} Network */

const ETHEREUM_CAIP2 = "eip155:1";
const DAY_SECONDS = 86_400;
const ETHEREUM_RULE = 0x0001;
/** Slots of the history contract on the OP stack, and since ArbOS 40. */
const [OP_HISTORY_BLOCKS, ARBITRUM_HISTORY_BLOCKS] = [8_191, 393_168];

/** Weak subjectivity: 3,532 epochs. @type {BeaconParams} */
const ETHEREUM = {
  genesis_validators_root: "0x4b363db94e286120d76eb905340fdd4e54bfe9f06bf33ff6cf5ad27f511bfe95",
  genesis_time: 1_606_824_023, slot_seconds: 12, epoch_slots: 32, period_epochs: 256, members: 512,
  forks: [
    { epoch: 194_048, version: "03000000", layout: "capella" },
    { epoch: 269_568, version: "04000000", layout: "deneb" },
    { epoch: 364_032, version: "05000000", layout: "electra" },
    { epoch: 411_392, version: "06000000", layout: "electra" },
  ],
  trusted_seconds: 3_532 * 32 * 12,
};

/** The trusting period is that of Ethereum in epochs, of 80 seconds here. @type {BeaconParams} */
const GNOSIS = {
  genesis_validators_root: "0xf5dcb5564e829aab27264b9becd5dfaa017085611224cb3036f573368dbb9d47",
  genesis_time: 1_638_993_340, slot_seconds: 5, epoch_slots: 16, period_epochs: 512, members: 512,
  forks: [
    { epoch: 648_704, version: "03000064", layout: "capella" },
    { epoch: 889_856, version: "04000064", layout: "deneb" },
    { epoch: 1_337_856, version: "05000064", layout: "electra" },
    { epoch: 1_714_688, version: "06000064", layout: "electra" },
  ],
  trusted_seconds: 3_532 * 16 * 5,
};

/** A rollup whose blocks a contract on Ethereum holds. @param {number} chain @param {"registry" | "outbox"} contract
 * @param {number} from a block of Ethereum @param {string} address @returns {FinalityParams} */
const anchored = (chain, contract, from, address) => ({
  kind: "anchor", chain, beacon: ETHEREUM, ethereum_rule: ETHEREUM_RULE, rule: ETHEREUM_RULE, contract,
  contracts: [{ from, address }],
  history_blocks: contract === "outbox" ? ARBITRUM_HISTORY_BLOCKS : OP_HISTORY_BLOCKS,
});

/** @type {Map<string, () => FinalityParams>} */
const MAIN_NETWORKS = new Map([
  [ETHEREUM_CAIP2, () => ({ kind: "beacon", ...ETHEREUM })],
  ["eip155:10", () => anchored(10, "registry", 23_000_000, "0x23b2c62946350f4246f9f9d027e071f0264fd113")],
  ["eip155:56", () => ({
    kind: "vote", rule: ETHEREUM_RULE, epoch_blocks: 1_000, trusted_seconds: 7 * DAY_SECONDS,
  })],
  ["eip155:100", () => ({ kind: "beacon", ...GNOSIS })],
  ["eip155:130", () => anchored(130, "registry", 23_000_000, "0x27cf508e4e3aa8d30b3226ac3b5ea0e8bcacaff9")],
  ["eip155:137", () => ({
    kind: "milestone", bor_chain: 137,
    heimdall: { chain_id: "heimdallv2-137", set_blocks: 5_000, trusted_seconds: DAY_SECONDS },
  })],
  ["eip155:480", () => anchored(480, "registry", 26_000_000, "0x90bb48fe3310499db36437dcae642f721e32d094")],
  ["eip155:1868", () => anchored(1_868, "registry", 23_000_000, "0x4890928941e62e273da359374b105f803329f473")],
  ["eip155:8453", () => anchored(8_453, "registry", 23_527_741, "0x909f6cf47ed12f010a796527f562bfc26c7f4e72")],
  ["eip155:42161", () => anchored(42_161, "outbox", 23_000_000, "0x0b9857ae2d4a3dbe74ffe1d7df045bb7f96e4840")],
  ["eip155:42220", () => anchored(42_220, "registry", 26_000_000, "0x8fe58d2168b5412cf1bd212ce6137f8b7300222d")],
  ["eip155:57073", () => anchored(57_073, "registry", 23_000_000, "0xee018baf058227872540ac60efbd38b023d9dae2")],
  ["bip122:000000000019d6689c085ae165831e93", () => ({
    // difficulty 1.76e13: never easier since autumn 2021, and a tenth of 2026's
    kind: "work", target_limit_bits: 0x1d00ffff, floor_bits: 0x170fffff, retargets: true, confirmations: 6,
  })],
  ["polkadot:91b171bb158e2d3848fa23a9f1c25182", () => ({
    kind: "grandpa", slot_seconds: 6, trusted_seconds: 21 * DAY_SECONDS,
  })],
  ["tron:0x2b6653dc", () => ({
    kind: "producers", set_seconds: DAY_SECONDS, window_blocks: 54, trusted_seconds: 14 * DAY_SECONDS,
  })],
  ["aptos:1", () => ({ kind: "ledger_info", trusted_seconds: 14 * DAY_SECONDS })],
  ["sui:35834a8a", () => ({ kind: "checkpoint", trusted_seconds: 14 * DAY_SECONDS })],
  ["icp:1", () => ({ kind: "certificate", canister: "ryjl3-tyaaa-aaaaa-aaaba-cai" })],
  ["cosmos:cosmoshub-4", () => ({
    kind: "commit", chain_id: "cosmoshub-4", set_blocks: 5_000, trusted_seconds: 14 * DAY_SECONDS,
  })],
]);

/** Built-in sets in hex, by name and network: the root keys of the Internet Computer, which never change.
 * @type {Map<string, { live: string, simulated: string }>} */
const BUILT_IN = new Map([
  ["icp:1", {
    live: "814c0e6ec71fab583b08bd81373c255c3c371b2e84863c98a4f1e08b74235d14fb5d9c0cd546d9685f913a0c0b2cc5341583bf4b4392e4" +
      "67db96d65b9bb4cb717112f8472e0d5a4d14505ffd7484b01291091c5f87b98883463f98091a0baaae",
    simulated: SIMULATED_ROOT_KEY,
  }],
]);

/** Names of the chains with params here. @returns {string[]} */
export const checkableChains = () => [...MAIN_NETWORKS.keys()];

/** Whether blocks are the chain's own; recorded ones are. @param {Network} network @returns {"live" | "simulated" | null}
 * null for any other word */
function blocksOf(network) {
  if (network === "simulated") return network;
  return network === "live" || network === "recorded" ? "live" : null;
}

/** Params of a chain; null for one whose consensus leaves nothing that a client can check. Everybody has the keys of
 * simulated chains, so a pin of one is never one of the live chain.
 * @param {string} caip2 such as `eip155:1` @param {Network} [network] `network` of a proof, which follows from its log's
 * name @returns {FinalityParams | null} */
export function paramsOf(caip2, network = "live") {
  const [main, blocks] = [MAIN_NETWORKS.get(caip2)?.(), blocksOf(network)];
  if (!main || !blocks) return null;
  return structuredClone(blocks === "live" ? main : simulated(caip2, main));
}

/** Name of the chain whose set a client pins: Ethereum for chains that contracts there hold. @param {string} caip2 */
export const signingChain = (caip2) => (MAIN_NETWORKS.get(caip2)?.().kind === "anchor" ? ETHEREUM_CAIP2 : caip2);

/** Bytes of a set that needs no pin, for `readSet`; null where one is pinned.
 * @param {string} caip2 @param {Network} [network] @returns {Uint8Array | null} */
export function builtInSet(caip2, network = "live") {
  const [sets, blocks] = [BUILT_IN.get(caip2), blocksOf(network)];
  return sets && blocks ? fromHex(sets[blocks]) : null;
}
