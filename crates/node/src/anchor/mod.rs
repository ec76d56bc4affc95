//! Publication of SuperRoots to anchor contracts, each by a stage with an outbox of its own.
//!
//! ```text
//! publish ──► newest SuperRoot, signed for contracts ──► outbox row ──► nodes ──► SuperRootAnchor
//!                                                            ▲                        │
//!                                                            └── next(), agreed on ◄──┘
//! ```
//! A contract takes rising sequences only: whoever publishes, and however often, each SuperRoot is there once.

mod contract;
mod parts;
mod stage;

use anyhow::{Context, bail};
use superroot_outbox::{Outbox, PayerKey};
use superroot_types::Network;

pub(crate) use self::parts::AnchorParts;

use self::stage::PublishToAnchor;
use crate::chains;
use crate::config::{AnchorConfig, AnchorPlace};
use crate::evm_key;
use crate::stage::Runner;

/// Starts a stage for each contract. A contract on a chain without live nodes, or a log without a key for contracts, is
/// an error: nothing would ever be published.
pub(crate) fn start(
    config: &AnchorConfig,
    parts: &AnchorParts,
    runner: &mut Runner,
) -> anyhow::Result<()> {
    let places = config.places()?;
    if places.is_empty() {
        return Ok(());
    }
    let secret = evm_key::read_private(&config.payer_key_file).context("anchor.payer_key_file")?;
    let key = PayerKey::new(&secret).context("anchor.payer_key_file")?;
    for place in places {
        let AnchorPlace { chain, .. } = place;
        let row = chains::known().by_key(chain).map(|(_, row)| row);
        let row =
            row.with_context(|| format!("anchor.contracts: chain {} is not known", chain.id))?;
        let source = parts.sources.get(&chain);
        let source = source.filter(|source| source.network() == Network::Live).cloned();
        let Some(source) = source else {
            bail!("anchor.contracts: chain {} is not followed through live nodes", chain.id);
        };
        let store = parts.store.clone();
        let outbox = Outbox::new(store.clone(), chain, key.clone(), config.limits());
        let stage = PublishToAnchor::new(place, row.clone(), outbox, source, parts, config);
        runner.stage(stage);
    }
    Ok(())
}
