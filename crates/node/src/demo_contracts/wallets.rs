//! Accounts and contracts of the demo, and the settings for both.

use std::path::Path;

use alloy_primitives::Address;
use toml::Value;

use super::wallet::{CHAIN, DemoWallet};

/// Seconds between two publications to the anchor.
const ANCHOR_SECONDS: i64 = 10;

/// The demo's accounts.
pub(crate) struct DemoWallets {
    /// Deploys the contracts, has all roles and sends authorized transfers.
    pub(super) admin: DemoWallet,
    /// Pays for publications.
    pub(super) publisher: DemoWallet,
    /// Pays for usage checkpoints.
    pub(super) checkpoints: DemoWallet,
    /// Buys subscriptions.
    pub(super) customer: DemoWallet,
}

/// Addresses of the contracts, by the administrator's first nonces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DemoContracts {
    pub(crate) usdc: Address,
    pub(crate) registry: Address,
    pub(crate) anchor: Address,
    pub(crate) lens: Address,
}

impl DemoWallets {
    pub(crate) fn new() -> anyhow::Result<Self> {
        let wallet = |role: &str| DemoWallet::new(&format!("superroot demo {role}"));
        Ok(Self {
            admin: wallet("administrator")?,
            publisher: wallet("publisher")?,
            checkpoints: wallet("checkpoints")?,
            customer: wallet("customer")?,
        })
    }

    pub(super) fn all(&self) -> [&DemoWallet; 4] {
        [&self.admin, &self.publisher, &self.checkpoints, &self.customer]
    }

    pub(crate) fn contracts(&self) -> DemoContracts {
        let at = |nonce| self.admin.address().create(nonce);
        DemoContracts { usdc: at(0), registry: at(1), anchor: at(2), lens: at(3) }
    }

    /// Settings for the contracts; the key files are written.
    pub(crate) fn settings(&self, data: &Path) -> anyhow::Result<Vec<(&'static str, Value)>> {
        let text = |text: String| Value::String(text);
        let list = |item: Value| Value::Array(vec![item]);
        let number = |number: i64| Value::Integer(number);
        let chain = i64::try_from(CHAIN).unwrap_or(i64::MAX);
        let DemoContracts { usdc, registry, anchor, .. } = self.contracts();
        let publisher = self.publisher.write(&data.join("demo-publisher.key"))?;
        let checkpoints = self.checkpoints.write(&data.join("demo-checkpoints.key"))?;
        Ok(vec![
            ("plans.subscription.payment_chain_id", number(chain)),
            ("wallet.chain_ids", Value::Array(vec![number(chain), number(1)])),
            ("wallet.contract_chain_ids", Value::Array(Vec::new())),
            ("registry.contracts", list(text(format!("{CHAIN}={registry:#x}@0")))),
            ("registry.checkpoint_key_file", text(checkpoints)),
            ("pass.pay_to", text(format!("{:#x}", Address::repeat_byte(0x78)))),
            ("pass.asset_name", text("Test USDC without value".to_owned())),
            ("pass.asset", text(format!("{CHAIN}={usdc:#x}@0"))),
            ("anchor.contracts", list(text(format!("{CHAIN}={anchor:#x}")))),
            ("anchor.payer_key_file", text(publisher)),
            ("anchor.interval_seconds", number(ANCHOR_SECONDS)),
            ("sending.raise_after_seconds", number(10)),
        ])
    }
}

impl DemoContracts {
    pub(super) fn to_json(self) -> serde_json::Value {
        let Self { usdc, registry, anchor, lens } = self;
        serde_json::json!({
            "chain_id": CHAIN,
            "usdc": usdc,
            "registry": registry,
            "anchor": anchor,
            "lens": lens,
        })
    }
}
