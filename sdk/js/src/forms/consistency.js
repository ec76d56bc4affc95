// @ts-check
// That a later SuperRoot extends an earlier one: docs/protocol/log.md, "History, consistency, checkpoints". The client
// brings the earlier SuperRoot: a pair from one answer proves nothing.

import { FAMILIES } from "../verify/ledger/index.js";
import { leafOf, nodeOf } from "../verify/note.js";
import { same, toHex } from "../verify/hash.js";
import { readHash } from "../verify/srproof.js";
import { EMPTY, node, rootOfPath } from "../verify/trees.js";
import { NO_HISTORY, ROWS_MAX, checkBlob, checkGrowth, checkRegistry, familyOf, hashOf, historyRoot, historyRow, openTwigIndex,
  preimageOf, readBlob, readHistory, readSuperRoot, readTwigs, renderBlob, superRootRow, twigLeaf, twigRow } from "./blob.js";
import { Member, caseOf, compare } from "./compare.js";
import { fault, need, within } from "./fault.js";
import { parseJson } from "./json.js";
import { Peaks, checkConsistency, checkInclusion } from "./ranges.js";

/** @typedef {import("./json.js").Json} Json */
/** @typedef {import("./blob.js").SuperRoot} SuperRoot */
/** @typedef {import("./blob.js").Blob} Blob */
/** @typedef {import("./blob.js").Twig} Twig */
/** @typedef {import("./blob.js").Reference} Reference */
/** @typedef {{ history: import("./blob.js").History, siblings: Uint8Array[] }} Opening */
/** @typedef {{ family: number, chainId: number, leaf: Uint8Array, siblings: Uint8Array[] }} Bridge */
/** @typedef {"upgrade" | "history" | "full"} Strength */
/** @typedef {{ strength: Strength, from: SuperRoot, to: SuperRoot, toHistory: Opening, inclusionPath: Uint8Array[],
 *   fromHistory: Opening | null, consistencyPath: Uint8Array[], full: Full | null }} Consistency */
/** @typedef {{ strength: Strength, from: SuperRoot, to: SuperRoot, toHash: Uint8Array, unproven: string[] }} Extension */
/** @typedef {{ from: Blob, to: Blob, paths: Uint8Array[][], bridges: Bridge[], appended: Twig[] | null }} Full */

const PATH_MAX = 128;
const PIECES_MAX = 1024;
const ZERO = EMPTY[0];
const TWIG = 2048;

// --- reading -------------------------------------------------------------------------------------

/** @param {Member} member @returns {Opening} */
export const readOpening = (member) => ({ history: readHistory(member), siblings: member.get("siblings").hashes(6, 6) });

/** @param {Member} root @returns {Full} */
function readFull(root) {
  const twigs = root.optional("appendedTwigs");
  const paths = root.get("miniMmrPaths").items(9).map((path) => path.hashes(PATH_MAX));
  need(paths.length === 9, "a list of 9 paths was expected");
  const bridges = root.get("bridges").items(ROWS_MAX).map((bridge) => ({ family: familyOf(bridge),
    chainId: bridge.get("chainId").integer(), leaf: bridge.get("leaf").hash(), siblings: bridge.get("siblings").hashes(11, 11) }));
  return { from: readBlob(root.get("fromBlob")), to: readBlob(root.get("toBlob")), paths, bridges,
    appended: twigs ? readTwigs(twigs) : null };
}

/** @param {Json} body @returns {{ proof: Consistency, unproven: string[] }} */
function read(body) {
  const root = new Member(body, caseOf(body, "inclusionPath"));
  const strength = root.get("strength").text();
  need(strength === "upgrade" || strength === "history" || strength === "full", "strength is none");
  const hasHistory = strength !== "upgrade";
  /** @type {Consistency} */
  const proof = {
    strength, from: readSuperRoot(root.get("from")), to: readSuperRoot(root.get("to")),
    toHistory: readOpening(root.get("toHistory")), inclusionPath: root.get("inclusionPath").hashes(PATH_MAX),
    fromHistory: hasHistory ? readOpening(root.get("fromHistory")) : null,
    consistencyPath: hasHistory ? root.get("consistencyPath").hashes(PATH_MAX) : [],
    full: strength === "full" ? readFull(root) : null,
  };
  return { proof, unproven: compare(body, render(proof)) };
}

/** @param {Opening} opening */
const openingRow = ({ history, siblings }) => ({ ...historyRow(history), siblings: siblings.map(toHex) });

