// @ts-check
// Policies (C2SP tlog-policy): whose cosignatures a client asks for. docs/protocol/log.md, "Cosignatures and policies".

import { same, utf8 } from "./hash.js";
import { parseAnyKey, parseCheckpoint, signedBy, splitNote } from "./note.js";
import { Fault, need } from "./reader.js";

const BYTES_MAX = 64 << 10;
const NAMES_MAX = 256;

/** @typedef {import("./note.js").Key} Key */
/** @typedef {{ key: Key, url: string | null } | { threshold: number, members: string[] }} Member */
/** Logs, members by their names, and the member that has to be met; null where none has to.
 * @typedef {{ text: string, logs: Key[], members: Map<string, Member>, quorum: string | null }} Policy */

/** Reads a policy. @param {string} text @returns {Policy} throws a Fault that names the first line that is wrong */
export function parsePolicy(text) {
  need(utf8(text).length <= BYTES_MAX, "policy, line 1: a policy has at most 65,536 bytes");
  /** @type {Policy & { taken: Set<string>, hasQuorum: boolean }} */
  const policy = { text, logs: [], members: new Map(), quorum: null, taken: new Set(), hasQuorum: false };
  const lines = text.split("\n");
  const last = lines.pop();
  // a carriage return belongs to the newline behind it
  const ended = lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  const all = last ? [...ended, last] : ended;
  all.forEach((line, at) => {
    try {
      readLine(policy, line);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      throw new Fault(`policy, line ${at + 1}: ${error.message}`);
    }
  });
  need(policy.hasQuorum, `policy, line ${all.length}: there is no quorum line`);
  const { logs, members, quorum } = policy;
  return { text, logs, members, quorum };
}

/** @param {Policy & { taken: Set<string>, hasQuorum: boolean }} policy @param {string} line */
function readLine(policy, line) {
  // eslint-disable-next-line no-control-regex
  need(!/[\x00-\x08\x0a-\x1f\x7f]/.test(line), "no control character but tab and the end of a line");
  const words = line.split(/[ \t]/).filter((word) => word !== "");
  const [what, name, ...rest] = words;
  if (what === undefined || what.startsWith("#")) return;
  if (what === "log" && (words.length === 2 || words.length === 3)) addLog(policy, name);
  else if (what === "witness" && (words.length === 3 || words.length === 4)) addWitness(policy, name, rest);
  else if (what === "group" && words.length >= 3) addGroup(policy, name, rest);
  else if (what === "quorum" && words.length === 2) setQuorum(policy, name);
  else throw new Fault("a line is log, witness, group or quorum, or a comment");
  need(policy.logs.length + policy.members.size <= NAMES_MAX, "a policy has at most 256 logs, witnesses and groups");
}

/** @param {Policy} policy @param {string} text */
function addLog(policy, text) {
  const key = parseAnyKey(text);
  need(key.kind === "log", "the key is that of a witness, not of a log");
  need(!policy.logs.some((one) => same(one.key, key.key)), "the key of this log stands in another line");
  policy.logs.push(key);
}

/** @param {Policy} policy @param {string} name @param {string[]} rest */
function addWitness(policy, name, [text, url]) {
  const key = parseAnyKey(text);
  need(key.kind === "witness", "the key is that of a log, not of a witness");
  const others = [...policy.members.values()].map((member) => ("key" in member ? member.key : null));
  need(!others.some((one) => one && same(one.key, key.key)), "the key of this witness stands in another line");
  addMember(policy, name, { key, url: url ?? null });
}

/** @param {Policy & { taken: Set<string> }} policy @param {string} name @param {string[]} rest */
function addGroup(policy, name, [word, ...members]) {
  const isNumber = /^[1-9][0-9]*$/.test(word);
  const threshold = word === "any" ? 1 : word === "all" ? members.length : isNumber ? Number(word) : 0;
  need(threshold > 0 && threshold <= members.length, "a group is any, all or a number of at least one member");
  for (const member of members) {
    need(policy.members.has(member), "a group names witnesses and groups of lines before it");
    need(!policy.taken.has(member), "a witness or group is a member once");
    policy.taken.add(member);
  }
  addMember(policy, name, { threshold, members });
}

/** @param {Policy} policy @param {string} name @param {Member} member */
function addMember(policy, name, member) {
  need(name !== "none" && !policy.members.has(name), "the name is taken");
  policy.members.set(name, member);
}

/** @param {Policy & { hasQuorum: boolean }} policy @param {string} name */
function setQuorum(policy, name) {
  need(!policy.hasQuorum, "there is one quorum line");
  need(name === "none" || policy.members.has(name), "the quorum names a witness or group of a line before it");
  policy.hasQuorum = true;
  policy.quorum = name === "none" ? null : name;
}

/** Whether the quorum cosigned the note. @param {Policy} policy @param {import("./note.js").SignedText} note */
export function isMet(policy, note) {
  // ends: a group names members of lines before it, each once
  /** @param {string} name @returns {boolean} */
  const has = (name) => {
    const member = policy.members.get(name);
    if (!member) return false;
    if ("key" in member) return signedBy(note, member.key).state === "signed";
    return member.members.filter(has).length >= member.threshold;
  };
  return policy.quorum === null || has(policy.quorum);
}

/** Why a note shows nothing: the first check that fails. */
export class NoteError extends Error {
  /** @param {"note" | "signature" | "checkpoint" | "origin" | "quorum"} step @param {string} message */
  constructor(step, message) {
    super(message);
    this.step = step;
  }
}

/** Checks a note: signed by the log's key, of the log that the key names, cosigned by the quorum of the policy.
 * @param {string} text @param {{ key: Key, policy?: Policy | null }} trusted
 * @returns {import("./note.js").Note} throws a NoteError */
export function verifyNote(text, { key, policy }) {
  /** @template T @param {"note" | "checkpoint"} step @param {() => T} read @returns {T} */
  const at = (step, read) => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      throw new NoteError(step, error.message);
    }
  };
  const split = at("note", () => splitNote(text));
  if (signedBy(split, key).state !== "signed") throw new NoteError("signature", "the note is not signed by the key");
  // what nobody signed is of no concern, whatever it says
  const note = { ...split, ...at("checkpoint", () => parseCheckpoint(split.text)) };
  if (note.origin !== key.name) throw new NoteError("origin", "the note is of another log than the key");
  if (policy && !isMet(policy, note)) throw new NoteError("quorum", "too few witnesses of the policy signed the note");
  return note;
}
