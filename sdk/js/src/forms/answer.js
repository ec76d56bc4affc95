// @ts-check
// A proof in JSON: docs/protocol/files.md, "A proof in JSON". Its parts are read, checked as the proof file that they
// are, rendered again, and every member is compared (docs/decisions/0004).

import { FAMILIES, decode } from "../verify/file.js";
import { toHex } from "../verify/hash.js";
import { pathLength } from "../verify/trees.js";
import { verify } from "../verify/srproof.js";
import { Member, compare, hasName } from "./compare.js";
import { encode } from "./encode.js";
import { fault, need, needAt, within } from "./fault.js";
import { LEDGERS } from "./ledgers/index.js";

/** @typedef {import("./json.js").Json} Json */
/** @typedef {import("./encode.js").Parts} Parts */
/** @typedef {import("../verify/file.js").Proof} Proof */
/** @typedef {import("../verify/srproof.js").Shown} Shown */
/** @typedef {"v5" | "kv" | "lambda" | "blob"} Shape */

const NOTE_BYTES_MAX = 64 << 10;
const RANGE_PATH_MAX = 64;

/** Names of proven members: no answer has one of them without proof. */
const RESERVED = ("block blockHash blockHeader blockNumber blockReference chainId family l1Superroot l2ChainHeader " +
  "l3SuperrootProof l4BlockProof l5ChainEvent logId miniMmr network note numberBound origin proofBlob proofFormat " +
  "proofKind proofLevel registry sequence siblings superRoot superRootHash superroot superrootHash treeRoot twig " +
  "blockBound bloom coinbase effects encodedBlock event eventSiblings explorerHash explorerTransactionHash hashBefore " +
  "header indexBound lastTransaction peaks rawContents rawEffects rawEvent rawEvents rawReceipt rawTransaction receipt " +
  "receiptRoot receiptSiblings receiptsRoot signatureCount signatureIndex signatureSiblings stateRoot tailHashes " +
  "transaction transactionCount transactionDigest transactionHash transactionIndex transactionInfo " +
  "transactionSignature transactionsRoot txHash txid version").split(" ");
/** Objects of proven members alone. */
const CLOSED = ("blockReference miniMmr note registry superRoot twig bloom coinbase effects event header " +
  "lastTransaction receipt transaction").split(" ");
const FREE = ["logIndexInBlock"];
const FREE_IN_LISTS = ["receipt.logs.transactionHash"];
/** Members that are only claimed where the proof does not show the position. */
const CLAIMED_WITH_INDEX = ["transactionIndex", "signatureCount"];
const FINALITY = ["finality_proof", "finalityProof"];

/** The shape of a body; undefined where it holds no proof. @param {Json} body @returns {Shape | undefined} */
export function shapeOf(body) {
  if (!(body instanceof Map)) return undefined;
  if (body.has("proof_blob")) return "blob";
  if (body.has("chainId")) return "v5";
  if (!body.has("chain_id")) return undefined;
  return body.has("transactions_root") ? "lambda" : "kv";
}

/** Parts of a proof as JSON has them, and what a file cannot hold: the step at which the latter fails.
 * @typedef {{ parts: Parts, broken: { at: "mini_mmr" | "super_root" | "statement" | "entry", why: string } | null,
 *   own: any }} Read */

/** @param {Member} root @returns {Read} */
function readParts(root) {
  const kind = root.get("proofKind").text();
  need(["block", "transaction", "event", "absence"].includes(kind), "proofKind is none");
  const txIndex = kind === "block" ? 0 : root.get("transactionIndex").position();
  const logIndex = kind === "event" ? root.get("event").get("logIndex").position() : 0;
  const subject = /** @type {import("../verify/file.js").Subject} */ ({ kind, txIndex, logIndex });
  const number = root.get("blockNumber").integer();
  const family = FAMILIES.indexOf(root.get("family").text());
  need(family >= 0, "family is none");
  const chainId = root.get("chainId").integer();
  const ledger = LEDGERS[family];
  need(ledger, `JSON proofs of the ${FAMILIES[family]} family are not checked here: ask for the proof file`);
  const own = kind === "block" ? null : ledger.parse(root, subject);
  const block = kind === "block" ? root : root.optional("block");
  const origin = root.get("origin").text();
  /** @type {Read} */
  const read = {
    parts: { origin, family, chainId, number, subject, entry: own ? own.file : null, header: null, twig: null,
      sealed: null, open: null, superRoot: null, note: null },
    broken: own?.broken ? { at: "entry", why: own.broken } : null, own,
  };
  if (block) readBlock(read, block);
  if (new TextEncoder().encode(origin).length > 255) read.broken = { at: "statement", why: "malformed origin" };
  return read;
}

