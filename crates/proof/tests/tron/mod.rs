//! Laws of Tron's levels 1 and 2: what verifies, what must not, beside blocks and proofs that
//! `vectors.py` made of the rules with another language's hashes.

use proptest::prelude::*;
use serde_json::Value;
use superroot_proof::bundle::*;
use superroot_proof::hash::sha256_joined;
use superroot_proof::ledger::tron::{Branch, *};
use superroot_proof::ledger::{Body, LedgerError, NoEntry};
use superroot_proof::registry::{HashRuleFrom, LogRegistry, Profile};
use superroot_types::*;

const TRON: ChainKey = ChainKey { family: Family::Tron, id: ChainId(728_126_428) };

fn registry() -> LogRegistry {
    let rules = vec![HashRuleFrom { from_number: 0, code: 0x0401 }];
    LogRegistry::new(vec![Profile { chain: TRON, caip2: "tron:0x2b6653dc".to_owned(), rules }])
        .unwrap()
}

fn check(bundle: &Bundle) -> Result<Verified<Facts>, ProofError> {
    verify(bundle, &Policy::strict(&registry()))
}

fn fault(bundle: &Bundle) -> ProofFault {
    check(bundle).unwrap_err().fault
}

const fn tx(tx_index: u32) -> ProofSubject {
    ProofSubject::Transaction { tx_index }
}

/// A block of `vectors.json`.
struct Block {
    number: u64,
    header: Vec<u8>,
    id: Hash,
    leaves: Vec<Vec<u8>>,
    json: Value,
}

fn bytes(value: &Value) -> Vec<u8> {
    const_hex::decode(value.as_str().unwrap()).unwrap()
}

fn hash(value: &Value) -> Hash {
    Hash(bytes(value).try_into().unwrap())
}

fn blocks() -> Vec<Block> {
    let file: Value = serde_json::from_str(include_str!("vectors.json")).unwrap();
    let blocks = file["blocks"].as_array().unwrap();
    let read = |json: &Value| Block {
        number: json["number"].as_u64().unwrap(),
        header: bytes(&json["header"]),
        id: hash(&json["id"]),
        leaves: json["transactions"].as_array().unwrap().iter().map(bytes).collect(),
        json: json.clone(),
    };
    blocks.iter().map(read).collect()
}

/// The block of so many transactions.
fn block(tx_count: usize) -> Block {
    blocks().into_iter().find(|block| block.leaves.len() == tx_count).unwrap()
}

impl Block {
    fn tx_count(&self) -> u32 {
        u32::try_from(self.leaves.len()).unwrap()
    }

    fn tree(&self) -> TronTransactionTree {
        TronTransactionTree::build(self.leaves.clone()).unwrap()
    }

    fn prove(&self, subject: ProofSubject) -> Bundle {
        let entry = Body::Tron(self.tree()).prove(subject, true).unwrap();
        self.bundle(subject, entry)
    }

    fn bundle(&self, subject: ProofSubject, entry: Option<EntryProof>) -> Bundle {
        let statement = Statement { chain: TRON, number: BlockNumber(self.number), subject };
        let block = BlockLevel { header: self.header.clone(), block_hash: self.id, twig: None };
        Bundle { origin: "simulated/tron".to_owned(), statement, entry, block: Some(block) }
    }
}

fn edge(bundle: &mut Bundle) -> &mut EdgeProof {
    match &mut bundle.entry {
        Some(EntryProof::Tron(edge)) => edge,
        other => panic!("no proof of Tron: {other:?}"),
    }
}

#[test]
fn headers_ids_and_trees_are_those_of_another_computation() {
    for block in blocks() {
        let read = Header::decode(&block.header).unwrap();
        assert_eq!((read.number, read.version), (block.number, 32));
        assert_eq!(Header::id(read.number, &block.header), block.id);
        assert_eq!(read.parent_hash, hash(&block.json["parent"]));
        assert_eq!(read.tx_trie_root, hash(&block.json["root"]));
        assert_eq!(block.tree().root(), read.tx_trie_root);
        let txids = block.json["txids"].as_array().unwrap();
        for (leaf, txid) in block.leaves.iter().zip(txids) {
            assert_eq!(Transaction::decode(leaf).unwrap().hash(), hash(txid));
        }
        let facts = check(&block.prove(ProofSubject::Block)).unwrap();
        assert!(facts.number_bound);
        let time = superroot_proof::ledger::Header::Tron(read).timestamp();
        assert_eq!(time, block.json["timestamp"].as_u64());
    }
}

