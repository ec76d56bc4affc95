//! Well-known tokens.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use alloy_primitives::Address;
use serde::Deserialize;

/// Those that this build knows.
const BUILTIN: &str = include_str!("tokens.toml");
/// Most characters of a symbol.
const SYMBOL_CHARS_MAX: usize = 32;
/// Most digits behind the point of a token that is priced.
pub(crate) const DECIMALS_MAX: u8 = 36;

/// What a token is to its chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// It is taken to be worth one US dollar: that is configured, not proven.
    UsdStable,
    /// It is the chain's own coin, as a token.
    WrappedNative,
}

/// A well-known token.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// Its contract.
    pub address: Address,
    /// Its symbol.
    pub symbol: String,
    /// Digits behind the point, 0 to 36.
    pub decimals: u8,
    /// What it stands for: the same word on every chain. `None` where that is not known.
    #[serde(default)]
    pub asset: Option<String>,
    /// What it is to its chain.
    #[serde(default)]
    pub roles: Vec<Role>,
}

impl Token {
    /// Whether it has that role.
    #[must_use]
    pub fn is(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfChain {
    tokens: Vec<Token>,
}

/// Why a list of tokens is none.
#[derive(Debug, thiserror::Error)]
pub enum ParseTokensError {
    /// It is not in the form of `tokens.toml`.
    #[error("tokens: {0}")]
    Form(String),
    /// A token that cannot be.
    #[error("token {address} of {chain}: {why}")]
    Token {
        /// Name of the chain.
        chain: String,
        /// The token.
        address: Address,
        /// What is wrong with it.
        why: &'static str,
    },
}

/// Well-known tokens, by the names of their chains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens(BTreeMap<String, Vec<Token>>);

impl Tokens {
    /// Those that this build knows.
    pub fn builtin() -> &'static Self {
        static TOKENS: LazyLock<Tokens> =
            LazyLock::new(|| Tokens::parse(BUILTIN).expect("a test reads them"));
        &TOKENS
    }

    /// Reads a list in the form of `tokens.toml`.
    ///
    /// # Errors
    /// [`ParseTokensError`] naming the token at fault.
    pub fn parse(text: &str) -> Result<Self, ParseTokensError> {
        let read: BTreeMap<String, OfChain> =
            toml::from_str(text).map_err(|why| ParseTokensError::Form(why.to_string()))?;
        let mut tokens = BTreeMap::new();
        for (chain, of_chain) in read {
            check(&chain, &of_chain.tokens)?;
            tokens.insert(chain, of_chain.tokens);
        }
        Ok(Self(tokens))
    }

    /// These and those of another list in the same form. Of a token that is in both, what the other list says holds.
    ///
    /// # Errors
    /// As [`Tokens::parse`].
    pub fn with(&self, more: &str) -> Result<Self, ParseTokensError> {
        let more = Self::parse(more)?;
        let mut all = self.clone();
        for (chain, tokens) in more.0 {
            let known = all.0.entry(chain.clone()).or_default();
            known.retain(|one| !tokens.iter().any(|token| token.address == one.address));
            known.extend(tokens);
            check(&chain, known)?;
        }
        Ok(all)
    }

    /// Those of a chain.
    #[must_use]
    pub fn of_chain(&self, chain: &str) -> &[Token] {
        self.0.get(chain).map_or(&[], Vec::as_slice)
    }

    /// The token of a chain at that address.
    #[must_use]
    pub fn at(&self, chain: &str, address: Address) -> Option<&Token> {
        self.of_chain(chain).iter().find(|token| token.address == address)
    }

    /// Those of a chain that are taken to be worth one US dollar.
    pub fn stables(&self, chain: &str) -> impl Iterator<Item = &Token> {
        self.of_chain(chain).iter().filter(|token| token.is(Role::UsdStable))
    }

    /// A chain's own coin, as a token.
    #[must_use]
    pub fn wrapped_native(&self, chain: &str) -> Option<&Token> {
        self.of_chain(chain).iter().find(|token| token.is(Role::WrappedNative))
    }

    /// Every asset, with the chains and tokens that stand for it.
    #[must_use]
    pub fn assets(&self) -> BTreeMap<&str, Vec<(&str, &Token)>> {
        let mut assets = BTreeMap::<&str, Vec<_>>::new();
        for (chain, tokens) in &self.0 {
            for token in tokens {
                if let Some(asset) = &token.asset {
                    assets.entry(asset).or_default().push((chain.as_str(), token));
                }
            }
        }
        assets
    }

    /// Every token of a chain with that symbol, whatever its case: there may be many.
    #[must_use]
    pub fn find_symbol(&self, chain: &str, symbol: &str) -> Vec<Address> {
        let named = |token: &&Token| token.symbol.eq_ignore_ascii_case(symbol);
        self.of_chain(chain).iter().filter(named).map(|token| token.address).collect()
    }

    /// Names of the chains of which tokens are known.
    pub fn chains(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// What must hold among the tokens of a chain.
fn check(chain: &str, tokens: &[Token]) -> Result<(), ParseTokensError> {
    let mut natives = 0;
    for (place, token) in tokens.iter().enumerate() {
        natives += usize::from(token.is(Role::WrappedNative));
        let is_plain = |text: &str| {
            (1..=SYMBOL_CHARS_MAX).contains(&text.chars().count())
                && superroot_types::plain(text) == text
        };
        let why = if !is_plain(&token.symbol)
            || token.asset.as_deref().is_some_and(|one| !is_plain(one))
        {
            "symbol and asset have 1 to 32 characters that are seen"
        } else if token.decimals > DECIMALS_MAX {
            "decimals are 0 to 36"
        } else if tokens.iter().take(place).any(|other| other.address == token.address) {
            "it is there twice"
        } else if natives > 1 {
            "another is the wrapped native coin already"
        } else {
            continue;
        };
        return Err(ParseTokensError::Token {
            chain: chain.to_owned(),
            address: token.address,
            why,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Address {
        text.parse().unwrap()
    }

    #[test]
    fn every_chain_with_tokens_has_a_stable_and_its_own_coin() {
        let tokens = Tokens::builtin();
        assert_eq!(tokens.chains().count(), 19);
        for chain in tokens.chains() {
            assert!(tokens.stables(chain).next().is_some(), "{chain}");
            assert!(tokens.wrapped_native(chain).is_some(), "{chain}");
        }
        let bnb = address("0x55d398326f99059ff775485246999027b3197955");
        assert_eq!(tokens.at("bnb", bnb).unwrap().decimals, 18);
        assert_eq!(tokens.find_symbol("bnb", "usdt"), [bnb]);
        assert!(tokens.of_chain("bitcoin").is_empty());
    }

    #[test]
    fn an_asset_has_the_same_name_on_every_chain() {
        let assets = Tokens::builtin().assets();
        let chains = |asset: &str| {
            let mut chains: Vec<&str> = assets[asset].iter().map(|(chain, _)| *chain).collect();
            chains.dedup();
            chains.len()
        };
        assert_eq!(chains("usdc"), 19);
        assert!(chains("weth") > 15 && chains("wbtc") > 8);
    }

    #[test]
    fn an_operators_list_adds_and_holds() {
        let usdc = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
        let more = format!(
            "[ethereum]\ntokens = [{{ symbol = \"USDC\", address = \"{usdc}\", decimals = 7 }},\n\
             {{ symbol = \"usdc\", address = \"0x{}\", decimals = 6 }}]\n\
             [anvil]\ntokens = [{{ symbol = \"T\", address = \"{usdc}\", decimals = 0, roles = [\"usd_stable\"] }}]",
            "11".repeat(20)
        );
        let all = Tokens::builtin().with(&more).unwrap();
        assert_eq!(all.at("ethereum", address(usdc)).unwrap().decimals, 7);
        assert_eq!(all.find_symbol("ethereum", "Usdc").len(), 2, "none hides another");
        assert_eq!(all.stables("anvil").count(), 1);
        assert_eq!(all.of_chain("base"), Tokens::builtin().of_chain("base"));
    }

    #[test]
    fn tokens_that_cannot_be_are_refused() {
        let row = |symbol: &str, decimals: u8, more: &str| {
            let address = "11".repeat(20);
            format!(
                "{{ symbol = \"{symbol}\", address = \"0x{address}\", decimals = {decimals}{more} }}"
            )
        };
        let list = |rows: &[String]| format!("[base]\ntokens = [{}]", rows.join(","));
        assert!(Tokens::parse(&list(&[row("A", 36, "")])).is_ok());
        for bad in [
            list(&[row("", 6, "")]),
            list(&[row(&"A".repeat(33), 6, "")]),
            list(&[row("A\u{202e}B", 6, "")]),
            list(&[row("A", 37, "")]),
            list(&[row("A", 6, ", colour = 1")]),
            list(&[row("A", 6, ", roles = [\"gold\"]")]),
            list(&[row("A", 6, ""), row("B", 6, "")]),
            "[base]\ncoins = []".to_owned(),
        ] {
            assert!(Tokens::parse(&bad).is_err(), "{bad}");
        }
        let native = ", roles = [\"wrapped_native\"]";
        assert!(
            Tokens::builtin().with(&list(&[row("A", 18, native)])).is_err(),
            "two native coins"
        );
    }
}