/** @param {Read} read @param {Member} members */
function readBlock(read, members) {
  const { parts } = read;
  const header = members.optional("blockHeader");
  if (!header) return;
  parts.header = { hash: members.get("blockHash").hash(), bytes: header.bytes() };
  const twig = members.optional("twig");
  if (!twig) return;
  parts.twig = { siblings: twig.get("siblings").hashes(11, 11), root: twig.get("root").hash() };
  const [sealed, open] = [members.optional("miniMmr"), members.optional("blockReference")];
  if (sealed && open) throw open.wrong("nothing besides a Mini-MMR");
  if (sealed) {
    const [index, count] = [sealed.get("leafIndex").integer(), sealed.get("leafCount").integer()];
    const siblings = sealed.get("siblings").hashes(RANGE_PATH_MAX);
    parts.sealed = { index, count, siblings, root: sealed.get("root").hash() };
    if (index >= count || siblings.length !== pathLength(BigInt(index), BigInt(count))) {
      read.broken ??= { at: "mini_mmr", why: "a path of another length than index and count give" };
    }
    const path = members.optional("superRoot");
    if (path) readSuperRoot(read, members, path);
  } else if (open) {
    parts.open = { start: open.get("start").integer(), number: open.get("number").integer(),
      blockHash: open.get("hash").hash() };
    readSuperRoot(read, members, members.get("superRoot"));
  }
}

/** @param {Read} read @param {Member} members @param {Member} path */
function readSuperRoot(read, members, path) {
  const registry = members.get("registry");
  const preimage = path.get("preimage").bytes();
  read.parts.superRoot = {
    siblings: members.get("siblings").hashes(6, 6), preimage, profile: registry.get("profile").bytes(),
    row: registry.get("row").integer(255), count: registry.get("count").integer(255),
    rowSiblings: registry.get("siblings").hashes(6, 6), registrySiblings: registry.get("superRootSiblings").hashes(6, 6),
  };
  if (read.parts.superRoot.profile.length > 0xffff) read.broken = { at: "statement", why: "malformed profile" };
  if (preimage.length !== 82) read.broken ??= { at: "super_root", why: "not the preimage of a SuperRoot" };
  const note = members.optional("note");
  if (!note) return;
  const text = note.get("text").text();
  need(new TextEncoder().encode(text).length <= NOTE_BYTES_MAX, "a note of more than 64 KiB");
  read.parts.note = { text, siblings: note.get("siblings").hashes(RANGE_PATH_MAX) };
}

/** Fails as a file would that could hold the broken part: at a lower level if that fails, else at its own.
 * @param {Read} read @param {import("./index.js").Trust} trust @returns {never} */
function failBroken({ parts, broken }, trust) {
  const { at, why } = /** @type {NonNullable<Read["broken"]>} */ (broken);
  if (at !== "statement") {
    /** @type {Parts} */
    const below = { ...parts, superRoot: null, note: null, open: null, sealed: at === "super_root" ? parts.sealed : null };
    if (at === "entry") Object.assign(below, { twig: null, sealed: null, entry: null, subject: { kind: "block" } });
    try {
      verify(encode(below), { ...trust, key: undefined, trustedHash: new Uint8Array(32) });
    } catch (error) {
      const { step } = /** @type {any} */ (error);
      if (step !== "anchor") throw error;
    }
  }
  throw fault(at, why);
}

