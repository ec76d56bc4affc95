//! A small log made for tests by the plain definitions of `docs/protocol.md`: no code of the
//! accumulator, only the hashes of this crate.
#![allow(dead_code, unreachable_pub)]

use std::collections::BTreeMap;
use std::convert::Infallible;

use alloy_rlp::{BufMut, Encodable, Header as RlpHeader};
use superroot_proof::bundle::*;
use superroot_proof::consistency::*;
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::evm::{Bloom, Log};
use superroot_proof::mpt::OrderedTrie;
use superroot_proof::note::{Checkpoint, Signer};
use superroot_proof::range::{self, KeccakRange, Sha256Range};
use superroot_proof::registry::{HashRule, HashRuleFrom, LogRegistry, Profile};
use superroot_proof::superroot::*;
use superroot_proof::twig;
use superroot_types::*;

pub mod scan;

pub const ORIGIN: &str = "simulated/world";
pub const ETHEREUM: ChainKey = ChainKey { family: Family::Evm, id: ChainId(1) };
pub const OPTIMISM: ChainKey = ChainKey { family: Family::Evm, id: ChainId(10) };

pub fn list(items: &[Vec<u8>]) -> Vec<u8> {
    let payload_length = items.iter().map(Vec::len).sum();
    let mut out = Vec::new();
    RlpHeader { list: true, payload_length }.encode(&mut out);
    items.iter().for_each(|item| out.put_slice(item));
    out
}

pub fn string(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    bytes.encode(&mut out);
    out
}

pub fn integer(value: u64) -> Vec<u8> {
    alloy_rlp::encode(value)
}

/// A block: its header, and of an EVM chain its leaves.
#[derive(Clone)]
pub struct Block {
    pub header: Vec<u8>,
    pub transactions: Vec<Vec<u8>>,
    pub receipts: Vec<Vec<u8>>,
}

impl Block {
    /// Of an EVM chain.
    pub fn hash(&self) -> Hash {
        keccak256(&self.header)
    }
}

/// A receipt leaf with `logs` logs, typed where `index` is odd.
pub fn receipt(number: u64, index: u64, logs: u64) -> Vec<u8> {
    let mut bloom = Bloom::ZERO;
    let mut items = Vec::new();
    for position in 0..logs {
        let log = Log {
            address: Address([number as u8; 20]),
            topics: (0..position % 5).map(|topic| Hash([topic as u8 + 1; 32])).collect(),
            data: vec![index as u8; 40],
        };
        bloom.insert_log(&log);
        let topics: Vec<_> = log.topics.iter().map(|topic| string(&topic.0)).collect();
        items.push(list(&[string(&log.address.0), list(&topics), string(&log.data)]));
    }
    let status = string(if index % 3 == 2 { &[] } else { &[1] });
    let gas = integer((index + 1) * 21_000);
    let body = list(&[status, gas, string(&bloom.0), list(&items)]);
    if index % 2 == 1 { [vec![2], body].concat() } else { body }
}

/// A block with `count` transactions; receipt `i` has `i` logs.
pub fn block(number: u64, parent: Hash, count: u64) -> Block {
    let transactions: Vec<Vec<u8>> = (0..count)
        .map(|index| {
            let body = list(&[integer(number), integer(index), string(&[9; 60])]);
            if index % 2 == 1 { [vec![2], body].concat() } else { body }
        })
        .collect();
    let receipts: Vec<Vec<u8>> = (0..count).map(|index| receipt(number, index, index)).collect();
    let mut bloom = Bloom::ZERO;
    for leaf in &receipts {
        bloom.accrue(&superroot_proof::ledger::evm::Receipt::decode(leaf).unwrap().logs_bloom);
    }
    let header = list(&[
        string(&parent.0),
        string(&[1; 32]),
        string(&[2; 20]),
        string(&[3; 32]),
        string(&OrderedTrie::build(&transactions).root().0),
        string(&OrderedTrie::build(&receipts).root().0),
        string(&bloom.0),
        integer(0),
        integer(number),
        integer(30_000_000),
        integer(count * 21_000),
        integer(1_700_000_000 + number),
        string(b"world"),
        string(&[4; 32]),
        string(&[0; 8]),
        integer(7),
        string(&[5; 32]),
    ]);
    Block { header, transactions, receipts }
}

