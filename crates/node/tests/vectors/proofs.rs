//! `vectors/`: proofs, good and bad, that every verifier reads. The good ones are of real blocks,
//! the bad ones of a made-up log, each with the reason and the step at which it must fail.
//!
//! `make vectors` writes them anew; `SUPERROOT_DATA` must be at hand for the real ones.

mod forged;
mod of_aptos;
mod of_bitcoin;
mod of_cosmos;
mod of_icp;
mod of_polkadot;
mod of_solana;
mod of_sui;
mod of_tron;
mod valid;

use std::fs;

use crate::world::*;
use crate::{folder, read, same_in_file};
use serde::{Deserialize, Serialize};
use superroot_chain::ChainRegistry;
use superroot_proof::bundle::*;
use superroot_proof::hash::keccak256;
use superroot_proof::mpt::OrderedTrie;
use superroot_types::*;

/// A proof that must be refused.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Hostile {
    /// What was done to it.
    name: String,
    /// Why it must be refused.
    reason: String,
    /// `encoding`, `statement`, `level N (name)` or `anchor`.
    refused_at: String,
    /// SuperRoot hash that the verifier trusts.
    trusted: Hash,
    /// The `.srproof` file in hex.
    proof: String,
}

/// A proof that holds, with the positions that it shows: what no hash binds is `null`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shown {
    /// What is proven.
    name: String,
    /// Whether the entry is shown to be in this very block; otherwise it is in the chain by this block.
    block_bound: bool,
    tx_index: Option<u32>,
    log_index: Option<u32>,
    /// SuperRoot hash it leads to.
    trusted: Hash,
    /// The `.srproof` file in hex.
    proof: String,
}

impl Shown {
    fn of(name: &str, trusted: Hash, bundle: &Bundle) -> Self {
        let facts = verify_anchored(bundle, &policy(), &trusted).unwrap();
        Self {
            name: name.to_owned(),
            block_bound: facts.block_bound,
            tx_index: facts.statement.tx_index(),
            log_index: facts.statement.log_index(),
            trusted,
            proof: const_hex::encode(bundle.encode()),
        }
    }
}

/// A proof of a real block.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Real {
    /// Chain and number of the block.
    source: String,
    /// What is proven.
    shows: String,
    /// SuperRoot hash it leads to.
    trusted: Hash,
    /// The `.srproof` file in hex.
    proof: String,
}

fn policy() -> Policy<'static> {
    Policy::strict(ChainRegistry::builtin().proof_registry())
}

/// Where a proof fails; `None` when it holds.
pub(crate) fn refused_at(bytes: &[u8], trusted: &Hash) -> Option<String> {
    match Bundle::decode(bytes) {
        Err(_) => Some("encoding".to_owned()),
        Ok(bundle) => match verify_anchored(&bundle, &policy(), trusted) {
            Err(error) => Some(error.step.to_string()),
            Ok(_) => None,
        },
    }
}

/// Collects lies about one log.
struct Lies {
    trusted: Hash,
    all: Vec<Hostile>,
}

impl Lies {
    fn add(&mut self, name: &str, reason: &str, bundle: &Bundle) {
        self.add_bytes(name, reason, bundle.encode());
    }

    fn add_bytes(&mut self, name: &str, reason: &str, bytes: Vec<u8>) {
        let refused_at = refused_at(&bytes, &self.trusted);
        self.all.push(Hostile {
            name: name.to_owned(),
            reason: reason.to_owned(),
            refused_at: refused_at.unwrap_or_else(|| panic!("{name} was accepted")),
            trusted: self.trusted,
            proof: const_hex::encode(bytes),
        });
    }
}

