//! Blocks of the Cosmos family bent by hand: each is refused, and the field is named.

use superroot_chain::ledger::cosmos::build::{CosmosBlockPlan, block};
use superroot_chain::ledger::cosmos::{RawBlockId, RawCosmosBlock, RawParts};
use superroot_chain::{
    ChainError, ChainRegistry, ChainSpec, UntrustedBlock, VerifiedBlock, verify,
};
use superroot_proof::bundle::{self, BlockLevel, Bundle, Policy, ProofSubject, Statement};
use superroot_types::{BlockNumber, Hash};

const FIRST: u64 = 5_200_791;

fn row() -> &'static ChainSpec {
    ChainRegistry::builtin().find("cosmoshub").unwrap()
}

fn plan(number: u64, tx_count: u8) -> CosmosBlockPlan {
    CosmosBlockPlan {
        chain_id: "cosmoshub-4".to_owned(),
        number: BlockNumber(number),
        parent_hash: if number == FIRST { Hash::ZERO } else { Hash([7; 32]) },
        time: (1_700_000_000, 5),
        app_hash: Hash([9; 32]),
        proposer_address: [3; 20],
        transactions: (0..tx_count).map(|at| vec![at; 100]).collect(),
    }
}

fn check(raw: RawCosmosBlock) -> Result<VerifiedBlock, ChainError> {
    verify(row(), &UntrustedBlock::Cosmos(Box::new(raw)))
}

/// What a bent block is refused with.
fn refused(bend: impl Fn(&mut RawCosmosBlock)) -> String {
    let mut raw = block(&plan(FIRST + 9, 3));
    bend(&mut raw);
    check(raw).unwrap_err().to_string()
}

#[test]
fn every_transaction_of_a_built_block_is_proven() {
    for tx_count in 0..20 {
        let verified = check(block(&plan(FIRST + 1, tx_count))).unwrap();
        assert_eq!(verified.tx_count(), Some(tx_count.into()));
        let transactions =
            (0..tx_count.into()).map(|tx_index| ProofSubject::Transaction { tx_index });
        for subject in transactions.chain([ProofSubject::Absence { tx_index: tx_count.into() }]) {
            let entry = verified.body().unwrap().prove(subject, true).unwrap();
            let statement = Statement { chain: row().key(), number: verified.number(), subject };
            let (header, block_hash) = (verified.header().to_vec(), verified.hash());
            let block = Some(BlockLevel { header, block_hash, twig: None });
            let origin = "simulated/test".to_owned();
            let bundle = Bundle { origin, statement, entry, block };
            let facts =
                bundle::verify(&bundle, &Policy::strict(ChainRegistry::builtin().proof_registry()));
            assert!(facts.is_ok(), "{subject:?}: {facts:?}");
        }
    }
}

#[test]
fn a_header_alone_is_a_block_without_a_body() {
    let raw = RawCosmosBlock { txs: None, ..block(&plan(FIRST, 2)) };
    let verified = check(raw).unwrap();
    assert_eq!((verified.tx_count(), verified.body_withheld()), (None, None));
    assert_eq!((verified.parent_hash(), verified.timestamp().0), (Hash::ZERO, 1_700_000_000));
}

#[test]
fn blocks_of_other_chains_and_numbers_are_refused() {
    let mut other = plan(FIRST + 9, 1);
    other.chain_id = "theta-testnet-001".to_owned();
    let error = check(block(&other)).unwrap_err();
    let told = "header.chain_id is theta-testnet-001, expected cosmos:cosmoshub-4";
    assert_eq!((error.to_string().as_str(), error.check().name()), (told, "chain_id"));
    let early = check(block(&plan(FIRST - 1, 1))).unwrap_err();
    assert_eq!(early.check().name(), "support");
    let far = check(block(&plan(1 << 53, 1))).unwrap_err().to_string();
    assert_eq!(far, "header.height is 9007199254740992, expected at most 9007199254740991");
    let mut orphan = plan(FIRST + 1, 1);
    orphan.parent_hash = Hash::ZERO;
    let told = "header.last_block_id is nothing, expected a hash past the chain's first block";
    assert_eq!(check(block(&orphan)).unwrap_err().to_string(), told);
    let mut child = plan(FIRST, 1);
    child.parent_hash = Hash([1; 32]);
    let error = check(block(&child)).unwrap_err().to_string();
    assert!(error.ends_with("expected nothing in the chain's first block"), "{error}");
}