#[test]
fn every_transaction_and_absence_of_every_block_is_proven_in_the_same_bytes() {
    for block in blocks() {
        let tx_count = block.tx_count();
        for tx_index in 0..tx_count {
            let bundle = block.prove(tx(tx_index));
            let facts = check(&bundle).unwrap();
            let proven = facts.transaction.as_ref().unwrap();
            assert_eq!(proven.raw, block.leaves[tx_index as usize]);
            assert_eq!(proven.hash, hash(&block.json["txids"][tx_index as usize]));
            assert_eq!(facts.tx_count, (tx_index + 1 == tx_count).then_some(tx_count));
            let encoded = bundle.encode();
            assert_eq!(Bundle::decode(&encoded).as_ref(), Ok(&bundle));
            let theirs = bytes(&block.json["level_1"][tx_index as usize]);
            let found = encoded.windows(theirs.len()).any(|part| part == theirs);
            assert!(found, "transaction {tx_index} of {tx_count}");
        }
        for tx_index in [tx_count, tx_count + 1, u32::MAX] {
            let bundle = block.prove(ProofSubject::Absence { tx_index });
            let facts = check(&bundle).unwrap();
            assert_eq!((facts.tx_count, &facts.transaction), (Some(tx_count), &None));
            assert_eq!(Bundle::decode(&bundle.encode()), Ok(bundle));
        }
    }
}

#[test]
fn what_a_producer_says_of_a_transaction_is_inside_its_leaf() {
    let block = block(8);
    let ret = |at: usize| Transaction::decode(&block.leaves[at]).unwrap().contract_ret;
    let expected = [Some(1), Some(1), None, Some(0), Some(1), Some(2), Some(1), Some(1)];
    assert_eq!((0..8).map(ret).collect::<Vec<_>>(), expected);
    assert_eq!((CONTRACT_RESULTS[1], CONTRACT_RESULTS[2]), ("SUCCESS", "REVERT"));
    let contract = Contract::read(Transaction::decode(&block.leaves[0]).unwrap().raw_data).unwrap();
    assert_eq!(
        (contract.kind, contract.bytes(2)),
        (1, Some(&[&[0x41_u8][..], &[0x77; 20]].concat()[..]))
    );
    assert_eq!((contract.number(3), contract.number(9)), (Some(1_000 + block.number), Some(0)));
    assert_eq!((contract.bytes(3), contract.number(1)), (None, None));
}

/// A tree as it stands: what hashes to each node.
#[derive(Clone)]
enum Node {
    Leaf(Vec<u8>),
    Inner(Box<[Node; 2]>),
}

impl Node {
    fn over(leaves: &[Vec<u8>]) -> Self {
        match leaves {
            [leaf] => Self::Leaf(leaf.clone()),
            _ => {
                let (left, right) = leaves.split_at(split(leaves.len()));
                Self::Inner(Box::new([Self::over(left), Self::over(right)]))
            }
        }
    }

    fn preimage(&self) -> Vec<u8> {
        match self {
            Self::Leaf(leaf) => leaf.clone(),
            Self::Inner(both) => both.iter().flat_map(|one| one.hash().0).collect(),
        }
    }

    fn hash(&self) -> Hash {
        leaf_hash(&self.preimage())
    }

    fn children(&self) -> Option<&[Self; 2]> {
        match self {
            Self::Leaf(_) => None,
            Self::Inner(both) => Some(both),
        }
    }

    /// So many steps down, the lowest bit of `index` last: what is there, and what was passed.
    fn below(&self, height: u32, index: usize) -> Option<Branch> {
        let (mut node, mut siblings) = (self, Vec::new());
        for bit in (0..height).rev() {
            let side = index >> bit & 1;
            let children = node.children()?;
            siblings.insert(0, children[1 - side].hash());
            node = &children[side];
        }
        Some(Branch { leaf: node.preimage(), siblings })
    }
}

/// Largest power of two below the count.
fn split(count: usize) -> usize {
    count.next_power_of_two() / 2
}

/// The one proof under the true root that index and count admit, leaf or no leaf: every other takes a
/// second preimage of SHA-256. `None` where the tree is less deep.
fn forced(tree: &Node, index: usize, count: usize) -> Option<EdgeProof> {
    let (mut node, mut start, mut size) = (tree, 0, count);
    let tx_count = u32::try_from(count).unwrap();
    let mut peaks = Vec::new();
    while size > 1 {
        let [left, right] = node.children()?;
        let height = split(size).trailing_zeros();
        if index - start < split(size) {
            let mut transaction = left.below(height, index - start)?;
            transaction.siblings.push(right.hash());
            return Some(EdgeProof { tx_count, transaction: Some(transaction), peaks });
        }
        peaks.push(left.below(height, 0)?);
        (start, size, node) = (start + split(size), size - split(size), right);
    }
    let transaction = Some(Branch { leaf: node.preimage(), siblings: Vec::new() });
    Some(EdgeProof { tx_count, transaction, peaks })
}

