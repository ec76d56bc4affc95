//! Price sources: factories and known tokens.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::Address;
use anyhow::Context;
use superroot_account::wallet::ContractCaller;
use superroot_api::Markets;
use superroot_dex::{Factories, ListedToken, TokenList};
use superroot_market::{Bases, LockedShare, Token, TokenBook, TokenFacts, TokenInspection};
use superroot_store::Store;
use superroot_token::{TokenDirectory, TokenRecord, TradePool};
use superroot_types::{ChainKey, Network, SystemClock, UnixSeconds};

use crate::chains;
use crate::config::ServiceConfig;

/// Price sources in a network. An invalid factory or token list is an error.
pub(crate) fn markets(
    config: &ServiceConfig,
    network: Network,
    store: Arc<dyn Store>,
    nodes: Arc<dyn ContractCaller>,
) -> anyhow::Result<Markets> {
    let market = &config.market;
    let factories = Factories::builtin();
    let factories = with(&market.factories, |more| factories.with(more))?;
    let tokens = with(&market.tokens, |more| TokenList::builtin().with(more))?;
    let book = TokenDirectory::new(store, nodes, Arc::new(SystemClock));
    let tokens = Arc::new(KnownTokens { tokens, book, network });
    Ok(Markets { factories: Arc::new(factories), tokens, config: market.clone() })
}

/// Built-in list, extended by the operator's file, if configured.
fn with<T, E: std::error::Error + Send + Sync + 'static>(
    file: &Path,
    read: impl FnOnce(&str) -> Result<T, E>,
) -> anyhow::Result<T> {
    let is_named = !file.as_os_str().is_empty();
    let text = is_named.then(|| std::fs::read_to_string(file)).transpose();
    let text = text.with_context(|| format!("cannot read {}", file.display()))?.unwrap_or_default();
    read(&text).with_context(|| format!("{} cannot be taken", file.display()))
}

/// Chain name in the factory and token lists. Simulated chains use Ethereum's.
pub(crate) fn market_name(chain: ChainKey, network: Network) -> Option<&'static str> {
    if network == Network::Simulated {
        return Some("ethereum");
    }
    chains::known().by_key(chain).map(|(_, row)| row.slug.as_str())
}

/// Token facts as stated by the token. One node alone is no quorum.
fn said(known: TokenRecord) -> TokenFacts {
    let TokenRecord { metadata, nodes, block } = known;
    let evidence = if nodes.len() > 1 { "node_quorum" } else { "one_node" };
    let symbol = metadata.symbol;
    let decimals = metadata.decimals;
    TokenFacts { symbol, decimals, evidence, asked: Some((nodes, block)) }
}

/// Listed tokens, and facts stated by other tokens.
struct KnownTokens {
    tokens: TokenList,
    book: TokenDirectory,
    network: Network,
}

impl KnownTokens {
    fn of(&self, chain: ChainKey, token: Address) -> Option<&ListedToken> {
        self.tokens.at(market_name(chain, self.network)?, token)
    }
}

impl TokenBook for KnownTokens {
    fn bases(&self, chain: ChainKey) -> Bases {
        let Some(name) = market_name(chain, self.network) else { return Bases::default() };
        let token =
            |known: &ListedToken| Token { address: known.address, decimals: known.decimals };
        let native = self.tokens.wrapped_native(name).map(token);
        Bases { stables: self.tokens.stables(name).map(token).collect(), native }
    }

    fn is_known(&self, chain: ChainKey, token: Address) -> bool {
        self.of(chain, token).is_some()
    }

    fn known(&self, chain: ChainKey, token: Address) -> Option<TokenFacts> {
        if let Some(known) = self.of(chain, token) {
            let symbol = Some(known.symbol.clone());
            let decimals = Some(known.decimals);
            return Some(TokenFacts { symbol, decimals, evidence: "configured", asked: None });
        }
        if self.network != Network::Simulated {
            // what cannot be read was logged
            return self.book.known(chain, token).ok()?.map(said);
        }
        // what is launched on a simulated chain has digits as most tokens, and no symbol but its address
        let symbol = Some(format!("T{}", &format!("{token:x}")[..6]));
        Some(TokenFacts { symbol, decimals: Some(18), evidence: "simulated", asked: None })
    }

    fn ask(&self, chain: ChainKey, token: Address, wait: Duration) -> Result<TokenFacts, String> {
        if let Some(known) = self.known(chain, token) {
            return Ok(known);
        }
        self.book.get(chain, token, wait).map(said).map_err(|why| why.to_string())
    }

    fn inspect(
        &self,
        chain: ChainKey,
        (token, pair): (Address, Address),
        launched_at: UnixSeconds,
    ) -> Result<TokenInspection, String> {
        if self.network == Network::Simulated {
            return Err("no node executes calls on a simulated chain".to_owned());
        }
        let base = self.bases(chain).native.ok_or("its chain has no known wrapped coin")?.address;
        let lockers = market_name(chain, self.network).map_or(&[][..], superroot_dex::lockers);
        let inspected =
            self.book.inspected(chain, &TradePool { token, base, pair, lockers }, launched_at);
        let superroot_token::InspectionRow { found, block, .. } =
            inspected.map_err(|why| why.to_string())?;
        let owner = found.owner;
        let is_mintable = found.is_mintable;
        let taxes = [found.buy_tax, found.sell_tax];
        let percent = |part: u16| u8::try_from(part / 100).unwrap_or(100);
        let locked = found.locked.filter(|_| !lockers.is_empty()).map(percent);
        let given_up = found.burned.map(|burned| LockedShare { burned: percent(burned), locked });
        Ok(TokenInspection { owner, is_mintable, taxes, given_up, block })
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
