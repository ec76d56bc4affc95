// @ts-check
// A proof in JSON: docs/protocol/files.md, "A proof in JSON". Its parts are read and checked, the answer is rendered
// again from what they show, and every member is compared (docs/decisions/0004).

import { decode, readFinality } from "../verify/file.js";
import { toHex, utf8 } from "../verify/hash.js";
import { FAMILIES } from "../verify/ledger/index.js";
import { verifyProof } from "../verify/proof.js";
import { checkAnchor } from "../verify/srproof.js";
import { Member, compare, hasName } from "./compare.js";
import { need, needAt, within } from "./fault.js";
import { LEDGER_FORMS } from "./ledgers/index.js";

/** @typedef {import("./json.js").Json} Json */
/** @typedef {import("../verify/file.js").Proof} Proof */
/** @typedef {import("../verify/proof.js").ShownProof} ShownProof */
/** @typedef {import("../verify/ledger/index.js").Subject} Subject */
/** @typedef {"v5" | "kv" | "lambda" | "blob"} Shape */

const PROOF_BYTES_MAX = 16 << 20;
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

// --- reading -------------------------------------------------------------------------------------

/** @param {Member} root @returns {Subject} */
function readSubject(root) {
  const kind = root.get("proofKind").text();
  if (kind !== "block" && kind !== "transaction" && kind !== "event" && kind !== "absence") {
    throw root.get("proofKind").wrong("block, transaction, event or absence");
  }
  const txIndex = kind === "block" ? 0 : root.get("transactionIndex").position();
  return { kind, txIndex, logIndex: kind === "event" ? root.get("event").get("logIndex").position() : 0 };
}

/** The parts of a proof; members that follow from them are compared later. @param {Member} root @returns {Proof} */
function readProof(root) {
  const subject = readSubject(root);
  const number = BigInt(root.get("blockNumber").integer());
  const family = FAMILIES.indexOf(root.get("family").text());
  if (family < 0) throw root.get("family").wrong("the name of a ledger family");
  const chainId = BigInt(root.get("chainId").integer());
  const isBlock = subject.kind === "block";
  const entry = isBlock ? null : LEDGER_FORMS[family].parse(root, subject);
  const block = isBlock ? root : root.optional("block");
  const proof = { origin: root.get("origin").text(), family, chainId, number, subject, entry, header: null, twig: null,
    sealed: null, open: null, superRoot: null, note: null, finality: null };
  const whole = block ? { ...proof, ...readBlock(block) } : proof;
  need(byteCount(whole) <= PROOF_BYTES_MAX, "the proof is too large");
  return whole;
}

/** Bytes in all parts. @param {unknown} part @returns {number} */
function byteCount(part) {
  if (part instanceof Uint8Array) return part.length;
  if (part === null || typeof part !== "object") return 0;
  return Object.values(part).reduce((sum, inner) => sum + byteCount(inner), 0);
}

/** @param {Member} members @returns {Partial<Proof>} */
function readBlock(members) {
  const header = members.optional("blockHeader");
  if (!header) return {};
  const own = { header: { hash: members.get("blockHash").hash(), bytes: header.bytes() } };
  const twig = members.optional("twig");
  if (!twig) return own;
  const below = { ...own, twig: { siblings: twig.get("siblings").hashes(11, 11), root: twig.get("root").hash() } };
  const [sealed, open] = [members.optional("miniMmr"), members.optional("blockReference")];
  if (sealed && open) throw open.wrong("nothing besides a Mini-MMR: a twig has one place");
  if (sealed) {
    const [index, count] = [BigInt(sealed.get("leafIndex").integer()), BigInt(sealed.get("leafCount").integer())];
    const place = { index, count, siblings: sealed.get("siblings").hashes(RANGE_PATH_MAX), root: sealed.get("root").hash() };
    const path = members.optional("superRoot");
    return { ...below, sealed: place, ...(path ? readSuperRoot(members, path) : {}) };
  }
  if (!open) return below;
  const reference = { start: BigInt(open.get("start").integer()), number: BigInt(open.get("number").integer()),
    blockHash: open.get("hash").hash() };
  return { ...below, open: reference, ...readSuperRoot(members, members.get("superRoot")) };
}

