// @ts-check
// Questions to a service, checked before they are sent, and whether a proof answers them.

import { CHAINS } from "../verify/chains.js";
import { WORDS } from "./words.js";
import { ClientError, plain } from "./error.js";

/** @typedef {import("../verify/proof.js").Chain} Chain */
/** A chain: its id, or a word such as `base`, `Base` or `eip155:8453`. @typedef {string | number | bigint} ChainName */
/** A block: its number, or `latest`, `finalized`, `safe`, `earliest`. @typedef {number | bigint | string} BlockName */

/** What is asked to be proven. `number` is null where the service chooses the block.
 * @typedef {{ chain: Chain, kind: "block" | "transaction" | "event" | "absence", number: number | null,
 *   txHash: string | null, txIndex: number | null, logIndex: number | null, path: string[],
 *   query: Record<string, string | number> }} Question */

const INDEX_MAX = 2 ** 32 - 1;

/** Finds a chain among those that this library knows. Throws a ClientError. @param {ChainName} name @returns {Chain} */
export function findChain(name) {
  const word = String(name).toLowerCase();
  const found = CHAINS.find(({ family, id, name: shown, caip2 }) => {
    const words = WORDS.find(([of, chain]) => of === family && chain === id)?.[2] ?? [];
    return [String(id), shown, caip2, ...words].some((known) => known.toLowerCase() === word);
  });
  if (!found) throw new ClientError("argument", `this library does not know the chain ${plain(name)}`);
  return found;
}

/** @param {unknown} value @param {string} what @param {number} max @returns {number} */
function whole(value, what, max) {
  const number = typeof value === "bigint" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isSafeInteger(number) || number < 0 || number > max) {
    throw new ClientError("argument", `${what} is a whole number from 0 to ${max}, got ${plain(value)}`);
  }
  return number;
}

/** @param {BlockName} block @returns {number | null} */
function numberOf(block) {
  if (typeof block === "string" && /^[a-z]+$/.test(block)) return null;
  const given = typeof block === "string" && /^[0-9]{1,16}$/.test(block) ? Number(block) : block;
  return whole(given, "block", Number.MAX_SAFE_INTEGER);
}

/** @param {string} hash @param {Chain} chain @returns {string} */
function txHashOf(hash, chain) {
  const digits = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(hash)?.[1];
  if (!digits) throw new ClientError("argument", `tx is 0x and 64 hex digits, got ${plain(hash)} on ${chain.name}`);
  return `0x${digits.toLowerCase()}`;
}

/** @param {{ chain: ChainName, block: BlockName }} asked @returns {Question} */
export function askBlock({ chain: name, block }) {
  const [chain, number] = [findChain(name), numberOf(block)];
  return { chain, kind: "block", number, txHash: null, txIndex: null, logIndex: null, query: {},
    path: ["v5", "proof", String(chain.id), String(number ?? block)] };
}

/** @param {{ chain: ChainName, tx: string, block?: number | bigint, index?: number }} asked @returns {Question} */
export function askTransaction({ chain: name, tx, block, index }) {
  const chain = findChain(name);
  const txHash = txHashOf(tx, chain);
  const place = placeOf(block, index);
  return { chain, kind: "transaction", ...place, txHash, logIndex: null,
    path: ["v5", "proof", "tx", String(chain.id), txHash] };
}

/** An event by its transaction, or by its block and the transaction's index in it.
 * @typedef {{ chain: ChainName, tx: string, logIndex: number, block?: number | bigint, index?: number }
 *   | { chain: ChainName, block: BlockName, index: number, logIndex: number, tx?: undefined }} EventPlace */

/** @param {EventPlace} asked @returns {Question} */
export function askEvent(asked) {
  const chain = findChain(asked.chain);
  const logIndex = whole(asked.logIndex, "logIndex", INDEX_MAX);
  if (asked.tx !== undefined) {
    const txHash = txHashOf(asked.tx, chain);
    return { chain, kind: "event", ...placeOf(asked.block, asked.index), txHash, logIndex,
      path: ["v5", "event", String(chain.id), txHash, String(logIndex)] };
  }
  const [number, txIndex] = [numberOf(asked.block), whole(asked.index, "index", INDEX_MAX)];
  return { chain, kind: "event", number, txHash: null, txIndex, logIndex, query: {},
    path: ["v5", "proof", "event", String(chain.id), String(number ?? asked.block), String(txIndex), String(logIndex)] };
}

/** @param {{ chain: ChainName, block: BlockName, index: number }} asked @returns {Question} */
export function askAbsence({ chain: name, block, index }) {
  const [chain, number, txIndex] = [findChain(name), numberOf(block), whole(index, "index", INDEX_MAX)];
  return { chain, kind: "absence", number, txHash: null, txIndex, logIndex: null, query: {},
    path: ["v5", "proof", "absence", String(chain.id), String(number ?? block), String(txIndex)] };
}

/** Where a transaction's bytes are, if they occur in several places. @param {number | bigint | undefined} block
 * @param {number | undefined} index */
function placeOf(block, index) {
  const number = block === undefined ? null : whole(block, "block", Number.MAX_SAFE_INTEGER);
  const txIndex = index === undefined ? null : whole(index, "index", INDEX_MAX);
  /** @type {Record<string, number>} */
  const query = {};
  if (number !== null) query.block = number;
  if (txIndex !== null) query.tx_index = txIndex;
  return { number, txIndex, query };
}

/** Refuses a valid proof about something else than asked. @param {Question} asked
 * @param {{ chain: { family: number, id: number }, number: number, txHash: string | null,
 *   subject: { kind: string, txIndex: number, logIndex: number } }} shown */
export function checkAnswers(asked, { chain, number, txHash, subject }) {
  const isTx = asked.txHash === null || txHash === asked.txHash ||
    (asked.chain.family === 1 && txHash === reversed(asked.txHash));
  const fits = chain.family === asked.chain.family && chain.id === asked.chain.id && subject.kind === asked.kind &&
    (asked.number === null || asked.number === number) && (asked.txIndex === null || asked.txIndex === subject.txIndex) &&
    (asked.logIndex === null || asked.logIndex === subject.logIndex) && isTx;
  if (fits) return;
  throw new ClientError("another_answer", `the proof is valid, and about something else than asked: ${subject.kind} ` +
    `at ${subject.txIndex}/${subject.logIndex} of block ${number} of chain ${chain.id}`);
}

/** A hash in the other byte order. @param {string} hash */
const reversed = (hash) => `0x${(hash.slice(2).match(/../g) ?? []).reverse().join("")}`;
