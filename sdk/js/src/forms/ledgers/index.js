// @ts-check
// Ledgers in JSON, by family: level 1 is read from members, and headers and level 1 are rendered.

import { aptos } from "./aptos.js";
import { bitcoin } from "./bitcoin.js";
import { cosmos } from "./cosmos.js";
import { evm } from "./evm.js";
import { icp } from "./icp.js";
import { polkadot } from "./polkadot.js";
import { solana } from "./solana.js";
import { sui } from "./sui.js";
import { tron } from "./tron.js";

/** @typedef {import("../../verify/proof.js").ShownProof} ShownProof */
/** @template E @template H @typedef {{
 *   parse: (root: import("../compare.js").Member, subject: import("../../verify/ledger/index.js").Subject) => E,
 *   header: (header: H) => object,
 *   entry: (entry: E, shown: ShownProof) => object,
 *   event: (entry: E, shown: ShownProof) => object,
 *   roots: (header: H) => { transactionsRoot?: Uint8Array, receiptsRoot?: Uint8Array },
 *   unshownOfEvents: string[], noReceipts: string | null }} LedgerForm `parse` throws an Error for members that are no
 *   level 1; nothing is checked in it. `unshownOfEvents`: members of events that no hash shows; `noReceipts`: why the
 *   ledger has no receipts root */

/** By family. @type {LedgerForm<any, any>[]} */
export const LEDGER_FORMS = [evm, bitcoin, solana, polkadot, tron, aptos, sui, icp, cosmos];
