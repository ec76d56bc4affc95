use std::collections::BTreeMap;
use std::sync::LazyLock;

use alloy_primitives::Address;
use serde::Deserialize;

/// Built-in token list.
const BUILTIN: &str = include_str!("tokens.toml");
const SYMBOL_CHARS_MAX: usize = 32;
/// Most decimal places of a priced token.
pub const TOKEN_DECIMALS_MAX: u8 = 36;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Counted as one US dollar: configured, not proven.
    UsdStable,
    /// The chain's own coin, as a token.
    WrappedNative,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListedToken {
    pub address: Address,
    pub symbol: String,
    /// Decimal places, 0 to 36.
    pub decimals: u8,
    /// Represented asset, under the same word on every chain; `None` if unknown.
    #[serde(default)]
    pub asset: Option<String>,
    /// Roles on the chain.
    #[serde(default)]
    pub roles: Vec<Role>,
}

impl ListedToken {
    #[must_use]
    pub fn is(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfChain {
    tokens: Vec<ListedToken>,
}

/// Reason for an invalid token list.
#[derive(Debug, thiserror::Error)]
pub enum ParseTokensError {
    /// The text is not in the form of `tokens.toml`.
    #[error("tokens: {0}")]
    Form(String),
    /// A token is invalid.
    #[error("token {address} of {chain}: {why}")]
    Token { chain: String, address: Address, why: &'static str },
}

/// Well-known tokens by chain name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenList(BTreeMap<String, Vec<ListedToken>>);

impl TokenList {
    pub fn builtin() -> &'static Self {
        static TOKENS: LazyLock<TokenList> =
            LazyLock::new(|| TokenList::parse(BUILTIN).expect("a test reads them"));
        &TOKENS
    }

    /// Parses a list in the form of `tokens.toml`.
    ///
    /// # Errors
    /// [`ParseTokensError`] with the invalid token.
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

    /// Merges another list in the same form; the other list wins for a token in both.
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

    #[must_use]
    pub fn of_chain(&self, chain: &str) -> &[ListedToken] {
        self.0.get(chain).map_or(&[], Vec::as_slice)
    }

    /// Token of a chain by address.
    #[must_use]
    pub fn at(&self, chain: &str, address: Address) -> Option<&ListedToken> {
        self.of_chain(chain).iter().find(|token| token.address == address)
    }

    /// Tokens of a chain that count as one US dollar.
    pub fn stables(&self, chain: &str) -> impl Iterator<Item = &ListedToken> {
        self.of_chain(chain).iter().filter(|token| token.is(Role::UsdStable))
    }

    /// The chain's own coin, as a token.
    #[must_use]
    pub fn wrapped_native(&self, chain: &str) -> Option<&ListedToken> {
        self.of_chain(chain).iter().find(|token| token.is(Role::WrappedNative))
    }

    #[must_use]
    pub fn assets(&self) -> BTreeMap<&str, Vec<(&str, &ListedToken)>> {
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

    /// All tokens of a chain with a symbol, ignoring case; there may be several.
    #[must_use]
    pub fn find_symbol(&self, chain: &str, symbol: &str) -> Vec<Address> {
        let named = |token: &&ListedToken| token.symbol.eq_ignore_ascii_case(symbol);
        self.of_chain(chain).iter().filter(named).map(|token| token.address).collect()
    }

    pub fn chains(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

fn check(chain: &str, tokens: &[ListedToken]) -> Result<(), ParseTokensError> {
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
        } else if token.decimals > TOKEN_DECIMALS_MAX {
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
        let tokens = TokenList::builtin();
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
        let assets = TokenList::builtin().assets();
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
        let all = TokenList::builtin().with(&more).unwrap();
        assert_eq!(all.at("ethereum", address(usdc)).unwrap().decimals, 7);
        assert_eq!(all.find_symbol("ethereum", "Usdc").len(), 2, "none hides another");
        assert_eq!(all.stables("anvil").count(), 1);
        assert_eq!(all.of_chain("base"), TokenList::builtin().of_chain("base"));
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
        assert!(TokenList::parse(&list(&[row("A", 36, "")])).is_ok());
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
            assert!(TokenList::parse(&bad).is_err(), "{bad}");
        }
        let native = ", roles = [\"wrapped_native\"]";
        assert!(
            TokenList::builtin().with(&list(&[row("A", 18, native)])).is_err(),
            "two native coins"
        );
    }
}