/// A header names no count, and a path alone tells no index: leaf 6 of 7 has the path that leaf 5 of 6
/// would have, were an inner node a leaf.
#[test]
fn no_other_index_or_count_is_shown() {
    let pattern = block(1).leaves.remove(0);
    let mut forged = 0;
    for tx_count in 1..=20_usize {
        let leaf = |place| [&pattern[..], &[0xd0, 0x3e, u8::try_from(place).unwrap()]].concat();
        let leaves: Vec<_> = (1..=tx_count).map(leaf).collect();
        let tree = Node::over(&leaves);
        let root = TronTransactionTree::build(leaves.clone()).unwrap().root();
        assert_eq!(tree.hash(), root);
        for count in 1..=70 {
            for index in 0..count {
                let Some(entry) = forced(&tree, index, count) else { continue };
                forged += 1;
                for is_absence in
                    [false, true].into_iter().take(1 + usize::from(index + 1 == count))
                {
                    let subject = match is_absence {
                        false => tx(u32::try_from(index).unwrap()),
                        true => ProofSubject::Absence { tx_index: 70 },
                    };
                    let statement = Statement { chain: TRON, number: BlockNumber(1), subject };
                    let entry = Some(EntryProof::Tron(entry.clone()));
                    let origin = "simulated/tron".to_owned();
                    let facts = check(&Bundle { origin, statement, entry, block: None });
                    let Ok(facts) = facts else {
                        assert!(index >= tx_count || count != tx_count, "{index} of {count}");
                        continue;
                    };
                    assert_eq!(facts.transactions_root, Some(root));
                    let shown = facts.transaction.as_ref().map(|shown| &shown.raw);
                    assert_eq!(shown, leaves.get(index).filter(|_| !is_absence));
                    let count = u32::try_from(tx_count).unwrap();
                    assert!(facts.tx_count.is_none_or(|shown| shown == count));
                }
            }
        }
    }
    assert!(forged > 2_000, "{forged}");
}

#[test]
fn an_inner_node_is_no_leaf() {
    let block = block(7);
    let mut bundle = block.prove(tx(6));
    let four = leaf_hash(&block.leaves[4]);
    let five = leaf_hash(&block.leaves[5]);
    bundle.statement.subject = tx(5);
    edge(&mut bundle).tx_count = 6;
    edge(&mut bundle).peaks[1] = Branch { leaf: [four.0, five.0].concat(), siblings: Vec::new() };
    assert_eq!(fault(&bundle), ProofFault::Ledger(LedgerError::NodeSized));
    // the same root and path: nothing but the length of the leaf tells
    edge(&mut bundle).peaks[1].leaf.push(0);
    assert!(matches!(fault(&bundle), ProofFault::Ledger(LedgerError::Mismatch { .. })));
    let node_sized = vec![0x0a; 64];
    assert_eq!(Transaction::decode(&node_sized), Err(LedgerError::NodeSized));
    assert_eq!(TronTransactionTree::build(vec![node_sized]), Err((0, LedgerError::NodeSized)));
}

#[test]
fn events_are_not_provable_and_the_transaction_stands_in_their_place() {
    let block = block(3);
    let body = Body::Tron(block.tree());
    let log = ProofSubject::Log { tx_index: 1, log_index: 0 };
    assert_eq!(body.prove(log, true), Err(NoEntry::NotProvable(NO_EVENTS)));
    let past = ProofSubject::Log { tx_index: 3, log_index: 0 };
    assert_eq!(body.prove(past, true), Err(NoEntry::NoTransaction { tx_index: 3 }));
    let entry = body.prove(tx(1), true).unwrap();
    assert_eq!(
        fault(&block.bundle(log, entry)),
        ProofFault::Ledger(LedgerError::NotProvable(NO_EVENTS))
    );
    assert!(NO_EVENTS.to_string().contains("/v5/proof/tx"));
    let there = ProofSubject::Absence { tx_index: 2 };
    assert_eq!(body.prove(there, true), Err(NoEntry::Present { tx_index: 2 }));
}