/// A block whose header commits to tries that no honest chain has: what the hashes alone would let
/// pass.
fn forged_block(number: u64, parent: Hash) -> (Block, Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let short = vec![0xc2, 0x31, 0x05];
    let branch = |children: &[&[u8]]| {
        let mut payload: Vec<u8> = children.concat();
        payload.extend(std::iter::repeat_n(0x80, 17 - children.len()));
        [vec![0xf8, u8::try_from(payload.len()).unwrap()], payload].concat()
    };
    let hash = |node: &[u8]| [&[0xa0], keccak256(node).0.as_slice()].concat();
    // key rlp(0) = 80: nibbles 8, 0
    let inner = branch(&[&hash(&short), &[0xc2, 0x20, 0x07]]);
    let empty = [0x80_u8];
    let mut children: Vec<&[u8]> = vec![&empty; 8];
    let to_inner = hash(&inner);
    children.push(&to_inner);
    children.push(&[0xc2, 0x20, 0x07]);
    let root = branch(&children);
    let short_proof = vec![root.clone(), inner, short];
    let trailing =
        [OrderedTrie::build(&[vec![7; 40]]).prove(0).unwrap().remove(0), vec![0]].concat();
    let mut block = block(number, parent, 1);
    let swap = |header: &mut Vec<u8>, old: Hash, new: Hash| {
        let at = header.windows(32).position(|window| window == old.0).unwrap();
        header[at..at + 32].copy_from_slice(&new.0);
    };
    let (old_tx, old_receipts) = (
        OrderedTrie::build(&block.transactions).root(),
        OrderedTrie::build(&block.receipts).root(),
    );
    swap(&mut block.header, old_tx, keccak256(&root));
    swap(&mut block.header, old_receipts, keccak256(&trailing));
    (block, short_proof, vec![trailing])
}

fn hostile() -> Vec<Hostile> {
    let mut world = World::of(ChainRegistry::builtin().proof_registry().clone()).filled();
    let parent = world.blocks[&(ETHEREUM, 6160)].hash();
    let (forged, short_node, trailing_node) = forged_block(6161, parent);
    world.blocks.insert((ETHEREUM, 6161), forged);
    world.publish(1_700_000_048);
    let last = world.published.len() - 1;
    let mut lies = Lies { trusted: world.root(last), all: Vec::new() };
    let tx = ProofSubject::Transaction { tx_index: 3 };
    let log = ProofSubject::Log { tx_index: 3, log_index: 2 };
    let sealed = world.prove(ETHEREUM, 4099, tx, true, last);
    let event = world.prove(ETHEREUM, 4099, log, false, last);
    let open = world.prove(ETHEREUM, 6160, ProofSubject::Block, false, last);
    statements(&mut lies, &sealed, &event, &open);
    entries(&mut lies, &world, &sealed, &event);
    for (name, transaction, receipt, reason) in [
        (
            "hashed node under 32 bytes",
            Some(short_node),
            None,
            "a trie node that is hashed has 32 bytes or more, unless it is the root",
        ),
        (
            "trailing bytes in a node",
            None,
            Some(trailing_node),
            "bytes after the node's list are not canonical RLP",
        ),
    ] {
        let subject = match receipt {
            None => ProofSubject::Transaction { tx_index: 0 },
            Some(_) => ProofSubject::Log { tx_index: 0, log_index: 0 },
        };
        let mut lie = world.prove(ETHEREUM, 6161, ProofSubject::Block, false, last);
        lie.statement.subject = subject;
        lie.entry = Some(EntryProof::Evm(TrieProofs { transaction, receipt }));
        lies.add(name, reason, &lie);
    }
    paths(&mut lies, &world, &sealed, &open);
    encodings(&mut lies, &sealed, &open);
    forged::ranges(&mut lies, &sealed);
    forged::add(&mut lies);
    lies.all
}

