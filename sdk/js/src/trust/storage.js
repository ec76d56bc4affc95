// @ts-check
// Where the text of a trust store is: in memory, or in a browser's `localStorage`. The file of the command line is in
// file.js.

import { TrustError } from "./error.js";

/** A place for one text. `change` reads the text, lets `act` make the next one, and puts it in place whole or not at
 * all; nobody else changes it meanwhile, or it throws `changed`. `act` returning null leaves the text as it is. `readSet`
 * reads a file of a set of signers by its name, null where there is none; a storage without it has none.
 * @typedef {{ read(): Promise<string | null>, change(act: (text: string | null) => string | null): Promise<void>,
 *   readSet?: (name: string) => Promise<Uint8Array | null> }} TrustStorage */

/** Memory of this process. @param {string | null} [text] @returns {TrustStorage} */
export function memoryStorage(text = null) {
  return {
    read: async () => text,
    change: async (act) => void (text = act(text) ?? text),
  };
}

/** The part of `Storage` that is used. @typedef {Pick<Storage, "getItem" | "setItem">} KeyValueStorage */

/** One item of `localStorage`. Tabs exclude each other by Web Locks where the browser has them; without, a change by
 * another tab between reading and writing is refused (`changed`).
 * @param {KeyValueStorage} storage @param {string} name of the item @returns {TrustStorage} */
export function localStorageOf(storage, name) {
  const locks = globalThis.navigator?.locks;
  /** @template T @param {() => T} run @returns {T} */
  const named = (run) => {
    try {
      return run();
    } catch (cause) {
      if (cause instanceof TrustError) throw cause;
      throw new TrustError("file",
        `item ${name} of the browser's storage cannot be used: ` +
        /** @type {Error} */ (cause).message, { cause });
    }
  };
  /** @param {(text: string | null) => string | null} act */
  const change = (act) => {
    const before = named(() => storage.getItem(name));
    const after = act(before);
    if (after === null || after === before) return;
    if (named(() => storage.getItem(name)) !== before) {
      throw new TrustError("changed", "the trust store has changed meanwhile: nothing was written, try again");
    }
    named(() => storage.setItem(name, after));
    if (named(() => storage.getItem(name)) !== after) {
      throw new TrustError("changed",
        "the trust store was not written as it should be: another tab wrote at the same time, try again");
    }
  };
  return {
    read: async () => named(() => storage.getItem(name)),
    change: async (act) => {
      if (locks) await locks.request(`superroot trust store ${name}`, () => change(act));
      else change(act);
    },
  };
}