/// One published SuperRoot with everything behind it.
#[derive(Clone)]
pub struct Published {
    pub blob: Blob,
    pub leaf_counts: [LeafCount; Family::COUNT],
    pub appended: Vec<AppendedTwig>,
}

/// Consistency of strength `full` with the twigs that belong to it.
#[derive(Clone, Debug)]
pub struct Full {
    pub proof: FullConsistency,
    pub appended: Vec<AppendedTwig>,
}

impl Full {
    pub fn verify(&self, from: &Hash, to: &Hash) -> Result<(), ConsistencyError> {
        self.proof.verify(from, to, &self.appended)
    }
}

impl std::ops::Deref for Full {
    type Target = FullConsistency;

    fn deref(&self) -> &FullConsistency {
        &self.proof
    }
}

impl std::ops::DerefMut for Full {
    fn deref_mut(&mut self) -> &mut FullConsistency {
        &mut self.proof
    }
}

/// The log.
#[derive(Clone)]
pub struct World {
    pub registry: LogRegistry,
    pub blocks: BTreeMap<(ChainKey, u64), Block>,
    pub starts: BTreeMap<ChainKey, u64>,
    pub leaves: Vec<(ChainKey, TwigIndex, Hash)>,
    pub published: Vec<Published>,
}

pub fn registry() -> LogRegistry {
    let row = |chain: ChainKey, caip2: &str, code| Profile {
        chain,
        caip2: caip2.to_owned(),
        rules: vec![HashRuleFrom { from_number: 0, code }],
    };
    let bitcoin = ChainKey { family: Family::Bitcoin, id: ChainId(21_000_000) };
    LogRegistry::new(vec![
        row(ETHEREUM, "eip155:1", 1),
        row(OPTIMISM, "eip155:10", 1),
        row(bitcoin, "bip122:000000000019d6689c085ae165831e93", 0x0101),
    ])
    .unwrap()
}

/// Range over leaves held in memory: complete subtrees by the plain definition.
fn subtree<R: range::RangeHash>(leaves: &[Hash], height: u8, index: u64) -> Hash {
    let size = 1_usize << height;
    let part = &leaves[index as usize * size..][..size];
    match part {
        [leaf] => *leaf,
        _ => {
            let (left, right) = part.split_at(size / 2);
            R::node(&subtree::<R>(left, height - 1, 0), &subtree::<R>(right, height - 1, 0))
        }
    }
}

impl World {
    pub fn new() -> Self {
        Self::of(registry())
    }

    /// An empty log over these rows; Ethereum and Optimism must be among them.
    pub fn of(registry: LogRegistry) -> Self {
        let (blocks, starts) = (BTreeMap::new(), BTreeMap::new());
        let (leaves, published) = (Vec::new(), Vec::new());
        Self { registry, blocks, starts, leaves, published }
    }

    /// Ethereum from 4,096 over a twig's end, Optimism inside its first twig; four SuperRoots.
    pub fn sample() -> Self {
        Self::new().filled()
    }

    /// The sample, over this log's rows.
    pub fn filled(self) -> Self {
        let mut world = self;
        world.extend(ETHEREUM, 4096..=4100, |number| number % 5);
        world.publish(1_700_000_000);
        world.extend(ETHEREUM, 4101..=6150, |number| if number % 64 == 0 { 5 } else { 0 });
        world.extend(OPTIMISM, 0..=70, |number| number % 4);
        world.publish(1_700_000_012);
        world.extend(OPTIMISM, 71..=2047, |number| u64::from(number == 2047));
        world.publish(1_700_000_012);
        world.extend(OPTIMISM, 2048..=2060, |number| number % 3);
        world.extend(ETHEREUM, 6151..=6160, |_| 1);
        world.publish(1_700_000_036);
        world
    }

    pub fn extend(
        &mut self,
        chain: ChainKey,
        numbers: std::ops::RangeInclusive<u64>,
        count: impl Fn(u64) -> u64,
    ) {
        self.starts.entry(chain).or_insert(*numbers.start());
        for number in numbers {
            let parent = number.checked_sub(1).and_then(|below| self.blocks.get(&(chain, below)));
            let parent = parent.map_or(Hash::ZERO, Block::hash);
            self.blocks.insert((chain, number), block(number, parent, count(number)));
        }
    }

