// @ts-check
// What is behind a SuperRoot except the block leaves: docs/protocol/log.md. Every slot is recomputed.

import { FAMILIES } from "../verify/ledger/index.js";
import { concat, keccak256, same, sha256, toHex, u64, utf8 } from "../verify/hash.js";
import { ruleAt as solanaRuleAt } from "../verify/ledger/solana.js";
import { leafOf, nodeOf, parseNote } from "../verify/note.js";
import { checkAnchor } from "../verify/srproof.js";
import { EMPTY, node } from "../verify/trees.js";
import { Member, caseOf, compare } from "./compare.js";
import { fault, need, within } from "./fault.js";
import { checkInclusion } from "./ranges.js";

/** @typedef {import("./json.js").Json} Json */
/** @typedef {{ logId: Uint8Array, sequence: number, timestamp: number, treeRoot: Uint8Array }} SuperRoot */
/** @typedef {{ leafCount: number, logRoot: Uint8Array }} History */
/** @typedef {{ leafCount: number, rangeRoot: Uint8Array }} MiniMmr */
/** @typedef {{ row: number, family: number, chainId: number, start: number, number: number, hash: Uint8Array,
 *   openTwigRoot: Uint8Array }} Reference */
/** @typedef {{ family: number, chainId: number, caip2: string, rules: [number, number][] }} Profile */
/** @typedef {{ superRoot: SuperRoot, miniMmrs: MiniMmr[], references: Reference[], history: History, registry: Profile[] }} Blob */
/** @typedef {{ family: number, chainId: number, twigIndex: number, twigRoot: Uint8Array }} Twig */

export const ROWS_MAX = 45;
export const TWIGS_MAX = 4096;
const TWIG = 2048;
const [HISTORY_SLOT, REGISTRY_SLOT] = [54, 55];
const ZERO = EMPTY[0];
export const NO_HISTORY = sha256();

/** @param {number} value @param {number} length @returns {Uint8Array} */
const uint = (value, length) => u64(value).subarray(8 - length);

// --- hashes --------------------------------------------------------------------------------------

/** @param {SuperRoot} root */
export const preimageOf = ({ logId, sequence, timestamp, treeRoot }) =>
  concat([7, 5], logId, u64(sequence), u64(timestamp), treeRoot);
/** @param {SuperRoot} root */
export const hashOf = (root) => keccak256(preimageOf(root));
/** @param {History} history */
export const historyRoot = ({ leafCount, logRoot }) => keccak256([5], u64(leafCount), logRoot);
/** @param {number} family @param {MiniMmr} mmr */
const miniMmrRoot = (family, { leafCount, rangeRoot }) => keccak256([3, family], u64(leafCount), rangeRoot);
/** @param {Reference} one */
const referenceHash = ({ family, chainId, start, number, hash, openTwigRoot }) =>
  keccak256([4, family], u64(chainId), u64(start), u64(number), hash, openTwigRoot);
/** @param {Twig} twig */
export const twigLeaf = ({ family, chainId, twigIndex, twigRoot }) =>
  keccak256([2, family], u64(chainId), u64(twigIndex), twigRoot);

/** The root of a perfect tree over 64 slots. @param {Uint8Array[]} slots */
function rootOf64(slots) {
  let level = Array.from({ length: 64 }, (_, at) => slots[at] ?? ZERO);
  while (level.length > 1) level = level.flatMap((one, at) => (at % 2 ? [] : [node(one, level[at + 1])]));
  return level[0];
}

/** @param {Profile} profile */
function profileBytes({ family, chainId, caip2, rules }) {
  const name = utf8(caip2);
  return concat([8, family], u64(chainId), [name.length], name, [rules.length],
    ...rules.map(([from, code]) => concat(u64(from), uint(code, 2))));
}

/** Throws unless the log may have this registry. @param {Profile[]} rows */
function checkProfiles(rows) {
  const chains = new Set(rows.map(({ family, chainId }) => `${family}:${chainId}`));
  need(chains.size === rows.length, "a chain occurs twice");
  for (const { caip2, rules } of rows) {
    const length = utf8(caip2).length;
    const read = rules.filter(([, code]) => code !== 0);
    const isRising = read.every(([from], at) => at === 0 || read[at - 1][0] < from);
    need(length > 0 && length <= 255 && rules.length > 0 && rules[0][1] !== 0 && isRising, "an invalid profile");
  }
}