/** @param {Member} members @param {Member} path @returns {Partial<Proof>} */
function readSuperRoot(members, path) {
  const registry = members.get("registry");
  const superRoot = {
    siblings: members.get("siblings").hashes(6, 6), preimage: path.get("preimage").bytes(),
    profile: registry.get("profile").bytes(), row: registry.get("row").integer(255), count: registry.get("count").integer(255),
    rowSiblings: registry.get("siblings").hashes(6, 6), registrySiblings: registry.get("superRootSiblings").hashes(6, 6),
  };
  const note = members.optional("note");
  if (!note) return { superRoot };
  const text = note.get("text").text();
  need(utf8(text).length <= NOTE_BYTES_MAX, "a note of more than 64 KiB");
  return { superRoot, note: { text, siblings: note.get("siblings").hashes(RANGE_PATH_MAX) } };
}

// --- rendering -----------------------------------------------------------------------------------

/** @param {Uint8Array[]} all */
const hexOf = (all) => all.map(toHex);

/** @param {ShownProof} shown @param {Proof} proof @param {string} kind */
const statement = ({ chain, origin, network, level, number }, { family }, kind) =>
  ({ proofKind: kind, chainId: chain.id, family: FAMILIES[family], origin, network, proofLevel: level, blockNumber: number });

/** Levels 2 to 5 as JSON has them. @param {ShownProof} shown @param {Proof} proof */
function renderLevels(shown, proof) {
  const { sealed, open, superRoot: part, twig: path, header, note, family } = proof;
  const { twig, superRoot: root } = shown;
  if (!header || !shown.header) return {};
  return {
    numberBound: shown.isNumberBound, blockHash: toHex(header.hash), blockHeader: toHex(header.bytes),
    header: LEDGER_FORMS[family].header(shown.header),
    ...(twig && path ? { twig: { index: twig.index, slot: twig.slot, siblings: hexOf(path.siblings), root: toHex(twig.root) } } : {}),
    ...(sealed ? { miniMmr: { family: FAMILIES[family], leafIndex: sealed.index, leafCount: sealed.count,
      siblings: hexOf(sealed.siblings), root: toHex(sealed.root) } } : {}),
    ...(open && twig ? { blockReference: { chainId: shown.chain.id, family: FAMILIES[family], start: open.start,
      number: open.number, hash: toHex(open.blockHash), openTwigIndex: twig.index, openTwigRoot: toHex(twig.root) } } : {}),
    ...(part && root ? { superRoot: { version: 5, logId: toHex(part.preimage.subarray(2, 34)), sequence: root.sequence,
      timestamp: root.timestamp, treeRoot: toHex(root.treeRoot), index: open ? 9 + part.row : family,
      preimage: toHex(part.preimage), siblings: hexOf(part.siblings) },
    superRootHash: toHex(root.hash), siblings: hexOf(part.siblings),
    registry: { profile: toHex(part.profile), row: part.row, count: part.count, siblings: hexOf(part.rowSiblings),
      superRootSiblings: hexOf(part.registrySiblings) } } : {}),
    ...(note && root?.note ? { note: { text: note.text, size: root.note.size, siblings: hexOf(note.siblings) } } : {}),
  };
}

/** The portable form: the file, and its layers. @param {ShownProof} shown @param {Proof} proof @param {Uint8Array} file */
function renderFile(shown, proof, file) {
  const { superRoot, twig, sealed, header, subject } = proof;
  const { receipt, transaction } = shown.entry ?? {};
  const leaf = (shown.entry?.event?.kind === "log" ? receipt?.raw : undefined) ?? transaction?.raw;
  return { ...statement(shown, proof, subject.kind), blockHash: header ? toHex(header.hash) : null,
    superRootHash: shown.superRoot ? toHex(shown.superRoot.hash) : null, proofBlob: toHex(file), proofFormat: "srproof/1",
    l1Superroot: superRoot ? toHex(superRoot.preimage) : null, l2ChainHeader: header ? toHex(header.bytes) : null,
    l3SuperrootProof: hexOf(superRoot?.siblings ?? []),
    l4BlockProof: hexOf([...(twig?.siblings ?? []), ...(sealed?.siblings ?? [])]), l5ChainEvent: leaf ? toHex(leaf) : null };
}

/** @param {Shape} shape @param {ShownProof} shown @param {Proof} proof @param {Uint8Array | null} file
 * @returns {Record<string, unknown>} */
