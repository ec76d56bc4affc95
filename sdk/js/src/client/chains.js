// @ts-check
// Written by scripts/chains.mjs from crates/chain/chains.toml. Do not edit.

/** A chain with the words that name it. `aliases`: further ids and words.
 * @typedef {import("../verify/srproof.js").Chain & { slug: string, aliases: (string | number)[] }} NamedChain */

/** The chains that this library knows, in the order of a log's rows. @type {NamedChain[]} */
export const CHAINS = [
  {"family":0,"id":1,"name":"Ethereum","slug":"ethereum","caip2":"eip155:1","aliases":["eth","mainnet"],"rules":[[0,1]]},
  {"family":0,"id":10,"name":"OP Mainnet","slug":"optimism","caip2":"eip155:10","aliases":["op"],"rules":[[0,1]]},
  {"family":0,"id":56,"name":"BNB Smart Chain","slug":"bnb","caip2":"eip155:56","aliases":["bsc"],"rules":[[0,1]]},
  {"family":0,"id":100,"name":"Gnosis","slug":"gnosis","caip2":"eip155:100","aliases":["xdai"],"rules":[[0,2],[25349537,1]]},
  {"family":0,"id":130,"name":"Unichain","slug":"unichain","caip2":"eip155:130","aliases":[],"rules":[[0,1]]},
  {"family":0,"id":137,"name":"Polygon PoS","slug":"polygon","caip2":"eip155:137","aliases":["matic"],"rules":[[0,1]]},
  {"family":0,"id":143,"name":"Monad","slug":"monad","caip2":"eip155:143","aliases":[],"rules":[[0,1]]},
  {"family":0,"id":146,"name":"Sonic","slug":"sonic","caip2":"eip155:146","aliases":[],"rules":[[0,6]]},
  {"family":0,"id":480,"name":"World Chain","slug":"worldchain","caip2":"eip155:480","aliases":["world"],"rules":[[0,1]]},
  {"family":0,"id":999,"name":"HyperEVM","slug":"hyperevm","caip2":"eip155:999","aliases":["hyperliquid"],"rules":[[0,1]]},
  {"family":0,"id":1868,"name":"Soneium","slug":"soneium","caip2":"eip155:1868","aliases":[],"rules":[[0,1]]},
  {"family":0,"id":8453,"name":"Base","slug":"base","caip2":"eip155:8453","aliases":[],"rules":[[0,1]]},
  {"family":0,"id":42161,"name":"Arbitrum One","slug":"arbitrum","caip2":"eip155:42161","aliases":["arb"],"rules":[[0,1]]},
  {"family":0,"id":42220,"name":"Celo","slug":"celo","caip2":"eip155:42220","aliases":[],"rules":[[0,3],[21616000,4],[31056500,1]]},
  {"family":0,"id":43114,"name":"Avalanche C","slug":"avalanche","caip2":"eip155:43114","aliases":["avax"],"rules":[[0,5]]},
  {"family":0,"id":57073,"name":"Ink","slug":"ink","caip2":"eip155:57073","aliases":[],"rules":[[0,1]]},
  {"family":0,"id":59144,"name":"Linea","slug":"linea","caip2":"eip155:59144","aliases":[],"rules":[[0,1]]},
  {"family":0,"id":167000,"name":"Taiko Alethia","slug":"taiko","caip2":"eip155:167000","aliases":[],"rules":[[0,1]]},
  {"family":0,"id":534352,"name":"Scroll","slug":"scroll","caip2":"eip155:534352","aliases":[],"rules":[[0,1]]},
  {"family":1,"id":21000000,"name":"Bitcoin","slug":"bitcoin","caip2":"bip122:000000000019d6689c085ae165831e93","aliases":[20000000000001,8253038,"btc"],"rules":[[0,257]]},
  {"family":2,"id":200,"name":"Solana","slug":"solana","caip2":"solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp","aliases":[1151111081099710,34268394551451,1399811149,7565164,"sol"],"rules":[[0,513],[418629925,514]]},
  {"family":3,"id":400,"name":"Polkadot","slug":"polkadot","caip2":"polkadot:91b171bb158e2d3848fa23a9f1c25182","aliases":["dot"],"rules":[[0,769]]},
  {"family":4,"id":728126428,"name":"Tron","slug":"tron","caip2":"tron:0x2b6653dc","aliases":[100000026,"trx"],"rules":[[0,1025]]},
  {"family":5,"id":637,"name":"Aptos","slug":"aptos","caip2":"aptos:1","aliases":[600,"apt"],"rules":[[0,1281]]},
  {"family":6,"id":784,"name":"Sui","slug":"sui","caip2":"sui:35834a8a","aliases":["9270000000000000",103665049],"rules":[[0,1537]]},
  {"family":7,"id":223,"name":"ICP ledger","slug":"icp","caip2":"icp:1","aliases":[],"rules":[[0,1793]]},
  {"family":8,"id":118,"name":"Cosmos Hub","slug":"cosmoshub","caip2":"cosmos:cosmoshub-4","aliases":["atom","cosmos"],"rules":[[5200791,2049]]},
];