/** @param {Profile[]} rows */
const registryRoot = (rows) =>
  keccak256([6], uint(rows.length, 2), rootOf64(rows.map((row) => keccak256(profileBytes(row)))));

/** The 64 slots of a SuperRoot. @param {Blob} blob @returns {Uint8Array[]} */
function slotsOf({ miniMmrs, references, history, registry }) {
  const slots = Array.from({ length: 64 }, () => ZERO);
  miniMmrs.forEach((mmr, family) => {
    slots[family] = miniMmrRoot(family, mmr);
  });
  for (const reference of references) slots[9 + reference.row] = referenceHash(reference);
  slots[HISTORY_SLOT] = historyRoot(history);
  slots[REGISTRY_SLOT] = registryRoot(registry);
  return slots;
}

// --- reading -------------------------------------------------------------------------------------

/** @param {Member} member */
export function familyOf(member) {
  const family = FAMILIES.indexOf(member.get("family").text());
  if (family < 0) throw member.get("family").wrong("the name of a ledger family");
  return family;
}

/** @param {Member} member @returns {SuperRoot} */
export function readSuperRoot(member) {
  return { logId: member.get("logId").hash(), sequence: member.get("sequence").integer(),
    timestamp: member.get("timestamp").integer(), treeRoot: member.get("treeRoot").hash() };
}

/** @param {Member} member @returns {History} */
export const readHistory = (member) =>
  ({ leafCount: member.get("leafCount").integer(), logRoot: member.get("logRoot").hash() });

/** @param {Member} member @returns {Twig[]} */
export const readTwigs = (member) => member.items(TWIGS_MAX).map((twig) => ({
  family: familyOf(twig), chainId: twig.get("chainId").integer(), twigIndex: twig.get("twigIndex").integer(),
  twigRoot: twig.get("twigRoot").hash() }));

/** @param {Member} member @returns {Profile} */
function readProfile(member) {
  const rules = member.get("rules").items(255).map((rule) => {
    const [high, low] = rule.get("rule").bytes(2);
    return /** @type {[number, number]} */ ([rule.get("fromNumber").integer(), high * 256 + low]);
  });
  return { family: familyOf(member), chainId: member.get("chainId").integer(), caip2: member.get("caip2").text(), rules };
}

/** Reads the parts of a blob; the members that follow from them are compared later. @param {Member} root @returns {Blob} */
export function readBlob(root) {
  const miniMmrs = root.get("miniMmrs").items(9).map((mmr) =>
    ({ leafCount: mmr.get("leafCount").integer(), rangeRoot: mmr.get("rangeRoot").hash() }));
  need(miniMmrs.length === 9, "a list of 9 Mini-MMRs was expected");
  const registry = root.get("registry").items(ROWS_MAX).map(readProfile);
  within("body", () => checkProfiles(registry));
  const references = root.get("blockReferences").items(ROWS_MAX).map((one) => ({
    row: one.get("row").integer(ROWS_MAX - 1), family: familyOf(one), chainId: one.get("chainId").integer(),
    start: one.get("start").integer(), number: one.get("number").integer(), hash: one.get("hash").hash(),
    openTwigRoot: one.get("openTwigRoot").hash() }));
  return { superRoot: readSuperRoot(root.get("superRoot")), miniMmrs, references, history: readHistory(root.get("history")),
    registry };
}

// --- rendering -----------------------------------------------------------------------------------

/** @param {SuperRoot} root */
export const superRootRow = (root) => ({ version: 5, logId: toHex(root.logId), sequence: root.sequence,
  timestamp: root.timestamp, treeRoot: toHex(root.treeRoot), superRootHash: toHex(hashOf(root)) });

/** @param {History} history */
export const historyRow = ({ leafCount, logRoot }) => ({ leafCount, logRoot: toHex(logRoot) });

/** @param {Twig} twig */
export const twigRow = ({ family, chainId, twigIndex, twigRoot }) =>
  ({ family: FAMILIES[family], chainId, twigIndex, twigRoot: toHex(twigRoot) });

/** @param {{ number: number }} reference */
export const openTwigIndex = ({ number }) => Math.floor((number + 1) / TWIG);