#[test]
fn fields_of_another_shape_are_named() {
    let malformed =
        |field: &str| format!("header cannot be read by a verifier: field {field} is malformed");
    for text in ["", "0x10", "-1", "01", "1e3", "18446744073709551616"] {
        assert_eq!(refused(|raw| raw.header.height = text.into()), malformed("height"), "{text}");
    }
    assert_eq!(refused(|raw| raw.header.height = "0".into()), malformed("height"));
    assert_eq!(refused(|raw| raw.header.version.block = "x".into()), malformed("version.block"));
    assert_eq!(refused(|raw| raw.header.version.app = Some("-".into())), malformed("version.app"));
    for text in ["", "yesterday", "2023-09-07T12:45:59", "0001-01-01T00:00:00Z"] {
        assert_eq!(refused(|raw| raw.header.time = text.into()), malformed("time"), "{text}");
    }
    for text in ["", "00", "0xE3B0", &"g".repeat(64), &"0".repeat(66)] {
        assert_eq!(refused(|raw| raw.header.data_hash = text.into()), malformed("data_hash"));
        let of_results = refused(|raw| raw.header.last_results_hash = text.into());
        assert_eq!(of_results, malformed("last_results_hash"));
        let of_proposer = refused(|raw| raw.header.proposer_address = text.into());
        assert_eq!(of_proposer, malformed("proposer_address"));
    }
    assert_eq!(refused(|raw| raw.header.app_hash = "0".into()), malformed("app_hash"));
    assert_eq!(refused(|raw| raw.header.app_hash = "00".repeat(1_025)), malformed("app_hash"));
    let long = refused(|raw| raw.header.chain_id = "x".repeat(51));
    assert_eq!(long, malformed("chain_id"));
    let id = |hash: &str, total, parts: &str| {
        let parts = RawParts { total, hash: parts.into() };
        Some(RawBlockId { hash: hash.into(), parts })
    };
    let hash = "AB".repeat(32);
    let of_id = |id: &Option<RawBlockId>| refused(|raw| raw.header.last_block_id = id.clone());
    assert_eq!(of_id(&id("", 1, &hash)), malformed("last_block_id.hash"));
    assert_eq!(of_id(&id(&hash, 1, "")), malformed("last_block_id.parts.hash"));
    assert_eq!(of_id(&id(&hash, 0, &hash)), malformed("last_block_id"));
}

#[test]
fn what_does_not_hash_is_refused() {
    let swapped = refused(|raw| {
        std::mem::swap(&mut raw.header.validators_hash, &mut raw.header.consensus_hash);
    });
    assert!(swapped.starts_with("block_id.hash is 0x"), "{swapped}");
    let parent = refused(|raw| raw.header.last_block_id = None);
    assert!(parent.starts_with("block_id.hash is 0x"), "{parent}");
    let lower = check({
        let mut raw = block(&plan(FIRST + 9, 3));
        raw.header.data_hash.make_ascii_lowercase();
        raw
    });
    assert!(lower.is_ok(), "hex is read in either case");
}

#[test]
fn transactions_that_are_cut_swapped_doubled_or_no_base64_are_refused() {
    let other_root = |bend: &dyn Fn(&mut Vec<String>)| {
        let error = refused(|raw| bend(raw.txs.as_mut().unwrap()));
        assert!(error.starts_with("header.data_hash is 0x"), "{error}");
    };
    other_root(&|txs| drop(txs.pop()));
    other_root(&|txs| txs.swap(0, 1));
    other_root(&|txs| txs.push(txs[2].clone()));
    other_root(&|txs| txs.clear());
    other_root(&|txs| txs[1].clear());
    for text in ["*", "QUJ", "QUJD\n", "QUJD QUJD"] {
        let error = refused(|raw| raw.txs.as_mut().unwrap()[1] = text.into());
        let told =
            "data.txs[1].transaction cannot be read by a verifier: field base64 is malformed";
        assert_eq!(error, told, "{text}");
    }
    let many = refused(|raw| raw.txs = Some(vec![String::new(); (1 << 20) + 1]));
    assert_eq!(many, "data.txs is 1048577, expected at most 1048576");
    let long = refused(|raw| raw.txs = Some(vec!["AAAA".repeat((8 << 20) / 3 + 1)]));
    assert_eq!(long, "data.txs[0].length is 8388609, expected at most 8388608");
}
