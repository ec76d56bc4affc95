// @ts-check
// Checks a proof level by level: docs/protocol.md, "What a verifier does". Nothing is taken from anywhere but the
// proof and the chains that the caller brings. Whatever is altered, some step fails: every part is hashed.

import { SUPER_ROOT_HEIGHT, TWIG_HEIGHT, readProfile } from "./file.js";
import { concat, keccak256, toHex, u64, utf8 } from "./hash.js";
import { LEDGERS } from "./ledger/index.js";
import { ruleAt } from "./ledger/solana.js";
import { leafOf, nodeOf, parseNote } from "./note.js";
import { Reader, match, need, needValue, within } from "./reader.js";
import { node, rootOfPath, rootOfRange } from "./trees.js";

const REGISTRY_SLOT = 55;
const ROWS_MAX = 45;
const TWIG_BLOCKS = 2 ** TWIG_HEIGHT;

/** A chain that the caller knows; rules are `[from, code]`. @typedef {{ family: number, id: number, name: string,
 *   caip2: string, rules: [number, number][] }} Chain */
/** @typedef {"encoding" | "statement" | "block" | "entry" | "twig" | "mini_mmr" | "super_root" | "anchor"} Step */
/** What was found at a step: shown, or not on this proof's way.
 * @typedef {{ step: Step, state: "shown" | "passed", detail: string }} Level */
/** @typedef {import("./file.js").Proof} Proof */
/** @typedef {import("./ledger/index.js").Subject} Subject */
/** A SuperRoot; times and counts below 2^53. @typedef {{ hash: Uint8Array, preimage: Uint8Array, sequence: number,
 *   timestamp: number, treeRoot: Uint8Array, note: import("./note.js").Note | null }} SuperRoot */
/** Where the twig stands. @typedef {{ kind: "sealed", index: number, count: number, root: Uint8Array }
 *   | { kind: "open", row: number, start: number, number: number }} Position */

/** A proof that does not hold, with the step at which it fails, and the levels that were shown before it. */
export class ProofError extends Error {
  /** @param {Step} step @param {string} message @param {Level[]} [levels] @param {unknown} [cause] */
  constructor(step, message, levels = [], cause = undefined) {
    super(message, { cause });
    this.name = "ProofError";
    this.step = step;
    this.levels = levels;
  }
}

/** Runs a step: what fails in it fails there. @template T @param {Step} step @param {Level[]} levels
 * @param {() => T} run @returns {T} */
export function runStep(step, levels, run) {
  try {
    return run();
  } catch (error) {
    if (error instanceof ProofError) throw error;
    throw new ProofError(step, error instanceof Error ? error.message : String(error), levels, error);
  }
}

/** The code of the rule at a number: 0 where a withdrawal covers it. @param {[number, number][]} rules
 * @param {number} number */
function codeAt(rules, number) {
  const covers = rules.filter(([from]) => from <= number).map(([, code]) => code);
  need(covers.length > 0, "no rule covers this block");
  need(!covers.includes(0), "the log withdrew this block");
  return ruleAt(covers[covers.length - 1], number);
}

/** Step 1: bounds, parts, the chain and its rule. @param {Proof} proof
 * @param {{ chains: Chain[], admitsUnknownChains?: boolean }} known */
function checkStatement(proof, { chains, admitsUnknownChains }) {
  const { origin, entry, header, superRoot, subject, family } = proof;
  need(/^[^\p{White_Space}+]+$/u.test(origin) && utf8(origin).length <= 255, "malformed origin");
  if (subject.kind === "block") need(!entry && !!header, "a proof of a block has a header and no level 1");
  else LEDGERS[family].checkParts(needValue(entry, "level 1 is missing"), subject);
  const [id, number] = [within(proof.chainId, "chain id"), within(proof.number, "block number")];
  const opened = superRoot ? readProfile(superRoot.profile) : null;
  const known = chains.find((one) => one.family === family && one.id === id);
  need(!!known || !!admitsUnknownChains, "the verifier does not know the chain");
  const chain = known ?? { ...needValue(opened, "the verifier does not know the chain"), name: opened?.caip2 ?? "" };
  need(chain.family === family && chain.id === id, "the opened profile is of another chain");
  const code = codeAt(chain.rules, number);
  if (opened) {
    const isOwn = opened.family === family && opened.id === id && opened.caip2 === chain.caip2;
    need(isOwn && codeAt(opened.rules, number) === code, "the opened profile is of another chain");
  }
  need(LEDGERS[family].rules.includes(code), "the verifier does not have the rule of this block");
  return { chain, number, rule: code, isChainKnown: !!known };
}

/** Level 2. @param {Proof} proof @param {number} rule */
function checkHeader({ family, header, number }, rule) {
  if (!header) return null;
  const read = LEDGERS[family].readHeader(rule, header.bytes);
  match(read.hash, header.hash, "block hash");
  need(read.number === null || read.number === number, `the header is of block ${read.number}`);
  return read;
}

