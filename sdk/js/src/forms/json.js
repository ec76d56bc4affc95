// @ts-check
// JSON, read strictly: a member named twice is refused, because readers disagree on which one counts, and `7.0` is no
// integer. Objects become maps, so that no name of a member has a meaning of its own (`__proto__`).

import { fromUtf8 } from "../verify/hash.js";
import { Fault } from "../verify/reader.js";

/** A number with a fraction, an exponent, or past 64 bits: never an integer. */
export class Fraction {
  /** @param {number} value */
  constructor(value) {
    this.value = value;
  }
}

/** @typedef {null | boolean | string | number | bigint | Fraction | JsonList | JsonMap} Json */
/** @typedef {Json[]} JsonList */
/** @typedef {Map<string, Json>} JsonMap */

const BYTES_MAX = 64 << 20;
const VALUES_MAX = 1 << 18;
const DEPTH_MAX = 127;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const SPACE = /[ \t\r\n]*/y;
/** @type {Record<string, string>} */
const ESCAPES = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

class Parser {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.at = 0;
    this.values = 0;
  }

  /** @param {string} expected @returns {never} */
  fail(expected) {
    throw new Fault(`not JSON that is read here: at character ${this.at + 1}, expected ${expected}`);
  }

  /** @param {RegExp} pattern of the sticky kind @returns {RegExpExecArray | null} */
  match(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at = pattern.lastIndex;
    return found;
  }

  /** The next letter behind white space. */
  peek() {
    this.match(SPACE);
    return this.text[this.at] ?? "";
  }

  /** @param {string} letter @returns {boolean} whether it was there */
  take(letter) {
    const isThere = this.peek() === letter;
    if (isThere) this.at += 1;
    return isThere;
  }

  /** @param {number} depth @returns {Json} */
  value(depth) {
    this.values += 1;
    if (this.values > VALUES_MAX) throw new Fault(`not JSON that is read here: more than ${VALUES_MAX} values`);
    if (depth > DEPTH_MAX) throw new Fault("not JSON that is read here: nested too deep");
    switch (this.peek()) {
      case "{": return this.object(depth);
      case "[": return this.list(depth);
      case '"': return this.string();
      case "t": return this.word("true", true);
      case "f": return this.word("false", false);
      case "n": return this.word("null", null);
      default: return this.number();
    }
  }

  /** @template {Json} T @param {string} word @param {T} value */
  word(word, value) {
    if (!this.text.startsWith(word, this.at)) this.fail("a value");
    this.at += word.length;
    return value;
  }

  number() {
    const found = this.match(NUMBER);
    if (!found) return this.fail("a value");
    const [text, point, exponent] = found;
    const value = Number(text);
    if (!Number.isFinite(value)) return this.fail("a number in range");
    if (point !== undefined || exponent !== undefined || text === "-0") return new Fraction(value);
    if (Number.isSafeInteger(value)) return value;
    const whole = BigInt(text);
    return whole >= -(2n ** 63n) && whole < 2n ** 64n ? whole : new Fraction(value);
  }

  string() {
    this.at += 1;
    let text = "";
    for (;;) {
      text += this.match(PLAIN)?.[0] ?? "";
      const letter = this.text[this.at];
      if (letter === '"') break;
      if (letter !== "\\") this.fail("the end of a text");
      text += this.escape();
    }
    this.at += 1;
    if (/\p{Surrogate}/u.test(text)) this.fail("a text of whole characters");
    return text;
  }

  escape() {
    const letter = this.text[this.at + 1] ?? "";
    if (letter === "u") {
      const digits = this.text.slice(this.at + 2, this.at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.fail("four hex digits");
      this.at += 6;
      return String.fromCharCode(parseInt(digits, 16));
    }
    if (!Object.hasOwn(ESCAPES, letter)) this.fail("an escape");
    this.at += 2;
    return ESCAPES[letter];
  }

  /** @param {number} depth */
  list(depth) {
    this.at += 1;
    /** @type {JsonList} */
    const items = [];
    if (this.take("]")) return items;
    do items.push(this.value(depth + 1)); while (this.take(","));
    if (!this.take("]")) this.fail("the end of a list");
    return items;
  }

  /** @param {number} depth */
  object(depth) {
    this.at += 1;
    /** @type {JsonMap} */
    const members = new Map();
    if (this.take("}")) return members;
    do {
      if (this.peek() !== '"') this.fail("the name of a member");
      const name = this.string();
      if (!this.take(":")) this.fail("a colon");
      if (members.has(name)) throw new Fault(`not JSON that is read here: member ${JSON.stringify(name)} is named twice`);
      members.set(name, this.value(depth + 1));
    } while (this.take(","));
    if (!this.take("}")) this.fail("the end of an object");
    return members;
  }
}

/** The bytes that an input is: a view of any realm, or a buffer; null for anything else.
 * @param {unknown} input @returns {Uint8Array | null} */
export function bytesFrom(input) {
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  return input instanceof ArrayBuffer ? new Uint8Array(input) : null;
}

/** Reads JSON: UTF-8 bytes, a text, or a value that `JSON.parse` made (in which `7.0` is 7, and of members named twice
 * the last is left).
 * @param {unknown} input at most 64 MiB and 2^18 values @returns {Json} throws an Error for anything else */
export function parseJson(input) {
  const bytes = bytesFrom(input);
  const text = bytes ? decode(bytes) : typeof input === "string" ? input : stringify(input);
  if (text.length > BYTES_MAX) throw new Fault(`the body is longer than ${BYTES_MAX} bytes`);
  const parser = new Parser(text);
  const value = parser.value(0);
  if (parser.peek() !== "") parser.fail("the end");
  return value;
}

/** @param {unknown} value */
function stringify(value) {
  let text;
  try {
    text = JSON.stringify(value);
  } catch {
    // a cycle, or a value that JSON does not have
  }
  if (typeof text !== "string") throw new Fault("not JSON that is read here");
  return text;
}

/** @param {Uint8Array} bytes */
function decode(bytes) {
  if (bytes.length > BYTES_MAX) throw new Fault(`the body is longer than ${BYTES_MAX} bytes`);
  const text = fromUtf8(bytes);
  if (text === null) throw new Fault("not JSON that is read here: it is not UTF-8");
  return text;
}

/** A value as text, for errors: at most 80 characters, without control characters.
 * @param {unknown} value @returns {string} */
export function shorten(value) {
  const text = typeof value === "string" ? JSON.stringify(value) : write(value);
  const plain = text.slice(0, 80).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "?");
  return text.length > 80 ? `${plain}…` : plain;
}

/** @param {unknown} value @returns {string} */
function write(value) {
  if (value instanceof Map) return value.size === 0 ? "{}" : "{…}";
  if (value instanceof Fraction) return String(value.value);
  if (Array.isArray(value)) return `[${value.length} items]`;
  if (value !== null && typeof value === "object") return "{…}";
  return String(value);
}
