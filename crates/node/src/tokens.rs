//! What prices rest on: tokens that are known.

use std::sync::Arc;

use alloy_primitives::Address;
use superroot_api::Markets;
use superroot_market::{Bases, Token, TokenBook, TokenFacts};
use superroot_token::Tokens;
use superroot_types::{ChainKey, Network};

use crate::chains;
use crate::config::Config;

/// What prices rest on in a network.
pub(crate) fn markets(config: &Config, network: Network) -> Markets {
    let tokens = Arc::new(KnownTokens { tokens: Tokens::builtin().clone(), network });
    Markets { tokens, config: config.market.clone(), ..Markets::default() }
}

/// Under which name the factories and tokens of a chain are listed; simulated chains have those of Ethereum.
pub(crate) fn market_name(chain: ChainKey, network: Network) -> Option<&'static str> {
    if network == Network::Simulated {
        return Some("ethereum");
    }
    chains::known().by_key(chain).map(|(_, row)| row.slug.as_str())
}

/// The tokens of a list.
struct KnownTokens {
    tokens: Tokens,
    network: Network,
}

impl KnownTokens {
    fn of(&self, chain: ChainKey, token: Address) -> Option<&superroot_token::Token> {
        self.tokens.at(market_name(chain, self.network)?, token)
    }
}

impl TokenBook for KnownTokens {
    fn bases(&self, chain: ChainKey) -> Bases {
        let Some(name) = market_name(chain, self.network) else { return Bases::default() };
        let token = |known: &superroot_token::Token| Token {
            address: known.address,
            decimals: known.decimals,
        };
        let native = self.tokens.wrapped_native(name).map(token);
        Bases { stables: self.tokens.stables(name).map(token).collect(), native }
    }

    fn is_known(&self, chain: ChainKey, token: Address) -> bool {
        self.of(chain, token).is_some()
    }

    fn facts(&self, chain: ChainKey, token: Address) -> Result<TokenFacts, String> {
        if let Some(known) = self.of(chain, token) {
            let (symbol, decimals) = (Some(known.symbol.clone()), Some(known.decimals));
            return Ok(TokenFacts { symbol, decimals, evidence: "configured" });
        }
        if self.network != Network::Simulated {
            return Err("it is not among the tokens that are configured".to_owned());
        }
        // what is launched on a simulated chain has digits as most tokens, and no symbol but its address
        let symbol = Some(format!("T{}", &format!("{token:x}")[..6]));
        Ok(TokenFacts { symbol, decimals: Some(18), evidence: "simulated" })
    }

    fn assets(&self, chain: ChainKey) -> Vec<(String, Token)> {
        let name = market_name(chain, self.network);
        let known = name.map_or(&[][..], |name| self.tokens.of_chain(name)).iter();
        let with_asset = known.filter_map(|known| {
            let token = Token { address: known.address, decimals: known.decimals };
            Some((known.asset.clone()?, token))
        });
        with_asset.collect()
    }

    fn named(&self, chain: ChainKey, symbol: &str) -> Vec<Address> {
        let name = market_name(chain, self.network);
        name.map(|name| self.tokens.find_symbol(name, symbol)).unwrap_or_default()
    }
}
