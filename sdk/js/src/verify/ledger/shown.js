// @ts-check
// What ledgers share.

/** @typedef {import("./index.js").ShownEntry} ShownEntry */

/** @param {Partial<ShownEntry>} shown @returns {ShownEntry} */
export function shownEntry(shown) {
  return { transactionsRoot: null, receiptsRoot: null, transaction: null, receipt: null, event: null, txCount: null,
    ...shown };
}

export const bindsAll = () => ({ txIndex: true, logIndex: true });
