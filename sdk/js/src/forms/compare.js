// @ts-check
// Member by member: what a body says against what its proof shows (docs/decisions/0004). And access to members, so
// that an error names the member.

import { fromHex } from "../verify/hash.js";
import { Fault } from "../verify/reader.js";
import { Fraction, shorten } from "./json.js";

/** @typedef {import("./json.js").Json} Json */
/** @typedef {"camel" | "snake"} Case */
/** Members that a body may not have beyond the proof; names in camelCase. `reserved`: names of proven members.
 * `closed`: objects of proven members alone. `free`: names that may stand in a closed object. `freeInLists`: paths that
 * each item of a list may have, without positions.
 * @typedef {{ reserved?: readonly string[], closed?: readonly string[], free?: readonly string[],
 *   freeInLists?: readonly string[] }} Limits */

/** A name in one of the two spellings, whichever it has. @param {string} name @param {Case} spelling */
export function spell(name, spelling) {
  return spelling === "snake" ? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    : name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
}

/** A contradiction between a body and its proof. */
export class Disagreement extends Fault {
  /** @param {string} member @param {string} said @param {string} proven */
  constructor(member, said, proven) {
    super(`member ${member} says ${said}, proven is ${proven}`);
    this.member = member;
  }
}

/** @param {readonly string[]} names @param {string} name */
export const hasName = (names, name) => names.includes(name) || names.includes(spell(name, "camel"));

/** @param {string} path @param {string} name */
function join(path, name) {
  const plain = /^[A-Za-z0-9_]{1,80}$/.test(name) ? name
    : `"${Array.from(name.slice(0, 80), (letter) => /^[ -~]$/.test(letter) ? letter
      : `\\u{${letter.codePointAt(0)?.toString(16)}}`).join("")}"`;
  return path === "" ? plain : `${path}.${plain}`;
}

/** @param {string} said @param {string} proven */
function sameText(said, proven) {
  return said === proven || (said.startsWith("0x") && proven.startsWith("0x") &&
    said.length === proven.length && /^[\x00-\x7f]*$/.test(said) && said.toLowerCase() === proven.toLowerCase());
}

/** Compares what is said with what is proven: hex in any case of letters, integers, lists item by item. A member that
 * only the body has is refused where its name is reserved or its object closed, because a reader would take it as
 * proven.
 * @param {Json} said @param {unknown} proven plain objects, lists, texts, integers, booleans, null
 * @param {Limits} [limits] @returns {string[]} paths of unproven members; throws a Disagreement with the first that
 *   differs */
export function compare(said, proven, limits = {}) {
  const { reserved = [], closed = [], free = [], freeInLists = [] } = limits;
  /** @type {string[]} */
  const unproven = [];
  /** @param {string} path @param {Json} one @param {unknown} other @param {boolean} isClosed */
  const walk = (path, one, other, isClosed) => {
    if (one instanceof Map && isObject(other)) {
      for (const [name, value] of one) {
        const found = [name, spell(name, "camel"), spell(name, "snake")].find((key) =>
          Object.hasOwn(other, key) && other[key] !== undefined);
        const inner = join(path, name);
        if (found !== undefined) walk(inner, value, other[found], isClosed || hasName(closed, name));
        else if (value === null || (isClosed ? hasName(free, name) : !hasName(reserved, name))) unproven.push(inner);
        else {
          const plain = spell(inner.replace(/\[[^\]]*\]/g, ""), "camel");
          if (!freeInLists.includes(plain)) throw new Disagreement(inner, shorten(value), "nothing");
          if (!unproven.includes(plain)) unproven.push(plain);
        }
      }
    } else if (Array.isArray(one) && Array.isArray(other) && one.length === other.length) {
      one.forEach((item, index) => walk(`${path}[${index}]`, item, other[index], isClosed));
    } else if (!isSame(one, other)) {
      throw new Disagreement(path || "body", shorten(one), shorten(other));
    }
  };
  walk("", said, proven, false);
  return unproven;
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** @param {Json} said @param {unknown} proven */
function isSame(said, proven) {
  if (typeof said === "string") return typeof proven === "string" && sameText(said, proven);
  if (typeof said === "number" || typeof said === "bigint") {
    return (typeof proven === "number" || typeof proven === "bigint") && BigInt(said) === BigInt(proven);
  }
  return (said === null || typeof said === "boolean") && said === proven;
}

