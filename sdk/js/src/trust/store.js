// @ts-check
// A trust store: whom a client trusts, kept over memory, a browser's storage or the command line's file.
//
//     key, pinned once ──► every proof with a note of that key (and of the policy's quorum)
//     newest SuperRoot ──► moves by a note of that key, and then only by full consistency
//     its registry     ──► what it withdraws is true in no proof of that log any more

import { TrustError } from "./error.js";
import { defaultPath, fileStorage } from "./file.js";
import { judge } from "./judge.js";
import { checkNotOlder, findLog, withAdvance, withKey, withPin, without } from "./logs.js";
import { readPinnedSet, setFileName } from "./light_client.js";
import { localStorageOf, memoryStorage } from "./storage.js";
import { readLogs, writeLogs } from "./text.js";

/** @typedef {import("./logs.js").Logs} Logs */
/** @typedef {import("./logs.js").TrustedLog} TrustedLog */
/** @typedef {import("./storage.js").TrustStorage} TrustStorage */
/** @typedef {import("./judge.js").JudgedFacts} JudgedFacts */

/** The logs that a client trusts. A new store is empty. Every method reads the storage again, so that pins of other
 * processes count at once; all throw TrustError. */
export class TrustStore {
  /** @type {TrustStorage} */ #storage;
  /** Logs read last. @type {Logs} */ #seen = [];

  /** @param {TrustStorage} storage */
  constructor(storage) {
    this.#storage = storage;
  }

  /** A store in memory that trusts one log's key.
   * @param {string} vkey the key, `name+id+base64`, known from elsewhere than the service
   * @param {{ policy?: string }} [how] `policy`: witnesses that every note needs (C2SP tlog-policy)
   * @returns {TrustStore} */
  static pin(vkey, { policy } = {}) {
    const logs = withKey([], vkey, { policy: policy ?? null });
    return new TrustStore(memoryStorage(writeLogs(logs)));
  }

  /** A store in memory that trusts one SuperRoot, for a log without signatures. This pin never moves.
   * @param {{ origin: string, sequence: number, superRootHash: string }} pin @returns {TrustStore} */
  static pinSuperRoot({ origin, sequence, superRootHash }) {
    return new TrustStore(memoryStorage(writeLogs(withPin([], origin, sequence, superRootHash))));
  }

  /** An empty store in memory. @returns {TrustStore} */
  static memory() {
    return new TrustStore(memoryStorage());
  }

  /** The store in a browser. Every script on the page's origin can change it.
   * @param {{ storage?: import("./storage.js").KeyValueStorage, name?: string }} [where] @returns {TrustStore} */
  static localStorage({ storage = globalThis.localStorage, name = "superroot.trust" } = {}) {
    if (!storage) throw new TrustError("file", "there is no localStorage here");
    return new TrustStore(localStorageOf(storage, name));
  }

  /** The command line's own store, in Node. @param {string} [path] `superroot trust --trust-store`; its default if left out
   * @returns {TrustStore} */
  static file(path = defaultPath()) {
    return new TrustStore(fileStorage(path));
  }

  /** The trusted logs, in pinning order. @returns {Promise<Logs>} */
  async logs() {
    const text = await this.#storage.read();
    return this.#see(text === null ? [] : readLogs(text));
  }

  /** A trusted log; undefined where it is not in the store. @param {string} origin @returns {Promise<TrustedLog | undefined>} */
  async log(origin) {
    return findLog(await this.logs(), origin);
  }

  /** Trusts a key. `firstUse`: it came from the service, and a later call without confirms it. `replaces`: it takes the
   * place of another key, as the operator announced; pins stay.
   * @param {string} vkey @param {{ policy?: string, firstUse?: boolean, replaces?: boolean }} [how] */
  async pinKey(vkey, { policy, ...how } = {}) {
    await this.#change((logs) => withKey(logs, vkey, { policy: policy ?? null, ...how }));
  }

  /** Trusts a SuperRoot known from elsewhere.
   * @param {{ origin: string, sequence: number, superRootHash: string }} pin */
  async pinSuperRoot({ origin, sequence, superRootHash }) {
    await this.#change((logs) => withPin(logs, origin, sequence, superRootHash));
  }

  /** Moves a pin as a checked step says: see `advancePin`.
   * @param {import("./logs.js").PinAdvance} step */
  async advance(step) {
    await this.#change((logs) => withAdvance(logs, step));
  }

  /** Removes a log, or one pin of it. @param {string} origin @param {number} [sequence] */
  async remove(origin, sequence) {
    await this.#change((logs) => {
      const left = without(logs, origin, sequence);
      this.#seen = left; // fewer pins on purpose
      return left;
    });
  }

  /** The set of signers that `superroot trust light-client pin` keeps for a chain beside the file, not yet checked; null
   * where nobody pinned one, and in other stores. Throws `malformed` or `file`.
   * @param {import("./light_client.js").ChainKey} chain whose signers they are @param {string} network of the log
   * @returns {Promise<import("./light_client.js").PinnedSet | null>} */
  async pinnedSet(chain, network) {
    const name = setFileName(chain, network);
    const bytes = name === null ? null : await this.#storage.readSet?.(name) ?? null;
    return name === null || bytes === null ? null : readPinnedSet(bytes, chain, name);
  }

  /** Judges the facts of a valid proof. Throws a DistrustError where the pins say nothing about them or contradict them.
   * @param {JudgedFacts} facts */
  async judge(facts) {
    return judge(await this.logs(), facts);
  }

  /** @param {Logs} logs @returns {Logs} */
  #see(logs) {
    checkNotOlder(logs, this.#seen);
    return (this.#seen = logs);
  }

  /** @param {(logs: Logs) => Logs} act */
  async #change(act) {
    /** @type {Logs} */
    let after = [];
    await this.#storage.change((text) => {
      const before = text === null ? [] : this.#see(readLogs(text));
      after = act(before);
      return after === before ? null : writeLogs(after);
    });
    this.#seen = after;
  }
}
