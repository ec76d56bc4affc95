// @ts-check
// The ledgers, by family. A ledger reads headers and level 1, and knows nothing of the commitment above: each of its
// functions takes parts, wherever they came from (a file, JSON), checks their bounds itself, and throws a Fault.

import { aptos } from "./aptos.js";
import { bitcoin } from "./bitcoin.js";
import { cosmos } from "./cosmos.js";
import { evm } from "./evm.js";
import { icp } from "./icp.js";
import { polkadot } from "./polkadot.js";
import { solana } from "./solana.js";
import { sui } from "./sui.js";
import { tron } from "./tron.js";

/** What a proof is of, inside its block. `txIndex` and `logIndex` are 0 where the kind has none.
 * @typedef {{ kind: "block" | "transaction" | "event" | "absence", txIndex: number, logIndex: number }} Subject */

/** What every header shows; a ledger adds its own. Null: its hash does not bind it. Time in Unix seconds.
 * @typedef {{ hash: Uint8Array, number: bigint | null, timestamp: bigint | null, parentHash: Uint8Array | null }} Header */

/** A transaction, by its hash and its leaf. @typedef {{ hash: Uint8Array, raw: Uint8Array }} Transaction */

/** What happened in a transaction, by ledger.
 * @typedef {{ kind: "log", log: import("./evm.js").Log, logCount: number }
 *   | { kind: "output", output: import("./bitcoin.js").Output, outputCount: number }
 *   | { kind: "operation", operation: import("./icp.js").Operation }
 *   | { kind: "versionEvent", raw: Uint8Array, eventRoot: Uint8Array }
 *   | { kind: "list", stateRoot: Uint8Array, value: Uint8Array, recordCount: number }
 *   | { kind: "move", event: import("./sui.js").MoveEvent, eventCount: number, transactionHash: Uint8Array }} Event */

/** What level 1 shows. Roots: the header's or, without a header, those that the proof leads to. `txCount`: where the
 * proof shows it. @typedef {{ transactionsRoot: Uint8Array | null, receiptsRoot: Uint8Array | null,
 *   transaction: Transaction | null, receipt: import("./evm.js").Receipt | null, event: Event | null,
 *   txCount: number | null }} ShownEntry */

/** Which level 1 parts a file has: bits 0 and 1. @typedef {{ transaction: boolean, receipt: boolean }} EntryParts */
/** The block that a statement names. @typedef {{ family: number, id: number, number: number, origin: string }} Place */

/** @template E @template {Header} H @typedef {{
 *   name: string,
 *   rules: number[],
 *   bindsNumber: boolean,
 *   boundIndexes: (kind: Subject["kind"]) => { txIndex: boolean, logIndex: boolean },
 *   showsBlock: (entry: E, place: Place) => boolean,
 *   readEntry: (reader: import("../reader.js").Reader, subject: Subject, parts: EntryParts) => E,
 *   checkParts: (entry: E, subject: Subject) => void,
 *   readHeader: (rule: number, bytes: Uint8Array) => H,
 *   checkChain: (header: H, caip2: string) => void,
 *   checkEntry: (entry: E, subject: Subject, header: H | null, rule: number) => ShownEntry,
 * }} Ledger `readEntry` fails at the step `encoding`, `checkParts` at `statement`, `readHeader` and `checkChain` at
 *   `block`, `checkEntry` at `entry`; `rules` are codes of rules for headers, `showsBlock` says whether an entry is
 *   shown in exactly this block, not only in the chain by this block */

/** By family. @type {Ledger<any, any>[]} */
export const LEDGERS = [evm, bitcoin, solana, polkadot, tron, aptos, sui, icp, cosmos];

/** Names of the families, by their byte. */
export const FAMILIES = LEDGERS.map((ledger) => ledger.name);