#[test]
fn a_proof_with_parts_too_many_or_too_few_is_refused() {
    let block = block(11);
    let good = block.prove(tx(10));
    let bend = |bend: &dyn Fn(&mut EdgeProof)| {
        let mut lie = good.clone();
        bend(edge(&mut lie));
        fault(&lie)
    };
    let parts = |fault: ProofFault| matches!(fault, ProofFault::Ledger(LedgerError::Parts { .. }));
    assert!(parts(bend(&|lie| lie.transaction = None)));
    assert!(parts(bend(&|lie| drop(lie.peaks.pop()))));
    assert!(parts(bend(&|lie| lie.peaks.push(lie.peaks[0].clone()))));
    assert!(parts(bend(&|lie| lie.peaks[0].siblings.truncate(2))));
    assert!(parts(bend(&|lie| lie.transaction.as_mut().unwrap().siblings.push(Hash::ZERO))));
    let trie = "transaction tree";
    let nothing = LedgerError::NothingThere { trie, tx_index: 10 };
    assert_eq!(bend(&|lie| lie.tx_count = 10), ProofFault::Ledger(nothing));
    let count = LedgerError::Field { field: "transaction count" };
    assert_eq!(bend(&|lie| lie.tx_count = TX_COUNT_MAX + 1), ProofFault::Ledger(count));
    let mut absence = block.prove(ProofSubject::Absence { tx_index: 11 });
    edge(&mut absence).tx_count = 0;
    assert!(parts(fault(&absence)));
    edge(&mut absence).transaction = None;
    edge(&mut absence).peaks.clear();
    assert!(matches!(fault(&absence), ProofFault::Ledger(LedgerError::Mismatch { .. })));
    let mut there = block.prove(ProofSubject::Absence { tx_index: 11 });
    there.statement.subject = ProofSubject::Absence { tx_index: 10 };
    let something = LedgerError::SomethingThere { trie, tx_index: 10 };
    assert_eq!(fault(&there), ProofFault::Ledger(something));
    let mut other = good.clone();
    other.block = self::block(8).prove(ProofSubject::Block).block;
    other.statement.number = BlockNumber(self::block(8).number);
    assert!(matches!(fault(&other), ProofFault::Ledger(LedgerError::Mismatch { .. })));
}

#[test]
fn headers_that_no_node_writes_are_refused() {
    let good = block(3).header;
    let field = |field: &'static str| Err(LedgerError::Field { field });
    for length in 0..good.len() {
        let cut = &good[..length];
        // between two fields a cut header is one, of another hash
        let id = Header::decode(cut).ok().map(|read| Header::id(read.number, cut));
        assert_ne!(id, Some(block(3).id), "{length}");
    }
    let twice = |extra: &[u8]| Header::decode(&[&good[..], extra].concat()).map(|_| ());
    assert_eq!(twice(&[0x08, 1]), field("timestamp"));
    assert_eq!(twice(&[0x38, 1]), field("number"));
    assert_eq!(twice(&[0x12, 1, 0]), field("txTrieRoot"));
    assert_eq!(twice(&[0x1a, 0]), field("parentHash"));
    assert_eq!(twice(&[0x4a, 0]), field("witness_address"));
    assert_eq!(twice(&[0x50, 1]), field("version"));
    assert_eq!(twice(&[0x0f]), field("header"));
    // a field that nobody knows is hashed, and read past
    assert_eq!(twice(&[0xd2, 0x3e, 1, 7]), Ok(()));
    assert_eq!(Header::decode(&[]).map(|_| ()), field("txTrieRoot"));
    assert_eq!(Header::decode(&[0x38, 0]).map(|_| ()), field("number"));
    let negative = [&[0x38][..], &[0xff; 9], &[1]].concat();
    assert_eq!(Header::decode(&negative).map(|_| ()), field("number"));
    let long = [&good[..], &[0xd2, 0x3e, 0x80, 0x20], &[0; 4096]].concat();
    assert_eq!(Header::decode(&long).map(|_| ()), field("header length"));
}

