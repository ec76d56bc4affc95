//! Lies about a block of the ICP ledger, in a log that holds blocks made by an independent program.

use superroot_chain::ChainRegistry;
use superroot_proof::bundle::*;
use superroot_proof::ledger::icp::{BLOCK_BYTES_MAX, BlockLeaf};
use superroot_types::*;

use self::made::{ICP, Made};
use super::{Hostile, Lies};
use crate::world::{Block, ETHEREUM, World};

#[path = "../../../../proof/tests/icp_blocks/mod.rs"]
mod made;

const TX: ProofSubject = ProofSubject::Transaction { tx_index: 0 };
const EVENT: ProofSubject = ProofSubject::Log { tx_index: 0, log_index: 0 };
const ABSENCE: ProofSubject = ProofSubject::Absence { tx_index: 1 };
/// A block that has one below and one above.
const HONEST: u64 = 7;
const ABOVE: u64 = 8;

struct Log {
    world: World,
    blocks: Vec<Made>,
}

impl Log {
    fn new() -> Self {
        let mut world = World::of(ChainRegistry::builtin().proof_registry().clone());
        world.extend(ETHEREUM, 4096..=4100, |number| number % 5);
        let blocks = made::synthetic();
        for block in &blocks {
            let (header, transactions) = (block.bytes.clone(), Vec::new());
            world.add(ICP, block.number, Block { header, transactions, receipts: Vec::new() });
        }
        world.publish(1_700_000_000);
        Self { world, blocks }
    }

    fn block(&self, number: u64) -> &[u8] {
        &self.blocks[usize::try_from(number).unwrap()].bytes
    }

    fn prove(&self, subject: ProofSubject) -> Bundle {
        let mut bundle = self.world.prove(ICP, HONEST, ProofSubject::Block, false, 0);
        bundle.statement.subject = subject;
        let block = self.block(HONEST).to_vec();
        bundle.entry =
            (subject != ProofSubject::Block).then_some(EntryProof::Icp(BlockLeaf { block }));
        bundle
    }
}

fn leaf(bundle: &mut Bundle) -> &mut Vec<u8> {
    let Some(EntryProof::Icp(leaf)) = &mut bundle.entry else { panic!("no entry") };
    &mut leaf.block
}

pub(super) fn hostile() -> Vec<Hostile> {
    let log = Log::new();
    let mut lies = Lies { trusted: log.world.root(0), all: Vec::new() };
    for good in [TX, EVENT, ABSENCE, ProofSubject::Block] {
        let held = super::refused_at(&log.prove(good).encode(), &lies.trusted);
        assert_eq!(held, None, "{good:?}");
    }
    statements(&mut lies, &log);
    leaves(&mut lies, &log);
    spellings(&mut lies, &log);
    encodings(&mut lies, &log);
    lies.all
}

fn statements(lies: &mut Lies, log: &Log) {
    let mut with = |name: &str, reason: &str, of: ProofSubject, says: ProofSubject| {
        let mut lie = log.prove(of);
        lie.statement.subject = says;
        lies.add(name, reason, &lie);
    };
    let tx = |tx_index| ProofSubject::Transaction { tx_index };
    let one = "a block has one transaction";
    with("a second transaction", one, TX, tx(1));
    with("transaction 2^32 - 1", one, TX, tx(u32::MAX));
    with("absence of the one that is there", one, ABSENCE, ProofSubject::Absence { tx_index: 0 });
    let event = |tx_index, log_index| ProofSubject::Log { tx_index, log_index };
    with("a second operation", "a transaction has one", EVENT, event(0, 1));
    with("an operation of a second transaction", one, EVENT, event(1, 0));
    let mut under = |name: &str, reason: &str, number: u64, block: u64| {
        let mut lie = log.prove(TX);
        lie.statement.number = BlockNumber(number);
        lie.block = log.world.prove(ICP, block, ProofSubject::Block, false, 0).block;
        lies.add(name, reason, &lie);
    };
    under("under the block above", "its hash is another", ABOVE, ABOVE);
    under("the block below it named as its own", "its hash is another", HONEST - 1, HONEST - 1);
    // no block names its index: the accumulator alone does
    under("index one more", "another block stands at that index", ABOVE, HONEST);
    let mut block = |name: &str, reason: &str, bend: &dyn Fn(&mut BlockLevel)| {
        let mut lie = log.prove(TX);
        bend(lie.block.as_mut().unwrap());
        lies.add(name, reason, &lie);
    };
    block("the header of another block", "it has another hash", &|block| {
        block.header = log.block(ABOVE).to_vec();
    });
    block("a header bent", "it has another hash", &|block| *block.header.last_mut().unwrap() ^= 1);
    block("a header and its hash bent", "another block stands at that index", &|block| {
        block.header = log.block(ABOVE).to_vec();
        block.block_hash = log.blocks[8].hash;
    });
}

