// @ts-check
// Requests: tries, time limits, and bounded reading.

import { ClientError, plain } from "./error.js";

/** Largest JSON answer, in bytes. */
export const JSON_BYTES_MAX = 64 << 20;
/** Largest text, such as a signed note, in bytes. */
const TEXT_BYTES_MAX = 1 << 20;
const TIMEOUT_MS = 30_000;
const TRIES = 4;
const PAUSE_SECONDS_MAX = 60;
/** A service can make a request wait this long after its question, at most. */
const WAIT_SECONDS_MAX = 15;

/** @typedef {{ signal?: AbortSignal, accept?: string, bytesMax?: number, body?: unknown,
 *   query?: Record<string, string | number | boolean | null | undefined> }} RequestOptions */
/** `tries`: requests for one answer, 1 to 10. `timeoutMs`: time for each whole answer; `wait` comes on top.
 * @typedef {{ url: string | URL, apiKey?: string | undefined, fetch?: typeof globalThis.fetch, tries?: number, timeoutMs?: number,
 *   sleep?: (ms: number, signal?: AbortSignal) => Promise<void> }} TransportOptions */

/** One service. Its key goes to that service alone: redirects are refused. */
export class Transport {
  #base; #key; #fetch;
  /** @type {number} */ #tries;
  /** @type {number} */ #timeoutMs;
  /** @type {(ms: number, signal?: AbortSignal) => Promise<void>} */ #sleep;

  /** @param {TransportOptions} options */
  constructor({ url, apiKey, fetch = globalThis.fetch, tries = TRIES, timeoutMs = TIMEOUT_MS, sleep = pause }) {
    this.#base = parseBase(url);
    if (apiKey !== undefined && !/^[\x21-\x7e]{1,512}$/.test(apiKey)) {
      throw new ClientError("api_key", "no header can carry the API key");
    }
    if (!(tries >= 1 && tries <= 10)) throw new ClientError("argument", "tries is 1 to 10");
    if (!(timeoutMs > 0 && timeoutMs <= 3_600_000)) {
      throw new ClientError("argument", "timeoutMs is above 0, and at most an hour");
    }
    this.#key = apiKey;
    this.#fetch = /** @type {typeof globalThis.fetch} */ ((input, init) => fetch(input, init));
    [this.#tries, this.#timeoutMs, this.#sleep] = [tries, timeoutMs, sleep];
  }

  /** The address, without a key. @returns {string} */
  get url() {
    return this.#base.href;
  }

  /** Waits; throws the signal's reason. @param {number} ms @param {AbortSignal} [signal] */
  sleep(ms, signal) {
    return this.#sleep(ms, signal);
  }

  /** @param {string[]} path parts @param {RequestOptions["query"]} [query] @returns {URL} */
  address(path, query = {}) {
    const url = new URL(this.#base);
    if (path.some((part) => /^\.{0,2}$/.test(part))) {
      throw new ClientError("argument", "a part of the route is empty, . or ..");
    }
    url.pathname = `${url.pathname.replace(/\/$/, "")}/${path.map(encodeURIComponent).join("/")}`;
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== null && value !== false) {
        url.searchParams.set(name, value === true ? "1" : String(value));
      }
    }
    return url;
  }

  /** The answer's bytes; tries again where the service says that it helps. Throws a ClientError, or the signal's reason.
   * @param {string[]} path @param {RequestOptions} [options] @returns {Promise<Uint8Array>} */
  async bytes(path, options = {}) {
    const url = this.address(path, options.query);
    for (let tried = 1; ; tried++) {
      options.signal?.throwIfAborted();
      try {
        return await this.#once(url, options);
      } catch (error) {
        const isLast = !(error instanceof ClientError) || !error.isRetryable || tried >= this.#tries;
        if (isLast) throw error;
        const said = /** @type {ClientError} */ (error).problem?.retryAfter ?? 2 ** (tried - 1);
        await this.#sleep(Math.min(Math.max(said, 1), PAUSE_SECONDS_MAX) * 1000, options.signal);
      }
    }
  }

  /** The answer's JSON. @param {string[]} path @param {RequestOptions} [options] @returns {Promise<unknown>} */
  async json(path, options = {}) {
    const bytes = await this.bytes(path, { accept: "application/json", ...options });
    return parseJson(bytes);
  }

  /** The answer's text. @param {string[]} path @param {RequestOptions} [options] @returns {Promise<string>} */
  async text(path, options = {}) {
    return textOf(await this.bytes(path, { accept: "text/plain", bytesMax: TEXT_BYTES_MAX, ...options }));
  }

