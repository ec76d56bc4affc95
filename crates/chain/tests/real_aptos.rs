//! A version of Aptos' main network under the root of a signed ledger info, and what is refused of it.

use superroot_chain::finality::finality_params;
use superroot_chain::ledger::aptos::{
    RawAptosBlock, RawVersions, VersionOfBlock, evidence_of_version, steps_of_epochs,
};
use superroot_chain::{ChainRegistry, UntrustedBlock, verify};
use superroot_proof::bundle::EntryProof;
use superroot_proof::finality::ledger_info::SignedLedgerInfo;
use superroot_proof::finality::{FinalitySet, Shortfall, Verdict, check_evidence};
use superroot_proof::ledger::ProofSubject;
use superroot_proof::ledger::aptos::{
    AptosLedgerInfo, ExecutionStatus, Frozen, Info, PLACEHOLDER, info_hash,
};
use superroot_types::{BlockNumber, Hash, Network, UnixSeconds};

/// The version, which is the last of its block.
const VERSION: u64 = 998_167_816;
/// Where in the file: 30 siblings behind their count, then the info, then the ledger info with the root.
const SIBLINGS_AT: usize = 995;
const SIBLING_COUNT: usize = 30;
const INFO: std::ops::Range<usize> = 1_955..2_095;
const ROOT_AT: usize = 2_152;
/// Ledger info with signatures, behind the version.
const SIGNED: std::ops::Range<usize> = 2_103..2_350;

/// A file of the data; `None`, said loudly, without data.
fn data(name: &str) -> Option<Vec<u8>> {
    let Some(data) = std::env::var_os("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, version {VERSION} is not read");
        return None;
    };
    Some(std::fs::read(std::path::Path::new(&data).join("other/aptos").join(name)).unwrap())
}

