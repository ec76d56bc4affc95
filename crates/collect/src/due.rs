//! Header rules that depend on earlier headers, on ledgers with such rules.

use std::collections::BTreeMap;

use superroot_chain::{ChainError, ChainSpec, check_due};
use superroot_proof::ledger::Header;
use superroot_store::read;
use superroot_types::BlockNumber;

use crate::blocking::blocking;
use crate::collector::Collector;
use crate::error::CollectError;
use crate::line::RunPiece;

impl Collector {
    /// Checks consecutive blocks, ascending, against the stored headers before them. Other ledger families have no such
    /// header rules.
    ///
    /// # Errors
    /// [`CollectError::Refused`] for the first block with a wrong target or a too early time; the sender is blamed.
    pub(crate) async fn check_due(&self, pieces: &[RunPiece]) -> Result<(), CollectError> {
        if !self.row.ledger.has_due_headers() {
            return Ok(());
        }
        let row = self.row.clone();
        let decode = |row: &ChainSpec, number, header: &[u8]| {
            Header::decode(row.rule_at(number)?, header).ok()
        };
        let header = |piece: &RunPiece| {
            let bytes = match piece {
                RunPiece::Held(_, row) => row.header.as_slice(),
                RunPiece::New(received) => received.block.header(),
            };
            Some((piece.number().0, decode(&row, piece.number(), bytes)?))
        };
        let line: BTreeMap<u64, Header> = pieces.iter().filter_map(header).collect();
        let store = self.store.clone();
        let chain = self.chain();
        let row = row.clone();
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

    fn not_due(&self, pieces: &[RunPiece], number: BlockNumber, cause: ChainError) -> CollectError {
        let mut source_name = self.source.name().to_owned();
        let piece = pieces.iter().find(|piece| piece.number() == number);
        if let Some(RunPiece::New(received)) = piece {
            let check = cause.check().name();
            self.fetcher(true).blame(&received.sender, number, check, &cause.to_string());
            source_name = received.sender.to_string();
        }
        CollectError::Refused { chain: self.chain(), number, source_name, cause: Box::new(cause) }
    }
}