/** Level 5 and what leads there, as JSON has it. @param {Proof} proof @param {Context} context */
function renderLevels(proof, { number, shown, header }) {
  const { sealed, open, superRoot, twig, family } = proof;
  const place = open && superRoot ? 9 + superRoot.row : family;
  const root = shown.superRoot;
  const hex = (/** @type {Uint8Array[]} */ all) => all.map(toHex);
  return {
    numberBound: shown.isNumberBound, blockHash: toHex(header.hash), blockHeader: toHex(header.bytes), header: header.members,
    twig: twig ? { index: Math.floor(number / 2048), slot: number % 2048, siblings: hex(twig.siblings), root: toHex(twig.root) }
      : undefined,
    miniMmr: sealed ? { family: FAMILIES[family], leafIndex: sealed.index, leafCount: sealed.count,
      siblings: hex(sealed.siblings), root: toHex(sealed.root) } : undefined,
    blockReference: open && twig ? { chainId: shown.chain.id, family: FAMILIES[family], start: open.start, number: open.number,
      hash: toHex(open.blockHash), openTwigIndex: Math.floor(number / 2048), openTwigRoot: toHex(twig.root) } : undefined,
    superRoot: superRoot && root ? { version: 5, logId: toHex(superRoot.preimage.subarray(2, 34)), sequence: root.sequence,
      timestamp: root.timestamp, treeRoot: toHex(superRoot.preimage.subarray(50)), index: place,
      preimage: toHex(superRoot.preimage), siblings: hex(superRoot.siblings) } : undefined,
    superRootHash: root ? toHex(root.hash) : undefined,
    siblings: superRoot ? hex(superRoot.siblings) : undefined,
    registry: superRoot ? { profile: toHex(superRoot.profile), row: superRoot.row, count: superRoot.count,
      siblings: hex(superRoot.rowSiblings), superRootSiblings: hex(superRoot.registrySiblings) } : undefined,
    note: proof.note && root?.note ? { text: proof.note.text, size: root.note.size, siblings: hex(proof.note.siblings) }
      : undefined,
  };
}

/** What is known once a proof was checked.
 * @typedef {{ number: number, rule: number, subject: import("../verify/file.js").Subject, shown: Shown,
 *   header: { bytes: Uint8Array, hash: Uint8Array, members: object } }} Context */

/** @param {Proof} proof @param {Shown} shown @param {string} kind */
function statement(proof, shown, kind) {
  const network = /^(recorded|simulated)\//.exec(proof.origin)?.[1] ?? "live";
  return { proofKind: kind, chainId: shown.chain.id, family: FAMILIES[proof.family], origin: proof.origin, network,
    proofLevel: 5, blockNumber: shown.number };
}

/** @param {Shape} shape @param {Proof} proof @param {Context} context @param {any} own @param {Uint8Array} file */
function render(shape, proof, context, own, file) {
  const { shown, subject } = context;
  const hash = shown.superRoot ? toHex(shown.superRoot.hash) : undefined;
  if (shape === "blob") {
    const { superRoot, twig, sealed } = proof;
    return { ...statement(proof, shown, subject.kind), blockHash: proof.header ? toHex(proof.header.hash) : null,
      superRootHash: hash, proofBlob: toHex(file), proofFormat: "srproof/1",
      l1Superroot: superRoot ? toHex(superRoot.preimage) : null,
      l2ChainHeader: proof.header ? toHex(proof.header.bytes) : null,
      l3SuperrootProof: (superRoot?.siblings ?? []).map(toHex),
      l4BlockProof: [...(twig?.siblings ?? []), ...(sealed?.siblings ?? [])].map(toHex),
      l5ChainEvent: LEDGERS[proof.family].leaf(proof, context) };
  }
  const block = { ...statement(proof, shown, "block"), ...renderLevels(proof, context) };
  if (shape === "lambda") {
    const { header, ...levels } = block;
    return { ...levels, ...LEDGERS[proof.family].roots(context.header.members) };
  }
  if (shape === "kv" || subject.kind === "block") return block;
  const ledger = LEDGERS[proof.family];
  const noReceipts = ledger.noReceipts ? { receiptRoot: null, receiptRootReason: ledger.noReceipts } : {};
  return { ...statement(proof, shown, subject.kind), block, transactionIndex: subject.txIndex, superRootHash: hash,
    ...ledger.entry(own, context), ...(subject.kind === "event" ? ledger.event(own, context) : {}), ...noReceipts };
}

