// @ts-check
// The words and further ids that name a chain, of crates/chain/chains.toml by scripts/words.mjs.

/** Family, id, and words. @type {[number, number, string[]][]} */
export const WORDS = [
  [0, 1, ["ethereum","eth","mainnet"]],
  [0, 10, ["optimism","op"]],
  [0, 56, ["bnb","bsc"]],
  [0, 100, ["gnosis","xdai"]],
  [0, 130, ["unichain"]],
  [0, 137, ["polygon","matic"]],
  [0, 143, ["monad"]],
  [0, 146, ["sonic"]],
  [0, 480, ["worldchain","world"]],
  [0, 999, ["hyperevm","hyperliquid"]],
  [0, 1868, ["soneium"]],
  [0, 8453, ["base"]],
  [0, 42161, ["arbitrum","arb"]],
  [0, 42220, ["celo"]],
  [0, 43114, ["avalanche","avax"]],
  [0, 57073, ["ink"]],
  [0, 59144, ["linea"]],
  [0, 167000, ["taiko"]],
  [0, 534352, ["scroll"]],
  [1, 21000000, ["bitcoin","20000000000001","8253038","btc"]],
  [2, 200, ["solana","1151111081099710","34268394551451","1399811149","7565164","sol"]],
  [3, 400, ["polkadot","dot"]],
  [4, 728126428, ["tron","100000026","trx"]],
  [5, 637, ["aptos","600","apt"]],
  [6, 784, ["sui","9270000000000000","103665049"]],
  [7, 223, ["icp"]],
  [8, 118, ["cosmoshub","atom","cosmos"]],
];
