// @ts-check
// Witness policies (C2SP tlog-policy) and cosignatures (C2SP tlog-cosignature): docs/protocol/log.md.

import * as ed25519 from "../verify/ed25519.js";
import { fromBase64, sha256, toHex, utf8 } from "../verify/hash.js";

/** @typedef {import("../verify/note.js").Note} Note */
/** @typedef {{ name: string, id: string, key: Uint8Array }} WitnessKey */
/** @typedef {{ key: WitnessKey, url: string | null } | { threshold: number, members: string[] }} Member */
/** A parsed policy: `logs` are keys (32 bytes), `quorum` is null where no witness is asked for.
 * @typedef {{ text: string, logs: Uint8Array[], members: Map<string, Member>, quorum: string | null }} Policy */

const POLICY_BYTES_MAX = 64 << 10;
const NAMES_MAX = 256;
const NAME = /^[^\p{White_Space}+\p{Cc}]+$/u;
const LOG = 1;
const WITNESS = 4;

/** Reads a key (vkey) of a kind: 1 a log's, 4 a witness's. Throws an Error.
 * @param {string} text @param {1 | 4} kind @returns {WitnessKey} */
export function parseKeyOfKind(text, kind) {
  const [name, id, ...rest] = text.split("+");
  const bytes = rest.length > 0 ? fromBase64(rest.join("+")) : null;
  if (!bytes || bytes.length !== 33 || !NAME.test(name) || !/^[0-9a-f]{8}$/.test(id)) throw new Error("malformed key (vkey)");
  if (bytes[0] !== kind) {
    const [got, expected] = kind === LOG ? ["witness", "log"] : ["log", "witness"];
    throw new Error(`the key is that of a ${got}, not of a ${expected}`);
  }
  if (!ed25519.isKey(bytes.subarray(1))) throw new Error("the key is no point on the curve");
  const fingerprint = toHex(sha256(utf8(`${name}\n`), bytes));
  if (fingerprint.slice(2, 10) !== id) throw new Error("the id is not that of this name and key");
  return { name, id, key: bytes.subarray(1) };
}

/** The time of a witness's cosignature in Unix seconds; null where the witness did not sign, or falsely. The first line
 * with its name and id decides. @param {Note} note @param {WitnessKey} key @returns {bigint | null} */
export function cosignatureTime(note, key) {
  const own = note.signatures.find((one) => one.name === key.name && one.id === key.id);
  if (!own || own.signature.length !== 72) return null;
  const time = own.signature.subarray(0, 8).reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
  const message = utf8(`cosignature/v1\ntime ${time}\n${note.text}`);
  return ed25519.verify(key.key, message, own.signature.subarray(8)) ? time : null;
}

/** Reads a policy. Throws an Error that names the line. @param {string} text @returns {Policy} */
export function parsePolicy(text) {
  if (utf8(text).length > POLICY_BYTES_MAX) throw new Error("policy, line 1: a policy has at most 65,536 bytes");
  /** @type {Policy} */
  const policy = { text, logs: [], members: new Map(), quorum: null };
  /** @type {Set<string>} */
  const taken = new Set();
  let hasQuorum = false;
  const lines = text.split("\n");
  lines.forEach((whole, at) => {
    const line = at < lines.length - 1 ? whole.replace(/\r$/, "") : whole;
    try {
      // eslint-disable-next-line no-control-regex
      if (/[\x00-\x08\x0a-\x1f\x7f]/.test(line)) throw new Error("no control character but tab and the end of a line");
      const words = line.split(/[ \t]/).filter((word) => word !== "");
      if (words.length === 0 || words[0].startsWith("#")) return;
      if (words[0] === "quorum" && words.length === 2) {
        if (hasQuorum) throw new Error("there is one quorum line");
        hasQuorum = true;
        setQuorum(policy, words[1]);
      } else addMember(policy, taken, words);
      if (policy.logs.length + policy.members.size > NAMES_MAX) {
        throw new Error("a policy has at most 256 logs, witnesses and groups");
      }
    } catch (error) {
      throw new Error(`policy, line ${at + 1}: ${/** @type {Error} */ (error).message}`);
    }
  });
  if (!hasQuorum) throw new Error(`policy, line ${lines.length}: there is no quorum line`);
  return policy;
}

/** @param {Policy} policy @param {string} name */
function setQuorum(policy, name) {
  if (name !== "none" && !policy.members.has(name)) {
    throw new Error("the quorum names a witness or group of a line before it");
  }
  policy.quorum = name === "none" ? null : name;
}

/** @param {Policy} policy @param {Set<string>} taken members of groups @param {string[]} words of a line */
function addMember(policy, taken, words) {
  const [kind, ...rest] = words;
  /** @param {string} name @param {Member} member */
  const add = (name, member) => {
    if (name === "none" || policy.members.has(name)) throw new Error("the name is taken");
    policy.members.set(name, member);
  };
  if (kind === "log" && (rest.length === 1 || rest.length === 2)) {
    const { key } = parseKeyOfKind(rest[0], LOG);
    if (policy.logs.some((known) => toHex(known) === toHex(key))) throw new Error("the key of this log is in another line");
    policy.logs.push(key);
  } else if (kind === "witness" && (rest.length === 2 || rest.length === 3)) {
    const key = parseKeyOfKind(rest[1], WITNESS);
    const isKnown = [...policy.members.values()].some((one) => "key" in one && toHex(one.key.key) === toHex(key.key));
    if (isKnown) throw new Error("the key of this witness is in another line");
    add(rest[0], { key, url: rest[2] ?? null });
  } else if (kind === "group" && rest.length >= 2) {
    const [name, word, ...members] = rest;
    const threshold = word === "any" ? 1 : word === "all" ? members.length : /^[1-9][0-9]{0,8}$/.test(word) ? Number(word) : 0;
    if (threshold === 0 || threshold > members.length) {
      throw new Error("a group is any, all or a number of at least one member");
    }
    for (const member of members) {
      if (!policy.members.has(member)) throw new Error("a group names witnesses and groups of lines before it");
      if (taken.has(member)) throw new Error("a witness or group is a member once");
      taken.add(member);
    }
    add(name, { threshold, members });
  } else throw new Error("a line is log, witness, group or quorum, or a comment");
}

/** Whether the policy's quorum signed the note. @param {Policy} policy @param {Note} note @returns {boolean} */
export function isQuorumMet(policy, note) {
  /** @param {string} name @returns {boolean} */
  const hasSigned = (name) => {
    const member = policy.members.get(name);
    if (!member) return false;
    if ("key" in member) return cosignatureTime(note, member.key) !== null;
    return member.members.filter(hasSigned).length >= member.threshold;
  };
  return policy.quorum === null || hasSigned(policy.quorum);
}
