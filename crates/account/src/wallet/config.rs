use serde::{Deserialize, Serialize};
use superroot_types::{ChainId, OutOfBounds, SAFE_INTEGER_MAX};

use crate::AccountError;

/// Settings of wallet proofs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WalletConfig {
    /// The service's public host, with port if not the default: wallets warn about messages shown by another site.
    pub domain: String,
    /// URI of the service for the sign-in.
    pub uri: String,
    /// Sentence shown by the wallet: 1 to 200 printable ASCII characters.
    pub statement: String,
    /// Chains allowed in a message, 1 to 16; the first is the default.
    pub chain_ids: Vec<u64>,
    /// Subset of the chains on which contract wallets are accepted: the chains of payments.
    pub contract_chain_ids: Vec<u64>,
    /// Time to sign, in seconds: 30 to 86,400.
    pub lifetime_seconds: u64,
    /// Most concurrent node queries, each with a thread: 1 to 64.
    pub contract_checks_at_once_max: usize,
}

impl Default for WalletConfig {
    fn default() -> Self {
        Self {
            domain: "localhost".into(),
            uri: "http://localhost/api/v1/register".into(),
            statement: "Prove that this wallet is yours. This sends no transaction.".into(),
            chain_ids: vec![8_453],
            contract_chain_ids: vec![8_453],
            lifetime_seconds: 600,
            contract_checks_at_once_max: 8,
        }
    }
}

fn refuse<T>(field: &'static str, got: &str, expected: &str) -> Result<T, AccountError> {
    Err(AccountError::Config { field, got: got.to_owned(), expected: expected.to_owned() })
}

impl WalletConfig {
    /// Checks figures and chains; `message` checks the names.
    pub(super) fn check_figures(&self) -> Result<(), AccountError> {
        let is_printable = |byte: u8| (b' '..=b'~').contains(&byte);
        let statement = &self.statement;
        if statement.is_empty() || statement.len() > 200 || !statement.bytes().all(is_printable) {
            let expected = "1 to 200 printable ASCII characters";
            return refuse("wallet.statement", statement, expected);
        }
        self.validate_chains()?;
        let checks = self.contract_checks_at_once_max as u64;
        OutOfBounds::check([
            ("wallet.lifetime_seconds", self.lifetime_seconds, 30..=86_400),
            ("wallet.contract_checks_at_once_max", checks, 1..=64),
        ])?;
        Ok(())
    }

    fn validate_chains(&self) -> Result<(), AccountError> {
        let chains = &self.chain_ids;
        let field = "wallet.chain_ids";
        let is_id = |id: &u64| (1..=SAFE_INTEGER_MAX).contains(id);
        if chains.is_empty() || chains.len() > 16 || !chains.iter().all(is_id) {
            return refuse(field, &format!("{chains:?}"), "1 to 16 chain ids");
        }
        let unknown = self.contract_chain_ids.iter().find(|id| !chains.contains(id));
        unknown.map_or(Ok(()), |id| {
            let expected = "chains of wallet.chain_ids";
            refuse("wallet.contract_chain_ids", &id.to_string(), expected)
        })
    }

    /// Requested chain, if allowed; without a request the first.
    pub(crate) fn chain(&self, asked: Option<ChainId>) -> Result<ChainId, AccountError> {
        let first = || self.chain_ids.first().copied().map(ChainId);
        let chain = asked.or_else(first).filter(|chain| self.chain_ids.contains(&chain.0));
        chain.ok_or(AccountError::Message { why: "wallets of that chain cannot be proven here" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_pass_and_what_cannot_be_is_named() {
        let good = WalletConfig::default();
        good.validate().unwrap();
        for (bad, name) in [
            (WalletConfig { domain: String::new(), ..good.clone() }, "wallet.domain"),
            (WalletConfig { domain: "a b".into(), ..good.clone() }, "wallet.domain"),
            (WalletConfig { domain: "https://a".into(), ..good.clone() }, "wallet.domain"),
            (WalletConfig { domain: "a@b".into(), ..good.clone() }, "wallet.domain"),
            (WalletConfig { uri: "no uri".into(), ..good.clone() }, "wallet.uri"),
            (
                WalletConfig { uri: format!("http://{}", "a".repeat(300)), ..good.clone() },
                "wallet.uri",
            ),
            (WalletConfig { statement: String::new(), ..good.clone() }, "wallet.statement"),
            (WalletConfig { statement: "two\nlines".into(), ..good.clone() }, "wallet.statement"),
            (WalletConfig { statement: "é".into(), ..good.clone() }, "wallet.statement"),
            (WalletConfig { chain_ids: vec![], ..good.clone() }, "wallet.chain_ids"),
            (WalletConfig { chain_ids: vec![0], ..good.clone() }, "wallet.chain_ids"),
            (WalletConfig { chain_ids: vec![u64::MAX], ..good.clone() }, "wallet.chain_ids"),
            (
                WalletConfig { contract_chain_ids: vec![1], ..good.clone() },
                "wallet.contract_chain_ids",
            ),
            (WalletConfig { lifetime_seconds: 29, ..good.clone() }, "wallet.lifetime_seconds"),
            (
                WalletConfig { contract_checks_at_once_max: 65, ..good.clone() },
                "wallet.contract_checks_at_once_max",
            ),
        ] {
            let text = bad.validate().unwrap_err().to_string();
            assert!(text.starts_with(name), "{text}");
        }
    }

    #[test]
    fn a_chain_that_is_not_named_is_refused_and_the_first_is_the_default() {
        let config = WalletConfig { chain_ids: vec![8_453, 1], ..WalletConfig::default() };
        assert_eq!(config.chain(None).unwrap(), ChainId(8_453));
        assert_eq!(config.chain(Some(ChainId(1))).unwrap(), ChainId(1));
        assert!(matches!(config.chain(Some(ChainId(2))), Err(AccountError::Message { .. })));
    }
}
