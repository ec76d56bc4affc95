// @ts-check
// Errors of a trust store, and of a proof that is valid but not trusted.

/** Why a trust store was not read, written or advanced.
 *
 * | code | meaning |
 * |---|---|
 * | `file` | the file is unreadable, unwritable or too large |
 * | `malformed` | the content is no store: cut, edited by hand, or written by something else |
 * | `older` | the store has lost pins that this process read from it before: an older copy was restored |
 * | `changed` | the store changed while this process worked on it: nothing was written |
 * | `locked` | another process works on the file and does not end |
 * | `origin`, `confusing` | the log's name is invalid, or may be taken for another |
 * | `key`, `other_key` | the key is invalid or a witness's; or another key is pinned |
 * | `policy` | the policy is invalid, or names other logs |
 * | `unknown_log`, `no_key` | the log is not in the store; or its pins never move |
 * | `fork` | another SuperRoot is pinned for that sequence |
 * | `note`, `signature`, `checkpoint`, `note_origin`, `quorum` | not a signed note, or not signed as the pin asks |
 * | `not_under_note`, `note_size` | the note does not end in that SuperRoot |
 * | `inconsistent` | the log does not extend the pin |
 * | `not_compared` | the SuperRoot is older than the pin, and was never compared with it |
 * | `full` | more logs or pins than a store has |
 * | `behind`, `other_log`, `elsewhere` | the service has less, another log, or proves another SuperRoot |
 * | `two_histories` | the key signed two histories; `evidence` convinces anyone who knows the key |
 * @typedef {"file" | "malformed" | "older" | "changed" | "locked" | "origin" | "confusing" | "key" | "other_key"
 *   | "policy" | "unknown_log" | "no_key" | "fork" | "note" | "signature" | "checkpoint" | "note_origin" | "quorum"
 *   | "not_under_note" | "note_size" | "inconsistent" | "not_compared" | "full" | "behind" | "other_log" | "elsewhere"
 *   | "two_histories"} TrustCode */

/** Evidence that a key signed two histories, as in `superroot verify evidence.json`.
 * @typedef {{ evidence: "two_notes" | "another_history", key: string, notes: [string, string],
 *   entry?: { index: number, preimage: string, inclusion_path: string[],
 *     history: { leaf_count: number, log_root: string, siblings: string[] } } }} ForkEvidence */

/** A trust store that cannot be read, written or advanced. */
export class TrustError extends Error {
  /** @param {TrustCode} code @param {string} message
   * @param {{ cause?: unknown, evidence?: ForkEvidence }} [more] */
  constructor(code, message, { cause, evidence } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "TrustError";
    this.code = code;
    /** Evidence for anyone; only with `two_histories`. @type {ForkEvidence | undefined} */
    this.evidence = evidence;
  }

  /** Whether the service or the log contradicts the pin, rather than says nothing. */
  get isContradiction() {
    return ["fork", "inconsistent", "elsewhere", "two_histories"].includes(this.code);
  }
}

/** Why a valid proof is not trusted.
 *
 * `no_super_root`: it ends below level 5. `unknown_log`: the log is not in the store. `no_note`, `no_key`, `signature`,
 * `note_origin`, `quorum`: nothing trusted leads to its SuperRoot. `older_note`: the note is no newer than the pin and
 * was never compared with it. Contradictions: `withdrawn` (the log withdrew the block), `fork`, `two_histories`.
 * @typedef {"no_super_root" | "unknown_log" | "no_note" | "no_key" | "signature" | "note_origin" | "quorum"
 *   | "older_note" | "withdrawn" | "fork" | "two_histories"} DistrustCode */

/** A valid proof that the store does not trust, or contradicts. */
export class DistrustError extends Error {
  /** @param {DistrustCode} code @param {string} message @param {ForkEvidence} [evidence] */
  constructor(code, message, evidence) {
    super(message);
    this.name = "DistrustError";
    this.code = code;
    /** The step of the check that failed. */
    this.step = /** @type {const} */ ("anchor");
    /** Evidence for anyone; only with `two_histories`. @type {ForkEvidence | undefined} */
    this.evidence = evidence;
  }

  /** Whether a pin contradicts the proof, rather than saying nothing. */
  get isContradiction() {
    return ["withdrawn", "fork", "two_histories"].includes(this.code);
  }
}