/** @param {Blob} blob */
export function renderBlob(blob) {
  const { superRoot, miniMmrs, references, history, registry } = blob;
  return {
    superRootHash: toHex(hashOf(superRoot)), superRoot: superRootRow(superRoot), preimage: toHex(preimageOf(superRoot)),
    slots: slotsOf(blob).map(toHex),
    miniMmrs: miniMmrs.map((mmr, family) => ({ family: FAMILIES[family], root: toHex(miniMmrRoot(family, mmr)),
      rangeRoot: toHex(mmr.rangeRoot), leafCount: mmr.leafCount })),
    blockReferences: references.map((one) => ({ row: one.row, family: FAMILIES[one.family], chainId: one.chainId,
      start: one.start, number: one.number, hash: toHex(one.hash), openTwigIndex: openTwigIndex(one),
      openTwigRoot: toHex(one.openTwigRoot) })),
    history: historyRow(history), historyRoot: toHex(historyRoot(history)),
    registry: registry.map(({ family, chainId, caip2, rules }) => ({ family: FAMILIES[family], chainId, caip2,
      rules: rules.map(([fromNumber, code]) => ({ fromNumber, rule: `0x${code.toString(16).padStart(4, "0")}` })) })),
    registryRoot: toHex(registryRoot(registry)),
  };
}

// --- rules ---------------------------------------------------------------------------------------

/** Throws unless the content is the SuperRoot's and keeps the rules that one blob shows. @param {Blob} blob */
export function checkBlob(blob) {
  const { superRoot, miniMmrs, references, history, registry } = blob;
  need(same(rootOf64(slotsOf(blob)), superRoot.treeRoot), "the slots lead to another SuperRoot");
  need(history.leafCount === superRoot.sequence, "a SuperRoot commits to as many entries as its sequence");
  need(history.leafCount > 0 || same(history.logRoot, NO_HISTORY), "the empty history has another root");
  references.forEach((reference, at) => {
    const { row, start, number } = reference;
    const profile = registry[row];
    need(at === 0 || references[at - 1].row < row, "rows of references do not rise");
    need(profile && profile.family === reference.family && profile.chainId === reference.chainId,
      `the reference of row ${row} is of another chain`);
    const first = profile.rules[0][0];
    need(start <= number && start >= first && (start % TWIG === 0 || start === first), `the run of row ${row} is none`);
    need(number % TWIG !== TWIG - 1 || same(reference.openTwigRoot, EMPTY[11]), `the open twig of row ${row} is not empty`);
  });
  miniMmrs.forEach((mmr, family) => {
    const runs = references.filter((one) => one.family === family);
    const sealed = runs.reduce((sum, one) => sum + Math.max(0, openTwigIndex(one) - Math.floor(one.start / TWIG)), 0);
    need(mmr.leafCount === sealed, `the ${FAMILIES[family]} Mini-MMR has ${mmr.leafCount} leaves, not ${sealed}`);
    need(sealed > 0 || same(mmr.rangeRoot, ZERO), "an empty Mini-MMR has another root");
  });
}

/** The rule code in force, 0 under a withdrawal; undefined before the first. @param {Profile} profile
 * @param {number} number */
function codeAt({ rules }, number) {
  const covers = rules.filter(([from]) => from <= number).map(([, code]) => code);
  return covers.slice(0, -1).includes(0) ? 0 : covers.at(-1);
}

const KNOWN = [0, 1, 2, 3, 4, 5, 6, 0x101, 0x201, 0x202, 0x301, 0x401, 0x501, 0x601, 0x701, 0x801];

/** A rule as it is read at a number; undefined for an unknown one. @param {number | undefined} code
 * @param {number} number */
function ruleAt(code, number) {
  return code !== undefined && KNOWN.includes(code) ? solanaRuleAt(code, number) : undefined;
}

/** Throws unless rows were only appended, and a row got only rules that change no committed block.
 * @param {Blob} from @param {Blob} to */
export function checkRegistry(from, to) {
  from.registry.forEach((before, row) => {
    const after = to.registry[row];
    const number = from.references.find((one) => one.row === row)?.number;
    const isSame = after && after.family === before.family && after.chainId === before.chainId && after.caip2 === before.caip2;
    need(isSame && before.rules.every(([at, code], place) => after.rules[place]?.[0] === at && after.rules[place][1] === code),
      `registry row ${row} was moved, changed or removed`);
    const added = after.rules.slice(before.rules.length);
    const rereads = added.some(([at, code]) => {
      const rule = ruleAt(code, at);
      return number !== undefined && at <= number && code !== 0 &&
        (rule === undefined || rule !== ruleAt(codeAt(before, at), at));
    });
    need(!rereads, `registry row ${row} got a rule for blocks that it has`);
  });
}

