// @ts-check
// Kinds of evidence, one line a kind: docs/protocol/finality.md.

import { anchor } from "./anchor.js";
import { beacon } from "./beacon.js";
import { certificate } from "./certificate.js";
import { checkpoint } from "./checkpoint.js";
import { commit } from "./commit.js";
import { grandpa } from "./grandpa.js";
import { ledgerInfo } from "./ledger_info.js";
import { milestone } from "./milestone.js";
import { producers } from "./producers.js";
import { vote } from "./vote.js";
import { work } from "./work.js";

/** @typedef {"beacon" | "work" | "checkpoint" | "certificate" | "vote" | "anchor" | "commit" | "milestone" |
 *   "producers" | "grandpa" | "ledger_info"} FinalityKind */
/** A chain's constants, the client's own: of main networks in `chains.js`.
 * @typedef {({ kind: "beacon" } & import("./beacon.js").BeaconParams) | ({ kind: "work" } & import("./work.js").WorkParams) |
 *   ({ kind: "checkpoint" } & import("./checkpoint.js").CheckpointParams) |
 *   ({ kind: "certificate" } & import("./certificate.js").CertificateParams) |
 *   ({ kind: "vote" } & import("./vote.js").VoteParams) | ({ kind: "anchor" } & import("./anchor.js").AnchorParams) |
 *   ({ kind: "commit" } & import("./commit.js").CommitParams) |
 *   ({ kind: "milestone" } & import("./milestone.js").MilestoneParams) |
 *   ({ kind: "producers" } & import("./producers.js").ProducerParams) |
 *   ({ kind: "grandpa" } & import("./grandpa.js").GrandpaParams) |
 *   ({ kind: "ledger_info" } & import("./ledger_info.js").LedgerInfoParams)} FinalityParams */
/** @typedef {{ byte: number, bindsNumber: boolean, trust: string, rules: import("./rules.js").SetRules<any, any> }} KindRow */

const ETHEREUM_TRUST = "that two thirds of the sampled validators of Ethereum did not sign falsely together, for which " +
  "they are not slashed, and that the rollup's contracts on Ethereum hold no false block: games that nobody disputed " +
  "in time, and whoever may upgrade the contracts";

/** @param {number} byte in evidence @param {boolean} bindsNumber whether evidence binds the number, not only the hash
 * @param {string} trust what a client still trusts @param {import("./rules.js").SetRules<any, any>} rules
 * @returns {KindRow} */
const row = (byte, bindsNumber, trust, rules) => ({ byte, bindsNumber, trust, rules });

/** @type {Map<string, KindRow>} */
export const KINDS = new Map([
  ["beacon", row(0x10, false, "that two thirds of the sampled validators did not sign falsely together, for which they " +
    "are not slashed", beacon)],
  ["work", row(0x11, true, "that nobody spends this work on another branch", work)],
  ["checkpoint", row(0x12, true, "that holders of two thirds of the stake of that epoch did not sign falsely together",
    checkpoint)],
  ["certificate", row(0x13, false, "that two thirds of the subnet's nodes are honest, and the root key", certificate)],
  ["vote", row(0x14, true, "that two thirds of the validators of that epoch did not vote falsely together", vote)],
  ["anchor", row(0x15, true, ETHEREUM_TRUST, anchor)],
  ["commit", row(0x16, true, "that holders of a third of the pinned voting power did not sign falsely together, for " +
    "which they are slashed", commit)],
  ["milestone", row(0x17, true, "that holders of a third of Heimdall's pinned voting power did not sign falsely together, " +
    "and that no fork takes the milestone back, as one did in 2025-09", milestone)],
  ["producers", row(0x18, true, "that 11 of the 27 producers did not build on two branches, for which they are not " +
    "slashed, and that no 19 producers of the list sign falsely together within the trusting period", producers)],
  ["grandpa", row(0x19, true, "that two thirds of the authorities of that set did not sign falsely together, for which " +
    "they are slashed if they vote twice in a round", grandpa)],
  ["ledger_info", row(0x1b, false, "that holders of two thirds of the voting power of that epoch did not sign falsely " +
    "together, for which they are not slashed", ledgerInfo)],
]);
