//! Fee cache: figures are computed once per head, not per request.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use superroot_chain::ChainSpec;
use superroot_store::Store;
use superroot_store::layout::BlockTip;
use superroot_types::{ChainKey, Hash};

use crate::{FeeRules, Figures, GasError, Sample, load_samples};

/// Figures of each chain at the newest head, with the samples reused at the next head.
#[derive(Debug, Default)]
pub struct FeeCache {
    chains: Mutex<BTreeMap<ChainKey, Arc<Mutex<CachedSample>>>>,
}

#[derive(Debug, Default)]
struct CachedSample {
    rules: Option<FeeRules>,
    at: Option<(Hash, Arc<Figures>)>,
    samples: Vec<Arc<Sample>>,
}

impl FeeCache {
    /// Figures at a head. Concurrent calls for one chain wait; other chains do not.
    ///
    /// # Errors
    /// [`GasError`]: nothing is cached then.
    pub fn figures(
        &self,
        store: &dyn Store,
        row: &ChainSpec,
        is_simulated: bool,
        head: BlockTip,
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

/// The value is whole even after a panic: updates replace the value, never change parts.
fn guard<T>(held: &Mutex<T>) -> MutexGuard<'_, T> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}
