// @ts-check
// Checks a `.srproof` file: docs/protocol.md, "What a verifier does". Nothing is taken from
// anywhere but these bytes, the chains that the caller brings, and the key or hash that the caller trusts.
// Whatever is altered, some step fails: the file has one form alone, and every part of it is hashed.

import * as bitcoin from "./bitcoin.js";
import * as evm from "./evm.js";
import { FAMILIES, Reader, decode, readProfile, within } from "./file.js";
import { concat, keccak256, same, toHex, u64, utf8 } from "./hash.js";
import { isSignedBy, leafOf, nodeOf, parseNote } from "./note.js";
import { need, node, rootOfPath, rootOfRange } from "./trees.js";

const [EVM, BITCOIN] = [0, 1];
const REGISTRY_SLOT = 55;
const ROWS_MAX = 45;
const NUMBER_BOUND = new Set(["evm", "polkadot", "tron", "sui", "cosmos"]);

/** A chain that the caller knows. @typedef {{ family: number, id: number, name: string,
 *   caip2: string, rules: [number, number][] }} Chain */
/** @typedef {"encoding" | "statement" | "entry" | "block" | "twig" | "mini_mmr" | "super_root" | "anchor"} Step */
/** What was found at a step: shown, not on this proof's way, or not looked at by this page.
 * @typedef {{ step: Step, state: "shown" | "passed" | "unchecked", detail: string }} Check */
/** @typedef {import("./file.js").Proof} Proof */
/** @typedef {import("./file.js").Subject} Subject */
/** @typedef {import("./file.js").Branch} Branch */

/** A proof that does not hold, with the step at which it fails. */
export class ProofError extends Error {
  /** @param {Step} step @param {string} message @param {Check[]} [checks] what was shown before it */
  constructor(step, message, checks = []) {
    super(message);
    this.step = step;
    this.checks = checks;
  }
}

/** Runs a step: what fails in it fails there. @template T @param {Step} step @param {() => T} run @returns {T} */
function at(step, run) {
  try {
    return run();
  } catch (error) {
    if (error instanceof ProofError) throw error;
    throw new ProofError(step, error instanceof Error ? error.message : String(error));
  }
}

/** The code of the rule at a number: 0 where a withdrawal covers it. @param {[number, number][]} rules
 * @param {number} number */
function codeAt(rules, number) {
  const covers = rules.filter(([from]) => from <= number).map(([, code]) => code);
  need(covers.length > 0, "no rule covers this block");
  need(!covers.includes(0), "the log withdrew this block");
  return covers[covers.length - 1];
}

/** @param {Uint8Array} got @param {Uint8Array} expected @param {string} what */
function match(got, expected, what) {
  need(same(got, expected), `the ${what} comes out as ${toHex(got)}, not as ${toHex(expected)}`);
}

/** @param {Proof} proof @param {Chain[]} chains */
function checkStatement(proof, chains) {
  const { origin, entry, header, superRoot, subject } = proof;
  need(/^[^\p{White_Space}+]+$/u.test(origin), "malformed origin");
  if (subject.kind === "block") need(!entry && !!header, "a proof of a block has a header and no level 1");
  else need(!!entry, "level 1 is missing");
  if (entry?.tries) {
    const { transaction, receipt } = entry.tries;
    need((subject.kind === "event" ? receipt : transaction) !== null, "a trie is missing");
  }
  const [id, number] = [within(proof.chainId, "chain id"), within(proof.number, "block number")];
  const opened = superRoot ? readProfile(superRoot.profile) : null;
  const chain = chains.find((one) => one.family === proof.family && one.id === id);
  if (!chain) throw new Error("this page does not know the chain");
  const code = codeAt(chain.rules, number);
  if (opened) {
    const isOwn = opened.family === proof.family && opened.id === id && opened.caip2 === chain.caip2;
    need(isOwn && codeAt(opened.rules, number) === code, "the opened profile is of another chain");
  }
  const isRead = { [EVM]: evm.hasRule(code), [BITCOIN]: code === 0x0101 }[proof.family] ?? true;
  need(code >> 8 === proof.family && isRead, "this page does not have the rule of this block");
  return { chain, number, rule: code };
}