/** Level 5: the slot's value under the SuperRoot, and the chain's profile under it.
 * @param {Proof} proof @param {NonNullable<Proof["superRoot"]>} part @param {Uint8Array} value @param {number} slot
 * @returns {SuperRoot} */
function checkSuperRoot(proof, part, value, slot) {
  const reader = new Reader(part.preimage, "SuperRoot");
  need(reader.u8() === 7 && part.preimage.length === 82, "not the preimage of a SuperRoot");
  need(reader.u8() === 5, "a SuperRoot of another version than 5");
  const logId = reader.hash();
  const sequence = within(reader.u64(), "sequence");
  const timestamp = within(reader.u64(), "timestamp");
  const treeRoot = reader.hash();
  match(keccak256([9], utf8(proof.origin)), logId, "id of the log");
  match(rootOfPath(value, slot, part.siblings, SUPER_ROOT_HEIGHT), treeRoot, "root of the SuperRoot's tree");
  const { row, count, profile } = part;
  need(row < count && count <= ROWS_MAX, "no registry has such a row");
  const rows = rootOfPath(keccak256(profile), row, part.rowSiblings, SUPER_ROOT_HEIGHT);
  const registry = keccak256([6, 0, count], rows);
  match(rootOfPath(registry, REGISTRY_SLOT, part.registrySiblings, SUPER_ROOT_HEIGHT), treeRoot,
    "root over the registry");
  const note = proof.note && checkNote(proof.note, proof.origin, part.preimage, BigInt(sequence));
  return { hash: keccak256(part.preimage), preimage: part.preimage, sequence, timestamp, treeRoot, note };
}

/** The note's log holds the SuperRoot. Who signed the note is asked at the anchor.
 * @param {NonNullable<Proof["note"]>} part @param {string} origin @param {Uint8Array} preimage
 * @param {bigint} sequence */
function checkNote(part, origin, preimage, sequence) {
  const note = parseNote(part.text);
  need(note.origin === origin, "the note is of another log");
  within(note.size, "size of the note");
  need(note.size > sequence, "the note's log does not hold the SuperRoot");
  match(rootOfRange(leafOf(preimage), sequence, note.size, part.siblings, nodeOf), note.root, "root of the note's log");
  return note;
}

/** The run begins with a twig or with the ledger, and its last block is the one that the proof shows, where that has
 * its number. @param {Proof} proof @param {NonNullable<Proof["open"]>} open @param {number} number
 * @param {Uint8Array} profile */
function checkReference(proof, open, number, profile) {
  const first = readProfile(profile).rules[0][0];
  const start = within(open.start, "start");
  need(start === first || (start > first && start % TWIG_BLOCKS === 0), "the run starts within a twig");
  if (within(open.number, "reference number") !== number) return;
  match(open.blockHash, needValue(proof.header, "there is no header").hash, "last block of the reference");
}

/** Levels 4 and 5. @param {Proof} proof @param {number} number @param {Uint8Array} twigRoot @param {Level[]} levels */
function checkPlace(proof, number, twigRoot, levels) {
  const { family, sealed, open, superRoot: part } = proof;
  const chain = concat([family], u64(proof.chainId));
  const twigIndex = Math.floor(number / TWIG_BLOCKS);
  if (sealed) {
    const { index, count, siblings } = sealed;
    const root = runStep("mini_mmr", levels, () => {
      within(count, "leaf count");
      const leaf = keccak256([2], chain, u64(twigIndex), twigRoot);
      const got = keccak256([3, family], u64(count), rootOfRange(leaf, index, count, siblings, node));
      match(got, sealed.root, "root of the Mini-MMR");
      return got;
    });
    levels.push({ step: "mini_mmr", state: "shown",
      detail: `the twig is leaf ${index} of the ${count} of the ${LEDGERS[family].name} Mini-MMR` });
    const superRoot = part && runStep("super_root", levels, () => checkSuperRoot(proof, part, root, family));
    const position = /** @type {Position} */ ({ kind: "sealed", index: Number(index), count: Number(count), root });
    return { position, superRoot };
  }
  if (!open) return { position: null, superRoot: null };
  const superRoot = runStep("super_root", levels, () => {
    const whole = needValue(part, "an open place has a SuperRoot");
    const last = within(open.number, "reference number");
    const isIn = open.start <= BigInt(number) && number <= last;
    need(isIn && twigIndex === Math.floor((last + 1) / TWIG_BLOCKS), "the block is not in its chain's open twig");
    checkReference(proof, open, number, whole.profile);
    const reference = keccak256([4], chain, u64(open.start), u64(open.number), open.blockHash, twigRoot);
    return checkSuperRoot(proof, whole, reference, LEDGERS.length + whole.row);
  });
  levels.push({ step: "mini_mmr", state: "passed",
    detail: "not on the way: the twig is still open, and the SuperRoot holds it itself" });
  const [start, last] = [Number(open.start), Number(open.number)];
  return { position: /** @type {Position} */ ({ kind: "open", row: part?.row ?? 0, start, number: last }), superRoot };
}

