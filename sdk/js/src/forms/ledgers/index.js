// @ts-check
// Ledgers in JSON, by family. A family that is not here is refused as not checked.

import * as evm from "./evm.js";

/** What a family's level 1 and 2 are in JSON.
 * @typedef {{
 *   parse: (root: import("../compare.js").Member, subject: import("../../verify/file.js").Subject) => any,
 *   header: (bytes: Uint8Array, hash: Uint8Array, rule: number) => object,
 *   entry: (own: any, context: import("../answer.js").Context) => object,
 *   event: (own: any, context: import("../answer.js").Context) => object,
 *   leaf: (proof: any, context: import("../answer.js").Context) => string | null,
 *   roots: (members: any) => object,
 *   bound: (subject: import("../../verify/file.js").Subject, own: any) => { index: boolean, count: boolean },
 *   unshownOfEvents: string[], noReceipts: string | null }} Ledger */

/** @type {Ledger[]} */
export const LEDGERS = [evm];
