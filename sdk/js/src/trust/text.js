// @ts-check
// `trust.toml`, the command line's own file: docs/trust.md. Its first line has a checksum over all others, so that a file
// that was cut or edited by hand is refused.

import { readProfile } from "../verify/file.js";
import { fromHex, sha256, toHex, utf8 } from "../verify/hash.js";
import { TrustError } from "./error.js";
import { findLog, withKey, withPin } from "./logs.js";
import { readTables, tomlString } from "./toml.js";

/** @typedef {import("./logs.js").Logs} Logs */
/** @typedef {import("./logs.js").TrustedLog} TrustedLog */
/** @typedef {import("./toml.js").TomlValue} TomlValue */

/** Largest text that is read, in bytes. */
export const TEXT_BYTES_MAX = 8 << 20;
const FIRST_LINE = "# superroot trust store; sha256 of the lines below: ";
const REGISTRY_MAX = 45;

/** @param {string} why @param {unknown} [cause] */
const malformed = (why, cause) => new TrustError("malformed", `the trust store is malformed: ${why}`, { cause });

/** Reads a store. @param {string} text @returns {Logs} */
export function readLogs(text) {
  if (text.length > TEXT_BYTES_MAX) throw malformed(`it is larger than ${TEXT_BYTES_MAX} bytes`);
  const end = text.indexOf("\n");
  const [first, rest] = end < 0 ? [text, ""] : [text.slice(0, end), text.slice(end + 1)];
  if (!first.startsWith(FIRST_LINE)) throw malformed("it does not begin with its checksum");
  if (first.slice(FIRST_LINE.length) !== toHex(sha256(utf8(rest)))) {
    throw malformed("it was cut, or changed by something else: bring it back, or remove it and pin again");
  }
  /** @type {Logs} */
  let logs = [];
  try {
    for (const table of readTables(rest)) logs = withTable(logs, table);
  } catch (cause) {
    throw cause instanceof TrustError ? cause : malformed(/** @type {Error} */ (cause).message, cause);
  }
  return logs;
}

/** A log's table, pinned again, so that only a valid store results.
 * @param {Logs} logs @param {import("./toml.js").LogTable} table @returns {Logs} */
function withTable(logs, { values, pins }) {
  checkKeys(values, ["origin", "key", "first_use", "policy", "registry", "pin"]);
  const origin = take(values, "origin", "string");
  if (findLog(logs, origin)) throw malformed(`${origin}: a log occurs twice`);
  const [key, policy] = [takeOptional(values, "key", "string"), takeOptional(values, "policy", "string")];
  const firstUse = takeOptional(values, "first_use", "boolean") ?? false;
  if (key !== undefined) {
    if (key.slice(0, key.indexOf("+")) !== origin) throw malformed(`${origin}: the key is of another origin`);
    logs = withKey(logs, key, { policy: policy ?? null, firstUse });
  }
  const registry = values.get("registry") ?? [];
  if (!Array.isArray(registry) || registry.length > REGISTRY_MAX) {
    throw malformed(`${origin}: the registry is no list of profiles`);
  }
  registry.forEach((profile) => readProfile(fromHex(profile)));
  let last = -1;
  for (const pin of pins) {
    checkKeys(pin, ["sequence", "super_root_hash", "note"]);
    const sequence = take(pin, "sequence", "number");
    if (sequence <= last) throw malformed(`${origin}: pins do not rise`);
    last = sequence;
    logs = withPin(logs, origin, sequence, take(pin, "super_root_hash", "string"), takeOptional(pin, "note", "string") ?? null);
  }
  if (!findLog(logs, origin)) throw malformed(`${origin}: neither a key nor a pin`);
  const inline = values.get("pin") ?? [];
  if (!Array.isArray(inline) || inline.length > 0) throw malformed(`${origin}: pin is no table`);
  return logs.map((log) => (log.origin === origin ? { ...log, registry } : log));
}

/** @param {Map<string, TomlValue>} table @param {string[]} known */
function checkKeys(table, known) {
  const other = [...table.keys()].find((key) => !known.includes(key));
  if (other !== undefined) throw malformed(`unknown key ${other}`);
}

/** @typedef {{ string: string, number: number, boolean: boolean }} Kinds */
/** @template {keyof Kinds} K @param {Map<string, TomlValue>} table @param {string} key @param {K} kind
 * @returns {Kinds[K] | undefined} */
function takeOptional(table, key, kind) {
  const value = table.get(key);
  if (value !== undefined && typeof value !== kind) throw malformed(`${key} is no ${kind}`);
  return /** @type {any} */ (value);
}

/** @template {keyof Kinds} K @param {Map<string, TomlValue>} table @param {string} key @param {K} kind @returns {Kinds[K]} */
function take(table, key, kind) {
  const value = takeOptional(table, key, kind);
  if (value === undefined) throw malformed(`${key} is missing`);
  return value;
}

/** Writes a store, with its checksum. @param {Logs} logs @returns {string} */
export function writeLogs(logs) {
  const rest = logs.length === 0 ? "log = []\n" : logs.map(tableOf).join("\n");
  if (/\p{Surrogate}/u.test(rest)) throw malformed("a text in it is not Unicode");
  return `${FIRST_LINE}${toHex(sha256(utf8(rest)))}\n${rest}`;
}

/** @param {TrustedLog} log @returns {string} */
function tableOf({ origin, key, registry, pins }) {
  const lines = ["[[log]]", `origin = ${tomlString(origin)}`];
  if (key) lines.push(`key = ${tomlString(key.key)}`);
  if (key?.firstUse) lines.push("first_use = true");
  if (key?.policy) lines.push(`policy = ${tomlString(key.policy)}`);
  if (registry.length > 0) lines.push(`registry = [${registry.map(tomlString).join(", ")}]`);
  for (const pin of pins) {
    lines.push("", "[[log.pin]]", `sequence = ${pin.sequence}`, `super_root_hash = ${tomlString(pin.superRootHash)}`);
    if (pin.note !== null) lines.push(`note = ${tomlString(pin.note)}`);
  }
  return `${lines.join("\n")}\n`;
}