function render(shape, shown, proof, file) {
  const { subject, family, entry } = proof;
  if (file) return renderFile(shown, proof, file);
  const block = { ...statement(shown, proof, "block"), ...renderLevels(shown, proof) };
  if (shape === "lambda") {
    const { transactionsRoot, receiptsRoot } = LEDGER_FORMS[family].roots(shown.header);
    return { ...block, header: undefined, transactionsRoot: transactionsRoot && toHex(transactionsRoot),
      receiptsRoot: receiptsRoot && toHex(receiptsRoot) };
  }
  if (shape === "kv" || subject.kind === "block") return block;
  const form = LEDGER_FORMS[family];
  const members = { ...statement(shown, proof, subject.kind), block: shown.header ? block : undefined,
    transactionIndex: subject.txIndex, superRootHash: shown.superRoot ? toHex(shown.superRoot.hash) : undefined,
    ...form.entry(entry, shown), ...(subject.kind === "event" ? form.event(entry, shown) : {}) };
  return form.noReceipts ? { ...members, receiptRoot: null, receiptRootReason: form.noReceipts } : members;
}

/** The answer of a `/v5` route for a proof that was checked, without what the service says besides.
 * @param {Proof} proof @param {ShownProof} shown @returns {Record<string, unknown>} integers as numbers or BigInt */
export const renderAnswer = (proof, shown) => render("v5", shown, proof, null);

/** Paths of compared members that no hash shows. @param {Json} body @param {ShownProof} shown @param {Proof} proof */
function unhashed(body, { boundIndexes, entry }, { family, subject }) {
  if (!(body instanceof Map)) return [];
  /** @param {string[]} names */
  const there = (names) => [...body.keys()].filter((name) => hasName(names, name));
  const isPlaced = subject.kind === "block" || boundIndexes.txIndex;
  return [...(entry?.txCount == null ? there(["transactionCount"]) : []), ...(isPlaced ? [] : there(CLAIMED_WITH_INDEX)),
    ...(body.has("event") ? LEDGER_FORMS[family].unshownOfEvents : [])];
}

/** Checks a proof in JSON.
 * @param {Json} body @param {import("./index.js").Brought} brought
 * @returns {{ shown: ShownProof, anchor: string, unproven: string[],
 *   finality: import("../verify/file.js").FinalityPart | null }} `unproven`: paths of members that no hash shows;
 *   `finality`: evidence that is not checked here. Throws a ProofError: `encoding` where no proof is read, a step of the
 *   proof, or `body` where a member contradicts it */
export function verifyAnswer(body, brought) {
  const shape = shapeOf(body);
  needAt(shape, "encoding", "member chain_id, chainId or proof_blob is missing");
  const root = new Member(body, shape === "v5" ? "camel" : "snake");
  const file = shape === "blob" ? within("encoding", () => root.get("proofBlob").bytes()) : null;
  const proof = within("encoding", () => (file ? decodeFile(file) : readProof(root)));
  const shown = verifyProof(proof, brought);
  const { superRoot } = shown;
  // below level 5 nothing is trusted, and nothing compared
  if (!superRoot) checkAnchor(shown, brought);
  const proven = within("body", () => render(shape, shown, proof, file));
  if (superRoot) {
    proven.v5Anchor = { version: 5, sequence: superRoot.sequence, superRootHash: toHex(superRoot.hash),
      timestamp: superRoot.timestamp, chainId: shown.chain.id };
  }
  const unproven = within("body", () =>
    compare(body, proven, { reserved: RESERVED, closed: CLOSED, free: FREE, freeInLists: FREE_IN_LISTS }));
  const finality = within("encoding", () => finalityOf(body));
  const anchor = checkAnchor(shown, brought);
  return { shown, anchor, finality,
    unproven: [...unproven.filter((path) => !FINALITY.includes(path)), ...unhashed(body, shown, proof)] };
}

/** A file in JSON has no finality in it. @param {Uint8Array} file */
function decodeFile(file) {
  const proof = decode(file);
  need(file[7] === 1, "a proof file of another format");
  return proof;
}

/** @param {Json} body */
function finalityOf(body) {
  const name = FINALITY.find((one) => body instanceof Map && body.has(one));
  if (name === undefined || !(body instanceof Map)) return null;
  const value = body.get(name);
  const digits = typeof value === "string" ? value.replace(/^0x/, "") : "-";
  return readFinality(new Member(`0x${digits}`, "snake", name).bytes());
}
