//! Figures are computed once for each new head, not for each request.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use superroot_chain::ChainRow;
use superroot_store::Store;
use superroot_store::layout::Tip;
use superroot_types::{ChainKey, Hash};

use crate::{FeeRules, Figures, GasError, Sample, load_samples};

/// The figures of each chain at its newest head, and the samples that the next head's are made of.
#[derive(Debug, Default)]
pub struct FeeCache {
    chains: Mutex<BTreeMap<ChainKey, Arc<Mutex<Held>>>>,
}

#[derive(Debug, Default)]
struct Held {
    rules: Option<FeeRules>,
    at: Option<(Hash, Arc<Figures>)>,
    samples: Vec<Arc<Sample>>,
}

impl FeeCache {
    /// The figures at that head. Who asks for the same head meanwhile waits for them; no other chain does.
    ///
    /// # Errors
    /// [`GasError`]: nothing is kept then.
    pub fn figures(
        &self,
        store: &dyn Store,
        row: &ChainRow,
        is_simulated: bool,
        head: Tip,
    ) -> Result<Arc<Figures>, GasError> {
        let chain = Arc::clone(guard(&self.chains).entry(row.key()).or_default());
        let mut held = guard(&chain);
        if let Some((hash, figures)) = &held.at
            && *hash == head.hash
        {
            return Ok(Arc::clone(figures));
        }
        let rules = held.rules.take().unwrap_or_else(|| FeeRules::of(row, is_simulated));
        let samples = load_samples(store, row, &rules, head, &held.samples)?;
        let figures = Arc::new(Figures::of(row.key(), row.block_time_ms, &rules, &samples));
        // a head that is gone by now is not remembered: its hash will not come again
        held.at = (!samples.is_empty()).then(|| (head.hash, Arc::clone(&figures)));
        (held.samples, held.rules) = (samples, Some(rules));
        Ok(figures)
    }
}

/// What a panic left is whole: it is replaced at once, not changed in place.
fn guard<T>(held: &Mutex<T>) -> MutexGuard<'_, T> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}