/** Paths of compared members that no hash shows. @param {Json} body @param {Proof} proof @param {Context} context
 * @param {any} own level 1 as it was read */
function unhashed(body, proof, { subject }, own) {
  const ledger = LEDGERS[proof.family];
  const bound = subject.kind === "block" ? { index: true, count: false } : ledger.bound(subject, own);
  /** @type {string[]} */
  const paths = [];
  /** @param {string} path @param {unknown} part @param {readonly string[]} names */
  const add = (path, part, names) => {
    if (part instanceof Map) for (const name of part.keys()) if (hasName(names, name)) paths.push(path + name);
  };
  if (!bound.count) add("", body, ["transactionCount"]);
  if (!bound.index) add("", body, CLAIMED_WITH_INDEX);
  if (body instanceof Map && body.has("event")) paths.push(...ledger.unshownOfEvents);
  return paths;
}

/** Checks a proof in JSON.
 * @param {Json} body @param {import("./index.js").Trust} trust
 * @returns {{ shown: Shown, unproven: string[], finality: Uint8Array | null }} throws a ProofError: `encoding` where no
 *   proof is read, a step of the proof, or `body` where a member contradicts it */
export function verifyAnswer(body, trust) {
  const shape = shapeOf(body);
  needAt(shape, "encoding", "member chain_id, chainId or proof_blob is missing");
  const root = new Member(body, shape === "v5" ? "camel" : "snake");
  const read = shape === "blob" ? null : within("encoding", () => readParts(root));
  if (read?.broken) failBroken(read, trust);
  const file = read ? encode(read.parts) : within("encoding", () => root.get("proofBlob").bytes());
  needAt(file[7] === 1, "encoding", "a proof file of another format");
  const shown = verify(file, trust);
  const proof = within("encoding", () => decode(file));
  const context = contextOf(proof, shown);
  const proven = within("body", () => /** @type {any} */ (render(shape, proof, context, read?.own, file)));
  const root5 = shown.superRoot;
  if (root5) {
    proven.v5Anchor = { version: 5, sequence: root5.sequence, superRootHash: toHex(root5.hash), timestamp: root5.timestamp,
      chainId: shown.chain.id };
  }
  const unproven = within("body", () =>
    compare(body, proven, { reserved: RESERVED, closed: CLOSED, free: FREE, freeInLists: FREE_IN_LISTS }));
  const finality = within("encoding", () => readFinality(/** @type {import("./json.js").JsonMap} */ (body)));
  return { shown, finality, unproven: [...unproven.filter((path) => !FINALITY.includes(path)),
    ...unhashed(body, proof, context, read?.own ?? proof.entry)] };
}

/** @param {Proof} proof @param {Shown} shown @returns {Context} */
function contextOf(proof, shown) {
  const { number, subject, chain } = shown;
  const rule = chain.rules.filter(([from]) => from <= number).at(-1)?.[1] ?? 0;
  const header = proof.header ?? { bytes: new Uint8Array(), hash: new Uint8Array(32) };
  const members = proof.header ? within("block", () =>
    LEDGERS[proof.family].header(header.bytes, header.hash, rule)) : {};
  return { number, subject, shown, rule, header: { ...header, members } };
}

/** Evidence of finality in an answer: its bytes, which are not checked here. @param {import("./json.js").JsonMap} body */
function readFinality(body) {
  const name = FINALITY.find((one) => body.has(one));
  const value = name === undefined ? undefined : body.get(name);
  if (value === undefined) return null;
  const digits = typeof value === "string" ? value.replace(/^0x/, "") : "-";
  return new Member(`0x${digits}`, "snake", name).bytes();
}