/** @param {Consistency} proof */
function render({ strength, from, to, toHistory, inclusionPath, fromHistory, consistencyPath, full }) {
  return {
    strength, from: superRootRow(from), to: superRootRow(to), inclusionPath: inclusionPath.map(toHex),
    toHistory: openingRow(toHistory), fromHistory: fromHistory ? openingRow(fromHistory) : undefined,
    consistencyPath: fromHistory ? consistencyPath.map(toHex) : undefined,
    ...(full ? { fromBlob: renderBlob(full.from), toBlob: renderBlob(full.to),
      miniMmrPaths: full.paths.map((path) => path.map(toHex)), appendedTwigCount: appendedCount(full),
      appendedTwigs: full.appended ? full.appended.map(twigRow) : null,
      bridges: full.bridges.map(({ family, chainId, leaf, siblings }) => ({ family: FAMILIES[family], chainId, leaf: toHex(leaf),
        siblings: siblings.map(toHex) })) } : {}),
  };
}

/** @param {Full} full */
const appendedCount = ({ from, to }) =>
  from.miniMmrs.reduce((sum, mmr, at) => sum + Math.max(0, to.miniMmrs[at].leafCount - mmr.leafCount), 0);

// --- strength upgrade and history ----------------------------------------------------------------

/** @param {Opening} opening @param {SuperRoot} superRoot */
export function checkOpening({ history, siblings }, superRoot) {
  need(history.leafCount === superRoot.sequence, "a SuperRoot commits to as many entries as its sequence");
  need(same(rootOfPath(historyRoot(history), 54, siblings, 6), superRoot.treeRoot), "the history is not under the SuperRoot");
}

/** @param {Consistency} proof @param {Uint8Array} trusted @param {Uint8Array | undefined} later */
function checkHistory(proof, trusted, later) {
  const { from, to, toHistory, fromHistory } = proof;
  need(same(hashOf(from), trusted), "the earlier SuperRoot is not the one that you trust");
  need(!later || same(hashOf(to), later), "the later SuperRoot is another");
  need(same(from.logId, to.logId), "the SuperRoots belong to different logs");
  need(from.sequence < to.sequence, `SuperRoot ${to.sequence} does not come after SuperRoot ${from.sequence}`);
  need(from.timestamp <= to.timestamp, "the later SuperRoot has the earlier timestamp");
  checkOpening(toHistory, to);
  checkInclusion(leafOf(preimageOf(from)), from.sequence, toHistory.history.leafCount, proof.inclusionPath,
    toHistory.history.logRoot, nodeOf, "history");
  if (!fromHistory) return;
  checkOpening(fromHistory, from);
  const [old, now] = [fromHistory.history, toHistory.history];
  checkConsistency(old.leafCount, now.leafCount, old.logRoot, now.logRoot, proof.consistencyPath, nodeOf, NO_HISTORY, "history");
}

// --- strength full -------------------------------------------------------------------------------

/** The earlier root of an open twig: the slot and everything right of it empty. @param {number} slot
 * @param {Uint8Array[]} siblings */
function foldFromEmpty(slot, siblings) {
  return siblings.reduce((hash, sibling, level) =>
    ((slot >> level) & 1 ? node(sibling, hash) : node(hash, EMPTY[level])), ZERO);
}

/** The root that a twig must have among the appended, if it was sealed since. @param {Bridge} bridge
 * @param {Reference} before @param {Reference} after */
function checkBridge(bridge, before, after) {
  const slot = (before.number + 1) % TWIG;
  need(same(foldFromEmpty(slot, bridge.siblings), before.openTwigRoot), "a bridge leads to another earlier open twig");
  const root = rootOfPath(bridge.leaf, slot, bridge.siblings, 11);
  if (openTwigIndex(after) !== openTwigIndex(before)) return root;
  need(same(root, after.openTwigRoot), "a bridge leads to another later open twig");
  return null;
}

/** @param {{ family: number, chainId: number }} chain */
const keyOf = ({ family, chainId }) => `${family}:${chainId}`;

/** The sealed twigs of a run: from and behind the last. @param {Reference} reference @returns {[number, number]} */
const sealedOf = (reference) => [Math.floor(reference.start / TWIG), openTwigIndex(reference)];

/** A chain's run of sealed twigs, taken twig by twig. */
class Run {
  /** @param {[number, number]} now @param {[number, number] | null} old */
  constructor(now, old) {
    this.now = now;
    /** Pieces that were taken, rising, each from and behind its last. @type {[number, number][]} */
    this.taken = old && old[0] < old[1] ? [old] : [];
  }