/// The block that ends in that version, as far as the file has it.
fn real_block() -> Option<RawAptosBlock> {
    let bytes = data("account_inclusion_data.bcs")?;
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
        ledger_info: None,
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

/// Siblings, info and ledger info: the answer of a backup service.
fn answer(siblings: &[u8], info: &[u8], signed: &[u8]) -> Vec<u8> {
    let count = u8::try_from(siblings.len() / 32).unwrap();
    [&[count], siblings, info, signed].concat()
}

#[test]
fn a_real_answer_about_a_version_becomes_evidence_and_another_does_not() {
    let Some(raw) = real_block() else { return };
    let bytes = data("account_inclusion_data.bcs").unwrap();
    let change = data("epoch_change_data.bcs").unwrap();
    let row = ChainRegistry::builtin().find("aptos").unwrap();
    let params = finality_params(row, Network::Live).unwrap();
    let record = &change[1..12_540];
    let length = u32::try_from(record.len()).unwrap().to_be_bytes();
    let records = [&length[..], record].concat();
    let steps = steps_of_epochs(7_495, &records).unwrap();
    let [(7_495, step)] = &steps[..] else { panic!("{} steps", steps.len()) };
    let set = FinalitySet::named_by(&params, step).unwrap();
    for (first, wrong) in [
        (7_494, records.clone()),
        (7_495, [&records[..], &records[..]].concat()),
        (7_495, [&records[..], &[0]].concat()),
        (7_495, records[..records.len() - 1].to_vec()),
    ] {
        assert_eq!(steps_of_epochs(first, &wrong), None);
    }
    assert_eq!(steps_of_epochs(7_495, &[]), Some(Vec::new()));
    let siblings = &bytes[SIBLINGS_AT..SIBLINGS_AT + 32 * SIBLING_COUNT];
    let good = answer(siblings, &bytes[INFO], &bytes[SIGNED]);
    let about = VersionOfBlock { number: raw.number, hash: raw.hash, version: VERSION };
    let evidence = evidence_of_version(about, &good).unwrap();
    assert_eq!(evidence.signer(&params), Some(7_496));
    let now = UnixSeconds(1_719_260_726);
    assert!(check_evidence(&params, &set, &evidence, now).shown().is_some());
    let late = check_evidence(&params, &set, &evidence, UnixSeconds(now.0 + 14 * 86_400));
    assert!(matches!(late, Verdict::NotEnough(Shortfall::Expired { .. })), "{late:?}");
    let lacks = |about, answer: &[u8]| assert_eq!(evidence_of_version(about, answer), None);
    lacks(VersionOfBlock { hash: raw.parent_hash, ..about }, &good);
    for version in [VERSION - 1, VERSION + 1, 0, u64::MAX] {
        lacks(VersionOfBlock { version, ..about }, &good);
    }
    for length in 0..good.len() {
        lacks(about, &good[..length]);
    }
    lacks(about, &[&good[..], &[0]].concat());
    // one ledger info of an epoch is no step, and the block's own is evidence as well
    let length = u32::try_from(SIGNED.len()).unwrap().to_be_bytes();
    let within = [&length[..], &bytes[SIGNED]].concat();
    assert_eq!(steps_of_epochs(7_496, &within), None);
    let with = |ledger_info: &[u8]| {
        let raw = RawAptosBlock { ledger_info: Some(ledger_info.to_vec()), ..raw.clone() };
        verify(row, &UntrustedBlock::Aptos(Box::new(raw))).unwrap().signed().cloned()
    };
    let signed = with(&bytes[SIGNED]).unwrap();
    assert_eq!((signed.evidence, signed.ends_set), (evidence, None));
    // of another block, or none at all: the block stays
    for wrong in [record, &bytes[SIGNED][1..], &[]] {
        assert_eq!(with(wrong), None);
    }
}

/// Versions 5 to 12 of a made block, under the ledger info of the last one.
#[test]
fn versions_before_that_of_a_ledger_info_are_shown_by_their_paths() {
    let info = |version: u64| {
        let info = Info {
            gas_used: version,
            status: ExecutionStatus::MoveAbort { code: 7, reason: None },
            transaction_hash: Hash([1; 32]),
            event_root: PLACEHOLDER,
            state_change_hash: Hash([2; 32]),
            state_checkpoint_hash: Some(Hash([3; 32])),
            auxiliary_hash: None,
        };
        info.encode()
    };
    let leaves: Vec<Hash> = (0..13).map(|version| info_hash(&info(version))).collect();
    let frozen = |count: usize| Frozen::empty().with(&leaves[..count]).unwrap();
    let raw = RawAptosBlock {
        number: BlockNumber(4),
        hash: frozen(13).root(),
        parent_hash: frozen(5).root(),
        timestamp_us: 9,
        versions: Some(RawVersions {
            first_version: 5,
            frozen: frozen(5).roots().to_vec(),
            infos: (5..13).map(info).collect(),
            events: vec![None; 8],
        }),
        ledger_info: None,
    };
    let row = ChainRegistry::builtin().find("aptos").unwrap();
    let block = verify(row, &UntrustedBlock::Aptos(Box::new(raw.clone()))).unwrap();
    let info = AptosLedgerInfo {
        epoch: 3,
        round: 1,
        id: Hash([4; 32]),
        root: raw.hash,
        version: 12,
        timestamp_us: 9,
        next: None,
        consensus_data_hash: Hash([5; 32]),
    };
    let signed = SignedLedgerInfo { info, bits: vec![0x80], signature: [6; 96], earlier: None };
    for tx_index in 0..8_u32 {
        let subject = ProofSubject::Transaction { tx_index };
        let proof = block.body().unwrap().prove(subject, true).unwrap();
        let Some(EntryProof::Aptos(proof)) = proof else { panic!("a proof of Aptos") };
        let siblings: Vec<u8> = proof.siblings.iter().flat_map(|sibling| sibling.0).collect();
        let answer = answer(&siblings, &proof.info, &signed.encode_bcs());
        let hash = frozen(usize::try_from(proof.version).unwrap() + 1).root();
        let about = VersionOfBlock { number: BlockNumber(4), hash, version: proof.version };
        let evidence = evidence_of_version(about, &answer).unwrap();
        let read = SignedLedgerInfo::decode(&evidence.body).unwrap();
        assert_eq!(read.earlier.is_some(), proof.version < 12);
        assert_eq!(read.block_root(), Ok(hash));
        // a path that was changed anywhere leads elsewhere
        for at in (1..=siblings.len()).step_by(31).filter(|_| proof.version < 12) {
            let mut wrong = answer.clone();
            wrong[at] ^= 1;
            assert_eq!(evidence_of_version(about, &wrong), None, "{at}");
        }
        for wrong in [raw.parent_hash, raw.hash].into_iter().filter(|wrong| *wrong != hash) {
            let about = VersionOfBlock { hash: wrong, ..about };
            assert_eq!(evidence_of_version(about, &answer), None);
        }
    }
}
