//! Usage checkpoints: the root of each day at the registry contract, an hour after the day's end.
//!
//! ```text
//! hourly rows ──► root, fixed ──► sender ──► SubscriptionRegistry ──► our own blocks ──► proven (payments)
//! ```
//! The contract takes the next sequence and the next day only: no day twice, no day left out.

mod contract;
mod work;

use std::sync::Arc;

use anyhow::{Context, bail};
use superroot_account::AccountService;
use superroot_outbox::PayerKey;

use self::work::WriteCheckpoints;
use crate::config::{ContractPlace, ServiceConfig};
use crate::evm_key;
use crate::sender::{self, SenderParts};
use crate::stage::Runner;

/// Starts the sender to the last registry of the configuration, if a key is configured.
pub(crate) fn start(
    config: &ServiceConfig,
    accounts: &Arc<AccountService>,
    parts: &SenderParts,
    runner: &mut Runner,
) -> anyhow::Result<()> {
    let ServiceConfig { registry, anchor, sending, .. } = config;
    let Some(last) = registry.places()?.pop() else { return Ok(()) };
    if registry.checkpoint_key_file.as_os_str().is_empty() {
        return Ok(());
    }
    let secret = evm_key::read_private(&registry.checkpoint_key_file);
    let secret = secret.context("registry.checkpoint_key_file")?;
    let key = PayerKey::new(&secret).context("registry.checkpoint_key_file")?;
    let place = ContractPlace { chain: last.chain, contract: last.contract };
    if anchor.places()?.iter().any(|other| other.chain == place.chain) {
        let payer = evm_key::read_private(&anchor.payer_key_file);
        if payer.is_ok_and(|payer| *payer == *secret) {
            bail!(
                "registry.checkpoint_key_file is the key of anchor.payer_key_file, and both send on chain {}: each needs \
                 an account of its own",
                place.chain.id
            );
        }
    }
    let work = WriteCheckpoints::new(place, accounts.clone(), parts.status.clone());
    sender::start(work, &key, sending.limits(), parts, runner)
}