  /** @param {number} index @returns {boolean} whether the twig was due */
  take(index) {
    if (index < this.now[0] || index >= this.now[1]) return false;
    const { taken } = this;
    const at = taken.findIndex(([from]) => from > index);
    const place = at < 0 ? taken.length : at;
    const [below, above] = [taken[place - 1], taken[place]];
    if (below && below[1] > index) return false;
    const joinsBelow = below?.[1] === index;
    const joinsAbove = above?.[0] === index + 1;
    /** @type {[number, number]} */
    const piece = [joinsBelow ? below[0] : index, joinsAbove ? above[1] : index + 1];
    taken.splice(place - (joinsBelow ? 1 : 0), (joinsBelow ? 1 : 0) + (joinsAbove ? 1 : 0), piece);
    return taken.length <= PIECES_MAX;
  }

  isComplete() {
    if (this.taken.length === 0) return this.now[0] >= this.now[1];
    return this.taken.length === 1 && this.taken[0][0] === this.now[0] && this.taken[0][1] === this.now[1];
  }
}

/** Runs of the later SuperRoot, by rising chain. @param {Blob} from @param {Blob} to */
function runsOf(from, to) {
  const sorted = [...to.references].sort((a, b) => a.family - b.family || a.chainId - b.chainId);
  return new Map(sorted.map((reference) => {
    const old = from.references.find((one) => keyOf(one) === keyOf(reference));
    return [keyOf(reference), new Run(sealedOf(reference), old ? sealedOf(old) : null)];
  }));
}

/** The order between neighbours: by chain, those before the old run first. @param {Blob} from @param {Blob} to
 * @returns {Generator<string, void>} */
function* strictOrder(from, to) {
  for (const [key, run] of runsOf(from, to)) {
    const [start, end] = run.now;
    const [oldStart, oldEnd] = run.taken[0] ?? [start, start];
    for (let index = start; index < oldStart; index++) yield `${key}:${index}`;
    for (let index = oldEnd; index < end; index++) yield `${key}:${index}`;
  }
}

/** Twigs that were sealed between two SuperRoots, taken one by one, in memory that does not grow with their number. */
export class Appending {
  /** @param {Full} full whose other parts were checked @param {Map<string, Uint8Array>} bridged roots by chain and index */
  constructor({ from, to, paths }, bridged) {
    this.bridged = bridged;
    this.taken = 0;
    this.at = 0;
    this.runs = runsOf(from, to);
    this.order = to.superRoot.sequence === from.superRoot.sequence + 1 ? strictOrder(from, to) : null;
    this.growing = from.miniMmrs.map((mmr, family) => ({ family, now: to.miniMmrs[family],
      peaks: Peaks.ofConsistency(mmr.leafCount, to.miniMmrs[family].leafCount, mmr.rangeRoot, paths[family]) }))
      .filter(({ family, now }) => from.miniMmrs[family].leafCount < now.leafCount);
  }

  /** What comes next: a family, and its leaves from and behind the last; undefined when all came. */
  due() {
    const growing = this.growing[this.at];
    return growing && { family: FAMILIES[growing.family], from: growing.peaks.count, to: growing.now.leafCount };
  }

  /** @param {Twig} twig throws an Error for a twig that is not due or another than committed */
  take(twig) {
    const growing = this.growing[this.at];
    const key = `${keyOf(twig)}:${twig.twigIndex}`;
    const isDue = growing?.family === twig.family && this.runs.get(keyOf(twig))?.take(twig.twigIndex) &&
      (!this.order || this.order.next().value === key);
    need(growing && isDue, `appended twig ${this.taken} is not the one that the runs give`);
    const root = this.bridged.get(key);
    need(!root || same(root, twig.twigRoot), "a twig that was open has another root");
    this.bridged.delete(key);
    growing.peaks.append(twigLeaf(twig), node);
    this.taken += 1;
    if (growing.peaks.count < growing.now.leafCount) return;
    need(same(growing.peaks.root(node, ZERO), growing.now.rangeRoot), "the appended twigs lead to another Mini-MMR");
    this.at += 1;
  }

  /** Throws an Error unless every twig came: nothing is shown before. */
  finish() {
    const isWhole = this.at === this.growing.length && [...this.runs.values()].every((run) => run.isComplete());
    need(isWhole, `appended twig ${this.taken} is missing`);
    need(this.bridged.size === 0, "a twig that was open is missing");
  }
}

