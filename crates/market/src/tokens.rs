//! What is known of tokens, for whoever prices them.

use std::time::Duration;

use alloy_primitives::Address;
use superroot_types::{BlockNumber, ChainKey, UnixSeconds};

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
    /// The nodes that agree on it, and the block after which they were asked; `None` where none was asked.
    pub asked: Option<(Vec<String>, BlockNumber)>,
}

/// Where a pool's own tokens lie, in hundredths of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenUp {
    /// With the zero address or 0x..dead: for ever.
    pub burned: u8,
    /// With one of the known [`lockers`](superroot_dex::lockers): until some day. `None` where none is known on the chain.
    pub locked: Option<u8>,
}

/// What a new token's contract does, as a trade showed that nobody made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspected {
    /// Who owns the contract; zero: nobody. `None` where it does not say.
    pub owner: Option<Address>,
    /// Whether its code has a function that makes more of it; `None` where its code is elsewhere.
    pub is_mintable: Option<bool>,
    /// Lost when it is bought and when it is sold, in ten-thousandths; `None` where that could not be tried.
    pub taxes: [Option<u16>; 2],
    /// What became of its pool's own tokens; `None` where the pool has none.
    pub given_up: Option<GivenUp>,
    /// The block after which that was tried.
    pub block: BlockNumber,
}

/// Whoever knows tokens.
pub trait TokenBook: Send + Sync {
    /// The tokens through which others of that chain are priced.
    fn bases(&self, chain: ChainKey) -> Bases;

    /// Whether it is one of the tokens that everybody knows: a pool with it is no launch of it.
    fn is_known(&self, chain: ChainKey, token: Address) -> bool;

    /// What is known of a token; `None` where it would have to be asked.
    fn known(&self, chain: ChainKey, token: Address) -> Option<TokenFacts>;

    /// What is known of a token. Where that is nothing its nodes are asked, and waited for as long as given. Blocks.
    ///
    /// # Errors
    /// Why that is nothing, in words.
    fn ask(&self, chain: ChainKey, token: Address, wait: Duration) -> Result<TokenFacts, String>;

    /// What the contract of a new token does, tried on its pool with the chain's own coin; `of`: the token, and its pool. Where
    /// that is not known yet it is asked, and nobody waits; where it is old, for a token launched then, it is asked again.
    ///
    /// # Errors
    /// Why it is not known, in words.
    fn inspect(
        &self,
        chain: ChainKey,
        of: (Address, Address),
        launched_at: UnixSeconds,
    ) -> Result<Inspected, String>;

    /// The known tokens of a chain that stand for something, with what that is: the same word on every chain.
    fn assets(&self, chain: ChainKey) -> Vec<(String, Token)>;

    /// Every token of a list that has that symbol, whatever its case. Those that were asked are not among them: anybody may
    /// give a token any symbol.
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

    fn known(&self, _: ChainKey, _: Address) -> Option<TokenFacts> {
        None
    }

    fn ask(&self, _: ChainKey, _: Address, _: Duration) -> Result<TokenFacts, String> {
        Err("no tokens are known here".to_owned())
    }

    fn inspect(
        &self,
        _: ChainKey,
        _: (Address, Address),
        _: UnixSeconds,
    ) -> Result<Inspected, String> {
        Err("nobody is asked".to_owned())
    }

    fn assets(&self, _: ChainKey) -> Vec<(String, Token)> {
        Vec::new()
    }

    fn named(&self, _: ChainKey, _: &str) -> Vec<Address> {
        Vec::new()
    }
}
