//! Blocks whose hashes are right and whose bytes are not: what a verifier that only compared hashes
//! would let pass. They stand in a log of their own.

use alloy_rlp::Header as RlpHeader;
use superroot_chain::ChainRegistry;
use superroot_proof::bundle::*;
use superroot_proof::hash::keccak256;
use superroot_proof::mpt::OrderedTrie;
use superroot_proof::registry::{HashRuleFrom, LogRegistry};
use superroot_proof::superroot::ChainReference;
use superroot_types::{Hash, LeafCount, LeafIndex};

use super::Lies;
use crate::world::*;

/// Number of the first forged block.
const FORGED: u64 = 3;
/// Where the roots stand among a header's fields.
const TRANSACTIONS_ROOT: usize = 4;

/// A forged block, and the nodes that lead to transaction 0 in it.
struct Forgery {
    name: &'static str,
    reason: &'static str,
    header: Vec<u8>,
    /// The proof of transaction 0; the block itself is proven where there is none.
    nodes: Option<Vec<Vec<u8>>>,
}

/// The items of a list, each with its own prefix.
fn fields(header: &[u8]) -> Vec<Vec<u8>> {
    let mut rest = header;
    RlpHeader::decode(&mut rest).unwrap();
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let mut after = rest;
        let item = RlpHeader::decode(&mut after).unwrap();
        let length = rest.len() - after.len() + item.payload_length;
        fields.push(rest[..length].to_vec());
        rest = &rest[length..];
    }
    fields
}

/// The header of a good block of that number, with its fields changed.
fn header(number: u64, change: impl FnOnce(&mut Vec<Vec<u8>>)) -> Vec<u8> {
    let mut fields = fields(&block(number, Hash([8; 32]), 0).header);
    change(&mut fields);
    list(&fields)
}

/// The header of a block whose transaction trie has that one node.
fn over_node(number: u64, node: &[u8]) -> Vec<u8> {
    let root = keccak256(node);
    header(number, |fields| fields[TRANSACTIONS_ROOT] = string(&root.0))
}

/// A leaf node: the path of a key in hex-prefix form, and a value.
fn leaf(path: &[u8]) -> Vec<u8> {
    list(&[string(path), string(&[7; 60])])
}

