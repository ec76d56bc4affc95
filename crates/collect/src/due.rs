//! What a block's header must be after those before it, in ledgers that bind it so.

use std::collections::BTreeMap;

use superroot_chain::{ChainError, ChainRow, check_due};
use superroot_proof::ledger::Header;
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
        if !self.row.ledger.has_due_headers() {
            return Ok(());
        }
        let row = self.row.clone();
        let decode = |row: &ChainRow, number, header: &[u8]| {
            Header::decode(row.rule_at(number)?, header).ok()
        };
        let header = |piece: &Piece| {
            let bytes = match piece {
                Piece::Held(_, row) => row.header.as_slice(),
                Piece::New(received) => received.block.header(),
            };
            Some((piece.number().0, decode(&row, piece.number(), bytes)?))
        };
        let line: BTreeMap<u64, Header> = pieces.iter().filter_map(header).collect();
        let (store, chain, row) = (self.store.clone(), self.chain(), row.clone());
        let first_bad = blocking(move || {
            let before = |number: BlockNumber| {
                let held = || read::load_block(&*store, chain, number).ok().flatten();
                let held = || decode(&row, number, &held()?.header);
                line.get(&number.0).cloned().or_else(held)
            };
            let mut bad = line.iter().filter_map(|(number, header)| {
                let number = BlockNumber(*number);
                check_due(&row, number, header, before).err().map(|cause| (number, cause))
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
