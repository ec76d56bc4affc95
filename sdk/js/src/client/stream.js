// @ts-check
// Events as they come (`GET /v5/stream`, server-sent events): docs/streams.md. Read strictly: what an honest service never
// sends ends the stream with a StreamError, before a caller sees it.
//
//     connect, since = last cursor ──► ready ──► events, cursors rising ──► break, silence, ended ──► connect ..
//
// A cursor is LOG-ROW-BLOCK-ORDINAL. It never repeats and never falls, on a new connection neither; SuperRoots come
// without a hole.

import { ClientError, plain } from "./error.js";

/** Why a stream ended.
 *
 * | code | meaning |
 * |---|---|
 * | `repeated` | an event came again, or out of order |
 * | `skipped` | events between were left out: a SuperRoot is missing, or the stream went on after another place |
 * | `malformed` | something else than events: markup, an unknown event or field, no JSON object, a cursor of another form |
 * | `too_large` | an event is larger than the limit |
 * | `lost` | the service did not come back |
 * @typedef {"repeated" | "skipped" | "malformed" | "too_large" | "lost"} StreamCode */

/** A stream that cannot go on. */
export class StreamError extends Error {
  /** @param {StreamCode} code @param {string} message @param {string | null} cursor of the last event handed out
   * @param {{ cause?: unknown }} [more] */
  constructor(code, message, cursor, more) {
    super(message, more);
    this.name = "StreamError";
    this.code = code;
    /** Go on after this one, with `since`. */
    this.cursor = cursor;
  }
}

/** What to listen for, as in docs/streams.md. `topics` with commas between, or as a list.
 * @typedef {{ topics: string | string[], chain?: string | number | (string | number)[], address?: string | string[],
 *   topic0?: string, topic1?: string, topic2?: string, topic3?: string, finality?: "head" | "finalized" | "anchored",
 *   order?: string, tx?: string, partial?: boolean }} StreamFilter */

/** `since`: the cursor after which to begin. `retries`: connections in a row without an event before the stream is lost,
 * 8 if left out. `silenceMs`: time without a byte after which a connection is lost, 40,000 if left out.
 * @typedef {{ signal?: AbortSignal, since?: string, retries?: number, silenceMs?: number }} StreamOptions */

/** An event, the service's word. `cursor`: send it as `since` to go on after the event; null where the service named none.
 * @typedef {{ cursor: string | null, event: string, data: Record<string, any> }} StreamEvent */

const EVENTS = new Set(["superroot", "anchored", "finality", "retraction", "logs", "orders", "token_launch", "updated",
  "ready", "undone", "gap", "stale", "lagged", "ended"]);
const CURSOR = /^([0-9a-f]{16})-(0|[1-9][0-9]{0,19})(?:-(0|[1-9][0-9]{0,9})-(0|[1-9][0-9]{0,9}))?$/;
const EVENT_CHARS_MAX = 4 << 20;
const RETRIES = 8;
const SILENCE_MS = 40_000;
const PAUSE_SECONDS_MAX = 60;

/** @typedef {{ text: string, log: string, place: bigint[] }} Cursor */
/** `mustBeStale`: the connection begins elsewhere than was asked for, and the next event has to say so.
 * @typedef {{ isReady: boolean, isStale: boolean, mustBeStale: boolean, since: Cursor | null }} ConnectionState */

/** @param {string} text @returns {Cursor | null} */
function parseCursor(text) {
  const parts = CURSOR.exec(text);
  return parts && { text, log: parts[1], place: [parts[2], parts[3] ?? "0", parts[4] ?? "0"].map(BigInt) };
}

/** @param {Cursor} one @param {Cursor} other @returns {number} negative, 0 or positive */
function compare(one, other) {
  const at = one.place.findIndex((part, index) => part !== other.place[index]);
  return at < 0 ? 0 : one.place[at] < other.place[at] ? -1 : 1;
}

/** Events in order. Read it with `for await`; leaving the loop closes the connection. Each event comes once, over all
 * connections. */
export class Stream {
  #transport; #query; #options;
  /** @type {Cursor | null} */ #last = null;
  /** Sequence of the last SuperRoot. @type {number | null} */ #sequence = null;

