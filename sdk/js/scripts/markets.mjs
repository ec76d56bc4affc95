// Writes src/forms/dex/lists.js from the lists of the Rust crates: factories of exchanges, well-known tokens, and names
// of chains. `node scripts/markets.mjs` from this folder; `--check` fails where the file is another.
import { readFileSync, writeFileSync } from "node:fs";

const root = new URL("../../../", import.meta.url);
const out = new URL("../src/forms/dex/lists.js", import.meta.url);
const read = (path) => readFileSync(new URL(path, root), "utf8").replace(/^#.*$/gm, "");

/** The value of a line of TOML, of the few kinds that these lists have. */
function valueOf(text) {
  return JSON.parse(text.trim().replace(/,\s*\]/g, "]"));
}

function factories() {
  const names = { dex: "dex", chains: "chains", form: "form", address: "address", deployer: "deployer",
    init_code_hash: "code", implementation: "implementation", fees: "fees", fees_change: "feesChange",
    tick_spacings: "spacings" };
  return read("crates/dex/src/factories.toml").split("[[factory]]").slice(1).map((row) => {
    const members = [...row.matchAll(/^(\w+) = ((?:\[[^\]]*\])|[^\n]*)$/gm)];
    return Object.fromEntries(members.map(([, name, value]) => {
      if (!(name in names)) throw new Error(`a member that is not known: ${name}`);
      const read = valueOf(value);
      return [names[name], typeof read === "string" && read.startsWith("0x") ? read.toLowerCase() : read];
    }));
  });
}

function tokens() {
  const sections = read("crates/dex/src/tokens.toml").split(/^\[(\w+)\]$/m).slice(1);
  const chains = {};
  for (let at = 0; at < sections.length; at += 2) {
    chains[sections[at]] = [...sections[at + 1].matchAll(/\{([^}]*)\}/g)].map(([, row]) => {
      const member = (name) => new RegExp(`\\b${name} = ("[^"]*"|\\[[^\\]]*\\]|\\d+)`).exec(row)?.[1];
      const roles = valueOf(member("roles") ?? "[]");
      const flags = (roles.includes("usd_stable") ? 1 : 0) + (roles.includes("wrapped_native") ? 2 : 0);
      return [valueOf(member("address")).toLowerCase(), valueOf(member("symbol")), valueOf(member("decimals")), flags];
    });
  }
  return chains;
}

function slugs() {
  const rows = read("crates/chain/chains.toml").split("[[chain]]").slice(1);
  const member = (row, name) => new RegExp(`^${name} = "?([^"\\n]*)"?$`, "m").exec(row)?.[1];
  const evm = rows.filter((row) => member(row, "family") === "evm");
  return Object.fromEntries(evm.map((row) => [member(row, "id"), member(row, "slug")]));
}

const lines = (value, isList) => `${isList ? "[" : "{"}\n${Object.entries(value).map(([name, row]) =>
  `${isList ? "" : `${JSON.stringify(name)}: `}${JSON.stringify(row)},\n`).join("")}${isList ? "]" : "}"}`;
const text = `// @ts-check
// Factories whose pools are believed, well-known tokens, and names of chains, by scripts/markets.mjs from
// crates/dex/src/factories.toml, crates/dex/src/tokens.toml and crates/chain/chains.toml.

/** @typedef {{ dex: string, chains: string[], form: string, address: string, deployer?: string, code?: string,
 *   implementation?: string, fees?: number[], feesChange?: boolean, spacings?: number[] }} Factory */
/** @type {Factory[]} */
export const FACTORIES = ${lines(factories(), true)};

/** By chain: address, symbol, decimals, and roles (1 a dollar, 2 the chain's own coin).
 * @type {Record<string, [string, string, number, number][]>} */
export const TOKENS = ${lines(tokens(), false)};

/** Names of EVM chains by their ids. @type {Record<string, string>} */
export const SLUGS = ${lines(slugs(), false)};
`;
if (process.argv.includes("--check")) {
  if (readFileSync(out, "utf8") !== text) throw new Error("src/forms/dex/lists.js is not what the lists give");
} else {
  writeFileSync(out, text);
}
