// @ts-check
// Reads a `.srproof` file and checks it: docs/protocol.md, "What a verifier does". Nothing is taken from
// anywhere but these bytes, the chains that the caller brings, and the key or hash that the caller trusts.
// Whatever is altered, some step fails: the file has one form alone, and every part of it is hashed.

import * as bitcoin from "./bitcoin.js";
import * as evm from "./evm.js";
import { concat, keccak256, same, toHex, u64, utf8 } from "./hash.js";
import { isSignedBy, leafOf, nodeOf, parseNote } from "./note.js";

export const FAMILIES = ["evm", "bitcoin", "solana", "polkadot", "tron", "aptos", "sui", "icp", "cosmos"];
const [EVM, BITCOIN] = [0, 1];
const TWIG_HEIGHT = 11;
const SUPER_ROOT_HEIGHT = 6;
const REGISTRY_SLOT = 55;
const ROWS_MAX = 45;
const TRIE_NODES_MAX = 20;
const BYTES_MAX = 16 << 20;
const NOTE_BYTES_MAX = 64 << 10;
const PARTS = { transaction: 1, receipt: 2, header: 4, twig: 8, sealed: 16, open: 32, superRoot: 64, note: 128 };
const NUMBER_BOUND = new Set(["evm", "polkadot", "tron", "sui", "cosmos"]);

/** A chain that the caller knows. @typedef {{ family: number, id: number, name: string, slug: string,
 *   caip2: string, rules: [number, number][] }} Chain */
/** @typedef {{ leaf: Uint8Array, siblings: Uint8Array[] }} Branch */
/** @typedef {"encoding" | "statement" | "entry" | "block" | "twig" | "mini_mmr" | "super_root" | "anchor"} Step */
/** What was found at a step: shown, not on this proof's way, or not looked at by this page.
 * @typedef {{ step: Step, state: "shown" | "passed" | "unchecked", detail: string }} Check */
/** @typedef {{ kind: "block" | "transaction" | "event" | "absence", txIndex: number, logIndex: number }} Subject */

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

/** @param {boolean} holds @param {string} message */
function need(holds, message) {
  if (!holds) throw new Error(message);
}

/** `Zk`, roots of empty trees by their height. @type {Uint8Array[]} */
export const EMPTY = [new Uint8Array(32)];
while (EMPTY.length <= TWIG_HEIGHT) EMPTY.push(node(EMPTY[EMPTY.length - 1], EMPTY[EMPTY.length - 1]));

/** @param {Uint8Array} left @param {Uint8Array} right */
function node(left, right) {
  return keccak256([1], left, right);
}

/** Bytes read from the front; too few are an error. */
class Reader {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.all = bytes;
    this.at = 0;
  }

  /** @param {number} length */
  bytes(length) {
    need(this.at + length <= this.all.length, "the proof is cut short");
    this.at += length;
    return this.all.subarray(this.at - length, this.at);
  }

  /** A number of that many bytes. @param {number} length @returns {number} */
  number(length) {
    return this.bytes(length).reduce((value, byte) => value * 256 + byte, 0);
  }

  /** @returns {bigint} */
  u64() {
    return this.bytes(8).reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
  }

  hash() {
    return this.bytes(32);
  }

  /** @param {number} count */
  hashes(count) {
    return Array.from({ length: count }, () => this.hash());
  }

  /** Bytes behind their length. */
  long() {
    return this.bytes(this.number(4));
  }

  /** Siblings in a perfect tree: those of empty trees are left out, and no other is.
   * @param {number} height */
  path(height) {
    const mask = this.number(2);
    need(mask < 2 ** height, "the proof is not in its one form");
    return Array.from({ length: height }, (_, level) => {
      if ((mask >> level) & 1) return EMPTY[level];
      const sibling = this.hash();
      need(!same(sibling, EMPTY[level]), "the proof is not in its one form");
      return sibling;
    });
  }
}

/** @param {Uint8Array} bytes @returns {string} */
const textOf = (bytes) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);

/** Hashes on the path of a leaf in a range: RFC 9162, 2.1.3. @param {bigint} index @param {bigint} count */
function pathLength(index, count) {
  need(index < count, "there is no such leaf");
  let length = 0;
  for (let [position, last] = [index, count - 1n]; last > 0n; position >>= 1n, last >>= 1n) {
    if (position & 1n || position < last) length++;
  }
  return length;
}