    /// One block, whatever it is.
    pub fn add(&mut self, chain: ChainKey, number: u64, block: Block) {
        self.starts.entry(chain).or_insert(number - number % 2048);
        self.blocks.insert((chain, number), block);
    }

    fn hashes(&self, chain: ChainKey, last: u64) -> Vec<(BlockNumber, Hash)> {
        let all = self.blocks.range((chain, 0)..=(chain, last));
        let numbers = all.map(|((_, number), _)| *number);
        numbers.map(|number| (BlockNumber(number), self.hash_at(chain, number))).collect()
    }

    /// Hash of a block by the rule of its chain.
    fn hash_at(&self, chain: ChainKey, number: u64) -> Hash {
        let header = &self.blocks[&(chain, number)].header;
        let (_, profile) = self.registry.find(chain).unwrap();
        let rule = HashRule::from_code(profile.code_at(number).unwrap());
        match rule.filter(|rule| chain.family != Family::Evm && *rule != HashRule::Withdrawn) {
            Some(rule) => {
                // of a family without a reader any hash will do
                superroot_proof::ledger::block_hash(rule, header)
                    .unwrap_or_else(|_| keccak256(header))
            }
            None => keccak256(header),
        }
    }

    pub fn publish(&mut self, timestamp: u64) -> Hash {
        let mut references = Vec::new();
        let mut appended = Vec::new();
        for (row, profile) in self.registry.numbered_rows() {
            let chain = profile.chain;
            let Some(last) = self.blocks.range((chain, 0)..=(chain, u64::MAX)).next_back() else {
                continue;
            };
            let (number, block_hash) = (last.0.1, self.hash_at(chain, last.0.1));
            let start = self.starts[&chain];
            let hashes = self.hashes(chain, number);
            let open = TwigIndex((number + 1) / 2048);
            for index in (start / 2048..open.0).map(TwigIndex) {
                if !self.leaves.iter().any(|(other, twig, _)| (*other, *twig) == (chain, index)) {
                    let twig_root = twig::build(chain, index, hashes.clone()).root();
                    appended.push(AppendedTwig { chain, twig_index: index, twig_root });
                }
            }
            references.push((
                row,
                ChainReference {
                    chain,
                    start: BlockNumber(start),
                    number: BlockNumber(number),
                    block_hash,
                    open_twig_root: twig::build(chain, open, hashes).root(),
                },
            ));
        }
        appended.sort_by_key(|twig| (twig.chain, twig.twig_index));
        for AppendedTwig { chain, twig_index, twig_root } in &appended {
            self.leaves.push((*chain, *twig_index, *twig_root));
        }
        let mut leaf_counts = [LeafCount::EMPTY; Family::COUNT];
        let mut mini_mmrs = [MiniMmr::EMPTY; Family::COUNT];
        for family in Family::ALL {
            let leaves = self.family_leaves(family);
            let slot = usize::from(family.byte());
            leaf_counts[slot] = LeafCount(leaves.len() as u64);
            let range_root = self.range_root::<KeccakRange>(&leaves);
            mini_mmrs[slot] = MiniMmr { leaf_count: leaf_counts[slot], range_root };
        }
        let sequence = Sequence(self.published.len() as u64);
        let log_root = self.range_root::<Sha256Range>(&self.entries());
        let history = SuperRootHistory { leaf_count: sequence.history(), log_root };
        let registry = self.registry.clone();
        let tree_root = build_tree(&mini_mmrs, &references, &history, registry.root()).root();
        let timestamp = UnixSeconds(timestamp);
        let super_root =
            SuperRoot { log_id: log_id(ORIGIN).unwrap(), sequence, timestamp, tree_root };
        let blob = Blob { super_root, mini_mmrs, references, history, registry };
        blob.check().unwrap();
        self.published.push(Published { blob, leaf_counts, appended });
        super_root.hash()
    }

    fn entries(&self) -> Vec<Hash> {
        self.published.iter().map(|one| SuperRootHistory::leaf(&one.blob.super_root)).collect()
    }

    /// Root of the history log of that size.
    pub fn log_root(&self, size: usize) -> Hash {
        self.range_root::<Sha256Range>(&self.entries()[..size])
    }

    /// Path of an entry in the history log of that size.
    pub fn path(&self, index: usize, size: usize) -> Vec<Hash> {
        let entries = self.entries();
        let fetch = |h, i| Ok::<_, Infallible>(subtree::<Sha256Range>(&entries, h, i));
        let (index, count) = (LeafIndex(index as u64), LeafCount(size as u64));
        range::prove_inclusion::<Sha256Range, _>(index, count, fetch).unwrap()
    }