  /** An answer that goes on; the caller reads it.
   * @param {string[]} path @param {RequestOptions & { headers?: Record<string, string> }} options @returns {Promise<Response>} */
  async open(path, { headers = {}, ...options }) {
    return this.#send(this.address(path, options.query), options, options.signal, headers);
  }

  /** @param {URL} url @param {RequestOptions} options @returns {Promise<Uint8Array>} */
  async #once(url, options) {
    const wait = Number(options.query?.wait ?? 0);
    const limit = this.#timeoutMs + Math.min(Math.max(wait || 0, 0), WAIT_SECONDS_MAX) * 1000;
    const timeout = AbortSignal.timeout(limit);
    const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
    try {
      const response = await this.#send(url, options, signal, {});
      return await readBytes(response, options.bytesMax ?? JSON_BYTES_MAX);
    } catch (cause) {
      options.signal?.throwIfAborted();
      if (timeout.aborted) {
        throw new ClientError("timed_out", `no whole answer from ${url.host} within ${limit / 1000} s`, { cause });
      }
      if (cause instanceof ClientError) throw cause;
      throw new ClientError("unreachable", `${url.host} cannot be reached, or the connection broke`, { cause });
    }
  }

  /** @param {URL} url @param {RequestOptions} options @param {AbortSignal | undefined} signal
   * @param {Record<string, string>} more @returns {Promise<Response>} */
  async #send(url, { accept = "application/json", body }, signal, more) {
    /** @type {Record<string, string>} */
    const headers = { Accept: accept, ...more };
    if (this.#key !== undefined) headers["X-API-Key"] = this.#key;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const response = await this.#fetch(url, {
      method: body === undefined ? "GET" : "POST", headers, signal, redirect: "error", credentials: "omit", cache: "no-store",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.ok) return response;
    throw refusalOf(response, await readBytes(response, 1 << 20));
  }
}

/** @param {string | URL} given @returns {URL} */
function parseBase(given) {
  let url;
  try {
    url = new URL(given);
  } catch (cause) {
    throw new ClientError("address", "the service's address is no URL", { cause });
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new ClientError("address", "the service's address is neither http nor https");
  }
  if (url.username !== "" || url.password !== "") {
    throw new ClientError("address", "the service's address has a password in it");
  }
  [url.search, url.hash] = ["", ""];
  return url;
}

/** @param {Response} response @param {Uint8Array} body @returns {ClientError} */
function refusalOf(response, body) {
  const { status } = response;
  /** @type {any} */
  let said = null;
  try {
    said = parseJson(body);
  } catch { /* no problem in it */ }
  if (typeof said?.code !== "string" || typeof said.detail !== "string") {
    return new ClientError("status", `the service answers ${status}, without a reason`, { status });
  }
  const problem = {
    status, code: plain(said.code), detail: plain(said.detail), retryable: said.retryable === true,
    retryAfter: seconds(said.retry_after) ?? seconds(response.headers.get("retry-after")),
    requestId: typeof said.request_id === "string" ? plain(said.request_id) : null,
  };
  return new ClientError("refused", `the service refuses (${status} ${problem.code}): ${problem.detail}`, { problem });
}

/** @param {unknown} said @returns {number | null} */
function seconds(said) {
  const number = typeof said === "string" && /^[0-9]{1,9}$/.test(said) ? Number(said) : said;
  return typeof number === "number" && number >= 0 && number < 1e9 ? number : null;
}

/** Reads in pieces, so that no answer takes more memory than the limit.
 * @param {Response} response @param {number} max @returns {Promise<Uint8Array>} */
async function readBytes(response, max) {
  const reader = response.body?.getReader();
  /** @type {Uint8Array[]} */
  const pieces = [];
  let length = 0;
  while (reader) {
    const { value, done } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > max) {
      await reader.cancel().catch(() => {});
      throw new ClientError("too_large", `the answer is larger than ${max} bytes`);
    }
    pieces.push(value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** @param {Uint8Array} bytes @returns {string} */
function textOf(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new ClientError("malformed", "the answer is no UTF-8", { cause });
  }
}

/** @param {Uint8Array} bytes @returns {unknown} */
export function parseJson(bytes) {
  const text = textOf(bytes);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ClientError("malformed", `the answer is no JSON: ${plain(text.slice(0, 60))}`, { cause });
  }
}

/** @param {number} ms @param {AbortSignal} [signal] @returns {Promise<void>} */
export function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