/** The root that a leaf of a range leads to. @param {Uint8Array} leaf @param {bigint} index @param {bigint} count
 * @param {Uint8Array[]} path @param {(left: Uint8Array, right: Uint8Array) => Uint8Array} join */
export function rootOfRange(leaf, index, count, path, join) {
  need(path.length === pathLength(index, count), "a path of another length");
  let [position, last, hash] = [index, count - 1n, leaf];
  for (const sibling of path) {
    if (position & 1n || position === last) {
      hash = join(sibling, hash);
      while (!(position & 1n) && position !== 0n) [position, last] = [position >> 1n, last >> 1n];
    } else {
      hash = join(hash, sibling);
    }
    [position, last] = [position >> 1n, last >> 1n];
  }
  return hash;
}

/** The root that a slot of a perfect tree leads to. @param {Uint8Array} leaf @param {number} slot
 * @param {Uint8Array[]} siblings */
export function rootOfPath(leaf, slot, siblings) {
  return siblings.reduce((hash, sibling, level) =>
    (slot >> level) & 1 ? node(sibling, hash) : node(hash, sibling), leaf);
}

/** Reads the file. Nothing is believed yet. @param {Uint8Array} bytes */
function decode(bytes) {
  need(bytes.length <= BYTES_MAX, "the proof is too large");
  const reader = new Reader(bytes);
  need(same(reader.bytes(7), utf8("SRPROOF")), "not a proof file");
  need(reader.number(1) === 1, "a proof file of another format");
  const origin = textOf(reader.bytes(reader.number(1)));
  const family = reader.number(1);
  need(family < FAMILIES.length, "there is no such family");
  const [chainId, number] = [reader.u64(), reader.u64()];
  const kind = /** @type {Subject["kind"]} */ (["block", "transaction", "event", "absence"][reader.number(1)]);
  need(kind !== undefined, "there is no such subject");
  const txIndex = kind === "block" ? 0 : reader.number(4);
  const subject = { kind, txIndex, logIndex: kind === "event" ? reader.number(4) : 0 };
  const check = keccak256(bytes.subarray(0, reader.at)).subarray(0, 4);
  need(same(reader.bytes(4), check), "the statement is damaged");
  const flags = reader.number(1);
  const has = checkFlags(flags);
  const entry = readEntry(reader, family, subject, has);
  const header = has("header") ? { bytes: reader.long(), hash: reader.hash() } : null;
  const twig = has("twig") ? { siblings: reader.path(TWIG_HEIGHT), root: reader.hash() } : null;
  const sealed = has("sealed") ? readSealed(reader) : null;
  const open = has("open") ? { start: reader.u64(), number: reader.u64(), blockHash: reader.hash() } : null;
  const superRoot = has("superRoot") ? readSuperRoot(reader) : null;
  const note = has("note") ? readNote(reader) : null;
  need(reader.at === bytes.length, "bytes follow the proof");
  return { origin, family, chainId, number, subject, entry, header, twig, sealed, open, superRoot, note };
}

/** Which parts there are: each stands on the one below it. @param {number} flags */
function checkFlags(flags) {
  /** @param {keyof typeof PARTS} part */
  const has = (part) => (flags & PARTS[part]) !== 0;
  const isPlaced = has("sealed") || has("open");
  const isSound = (!has("twig") || has("header")) && (!isPlaced || has("twig")) &&
    !(has("sealed") && has("open")) && (!has("superRoot") || isPlaced) &&
    (!has("open") || has("superRoot")) && (!has("note") || has("superRoot"));
  need(isSound, "the parts do not make a proof");
  return has;
}

/** @param {Reader} reader @param {number} family @param {Subject} subject
 * @param {ReturnType<typeof checkFlags>} has */
function readEntry(reader, family, subject, has) {
  if (!has("transaction") && !has("receipt")) return null;
  if (family === EVM) {
    const trie = () => {
      const count = reader.number(1);
      need(count <= TRIE_NODES_MAX, "a trie proof of too many nodes");
      return Array.from({ length: count }, () => reader.long());
    };
    const transaction = has("transaction") ? trie() : null;
    return { tries: { transaction, receipt: has("receipt") ? trie() : null } };
  }
  need(family === BITCOIN, "this page does not read level 1 of that ledger");
  need(!has("receipt"), "Bitcoin has no receipts");
  const count = reader.number(4);
  const index = subject.kind === "absence" ? count - 1 : subject.txIndex;
  need(subject.kind !== "block" && index >= 0, "a branch of no transaction");
  /** @param {number} place @returns {Branch} */
  const branch = (place) => {
    const leaf = reader.long();
    return { leaf, siblings: reader.hashes(bitcoin.siblingCount(place, count)) };
  };
  const own = branch(index);
  return { branches: { count, index, own, coinbase: index === 0 ? null : branch(0) } };
}