/** Level 2. What it shows of a ledger that this page does not read is null.
 * @param {Proof} proof @param {number} rule @param {number} number */
function checkHeader(proof, rule, number) {
  const { header, family } = proof;
  if (!header) return null;
  if (family === BITCOIN) {
    const read = bitcoin.readHeader(header.bytes);
    match(bitcoin.hashOf(header.bytes), header.hash, "block hash");
    return { bitcoin: read, timestamp: read.timestamp };
  }
  if (family !== EVM) return null;
  const read = evm.readHeader(rule, header.bytes);
  match(keccak256(header.bytes), header.hash, "block hash");
  need(read.number === number, `the header is of block ${read.number}`);
  return { evm: read, timestamp: read.timestamp };
}

/** Level 1 of the EVM family. @param {{ transaction: Uint8Array[] | null, receipt: Uint8Array[] | null }} entry
 * @param {Subject} subject @param {evm.Header | undefined} header */
function checkTries(entry, subject, header) {
  const isAbsence = subject.kind === "absence";
  /** @param {Uint8Array[]} nodes @param {Uint8Array | undefined} root @param {string} what */
  const leaf = (nodes, root, what) => {
    need(nodes.length > 0, "the trie proof is empty");
    const found = evm.walk(root ?? keccak256(nodes[0]), subject.txIndex, nodes);
    need(isAbsence === (found === null), `the ${what} trie has ${found ? "a" : "no"} leaf at ${subject.txIndex}`);
    return found;
  };
  const raw = entry.transaction ? leaf(entry.transaction, header?.transactionsRoot, "transaction") : null;
  let receipt = null;
  if (entry.receipt) {
    need(!header?.settlesOthers, "the header's receipts are those of other blocks");
    const bytes = leaf(entry.receipt, header?.receiptsRoot, "receipt");
    receipt = bytes && evm.readReceipt(bytes);
    need(!receipt || !header || evm.isWithin(receipt.bloom, header.bloom), "the header's bloom lacks the receipt's");
  }
  if (subject.kind === "event") need(subject.logIndex < (receipt?.logs.length ?? 0), "there is no such log");
  return { hash: raw && keccak256(raw), raw, receipt };
}

/** Level 1 of the Bitcoin family. @param {{ count: number, index: number, own: Branch, coinbase: Branch | null }} entry
 * @param {Subject} subject @param {Uint8Array | undefined} merkleRoot */
function checkBranches(entry, subject, merkleRoot) {
  const { count, index, own, coinbase } = entry;
  need(subject.kind === "absence" ? subject.txIndex >= count : subject.txIndex < count, "the count is another");
  let root = merkleRoot;
  /** @param {Branch} branch @param {number} place */
  const read = (branch, place) => {
    const transaction = bitcoin.readTransaction(branch.leaf);
    const got = bitcoin.rootOf(branch.leaf, place, count, branch.siblings);
    match(got, root ?? got, "root of the transaction tree");
    root = got;
    return transaction;
  };
  const transaction = read(own, index);
  const first = coinbase ? read(coinbase, 0) : transaction;
  need(first.isCoinbase, "the first transaction is no coinbase");
  if (subject.kind === "event") need(subject.logIndex < transaction.outputs.length, "there is no such output");
  const isAbsence = subject.kind === "absence";
  return { hash: isAbsence ? null : bitcoin.hashOf(own.leaf), raw: own.leaf, transaction };
}

/** Level 5: the slot's value under the SuperRoot, and the chain's profile under it.
 * @param {Proof} proof @param {Uint8Array} value @param {number} slot */
