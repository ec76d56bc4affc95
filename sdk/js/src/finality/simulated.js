// @ts-check
// Params of simulated networks (`superroot demo`), as in `crates/chain`: rows are those of main networks, with work, keys and
// committees that everybody has. A check with them shows that a program works, and nothing about a chain.

/** @typedef {import("./kinds.js").FinalityParams} FinalityParams */
/** @typedef {import("./beacon.js").BeaconParams} BeaconParams */

/** A target that every second hash meets. */
const EASY_BITS = 0x207fffff;

/** Signs for a root of its own. @param {string} byte in hex @returns {BeaconParams} */
const beaconOf = (byte) => ({
  genesis_validators_root: `0x${byte.repeat(32)}`,
  genesis_time: 0, slot_seconds: 2, epoch_slots: 8, period_epochs: 12, members: 32,
  forks: [{ epoch: 0, version: `050000${byte}`, layout: "electra" }],
  trusted_seconds: 14 * 86_400,
});

/** Params of the simulated chain with this row; null where it leaves no evidence.
 * @param {string} caip2 @param {FinalityParams} main params of the main network @returns {FinalityParams | null} */
export function simulated(caip2, main) {
  switch (main.kind) {
    case "anchor": {
      if (main.contract !== "registry") return null;
      const address = `0x${"51".repeat(12)}${main.chain.toString(16).padStart(16, "0")}`;
      return { ...main, beacon: beaconOf("51"), contracts: [{ from: 0, address }] };
    }
    case "beacon": return { kind: "beacon", ...beaconOf(caip2 === "eip155:1" ? "51" : "64") };
    case "commit": return { ...main, set_blocks: 32 };
    case "milestone": {
      return { ...main, heimdall: { ...main.heimdall, chain_id: "heimdallv2-simulated", set_blocks: 300 } };
    }
    case "producers": return { ...main, set_seconds: 180, window_blocks: 27 };
    case "vote": return { ...main, epoch_blocks: 32 };
    case "work": return { ...main, target_limit_bits: EASY_BITS, floor_bits: EASY_BITS, retargets: false };
    default: return main;
  }
}

/** The root key of the simulated Internet Computer, in hex; its secret key is in the sources. */
export const SIMULATED_ROOT_KEY = "ac30d7d0e0686395ee87f1c116814980b38719f6bf7b824e551c6ac0dde5724a18e16bc9e2649292e7cb58a867b" +
  "28f5008113d87f0551dc2550bceb18a898674142ba51864649895f82ce8aa3b1d0e75c217f05fece6a0b3307ab9597a5771f1";