#[test]
fn leaves_that_are_no_transaction_are_refused() {
    let field = |field: &'static str| Err(LedgerError::Field { field });
    let leaf = block(1).leaves.remove(0);
    let with = |extra: &[u8]| {
        let leaf = [&leaf[..], extra].concat();
        Transaction::decode(&leaf).map(|read| read.contract_ret)
    };
    assert_eq!(with(&[0x0a, 0]), field("raw_data"));
    assert_eq!(with(&[0x08, 1]), field("raw_data"));
    assert_eq!(with(&[0x28, 1]), field("ret"));
    assert_eq!(with(&[0x07]), field("transaction"));
    assert_eq!(with(&[0x2a, 2, 0x18, 2]), Ok(Some(1))); // a second result: the first counts
    let result = |ret: &[u8]| {
        let leaf = [&[0x0a, 1, 0, 0x2a, u8::try_from(ret.len()).unwrap()], ret].concat();
        Transaction::decode(&leaf).map(|read| read.contract_ret)
    };
    assert_eq!(result(&[]), Ok(Some(0)));
    for bad in [&[0x18, 1, 0x18, 1][..], &[0x1a, 0], &[0x18]] {
        assert_eq!(result(bad), field("ret.contractRet"));
    }
    assert_eq!(Transaction::decode(&[]).map(|read| read.contract_ret), field("raw_data"));
    let long = vec![0; TRANSACTION_BYTES_MAX + 1];
    assert_eq!(
        Transaction::decode(&long).map(|read| read.contract_ret),
        field("transaction length")
    );
}

/// Any flipped bit of a file is refused, or changes nothing that is shown: the origin, which levels 1
/// and 2 do not bind, and a count that the proof does not show.
#[test]
fn no_flipped_bit_shows_anything_else() {
    let block = block(5);
    let subjects =
        [tx(0), tx(3), tx(4), ProofSubject::Absence { tx_index: 5 }, ProofSubject::Block];
    for subject in subjects {
        let good = block.prove(subject);
        let facts = check(&good).unwrap();
        let encoded = good.encode();
        for bit in 0..encoded.len() * 8 {
            let mut flipped = encoded.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let Ok(read) = Bundle::decode(&flipped) else { continue };
            let Ok(shown) = check(&read) else { continue };
            let is_absence = matches!(subject, ProofSubject::Absence { .. });
            assert!(shown.statement.subject == subject || is_absence, "bit {bit}");
            assert_eq!(shown.statement.number, facts.statement.number);
            let same = (&shown.transaction, &shown.block_hash, shown.tx_count);
            assert_eq!(same, (&facts.transaction, &facts.block_hash, facts.tx_count), "bit {bit}");
        }
        for length in 0..encoded.len() {
            assert!(Bundle::decode(&encoded[..length]).is_err());
        }
    }
}

#[test]
fn a_body_comes_back_from_its_bytes() {
    for block in blocks() {
        let body = Body::Tron(block.tree());
        let encoded = body.encode();
        assert_eq!(Body::decode(&encoded), Some(body));
        for length in 0..encoded.len() {
            assert_eq!(Body::decode(&encoded[..length]), None);
        }
    }
    let claims = [&[Family::Tron.byte()][..], &[0xff; 4], &[0; 32]].concat();
    assert_eq!(Body::decode(&claims), None);
}

proptest! {
    #[test]
    fn a_proof_of_any_transaction_of_any_tree_verifies(seeds in prop::collection::vec(any::<u32>(), 1..40), at: prop::sample::Index) {
        let pattern = block(1).leaves.remove(0);
        let leaf = |seed: &u32| [&pattern[..], &[0xd2, 0x3e, 4], &seed.to_be_bytes()].concat();
        let leaves: Vec<Vec<u8>> = seeds.iter().map(leaf).collect();
        let tx_index = u32::try_from(at.index(leaves.len())).unwrap();
        let tree = TronTransactionTree::build(leaves.clone()).unwrap();
        let mut row: Vec<Hash> = leaves.iter().map(|leaf| sha256_joined(&[leaf])).collect();
        while row.len() > 1 {
            row = row.chunks(2).map(|pair| match pair {
                [left, right] => sha256_joined(&[&left.0, &right.0]),
                alone => alone[0],
            }).collect();
        }
        prop_assert_eq!(row[0], tree.root());
        let entry = Body::Tron(tree).prove(tx(tx_index), true).unwrap();
        let statement = Statement { chain: TRON, number: BlockNumber(1), subject: tx(tx_index) };
        let bundle = Bundle { origin: "simulated/tron".to_owned(), statement, entry, block: None };
        let facts = check(&bundle).unwrap();
        prop_assert_eq!(facts.transactions_root, Some(row[0]));
        prop_assert_eq!(Bundle::decode(&bundle.encode()), Ok(bundle));
    }

    #[test]
    fn nothing_from_outside_panics(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = (Header::decode(&bytes), Transaction::decode(&bytes), Contract::read(&bytes));
        let _ = Body::decode(&[&[Family::Tron.byte()][..], &bytes].concat());
    }
}