  /** @param {import("./transport.js").Transport} transport @param {StreamFilter} filter @param {StreamOptions} [options] */
  constructor(transport, filter, options = {}) {
    this.#transport = transport;
    this.#options = options;
    this.#query = Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, Array.isArray(value) ? value.join(",") : value]));
    if (options.since !== undefined) {
      this.#last = parseCursor(options.since);
      if (!this.#last) throw new ClientError("argument", "since is no cursor of a stream");
    }
  }

  /** Cursor of the last event; null before the first. @returns {string | null} */
  get cursor() {
    return this.#last?.text ?? null;
  }

  /** @returns {AsyncGenerator<StreamEvent, void, void>} */
  async *[Symbol.asyncIterator]() {
    const { signal, retries = RETRIES } = this.#options;
    for (let silent = 0; ;) {
      let said = null;
      silent += 1;
      try {
        for await (const event of this.#connection()) {
          silent = 0;
          yield event;
        }
        if (silent > retries) throw this.#error("lost", "the service ends each connection without a word");
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof ClientError) || !error.isRetryable) throw error;
        said = error.problem?.retryAfter ?? null;
        if (silent > retries) throw this.#error("lost", `the service did not come back: ${error.message}`, error);
      }
      await this.#transport.sleep(Math.min(Math.max(said ?? 2 ** Math.max(silent - 1, 0), 1), PAUSE_SECONDS_MAX) * 1000, signal);
    }
  }

  /** One connection, until it ends. @returns {AsyncGenerator<StreamEvent, void, void>} */
  async *#connection() {
    const { signal, silenceMs = SILENCE_MS } = this.#options;
    const silence = new AbortController();
    const both = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
    const alarm = () => setTimeout(() => silence.abort(), silenceMs);
    let timer = alarm();
    /** @type {ReadableStreamDefaultReader<Uint8Array> | undefined} */
    let reader;
    try {
      const response = await this.#transport.open(["v5", "stream"], {
        accept: "text/event-stream", signal: both, query: { ...this.#query, since: this.#last?.text },
      });
      const type = response.headers.get("content-type") ?? "";
      if (!/^text\/event-stream\s*(;|$)/i.test(type)) {
        throw this.#error("malformed", `expected events, the answer is ${plain(type) || "of no type"}`);
      }
      reader = response.body?.getReader();
      const parser = new EventParser((why, code) => this.#error(code ?? "malformed", why));
      /** @type {ConnectionState} */
      const state = { isReady: false, isStale: false, mustBeStale: false, since: this.#last };
      for (;;) {
        const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
        clearTimeout(timer);
        if (done || !value) return;
        timer = alarm();
        for (const event of parser.push(value)) {
          this.#check(event, state);
          yield event;
          if (event.event === "ended" || event.event === "lagged") return;
        }
      }
    } catch (cause) {
      if (cause instanceof StreamError || cause instanceof ClientError) throw cause;
      signal?.throwIfAborted();
      throw new ClientError("unreachable",
        silence.signal.aborted ? `nothing came for ${silenceMs / 1000} s` : "the connection broke", { cause });
    } finally {
      clearTimeout(timer);
      silence.abort();
      await reader?.cancel().catch(() => {});
    }
  }

  /** Refuses an event that an honest service does not send here, and remembers its cursor.
   * @param {StreamEvent} event @param {ConnectionState} state */
  #check(event, state) {
    const { event: name, data } = event;
    if (name === "ready") {
      if (state.isReady) throw this.#error("repeated", "ready came twice");
      state.isReady = true;
      this.#checkReady(data, state);
      return;
    }
    if (!state.isReady) throw this.#error("malformed", "an event came before ready");
    if (name === "stale") {
      const isOwn = state.since !== null && data.since === state.since.text && !state.isStale;
      const oldest = typeof data.oldest === "string" ? parseCursor(data.oldest) : null;
      if (!isOwn || !oldest) {
        throw this.#error("malformed", "stale names another place than the one that was asked for");
      }
      [state.isStale, state.mustBeStale, this.#last, this.#sequence] = [true, false, oldest, null];
      return;
    }
    if (state.mustBeStale) {
      throw this.#error("skipped", "the stream goes on after another place than the one that was asked for");
    }
    if (name === "ended" || name === "lagged") return; // the place to go on is the last event that came
    if (event.cursor === null) throw this.#error("malformed", `an event ${name} without a cursor`);
    this.#advance(event.cursor);
    if (name === "superroot") this.#checkSequence(data);
    if (name === "gap") this.#sequence = null;
  }

  /** @param {Record<string, any>} data of `ready` @param {ConnectionState} state */
  #checkReady(data, state) {
    const said = typeof data.cursor === "string" && data.cursor !== "" ? parseCursor(data.cursor) : null;
    if (data.cursor !== "" && !said) throw this.#error("malformed", "ready names no cursor");
    if (state.since === null) this.#last = said;
    else state.mustBeStale = said !== null && (said.log !== state.since.log || compare(said, state.since) !== 0);
  }

  /** @param {string} text of an event's cursor */
  #advance(text) {
    const cursor = parseCursor(text);
    if (!cursor) throw this.#error("malformed", `${plain(text)} is no cursor`);
    const last = this.#last;
    if (last && last.log !== cursor.log) {
      throw this.#error("skipped", "the events are of another log than those before");
    }
    if (last && compare(cursor, last) <= 0) {
      throw this.#error("repeated", `the event at ${text} came after the one at ${last.text}`);
    }
    this.#last = cursor;
  }

  /** @param {Record<string, any>} data of `superroot` */
  #checkSequence({ sequence }) {
    if (!Number.isSafeInteger(sequence) || sequence < 0) {
      throw this.#error("malformed", "a SuperRoot without a sequence");
    }
    const expected = this.#sequence === null ? sequence : this.#sequence + 1;
    if (sequence < expected) {
      throw this.#error("repeated", `SuperRoot ${sequence} came after SuperRoot ${expected - 1}`);
    }
    if (sequence > expected) {
      throw this.#error("skipped", `SuperRoot ${sequence} came where SuperRoot ${expected} follows`);
    }
    this.#sequence = sequence;
  }

  /** @param {StreamCode} code @param {string} message @param {unknown} [cause] */
  #error(code, message, cause) {
    return new StreamError(code, message, this.cursor, { cause });
  }
}

