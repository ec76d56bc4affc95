// @ts-check
// The chains of crates/chain/chains.toml, by scripts/chains.mjs.
/** @type {import("./proof.js").Chain[]} */
export const CHAINS = [
{"caip2":"eip155:1","family":0,"id":1,"name":"Ethereum","rules":[[0,1]]},
{"caip2":"eip155:10","family":0,"id":10,"name":"OP Mainnet","rules":[[0,1]]},
{"caip2":"eip155:56","family":0,"id":56,"name":"BNB Smart Chain","rules":[[0,1]]},
{"caip2":"eip155:100","family":0,"id":100,"name":"Gnosis","rules":[[0,2],[25349537,1]]},
{"caip2":"eip155:130","family":0,"id":130,"name":"Unichain","rules":[[0,1]]},
{"caip2":"eip155:137","family":0,"id":137,"name":"Polygon PoS","rules":[[0,1]]},
{"caip2":"eip155:143","family":0,"id":143,"name":"Monad","rules":[[0,1]]},
{"caip2":"eip155:146","family":0,"id":146,"name":"Sonic","rules":[[0,6]]},
{"caip2":"eip155:480","family":0,"id":480,"name":"World Chain","rules":[[0,1]]},
{"caip2":"eip155:999","family":0,"id":999,"name":"HyperEVM","rules":[[0,1]]},
{"caip2":"eip155:1868","family":0,"id":1868,"name":"Soneium","rules":[[0,1]]},
{"caip2":"eip155:8453","family":0,"id":8453,"name":"Base","rules":[[0,1]]},
{"caip2":"eip155:42161","family":0,"id":42161,"name":"Arbitrum One","rules":[[0,1]]},
{"caip2":"eip155:42220","family":0,"id":42220,"name":"Celo","rules":[[0,3],[21616000,4],[31056500,1]]},
{"caip2":"eip155:43114","family":0,"id":43114,"name":"Avalanche C","rules":[[0,5]]},
{"caip2":"eip155:57073","family":0,"id":57073,"name":"Ink","rules":[[0,1]]},
{"caip2":"eip155:59144","family":0,"id":59144,"name":"Linea","rules":[[0,1]]},
{"caip2":"eip155:167000","family":0,"id":167000,"name":"Taiko Alethia","rules":[[0,1]]},
{"caip2":"eip155:534352","family":0,"id":534352,"name":"Scroll","rules":[[0,1]]},
{"caip2":"bip122:000000000019d6689c085ae165831e93","family":1,"id":21000000,"name":"Bitcoin","rules":[[0,257]]},
{"caip2":"solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp","family":2,"id":200,"name":"Solana","rules":[[0,513],[418629925,514]]},
{"caip2":"polkadot:91b171bb158e2d3848fa23a9f1c25182","family":3,"id":400,"name":"Polkadot","rules":[[0,769]]},
{"caip2":"tron:0x2b6653dc","family":4,"id":728126428,"name":"Tron","rules":[[0,1025]]},
{"caip2":"aptos:1","family":5,"id":637,"name":"Aptos","rules":[[0,1281]]},
{"caip2":"sui:35834a8a","family":6,"id":784,"name":"Sui","rules":[[0,1537]]},
{"caip2":"icp:1","family":7,"id":223,"name":"ICP ledger","rules":[[0,1793]]},
{"caip2":"cosmos:cosmoshub-4","family":8,"id":118,"name":"Cosmos Hub","rules":[[5200791,2049]]}
];
