//! Blocks of the ICP ledger: what another program made, and bent in every way.

use crate::made;

use made::{Made, real, synthetic};
use proptest::prelude::*;
use superroot_chain::ledger::icp::{RawIcpBlock, encode_block};
use superroot_chain::{
    ChainError, ChainRegistry, ChainRegistryError, ChainSpec, FinalityRule, Ledger,
};
use superroot_chain::{UntrustedBlock, VerifiedBlock, verify};
use superroot_proof::ledger::icp::{Header, IcpAccount, Operation, Transaction, transaction_hash};
use superroot_types::{BlockNumber, Hash, SAFE_INTEGER_MAX, UnixSeconds};

const ROW: &str = include_str!("icp_networks.toml");

fn row() -> ChainSpec {
    ChainRegistry::parse(ROW).unwrap().find("icp-test").unwrap().clone()
}

fn raw(made: &Made) -> RawIcpBlock {
    RawIcpBlock {
        number: BlockNumber(made.number),
        hash: made.hash,
        bytes: made.bytes.clone(),
        certificate: None,
    }
}

fn check(raw: &RawIcpBlock) -> Result<VerifiedBlock, ChainError> {
    verify(&row(), &UntrustedBlock::Icp(Box::new(raw.clone())))
}

fn refused(raw: &RawIcpBlock) -> String {
    let error = check(raw).unwrap_err();
    assert_eq!(error.kind(), superroot_types::ErrorKind::Invalid, "{error}");
    error.to_string()
}

#[test]
fn a_block_of_the_mainnet_verifies() {
    let made = real();
    let block = check(&raw(&made)).unwrap();
    assert_eq!((block.hash(), block.number()), (made.hash, BlockNumber(9_840_566)));
    assert_eq!(block.timestamp(), UnixSeconds(1_705_420_805));
    assert_eq!(block.transaction_hashes(), Some(&[made.transaction_hash][..]));
    assert_eq!((block.header(), block.tx_count()), (&made.bytes[..], Some(1)));
    assert_eq!(block.extent().to_string(), "header+transactions");
}

#[test]
fn a_chain_that_another_program_made_verifies_block_by_block() {
    let mut parent = Hash::ZERO;
    for made in synthetic() {
        let block = check(&raw(&made)).unwrap();
        assert_eq!(block.parent_hash(), parent);
        assert_eq!(block.transaction_hashes(), Some(&[made.transaction_hash][..]));
        parent = block.hash();
    }
}

#[test]
fn each_claim_that_differs_is_named() {
    let good = raw(&synthetic()[3]);
    let bend = |bend: &dyn Fn(&mut RawIcpBlock)| {
        let mut bent = good.clone();
        bend(&mut bent);
        refused(&bent)
    };
    assert!(bend(&|raw| raw.hash.0[31] ^= 1).starts_with("hash is "));
    let first = bend(&|raw| raw.number = BlockNumber(0));
    assert!(
        first.starts_with("parent_hash is 0x") && first.ends_with("none at index 0"),
        "{first}"
    );
    let far = bend(&|raw| raw.number = BlockNumber(SAFE_INTEGER_MAX + 1));
    assert!(far.starts_with("index is "), "{far}");
    assert!(bend(&|raw| raw.bytes.clear()).starts_with("block cannot be read"));
    assert!(bend(&|raw| raw.bytes.push(0)).starts_with("block cannot be read"));
    assert!(bend(&|raw| raw.bytes.extend([1; 1_024])).contains("block length"));
    let mut second = raw(&synthetic()[0]);
    second.number = BlockNumber(1);
    assert_eq!(refused(&second), "parent_hash is none, expected a hash past index 0");
    for at in 0..good.bytes.len() * 8 {
        let mut bent = good.clone();
        bent.bytes[at / 8] ^= 1 << (at % 8);
        refused(&bent);
    }
}

#[test]
fn a_row_of_another_family_reads_no_such_block() {
    let ethereum = ChainRegistry::builtin().find("ethereum").unwrap();
    let block = UntrustedBlock::Icp(Box::new(raw(&real())));
    let error = verify(ethereum, &block).unwrap_err();
    assert!(matches!(error, ChainError::NotCollected { .. }), "{error}");
}

