//! Transactions to a contract with rising sequences: each sequence once, over kills and reorganisations.
//!
//! ```text
//! work ──► task ──► outbox row ──► nodes ──► contract
//!                       ▲                      │
//!                       └── next sequence, agreed on
//! ```

mod failure;
mod fees;
mod parts;
mod stage;
mod work;

use anyhow::{Context, bail};
use superroot_outbox::{FeeLimits, Outbox, PayerKey};

pub(crate) use self::failure::SenderFailure;
pub(crate) use self::parts::SenderParts;
pub(crate) use self::work::{ContractWork, SenderWords};

use self::stage::SendToContract;
use crate::chains;
use crate::config::ContractPlace;
use crate::stage::Runner;

/// Starts the stage of a contract. A chain without live nodes is an error: nothing would ever be sent.
pub(crate) fn start(
    work: impl ContractWork,
    key: &PayerKey,
    limits: FeeLimits,
    parts: &SenderParts,
    runner: &mut Runner,
) -> anyhow::Result<()> {
    let ContractPlace { chain, .. } = work.place();
    let setting = work.words().setting;
    let row = chains::known().by_key(chain).map(|(_, row)| row);
    let row = row.with_context(|| format!("{setting}: chain {} is not known", chain.id))?;
    let Some(nodes) = parts.nodes(chain) else {
        bail!("{setting}: chain {} is not followed through live nodes", chain.id);
    };
    let store = parts.store.clone();
    let outbox = Outbox::new(store.clone(), chain, key.clone(), limits);
    runner.stage(SendToContract::new(work, row.clone(), outbox, nodes, store));
    Ok(())
}
