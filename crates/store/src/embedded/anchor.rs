//! Anchor: the database's own commit count, digest and writes per table.
//!
//! ```text
//! anchor   count:u64 ‖ digest:32 ‖ previous_digest:32 ‖ writes:u64 * tables   one row of Meta
//! link     slot:u16 -> write:u64                                             a ring in each table
//! ```
//!
//! Every batch that touches a table also writes a link into the same table. Rows and link are lost together, so a batch
//! lost from the middle shows as a slot with an older number than its position requires.

use superroot_types::Hash;

use super::integrity::CommitMark;
use crate::codec::{Decoder, Encoder};
use crate::{StoreError, Table, WriteBatch};

/// Ring slots: holes within the last 16,384 writes to a table are found. More than the engine's journals can retain at
/// 8 KiB per batch.
pub(super) const LINKS: u64 = 1 << 14;

/// Database position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StoreAnchor {
    pub(super) count: u64,
    pub(super) digest: Hash,
    previous: Hash,
    writes: [u64; Table::ALL.len()],
}

impl StoreAnchor {
    /// Anchor for a database without commits.
    pub(super) const GENESIS: Self =
        Self { count: 0, digest: Hash::ZERO, previous: Hash::ZERO, writes: [0; Table::ALL.len()] };

    /// Returns the anchor after one more batch, and its links.
    pub(super) fn after(&self, batch: &WriteBatch) -> (Self, Vec<(Table, u64)>) {
        let mut next = Self {
            count: self.count + 1,
            digest: batch.digest(&self.digest),
            previous: self.digest,
            writes: self.writes,
        };
        let mut touched = [false; Table::ALL.len()];
        touched[Table::Meta.index()] = true; // the anchor itself
        for (table, _, _) in batch.writes() {
            touched[table.index()] = true;
        }
        let mut links = Vec::with_capacity(Table::ALL.len());
        for table in Table::ALL.into_iter().filter(|table| touched[table.index()]) {
            let write = &mut next.writes[table.index()];
            *write += 1;
            links.push((table, *write));
        }
        (next, links)
    }

    pub(super) const fn mark(&self) -> CommitMark {
        CommitMark { count: self.count, digest: self.digest }
    }

    /// Compares with the acknowledged mark: equal, or exactly one commit ahead after a crash before acknowledgement.
    pub(super) fn check_mark(&self, mark: &CommitMark) -> Result<(), StoreError> {
        let committed = mark.count;
        let found = self.count;
        if found < committed {
            return Err(StoreError::Rolledback { committed, found });
        }
        let digest = match found - committed {
            0 => self.digest,
            1 => self.previous,
            _ => return Err(StoreError::Ahead { committed, found }),
        };
        if digest != mark.digest {
            return Err(StoreError::Diverged { count: committed });
        }
        Ok(())
    }

    /// Checks a table's ring: every slot has its newest write.
    pub(super) fn check_links(
        &self,
        table: Table,
        held: impl Fn(u16) -> Option<u64>,
    ) -> Result<(), StoreError> {
        let written = self.writes[table.index()];
        let first = written.saturating_sub(LINKS) + 1;
        for write in first..=written {
            if held(slot(write)) != Some(write) {
                return Err(StoreError::Lost { table, missing: write, written });
            }
        }
        Ok(())
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new();
        out.u64(self.count).hash(&self.digest).hash(&self.previous);
        for write in self.writes {
            out.u64(write);
        }
        out.finish()
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut bytes = Decoder::new(bytes);
        let count = bytes.u64()?;
        let digest = bytes.hash()?;
        let previous = bytes.hash()?;
        let mut writes = [0; Table::ALL.len()];
        let (old, new) = writes.split_at_mut(OLD_TABLES);
        for write in old {
            *write = bytes.u64()?;
        }
        for write in new {
            if bytes.is_empty() {
                break;
            }
            *write = bytes.u64()?;
        }
        bytes.finish(Self { count, digest, previous, writes })
    }
}

