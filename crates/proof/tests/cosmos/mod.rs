//! Laws of levels 1 and 2 of the Cosmos family: what verifies, what must not, beside blocks and proofs
//! that `vectors.py` made of the rules with another language's hashes.

use proptest::prelude::*;
use serde_json::Value;
use superroot_proof::bundle::{Bundle, EntryProof, ProofFault, ProofStep, Statement, verify};
use superroot_proof::bundle::{Facts, Policy, ProofError, ProofSubject, Verified};
use superroot_proof::ledger::cosmos::*;
use superroot_proof::ledger::{Body, LedgerError, NoEntry};
use superroot_proof::registry::{HashRuleFrom, LogRegistry, Profile};
use superroot_types::*;

const COSMOS: ChainKey = ChainKey { family: Family::Cosmos, id: ChainId(118) };

fn registry() -> LogRegistry {
    let rules = vec![HashRuleFrom { from_number: 5_200_791, code: 0x0801 }];
    let caip2 = "cosmos:cosmoshub-4".to_owned();
    LogRegistry::new(vec![Profile { chain: COSMOS, caip2, rules }]).unwrap()
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

const fn absent(tx_index: u32) -> ProofSubject {
    ProofSubject::Absence { tx_index }
}

/// A block of `vectors.json`.
struct Block {
    number: u64,
    header: Vec<u8>,
    hash: Hash,
    transactions: Vec<Vec<u8>>,
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
    let read = |json: &Value| Block {
        number: json["number"].as_u64().unwrap(),
        header: bytes(&json["header"]),
        hash: hash(&json["hash"]),
        transactions: json["transactions"].as_array().unwrap().iter().map(bytes).collect(),
        json: json.clone(),
    };
    file["blocks"].as_array().unwrap().iter().map(read).collect()
}

/// The block of so many transactions.
fn block(tx_count: usize) -> Block {
    blocks().into_iter().find(|block| block.transactions.len() == tx_count).unwrap()
}

impl Block {
    fn tx_count(&self) -> u32 {
        u32::try_from(self.transactions.len()).unwrap()
    }

    fn body(&self) -> Body {
        Body::Cosmos(CosmosTransactionTree::build(self.transactions.clone()))
    }

    fn prove(&self, subject: ProofSubject) -> Bundle {
        self.bundle(subject, self.body().prove(subject, true).unwrap())
    }

    fn bundle(&self, subject: ProofSubject, entry: Option<EntryProof>) -> Bundle {
        let statement = Statement { chain: COSMOS, number: BlockNumber(self.number), subject };
        let (header, block_hash) = (self.header.clone(), self.hash);
        let block = superroot_proof::bundle::BlockLevel { header, block_hash, twig: None };
        Bundle { origin: "simulated/cosmos".to_owned(), statement, entry, block: Some(block) }
    }
}

fn tree(bundle: &mut Bundle) -> &mut TreeProof {
    match &mut bundle.entry {
        Some(EntryProof::Cosmos(tree)) => tree,
        other => panic!("no proof of the Cosmos family: {other:?}"),
    }
}

#[test]
fn headers_hashes_and_trees_are_those_of_another_computation() {
    for block in blocks() {
        let read = Header::decode(&block.header).unwrap();
        assert_eq!((read.height, read.chain_id.as_str()), (block.number, "cosmoshub-4"));
        assert_eq!((read.encode(), read.hash()), (block.header.clone(), block.hash));
        assert_eq!(read.data_hash, hash(&block.json["data_hash"]));
        let tree = CosmosTransactionTree::build(block.transactions.clone());
        assert_eq!(tree.root(), read.data_hash);
        let facts = check(&block.prove(ProofSubject::Block)).unwrap();
        let header = facts.header.as_ref().unwrap();
        assert_eq!(header.timestamp(), block.json["timestamp"].as_u64());
        assert_eq!(header.parent_hash(), Some(hash(&block.json["parent"])));
        assert_eq!(header.number(), Some(block.number));
        assert!(facts.number_bound && facts.receipts_root.is_none());
    }
}

/// The header names its chain: one of another chain is not taken for a block of the row.
#[test]
fn a_header_of_another_chain_than_the_rows_is_refused() {
    let rules = vec![HashRuleFrom { from_number: 0, code: 0x0801 }];
    let row = |caip2: &str| {
        let (caip2, rules) = (caip2.to_owned(), rules.clone());
        LogRegistry::new(vec![Profile { chain: COSMOS, caip2, rules }]).unwrap()
    };
    let block = block(7);
    for bundle in [block.prove(ProofSubject::Block), block.prove(tx(3)), block.prove(absent(7))] {
        for caip2 in ["cosmos:osmosis-1", "cosmos:cosmoshub-3", "cosmos:", "cosmoshub-4"] {
            let refused = verify(&bundle, &Policy::strict(&row(caip2))).unwrap_err();
            let (got, expected) = ("cosmoshub-4".to_owned(), caip2.to_owned());
            let fault = ProofFault::Ledger(LedgerError::Chain { got, expected });
            assert_eq!(refused.fault, fault);
            assert_eq!(refused.step, ProofStep::Level(ProofLevel::Block));
        }
        assert!(verify(&bundle, &Policy::strict(&row("cosmos:cosmoshub-4"))).is_ok());
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
            assert_eq!(proven.raw, block.transactions[tx_index as usize]);
            assert_eq!(proven.hash, hash(&block.json["txids"][tx_index as usize]));
            assert_eq!(facts.tx_count, (tx_index + 1 == tx_count).then_some(tx_count));
            let encoded = bundle.encode();
            assert_eq!(Bundle::decode(&encoded).as_ref(), Ok(&bundle));
            let theirs = bytes(&block.json["level_1"][tx_index as usize]);
            assert!(encoded.windows(theirs.len()).any(|part| part == theirs), "{tx_index}");
        }
        for tx_index in [tx_count, tx_count + 1, u32::MAX] {
            let bundle = block.prove(absent(tx_index));
            let facts = check(&bundle).unwrap();
            assert_eq!((facts.tx_count, &facts.transaction), (Some(tx_count), &None));
            assert_eq!(Bundle::decode(&bundle.encode()), Ok(bundle));
        }
    }
}