#[test]
fn the_row_names_its_canister_and_its_key() {
    let Ledger::Icp(params) = &row().ledger else { panic!("its family") };
    assert_eq!(params.canister.to_string(), "ryjl3-tyaaa-aaaaa-aaaba-cai");
    assert_eq!(row().ledger.default_finality(), FinalityRule::Latest);
    let key = const_hex::encode(params.root_key);
    for (from, to) in [
        ("ryjl3-tyaaa-aaaaa-aaaba-cai", "ryjl3-tyaaa-aaaaa-aaaba-caj".to_owned()),
        (&key, key[2..].to_owned()),
        (&key, key.to_uppercase()),
        (&key, "00".repeat(96)),
    ] {
        let error = ChainRegistry::parse(&ROW.replace(from, &to)).unwrap_err();
        let named = matches!(&error, ChainRegistryError::Field { field, .. }
            if field == "canister" || field == "root_key");
        assert!(named, "{error}");
    }
}

fn account() -> impl Strategy<Value = IcpAccount> {
    any::<[u8; 28]>().prop_map(IcpAccount)
}

fn operation() -> impl Strategy<Value = Operation> {
    let burn = (account(), any::<u64>(), proptest::option::of(account()))
        .prop_map(|(from, amount_e8s, spender)| Operation::Burn { from, amount_e8s, spender });
    let mint =
        (account(), any::<u64>()).prop_map(|(to, amount_e8s)| Operation::Mint { to, amount_e8s });
    let transfer =
        (account(), account(), any::<u64>(), any::<u64>(), proptest::option::of(account()))
            .prop_map(|(from, to, amount_e8s, fee_e8s, spender)| Operation::Transfer {
                from,
                to,
                amount_e8s,
                fee_e8s,
                spender,
            });
    let approve = (
        account(),
        account(),
        any::<u64>(),
        any::<Option<u64>>(),
        any::<Option<u64>>(),
        any::<u64>(),
    )
        .prop_map(|(from, spender, allowance_e8s, expected, expires, fee_e8s)| {
            Operation::Approve {
                from,
                spender,
                allowance_e8s,
                expected_allowance_e8s: expected,
                expires_at_nanos: expires,
                fee_e8s,
            }
        });
    prop_oneof![burn, mint, transfer, approve]
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(
        parent: Option<[u8; 32]>,
        time: u64,
        operation in operation(),
        memo: u64,
        created_at_nanos: Option<u64>,
        icrc1_memo in proptest::option::of(proptest::collection::vec(any::<u8>(), 0..33)),
    ) {
        let transaction = Transaction { operation, memo, created_at_nanos, icrc1_memo };
        let parent_hash = parent.map(Hash);
        let bytes = encode_block(parent_hash.as_ref(), time, &transaction);
        let header = Header::decode(&bytes).unwrap();
        prop_assert_eq!(&header.transaction, &transaction);
        prop_assert_eq!((header.parent_hash, header.timestamp_nanos), (parent_hash, time));
        let number = BlockNumber(u64::from(parent.is_some()));
        let block = check(&RawIcpBlock { number, hash: header.hash, bytes, certificate: None }).unwrap();
        prop_assert_eq!(block.transaction_hashes().unwrap()[0], transaction_hash(&transaction));
    }

    #[test]
    fn any_bytes_are_verified_or_refused(bytes: Vec<u8>, number: u64) {
        refused(&RawIcpBlock { number: BlockNumber(number), hash: Hash::ZERO, bytes, certificate: None });
    }
}

#[test]
fn the_other_programs_bytes_are_ours() {
    for made in synthetic() {
        let header = Header::decode(&made.bytes).unwrap();
        let parent = header.parent_hash;
        let bytes = encode_block(parent.as_ref(), header.timestamp_nanos, &header.transaction);
        assert_eq!(bytes, made.bytes, "{}", made.number);
    }
}