function checkSuperRoot(proof, value, slot) {
  const part = /** @type {NonNullable<Proof["superRoot"]>} */ (proof.superRoot);
  const reader = new Reader(part.preimage);
  need(reader.number(1) === 7, "not the preimage of a SuperRoot");
  need(reader.number(1) === 5, "a SuperRoot of another version than 5");
  const logId = reader.hash();
  const sequence = within(reader.u64(), "sequence");
  const timestamp = within(reader.u64(), "timestamp");
  const treeRoot = reader.hash();
  match(keccak256([9], utf8(proof.origin)), logId, "id of the log");
  match(rootOfPath(value, slot, part.siblings), treeRoot, "root of the SuperRoot's tree");
  need(part.row < part.count && part.count <= ROWS_MAX, "no registry has such a row");
  const rows = rootOfPath(keccak256(part.profile), part.row, part.rowSiblings);
  const registry = keccak256([6, 0, part.count], rows);
  match(rootOfPath(registry, REGISTRY_SLOT, part.registrySiblings), treeRoot, "root over the registry");
  return { sequence, timestamp, hash: keccak256(part.preimage), note: checkNote(proof, part.preimage, sequence) };
}

/** The note's log holds the SuperRoot. Who signed the note is asked later.
 * @param {Proof} proof @param {Uint8Array} preimage @param {number} sequence */
function checkNote(proof, preimage, sequence) {
  if (!proof.note) return null;
  const note = parseNote(proof.note.text);
  need(note.origin === proof.origin, "the note is of another log");
  need(note.size > sequence, "the note's log does not hold the SuperRoot");
  const { siblings } = proof.note;
  match(rootOfRange(leafOf(preimage), BigInt(sequence), BigInt(note.size), siblings, nodeOf), note.root,
    "root of the note's log");
  return note;
}

/** The run begins with a twig or with the ledger, and its last block is the one that the proof shows, where that has
 * its number. @param {Proof} proof @param {NonNullable<Proof["open"]>} open @param {number} number */
function checkReference(proof, open, number) {
  const [start, profile] = [within(open.start, "start"), readProfile(/** @type {any} */ (proof.superRoot).profile)];
  const first = Number(profile.rules[0]?.[0] ?? 0);
  need(start === first || (start > first && start % 2048 === 0), "the run starts within a twig");
  if (within(open.number, "reference number") !== number || !proof.header) return;
  match(open.blockHash, proof.header.hash, "last block of the reference");
}

/** Levels 4 and 5. @param {Proof} proof @param {number} number @param {Uint8Array} twigRoot
 * @param {(step: Step, state: Check["state"], detail: string) => void} say */
function checkPlace(proof, number, twigRoot, say) {
  const chain = concat([proof.family], u64(proof.chainId));
  const twigIndex = Math.floor(number / 2048);
  const { sealed, open } = proof;
  if (sealed) {
    const root = at("mini_mmr", () => {
      within(sealed.count, "leaf count");
      const leaf = keccak256([2], chain, u64(twigIndex), twigRoot);
      const range = rootOfRange(leaf, sealed.index, sealed.count, sealed.siblings, node);
      const got = keccak256([3, proof.family], u64(sealed.count), range);
      match(got, sealed.root, "root of the Mini-MMR");
      return got;
    });
    say("mini_mmr", "shown", `the twig is leaf ${sealed.index} of the ${sealed.count} of the ` +
      `${FAMILIES[proof.family]} Mini-MMR`);
    return proof.superRoot && at("super_root", () => checkSuperRoot(proof, root, proof.family));
  }
  if (!open || !proof.superRoot) return null;
  const { row } = proof.superRoot;
  const shown = at("super_root", () => {
    const last = within(open.number, "reference number");
    const isIn = open.start <= BigInt(number) && number <= last;
    need(isIn && twigIndex === Math.floor((last + 1) / 2048), "the block is not in its chain's open twig");
    checkReference(proof, open, number);
    const reference = keccak256([4], chain, u64(open.start), u64(open.number), open.blockHash, twigRoot);
    return checkSuperRoot(proof, reference, 9 + row);
  });
  say("mini_mmr", "passed", "not on the way: the twig is still open, and the SuperRoot holds it itself");
  return shown;
}

/** The sentence of level 1. @param {Subject} subject @param {any} shown @returns {string} */
function entryText(subject, shown) {
  const at = `at index ${subject.txIndex}`;
  const root = "under the root that the header names";
  if (subject.kind === "absence") return `the block has no transaction ${at}`;
  if (subject.kind === "event") return `event ${subject.logIndex} of transaction ${subject.txIndex} is ${root}`;
  const receipt = shown.receipt ? " and its receipt are" : " is";
  return `the transaction ${at}${receipt} ${root}`;
}