/** A value with its path. */
export class Member {
  /** @param {Json} value @param {Case} spelling @param {string} [path] */
  constructor(value, spelling, path = "") {
    this.value = value;
    this.spelling = spelling;
    this.path = path;
  }

  /** @param {string} expected @returns {Fault} */
  wrong(expected) {
    return new Fault(`member ${this.path || "body"} is ${shorten(this.value)}, expected ${expected}`);
  }

  /** A member of this object, its name in camelCase; `null` counts as missing.
   * @param {string} name @returns {Member | undefined} */
  optional(name) {
    if (!(this.value instanceof Map)) throw this.wrong("an object");
    const own = spell(name, this.spelling);
    const value = this.value.get(own);
    return value === undefined || value === null ? undefined
      : new Member(value, this.spelling, this.path ? `${this.path}.${own}` : own);
  }

  /** @param {string} name @returns {Member} */
  get(name) {
    const found = this.optional(name);
    if (!found) throw new Fault(`member ${this.path ? `${this.path}.` : ""}${spell(name, this.spelling)} is missing`);
    return found;
  }

  /** @param {number} max @returns {Member[]} */
  items(max) {
    if (!Array.isArray(this.value)) throw this.wrong("a list");
    if (this.value.length > max) throw this.wrong(`a list of at most ${max} items`);
    return this.value.map((value, index) => new Member(value, this.spelling, `${this.path}[${index}]`));
  }

  text() {
    if (typeof this.value !== "string") throw this.wrong("a text");
    return this.value;
  }

  /** An integer from 0 to `max`, 2^53 - 1 by default. @param {number} [max] */
  integer(max = Number.MAX_SAFE_INTEGER) {
    const { value } = this;
    if (typeof value !== "number" || value < 0 || value > max) throw this.wrong(`an integer from 0 to ${max}`);
    return value;
  }

  /** An integer from 0 to 2^64 - 1. */
  wide() {
    const { value } = this;
    if ((typeof value !== "number" && typeof value !== "bigint") || value < 0) throw this.wrong("an integer of 64 bits");
    return BigInt(value);
  }

  /** An integer from 0 to 2^32 - 1. */
  position() {
    return this.integer(0xffffffff);
  }

  bool() {
    if (typeof this.value !== "boolean") throw this.wrong("true or false");
    return this.value;
  }

  /** 0x and hex digits, in pairs. @param {number} [length] of bytes */
  bytes(length) {
    const { value } = this;
    const isHex = typeof value === "string" && value.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(value);
    if (!isHex || (length !== undefined && value.length !== 2 + 2 * length)) throw this.wrong("0x and hex digits");
    return fromHex(value);
  }

  hash() {
    return this.bytes(32);
  }

  /** @param {number} max @returns {Uint8Array[]} */
  byteStrings(max) {
    return this.items(max).map((item) => item.bytes());
  }

  /** @param {number} max at most so many @param {number} [exact] exactly so many @returns {Uint8Array[]} */
  hashes(max, exact) {
    const all = this.items(max).map((item) => item.hash());
    if (exact !== undefined && all.length !== exact) throw this.wrong(`a list of ${exact} hashes`);
    return all;
  }
}

/** Hex digits, with or without 0x, as bytes; throws a Fault for anything else. @param {string} text */
export function bytesOfHex(text) {
  if (text.length % 2 !== 0 || !/^(0x)?[0-9a-fA-F]*$/.test(text)) throw new Fault("a text is no hex");
  return fromHex(text);
}

/** The spelling of a body, by a required name that differs. @param {Json} body @param {string} camel @returns {Case} */
export function caseOf(body, camel) {
  if (!(body instanceof Map)) return "camel";
  return !body.has(camel) && body.has(spell(camel, "snake")) ? "snake" : "camel";
}

/** A number with a fraction or not, as a double; undefined for no number. @param {Json | undefined} value */
export function toDouble(value) {
  if (value instanceof Fraction) return value.value;
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : undefined;
}
