//! Evidence: Heimdall's commit, and a milestone in the header's state.
//!
//! ```text
//! body   length:u32 ‖ commit ‖ number:u64 ‖ length:u32 ‖ milestone ‖ path ‖ stores
//! path   version:varint ‖ count:u8 ‖ (side:u8 ‖ height:varint ‖ size:varint ‖ version:varint ‖ sibling:32)*
//! stores count:u8 ‖ (side:u8 ‖ sibling:32)*
//! ```

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use superroot_types::{BlockNumber, Hash};

use super::params::{MILESTONE_STORE, milestone_key};
use super::store::{IavlPath, StorePath};
use crate::codec::{ByteReader, put_long};
use crate::finality::Refusal;
use crate::ledger::LedgerError;
use crate::ledger::cosmos::{Header, ProtobufFields};

/// Longest message `Milestone`.
pub const MILESTONE_BYTES_MAX: usize = 1_024;

/// Polygon block in a milestone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BorMilestone {
    /// Last block's number.
    pub end_block: BlockNumber,
    /// Last block's hash.
    pub hash: Hash,
    /// Chain id, decimal.
    pub bor_chain_id: String,
}

impl BorMilestone {
    /// Reads a whole message `Milestone`.
    ///
    /// # Errors
    /// [`LedgerError::Field`] naming a truncated or non-canonical field, [`LedgerError::Trailing`] for an unknown field.
    pub fn decode(bytes: &[u8]) -> Result<Self, LedgerError> {
        if bytes.len() > MILESTONE_BYTES_MAX {
            return Err(LedgerError::Field { field: "milestone length" });
        }
        let mut fields = ProtobufFields::new(bytes);
        fields.bytes(1, "proposer")?;
        fields.number(2, "start_block")?;
        let end_block = BlockNumber(fields.number(3, "end_block")?);
        let hash = fields.hash(4, "hash")?;
        let bor_chain_id = fields.bytes(5, "bor_chain_id")?;
        fields.bytes(6, "milestone_id")?;
        fields.number(7, "timestamp")?;
        fields.number(8, "total_difficulty")?;
        fields.end("milestone")?;
        let bor_chain_id = core::str::from_utf8(bor_chain_id).unwrap_or_default().to_string();
        Ok(Self { end_block, hash, bor_chain_id })
    }
}

/// Heimdall's commit with a milestone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MilestoneBody {
    /// [`BlockCommit`](crate::finality::commit::BlockCommit) at the height behind the state's, in bytes.
    pub commit: Vec<u8>,
    /// Milestone number.
    pub number: u64,
    /// Message `Milestone`, at most [`MILESTONE_BYTES_MAX`].
    pub milestone: Vec<u8>,
    /// Path in the store.
    pub path: IavlPath,
    /// Path over the stores.
    pub stores: StorePath,
}

impl MilestoneBody {
    /// Bytes, for [`MilestoneBody::decode`].
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_long(&mut out, &self.commit);
        out.extend_from_slice(&self.number.to_be_bytes());
        put_long(&mut out, &self.milestone);
        self.path.put(&mut out);
        self.stores.put(&mut out);
        out
    }

    /// Reads a body; `None` if malformed. Nothing is checked yet.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = ByteReader::new(bytes);
        let commit = reader.long()?.to_vec();
        let number = reader.u64()?;
        let milestone = reader.long().filter(|bytes| bytes.len() <= MILESTONE_BYTES_MAX)?.to_vec();
        let path = IavlPath::read(&mut reader)?;
        let stores = StorePath::read(&mut reader)?;
        reader.is_empty().then_some(Self { commit, number, milestone, path, stores })
    }

    /// Commit's height, unchecked.
    #[must_use]
    pub fn height(&self) -> Option<u64> {
        let header = ByteReader::new(&self.commit).long()?;
        Header::decode(header).ok().map(|header| header.height)
    }

    /// Checks the milestone against the state's root.
    ///
    /// # Errors
    /// [`Refusal::Encoding`] for an impossible path, [`Refusal::Branch`] for a different root.
    pub fn check_state(&self, app_hash: &[u8]) -> Result<(), Refusal> {
        let store = self.path.root(&milestone_key(self.number), &self.milestone);
        let root = store.and_then(|store| self.stores.root(MILESTONE_STORE, &store.0));
        let root = root.ok_or(Refusal::Encoding { part: "path of the milestone" })?;
        (root.0 == app_hash).then_some(()).ok_or(Refusal::Branch { part: "milestone" })
    }
}
