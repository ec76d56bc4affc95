// @ts-check
// Chains whose header blooms bind: the verifier's own list, docs/protocol/files.md, "Where blooms bind".

/** By chain id, the first number from which a block is refused whose bloom lacks one of its logs. */
const BINDS = new Map([[1, 0], [10, 0], [56, 0], [100, 0], [130, 0], [143, 0], [146, 0], [480, 0], [1868, 0], [8453, 0],
  [42161, 22207818], [42220, 31056500], [43114, 0], [57073, 0], [59144, 0], [167000, 0], [534352, 0]]);

const OUTSIDE = new Map([
  [137, "the logs of state-sync entries stand outside bloom and receipts of the header"],
  [999, "the logs of system entries stand outside bloom and receipts of the header"],
]);

/** Logs that nodes list outside of every receipt, in words; null where there are none. @param {number} chainId
 * @returns {string | null} */
export const outsideReceipts = (chainId) => OUTSIDE.get(chainId) ?? null;

/** Why a header's bloom does not rule a log out; null where it binds. @param {number} chainId @param {number} number
 * @param {number} rule @returns {string | null} */
export function whyNotBinding(chainId, number, rule) {
  const outside = outsideReceipts(chainId);
  if (outside) return outside;
  if (rule === 0x0003 || rule === 0x0004) return "the logs of a block's own receipt stand outside the header's bloom";
  const from = BINDS.get(chainId);
  if (from === undefined) return "the blooms of this chain are not known to have every log";
  return number >= from ? null : "so old a header's bloom is not known to have every log";
}