/** Checks a proof: every level it has, and, where the caller names what it trusts, that it leads there.
 *
 * @param {Uint8Array} bytes a `.srproof` file
 * @param {{ chains: Chain[], trustedHash?: Uint8Array, key?: import("./note.js").Key }} brought what the
 *   caller knows: chains, and the SuperRoot hash or the log's key that it trusts
 * @returns what is shown; throws a ProofError that names the step at which it fails. `isWhole` says that
 *   every step was looked at and leads to what the caller trusts. */
export function verify(bytes, { chains, trustedHash, key }) {
  /** @type {Check[]} */
  const checks = [];
  /** @param {Step} step @param {Check["state"]} state @param {string} detail */
  const say = (step, state, detail) => void checks.push({ step, state, detail });
  try {
    const proof = at("encoding", () => decode(bytes));
    const { chain, number, rule } = at("statement", () => checkStatement(proof, chains));
    const header = at("block", () => checkHeader(proof, rule, number));
    const { entry, subject } = proof;
    const shown = at("entry", () => {
      if (entry?.branches) return checkBranches(entry.branches, subject, header?.bitcoin?.merkleRoot);
      return entry?.tries ? checkTries(entry.tries, subject, header?.evm) : null;
    });
    if (shown) say("entry", "shown", entryText(subject, shown));
    if (proof.header && header) say("block", "shown", `the header of block ${number} has the hash ${toHex(proof.header.hash)}`);
    else if (proof.header) say("block", "unchecked", `this page does not read headers of ${FAMILIES[proof.family]} chains`);
    let superRoot = null;
    if (proof.twig && proof.header) {
      const { siblings, root } = proof.twig;
      const slot = number % 2048;
      at("twig", () => {
        const leaf = keccak256([0, proof.family], u64(proof.chainId), u64(number), proof.header?.hash ?? []);
        match(rootOfPath(leaf, slot, siblings), root, "root of the twig");
      });
      say("twig", "shown", `the block is in slot ${slot} of twig ${Math.floor(number / 2048)}`);
      superRoot = checkPlace(proof, number, root, say);
    }
    if (superRoot) {
      say("super_root", "shown", `SuperRoot ${superRoot.sequence} commits to ${proof.open ? "the twig" : "the Mini-MMR"}`);
    }
    at("anchor", () => say("anchor", "shown", checkAnchor(superRoot, trustedHash, key)));
    return {
      isWhole: checks.every((check) => check.state !== "unchecked"), checks, chain, number, subject,
      origin: proof.origin, isNumberBound: NUMBER_BOUND.has(FAMILIES[proof.family]),
      blockHash: proof.header?.hash ?? null, timestamp: header?.timestamp ?? null, entry: shown, superRoot,
    };
  } catch (error) {
    const { step, message } = at("encoding", () => {
      if (error instanceof ProofError) return error;
      throw error;
    });
    throw new ProofError(step, message, checks);
  }
}

/** @typedef {ReturnType<typeof verify>} Shown */

/** That the proof leads to what the caller trusts. @param {ReturnType<typeof checkSuperRoot> | null} superRoot
 * @param {Uint8Array | undefined} trustedHash @param {import("./note.js").Key | undefined} key */
function checkAnchor(superRoot, trustedHash, key) {
  if (!superRoot) throw new Error("the proof ends below level 5 and names no SuperRoot");
  if (trustedHash) {
    match(superRoot.hash, trustedHash, "hash of the SuperRoot");
    return "this is the SuperRoot that you named";
  }
  if (!key) throw new Error("no key and no hash is trusted");
  if (!superRoot.note) throw new Error("the proof carries no signed note");
  need(isSignedBy(superRoot.note, key), "the note is not signed by the key that you trust");
  return `a note of ${superRoot.note.size} SuperRoots, signed by the log's key, holds SuperRoot ${superRoot.sequence}`;
}