/// What a liar can send under a root: the nodes of its tree, as index and count of the lie need them.
/// `None` where one of them would have to be a leaf and is none: that takes a second preimage.
fn forged(leaves: &[Vec<u8>], index: usize, count: usize) -> Option<(TreeProof, usize)> {
    /// The subtree at a depth, by turns from the root; `None` below a leaf.
    fn down(range: &[Vec<u8>], turns: &[bool]) -> Option<(std::ops::Range<usize>, Vec<Hash>)> {
        let (mut start, mut size, mut siblings) = (0, range.len(), Vec::new());
        for is_right in turns {
            if size < 2 {
                return None;
            }
            let left = size.next_power_of_two() / 2;
            let (here, there) = (&range[start..start + left], &range[start + left..start + size]);
            siblings.insert(0, root(if *is_right { here } else { there }));
            (start, size) = if *is_right { (start + left, size - left) } else { (start, left) };
        }
        Some((start..start + size, siblings))
    }
    let mut turns = Vec::new();
    let (mut start, mut size, mut peaks) = (0, count, Vec::new());
    while size > 1 {
        let left = size.next_power_of_two() / 2;
        let mut inside: Vec<bool> = turns.clone();
        inside.push(false);
        if index - start < left {
            let height = left.trailing_zeros();
            inside.extend((0..height).rev().map(|bit| (index - start) >> bit & 1 == 1));
            turns = inside;
            break;
        }
        inside.extend((0..left.trailing_zeros()).map(|_| false));
        let (found, mut siblings) = down(leaves, &inside)?;
        siblings.truncate(left.trailing_zeros() as usize);
        let is_leaf = found.len() == 1;
        let transaction_hash = is_leaf.then(|| transaction_hash(&leaves[found.start]))?;
        peaks.push(PeakBranch { transaction_hash, siblings });
        turns.push(true);
        (start, size) = (start + left, size - left);
    }
    let (found, mut siblings) = down(leaves, &turns)?;
    let passed = turns.iter().take_while(|turn| **turn).count();
    siblings.truncate(turns.len() - passed);
    let transaction = (found.len() == 1).then(|| leaves[found.start].clone())?;
    let transaction = Some(Branch { transaction, siblings });
    Some((TreeProof { tx_count: u32::try_from(count).unwrap(), transaction, peaks }, found.start))
}

