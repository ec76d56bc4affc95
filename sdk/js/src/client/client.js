// @ts-check
// A SuperRoot service over HTTP. What comes with a proof is checked before it is returned; what comes without one is
// returned as `claimed`, the service's word.

import { checkAnswers, askAbsence, askBlock, askEvent, askTransaction, findChain } from "./question.js";
import { ClientError } from "./error.js";
import { proveLogs, proveStream } from "./logs.js";
import { verifyFile } from "./proof.js";
import { fetchPage, fetchSuperRoot, readPage } from "./superroot.js";
import { Stream } from "./stream.js";
import { Transport } from "./transport.js";

/** @typedef {import("./schema.js").components["schemas"]} Schemas */
/** @typedef {import("./schema.js").operations} Operations */
/** @typedef {import("./question.js").ChainName} ChainName */
/** @typedef {import("./question.js").BlockName} BlockName */
/** @typedef {import("./question.js").EventPlace} EventPlace */
/** @typedef {import("./question.js").Question} Question */
/** @typedef {import("./proof.js").ProvenFact} ProvenFact */
/** @typedef {import("../trust/store.js").TrustStore} TrustStore */

/** An answer without a proof: the service's word. @template T @typedef {{ claimed: T }} Claim */

/** `wait`: seconds, 0 to 15, that the service waits until the block is anchored. `sequence` or `superRootHash`: the
 * SuperRoot to prove under; the newest if left out. `evidence`: with what the chain's own consensus signed.
 * `setNumber`: number of your own set of signers, for the steps from there to the set that signed.
 * @typedef {{ wait?: number, evidence?: boolean, setNumber?: number | bigint, sequence?: number, superRootHash?: string, signal?: AbortSignal }} ProveOptions */

/** @typedef {{ signal?: AbortSignal }} CallOptions */
/** Query members of a route. @template {keyof Operations} K @typedef {NonNullable<Operations[K]["parameters"]["query"]>} Query */

/** Most bytes of a proof file. */
const FILE_BYTES_MAX = 16 << 20;
const BATCH_MAX = 64;
const BATCH_AT_ONCE = 4;

/** A client of one service. Every method throws ClientError for a request that fails, ProofError for a proof that does
 * not hold, DistrustError for a valid proof that is not trusted, TrustError for a pin that is contradicted. */
export class SuperRoot {
  /** Whom this client trusts. @type {TrustStore} */ trust;
  #transport;

  /** @param {{ url: string | URL, trust: TrustStore, apiKey?: string | undefined, fetch?: typeof globalThis.fetch, tries?: number,
   *   timeoutMs?: number, sleep?: (ms: number, signal?: AbortSignal) => Promise<void> }} options `url`: the service's
   *   address, with or without a path. `tries`: requests for one answer while the service is busy or away, 4 if left out.
   *   `timeoutMs`: time for a whole answer, 30,000 if left out */
  constructor({ trust, ...transport }) {
    if (!trust) {
      throw new ClientError("argument",
        "trust is missing: TrustStore.pin(key), with the log's key from elsewhere than the service");
    }
    this.trust = trust;
    this.#transport = new Transport(transport);
  }

  /** The service's address. */
  get url() {
    return this.#transport.url;
  }

  /** An event, by its transaction and its place in the receipt, or by block, transaction index and place.
   * @param {EventPlace} place @param {ProveOptions} [options] @returns {Promise<ProvenFact>} */
  async proveEvent(place, options) {
    return this.#prove(askEvent(place), options);
  }

  /** A transaction with its receipt, where the ledger has receipts. `block` and `index`: where its bytes occur more than once.
   * @param {{ chain: ChainName, tx: string, block?: number | bigint, index?: number }} place @param {ProveOptions} [options]
   * @returns {Promise<ProvenFact>} */
  async proveTransaction(place, options) {
    return this.#prove(askTransaction(place), options);
  }

  /** A block. @param {{ chain: ChainName, block: BlockName }} place @param {ProveOptions} [options] @returns {Promise<ProvenFact>} */
  async proveBlock(place, options) {
    return this.#prove(askBlock(place), options);
  }

  /** That a block has no transaction at that index. @param {{ chain: ChainName, block: BlockName, index: number }} place
   * @param {ProveOptions} [options] @returns {Promise<ProvenFact>} */
  async proveAbsence(place, options) {
    return this.#prove(askAbsence(place), options);
  }