    /// The history that a SuperRoot commits to, opened.
    pub fn opening(&self, sequence: usize) -> HistoryOpening {
        let blob = &self.published[sequence].blob;
        let siblings = blob.tree().siblings(HISTORY_SLOT).try_into().unwrap();
        HistoryOpening { history: blob.history, siblings }
    }

    /// The note of that size, by these signers, and the path of SuperRoot `sequence` in it.
    pub fn note_path(&self, sequence: usize, size: usize, signers: &[Signer]) -> NotePath {
        let (origin, root) = (ORIGIN.to_owned(), self.log_root(size));
        let text = Checkpoint { origin, size: LogSize(size as u64), root }.to_string();
        let notes = signers.iter().map(|signer| signer.sign(&text, 1_700_000_000));
        let note = notes.reduce(|note, other| note.joined(&other)).unwrap().to_string();
        NotePath { note, siblings: self.path(sequence, size) }
    }

    fn family_leaves(&self, family: Family) -> Vec<Hash> {
        let of_family = self.leaves.iter().filter(|(chain, ..)| chain.family == family);
        of_family.map(|(chain, index, root)| twig::twig_leaf(*chain, *index, root)).collect()
    }

    fn range_root<R: range::RangeHash>(&self, leaves: &[Hash]) -> Hash {
        let fetch = |height, index| Ok::<_, Infallible>(subtree::<R>(leaves, height, index));
        range::root::<R, _>(LeafCount(leaves.len() as u64), fetch).unwrap()
    }

    pub fn root(&self, sequence: usize) -> Hash {
        self.published[sequence].blob.super_root.hash()
    }

    /// The proof of a subject of a block, in SuperRoot `sequence`.
    pub fn prove(
        &self,
        chain: ChainKey,
        number: u64,
        subject: ProofSubject,
        both: bool,
        sequence: usize,
    ) -> Bundle {
        let block = &self.blocks[&(chain, number)];
        let trie = |leaves: &[Vec<u8>]| {
            subject
                .tx_index()
                .map(|index| OrderedTrie::build(leaves).prove(u64::from(index)).unwrap())
        };
        let is_log = matches!(subject, ProofSubject::Log { .. });
        let transaction = trie(&block.transactions).filter(|_| !is_log || both);
        let receipt = trie(&block.receipts).filter(|_| is_log || both);
        let entry =
            subject.tx_index().map(|_| EntryProof::Evm(TrieProofs { transaction, receipt }));
        let statement = Statement { chain, number: BlockNumber(number), subject };
        let block = BlockLevel {
            header: block.header.clone(),
            block_hash: self.hash_at(chain, number),
            twig: Some(self.prove_twig(chain, number, sequence)),
        };
        Bundle { origin: ORIGIN.to_owned(), statement, entry, block: Some(block) }
    }

    fn prove_twig(&self, chain: ChainKey, number: u64, sequence: usize) -> TwigProof {
        let blob = &self.published[sequence].blob;
        let at = blob.references.iter().find(|(_, reference)| reference.chain == chain);
        let (row, reference) = *at.unwrap();
        let index = TwigIndex(number / 2048);
        let tree = twig::build(chain, index, self.hashes(chain, reference.number.0));
        let siblings = tree.siblings(number % 2048).try_into().unwrap();
        let super_root = |slot| SuperRootProof {
            siblings: blob.tree().siblings(slot).try_into().unwrap(),
            preimage: blob.super_root.encode(),
            registry: RegistryOpening {
                profile: blob.registry.row(row).unwrap().encode().unwrap(),
                row,
                count: blob.registry.rows().len() as u8,
                row_siblings: blob.registry.tree().siblings(row.0.into()).try_into().unwrap(),
                siblings: blob.tree().siblings(REGISTRY_SLOT).try_into().unwrap(),
            },
            note: None,
        };
        let place = if index == reference.open_twig_index() {
            TwigPosition::Open(OpenPlace {
                start: reference.start,
                number: reference.number,
                block_hash: reference.block_hash,
                super_root: super_root(reference_slot(row)),
            })
        } else {
            let (leaf_index, siblings) = self.mini_mmr_path(chain, index, sequence);
            let slot = u64::from(chain.family.byte());
            let leaf_count = self.published[sequence].leaf_counts[slot as usize];
            let root = blob.mini_mmrs[slot as usize].root(chain.family);
            let super_root = Some(super_root(slot));
            TwigPosition::Sealed(SealedPlace { leaf_index, leaf_count, siblings, root, super_root })
        };
        TwigProof { siblings, root: tree.root(), place: Some(place) }
    }