fn statements(lies: &mut Lies, sealed: &Bundle, event: &Bundle, open: &Bundle) {
    let mut with = |name: &str, reason: &str, good: &Bundle, bend: &dyn Fn(&mut Bundle)| {
        let mut lie = good.clone();
        bend(&mut lie);
        lies.add(name, reason, &lie);
    };
    let chain = |family, id| ChainKey { family, id: ChainId(id) };
    let number = |n| move |lie: &mut Bundle| lie.statement.number = BlockNumber(n);
    with("number one more", "the header has another number", sealed, &number(4100));
    with("number in another twig", "the header has another number", sealed, &number(4099 + 2048));
    with("number 2^53", "numbers are below 2^53", sealed, &number(1 << 53));
    with("another chain", "its leaf names its chain", sealed, &|lie| {
        lie.statement.chain = OPTIMISM;
    });
    with("another family", "no such row", sealed, &|lie| {
        lie.statement.chain = chain(Family::Sui, 1);
    });
    with("tries of another family", "Bitcoin's level 1 has another form", sealed, &|lie| {
        lie.statement.chain = chain(Family::Bitcoin, 21_000_000);
    });
    with("unknown chain", "the chain is not in the registry", sealed, &|lie| {
        lie.statement.chain = chain(Family::Evm, 4_242_424);
    });
    with("chain id 2^53", "ids are below 2^53", sealed, &|lie| {
        lie.statement.chain = chain(Family::Evm, 1 << 53);
    });
    with("unknown chain, open", "the chain is not in the registry", open, &|lie| {
        lie.statement.chain = chain(Family::Evm, 4_242_424);
    });
    with("another transaction", "the nodes lead along another key", sealed, &|lie| {
        lie.statement.subject = ProofSubject::Transaction { tx_index: 2 };
    });
    with("transaction past the block", "the trie ends elsewhere", sealed, &|lie| {
        lie.statement.subject = ProofSubject::Transaction { tx_index: 4 };
    });
    with("absence of what is there", "the trie has a leaf there", sealed, &|lie| {
        lie.statement.subject = ProofSubject::Absence { tx_index: 3 };
    });
    with("log index past the receipt", "the receipt has three logs", event, &|lie| {
        lie.statement.subject = ProofSubject::Log { tx_index: 3, log_index: 3 };
    });
    with("log index 2^32 - 1", "the receipt has three logs", event, &|lie| {
        lie.statement.subject = ProofSubject::Log { tx_index: 3, log_index: u32::MAX };
    });
    with("origin of a live log", "the SuperRoot has another log id", sealed, &|lie| {
        lie.origin = "example.org/live".to_owned();
    });
    with("origin with a space", "an origin has no white space", sealed, &|lie| {
        lie.origin = "simulated/a world".to_owned();
    });
    with("origin with a plus", "an origin has no plus sign", sealed, &|lie| {
        lie.origin = "simulated/world+1".to_owned();
    });
}

fn entries(lies: &mut Lies, world: &World, sealed: &Bundle, event: &Bundle) {
    let mut with = |name: &str, reason: &str, good: &Bundle, bend: &dyn Fn(&mut TrieProofs)| {
        let mut lie = good.clone();
        bend(tries(&mut lie));
        lies.add(name, reason, &lie);
    };
    with("no trie at all", "level 1 is missing", sealed, &|entry| {
        *entry = TrieProofs::default();
    });
    with("transaction without its trie", "the statement needs it", sealed, &|entry| {
        entry.transaction = None;
    });
    with("log without the receipt trie", "the statement needs it", event, &|entry| {
        *entry = TrieProofs { transaction: entry.receipt.take(), receipt: None };
    });
    with("empty trie proof", "an empty proof proves nothing", sealed, &|entry| {
        entry.transaction = Some(Vec::new());
    });
    with("node left out", "the walk ends before its key", sealed, &|entry| {
        entry.transaction.as_mut().unwrap().pop();
    });
    with("node too many", "every part must be used", sealed, &|entry| {
        entry.transaction.as_mut().unwrap().push(vec![0x80]);
    });
    with("nodes in another order", "a node has another hash", sealed, &|entry| {
        entry.receipt.as_mut().unwrap().reverse();
    });
    with("tries exchanged", "the roots are the header's own fields", sealed, &|entry| {
        std::mem::swap(&mut entry.transaction, &mut entry.receipt);
    });
    let other = world.prove(ETHEREUM, 6160, ProofSubject::Transaction { tx_index: 0 }, true, 4);
    with("trie of another block", "the root is another", sealed, &|entry| {
        *entry = tries(&mut other.clone()).clone();
    });
    let forged = receipt(4099, 3, 4);
    with("receipt of one's own making", "the root is another", event, &|entry| {
        entry.receipt = Some(OrderedTrie::build(std::slice::from_ref(&forged)).prove(0).unwrap());
    });
}