/** The sentence of level 1. @param {Subject} subject @param {import("./ledger/index.js").ShownEntry} shown
 * @param {{ txIndex: boolean, logIndex: boolean }} bound */
function entryText({ kind, txIndex, logIndex }, shown, bound) {
  const place = bound.txIndex ? ` at index ${txIndex}` : "";
  if (kind === "absence") return `the block has no transaction${place}`;
  const root = "under the root that the header names";
  if (kind === "transaction") return `the transaction${place}${shown.receipt ? " and its receipt are" : " is"} ${root}`;
  if (!bound.logIndex) return `a list with the event is ${root}`;
  return `event ${logIndex} of ${bound.txIndex ? `transaction ${txIndex}` : "a transaction"} is ${root}`;
}

/** Time that is a number: null where the header names none, or one of 2^53 and more.
 * @param {bigint | null | undefined} seconds */
const timeOf = (seconds) => (seconds != null && seconds < 2n ** 53n ? Number(seconds) : null);

/** Checks every level that a proof has. Whose SuperRoot it ends in is asked at the anchor.
 * @param {Proof} proof from a file, or put together of JSON
 * @param {{ chains: Chain[], admitsUnknownChains?: boolean }} known `admitsUnknownChains`: a chain that is not among
 *   `chains` is read by the profile that the proof opens, and its identity is the log's word
 * @returns what is shown; throws a ProofError */
export function verifyProof(proof, known) {
  /** @type {Level[]} */
  const levels = [];
  const ledger = runStep("encoding", levels, () => needValue(LEDGERS[proof.family], "there is no such family"));
  const { chain, number, rule, isChainKnown } = runStep("statement", levels, () => checkStatement(proof, known));
  const { subject, origin, twig } = proof;
  const header = runStep("block", levels, () => checkHeader(proof, rule));
  const bound = ledger.boundIndexes(subject.kind);
  const entry = proof.entry && runStep("entry", levels, () => ledger.checkEntry(proof.entry, subject, header, rule));
  if (entry) levels.push({ step: "entry", state: "shown", detail: entryText(subject, entry, bound) });
  if (header) {
    runStep("block", levels, () => ledger.checkChain(header, chain.caip2));
    levels.push({ step: "block", state: "shown",
      detail: `the header of block ${number} has the hash ${toHex(header.hash)}` });
  }
  /** @type {{ position: Position | null, superRoot: SuperRoot | null }} */
  let top = { position: null, superRoot: null };
  const slot = number % TWIG_BLOCKS;
  if (twig) {
    runStep("twig", levels, () => {
      const { hash } = needValue(header, "there is no header");
      const leaf = keccak256([0, proof.family], u64(proof.chainId), u64(number), hash);
      match(rootOfPath(leaf, slot, twig.siblings, TWIG_HEIGHT), twig.root, "root of the twig");
    });
    levels.push({ step: "twig", state: "shown",
      detail: `the block is in slot ${slot} of twig ${Math.floor(number / TWIG_BLOCKS)}` });
    top = checkPlace(proof, number, twig.root, levels);
  }
  const { position, superRoot } = top;
  if (superRoot) {
    levels.push({ step: "super_root", state: "shown",
      detail: `SuperRoot ${superRoot.sequence} commits to ${proof.open ? "the twig" : "the Mini-MMR"}` });
  }
  const place = { family: proof.family, id: chain.id, number, origin };
  return {
    levels, chain, isChainKnown, number, rule, subject, origin, network: networkOf(origin),
    /** Highest level: 1 entry, 2 block, 3 twig, 4 Mini-MMR, 5 SuperRoot. */
    level: superRoot ? 5 : position ? 4 : twig ? 3 : header ? 2 : 1,
    isNumberBound: ledger.bindsNumber,
    /** Positions that hashes show; any other is the service's word. */
    boundIndexes: bound,
    /** Whether the entry is in exactly this block; if not, in the chain by this block. */
    isBlockBound: !proof.entry || ledger.showsBlock(proof.entry, place),
    header, blockHash: /** @type {Uint8Array | null} */ (header?.hash ?? null), timestamp: timeOf(header?.timestamp),
    entry: /** @type {import("./ledger/index.js").ShownEntry | null} */ (entry ?? null),
    twig: twig && { index: Math.floor(number / TWIG_BLOCKS), slot, root: twig.root },
    position, superRoot, finality: proof.finality,
  };
}

/** @typedef {ReturnType<typeof verifyProof>} ShownProof */

/** @param {string} origin @returns {"live" | "recorded" | "simulated"} */
export const networkOf = (origin) =>
  (origin.startsWith("recorded/") ? "recorded" : origin.startsWith("simulated/") ? "simulated" : "live");