fn leaves(lies: &mut Lies, log: &Log) {
    let mut with = |name: &str, reason: &str, of: ProofSubject, bend: &dyn Fn(&mut Vec<u8>)| {
        let mut lie = log.prove(of);
        bend(leaf(&mut lie));
        lies.add(name, reason, &lie);
    };
    let other = "its hash is another";
    with("another block as the leaf", other, TX, &|block| *block = log.block(ABOVE).to_vec());
    with("a bit of the parent's hash", other, TX, &|block| block[10] ^= 1);
    with("a bit of an amount", other, EVENT, &|block| *block.last_mut().unwrap() ^= 1);
    for at in [20_usize, 60, 100] {
        with(&format!("byte {at} from the end bent"), other, EVENT, &|block| {
            let at = block.len() - at.min(block.len());
            block[at] ^= 1;
        });
    }
    with("no block", "a leaf has one", TX, &|block| block.clear());
    with("a block cut short", "it is read whole", TX, &|block| _ = block.pop());
    with("a byte behind the block", "no field begins there", TX, &|block| block.push(0));
    with("the hash as its own leaf", "32 bytes are no block", TX, &|block| {
        *block = log.blocks[7].hash.0.to_vec();
    });
    with("two blocks in a row", "a field stands once", TX, &|block| {
        block.extend_from_slice(log.block(ABOVE));
    });
    with("the same block twice", "a field stands once", ABSENCE, &|block| {
        block.extend(block.clone());
    });
    with("a longer block than there is", "1,024 bytes are the most", TX, &|block| {
        block.resize(BLOCK_BYTES_MAX + 1, 0);
    });
}

/// The same fields in another spelling: protobuf that other readers take.
fn spellings(lies: &mut Lies, log: &Log) {
    let fields = fields(log.block(HONEST));
    let mut with = |name: &str, reason: &str, block: Vec<u8>| {
        let mut lie = log.prove(TX);
        *leaf(&mut lie) = block;
        lies.add(name, reason, &lie);
    };
    let joined =
        |order: &[usize]| order.iter().flat_map(|at| fields[*at].clone()).collect::<Vec<u8>>();
    assert_eq!((joined(&[0, 1, 2]).as_slice(), fields.len()), (log.block(HONEST), 3));
    with("fields in another order", "they rise", joined(&[1, 0, 2]));
    with("the parent's hash twice", "a field stands once", joined(&[0, 0, 1, 2]));
    with("the timestamp twice", "a field stands once", joined(&[0, 1, 1, 2]));
    with("the transaction twice", "a field stands once", joined(&[0, 1, 2, 2]));
    with("no parent", "another hash", joined(&[1, 2]));
    with("no timestamp", "a block has one", joined(&[0, 2]));
    with("no transaction", "a block has one", joined(&[0, 1]));
    let with_more = |more: &[u8]| [log.block(HONEST), more].concat();
    with("a field of number 4", "there are three", with_more(&[0x22, 0]));
    with("a field of number 0", "they begin at one", [&[2, 0], log.block(HONEST)].concat());
    with("a field of fixed 32 bits", "no field is of that kind", with_more(&[0x25, 0, 0, 0, 0]));
    with("a group", "no field is of that kind", with_more(&[0x23, 0x24]));
    let mut long = fields[1].clone();
    let length = long[1];
    long.splice(1..2, [length | 0x80, 0]);
    with("a length in a longer form", "the shortest is the only one", {
        [&fields[0][..], &long, &fields[2]].concat()
    });
    let mut huge = fields[1].clone();
    huge.splice(1..2, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]);
    with("a length of 2^64 - 1", "it is past the block", {
        [&fields[0][..], &huge, &fields[2]].concat()
    });
}

/// The fields of a message, each with its tag: their lengths are below 128.
fn fields(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    while let [_, length, ..] = bytes {
        let (wide, more) = if *length < 128 { (2, 0) } else { (3, usize::from(bytes[2]) << 7) };
        let (field, rest) = bytes.split_at(wide + usize::from(length & 127) + more);
        all.push(field.to_vec());
        bytes = rest;
    }
    all
}

/// What a decoder must refuse, before anything is verified.
fn encodings(lies: &mut Lies, log: &Log) {
    let good = log.prove(TX);
    let (bytes, block) = (good.encode(), log.block(HONEST));
    // the leaf stands before the header: the first of the two
    let at = bytes.windows(block.len()).position(|window| window == block).unwrap();
    let mut with = |name: &str, reason: &str, bend: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = bytes.clone();
        bend(&mut bytes);
        lies.add_bytes(name, reason, bytes);
    };
    with("no parts", "a transaction stands in a leaf", &|bytes| bytes[at - 5] &= !3);
    with("the flag of a receipt", "the ledger has none", &|bytes| bytes[at - 5] |= 2);
    with("a leaf of 4 GiB", "a length past the file", &|bytes| bytes[at - 4..at].fill(0xff));
    with("a leaf of 1,025 bytes", "1,024 are the most", &|bytes| {
        bytes[at - 4..at].copy_from_slice(&1_025_u32.to_be_bytes());
        bytes.splice(at..at, vec![0; 1_025 - block.len()]);
    });
    with("cut in the leaf", "it is cut short", &|bytes| bytes.truncate(at + 20));
}

/// Proofs that hold: each block of the log as well.
pub(super) fn valid() -> (Hash, Vec<Bundle>) {
    let log = Log::new();
    let mut all: Vec<_> = [EVENT, ABSENCE, ProofSubject::Block].map(|one| log.prove(one)).into();
    for made in &log.blocks {
        let mut bundle = log.world.prove(ICP, made.number, ProofSubject::Block, false, 0);
        bundle.statement.subject = TX;
        bundle.entry = Some(EntryProof::Icp(BlockLeaf { block: made.bytes.clone() }));
        all.push(bundle);
    }
    (log.world.root(0), all)
}