fn paths(lies: &mut Lies, world: &World, sealed: &Bundle, open: &Bundle) {
    let other = world.prove(ETHEREUM, 4098, ProofSubject::Block, false, 4);
    let mut with = |name: &str, reason: &str, good: &Bundle, bend: &dyn Fn(&mut BlockLevel)| {
        let mut lie = good.clone();
        bend(lie.block.as_mut().unwrap());
        lies.add(name, reason, &lie);
    };
    with("header of another block", "it hashes to another block hash", sealed, &|block| {
        block.header = other.block.as_ref().unwrap().header.clone();
    });
    with("header and hash of another block", "its number is another", sealed, &|block| {
        block.header = other.block.as_ref().unwrap().header.clone();
        block.block_hash = other.block.as_ref().unwrap().block_hash;
    });
    with("header cut short", "it is no header", sealed, &|block| {
        block.header.pop();
    });
    with("block hash of zeros", "the header has another hash", sealed, &|block| {
        block.block_hash = Hash::ZERO;
    });
    let twig = |block: &mut BlockLevel, bend: &dyn Fn(&mut TwigProof)| {
        bend(block.twig.as_mut().unwrap());
    };
    for height in [0, 5, 10] {
        let name = format!("twig sibling {height} of zeros");
        with(&name, "the path leads to another twig root", sealed, &|block| {
            twig(block, &|twig| twig.siblings[height] = Hash([0xaa; 32]));
        });
    }
    with("twig root of zeros", "the path leads to another root", sealed, &|block| {
        twig(block, &|twig| twig.root = Hash::ZERO);
    });
    with("path of another block", "it leads to another twig root", sealed, &|block| {
        twig(block, &|twig| twig.siblings = other.twig().unwrap().siblings);
    });
    let in_mmr = |block: &mut BlockLevel, bend: &dyn Fn(&mut SealedPlace)| {
        twig(block, &|twig| match twig.place.as_mut().unwrap() {
            TwigPosition::Sealed(sealed) => bend(sealed),
            TwigPosition::Open(_) => unreachable!("the block lies in a sealed twig"),
        });
    };
    with("another leaf index", "another leaf stands there", sealed, &|block| {
        in_mmr(block, &|sealed| sealed.leaf_index.0 ^= 1);
    });
    with("another Mini-MMR sibling", "it leads to another root", sealed, &|block| {
        in_mmr(block, &|sealed| sealed.siblings[0] = Hash::ZERO);
    });
    with("Mini-MMR root of zeros", "the path leads to another root", sealed, &|block| {
        in_mmr(block, &|sealed| sealed.root = Hash::ZERO);
    });
    for (name, version) in [("SuperRoot version 4", 4), ("SuperRoot version 6", 6)] {
        with(name, "version 5 alone is known, there is no falling back", sealed, &|block| {
            in_mmr(block, &|one| one.super_root.as_mut().unwrap().preimage[1] = version);
        });
    }
    with("SuperRoot tag 08", "a SuperRoot's preimage begins with 07", sealed, &|block| {
        in_mmr(block, &|one| one.super_root.as_mut().unwrap().preimage[0] = 8);
    });
    with("sequence one more", "it is another SuperRoot", sealed, &|block| {
        in_mmr(block, &|one| one.super_root.as_mut().unwrap().preimage[41] ^= 1);
    });
    with("timestamp 2^63", "times are below 2^53", sealed, &|block| {
        in_mmr(block, &|one| one.super_root.as_mut().unwrap().preimage[42] ^= 0x80);
    });
    with("SuperRoot sibling of zeros", "the path leads elsewhere", sealed, &|block| {
        in_mmr(block, &|one| one.super_root.as_mut().unwrap().siblings[2] = Hash::ZERO);
    });
    let opened = |block: &mut BlockLevel, bend: &dyn Fn(&mut RegistryOpening)| {
        in_mmr(block, &|one| bend(&mut one.super_root.as_mut().unwrap().registry));
    };
    let neighbour = world.registry.rows()[1].encode().unwrap();
    with("registry of another log", "it is not under slot 55", sealed, &|block| {
        opened(block, &|opening| opening.siblings[0] = Hash::ZERO);
    });
    with("profile of another chain", "the chain's own profile is opened", sealed, &|block| {
        opened(block, &|opening| opening.profile.clone_from(&neighbour));
    });
    with("profile in another row", "the path leads elsewhere", sealed, &|block| {
        opened(block, &|opening| opening.row.0 ^= 1);
    });
    with("a row more", "the count is hashed", sealed, &|block| {
        opened(block, &|opening| opening.count += 1);
    });
    with("row past the last", "a row is below the count", sealed, &|block| {
        opened(block, &|opening| opening.row = RowIndex(opening.count));
    });
    with("profile cut short", "it is no profile", sealed, &|block| {
        opened(block, &|opening| opening.profile.truncate(20));
    });
    with("ends at level 4", "there is no SuperRoot to compare", sealed, &|block| {
        in_mmr(block, &|one| one.super_root = None);
    });
    let in_run = |block: &mut BlockLevel, bend: &dyn Fn(&mut OpenPlace)| {
        twig(block, &|twig| match twig.place.as_mut().unwrap() {
            TwigPosition::Open(open) => bend(open),
            TwigPosition::Sealed(_) => unreachable!("the block lies in the open twig"),
        });
    };
    with("run that ends before it", "the block is past the run", open, &|block| {
        in_run(block, &|one| one.number = BlockNumber(6159));
    });
    with("run that starts after it", "the block is before the run", open, &|block| {
        in_run(block, &|one| one.start = BlockNumber(6161));
    });
    with("run of another twig", "the block is not in its open twig", open, &|block| {
        in_run(block, &|one| one.number = BlockNumber(8192));
    });
    with("another last block", "the reference is another", open, &|block| {
        in_run(block, &|one| one.block_hash = Hash::ZERO);
    });
    let (sealed_place, open_place) = (sealed.place().cloned(), open.place().cloned());
    with("open block as sealed", "its twig is in no Mini-MMR", open, &|block| {
        twig(block, &|twig| twig.place = sealed_place.clone());
    });
    with("sealed block as open", "its twig is not the open one", sealed, &|block| {
        twig(block, &|twig| twig.place = open_place.clone());
    });
    let older = world.prove(ETHEREUM, 4099, ProofSubject::Transaction { tx_index: 3 }, true, 2);
    lies.add("an older SuperRoot", "it is not the one that is trusted", &older);
}

