//! Known facts about tokens, for pricing.

use std::time::Duration;

use alloy_primitives::Address;
use superroot_types::{BlockNumber, ChainKey, UnixSeconds};

use crate::{Bases, Token};

/// Known facts about a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenFacts {
    /// Sanitized symbol.
    pub symbol: Option<String>,
    /// Decimal places; `None` if the contract gives none.
    pub decimals: Option<u8>,
    /// Source of the facts: a wire code.
    pub evidence: &'static str,
    /// Agreeing nodes, and the block after which they were queried; `None` without a query.
    pub asked: Option<(Vec<String>, BlockNumber)>,
}

/// Share of a pool's own tokens given up, in hundredths of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockedShare {
    /// At the zero address or 0x..dead: forever.
    pub burned: u8,
    /// At one of the known [`lockers`](superroot_dex::lockers): until a date. `None` without known lockers on the
    /// chain.
    pub locked: Option<u8>,
}

/// Behaviour of a new token's contract, shown by a simulated trade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenInspection {
    /// Contract owner; zero: nobody. `None` if the contract does not say.
    pub owner: Option<Address>,
    /// Whether the code has a mint function; `None` if the code is elsewhere.
    pub is_mintable: Option<bool>,
    /// Loss on buying and on selling, in ten-thousandths; `None` if not tested.
    pub taxes: [Option<u16>; 2],
    /// Share of the pool's own tokens given up; `None` if the pool has none.
    pub given_up: Option<LockedShare>,
    /// Block after which the trade was simulated.
    pub block: BlockNumber,
}

/// Source of token facts.
pub trait TokenBook: Send + Sync {
    /// A chain's base tokens.
    fn bases(&self, chain: ChainKey) -> Bases;

    /// Whether a token is well known: a pool with a well-known token is no launch of this token.
    fn is_known(&self, chain: ChainKey, token: Address) -> bool;

    /// Known facts; `None` if nodes would have to be queried.
    fn known(&self, chain: ChainKey, token: Address) -> Option<TokenFacts>;

    /// Known facts, or else a node query with this timeout. Blocks.
    ///
    /// # Errors
    /// Reason why nothing is known, in words.
    fn ask(&self, chain: ChainKey, token: Address, wait: Duration) -> Result<TokenFacts, String>;

    /// Behaviour of a new token's contract, tested in its pool with the native coin; `of`: the token, and its pool.
    /// Unknown behaviour is queried in the background; a result that is old for the token's launch time is queried
    /// again.
    ///
    /// # Errors
    /// Reason why unknown, in words.
    fn inspect(
        &self,
        chain: ChainKey,
        of: (Address, Address),
        launched_at: UnixSeconds,
    ) -> Result<TokenInspection, String>;

    /// Known tokens of a chain that represent an asset, with the asset's name: the same on every chain.
    fn assets(&self, chain: ChainKey) -> Vec<(String, Token)>;

    /// Every listed token with this symbol, ignoring case. Queried tokens are not included: anyone may choose any
    /// symbol.
    fn named(&self, chain: ChainKey, symbol: &str) -> Vec<Address>;
}

/// Empty token book.
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
    ) -> Result<TokenInspection, String> {
        Err("nobody is asked".to_owned())
    }

    fn assets(&self, _: ChainKey) -> Vec<(String, Token)> {
        Vec::new()
    }

    fn named(&self, _: ChainKey, _: &str) -> Vec<Address> {
        Vec::new()
    }
}
