//! A version of Aptos' main network under the root of a signed ledger info, and what is refused of it.

use superroot_chain::ledger::aptos::{RawAptosBlock, RawVersions};
use superroot_chain::{ChainRegistry, UntrustedBlock, verify};
use superroot_proof::ledger::ProofSubject;
use superroot_proof::ledger::aptos::{ExecutionStatus, Info, PLACEHOLDER};
use superroot_types::{BlockNumber, Hash};

/// The version, which is the last of its block.
const VERSION: u64 = 998_167_816;
/// Where in the file: 30 siblings behind their count, then the info, then the ledger info with the root.
const SIBLINGS_AT: usize = 995;
const SIBLING_COUNT: usize = 30;
const INFO: std::ops::Range<usize> = 1_955..2_095;
const ROOT_AT: usize = 2_152;

/// The block that ends in that version, as far as the file has it; `None`, said loudly, without data.
fn real_block() -> Option<RawAptosBlock> {
    let Some(data) = std::env::var_os("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, version {VERSION} is not read");
        return None;
    };
    let file = std::path::Path::new(&data).join("other/aptos/account_inclusion_data.bcs");
    let bytes = std::fs::read(file).unwrap();
    let hash = |at: usize| Hash(bytes[at..at + 32].try_into().unwrap());
    let siblings: Vec<Hash> = (0..SIBLING_COUNT).map(|at| hash(SIBLINGS_AT + 32 * at)).collect();
    let is_left = |height: &usize| VERSION >> height & 1 == 1;
    assert!(
        (0..SIBLING_COUNT)
            .filter(|height| !is_left(height))
            .all(|height| siblings[height] == PLACEHOLDER)
    );
    let frozen = (0..SIBLING_COUNT).rev().filter(is_left).map(|height| siblings[height]).collect();
    let versions = RawVersions {
        first_version: VERSION,
        frozen,
        infos: vec![bytes[INFO].to_vec()],
        events: vec![None],
    };
    let before =
        superroot_proof::ledger::aptos::Frozen::new(VERSION, versions.frozen.clone()).unwrap();
    Some(RawAptosBlock {
        number: BlockNumber(1),
        hash: hash(ROOT_AT),
        parent_hash: before.root(),
        timestamp_us: 1_717_757_545_000_000,
        versions: Some(versions),
    })
}

#[test]
fn a_real_version_leads_to_the_root_of_a_signed_ledger_info() {
    let Some(raw) = real_block() else { return };
    let row = ChainRegistry::builtin().find("aptos").unwrap();
    let block = verify(row, &UntrustedBlock::Aptos(Box::new(raw.clone()))).unwrap();
    assert_eq!((block.hash(), block.tx_count()), (raw.hash, Some(1)));
    let info = Info::decode(&block.transactions().unwrap()[0]).unwrap();
    assert_eq!((info.status.clone(), info.event_root), (ExecutionStatus::Success, PLACEHOLDER));
    assert_eq!(block.transaction_hashes().unwrap(), [info.transaction_hash]);
    let proof = block.body().unwrap().prove(ProofSubject::Transaction { tx_index: 0 }, true);
    assert!(proof.unwrap().is_some());
    // its events are none: an accumulator of none has the placeholder as its root
    let mut with_events = raw.clone();
    with_events.versions.as_mut().unwrap().events = vec![Some(Vec::new())];
    verify(row, &UntrustedBlock::Aptos(Box::new(with_events))).unwrap();
}

#[test]
fn a_changed_bit_anywhere_is_refused_by_name() {
    let Some(raw) = real_block() else { return };
    let row = ChainRegistry::builtin().find("aptos").unwrap();
    let refused = |change: &dyn Fn(&mut RawAptosBlock)| {
        let mut raw = raw.clone();
        change(&mut raw);
        verify(row, &UntrustedBlock::Aptos(Box::new(raw))).unwrap_err().to_string()
    };
    let versions = |raw: &mut RawAptosBlock| raw.versions.take().unwrap();
    for bit in 0..8 * INFO.len() {
        refused(&|raw| raw.versions.as_mut().unwrap().infos[0][bit / 8] ^= 1 << (bit % 8));
    }
    for at in 0..raw.versions.as_ref().unwrap().frozen.len() {
        let told = refused(&|raw| raw.versions.as_mut().unwrap().frozen[at].0[7] ^= 1);
        assert!(told.starts_with("accumulator_root_hash is "), "{told}");
    }
    for (told, change) in [
        (
            "accumulator_root_hash is ",
            &(|raw: &mut RawAptosBlock| raw.hash.0[0] ^= 1) as &dyn Fn(&mut _),
        ),
        ("root before the block is ", &|raw: &mut RawAptosBlock| raw.parent_hash.0[0] ^= 1),
        ("frozen is ", &|raw: &mut RawAptosBlock| {
            raw.versions.as_mut().unwrap().first_version += 1
        }),
        ("frozen is ", &|raw: &mut RawAptosBlock| _ = raw.versions.as_mut().unwrap().frozen.pop()),
        ("versions is ", &|raw: &mut RawAptosBlock| raw.versions.as_mut().unwrap().infos.clear()),
        ("versions is ", &|raw: &mut RawAptosBlock| raw.versions.as_mut().unwrap().events.clear()),
        ("versions is ", &|raw: &mut RawAptosBlock| {
            raw.versions.as_mut().unwrap().events[0] = Some(vec![vec![1]]);
        }),
        ("versions is ", &|raw: &mut RawAptosBlock| {
            let mut all = versions(raw);
            all.infos[0][0] = 1;
            raw.versions = Some(all);
        }),
    ] {
        let got = refused(change);
        assert!(got.starts_with(told), "{told}: {got}");
    }
}
