//! Laws of the form for contracts: one form a proof, there and back, and nothing false in it.

use crate::world;

use superroot_proof::bundle::*;
use superroot_proof::calldata::CalldataError;
use superroot_types::*;
use world::*;

/// The trie that the form keeps.
fn plain(mut bundle: Bundle) -> Bundle {
    if let Some(EntryProof::Evm(tries)) = &mut bundle.entry {
        match bundle.statement.subject {
            ProofSubject::Log { .. } => tries.transaction = None,
            _ => tries.receipt = None,
        }
    }
    bundle
}

fn bundles(world: &World) -> Vec<Bundle> {
    let log = ProofSubject::Log { tx_index: 3, log_index: 2 };
    let subjects = [
        (ETHEREUM, 4098, ProofSubject::Block),
        (ETHEREUM, 6150, ProofSubject::Block),
        (OPTIMISM, 2047, ProofSubject::Block),
        (ETHEREUM, 4099, ProofSubject::Transaction { tx_index: 1 }),
        (ETHEREUM, 4099, log),
        (ETHEREUM, 6160, ProofSubject::Transaction { tx_index: 0 }),
    ];
    let mut all = Vec::new();
    for at in 0..world.published.len() {
        for (chain, number, subject) in subjects {
            if at + 1 == world.published.len() || (chain, number) == (ETHEREUM, 4098) && at > 0 {
                all.push(world.prove(chain, number, subject, true, at));
            }
        }
    }
    all
}

#[test]
fn a_proof_has_one_form_for_contracts_and_comes_back() {
    let world = World::sample();
    let policy = Policy::strict(&world.registry);
    let (mut sealed, mut open) = (0, 0);
    for bundle in bundles(&world) {
        let calldata = bundle.to_calldata().unwrap();
        let expected = plain(bundle.clone());
        let back = Bundle::from_calldata(&calldata, &bundle.origin).unwrap();
        assert_eq!(back, expected);
        assert_eq!(back.to_calldata().unwrap(), calldata);
        assert!(verify(&back, &policy).is_ok());
        match bundle.place() {
            Some(TwigPosition::Open(_)) => open += 1,
            _ => sealed += 1,
        }
        for length in 0..calldata.len() {
            let cut = Bundle::from_calldata(&calldata[..length], &bundle.origin);
            assert!(cut.is_err(), "{length}");
        }
        let longer = [calldata.as_slice(), &[0]].concat();
        let longer = Bundle::from_calldata(&longer, &bundle.origin);
        assert_eq!(longer, Err(CalldataError::Bytes { part: "bytes behind the proof" }));
    }
    assert!(sealed >= 2 && open >= 2, "{sealed} sealed, {open} open");
}

/// Whatever byte is changed, the form is refused, leads to another SuperRoot, or shows something true: another log of
/// the same receipt.
#[test]
fn a_changed_byte_shows_nothing_false() {
    let world = World::sample();
    let policy = Policy::strict(&world.registry);
    let root = world.root(world.published.len() - 1);
    let (mut malformed, mut refused, mut others) = (0, 0, 0);
    for bundle in bundles(&world) {
        let calldata = bundle.to_calldata().unwrap();
        let is_anchored = verify_anchored(&bundle, &policy, &root).is_ok();
        for place in 0..calldata.len() {
            for mask in [0x01, 0x80, 0xff] {
                let mut changed = calldata.clone();
                changed[place] ^= mask;
                let Ok(read) = Bundle::from_calldata(&changed, &bundle.origin) else {
                    malformed += 1;
                    continue;
                };
                // one form: what was read is written as it was
                assert_eq!(read.to_calldata().as_ref(), Ok(&changed), "byte {place}");
                let Ok(facts) = verify_anchored(&read, &policy, &root) else {
                    refused += 1;
                    continue;
                };
                assert!(is_anchored && matches!(facts.event, Some(ProvenEvent::Log(_))));
                let own = |subject| match subject {
                    ProofSubject::Log { tx_index, .. } => Some(tx_index),
                    _ => None,
                };
                assert_eq!(own(facts.statement.subject), own(bundle.statement.subject));
                others += 1;
            }
        }
    }
    assert!(malformed > 1_000 && refused > 5_000 && others < 20, "{malformed} {refused} {others}");
}

#[test]
fn what_contracts_do_not_check_has_no_form() {
    let world = World::sample();
    let last = world.published.len() - 1;
    let absence = ProofSubject::Absence { tx_index: 4 };
    let absent = world.prove(ETHEREUM, 4099, absence, true, last);
    let block = world.prove(ETHEREUM, 4098, ProofSubject::Block, false, last);
    let cut = block.clone().up_to(ProofLevel::Twig);
    for bundle in [absent, cut] {
        let error = bundle.to_calldata().unwrap_err();
        assert!(matches!(error, CalldataError::Subject { .. }), "{error}");
    }
    let other = Bundle::from_calldata(&block.to_calldata().unwrap(), "another origin");
    assert!(other.is_err(), "white space in an origin");
    let other = Bundle::from_calldata(&block.to_calldata().unwrap(), "another").unwrap();
    assert!(verify_anchored(&other, &Policy::strict(&world.registry), &world.root(last)).is_err());
}