    fn mini_mmr_path(
        &self,
        chain: ChainKey,
        index: TwigIndex,
        sequence: usize,
    ) -> (LeafIndex, Vec<Hash>) {
        let family = chain.family;
        let mut of_family = self.leaves.iter().filter(|(other, ..)| other.family == family);
        let leaf_index = of_family.position(|(other, twig, _)| (*other, *twig) == (chain, index));
        let leaf_index = LeafIndex(leaf_index.unwrap() as u64);
        let leaves = self.family_leaves(family);
        let count = self.published[sequence].leaf_counts[usize::from(family.byte())];
        let fetch = |h, i| Ok::<_, Infallible>(subtree::<KeccakRange>(&leaves, h, i));
        let path = range::prove_inclusion::<KeccakRange, _>(leaf_index, count, fetch).unwrap();
        (leaf_index, path)
    }

    /// The twigs appended after one SuperRoot, up to and with another, family by family.
    pub fn appended(&self, from: usize, to: usize) -> Vec<AppendedTwig> {
        let mut appended = Vec::new();
        for family in Family::ALL {
            let slot = usize::from(family.byte());
            let count = |at: usize| self.published[at].leaf_counts[slot].0 as usize;
            let of_family = self.leaves.iter().filter(|(chain, ..)| chain.family == family);
            let new = of_family.skip(count(from)).take(count(to) - count(from));
            appended.extend(new.map(|(chain, twig_index, twig_root)| AppendedTwig {
                chain: *chain,
                twig_index: *twig_index,
                twig_root: *twig_root,
            }));
        }
        appended
    }

    /// Consistency of strength `full` between two SuperRoots.
    pub fn consistency(&self, from: usize, to: usize) -> Full {
        let (old, new) = (&self.published[from].blob, &self.published[to].blob);
        let entries = self.entries();
        let fetch = |h, i| Ok::<_, Infallible>(subtree::<Sha256Range>(&entries, h, i));
        let (m, n) = (LeafCount(from as u64), LeafCount(to as u64));
        let history = HistoryConsistency {
            upgrade: LogExtension {
                from: old.super_root,
                to: new.super_root,
                opening: self.opening(to),
                path: self.path(from, to),
            },
            from_opening: self.opening(from),
            path: range::prove_consistency::<Sha256Range, _>(m, n, fetch).unwrap(),
        };
        let mini_mmr_paths = Family::ALL.map(|family| {
            let leaves = self.family_leaves(family);
            let slot = usize::from(family.byte());
            let (m, n) = (old.mini_mmrs[slot].leaf_count, new.mini_mmrs[slot].leaf_count);
            let fetch = |h, i| Ok::<_, Infallible>(subtree::<KeccakRange>(&leaves, h, i));
            range::prove_consistency::<KeccakRange, _>(m, n, fetch).unwrap()
        });
        let bridges = old.references.iter().filter_map(|(row, before)| {
            let next = before.number.0 + 1;
            let after = new.references.iter().find(|(other, _)| other == row).unwrap().1;
            let chain = before.chain;
            let index = before.open_twig_index();
            let tree = twig::build(chain, index, self.hashes(chain, after.number.0));
            let siblings = tree.siblings(next % 2048).try_into().unwrap();
            let bridge = Bridge { chain, leaf: tree.slot(next % 2048), siblings };
            (next % 2048 != 0).then_some(bridge)
        });
        let bridges = bridges.collect();
        let appended = self.appended(from, to);
        let (from, to) = (old.clone(), new.clone());
        let proof = FullConsistency { history, from, to, mini_mmr_paths, bridges };
        Full { proof, appended }
    }
}

/// The tries of a proof of the EVM family.
pub fn tries(bundle: &mut Bundle) -> &mut TrieProofs {
    match &mut bundle.entry {
        Some(EntryProof::Evm(tries)) => tries,
        other => panic!("no tries: {other:?}"),
    }
}
