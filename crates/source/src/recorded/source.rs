//! Recordings of a single chain as a source.

use std::sync::Arc;

use superroot_types::{BlockNumber, ChainKey, Network};

use super::recordings::Recordings;
use crate::error::SourceError;
use crate::ledger::read_capture;
use crate::{
    BlockAt, BlockParts, BlockSource, FetchedBlock, Fetching, FinalityAgreement, SourceDescription,
    SourceTip, off_thread,
};

impl Recordings {
    /// Source for a recorded chain.
    ///
    /// # Errors
    /// [`SourceError::NotRecorded`] for a chain without recordings.
    pub fn source(self: &Arc<Self>, chain: ChainKey) -> Result<RecordedSource, SourceError> {
        self.recording(chain)?;
        let name = format!("recorded {chain}");
        Ok(RecordedSource { recordings: Arc::clone(self), chain, name })
    }
}

/// Recordings of a single chain as a source. Everything recorded is final; the head is the newest recorded block with a
/// hash. Blocks above are listed, and each is rejected by name.
#[derive(Clone, Debug)]
pub struct RecordedSource {
    recordings: Arc<Recordings>,
    chain: ChainKey,
    name: String,
}

impl BlockSource for RecordedSource {
    fn about(&self) -> SourceDescription<'_> {
        SourceDescription { name: &self.name, chain: self.chain, network: Network::Recorded }
    }

    fn fetch_tip(&self) -> Fetching<'_, SourceTip> {
        Box::pin(async {
            let head = self.recordings.recording(self.chain)?.newest();
            Ok(SourceTip { head, safe: Some(head), finalized: head })
        })
    }

    fn fetch_block<'a>(
        &'a self,
        at: BlockAt,
        _parts: BlockParts,
        _: &'a [Arc<str>],
    ) -> Fetching<'a, Option<FetchedBlock>> {
        let recordings = Arc::clone(&self.recordings);
        let chain = self.chain;
        let sender = self.name.as_str().into();
        Box::pin(off_thread(move || {
            recordings.recording(chain)?.refuse_unhashed(at.number())?;
            let Some(capture) = recordings.load_capture(chain, at.number())? else {
                return Ok(None);
            };
            read_capture(recordings.row(chain)?, &capture).map(|given| Some(given.sent_by(sender)))
        }))
    }

    fn fetch_agreement(&self, _number: BlockNumber) -> Fetching<'_, FinalityAgreement> {
        Box::pin(std::future::ready(Ok(FinalityAgreement::of_one(self.name(), "as recorded"))))
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
