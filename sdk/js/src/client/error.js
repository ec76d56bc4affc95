// @ts-check
// Errors of a request.

/** Why a request gave no answer to go on with.
 *
 * | code | meaning |
 * |---|---|
 * | `address` | the service's address is no http or https URL, or has a password in it |
 * | `api_key` | no header can carry the key |
 * | `argument` | the question itself is malformed |
 * | `refused` | the service refuses: `problem` says why, by its stable `code` |
 * | `status` | an answer with an error status and no problem in it |
 * | `unreachable` | no connection, or it broke |
 * | `timed_out` | no whole answer in time |
 * | `too_large` | the answer is larger than the limit |
 * | `malformed` | the answer is not what the route gives |
 * | `another_answer` | the proof is valid, and about something else than asked |
 * | `contradiction` | a member of an answer contradicts its proof |
 * | `not_whole` | this library cannot check every step of that proof |
 * @typedef {"address" | "api_key" | "argument" | "refused" | "status" | "unreachable" | "timed_out" | "too_large"
 *   | "malformed" | "another_answer" | "contradiction" | "not_whole"} ClientCode */

/** A refusal as the service words it (RFC 9457). @typedef {{ status: number, code: string, detail: string,
 *   retryable: boolean, retryAfter: number | null, requestId: string | null }} Refusal */

const TEXT_MAX = 1000;

/** A request that failed, or an answer that is not the one asked for. */
export class ClientError extends Error {
  /** @param {ClientCode} code @param {string} message
   * @param {{ cause?: unknown, problem?: Refusal, status?: number }} [more] */
  constructor(code, message, { cause, problem, status } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ClientError";
    this.code = code;
    /** The service's reason; only with `refused`. @type {Refusal | undefined} */
    this.problem = problem;
    /** HTTP status; only with `refused` and `status`. @type {number | undefined} */
    this.status = problem?.status ?? status;
  }

  /** Whether the same request may succeed later. */
  get isRetryable() {
    if (this.code === "refused") return this.problem?.retryable === true;
    if (this.code === "status") return this.status === 429 || (this.status ?? 0) >= 500;
    return this.code === "unreachable" || this.code === "timed_out";
  }
}

/** Text of a service in one line, without control characters, for a message. @param {unknown} text @returns {string} */
export function plain(text) {
  // eslint-disable-next-line no-control-regex
  return String(text).slice(0, TEXT_MAX).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (letter) => `\\u{${/** @type {number} */ (letter.codePointAt(0)).toString(16)}}`);
}