/** @param {Reader} reader */
function readSealed(reader) {
  const [index, count] = [reader.u64(), reader.u64()];
  return { index, count, siblings: reader.hashes(pathLength(index, count)), root: reader.hash() };
}

/** @param {Reader} reader */
function readSuperRoot(reader) {
  const [siblings, preimage] = [reader.path(SUPER_ROOT_HEIGHT), reader.bytes(82)];
  const profile = reader.bytes(reader.number(2));
  const [row, count] = [reader.number(1), reader.number(1)];
  const rowSiblings = reader.path(SUPER_ROOT_HEIGHT);
  return { siblings, preimage, profile, row, count, rowSiblings, registrySiblings: reader.path(SUPER_ROOT_HEIGHT) };
}

/** @param {Reader} reader */
function readNote(reader) {
  const bytes = reader.long();
  need(bytes.length <= NOTE_BYTES_MAX, "the note is too long");
  return { text: textOf(bytes), siblings: reader.hashes(reader.number(1)) };
}

/** A chain's profile: what the log says of it. @param {Uint8Array} bytes */
function readProfile(bytes) {
  const reader = new Reader(bytes);
  need(reader.number(1) === 8, "malformed profile");
  const [family, id] = [reader.number(1), within(reader.u64(), "chain id")];
  const caip2 = textOf(reader.bytes(reader.number(1)));
  const rules = Array.from({ length: reader.number(1) }, () =>
    /** @type {[number, number]} */ ([within(reader.u64(), "rule"), reader.number(2)]));
  const read = rules.filter(([, code]) => code !== 0);
  const isRising = read.every(([from], place) => place === 0 || read[place - 1][0] < from);
  const isWhole = reader.at === bytes.length && caip2.length > 0 && isRising;
  need(isWhole && rules.length > 0 && rules[0][1] !== 0, "malformed profile");
  return { family, id, caip2, rules };
}

/** The code of the rule at a number: 0 where a withdrawal covers it. @param {[number, number][]} rules
 * @param {number} number */
function codeAt(rules, number) {
  const covers = rules.filter(([from]) => from <= number).map(([, code]) => code);
  need(covers.length > 0, "no rule covers this block");
  need(!covers.includes(0), "the log withdrew this block");
  return covers[covers.length - 1];
}

/** @param {bigint} value @param {string} what @returns {number} */
function within(value, what) {
  need(value < 2n ** 53n, `the ${what} is 2^53 or more`);
  return Number(value);
}

/** @param {Uint8Array} got @param {Uint8Array} expected @param {string} what */
function match(got, expected, what) {
  need(same(got, expected), `the ${what} comes out as ${toHex(got)}, not as ${toHex(expected)}`);
}

/** @param {ReturnType<typeof decode>} proof @param {Chain[]} chains */
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
  need(code >> 8 === proof.family, "the rule is of another family");
  return { chain, number, rule: code };
}

/** Level 2. What it shows of a ledger that this page does not read is null.
 * @param {ReturnType<typeof decode>} proof @param {number} rule @param {number} number */
function checkHeader(proof, rule, number) {
  const { header, family } = proof;
  if (!header) return null;
  if (family === BITCOIN) {
    const read = bitcoin.readHeader(header.bytes);
    match(bitcoin.hashOf(header.bytes), header.hash, "block hash");
    return { bitcoin: read, timestamp: read.timestamp };
  }
  if (family !== EVM || !evm.hasRule(rule)) return null;
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
 * @param {ReturnType<typeof decode>} proof @param {Uint8Array} value @param {number} slot */
function checkSuperRoot(proof, value, slot) {
  const part = /** @type {ReturnType<typeof readSuperRoot>} */ (proof.superRoot);
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
 * @param {ReturnType<typeof decode>} proof @param {Uint8Array} preimage @param {number} sequence */
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

/** Levels 4 and 5. @param {ReturnType<typeof decode>} proof @param {number} number @param {Uint8Array} twigRoot
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