fn forgeries() -> Vec<Forgery> {
    let mut all = Vec::new();
    let number = |all: &Vec<Forgery>| FORGED + all.len() as u64;
    let count = "no rule of the chain has a header with that number of fields";
    type Change<'a> = &'a dyn Fn(&mut Vec<Vec<u8>>);
    let changes: [(_, _, Change<'_>); 5] = [
        ("header of 14 fields", count, &|fields| fields.resize(14, integer(1))),
        ("header of 18 fields", count, &|fields| fields.resize(18, integer(1))),
        ("header of 24 fields", count, &|fields| fields.resize(24, integer(1))),
        ("non-minimal integer in a header", "an integer in RLP has no leading zeros", &|fields| {
            fields[9] = vec![0x82, 0, 7]
        }),
        ("wrapped byte in a header", "a single byte below 80 is its own RLP", &|fields| {
            fields[9] = vec![0x81, 7]
        }),
    ];
    for (name, reason, change) in changes {
        let header = header(number(&all), change);
        all.push(Forgery { name, reason, header, nodes: None });
    }
    let payload = fields(&header(number(&all), |_| ())).concat();
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let header = [&[0xfb][..], &length, &payload].concat();
    let (name, reason) = ("non-minimal length of a header", "a length in RLP has no leading zeros");
    all.push(Forgery { name, reason, header, nodes: None });
    // key rlp(0) = 80: nibbles 8, 0
    let sound = leaf(&[0x20, 0x80]);
    let wrapped = [vec![0xf8, 0x42, 0x82, 0x20, 0x80, 0xb8, 0x3c], vec![7; 60]].concat();
    for (name, reason, node) in [
        ("key that ends early", "the leaf's path is shorter than the key", leaf(&[0x38])),
        ("key that ends late", "the leaf's path is longer than the key", leaf(&[0x20, 0x80, 0])),
        (
            "non-minimal length in a node",
            "a payload under 56 bytes has no length of its own",
            list(&[string(&[0x20, 0x80]), [vec![0xb8, 40], vec![7; 40]].concat()]),
        ),
        (
            "non-minimal length of a node",
            "a length in RLP has no leading zeros",
            [vec![0xf9, 0, sound[1]], sound[2..].to_vec()].concat(),
        ),
        ("unknown flag in a node's path", "a path begins with 0, 1, 2 or 3", leaf(&[0x60, 0x80])),
        (
            "node of three items",
            "a trie node has 2 or 17 items",
            list(&[string(&[0x20, 0x80]), string(&[7; 60]), string(&[])]),
        ),
        ("leaf cut short", "a node's list has the length it says", wrapped[..40].to_vec()),
    ] {
        let header = over_node(number(&all), &node);
        all.push(Forgery { name, reason, header, nodes: Some(vec![node]) });
    }
    all
}

/// Adds a lie for each forged block, and those that need a log of their own besides.
pub(crate) fn add(lies: &mut Lies) {
    let mut world = World::of(ChainRegistry::builtin().proof_registry().clone());
    let forgeries = forgeries();
    world.extend(ETHEREUM, 0..=FORGED - 1, |number| number);
    for (number, forgery) in (FORGED..).zip(&forgeries) {
        let forged = Block {
            header: forgery.header.clone(),
            transactions: Vec::new(),
            receipts: Vec::new(),
        };
        world.blocks.insert((ETHEREUM, number), forged);
    }
    // the same with sound bytes: its proof holds, so the others fail for their bytes alone
    let (sound, node) = (FORGED + forgeries.len() as u64, leaf(&[0x20, 0x80]));
    let (transactions, receipts) = (Vec::new(), Vec::new());
    let header = over_node(sound, &node);
    world.blocks.insert((ETHEREUM, sound), Block { header, transactions, receipts });
    lies.trusted = world.publish(1_700_000_000);
    let mut holds = world.prove(ETHEREUM, sound, ProofSubject::Block, false, 0);
    holds.statement.subject = ProofSubject::Transaction { tx_index: 0 };
    holds.entry =
        Some(EntryProof::Evm(TrieProofs { transaction: Some(vec![node]), receipt: None }));
    assert_eq!(super::refused_at(&holds.encode(), &lies.trusted), None);
    for (number, Forgery { name, reason, nodes, .. }) in (FORGED..).zip(&forgeries) {
        let mut lie = world.prove(ETHEREUM, number, ProofSubject::Block, false, 0);
        if let Some(nodes) = nodes {
            lie.statement.subject = ProofSubject::Transaction { tx_index: 0 };
            let transaction = Some(nodes.clone());
            lie.entry = Some(EntryProof::Evm(TrieProofs { transaction, receipt: None }));
        }
        lies.add(name, reason, &lie);
    }
    let mut unused = world.prove(ETHEREUM, 2, ProofSubject::Block, false, 0);
    let trie = OrderedTrie::build(&world.blocks[&(ETHEREUM, 2)].transactions);
    let transaction = Some(trie.prove(0).unwrap());
    unused.entry = Some(EntryProof::Evm(TrieProofs { transaction, receipt: None }));
    lies.add("block with a trie proof", "a part that the statement does not use", &unused);
    withdrawn(lies);
    references(lies);
}

/// Logs that commit to a block reference that breaks their own rules.
fn references(lies: &mut Lies) {
    type Change<'a> = &'a dyn Fn(&mut ChainReference);
    let changes: [(_, _, Change<'_>); 4] = [
        ("run that starts in a twig", "a run starts with a twig, or with the ledger", &|open| {
            open.start.0 += 1;
        }),
        (
            "run that starts in the open twig",
            "a run starts with a twig, or with the ledger",
            &|open| {
                open.start = open.number;
            },
        ),
        ("last block of another hash", "the reference names that very block", &|open| {
            open.block_hash.0[0] ^= 1;
        }),
        ("last block of no hash", "the reference names that very block", &|open| {
            open.block_hash = Hash::ZERO;
        }),
    ];
    for (name, reason, change) in changes {
        let mut world = World::of(ChainRegistry::builtin().proof_registry().clone());
        world.extend(ETHEREUM, 4096..=4100, |number| number % 5);
        world.publish(1_700_000_000);
        let holds = world.prove(ETHEREUM, 4100, ProofSubject::Block, false, 0);
        assert_eq!(super::refused_at(&holds.encode(), &world.root(0)), None);
        let blob = &mut world.published[0].blob;
        change(&mut blob.references[0].1);
        blob.super_root.tree_root = blob.tree().root();
        lies.trusted = world.root(0);
        let lie = world.prove(ETHEREUM, 4100, ProofSubject::Block, false, 0);
        lies.add(name, reason, &lie);
    }
}

/// A log whose own profile withdraws the number: the blocks are there, the proof is worth nothing.
fn withdrawn(lies: &mut Lies) {
    let mut rows = ChainRegistry::builtin().proof_registry().rows().to_vec();
    rows[0].rules.push(HashRuleFrom { from_number: 2, code: 0 });
    let mut world = World::of(LogRegistry::new(rows).unwrap());
    world.extend(ETHEREUM, 0..=3, |number| number);
    lies.trusted = world.publish(1_700_000_000);
    let held = world.prove(ETHEREUM, 1, ProofSubject::Block, false, 0);
    assert_eq!(super::refused_at(&held.encode(), &lies.trusted), None, "below the withdrawal");
    for (name, number) in [("withdrawn by rule 0000", 2), ("above a withdrawn number", 3)] {
        let lie = world.prove(ETHEREUM, number, ProofSubject::Block, false, 0);
        lies.add(name, "the opened profile withdraws the number", &lie);
    }
}

/// Positions in a Mini-MMR that no path has, and paths of other lengths.
pub(crate) fn ranges(lies: &mut Lies, sealed: &Bundle) {
    let mut with = |name: &str, reason: &str, bend: &dyn Fn(&mut SealedPlace)| {
        let mut lie = sealed.clone();
        match lie.block.as_mut().and_then(|block| block.twig.as_mut()?.place.as_mut()) {
            Some(TwigPosition::Sealed(place)) => bend(place),
            _ => unreachable!("the block lies in a sealed twig"),
        }
        lies.add(name, reason, &lie);
    };
    let past = "there is no such leaf";
    with("leaf index at the leaf count", past, &|place| place.leaf_index = place.leaf_count.end());
    with("leaf index past the leaf count", past, &|place| place.leaf_index = LeafIndex(1 << 40));
    with("leaf index 2^64 - 1", past, &|place| place.leaf_index = LeafIndex(u64::MAX));
    with("leaf count 0", past, &|place| place.leaf_count = LeafCount(0));
    with("leaf count one more", "index and count fix the path's length", &|place| {
        place.leaf_count.0 += 1;
    });
    with("Mini-MMR path too short", "index and count fix its length", &|place| {
        place.siblings.pop();
    });
    with("Mini-MMR path too long", "index and count fix its length", &|place| {
        place.siblings.push(Hash([1; 32]));
    });
}
