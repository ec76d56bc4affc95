//! The contract and the verifier in Rust judge changed proofs alike.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use superroot_chain::ChainRegistry;
use superroot_proof::bundle::{Bundle, Policy, ProofSubject, verify_anchored};

use crate::*;

/// What a proof shows: chain, number and position, or nothing.
type Shown = Option<(u64, u64, Option<u32>, Option<u32>)>;

fn of_rust(bytes: &[u8], vector: &RealCalldata) -> Shown {
    let bundle = Bundle::from_calldata(bytes, &vector.origin).ok()?;
    let policy = Policy::strict(ChainRegistry::builtin().proof_registry());
    let facts = verify_anchored(&bundle, &policy, &hash(vector.trusted)).ok()?;
    let statement = facts.statement;
    let shows = match statement.subject {
        ProofSubject::Block => "block",
        ProofSubject::Transaction { .. } => "transaction",
        _ => "event",
    };
    let place = (statement.chain.id.0, statement.number.0);
    (shows == vector.shows).then_some((
        place.0,
        place.1,
        statement.tx_index(),
        statement.log_index(),
    ))
}

fn of_contract(lens: &mut Lens, bytes: &[u8], vector: &RealCalldata) -> Shown {
    let proof = Bytes::copy_from_slice(bytes);
    let number = |value: U256| value.to::<u64>();
    match vector.shows.as_str() {
        "event" => {
            let outcome = lens.view(&verifyEventCall { proof });
            let shown = outcome
                .is_success
                .then(|| verifyEventCall::abi_decode_returns(&outcome.output).unwrap())?;
            let places = (number(shown.chainId), number(shown.blockNumber));
            Some((places.0, places.1, Some(shown.txIndex.to()), Some(shown.logIndex.to())))
        }
        "transaction" => {
            let outcome = lens.view(&verifyTransactionCall { proof });
            let shown = outcome
                .is_success
                .then(|| verifyTransactionCall::abi_decode_returns(&outcome.output).unwrap())?;
            Some((number(shown.chainId), number(shown.blockNumber), Some(shown.txIndex.to()), None))
        }
        _ => {
            let outcome = lens.view(&verifyBlockCall { proof });
            let shown = outcome
                .is_success
                .then(|| verifyBlockCall::abi_decode_returns(&outcome.output).unwrap())?;
            Some((number(shown.chainId), number(shown.blockNumber), None, None))
        }
    }
}

/// A change as an attacker makes it: bytes, whole words, pieces taken out, doubled or exchanged.
pub(crate) fn change(bytes: &mut Vec<u8>, random: &mut ChaCha8Rng) {
    let place = random.next_u64() as usize % bytes.len();
    match random.next_u32() % 8 {
        0..=2 => bytes[place] ^= 1 << (random.next_u32() % 8),
        3 => bytes[place] = random.next_u32() as u8,
        4 => _ = bytes.remove(place),
        5 => bytes.insert(place, random.next_u32() as u8),
        6 => {
            let end = (place + 32).min(bytes.len());
            bytes[place..end].fill(0);
        }
        _ => {
            let other = random.next_u64() as usize % bytes.len();
            bytes.swap(place, other);
        }
    }
}

#[test]
fn the_contract_agrees_with_the_verifier_on_changed_proofs() {
    let count: usize = std::env::var("SUPERROOT_DIFFERENTIAL")
        .map_or(3_000, |count| count.parse().expect("a number of proofs"));
    let vectors = vectors();
    let mut lens = Lens::new(vectors[0].log_id);
    let mut random = ChaCha8Rng::seed_from_u64(48);
    let (mut refused, mut shown) = (0, 0);
    for nth in 0..count {
        let vector = &vectors[nth % vectors.len()];
        let mut bytes = vector.bytes();
        // the first bytes decide most: every other change is among them
        let most = if nth % 2 == 0 { bytes.len() } else { bytes.len().min(160) };
        let tail = bytes.split_off(most);
        for _ in 0..=random.next_u32() % 2 {
            change(&mut bytes, &mut random);
        }
        bytes.extend_from_slice(&tail);
        lens.anchor(vector.sequence, vector.trusted);
        let (ours, theirs) = (of_rust(&bytes, vector), of_contract(&mut lens, &bytes, vector));
        assert_eq!(ours, theirs, "{}: 0x{}", vector.name, const_hex::encode(&bytes));
        if ours.is_some() { shown += 1 } else { refused += 1 }
    }
    println!("{refused} refused, {shown} shown, no disagreement");
    assert!(refused > count / 2);
}

/// Each byte of a proof, changed: both refuse it, or show the same other log of the same receipt.
#[test]
fn every_flipped_byte_is_judged_alike() {
    let is_long = std::env::var_os("SUPERROOT_TEST_ALL").is_some();
    let vectors = vectors();
    let mut lens = Lens::new(vectors[0].log_id);
    for (shows, open) in ["event", "transaction", "block"]
        .into_iter()
        .flat_map(|shows| [false, true].map(|open| (shows, open)))
    {
        let is_it = |one: &&RealCalldata| one.shows == shows && one.open == open;
        let shortest = vectors.iter().filter(is_it).min_by_key(|one| one.calldata.len());
        let vector = shortest.unwrap();
        lens.anchor(vector.sequence, vector.trusted);
        let honest = vector.bytes();
        let shown = of_contract(&mut lens, &honest, vector).unwrap();
        for place in 0..honest.len() {
            let bit = 1_u8 << (place % 8);
            let masks = if is_long { vec![1, 0x80, 0xff] } else { vec![bit] };
            for mask in masks {
                let mut bytes = honest.clone();
                bytes[place] ^= mask;
                let theirs = of_contract(&mut lens, &bytes, vector);
                let words = format!("{shows}, byte {place} ^ {mask:#x}");
                assert_eq!(of_rust(&bytes, vector), theirs, "{words}");
                let Some(other) = theirs else { continue };
                assert_eq!(
                    (shows, other.0, other.1, other.2),
                    ("event", shown.0, shown.1, shown.2)
                );
                assert_ne!(other.3, shown.3, "{words}: other bytes show the same");
            }
        }
    }
}
