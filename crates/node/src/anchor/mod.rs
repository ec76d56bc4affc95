//! Publication of SuperRoots to anchor contracts, each by a sender.
//!
//! ```text
//! publish ──► newest SuperRoot, signed for contracts ──► sender ──► SuperRootAnchor
//! ```
//! A contract takes rising sequences only: whoever publishes, and however often, each SuperRoot is there once.

mod contract;
mod work;

use std::time::Duration;

use anyhow::Context;
use superroot_outbox::PayerKey;

use self::work::PublishToAnchor;
use crate::config::ServiceConfig;
use crate::evm_key;
use crate::sender::{self, SenderParts};
use crate::stage::Runner;

/// Starts a sender for each contract.
pub(crate) fn start(
    config: &ServiceConfig,
    parts: &SenderParts,
    runner: &mut Runner,
) -> anyhow::Result<()> {
    let ServiceConfig { anchor, sending, .. } = config;
    let places = anchor.places()?;
    if places.is_empty() {
        return Ok(());
    }
    let secret = evm_key::read_private(&anchor.payer_key_file).context("anchor.payer_key_file")?;
    let key = PayerKey::new(&secret).context("anchor.payer_key_file")?;
    let interval = Duration::from_secs(anchor.interval_seconds);
    for place in places {
        let work = PublishToAnchor::new(place, parts, interval);
        sender::start(work, &key, sending.limits(), parts, runner)?;
    }
    Ok(())
}