/** Reads server-sent events, in pieces of any length. */
class EventParser {
  #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #fail;
  #rest = "";
  /** @type {{ id: string | null, event: string | null, data: string[] }} */ #fields = { id: null, event: null, data: [] };
  #chars = 0;

  /** @param {(why: string, code?: StreamCode) => StreamError} fail */
  constructor(fail) {
    this.#fail = fail;
  }

  /** @param {Uint8Array} piece @returns {Generator<StreamEvent>} whole events */
  *push(piece) {
    try {
      this.#rest += this.#decoder.decode(piece, { stream: true });
    } catch {
      throw this.#fail("the stream is no UTF-8");
    }
    let begin = 0;
    for (let end = this.#rest.indexOf("\n"); end >= 0; end = this.#rest.indexOf("\n", begin)) {
      const event = this.#line(this.#rest.slice(begin, end).replace(/\r$/, ""));
      begin = end + 1;
      if (event) yield event;
    }
    this.#rest = this.#rest.slice(begin);
    if (this.#rest.length + this.#chars > EVENT_CHARS_MAX) {
      throw this.#fail(`an event of more than ${EVENT_CHARS_MAX} characters`, "too_large");
    }
  }

  /** @param {string} line @returns {StreamEvent | null} */
  #line(line) {
    if (line === "") return this.#end();
    if (line.startsWith(":")) return null;
    this.#chars += line.length;
    if (this.#chars > EVENT_CHARS_MAX) {
      throw this.#fail(`an event of more than ${EVENT_CHARS_MAX} characters`, "too_large");
    }
    const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    const fields = this.#fields;
    if (name === "data") fields.data.push(value);
    else if (name === "id" && fields.id === null) fields.id = value;
    else if (name === "event" && fields.event === null) fields.event = value;
    else if (name !== "retry") throw this.#fail(`a line that is of no event: ${plain(line.slice(0, 60))}`);
    return null;
  }

  /** @returns {StreamEvent | null} */
  #end() {
    const { id, event, data } = this.#fields;
    this.#fields = { id: null, event: null, data: [] };
    this.#chars = 0;
    if (id === null && event === null && data.length === 0) return null;
    if (event === null || !EVENTS.has(event)) throw this.#fail(`there is no event ${plain(event)}`);
    let read;
    try {
      read = JSON.parse(data.join("\n"));
    } catch {
      throw this.#fail(`the data of ${event} is no JSON`);
    }
    if (typeof read !== "object" || read === null || Array.isArray(read)) {
      throw this.#fail(`the data of ${event} is no JSON object`);
    }
    return { cursor: id === null || id === "" ? null : id, event, data: read };
  }
}