/// What a decoder must refuse, before anything is verified.
fn encodings(lies: &mut Lies, sealed: &Bundle, open: &Bundle) {
    let good = sealed.encode();
    let flags_at = 8 + 1 + sealed.origin.len() + 1 + 8 + 8 + 5 + 4;
    let mut with = |name: &str, reason: &str, bend: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        bend(&mut bytes);
        lies.add_bytes(name, reason, bytes);
    };
    with("no bytes", "nothing is no proof", &|bytes| bytes.clear());
    with("magic alone", "it is cut short", &|bytes| bytes.truncate(7));
    with("another magic", "it is no proof file", &|bytes| bytes[0] = b's');
    with("format 0", "format 1 alone is known", &|bytes| bytes[7] = 0);
    with("format 2", "format 1 alone is known", &|bytes| bytes[7] = 2);
    with("cut in the middle", "it is cut short", &|bytes| bytes.truncate(bytes.len() / 2));
    with("last byte left out", "it is cut short", &|bytes| {
        bytes.pop();
    });
    with("a byte too many", "bytes follow the proof", &|bytes| bytes.push(0));
    with("twice", "bytes follow the proof", &|bytes| bytes.extend(bytes.clone()));
    with("unknown family", "there are nine families", &|bytes| bytes[9 + 15] = 9);
    with("unknown subject", "there are four subjects", &|bytes| bytes[9 + 15 + 17] = 4);
    with("damaged statement", "its check does not fit", &|bytes| bytes[9 + 15 + 21] ^= 1);
    with("sealed and open", "a twig has one place", &|bytes| bytes[flags_at] |= 1 << 5);
    with("place without a twig", "a place stands on a twig", &|bytes| bytes[flags_at] &= !(1 << 3));
    with("twig without a header", "a twig stands on a header", &|bytes| {
        bytes[flags_at] &= !(1 << 2)
    });
    with("21 trie nodes", "a trie proof has at most 20", &|bytes| bytes[flags_at + 1] = 21);
    with("a node of 4 GiB", "a length past the file", &|bytes| {
        bytes[flags_at + 2..flags_at + 6].fill(0xff);
    });
    // the mask of the SuperRoot path says that an empty sibling is left out; writing it instead
    let bytes = open.encode();
    let empty = superroot_proof::perfect::zeros(6);
    let siblings = &open.super_root().unwrap().siblings;
    let height = siblings.iter().zip(empty).position(|(one, zero)| one == zero).unwrap();
    let written = siblings.iter().zip(empty).filter(|(one, zero)| one != zero);
    let opening = &open.super_root().unwrap().registry;
    let hashes = |path: &[Hash]| path.iter().zip(empty).filter(|(one, zero)| one != zero).count();
    let paths = hashes(&opening.row_siblings) + hashes(&opening.siblings);
    let tail = 2 + opening.profile.len() + 2 + 2 * 2 + 32 * paths;
    let count = written.clone().count();
    let mask_at = bytes.len() - tail - 82 - 32 * count - 2;
    let before = siblings[..height].iter().zip(empty).filter(|(one, zero)| one != zero).count();
    let mut spelled = bytes.clone();
    spelled[mask_at + 1] &= !(1 << height);
    let at = mask_at + 2 + 32 * before;
    spelled.splice(at..at, empty[height].0);
    lies.add_bytes("empty sibling written out", "a proof has one encoding", spelled);
    let mut high = bytes;
    high[mask_at] |= 0x80;
    lies.add_bytes("mask bit past the height", "a proof has one encoding", high);
}

