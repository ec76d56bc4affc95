//! Tokens of the made-up chain, and the index with its markets.

use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::Address;
use superroot_index::EventIndex;
use superroot_market::launch::{LaunchStage, Launching};
use superroot_market::{Bases, PoolView, Token, TokenBook, TokenFacts, TokenInspection};
use superroot_source::simulated;
use superroot_store::Store;
use superroot_store::feed::{Feed, Follower};
use superroot_types::{ChainKey, SystemClock, UnixSeconds};

/// Knows four tokens, and one more of the symbol of the first.
pub struct SomeTokens;

fn token(contract: superroot_types::Address, decimals: u8) -> Token {
    Token { address: Address::from(contract.0), decimals }
}

impl TokenBook for SomeTokens {
    fn bases(&self, _: ChainKey) -> Bases {
        let stables = vec![token(simulated::USDC, 6), token(simulated::DAI, 18)];
        Bases { stables, native: Some(token(simulated::WETH, 18)) }
    }

    fn is_known(&self, chain: ChainKey, token: Address) -> bool {
        self.known(chain, token).is_some()
    }

    fn known(&self, _: ChainKey, address: Address) -> Option<TokenFacts> {
        let facts = |symbol: &str, decimals| TokenFacts {
            symbol: Some(symbol.to_owned()),
            decimals,
            evidence: "configured",
            asked: None,
        };
        if address == Address::repeat_byte(1) {
            return Some(facts("NONE", None));
        }
        for (symbol, contract, decimals) in [
            ("USDC", simulated::USDC, 6),
            ("DAI", simulated::DAI, 18),
            ("WETH", simulated::WETH, 18),
            ("WBTC", simulated::WBTC, 8),
        ] {
            if address == Address::from(contract.0) {
                return Some(facts(symbol, Some(decimals)));
            }
        }
        None
    }

    fn ask(&self, chain: ChainKey, token: Address, _: Duration) -> Result<TokenFacts, String> {
        self.known(chain, token).ok_or_else(|| "no node was asked".to_owned())
    }

    fn inspect(
        &self,
        _: ChainKey,
        _: (Address, Address),
        _: UnixSeconds,
    ) -> Result<TokenInspection, String> {
        Err("nobody is asked".to_owned())
    }

    fn assets(&self, _: ChainKey) -> Vec<(String, Token)> {
        vec![
            ("weth".to_owned(), token(simulated::WETH, 18)),
            ("wbtc".to_owned(), token(simulated::WBTC, 8)),
        ]
    }

    fn named(&self, _: ChainKey, symbol: &str) -> Vec<Address> {
        match symbol {
            "weth" => vec![Address::from(simulated::WETH.0)],
            "USDC" => vec![Address::from(simulated::USDC.0), Address::repeat_byte(1)],
            _ => Vec::new(),
        }
    }
}

/// The index of events with the rows of pools.
pub fn index() -> EventIndex {
    EventIndex::with(Arc::from([Box::new(PoolView) as _]))
}

/// Settings under which the made-up chain has prices from its first seconds on.
pub fn config() -> superroot_market::MarketConfig {
    superroot_market::MarketConfig {
        covered_seconds_min: 0,
        ..superroot_market::MarketConfig::default()
    }
}

/// Finds launches of that chain.
pub fn launches(store: &Arc<dyn Store>, chain: ChainKey) -> Follower<LaunchStage> {
    let launching = Launching {
        slug: "ethereum".to_owned(),
        factories: Arc::new(superroot_dex::Factories::builtin().clone()),
        tokens: Arc::new(SomeTokens),
        clock: Arc::new(SystemClock),
        config: superroot_market::MarketConfig::default(),
    };
    Follower::new(store.clone(), Feed::Chain(chain), LaunchStage(launching))
}
