//! Passes: a proven transfer with its authorization counts what was presented under it.
//!
//! ```text
//! POST /api/v1/pass ──► pass, pending ──► facilitator ──► token
//!                          ▲                                │
//!                          '── proof, verified here ◄── our own blocks: AuthorizationUsed, Transfer
//! ```

mod event;
mod facilitator;
mod stage;

use std::sync::Arc;

use superroot_api::{Facilitator, PassSale};
use superroot_watch::OwnWatch;

pub(crate) use self::facilitator::HttpFacilitators;
pub(crate) use self::stage::CountPasses;
use crate::config::{PassConfig, PassTerms};

/// Events that the sale needs: all with the payee in a topic.
pub(crate) fn watch(terms: &PassTerms) -> OwnWatch {
    let target = event::target(terms.pay_to);
    OwnWatch { chain: terms.asset.chain, target, from_block: Some(terms.asset.from) }
}

/// Sale of passes; the facilitators of the configuration come before `own`.
pub(crate) fn sale(
    config: &PassConfig,
    own: Option<Arc<dyn Facilitator>>,
    store: Arc<dyn superroot_store::Store>,
) -> anyhow::Result<Option<Arc<PassSale>>> {
    let Some(PassTerms { asset, pay_to, facilitators }) = config.terms()? else { return Ok(None) };
    let facilitator = match own.filter(|_| facilitators.is_empty()) {
        Some(own) => own,
        None => Arc::new(HttpFacilitators::new(facilitators)?),
    };
    Ok(Some(Arc::new(PassSale {
        chain: asset.chain,
        asset: asset.contract,
        pay_to,
        name: config.asset_name.clone(),
        version: config.asset_version.clone(),
        facilitator,
        store,
    })))
}
