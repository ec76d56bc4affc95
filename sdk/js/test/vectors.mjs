// What the tests share: vectors, and the verdict on a file.
import fs from "node:fs";
import { CHAINS, ProofError, verify } from "../src/verify/index.js";
import { fromHex } from "../src/verify/hash.js";
import { Fault } from "../src/verify/reader.js";

const folder = new URL("../../../vectors/", import.meta.url);

/** @param {string} name @returns {any} */
export const read = (name) => JSON.parse(fs.readFileSync(new URL(name, folder), "utf8"));
/** @param {string} name @returns {Uint8Array} */
export const readBytes = (name) => new Uint8Array(fs.readFileSync(new URL(name, folder)));
/** @param {string} name @returns {string[]} */
export const list = (name) => fs.readdirSync(new URL(name, folder));

/** @param {string} name */
export const rows = (name) => read(name).map((row) => ({ ...row, bytes: fromHex(row.proof), trust: fromHex(row.trusted) }));

const NAMES = { entry: "level 1 (entry)", block: "level 2 (block)", twig: "level 3 (twig)",
  mini_mmr: "level 4 (mini_mmr)", super_root: "level 5 (super_root)" };

/** The step at which a proof fails, by its name in vectors; null where it holds. Any error but a refusal, also inside
 * a ProofError, is thrown on. */
export function verdict(bytes, trustedHash, chains = CHAINS) {
  try {
    if (!verify(bytes, { chains, trustedHash }).isWhole) throw new Error("not whole");
    return null;
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    if (!(error.cause instanceof Fault)) throw error.cause;
    return NAMES[error.step] ?? error.step;
  }
}
