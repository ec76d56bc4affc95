//! Several recordings of one chain as one source.

use std::sync::Arc;

use superroot_types::{BlockNumber, ChainKey, Network};

use crate::{Agreement, BlockAt, Fetched, Fetching, Parts, Source, SourceError, Tip};

/// Recordings of one chain out of several folders, read as one: a number is given by the first that
/// has it.
pub struct JoinedSource {
    name: String,
    chain: ChainKey,
    parts: Vec<Arc<dyn Source>>,
}

impl std::fmt::Debug for JoinedSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JoinedSource").field("name", &self.name).finish_non_exhaustive()
    }
}

impl JoinedSource {
    /// Joins sources of one chain, all of them recordings; `None` for anything else, or for none.
    #[must_use]
    pub fn of(parts: Vec<Arc<dyn Source>>) -> Option<Self> {
        let chain = parts.first()?.chain();
        let fits =
            |part: &Arc<dyn Source>| part.chain() == chain && part.network() == Network::Recorded;
        if !parts.iter().all(fits) {
            return None;
        }
        let names: Vec<_> = parts.iter().map(|part| part.name()).collect();
        Some(Self { name: names.join(", "), chain, parts })
    }

    async fn tip(&self) -> Result<Tip, SourceError> {
        let mut newest: Option<Tip> = None;
        for part in &self.parts {
            let tip = part.fetch_tip().await?;
            if newest.is_none_or(|newest| tip.head.number > newest.head.number) {
                newest = Some(tip);
            }
        }
        newest.ok_or(SourceError::NotRecorded { chain: self.chain })
    }

    async fn block(&self, at: BlockAt, parts: Parts) -> Result<Option<Fetched>, SourceError> {
        for part in &self.parts {
            if let Some(block) = part.fetch_block(at, parts, &[]).await? {
                return Ok(Some(block));
            }
        }
        Ok(None)
    }

    async fn numbers(
        &self,
        from: BlockNumber,
        limit: usize,
    ) -> Result<Option<Vec<BlockNumber>>, SourceError> {
        let mut numbers = Vec::new();
        for part in &self.parts {
            numbers.extend(part.fetch_numbers(from, limit).await?.unwrap_or_default());
        }
        numbers.sort_unstable();
        numbers.dedup();
        numbers.truncate(limit);
        Ok(Some(numbers))
    }
}

impl Source for JoinedSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn chain(&self) -> ChainKey {
        self.chain
    }

    fn network(&self) -> Network {
        Network::Recorded
    }

    fn fetch_tip(&self) -> Fetching<'_, Tip> {
        Box::pin(self.tip())
    }

    fn fetch_block<'a>(
        &'a self,
        at: BlockAt,
        parts: Parts,
        _: &'a [Arc<str>],
    ) -> Fetching<'a, Option<Fetched>> {
        Box::pin(self.block(at, parts))
    }

    fn fetch_agreement(&self, _number: BlockNumber) -> Fetching<'_, Agreement> {
        Box::pin(std::future::ready(Ok(Agreement::of_one(self.name(), "as recorded"))))
    }

    fn fetch_numbers(
        &self,
        from: BlockNumber,
        limit: usize,
    ) -> Fetching<'_, Option<Vec<BlockNumber>>> {
        Box::pin(self.numbers(from, limit))
    }
}
