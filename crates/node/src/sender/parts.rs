//! Handles that all senders share.

use std::collections::HashMap;
use std::sync::Arc;

use superroot_accumulate::prove::Prover;
use superroot_api::StatusBoard;
use superroot_source::BlockSource;
use superroot_store::Store;
use superroot_types::ChainKey;

pub(crate) struct SenderParts {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) prover: Prover,
    pub(crate) status: Arc<StatusBoard>,
    pub(crate) sources: HashMap<ChainKey, Arc<dyn BlockSource>>,
}