#[test]
fn every_hostile_proof_is_refused_at_its_step() {
    check_hostile("proofs.json", &hostile(), 60);
}

#[test]
fn every_hostile_proof_of_bitcoin_is_refused_at_its_step() {
    check_hostile("bitcoin.json", &of_bitcoin::hostile(), 20);
}

#[test]
fn every_hostile_proof_of_cosmos_is_refused_at_its_step() {
    check_hostile("cosmos.json", &of_cosmos::hostile(), 20);
}

#[test]
fn every_hostile_proof_of_polkadot_is_refused_at_its_step() {
    check_hostile("polkadot.json", &of_polkadot::hostile(), 30);
}

#[test]
fn every_hostile_proof_of_tron_is_refused_at_its_step() {
    check_hostile("tron.json", &of_tron::hostile(), 20);
}

#[test]
fn every_hostile_proof_of_aptos_is_refused_at_its_step() {
    check_hostile("aptos.json", &of_aptos::hostile(), 50);
}

#[test]
fn every_hostile_proof_of_icp_is_refused_at_its_step() {
    check_hostile("icp.json", &of_icp::hostile(), 40);
}

#[test]
fn every_hostile_proof_of_solana_is_refused_at_its_step() {
    check_hostile("solana.json", &of_solana::hostile(), 60);
}

#[test]
fn every_hostile_proof_of_sui_is_refused_at_its_step() {
    check_hostile("sui.json", &of_sui::hostile(), 30);
}

fn check_hostile(file: &str, made: &[Hostile], count_min: usize) {
    let vectors = same_in_file(&format!("hostile/{file}"), made, |one| &one.name);
    for vector in &vectors {
        let bytes = const_hex::decode(&vector.proof).unwrap();
        let refused = refused_at(&bytes, &vector.trusted);
        assert_eq!(refused.as_ref(), Some(&vector.refused_at), "{}", vector.name);
    }
    assert!(vectors.len() >= count_min, "{} hostile proofs", vectors.len());
}

/// Proofs of each kind of ledger: those that bind every position of the statement, and those that do not.
fn shown() -> Vec<Shown> {
    let world = World::of(ChainRegistry::builtin().proof_registry().clone()).filled();
    let last = world.published.len() - 1;
    let log = ProofSubject::Log { tx_index: 3, log_index: 2 };
    let bundle = world.prove(ETHEREUM, 4099, log, true, last);
    let of_evm = Shown::of("a log of Ethereum", world.root(last), &bundle);
    let others = [of_aptos::shown(), of_polkadot::shown(), of_solana::shown()];
    [of_evm].into_iter().chain(others.into_iter().flatten()).collect()
}

