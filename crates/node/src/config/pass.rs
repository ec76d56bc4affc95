//! Configuration of the sale of passes.

use anyhow::{Context, bail};
use reqwest::Url;
use serde::{Deserialize, Serialize};
use superroot_types::Address;

use super::registry::{RegistryPlace, place};

/// Most facilitators.
const FACILITATORS_MAX: usize = 8;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PassConfig {
    /// Payee; empty: no passes are sold.
    pub(crate) pay_to: String,
    /// USDC, as `CHAIN=ADDRESS@BLOCK`.
    pub(crate) asset: String,
    /// Name and version in the token's EIP-712 domain.
    pub(crate) asset_name: String,
    pub(crate) asset_version: String,
    /// Addresses of facilitators, in the order in which they are asked.
    pub(crate) facilitators: Vec<String>,
}

/// Terms of passes.
#[derive(Clone, Debug)]
pub(crate) struct PassTerms {
    /// Token, from the block on from which transfers count.
    pub(crate) asset: RegistryPlace,
    pub(crate) pay_to: Address,
    pub(crate) facilitators: Vec<Url>,
}

impl PassConfig {
    pub(crate) fn check(&self, payment_chain_id: u64) -> anyhow::Result<()> {
        let Some(terms) = self.terms()? else { return Ok(()) };
        let id = terms.asset.chain.id;
        if id.0 != payment_chain_id {
            bail!(
                "pass.asset names chain {id}, and subscriptions are paid on {payment_chain_id} \
                 (plans.subscription.payment_chain_id)"
            );
        }
        let count = terms.facilitators.len();
        if count > FACILITATORS_MAX {
            bail!("pass.facilitators names {count}, expected at most {FACILITATORS_MAX}");
        }
        Ok(())
    }

    /// Terms; `None` if no passes are sold.
    pub(crate) fn terms(&self) -> anyhow::Result<Option<PassTerms>> {
        if self.pay_to.is_empty() {
            return Ok(None);
        }
        let pay_to: alloy_primitives::Address =
            self.pay_to.trim().parse().ok().with_context(|| {
                format!("pass.pay_to is {:?}, expected 0x and 40 hex digits", self.pay_to)
            })?;
        let asset = place(&self.asset).with_context(|| {
            format!(
                "pass.asset is {:?}, expected a chain id, the address of USDC and the block from which its transfers \
                 count: \"8453=0x..@12345678\"",
                self.asset
            )
        })?;
        let address = |text: &String| {
            let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
            url.with_context(|| {
                let expected = "https://facilitator.example";
                format!("pass.facilitators has {text:?}, expected an address such as {expected}")
            })
        };
        let facilitators = self.facilitators.iter().map(address).collect::<Result<_, _>>()?;
        Ok(Some(PassTerms { asset, pay_to: Address(pay_to.into_array()), facilitators }))
    }
}