/// Tables of the first folders: an anchor from before a later table has no count of its writes.
const OLD_TABLES: usize = 40;

/// Slot for a write in its table's ring.
pub(super) fn slot(write: u64) -> u16 {
    u16::try_from(write % LINKS).unwrap_or(0) // below 2^14
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Anchor after `count` batches, each touching Block.
    fn after(count: u64) -> StoreAnchor {
        let mut anchor = StoreAnchor::GENESIS;
        for number in 0..count {
            let mut batch = WriteBatch::new();
            batch.put(Table::Block, number.to_be_bytes(), b"header");
            anchor = anchor.after(&batch).0;
        }
        anchor
    }

    #[test]
    fn a_batch_links_the_tables_it_touches_and_meta() {
        let mut batch = WriteBatch::new();
        batch.put(Table::Body, b"k", b"v").delete(Table::Body, b"l");
        let (next, links) = after(2).after(&batch);
        assert_eq!(links, [(Table::Meta, 3), (Table::Body, 1)]);
        assert_eq!(next.count, 3);
    }

    #[test]
    fn bytes_lead_back_and_nothing_else_is_read() {
        let anchor = after(3);
        let bytes = anchor.encode();
        assert_eq!(StoreAnchor::decode(&bytes), Some(anchor.clone()));
        for length in 0..bytes.len() {
            let counts = length.saturating_sub(72) / 8;
            let is_older = length % 8 == 0 && counts >= OLD_TABLES;
            let read = StoreAnchor::decode(&bytes[..length]);
            assert_eq!(
                read,
                is_older.then(|| anchor.clone()),
                "{length} bytes: no write of a new table"
            );
        }
        assert_eq!(StoreAnchor::decode(&[bytes.as_slice(), &[0]].concat()), None);
    }

    #[test]
    fn equal_or_one_ahead_is_accepted() {
        assert!(after(5).check_mark(&after(5).mark()).is_ok());
        assert!(after(6).check_mark(&after(5).mark()).is_ok());
        assert!(after(1).check_mark(&StoreAnchor::GENESIS.mark()).is_ok());
    }

    #[test]
    fn behind_far_ahead_and_another_history_are_told_apart() {
        let behind = after(4).check_mark(&after(5).mark());
        assert!(matches!(behind, Err(StoreError::Rolledback { committed: 5, found: 4 })));
        let ahead = after(7).check_mark(&after(5).mark());
        assert!(matches!(ahead, Err(StoreError::Ahead { committed: 5, found: 7 })));
        for found in [5, 6] {
            let other = CommitMark { count: 5, digest: Hash([9; 32]) };
            let diverged = after(found).check_mark(&other);
            assert!(matches!(diverged, Err(StoreError::Diverged { count: 5 })), "{found}");
        }
    }

    /// A ring that is full several times over, with the write `missing` lost (its slot holds the
    /// one before it, a ring ago).
    #[test]
    fn every_lost_write_of_a_ring_is_found() {
        let mut anchor = after(1);
        for written in [1, 2, LINKS - 1, LINKS, LINKS + 1, 3 * LINKS + 7] {
            anchor.writes[Table::Block.index()] = written;
            let newest = |slot: u16| {
                let below = written.saturating_sub((written + LINKS - u64::from(slot)) % LINKS);
                (below > 0).then_some(below)
            };
            assert!(anchor.check_links(Table::Block, newest).is_ok(), "{written} writes");
            let first = written.saturating_sub(LINKS) + 1;
            for missing in [first, first.midpoint(written), written] {
                let lost = |at: u16| match newest(at) {
                    Some(write) if write == missing => missing.checked_sub(LINKS),
                    held => held,
                };
                let error = anchor.check_links(Table::Block, lost);
                assert!(
                    matches!(error, Err(StoreError::Lost { missing: got, .. }) if got == missing)
                );
            }
        }
    }
}
