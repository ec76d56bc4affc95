//! One chain's collector.

use std::sync::Arc;

use superroot_chain::{ChainRow, Evidence, UntrustedBlock};
use superroot_source::{Source, Tip};
use superroot_store::Store;
use superroot_store::layout::ChainState;
use superroot_types::{BlockNumber, ChainKey, Network};

use crate::CollectError;

/// How a chain is collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Most blocks that one step takes.
    pub blocks_per_step_max: usize,
    /// Most blocks that are fetched at one time.
    pub fetches_max: usize,
    /// Most blocks above the finalized one that are followed.
    pub head_blocks_max: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self { blocks_per_step_max: 256, fetches_max: 16, head_blocks_max: 512 }
    }
}

/// A block that was refused and, in a recording, left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The block.
    pub number: BlockNumber,
    /// Why.
    pub reason: String,
}

/// What a step did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// There was nothing to take.
    Idle,
    /// Final blocks were taken.
    Final {
        /// How many.
        blocks: usize,
        /// Blocks of a recording that were left out.
        refused: Vec<Refusal>,
    },
    /// The head was followed.
    Head {
        /// Blocks taken.
        taken: usize,
        /// Blocks undone: they were reorganised away.
        undone: usize,
    },
}

/// A step's outcome.
#[derive(Clone, Debug)]
pub struct Step {
    /// What it did.
    pub progress: Progress,
    /// What the source said of its chain.
    pub tip: Tip,
    /// How far the chain has come, after the step.
    pub state: ChainState,
}

/// Collects one chain from one source.
pub struct Collector {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) source: Arc<dyn Source>,
    pub(crate) row: ChainRow,
    pub(crate) config: Config,
}

impl Collector {
    /// A collector of the row's chain. The row says how its blocks are read.
    #[must_use]
    pub fn new(
        store: Arc<dyn Store>,
        source: Arc<dyn Source>,
        row: ChainRow,
        config: Config,
    ) -> Self {
        Self { store, source, row, config }
    }

    /// The chain.
    #[must_use]
    pub fn chain(&self) -> ChainKey {
        self.row.key()
    }

    /// The source.
    #[must_use]
    pub fn source(&self) -> &dyn Source {
        &*self.source
    }

    /// Takes final blocks if there are any to take, else follows the head.
    ///
    /// # Errors
    /// [`CollectError`]; its kind says what to do next. Nothing of a failed step is kept but the
    /// note of a refused block.
    pub async fn step(&mut self) -> Result<Step, CollectError> {
        let tip = self.source.fetch_tip().await.map_err(|cause| self.source_error(cause))?;
        let state = self.load_state(&tip).await?;
        let wanted = self.wanted(&state, &tip).await?;
        let (progress, state) = if wanted.is_empty() {
            self.follow_head(state, &tip).await?
        } else {
            self.take_final(state, wanted).await?
        };
        Ok(Step { progress, tip, state })
    }

    /// Whether numbers may be missing: in a recording every ledger counts as one that skips.
    pub(crate) fn is_sparse(&self) -> bool {
        self.source.network() == Network::Recorded
    }

    /// What is known of the chain; a new chain begins at a twig's first number.
    async fn load_state(&self, tip: &Tip) -> Result<ChainState, CollectError> {
        let (store, chain) = (self.store.clone(), self.chain());
        let held = blocking(move || Ok(superroot_store::read::load_chain_state(&*store, chain)?));
        if let Some(state) = held.await? {
            return Ok(state);
        }
        let first = match self.source.fetch_numbers(BlockNumber(0), 1).await {
            Ok(Some(numbers)) => numbers.first().copied().unwrap_or(tip.finalized.number),
            Ok(None) if self.source.network() == Network::Simulated => BlockNumber(0),
            Ok(None) => tip.finalized.number,
            Err(cause) => return Err(self.source_error(cause)),
        };
        let first_of_twig = first.0 - first.twig_slot();
        Ok(ChainState::empty(BlockNumber(first_of_twig.max(self.row.profile().first_number()))))
    }

    /// The next final numbers to take, rising.
    async fn wanted(
        &self,
        state: &ChainState,
        tip: &Tip,
    ) -> Result<Vec<BlockNumber>, CollectError> {
        let next = state.checked_to.map_or(state.start.0, |checked| checked.0 + 1);
        let last = tip.finalized.number;
        if next > last.0 {
            return Ok(Vec::new());
        }
        let limit = self.config.blocks_per_step_max;
        let listed = self.source.fetch_numbers(BlockNumber(next), limit).await;
        Ok(match listed.map_err(|cause| self.source_error(cause))? {
            Some(numbers) => numbers.into_iter().filter(|number| *number <= last).collect(),
            None => (next..=last.0).take(limit).map(BlockNumber).collect(),
        })
    }

    /// Fetches blocks, several at a time, in the order asked for.
    pub(crate) async fn fetch(
        &self,
        numbers: &[BlockNumber],
    ) -> Result<Vec<(BlockNumber, UntrustedBlock)>, CollectError> {
        let mut blocks = Vec::with_capacity(numbers.len());
        for part in numbers.chunks(self.config.fetches_max.max(1)) {
            let tasks: Vec<_> = part
                .iter()
                .map(|number| {
                    let (source, number) = (self.source.clone(), *number);
                    tokio::spawn(async move { source.fetch_whole(number).await })
                })
                .collect();
            for (number, task) in part.iter().zip(tasks) {
                let fetched = task.await.map_err(|_| CollectError::Panicked)?;
                let block = fetched.map_err(|cause| self.source_error(cause))?;
                let block = block.ok_or_else(|| CollectError::Missing {
                    chain: self.chain(),
                    number: *number,
                    source_name: self.source.name().to_owned(),
                })?;
                blocks.push((*number, block));
            }
        }
        Ok(blocks)
    }

    /// The evidence that this source's finalized blocks carry.
    pub(crate) fn evidence(&self) -> Evidence {
        let rule = match self.source.network() {
            Network::Recorded => "as recorded",
            Network::Simulated => "finalized tag of a simulated chain",
            Network::Live => "finalized tag",
        };
        let sources = vec![self.source.name().to_owned()];
        Evidence::NodeQuorum { sources, of: 1, rule: rule.to_owned() }
    }

    pub(crate) fn source_error(&self, cause: superroot_source::SourceError) -> CollectError {
        let (source_name, cause) = (self.source.name().to_owned(), Box::new(cause));
        CollectError::Source { source_name, cause }
    }
}

/// Runs what blocks or computes off the asynchronous threads.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CollectError> + Send + 'static,
) -> Result<T, CollectError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| CollectError::Panicked)?
}
