//! The recordings of one chain, read as a source.

use std::sync::Arc;

use superroot_types::{BlockNumber, ChainKey, Network};

use super::recordings::Recordings;
use crate::error::SourceError;
use crate::ledger::read_capture;
use crate::{About, Agreement, BlockAt, Fetched, Fetching, Parts, Source, Tip, off_thread};

impl Recordings {
    /// The recordings of one chain as a source.
    ///
    /// # Errors
    /// [`SourceError::NotRecorded`] when there are none.
    pub fn source(self: &Arc<Self>, chain: ChainKey) -> Result<RecordedSource, SourceError> {
        self.recording(chain)?;
        let name = format!("recorded {chain}");
        Ok(RecordedSource { recordings: Arc::clone(self), chain, name })
    }
}

/// The recordings of one chain as a source. Everything recorded is final; the newest recorded
/// block that has a hash is the head. Blocks above it are listed, and each is refused by name.
#[derive(Clone, Debug)]
pub struct RecordedSource {
    recordings: Arc<Recordings>,
    chain: ChainKey,
    name: String,
}

impl Source for RecordedSource {
    fn about(&self) -> About<'_> {
        About { name: &self.name, chain: self.chain, network: Network::Recorded }
    }

    fn fetch_tip(&self) -> Fetching<'_, Tip> {
        Box::pin(async {
            let head = self.recordings.recording(self.chain)?.newest();
            Ok(Tip { head, safe: Some(head), finalized: head })
        })
    }

    fn fetch_block<'a>(
        &'a self,
        at: BlockAt,
        _parts: Parts,
        _: &'a [Arc<str>],
    ) -> Fetching<'a, Option<Fetched>> {
        let (recordings, chain) = (Arc::clone(&self.recordings), self.chain);
        let sender = self.name.as_str().into();
        Box::pin(off_thread(move || {
            recordings.recording(chain)?.refuse_unhashed(at.number())?;
            let Some(capture) = recordings.load_capture(chain, at.number())? else {
                return Ok(None);
            };
            read_capture(recordings.row(chain)?, &capture).map(|given| Some(given.sent_by(sender)))
        }))
    }

    fn fetch_agreement(&self, _number: BlockNumber) -> Fetching<'_, Agreement> {
        Box::pin(std::future::ready(Ok(Agreement::of_one(self.name(), "as recorded"))))
    }

    fn fetch_numbers(
        &self,
        from: BlockNumber,
        limit: usize,
    ) -> Fetching<'_, Option<Vec<BlockNumber>>> {
        let recording = self.recordings.recording(self.chain);
        Box::pin(std::future::ready(recording.map(|recording| Some(recording.all(from, limit)))))
    }
}