  /** Several proofs, in order, four at once; at most 64. An item that fails is its error, and the others are still proven.
   * @param {({ kind: "event" } & EventPlace | { kind: "transaction", chain: ChainName, tx: string }
   *   | { kind: "block", chain: ChainName, block: BlockName }
   *   | { kind: "absence", chain: ChainName, block: BlockName, index: number })[]} items @param {ProveOptions} [options]
   * @returns {Promise<({ proof: ProvenFact, error: null } | { proof: null, error: Error })[]>} */
  async batch(items, options) {
    if (items.length > BATCH_MAX) throw new ClientError("argument", `a batch has at most ${BATCH_MAX} items`);
    const questions = items.map((item) => {
      if (item.kind === "event") return askEvent(item);
      if (item.kind === "transaction") return askTransaction(item);
      return item.kind === "absence" ? askAbsence(item) : askBlock(item);
    });
    /** @type {({ proof: ProvenFact, error: null } | { proof: null, error: Error })[]} */
    const answers = [];
    let next = 0;
    const work = async () => {
      for (let at = next++; at < questions.length; at = next++) {
        answers[at] = await this.#prove(questions[at], options).then((proof) => ({ proof, error: null }),
          (error) => ({ proof: null, error: error instanceof Error ? error : new Error(String(error)) }));
      }
    };
    await Promise.all(Array.from({ length: BATCH_AT_ONCE }, work));
    options?.signal?.throwIfAborted();
    return answers;
  }

  /** @param {Question} question @param {ProveOptions} [options] @returns {Promise<ProvenFact>} */
  async #prove(question, { wait, evidence, setNumber, sequence, superRootHash, signal } = {}) {
    if (setNumber !== undefined && !evidence) throw new ClientError("argument", "setNumber is for evidence: true alone");
    const from = setNumber === undefined ? undefined : String(setNumber);
    if (from !== undefined && !/^[0-9]{1,20}$/.test(from)) throw new ClientError("argument", "setNumber is a whole number");
    if (wait !== undefined && !(Number.isInteger(wait) && wait >= 0 && wait <= 15)) {
      throw new ClientError("argument", "wait is 0 to 15 seconds");
    }
    const bytes = await this.#transport.bytes(question.path, {
      accept: "application/octet-stream", bytesMax: FILE_BYTES_MAX, signal,
      query: { ...question.query, note: 1, wait, evidence, set: from, sequence, root: superRootHash },
    });
    const fact = await verifyFile(bytes, { trust: this.trust });
    checkAnswers(question, { chain: fact.chain, number: fact.block.number, txHash: fact.transaction?.hash ?? null, subject: fact.subject });
    return fact;
  }

  /** The set of signers that `superroot trust light-client` pinned for a chain (of rollups, Ethereum's) beside the file of
   * the trust store; null where nobody did. Its `number` is for the option `setNumber`. Throws a TrustError.
   * @param {ChainName} chain @param {import("../finality/chains.js").Network} [network] of the log; `live` if left out
   * @returns {Promise<import("./pinned.js").PinnedSigners | null>} */
  async pinnedSet(chain, network = "live") {
    const asked = findChain(chain);
    const { pinnedSigners } = await import("./pinned.js");
    return pinnedSigners(this.trust, asked, network);
  }

  /** The newest SuperRoot, or one by its sequence: recomputed, and signed as the store asks or pinned.
   * @param {number} [sequence] @param {CallOptions} [options] */
  async superRoot(sequence, options) {
    return fetchSuperRoot(this.#transport, this.trust, sequence, options);
  }

  /** Moves the pin of a log to its newest signed SuperRoot, after full consistency: no SuperRoot and no block before was
   * rewritten. Null where the pin is the newest already. Throws TrustError; `two_histories` has evidence for anyone.
   * @param {string} origin @param {import("./update.js").AdvanceOptions} [options]
   * @returns {Promise<{ from: import("../trust/logs.js").Pin | null, to: import("../trust/logs.js").Pin } | null>} */
  async advancePin(origin, options) {
    const { advancePin } = await import("./update.js"); // loaded when it is needed: a third of the library
    return advancePin(this.#transport, this.trust, origin, options);
  }

  /** Events by filter, a page at a time: the service's word. `proveEvent` proves each.
   * @param {{ chain: ChainName } & Omit<Query<"logs">, "chain" | "complete">} filter @param {CallOptions} [options]
   * @returns {Promise<Claim<Schemas["Logs"] & Schemas["WithAnchor"]>>} */
  async logs({ chain, ...filter }, options) {
    return this.#claim(["v5", "logs"], { chain: findChain(chain).id, ...filter }, options);
  }

  /** Logs of the EVM family by filter, each proven and compared with the filter. With `complete`, a scan
   * shows that none is left out; without, that is the service's word.
   * @param {import("./logs.js").LogFilter} filter @returns {Promise<import("./logs.js").ProvenEvent[]>} */
  async provenLogs(filter) {
    return proveLogs(this, filter);
  }

  /** All logs of a block range that pass a filter, or that there are none: proven, and complete. Every block has to be anchored.
   * @param {import("./scan.js").ScanFilter} filter @returns {Promise<import("./scan.js").ProvenScan>} */
  async scan(filter) {
    const { fetchScan } = await import("./scan.js");
    return fetchScan(this.#transport, this.trust, filter);
  }

  /** Price of a token in US dollars, recomputed from proven events: docs/prices.md. `said` lists what it takes of the
   * service's word all the same. @param {import("./price.js").PriceQuestion} asked @returns {Promise<import("./price.js").ProvenPrice>} */
  async provenPrice(asked) {
    const { fetchPrice } = await import("./price.js");
    return fetchPrice(this.#transport, this.trust, asked);
  }

  /** Price of a token in US dollars: the service's word.
   * @param {{ chain: ChainName, token: string } & Omit<Query<"price">, "proof" | "note">} asked @param {CallOptions} [options]
   * @returns {Promise<Claim<Schemas["TokenPrice"] & Schemas["WithAnchorSnake"]>>} */
  async price({ chain, token, ...query }, options) {
    return this.#claim(["price", String(findChain(chain).id), token], query, options);
  }

  /** An order across chains: the service's word. @param {string} id `protocol:chain:id`, number of a deposit, or a
   * transaction @param {Query<"order"> & CallOptions} [options]
   * @returns {Promise<Claim<Schemas["OrderStatus"] & Schemas["WithAnchorSnake"]>>} */
  async order(id, { signal, ...query } = {}) {
    return this.#claim(["events", id], query, { signal });
  }

  /** Fees on a chain, or on all: the service's word. @param {{ chain?: ChainName }} [asked] @param {CallOptions} [options]
   * @returns {Promise<Claim<Schemas["Gas"] & Schemas["WithAnchorSnake"]>>} */
  async gas({ chain } = {}, options) {
    return this.#claim(["search-api", "v5", "gas"], { chain_id: chain === undefined ? undefined : findChain(chain).id }, options);
  }

  /** Status of the service and its chains: the service's word. @param {CallOptions} [options]
   * @returns {Promise<Claim<Schemas["Status"]>>} */
  async status(options) {
    return this.#claim(["api", "v1", "status"], {}, options);
  }

  /** Events as they come, in order; reconnects after a break and goes on after the last cursor. The service's word.
   * @param {import("./stream.js").StreamFilter} filter @param {import("./stream.js").StreamOptions} [options] @returns {Stream} */
  stream(filter, options) {
    return new Stream(this.#transport, filter, options);
  }

  /** Logs of one chain as they are anchored, each proven before it is handed out. `proof` is null for events about the stream
   * itself, such as `gap`. @param {Parameters<typeof proveStream>[1]} filter @param {import("./stream.js").StreamOptions} [options]
   * @returns {AsyncGenerator<import("./stream.js").StreamEvent & { proof: import("./logs.js").ProvenEvent | null }, void, void>} */
  provenStream(filter, options = {}) {
    return proveStream(this, filter, options);
  }

  /** The log's name and keys as the service names them, for trust on first use: compare the key with another source, or pin
   * it with `firstUse`. @param {CallOptions} [options] @returns {Promise<Claim<{ origin: string, keys: string[] }>>} */
  async logKeys(options) {
    const { origin, keys } = readPage(await fetchPage(this.#transport, undefined, options?.signal));
    return { claimed: { origin, keys: keys.filter((key) => key.startsWith(`${origin}+`)) } };
  }

  /** @param {string[]} path @param {Record<string, any>} query @param {CallOptions} [options] @returns {Promise<Claim<any>>} */
  async #claim(path, query, options) {
    const claimed = await this.#transport.json(path, { query, signal: options?.signal });
    if (typeof claimed !== "object" || claimed === null || Array.isArray(claimed)) {
      throw new ClientError("malformed", "the answer is no JSON object");
    }
    return { claimed };
  }
}