/** Checks all of strength full except the appended twigs. @param {Consistency} proof @param {Full} full */
function beginFull({ from, to }, full) {
  need(same(hashOf(full.from.superRoot), hashOf(from)), "the earlier blob is of another SuperRoot");
  checkBlob(full.from);
  need(same(hashOf(full.to.superRoot), hashOf(to)), "the later blob is of another SuperRoot");
  checkBlob(full.to);
  full.from.miniMmrs.forEach((old, at) => {
    const now = full.to.miniMmrs[at];
    checkConsistency(old.leafCount, now.leafCount, old.rangeRoot, now.rangeRoot, full.paths[at], node, ZERO,
      `${FAMILIES[at]} Mini-MMR`);
  });
  checkRegistry(full.from, full.to);
  /** @type {Map<string, Uint8Array>} */
  const bridged = new Map();
  const bridges = [...full.bridges];
  for (const before of full.from.references) {
    const after = checkGrowth(full.from, full.to, before);
    if (before.number % TWIG === TWIG - 1) continue;
    const bridge = bridges.shift();
    need(bridge && keyOf(bridge) === keyOf(before), "the proof lacks or repeats the part of a chain");
    const root = checkBridge(bridge, before, after);
    if (root) bridged.set(`${keyOf(before)}:${openTwigIndex(before)}`, root);
  }
  need(bridges.length === 0, "the proof lacks or repeats the part of a chain");
  return new Appending(full, bridged);
}

/** Takes a page of twigs (`GET /v5/mini-mmr/{family}/twigs`) into what is due.
 * @param {Appending} appending @param {Json} body throws a ProofError: `body` for another page than the one due,
 *   `consistency` for another twig */
export function takeTwigPage(appending, body) {
  const twigs = within("body", () => {
    const due = appending.due();
    const first = new Member(body, "camel").get("twigs").items(4096)[0];
    const root = new Member(body, first && caseOf(first.value, "chainId") === "snake" ? "snake" : "camel");
    need(due && root.get("family").text() === due.family && root.get("from").integer() === due.from, "another page than the one due");
    const read = readTwigs(root.get("twigs"));
    need(read.length > 0, "a page without twigs");
    compare(body, { family: due.family, from: due.from, twigs: read.map(twigRow) });
    return read;
  });
  within("consistency", () => twigs.forEach((twig) => appending.take(twig)));
}

/** Whether a body looks like consistency. @param {Json} body */
export const isConsistency = (body) =>
  body instanceof Map && body.has("strength") && (body.has("inclusionPath") || body.has("inclusion_path"));

/** @param {Uint8Array | string | undefined} hash */
const hashFrom = (hash) => (typeof hash === "string" ? readHash(hash) : hash);

/** Checks that the later SuperRoot extends the trusted one, up to the twigs that come in pages.
 * @param {Json} body @param {import("./index.js").Brought} brought whose `trustedHash` is the earlier SuperRoot
 * @returns {Extension & { appending: Appending | null }} with `appending` the twigs come in pages: strength full is shown
 *   only once all were taken (`takeTwigPage`) and `finish` accepts. Throws a ProofError: `body` or `consistency` */
export function beginConsistency(body, brought) {
  const { proof, unproven } = within("body", () => read(body));
  const { trustedHash, laterHash } = within("anchor", () => ({ trustedHash: hashFrom(brought.trustedHash),
    laterHash: hashFrom(brought.laterHash) }));
  if (!trustedHash) throw fault("anchor", `name the hash of SuperRoot ${proof.from.sequence} that you trust`);
  const appending = within("consistency", () => {
    checkHistory(proof, trustedHash, laterHash);
    if (!proof.full) return null;
    const due = beginFull(proof, proof.full);
    if (!proof.full.appended) return due;
    proof.full.appended.forEach((twig) => due.take(twig));
    due.finish();
    return null;
  });
  const { strength, from, to } = proof;
  return { strength, from, to, toHash: hashOf(to), unproven, appending };
}

/** Checks that the later SuperRoot extends the trusted one.
 * @param {Json} body @param {import("./index.js").Brought} brought whose `trustedHash` is the earlier SuperRoot, and whose
 *   `twigPages` are the pages of appended twigs where the answer leaves them out
 * @returns {Extension} Throws a ProofError: `body`, `consistency`, or `anchor` where a page is missing */
export function verifyConsistency(body, brought) {
  const { appending, ...extension } = beginConsistency(body, brought);
  if (!appending) return extension;
  for (const page of brought.twigPages ?? []) takeTwigPage(appending, within("body", () => parseJson(page)));
  const due = appending.due();
  if (due) throw fault("anchor", `appended twigs of family ${due.family} from ${due.from} come in pages and not in this answer`);
  within("consistency", () => appending.finish());
  return extension;
}
