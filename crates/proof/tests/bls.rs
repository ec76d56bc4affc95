//! BLS in Rust alone beside `blst`: the same keys, sums and verdicts, of honest and of bad bytes.

use blst::{min_pk, min_sig};

#[path = "../src/finality/bls/native.rs"]
mod native;
#[path = "../src/finality/bls/pure.rs"]
mod pure;

/// As both are used in the crate.
mod suite {
    pub(crate) use superroot_proof::finality::beacon::SUITE;
    pub(crate) use superroot_proof::finality::checkpoint::DOMAIN as STAKE_SUITE;

    pub(crate) const KEY_BYTES: usize = 48;
    pub(crate) const SIGNATURE_BYTES: usize = 96;
}

use suite::{STAKE_SUITE, SUITE};
const MESSAGES: [&[u8]; 3] = [b"", b"superroot", &[7; 300]];
/// Point at infinity, compressed.
const INFINITY: u8 = 0xc0;

/// The same bytes with a bit of every byte changed, in turn, and some others.
fn changes<const N: usize>(bytes: [u8; N]) -> impl Iterator<Item = [u8; N]> {
    let flipped = (0..N).map(move |at| {
        let mut changed = bytes;
        changed[at] ^= 1 << (at % 8);
        changed
    });
    let mut infinity = [0; N];
    infinity[0] = INFINITY;
    flipped.chain([bytes, infinity, [0; N], [0xff; N]])
}

fn member(seed: u8) -> min_pk::SecretKey {
    min_pk::SecretKey::key_gen(&[seed; 32], &[]).unwrap()
}

#[test]
fn keys_of_members_are_read_alike() {
    let mut read = [0; 2];
    for bytes in changes(member(1).sk_to_pk().compress()) {
        let ours = pure::MemberKey::read(&bytes).is_some();
        assert_eq!(ours, native::MemberKey::read(&bytes).is_some(), "{bytes:02x?}");
        let valid = pure::MemberKey::validated(&bytes).is_some();
        assert_eq!(valid, native::MemberKey::validated(&bytes).is_some(), "{bytes:02x?}");
        read[0] += usize::from(ours);
        read[1] += usize::from(valid);
    }
    // half of the changed ones are points, and nearly all of these outside the subgroup
    assert!(read[0] > 10 && read[1] >= 1 && read[1] < read[0], "{read:?}");
}

#[test]
fn signatures_of_members_hold_alike() {
    let secrets: Vec<_> = (1..6).map(member).collect();
    let keys: Vec<_> = secrets.iter().map(|secret| secret.sk_to_pk().compress()).collect();
    let natives: Vec<_> =
        keys.iter().map(|key| native::MemberKey::validated(key).unwrap()).collect();
    let pures: Vec<_> = keys.iter().map(|key| pure::MemberKey::validated(key).unwrap()).collect();
    for count in 0..=keys.len() {
        assert_eq!(pure::sum(&pures[..count]), native::sum(&natives[..count]));
    }
    let mut held = 0;
    for message in MESSAGES {
        let signatures: Vec<_> =
            secrets.iter().map(|secret| secret.sign(message, SUITE, &[])).collect();
        let all: Vec<_> = signatures.iter().collect();
        let sum = min_pk::AggregateSignature::aggregate(&all, false).unwrap();
        for signature in changes(sum.to_signature().compress()) {
            for count in [0, 4, 5] {
                let ours = pure::is_signed(pures[..count].iter(), message, &signature);
                let theirs = native::is_signed(natives[..count].iter(), message, &signature);
                assert_eq!(ours, theirs, "{count} of {message:02x?}");
                held += usize::from(ours);
            }
        }
    }
    assert_eq!(held, MESSAGES.len());
}

#[test]
fn signatures_of_stake_hold_alike() {
    let secrets: Vec<_> =
        (1..5).map(|seed| min_sig::SecretKey::key_gen(&[seed; 32], &[]).unwrap()).collect();
    let keys: Vec<_> = secrets.iter().map(|secret| secret.sk_to_pk().compress()).collect();
    for bytes in changes(keys[0]) {
        let ours = pure::StakeKey::validated(&bytes).is_some();
        assert_eq!(ours, native::StakeKey::validated(&bytes).is_some(), "{bytes:02x?}");
    }
    let natives: Vec<_> =
        keys.iter().map(|key| native::StakeKey::validated(key).unwrap()).collect();
    let pures: Vec<_> = keys.iter().map(|key| pure::StakeKey::validated(key).unwrap()).collect();
    let mut held = 0;
    for message in MESSAGES {
        let signatures: Vec<_> =
            secrets.iter().map(|secret| secret.sign(message, STAKE_SUITE, &[])).collect();
        let all: Vec<_> = signatures.iter().collect();
        let sum = min_sig::AggregateSignature::aggregate(&all, false).unwrap();
        let sum = sum.to_signature().compress();
        for signature in changes(sum) {
            for count in [0, 3, 4] {
                let ours = pure::is_signed_by_stake(pures[..count].iter(), message, &signature);
                let theirs =
                    native::is_signed_by_stake(natives[..count].iter(), message, &signature);
                assert_eq!(ours, theirs, "{count} of {message:02x?}");
                held += usize::from(ours);
            }
        }
        let short = sum.get(..47).unwrap();
        assert!(!pure::is_signed_by_stake(pures.iter(), message, short));
        assert!(!native::is_signed_by_stake(natives.iter(), message, short));
    }
    assert_eq!(held, MESSAGES.len());
}
