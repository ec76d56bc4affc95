//! What a block's header must be after those before it: of Bitcoin's family its target and its time.

use std::collections::BTreeMap;

use superroot_chain::ChainError;
use superroot_chain::bitcoin::check_due;
use superroot_proof::ledger::bitcoin::Header;
use superroot_store::read;
use superroot_types::BlockNumber;

use crate::blocking::blocking;
use crate::collector::Collector;
use crate::error::CollectError;
use crate::line::Piece;

impl Collector {
    /// Checks blocks that stand on each other, rising, against the headers before them as far as those
    /// are held. Ledgers of other families say nothing of the kind in their headers.
    ///
    /// # Errors
    /// [`CollectError::Refused`] for the first block that has another target than the one due, or a
    /// time that is too early; who sent it is blamed.
    pub(crate) async fn check_due(&self, pieces: &[Piece]) -> Result<(), CollectError> {
        let Some(params) = self.row.bitcoin else { return Ok(()) };
        let header = |piece: &Piece| {
            let bytes = match piece {
                Piece::Held(_, row) => row.header.as_slice(),
                Piece::New(received) => received.block.header(),
            };
            Some((piece.number().0, Header::decode(bytes).ok()?))
        };
        let line: BTreeMap<u64, Header> = pieces.iter().filter_map(header).collect();
        let (store, chain) = (self.store.clone(), self.chain());
        let first_bad = blocking(move || {
            let before = |number: BlockNumber| {
                let held = || read::load_block(&*store, chain, number).ok().flatten();
                let held = || Header::decode(&held()?.header).ok();
                line.get(&number.0).copied().or_else(held)
            };
            let mut bad = line.iter().filter_map(|(number, header)| {
                let number = BlockNumber(*number);
                check_due(&params, number, header, before).err().map(|cause| (number, cause))
            });
            Ok(bad.next())
        });
        match first_bad.await? {
            None => Ok(()),
            Some((number, cause)) => Err(self.not_due(pieces, number, cause)),
        }
    }

    fn not_due(&self, pieces: &[Piece], number: BlockNumber, cause: ChainError) -> CollectError {
        let mut source_name = self.source.name().to_owned();
        let piece = pieces.iter().find(|piece| piece.number() == number);
        if let Some(Piece::New(received)) = piece {
            let check = cause.check().name();
            self.fetcher(true).blame(&received.sender, number, check, &cause.to_string());
            source_name = received.sender.to_string();
        }
        CollectError::Refused { chain: self.chain(), number, source_name, cause: Box::new(cause) }
    }
}