#[test]
fn every_proof_shows_the_positions_that_its_hashes_bind() {
    for vector in &same_in_file("protocol/shown.json", &shown(), |one| &one.name) {
        let bytes = const_hex::decode(&vector.proof).unwrap();
        let bundle = Bundle::decode(&bytes).unwrap();
        assert_eq!(&Shown::of(&vector.name, vector.trusted, &bundle), vector);
        let evm = bundle.statement.chain.family == Family::Evm;
        let all = vector.block_bound && vector.tx_index.is_some() && vector.log_index.is_some();
        assert_eq!(all, evm, "{}", vector.name);
    }
}

#[test]
fn every_real_proof_verifies() {
    let vectors: Vec<Real> = read("real/ethereum.json");
    for vector in &vectors {
        let bytes = const_hex::decode(&vector.proof).unwrap();
        let bundle = Bundle::decode(&bytes).unwrap();
        let facts = verify_anchored(&bundle, &policy(), &vector.trusted).unwrap();
        assert_eq!(facts.network, Network::Recorded);
        let Statement { chain, number, .. } = facts.statement;
        assert_eq!(vector.source, format!("chain {chain}, block {number}"));
        assert_eq!(vector.shows, facts.statement.subject.name());
    }
    assert!(vectors.len() >= 6, "{} real proofs", vectors.len());
}

/// The first proof that a reader meets is there, is true, and is the one of `vectors/real`.
#[test]
fn the_proof_of_the_readme_verifies() {
    let name = "ethereum-13998626-event.srproof";
    let bytes = fs::read(folder("real").join(name)).unwrap();
    let vectors: Vec<Real> = read("real/ethereum.json");
    let listed = vectors.iter().find(|vector| vector.proof == const_hex::encode(&bytes)).unwrap();
    let bundle = Bundle::decode(&bytes).unwrap();
    verify_anchored(&bundle, &policy(), &listed.trusted).unwrap();
    let readme = fs::read_to_string(folder("").join("../README.md")).unwrap();
    let command = format!("verify vectors/real/{name} \\\n  --superroot {}", listed.trusted);
    assert!(readme.contains(&command), "README must say: {command}");
}

/// A file that no test reads proves nothing.
#[test]
fn every_file_of_vectors_is_read() {
    let known = [
        "protocol/commitment.json",
        "hostile/bodies.json",
        "hostile/calldata.json",
        "hostile/calldata-bitcoin.json",
        "hostile/consistency.json",
        "hostile/proofs.json",
        "hostile/scans.json",
        "hostile/aptos.json",
        "hostile/bitcoin.json",
        "hostile/cosmos.json",
        "hostile/icp.json",
        "hostile/polkadot.json",
        "hostile/solana.json",
        "polkadot/tries.json",
        "polkadot/tries.py",
        "hostile/tron.json",
        "hostile/sui.json",
        "sui/synthetic.json",
        "protocol/consistency.json",
        "protocol/shown.json",
        "real/calldata.json",
        "real/calldata-bitcoin.json",
        "real/ethereum.json",
        "real/ethereum-13998626-event.srproof",
        "valid/ledgers.json",
        "notes/notes.json",
        "notes/cosignatures.json",
        "notes/evidence.json",
        "prices/arithmetic.json",
        "prices/prices.json",
        "prices/launches.json",
        "usage/usage.json",
        "finality/finality.json",
    ];
    let mut found = Vec::new();
    for entry in fs::read_dir(folder("")).unwrap().map(|entry| entry.unwrap().path()) {
        assert!(entry.is_dir(), "{} belongs into a folder", entry.display());
        let name = entry.file_name().unwrap().to_string_lossy().into_owned();
        for file in fs::read_dir(&entry).unwrap().map(|file| file.unwrap().file_name()) {
            found.push(format!("{name}/{}", file.to_string_lossy()));
        }
    }
    found.sort();
    let mut known = known.map(str::to_owned).to_vec();
    known.sort();
    assert_eq!(found, known);
}