fn root(leaves: &[Vec<u8>]) -> Hash {
    CosmosTransactionTree::build(leaves.to_vec()).root()
}

/// A header names no count, and a path alone tells no index: leaf 6 of 7 has the path that leaf 5 of 6
/// would have, were an inner node a leaf.
#[test]
fn no_other_index_or_count_is_shown() {
    let mut lies = 0;
    for tx_count in 1..=20_usize {
        let leaves: Vec<Vec<u8>> =
            (0..tx_count).map(|at| vec![u8::try_from(at).unwrap()]).collect();
        let last = u32::try_from(tx_count).unwrap();
        for count in 1..=70 {
            for index in 0..count {
                let Some((entry, place)) = forged(&leaves, index, count) else { continue };
                lies += usize::from(count != tx_count);
                let subjects = [tx(u32::try_from(index).unwrap()), absent(70)];
                for subject in subjects.into_iter().take(1 + usize::from(index + 1 == count)) {
                    let statement =
                        Statement { chain: COSMOS, number: BlockNumber(5_200_791), subject };
                    let entry = Some(EntryProof::Cosmos(entry.clone()));
                    let origin = "simulated/cosmos".to_owned();
                    let facts = check(&Bundle { origin, statement, entry, block: None }).unwrap();
                    assert_eq!(facts.transactions_root, Some(root(&leaves)), "{index} of {count}");
                    assert_eq!(place, index, "{index} of {count}");
                    assert!(facts.tx_count.is_none_or(|shown| shown == last));
                }
            }
        }
    }
    assert!(lies > 500, "{lies}");
}

#[test]
fn an_inner_node_is_no_leaf() {
    let block = block(7);
    let mut bundle = block.prove(tx(6));
    bundle.statement.subject = tx(5);
    tree(&mut bundle).tx_count = 6;
    let leaves: Vec<Hash> = block.transactions.iter().map(|one| transaction_hash(one)).collect();
    // the subtree of leaves 4 and 5, passed off as a leaf
    let pair = CosmosTransactionTree::build(block.transactions[4..6].to_vec()).root();
    for lie in [pair, leaves[4], leaf_hash(&leaves[4])] {
        tree(&mut bundle).peaks[1] = PeakBranch { transaction_hash: lie, siblings: Vec::new() };
        assert!(matches!(fault(&bundle), ProofFault::Ledger(LedgerError::Mismatch { .. })));
    }
}

#[test]
fn events_are_not_provable_and_the_transaction_stands_in_their_place() {
    let block = block(3);
    let log = |tx_index| ProofSubject::Log { tx_index, log_index: 0 };
    assert_eq!(block.body().prove(log(1), true), Err(NoEntry::NotProvable(NO_EVENTS)));
    assert_eq!(block.body().prove(log(3), true), Err(NoEntry::NoTransaction { tx_index: 3 }));
    let entry = block.body().prove(tx(1), true).unwrap();
    let refused = fault(&block.bundle(log(1), entry));
    assert_eq!(refused, ProofFault::Ledger(LedgerError::NotProvable(NO_EVENTS)));
    assert!(NO_EVENTS.to_string().contains("/v5/proof/tx"));
    assert_eq!(block.body().prove(absent(2), true), Err(NoEntry::Present { tx_index: 2 }));
}

