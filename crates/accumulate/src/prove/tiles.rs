//! Tiles of the history log, for public log tools (C2SP `tlog-tiles`).

use superroot_proof::superroot::PREIMAGE_BYTES;
use superroot_store::{ScanOrder, Table};
use superroot_types::{Hash, LogSize};

use super::error::ProveError;
use super::prover::Prover;

/// Hashes in a full tile, and entries in a full bundle.
pub const TILE_WIDTH: u64 = 256;
/// Tree levels in a tile.
const TILE_HEIGHT: u32 = 8;

/// Number of complete subtrees at this level in a log of `size` entries; each has 256 to the power of the level
/// entries. Tile `n` begins at subtree `256 * n`.
#[must_use]
pub fn tiled(size: LogSize, level: u8) -> u64 {
    size.0.checked_shr(TILE_HEIGHT.saturating_mul(level.into())).unwrap_or(0)
}

impl Prover {
    /// First `width` hashes in tile `index` at this level; at most 256.
    ///
    /// # Errors
    /// [`ProveError::UnknownSuperRoot`] if the log has fewer; store errors.
    pub fn tile(&self, level: u8, index: u64, width: u64) -> Result<Vec<Hash>, ProveError> {
        let (from, size) = self.piece(level, index, width)?;
        let history = self.history(size)?;
        // such a level has a subtree, so its height is at most 64
        let height = level.saturating_mul(8);
        let hash = |at| Ok(history.node(height, at)?);
        (from..from + width).map(hash).collect()
    }

    /// First `width` entries in bundle `index`: SuperRoot preimages; at most 256.
    pub fn entries(&self, index: u64, width: u64) -> Result<Vec<Vec<u8>>, ProveError> {
        let (from, _) = self.piece(0, index, width)?;
        let limit = usize::try_from(width).unwrap_or(usize::MAX);
        let table = Table::SuperRoot;
        let start = from.to_be_bytes();
        let rows = self.store.scan(table, &start, None, limit, ScanOrder::Rising)?;
        let entry = |(at, (key, mut row)): (u64, (Vec<u8>, Vec<u8>))| {
            let is_whole = key == at.to_be_bytes() && row.len() >= PREIMAGE_BYTES;
            row.truncate(PREIMAGE_BYTES);
            is_whole.then_some(row)
        };
        let entries: Option<Vec<_>> = (from..).zip(rows).map(entry).collect();
        let entries = entries.filter(|entries| entries.len() == limit);
        entries
            .ok_or_else(|| ProveError::Corrupt { what: format!("SuperRoots from {from} are gone") })
    }

    /// Number of the first subtree or entry, and the log size.
    fn piece(&self, level: u8, index: u64, width: u64) -> Result<(u64, LogSize), ProveError> {
        let latest = self.latest().ok_or(ProveError::NothingPublished)?;
        let size = latest.log_size()?;
        let from = index.checked_mul(TILE_WIDTH).filter(|_| width <= TILE_WIDTH);
        let end = from.and_then(|from| from.checked_add(width));
        match from.zip(end) {
            Some((from, end)) if end <= tiled(size, level) => Ok((from, size)),
            Some(_) | None => {
                let asked = format!("{width} wide tile {index} of level {level}");
                Err(ProveError::UnknownSuperRoot { asked })
            }
        }
    }
}
