// @ts-check
// Rules that each kind of evidence has. Checks throw a `Stop`.

/** A block in question. @typedef {{ number: bigint, hash: Uint8Array }} Block */
/** A checked signature: its time in seconds since 1970 where it is shown, and who signed, in words.
 * @typedef {{ at: bigint | null, by: string }} SetSignature */

/** @template P params of the chain, the client's own @template S set of signers
 * @typedef {{
 *   decode: (params: P, bytes: Uint8Array) => S,
 *   id: (set: S) => Uint8Array,
 *   number: (set: S) => bigint,
 *   begins: (set: S, params: P) => bigint | null,
 *   trustedUntil: (set: S, params: P) => bigint | null,
 *   check: (params: P, set: S, block: Block, body: Uint8Array, now: bigint) => SetSignature,
 *   advance: (params: P, set: S, step: Uint8Array, now: bigint) => S,
 * }} SetRules */

export {};
