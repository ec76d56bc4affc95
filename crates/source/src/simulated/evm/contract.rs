//! Contracts of a simulated chain: addresses, calls and logs of ERC-20 tokens and Uniswap v2.
//!
//! Well-known contracts have mainnet addresses, so readers for Ethereum work here too. Sources: EIP-20, Uniswap v2-core
//! and v2-periphery.

use alloy_primitives::{Bytes, U256};
use superroot_chain::ledger::evm::raw::RawLog;
use superroot_proof::hash::{keccak256, keccak256_joined};
use superroot_types::{Address, Hash};

macro_rules! address {
    ($text:literal) => {
        Address(alloy_primitives::address!($text).0.0)
    };
}

/// Wrapped ether, 18 decimals.
pub const WETH: Address = address!("C02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2");
/// USD Coin, 6 decimals.
pub const USDC: Address = address!("A0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48");
/// Dai, 18 decimals.
pub const DAI: Address = address!("6B175474E89094C44Da98b954EedeAC495271d0F");
/// Wrapped bitcoin, 8 decimals.
pub const WBTC: Address = address!("2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599");
/// Uniswap v2 factory.
pub const FACTORY: Address = address!("5C69bEe701ef814a2B6a3EDD4B1652CB9cc5aA6f");
/// Uniswap v2 router.
pub const ROUTER: Address = address!("7a250d5630B4cF539739dF2C5dAcb4c659F2488D");

/// Init code hash of a pair (v2-periphery, `UniswapV2Library.pairFor`).
const PAIR_INIT_CODE_HASH: Hash = Hash(
    alloy_primitives::b256!("96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f").0,
);

/// Pair address for two tokens (EIP-1014); `token0` is the lower address.
#[must_use]
pub fn pair_address(token0: Address, token1: Address) -> Address {
    let salt = keccak256_joined(&[&token0.0, &token1.0]);
    low_20(&keccak256_joined(&[&[0xff], &FACTORY.0, &salt.0, &PAIR_INIT_CODE_HASH.0]))
}

pub(super) fn low_20(hash: &Hash) -> Address {
    let [_, _, _, _, _, _, _, _, _, _, _, _, address @ ..] = hash.0;
    Address(address)
}

/// Call or log argument: a 32-byte word.
pub(super) trait AbiWord {
    fn word(&self) -> [u8; 32];
}

impl AbiWord for U256 {
    fn word(&self) -> [u8; 32] {
        self.to_be_bytes()
    }
}

impl AbiWord for [u8; 32] {
    fn word(&self) -> [u8; 32] {
        *self
    }
}

impl AbiWord for u64 {
    fn word(&self) -> [u8; 32] {
        U256::from(*self).to_be_bytes()
    }
}

impl AbiWord for Address {
    fn word(&self) -> [u8; 32] {
        let mut word = [0; 32];
        word[12..].copy_from_slice(&self.0);
        word
    }
}

/// Call data: function selector, then words.
pub(super) fn call(function: &str, words: &[&dyn AbiWord]) -> Vec<u8> {
    let selector = keccak256(function.as_bytes());
    selector.0[..4].iter().copied().chain(words.iter().flat_map(|word| word.word())).collect()
}

pub(super) fn log(
    address: Address,
    event: &str,
    indexed: &[&dyn AbiWord],
    data: &[&dyn AbiWord],
) -> RawLog {
    let topics = indexed.iter().map(|word| Hash(word.word()));
    RawLog {
        address,
        topics: std::iter::once(keccak256(event.as_bytes())).chain(topics).collect(),
        data: data.iter().flat_map(|word| word.word()).collect::<Vec<u8>>().into(),
        removed: Some(false),
        ..RawLog::default()
    }
}

pub(super) fn transfer(token: Address, from: Address, to: Address, amount: U256) -> RawLog {
    log(token, "Transfer(address,address,uint256)", &[&from, &to], &[&amount])
}

pub(super) fn sync(pair: Address, reserves: [U256; 2]) -> RawLog {
    log(pair, "Sync(uint112,uint112)", &[], &[&reserves[0], &reserves[1]])
}

/// `Swap` of a pair through the router.
pub(super) fn swap(pair: Address, to: Address, paid: [U256; 2], got: [U256; 2]) -> RawLog {
    let event = "Swap(address,uint256,uint256,uint256,uint256,address)";
    log(pair, event, &[&ROUTER, &to], &[&paid[0], &paid[1], &got[0], &got[1]])
}

/// `Mint` of a pair through the router.
pub(super) fn mint(pair: Address, amounts: [U256; 2]) -> RawLog {
    log(pair, "Mint(address,uint256,uint256)", &[&ROUTER], &[&amounts[0], &amounts[1]])
}

/// `PairCreated` of the factory; `pair_count` includes the new pair.
pub(super) fn pair_created(tokens: [Address; 2], pair: Address, pair_count: u64) -> RawLog {
    let event = "PairCreated(address,address,address,uint256)";
    log(FACTORY, event, &[&tokens[0], &tokens[1]], &[&pair, &pair_count])
}

/// Call data for a token's `transfer`.
pub(super) fn transfer_call(to: Address, amount: U256) -> Bytes {
    call("transfer(address,uint256)", &[&to, &amount]).into()
}

/// Call data for the router's `swapExactTokensForTokens` over a single pair.
pub(super) fn swap_call(amount: U256, path: [Address; 2], to: Address, deadline: u64) -> Bytes {
    let function = "swapExactTokensForTokens(uint256,uint256,address[],address,uint256)";
    let least = U256::ZERO;
    let path_offset = 5 * 32_u64;
    let words: [&dyn AbiWord; 8] =
        [&amount, &least, &path_offset, &to, &deadline, &2_u64, &path[0], &path[1]];
    call(function, &words).into()
}

/// Call data for the router's `addLiquidity`.
pub(super) fn add_liquidity_call(
    tokens: [Address; 2],
    amounts: [U256; 2],
    to: Address,
    deadline: u64,
) -> Bytes {
    let function = "addLiquidity(address,address,uint256,uint256,uint256,uint256,address,uint256)";
    let [a, b] = &amounts;
    call(function, &[&tokens[0], &tokens[1], a, b, a, b, &to, &deadline]).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs that exist on mainnet under these addresses.
    #[test]
    fn pairs_have_their_mainnet_addresses() {
        assert_eq!(pair_address(USDC, WETH), address!("B4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc"));
        assert_eq!(pair_address(DAI, WETH), address!("A478c2975Ab1Ea89e8196811F51A7B7Ade33eB11"));
        assert_eq!(pair_address(WBTC, WETH), address!("Bb2b8038a1640196FbE3e38816F3e67Cba72D940"));
    }
}
