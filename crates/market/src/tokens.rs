//! What is known of tokens, for whoever prices them.

use alloy_primitives::Address;
use superroot_types::ChainKey;

use crate::{Bases, Token};

/// What is known of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenFacts {
    /// Its symbol, made harmless.
    pub symbol: Option<String>,
    /// Digits behind the point; `None` where it says none.
    pub decimals: Option<u8>,
    /// What that rests on: a word of the wire.
    pub evidence: &'static str,
}

/// Whoever knows tokens.
pub trait TokenBook: Send + Sync {
    /// The tokens through which others of that chain are priced.
    fn bases(&self, chain: ChainKey) -> Bases;

    /// Whether it is one of the tokens that everybody knows: a pool with it is no launch of it.
    fn is_known(&self, chain: ChainKey, token: Address) -> bool;

    /// What is known of a token; may ask nodes, for a bounded time.
    ///
    /// # Errors
    /// Why that is nothing, in words.
    fn facts(&self, chain: ChainKey, token: Address) -> Result<TokenFacts, String>;

    /// The known tokens of a chain that stand for something, with what that is: the same word on every chain.
    fn assets(&self, chain: ChainKey) -> Vec<(String, Token)>;

    /// Every known token of that symbol, whatever its case. Symbols are no identity: there may be many.
    fn named(&self, chain: ChainKey, symbol: &str) -> Vec<Address>;
}

/// Knows none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTokens;

impl TokenBook for NoTokens {
    fn bases(&self, _: ChainKey) -> Bases {
        Bases::default()
    }

    fn is_known(&self, _: ChainKey, _: Address) -> bool {
        false
    }

    fn facts(&self, _: ChainKey, _: Address) -> Result<TokenFacts, String> {
        Err("no tokens are known here".to_owned())
    }

    fn assets(&self, _: ChainKey) -> Vec<(String, Token)> {
        Vec::new()
    }

    fn named(&self, _: ChainKey, _: &str) -> Vec<Address> {
        Vec::new()
    }
}
