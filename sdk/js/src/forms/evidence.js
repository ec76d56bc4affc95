// @ts-check
// Evidence that one key signed two histories: docs/protocol/log.md. It convinces whoever knows the key.

import { keccak256, same, toHex, utf8 } from "../verify/hash.js";
import { leafOf, nodeOf, parseAnyKey, parseCheckpoint, signedBy, splitNote } from "../verify/note.js";
import { Member, compare } from "./compare.js";
import { checkOpening, readOpening } from "./consistency.js";
import { need, needAt, within } from "./fault.js";
import { checkInclusion } from "./ranges.js";

/** @typedef {import("./json.js").Json} Json */
/** @typedef {import("../verify/note.js").Checkpoint} Checkpoint */

const NOTE_BYTES_MAX = 64 << 10;
const PATH_MAX = 128;

/** The checkpoint that the key signed. @param {string} text @param {import("../verify/note.js").Key} key
 * @param {boolean} isOwn whether the origin has to be the key's name @returns {Checkpoint} */
function signed(text, key, isOwn) {
  const note = splitNote(text);
  const { state } = signedBy(note, key);
  need(state !== "unsigned", "the note has no signature of that key");
  need(state === "signed", "the signature under the key's name does not hold");
  const checkpoint = parseCheckpoint(note.text);
  need(!isOwn || checkpoint.origin === key.name, "the note is of another log than the key");
  return checkpoint;
}

/** @param {Member} member */
function readEntry(member) {
  const preimage = member.get("preimage").bytes(82);
  need(preimage[0] === 7 && preimage[1] === 5, "not the preimage of a SuperRoot");
  const view = new DataView(preimage.buffer, preimage.byteOffset);
  const [sequence, timestamp] = [view.getBigUint64(34), view.getBigUint64(42)];
  const logId = preimage.subarray(2, 34);
  return { preimage, logId, sequence, timestamp, treeRoot: preimage.subarray(50),
    path: member.get("inclusionPath").hashes(PATH_MAX), opening: readOpening(member.get("history")) };
}

/** @param {Json} body */
function read(body) {
  const root = new Member(body, "snake");
  const name = root.get("evidence").text();
  need(name === "two_notes" || name === "another_history", "evidence is neither two_notes nor another_history");
  const entry = name === "another_history" ? readEntry(root.get("entry")) : null;
  const keyText = root.get("key").text();
  const key = parseAnyKey(keyText);
  const notes = root.get("notes").items(2).map((note) => note.text());
  need(notes.length === 2 && notes.every((note) => utf8(note).length <= NOTE_BYTES_MAX), "two notes were expected");
  const vkey = `${key.name}+${key.id}+${keyText.split("+").slice(2).join("+")}`;
  const proven = { evidence: name, key: vkey, notes, entry: entry ? { index: entry.sequence, preimage: toHex(entry.preimage),
    inclusionPath: entry.path.map(toHex), history: { leafCount: entry.opening.history.leafCount,
      logRoot: toHex(entry.opening.history.logRoot), siblings: entry.opening.siblings.map(toHex) } } : undefined };
  return { key, vkey, notes, entry, unproven: compare(body, proven, { reserved: ["entry"], closed: ["entry"] }) };
}

/** Whether a body looks like evidence. @param {Json} body */
export const isEvidence = (body) => body instanceof Map && body.has("evidence") && body.has("notes");

/** Checks evidence of a fork. The reader knows from elsewhere whose key it is.
 * @param {Json} body
 * @returns {{ key: string, origin: string, size: bigint, roots: Uint8Array[], unproven: string[] }} throws a ProofError:
 *   `body`, `key`, `note`, `origins`, `sizes`, `entry`, `path`, `opening` or `agree` */
export function verifyEvidence(body) {
  const { key, vkey, notes, entry, unproven } = within("body", () => read(body));
  needAt(key.kind === "log", "key", "the key is that of a witness, not of a log");
  const [first, second] = notes.map((note) => within("note", () => signed(note, key, entry !== null)));
  needAt(first.origin === second.origin, "origins", "the notes are of two logs");
  let other = second.root;
  if (!entry) {
    needAt(first.size === second.size, "sizes", "two notes are of one size");
  } else {
    needAt(first.size < second.size, "sizes", "the first note is the smaller");
    needAt(entry.sequence === first.size, "entry", `the entry is SuperRoot ${entry.sequence}, expected ${first.size}`);
    needAt(same(keccak256([9], utf8(key.name)), entry.logId), "entry", "the entry is of another log");
    other = otherRoot(entry, second);
  }
  needAt(!same(first.root, other), "agree", "both say the same root: nothing is contradicted");
  return { key: vkey, origin: first.origin, size: first.size, roots: [first.root, other], unproven };
}

/** The root at the smaller size, as the larger note's log has it. @param {ReturnType<typeof readEntry>} entry
 * @param {Checkpoint} second */
function otherRoot({ preimage, sequence, treeRoot, logId, timestamp, path, opening }, second) {
  within("path", () => {
    // an index or a size of 2^53 or more has a path of no length that would be read exactly
    need(second.size <= BigInt(Number.MAX_SAFE_INTEGER), "the note is of 2^53 entries or more");
    checkInclusion(leafOf(preimage), Number(sequence), Number(second.size), path, second.root, nodeOf, "entry");
  });
  within("opening", () =>
    checkOpening(opening, { logId, sequence: Number(sequence), timestamp: Number(timestamp), treeRoot }));
  return opening.history.logRoot;
}

