//! Rule-conforming blocks for simulated chains and tests.

use alloy_primitives::Bytes;
use superroot_proof::ledger::polkadot::{EVENTS_KEY, Header, StateVersion, Trie, compact};
use superroot_types::{BlockNumber, Hash};

use super::raw::{RawPolkadotBlock, RawPolkadotHeader};

#[derive(Clone, Debug)]
pub struct BlockPlan {
    pub number: BlockNumber,
    /// Parent block hash; zeros for block 0.
    pub parent_hash: Hash,
    /// The tries' state version.
    pub version: StateVersion,
    /// Extrinsics without length prefix.
    pub extrinsics: Vec<Vec<u8>>,
    /// Events, each in SCALE.
    pub events: Vec<Vec<u8>>,
    /// Digest items, each in SCALE.
    pub digest: Vec<Vec<u8>>,
}

/// A plan's block, in node form. The state has only the block number and the events.
#[must_use]
pub fn build_block(plan: &BlockPlan) -> RawPolkadotBlock {
    let extrinsics: Vec<Vec<u8>> = plan.extrinsics.iter().map(|one| with_length(one)).collect();
    let count = compact(u64::try_from(plan.events.len()).unwrap_or(u64::MAX));
    let events: Vec<u8> = count.into_iter().chain(plan.events.iter().flatten().copied()).collect();
    let number = plan.number.0.to_le_bytes().to_vec();
    let pairs = [(EVENTS_KEY.to_vec(), events), (NUMBER_KEY.to_vec(), number)];
    let state = Trie::build(plan.version, pairs);
    let header = Header {
        parent_hash: plan.parent_hash,
        number: plan.number.0,
        state_root: state.root(),
        extrinsics_root: Trie::of_extrinsics(plan.version, &extrinsics).root(),
        digest: plan.digest.clone(),
    };
    let bytes = |list: &[Vec<u8>]| list.iter().cloned().map(Bytes::from).collect::<Vec<_>>();
    RawPolkadotBlock {
        hash: header.hash(),
        header: RawPolkadotHeader::from(&header),
        extrinsics: Some(bytes(&extrinsics)),
        read_proof: Some(bytes(&state.nodes().map(<[u8]>::to_vec).collect::<Vec<_>>())),
        votes: None,
    }
}

/// Key of `System.Number`, next to the events key in the trie.
const NUMBER_KEY: [u8; 32] = [
    0x26, 0xaa, 0x39, 0x4e, 0xea, 0x56, 0x30, 0xe0, 0x7c, 0x48, 0xae, 0x0c, 0x95, 0x58, 0xce, 0xf7,
    0x02, 0xa5, 0xc1, 0xb1, 0x9a, 0xb7, 0xa0, 0x4f, 0x53, 0x6c, 0x51, 0x9a, 0xca, 0x49, 0x83, 0xac,
];

/// Extrinsic to set the block time, without length prefix.
#[must_use]
pub fn timestamp_extrinsic(pallet: u8, milliseconds: u64) -> Vec<u8> {
    [vec![4, pallet, 0], compact(milliseconds)].concat()
}

fn with_length(extrinsic: &[u8]) -> Vec<u8> {
    let length = compact(u64::try_from(extrinsic.len()).unwrap_or(u64::MAX));
    length.into_iter().chain(extrinsic.iter().copied()).collect()
}
