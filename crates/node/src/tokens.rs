//! What prices rest on: factories, and tokens that are known.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::Address;
use anyhow::Context;
use superroot_account::wallet::ContractCaller;
use superroot_api::Markets;
use superroot_dex::Factories;
use superroot_market::{Bases, Token, TokenBook, TokenFacts};
use superroot_store::Store;
use superroot_token::{Book, Tokens};
use superroot_types::{ChainKey, Network, SystemClock};

use crate::chains;
use crate::config::Config;

/// How long who asks for a price waits for a token that has to be asked about.
const WAIT: Duration = Duration::from_secs(3);

/// What prices rest on in a network.
///
/// # Errors
/// A list of factories or tokens that is none.
pub(crate) fn markets(
    config: &Config,
    network: Network,
    store: Arc<dyn Store>,
    nodes: Arc<dyn ContractCaller>,
) -> anyhow::Result<Markets> {
    let market = &config.market;
    let factories = Factories::builtin();
    let factories = with(&market.factories, |more| factories.with(more))?;
    let tokens = with(&market.tokens, |more| Tokens::builtin().with(more))?;
    let book = Book::new(store, nodes, Arc::new(SystemClock));
    let tokens = Arc::new(KnownTokens { tokens, book, network });
    Ok(Markets { factories: Arc::new(factories), tokens, config: market.clone() })
}

/// What is built in, with an operator's file where one is named.
fn with<T, E: std::error::Error + Send + Sync + 'static>(
    file: &Path,
    read: impl FnOnce(&str) -> Result<T, E>,
) -> anyhow::Result<T> {
    let is_named = !file.as_os_str().is_empty();
    let text = is_named.then(|| std::fs::read_to_string(file)).transpose();
    let text = text.with_context(|| format!("cannot read {}", file.display()))?.unwrap_or_default();
    read(&text).with_context(|| format!("{} cannot be taken", file.display()))
}

/// Under which name the factories and tokens of a chain are listed; simulated chains have those of Ethereum.
pub(crate) fn market_name(chain: ChainKey, network: Network) -> Option<&'static str> {
    if network == Network::Simulated {
        return Some("ethereum");
    }
    chains::known().by_key(chain).map(|(_, row)| row.slug.as_str())
}

/// The tokens of a list, and what others say of themselves.
struct KnownTokens {
    tokens: Tokens,
    book: Book,
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
            let said = self.book.get(chain, token, WAIT).map_err(|why| why.to_string())?;
            let (symbol, decimals) = (said.symbol, said.decimals);
            return Ok(TokenFacts { symbol, decimals, evidence: "node_quorum" });
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
        let mut named = name.map(|name| self.tokens.find_symbol(name, symbol)).unwrap_or_default();
        // what cannot be read was logged; those that are configured are found all the same
        let asked = self.book.find_symbol(chain, symbol).unwrap_or_default();
        named.extend(asked.into_iter().filter(|token| self.of(chain, *token).is_none()));
        named
    }
}
