// @ts-check
// The part of TOML that `trust.toml` has: tables `[[log]]` and `[[log.pin]]`, and keys with a string in any of the four
// forms, a whole number, a truth value, or a list of strings. Anything else is refused.

/** @typedef {string | number | boolean | string[]} TomlValue */
/** @typedef {{ values: Map<string, TomlValue>, pins: Map<string, TomlValue>[] }} LogTable */

const ESCAPES = /** @type {Record<string, string>} */ ({
  b: "\b", t: "\t", n: "\n", f: "\f", r: "\r", e: "\x1b", '"': '"', "\\": "\\",
});
const ITEMS_MAX = 4096;

/** Reads the text, from the front. */
class TomlReader {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  /** @param {string} what @returns {never} */
  fail(what) {
    const line = this.text.slice(0, this.at).split("\n").length;
    throw new Error(`line ${line}: ${what}`);
  }

  /** @param {string} start @returns {boolean} whether the text goes on with it; it is then read */
  take(start) {
    const is = this.text.startsWith(start, this.at);
    if (is) this.at += start.length;
    return is;
  }

  /** @param {RegExp} sticky @returns {string | null} */
  match(sticky) {
    sticky.lastIndex = this.at;
    const found = sticky.exec(this.text);
    if (found) this.at += found[0].length;
    return found && found[0];
  }

  spaces() {
    this.match(/[ \t]*/y);
  }

  /** Empty lines and comments. */
  blanks() {
    // eslint-disable-next-line no-control-regex
    this.match(/(?:[ \t]*(?:#[^\x00-\x08\x0a-\x1f\x7f]*)?\n)*[ \t]*(?:#[^\x00-\x08\x0a-\x1f\x7f]*(?=$))?/y);
  }

  lineEnd() {
    this.spaces();
    if (this.at < this.text.length && this.text[this.at] !== "\n" && this.text[this.at] !== "#") {
      this.fail("expected the end of the line");
    }
  }

  /** @returns {TomlValue} */
  value() {
    const next = this.text[this.at];
    if (next === '"' || next === "'") return this.string();
    if (next === "[") return this.list();
    if (this.match(/true(?![\w.-])/y)) return true;
    if (this.match(/false(?![\w.-])/y)) return false;
    const digits = this.match(/(?:0|[1-9][0-9]{0,19})(?![\w.+-])/y);
    if (digits === null) this.fail("expected a string, a whole number, true, false or a list of strings");
    if (!Number.isSafeInteger(Number(digits))) this.fail("a number is 2^53 or more");
    return Number(digits);
  }

  /** @returns {string[]} */
  list() {
    this.at += 1;
    /** @type {string[]} */
    const items = [];
    for (;;) {
      this.blanks();
      if (this.take("]")) return items;
      if (items.length >= ITEMS_MAX) this.fail("a list of too many items");
      if (!/["']/.test(this.text[this.at] ?? "")) this.fail("expected a string in the list");
      items.push(this.string());
      this.blanks();
      if (!this.take(",") && this.text[this.at] !== "]") this.fail("expected , or ]");
    }
  }

  /** @returns {string} */
  string() {
    for (const quote of ['"""', "'''", '"', "'"]) {
      if (this.take(quote)) return this.content(quote);
    }
    return this.fail("expected a string");
  }

  /** @param {string} quote @returns {string} */
  content(quote) {
    const [isMany, isBasic] = [quote.length === 3, quote[0] === '"'];
    if (isMany) this.take("\n");
    let read = "";
    for (;;) {
      const letter = this.text[this.at];
      if (letter === undefined) this.fail("a string does not end");
      if (this.take(quote)) {
        // up to two quotes more belong to the string
        while (isMany && this.take(quote[0])) read += quote[0];
        return read;
      }
      this.at += 1;
      if (letter === "\\" && isBasic) read += this.escape();
      // eslint-disable-next-line no-control-regex
      else if (/[\x00-\x08\x0b-\x1f\x7f]/.test(letter) || (letter === "\n" && !isMany)) this.fail("a control character");
      else read += letter;
    }
  }

  /** @returns {string} */
  escape() {
    const letter = this.text[this.at];
    this.at += 1;
    const plain = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
    if (plain !== undefined) return plain;
    const digits = letter === "u" ? this.match(/[0-9a-fA-F]{4}/y)
      : letter === "U" ? this.match(/[0-9a-fA-F]{8}/y) : letter === "x" ? this.match(/[0-9a-fA-F]{2}/y) : null;
    const code = digits === null ? NaN : parseInt(digits, 16);
    if (!(code <= 0x10ffff) || (code >= 0xd800 && code < 0xe000)) this.fail("no such escape");
    return String.fromCodePoint(code);
  }
}

/** Reads the tables of a trust store. Throws an Error that names the line.
 * @param {string} text @returns {LogTable[]} */
export function readTables(text) {
  const reader = new TomlReader(text);
  /** @type {LogTable[]} */
  const logs = [];
  /** @type {Map<string, TomlValue> | null} */
  let table = null;
  let isOver = false;
  for (;;) {
    reader.blanks();
    if (reader.at >= text.length) return logs;
    if (reader.take("[[log.pin]]")) {
      const log = logs[logs.length - 1] ?? reader.fail("a pin of no log");
      if (log.values.has("pin")) reader.fail("pin occurs twice");
      log.pins.push(table = new Map());
    } else if (reader.take("[[log]]")) {
      if (isOver) reader.fail("log occurs twice");
      logs.push({ values: table = new Map(), pins: [] });
    } else {
      const key = reader.match(/[A-Za-z0-9_-]+/y) ?? reader.fail("expected a key, [[log]] or [[log.pin]]");
      reader.spaces();
      if (!reader.take("=")) reader.fail("expected =");
      reader.spaces();
      const value = reader.value();
      if (table === null) {
        // a store without logs is one empty list
        if (isOver || key !== "log" || !Array.isArray(value) || value.length > 0) reader.fail(`unknown key ${key}`);
        isOver = true;
      } else {
        if (table.has(key)) reader.fail(`${key} occurs twice`);
        table.set(key, value);
      }
    }
    reader.lineEnd();
  }
}

/** A basic string of TOML. @param {string} text well-formed Unicode @returns {string} */
export function tomlString(text) {
  // eslint-disable-next-line no-control-regex
  const escaped = text.replace(/[\x00-\x1f"\\\x7f]/g, (letter) => {
    const name = Object.keys(ESCAPES).find((key) => key !== "e" && ESCAPES[key] === letter);
    return name ? `\\${name}` : `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0").toUpperCase()}`;
  });
  return `"${escaped}"`;
}
