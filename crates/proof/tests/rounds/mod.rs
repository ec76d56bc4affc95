//! Made blocks of Tron: headers every three seconds, producers with known keys in turn.

use k256::ecdsa::SigningKey;
use superroot_proof::finality::producers::*;
use superroot_proof::finality::*;
use superroot_proof::hash::{keccak256, sha256_joined};
use superroot_types::{Address, BlockNumber, Hash};

/// Begin of day 0 of the made chain: a multiple of its days.
pub(crate) const GENESIS: u64 = 1_794_990_000;
pub(crate) const BLOCK_SECONDS: u64 = 3;
/// Blocks of a day.
pub(crate) const DAY_BLOCKS: u64 = 200;
/// Number of the day that begins at [`GENESIS`].
pub(crate) const DAY: u64 = GENESIS / (DAY_BLOCKS * BLOCK_SECONDS);

/// Days of 200 blocks.
pub(crate) fn short() -> ProducerParams {
    ProducerParams {
        set_seconds: DAY_BLOCKS * BLOCK_SECONDS,
        window_blocks: 54,
        trusted_seconds: 14 * 86_400,
    }
}

pub(crate) fn signing_key(seed: u8) -> SigningKey {
    SigningKey::from_slice(&[seed ^ 0x5c; 32]).unwrap()
}

/// Address of a key: last 20 bytes of the Keccak-256 of its point.
pub(crate) fn address(seed: u8) -> Address {
    let point = signing_key(seed).verifying_key().to_encoded_point(false);
    let hash = keccak256(&point.as_bytes()[1..]);
    Address(hash.0[12..].try_into().unwrap())
}

/// A producer by the seeds of its own key and of the key that signs.
pub(crate) type Member = (u8, u8);

/// Producers 1 to 27: the last seven sign by a delegated key.
pub(crate) fn members() -> Vec<Member> {
    (1..=27).map(|seed| if seed > 20 { (seed, seed + 100) } else { (seed, seed) }).collect()
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while value > 0x7f {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
    out
}

/// Message `BlockHeader.raw` as nodes write it.
pub(crate) fn raw_header(number: u64, time_ms: u64, parent: &Hash, producer: u8) -> Vec<u8> {
    let root = sha256_joined(&[&number.to_be_bytes()]).0;
    [
        &[0x08][..],
        &varint(time_ms),
        &[0x12, 32],
        &root,
        &[0x1a, 32],
        &parent.0,
        &[0x38],
        &varint(number),
        &[0x4a, 21, 0x41],
        &address(producer).0,
        &[0x50, 32],
    ]
    .concat()
}

pub(crate) fn id_of(number: u64, raw: &[u8]) -> Hash {
    let mut id = sha256_joined(&[raw]);
    id.0[..8].copy_from_slice(&number.to_be_bytes());
    id
}

pub(crate) fn sign(raw: &[u8], seed: u8) -> [u8; 65] {
    let digest = sha256_joined(&[raw]).0;
    let (signature, recovery) = signing_key(seed).sign_prehash_recoverable(&digest).unwrap();
    let mut out = [recovery.to_byte(); 65];
    out[..64].copy_from_slice(&signature.to_bytes());
    out
}

/// A made chain from a number on; block 0 is the first of [`DAY`].
#[derive(Clone)]
pub(crate) struct MadeRounds {
    pub(crate) first: u64,
    pub(crate) blocks: Vec<ProducedHeader>,
    pub(crate) ids: Vec<Hash>,
}

impl MadeRounds {
    /// So many blocks, each by the producer that is named for its number.
    pub(crate) fn new(first: u64, count: u64, of: impl Fn(u64) -> Member) -> Self {
        Self::within(first, count, |number| BLOCK_SECONDS * number, of)
    }

    /// As [`MadeRounds::new`], at other times.
    pub(crate) fn within(
        first: u64,
        count: u64,
        seconds: impl Fn(u64) -> u64,
        of: impl Fn(u64) -> Member,
    ) -> Self {
        let mut parent = id_of(first - 1, b"before the first");
        let mut made = Self { first, blocks: Vec::new(), ids: Vec::new() };
        for number in first..first + count {
            let (producer, key) = of(number);
            let time = 1_000 * (GENESIS + seconds(number));
            let header = raw_header(number, time, &parent, producer);
            parent = id_of(number, &header);
            let signature = sign(&header, key);
            made.blocks.push(ProducedHeader { header, signature });
            made.ids.push(parent);
        }
        made
    }

    /// Blocks of these members in turn.
    pub(crate) fn in_turn(first: u64, count: u64, members: &[Member]) -> Self {
        Self::new(first, count, |number| members[number as usize % members.len()])
    }

    pub(crate) fn run(&self, from: u64, count: u64) -> &[ProducedHeader] {
        let at = (from - self.first) as usize;
        &self.blocks[at..at + count as usize]
    }

    pub(crate) fn id(&self, number: u64) -> Hash {
        self.ids[(number - self.first) as usize]
    }

    /// Evidence of a block by so many headers.
    pub(crate) fn evidence(&self, number: u64, count: u64) -> ConsensusEvidence {
        evidence_of(number, self.id(number), self.run(number, count))
    }

    /// Step to a day, with so many blocks behind the window.
    pub(crate) fn step(&self, day: u64, on_top: u64) -> Vec<u8> {
        let count = 2 + u64::from(short().window_blocks) + on_top;
        write_run(self.run(DAY_BLOCKS * (day - DAY) - 1, count)).unwrap()
    }
}

pub(crate) fn evidence_of(number: u64, hash: Hash, run: &[ProducedHeader]) -> ConsensusEvidence {
    ConsensusEvidence {
        kind: FinalityKind::Producers,
        number: BlockNumber(number),
        hash,
        body: write_run(run).unwrap(),
    }
}

/// Bytes of a set.
pub(crate) fn set_bytes(day: u64, members: &[Member]) -> Vec<u8> {
    let mut pairs: Vec<_> =
        members.iter().map(|(producer, key)| (address(*producer), address(*key))).collect();
    pairs.sort_by_key(|(producer, _)| producer.0);
    write_producer_set(day, &pairs)
}

pub(crate) fn producer_set(params: &FinalityParams, day: u64, members: &[Member]) -> FinalitySet {
    FinalitySet::decode(params, &set_bytes(day, members)).unwrap()
}
