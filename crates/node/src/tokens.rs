//! What is known of tokens: those of simulated chains.

use std::sync::Arc;

use alloy_primitives::Address;
use superroot_api::Markets;
use superroot_market::{Bases, NoTokens, Token, TokenBook, TokenFacts};
use superroot_source::simulated;
use superroot_types::{ChainKey, Network};

use crate::config::Config;

/// What prices rest on in a network.
pub(crate) fn markets(config: &Config, network: Network) -> Markets {
    let tokens: Arc<dyn TokenBook> = match network {
        Network::Simulated => Arc::new(SimulatedTokens),
        _ => Arc::new(NoTokens),
    };
    Markets { tokens, config: config.market.clone(), ..Markets::default() }
}

/// The tokens of every simulated chain of the EVM family.
struct SimulatedTokens;

/// Symbol, contract, digits.
fn tokens() -> [(&'static str, Token); 4] {
    let token = |contract: superroot_types::Address, decimals| Token {
        address: Address::from(contract.0),
        decimals,
    };
    [
        ("USDC", token(simulated::USDC, 6)),
        ("DAI", token(simulated::DAI, 18)),
        ("WETH", token(simulated::WETH, 18)),
        ("WBTC", token(simulated::WBTC, 8)),
    ]
}

impl TokenBook for SimulatedTokens {
    fn bases(&self, _: ChainKey) -> Bases {
        let [(_, usdc), (_, dai), (_, weth), _] = tokens();
        Bases { stables: vec![usdc, dai], native: Some(weth) }
    }

    fn is_known(&self, _: ChainKey, token: Address) -> bool {
        tokens().iter().any(|(_, known)| known.address == token)
    }

    fn facts(&self, _: ChainKey, token: Address) -> Result<TokenFacts, String> {
        let known = tokens().into_iter().find(|(_, known)| known.address == token);
        let facts = |(symbol, known): (&str, Token)| TokenFacts {
            symbol: Some(symbol.to_owned()),
            decimals: Some(known.decimals),
            evidence: "configured",
        };
        // what is launched there has digits as most tokens, and no symbol but its address
        let launched = || TokenFacts {
            symbol: Some(format!("T{}", &format!("{token:x}")[..6])),
            decimals: Some(18),
            evidence: "simulated",
        };
        Ok(known.map_or_else(launched, facts))
    }

    fn named(&self, _: ChainKey, symbol: &str) -> Vec<Address> {
        let named = |(known, _): &(&str, Token)| known.eq_ignore_ascii_case(symbol);
        tokens().into_iter().filter(named).map(|(_, token)| token.address).collect()
    }
}