#[test]
fn a_proof_with_parts_too_many_or_too_few_is_refused() {
    let block = block(11);
    let good = block.prove(tx(10));
    let bend = |bend: &dyn Fn(&mut TreeProof)| {
        let mut lie = good.clone();
        bend(tree(&mut lie));
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
    let count = ProofFault::Ledger(LedgerError::Field { field: "transaction count" });
    assert_eq!(bend(&|lie| lie.tx_count = TX_COUNT_MAX + 1), count);
    let long = ProofFault::Ledger(LedgerError::Field { field: "transaction length" });
    let longer = |lie: &mut TreeProof| {
        lie.transaction.as_mut().unwrap().transaction = vec![0; TRANSACTION_BYTES_MAX + 1];
    };
    assert_eq!(bend(&longer), long);
    let mut absence = block.prove(absent(11));
    absence.statement.subject = absent(10);
    let something = LedgerError::SomethingThere { trie, tx_index: 10 };
    assert_eq!(fault(&absence), ProofFault::Ledger(something));
    absence.statement.subject = absent(11);
    tree(&mut absence).tx_count = 0;
    assert!(parts(fault(&absence)));
    tree(&mut absence).transaction = None;
    tree(&mut absence).peaks.clear();
    assert!(matches!(fault(&absence), ProofFault::Ledger(LedgerError::Mismatch { .. })));
    let mut other = good.clone();
    other.block = self::block(8).prove(ProofSubject::Block).block;
    other.statement.number = BlockNumber(self::block(8).number);
    assert!(matches!(fault(&other), ProofFault::Ledger(LedgerError::Mismatch { .. })));
}

/// Every header has one form: what else decodes to the same fields is refused.
#[test]
fn headers_that_no_node_writes_are_refused() {
    let good = block(5).header;
    for length in 0..good.len() {
        assert!(Header::decode(&good[..length]).is_err(), "{length}");
    }
    let with = |extra: &[u8]| Header::decode(&[&good[..], extra].concat()).unwrap_err();
    assert_eq!(with(&[0]), LedgerError::Trailing { what: "header" });
    assert_eq!(with(&[0; 1_024]), LedgerError::Field { field: "header length" });
    let read = Header::decode(&good).unwrap();
    let refused = |bend: &dyn Fn(&mut Header)| {
        let mut bent = read.clone();
        bend(&mut bent);
        match Header::decode(&bent.encode()) {
            Err(LedgerError::Field { field }) => field,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(refused(&|bent| bent.chain_id.clear()), "chain_id");
    assert_eq!(refused(&|bent| bent.chain_id = "x".repeat(51)), "chain_id");
    assert_eq!(refused(&|bent| bent.height = 0), "height");
    assert_eq!(refused(&|bent| bent.height = 1 << 63), "height");
    assert_eq!(refused(&|bent| bent.seconds = SECONDS_MAX + 1), "time");
    assert_eq!(refused(&|bent| bent.nanos = 1_000_000_000), "time");
    assert_eq!(refused(&|bent| bent.app_hash = vec![1; 1_024]), "header length");
    let parts = |part_count| {
        move |bent: &mut Header| {
            bent.last_block_id = bent.last_block_id.map(|id| CosmosBlockId { part_count, ..id });
        }
    };
    assert_eq!(refused(&parts(0)), "last_block_id");
    // the same number behind a byte more, a field left empty, a field out of its place
    let bent = |at: usize, bytes: &[u8]| {
        Header::decode(&[&good[..at], bytes, &good[at..]].concat()).is_err()
    };
    let at_height = 2 + 4 + 2 + 11;
    assert_eq!(good[at_height], 3 << 3);
    assert!(
        bent(at_height, &[0x12, 0]) && bent(at_height, &[0x18, 0]) && bent(at_height, &[0x20, 1])
    );
    assert!(bent(good.len(), &[0x0a, 0]));
    let mut padded = good.clone();
    padded[1] += 1;
    padded.splice(3..4, [0x8b, 0x00]);
    assert!(Header::decode(&padded).is_err(), "a version of two bytes where one is enough");
    let mut not_text = good.clone();
    not_text[8] = 0xff;
    assert_eq!(Header::decode(&not_text), Err(LedgerError::Field { field: "chain_id" }));
}

/// Any flipped bit of a file is refused, or changes nothing that is shown: the origin, which levels 1
/// and 2 do not bind, and a count that the proof does not show.
#[test]
fn no_flipped_bit_shows_anything_else() {
    let block = block(5);
    for subject in [tx(0), tx(3), tx(4), absent(5), ProofSubject::Block] {
        let good = block.prove(subject);
        let facts = check(&good).unwrap();
        let encoded = good.encode();
        for bit in 0..encoded.len() * 8 {
            let mut flipped = encoded.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let Ok(read) = Bundle::decode(&flipped) else { continue };
            let Ok(shown) = check(&read) else { continue };
            assert_eq!(shown.statement, facts.statement, "bit {bit}");
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
        let (body, header) = (block.body(), Header::decode(&block.header).unwrap());
        let encoded = body.encode();
        for length in 0..encoded.len() {
            assert_eq!(Body::decode(&encoded[..length]), None);
        }
        let header = superroot_proof::ledger::Header::Cosmos(Box::new(header));
        let held = body.extent();
        assert_eq!(
            body.check(&header, held, block.tx_count(), |_| true),
            Ok(block.tx_count().into())
        );
        assert!(body.check(&header, held, block.tx_count() + 1, |_| true).is_err());
        assert_eq!(Body::decode(&encoded), Some(body));
    }
    let claims = [&[Family::Cosmos.byte()][..], &[0xff; 4], &[0; 32]].concat();
    assert_eq!(Body::decode(&claims), None);
}

fn any_header() -> impl Strategy<Value = Header> {
    let hashes = prop::array::uniform7(any::<[u8; 32]>().prop_map(Hash));
    let id = (any::<[u8; 32]>(), 1..u32::MAX, any::<[u8; 32]>());
    let id = prop::option::of(id.prop_map(|(hash, part_count, parts)| CosmosBlockId {
        hash: Hash(hash),
        part_count,
        parts_hash: Hash(parts),
    }));
    let numbers =
        (any::<u64>(), any::<u64>(), 1..1_u64 << 63, 0..=SECONDS_MAX, 0..1_000_000_000_u32);
    let rest = ("[a-z0-9-]{1,50}", prop::collection::vec(any::<u8>(), 0..100), any::<[u8; 20]>());
    (numbers, rest, id, hashes).prop_map(|(numbers, rest, last_block_id, hashes)| {
        let (version_block, version_app, height, seconds, nanos) = numbers;
        let (chain_id, app_hash, proposer_address) = rest;
        let [last_commit_hash, data_hash, validators_hash, next_validators_hash, ..] = hashes;
        let [.., consensus_hash, last_results_hash, evidence_hash] = hashes;
        Header {
            version_block,
            version_app,
            chain_id,
            height,
            seconds,
            nanos,
            last_block_id,
            last_commit_hash,
            data_hash,
            validators_hash,
            next_validators_hash,
            consensus_hash,
            app_hash,
            last_results_hash,
            evidence_hash,
            proposer_address,
        }
    })
}

proptest! {
    #[test]
    fn a_header_is_read_as_it_is_written(header in any_header()) {
        prop_assert_eq!(Header::decode(&header.encode()), Ok(header));
    }

    /// Whatever is read is written as it was.
    #[test]
    fn no_header_has_two_forms(header in any_header(), at: prop::sample::Index, bytes in prop::collection::vec(any::<u8>(), 0..4)) {
        let mut bent = header.encode();
        let at = at.index(bent.len());
        let to = (at + 1).min(bent.len());
        bent.splice(at..to, bytes);
        if let Ok(read) = Header::decode(&bent) {
            prop_assert_eq!(read.encode(), bent);
        }
    }

    #[test]
    fn nothing_from_outside_panics(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = Header::decode(&bytes);
        let _ = Body::decode(&[&[Family::Cosmos.byte()][..], &bytes].concat());
    }
}