/** What a row's reference is later: its run only grew. @param {Blob} from @param {Blob} to @param {Reference} before */
export function checkGrowth(from, to, before) {
  const after = to.references.find((one) => one.row === before.row);
  const name = `chain ${FAMILIES[before.family]}:${before.chainId}`;
  need(after, `${name}: its reference is gone`);
  need(after.family === before.family && after.chainId === before.chainId, `${name}: its row holds another chain`);
  need(after.start <= before.start && after.number >= before.number, `${name}: its run shrank`);
  const isUnmoved = after.number === before.number;
  need(!isUnmoved || (same(after.hash, before.hash) && same(after.openTwigRoot, before.openTwigRoot)),
    `${name}: its last block or open twig was exchanged`);
  const isWithdrawn = from.registry[before.row]?.rules.some(([, code]) => code === 0);
  need(!isWithdrawn || (isUnmoved && after.start === before.start), `${name}: it was withdrawn, and its reference moved`);
  return after;
}

/** Whether a body looks like a blob. @param {Json} body */
export const isBlob = (body) => body instanceof Map && body.has("slots") && (body.has("superRoot") || body.has("super_root"));

/** The note that an answer publishes with a SuperRoot as the last entry of its log.
 * @param {Json} body @param {SuperRoot} superRoot @returns {import("../verify/note.js").Note | null} throws a Fault where it
 *   is of another */
function publishedNote(body, superRoot) {
  const publication = new Member(body, "snake").optional("publication");
  const text = publication?.optional("note")?.text();
  if (!publication || text === undefined) return null;
  const note = parseNote(text);
  need(same(keccak256([9], utf8(note.origin)), superRoot.logId), "the SuperRoot is of another log than the note");
  need(note.size === BigInt(superRoot.sequence) + 1n, "the note ends in another SuperRoot");
  checkInclusion(leafOf(preimageOf(superRoot)), superRoot.sequence, Number(note.size),
    publication.get("siblings").hashes(64), note.root, nodeOf, "the note's log");
  return note;
}

/** Checks a blob, and that its SuperRoot is trusted: by its hash, or by the note next to it.
 * @param {Json} body @param {import("./index.js").Brought} brought
 * @returns {{ blob: Blob, hash: Uint8Array, appendedCount: number, unproven: string[], anchor: string }} throws a
 *   ProofError: `body`, `blob` where the content is not the SuperRoot's, or `anchor` */
export function verifyBlob(body, brought) {
  const read = readCheckedBlob(body);
  const { superRoot } = read.blob;
  const note = within("anchor", () => (brought.trustedHash && !brought.key && !brought.policy ? null : publishedNote(body, superRoot)));
  const anchor = checkAnchor(/** @type {any} */ ({ levels: [], superRoot: { ...superRoot, hash: read.hash, note } }), brought);
  // the note and its path hold; which keys sign now is the service's word
  const unproven = read.unproven.map((path) => (note && path === "publication" ? "publication.keys" : path));
  return { ...read, unproven, anchor };
}

/** Checks the content of a blob.
 * @param {Json} body @returns {{ blob: Blob, hash: Uint8Array, appendedCount: number, unproven: string[] }} throws a
 *   ProofError: `body`, or `blob` */
function readCheckedBlob(body) {
  const read = within("body", () => {
    const root = new Member(body, caseOf(body, "miniMmrs"));
    const blob = readBlob(root);
    const appendedCount = root.get("appendedTwigCount").integer();
    const twigs = root.optional("appendedTwigs");
    const appended = twigs ? readTwigs(twigs) : null;
    if (appended && appended.length !== appendedCount) throw fault("body", "another number of appended twigs");
    const unproven = compare(body, { ...renderBlob(blob), appendedTwigCount: appendedCount,
      appendedTwigs: appended ? appended.map(twigRow) : null });
    return { blob, appendedCount, unproven: [...unproven, "appended_twigs"] };
  });
  within("blob", () => checkBlob(read.blob));
  return { ...read, hash: hashOf(read.blob.superRoot) };
}
