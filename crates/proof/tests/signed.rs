//! Laws of notes in proofs: the key that a client brings leads to the SuperRoot, and nothing else does.

use crate::world;

use superroot_proof::bundle::*;
use superroot_proof::note::*;
use superroot_types::*;
use world::*;

fn log_key() -> Signer {
    Signer::new(ORIGIN, KeyKind::Log, &[1; 32]).unwrap()
}

fn witness() -> Signer {
    Signer::new("witness.example", KeyKind::Witness, &[2; 32]).unwrap()
}

/// A policy that asks for the witness.
fn quorum() -> TrustPolicy {
    let key = witness().verifier().to_string();
    TrustPolicy::parse(&format!("witness one {key}\nquorum one\n")).unwrap()
}

fn signed(world: &World, sequence: usize, size: usize, signers: &[Signer]) -> Bundle {
    let bundle = world.prove(ETHEREUM, 4097, ProofSubject::Block, false, sequence);
    bundle.with_note(world.note_path(sequence, size, signers))
}

/// What the log's key and the policy say of a proof.
fn check(world: &World, bundle: &Bundle, policy: &TrustPolicy) -> Result<u64, ProofError> {
    let facts = verify(bundle, &Policy::strict(&world.registry))?;
    let size = facts.check_signed(log_key().verifier(), policy).map(|signed| signed.size.0);
    size.map_err(|fault| ProofError { step: ProofStep::Anchor, fault })
}

#[test]
fn the_key_leads_to_every_super_root_that_its_log_holds() {
    let world = World::sample();
    for sequence in 0..4 {
        for size in sequence + 1..=4 {
            let bundle = signed(&world, sequence, size, &[log_key(), witness()]);
            assert_eq!(check(&world, &bundle, &quorum()), Ok(size as u64));
            assert_eq!(Bundle::decode(&bundle.encode()).as_ref(), Ok(&bundle));
            let short = bundle.clone().up_to(ProofLevel::Twig);
            let fault = check(&world, &short, &TrustPolicy::none()).unwrap_err().fault;
            assert_eq!(fault, ProofFault::NoSuperRoot, "a note says nothing of less");
        }
    }
}

#[test]
fn who_did_not_sign_leads_nowhere() {
    let world = World::sample();
    let nobody = TrustPolicy::none();
    let fault =
        |bundle: &Bundle, policy: &TrustPolicy| check(&world, bundle, policy).unwrap_err().fault;
    let plain = world.prove(ETHEREUM, 4097, ProofSubject::Block, false, 2);
    assert_eq!(fault(&plain, &nobody), ProofFault::NoNote);
    let unwitnessed = signed(&world, 2, 4, &[log_key()]);
    assert_eq!(fault(&unwitnessed, &quorum()), ProofFault::Note(CheckpointError::Quorum));
    let other = Signer::new(ORIGIN, KeyKind::Log, &[9; 32]).unwrap();
    for signers in [&[other, witness()][..], &[witness()]] {
        let unsigned = CheckpointError::Note(NoteError::Unsigned);
        assert_eq!(fault(&signed(&world, 2, 4, signers), &nobody), ProofFault::Note(unsigned));
    }
}

/// A note is of the proof's own log, at a size that holds the SuperRoot, and leads to it.
#[test]
fn a_note_of_something_else_fails_with_the_proof() {
    let world = World::sample();
    let bend = |change: fn(&mut NotePath)| {
        let mut note = world.note_path(2, 4, &[log_key()]);
        change(&mut note);
        let bundle = world.prove(ETHEREUM, 4097, ProofSubject::Block, false, 2).with_note(note);
        verify(&bundle, &Policy::strict(&world.registry)).unwrap_err()
    };
    for change in [
        |note: &mut NotePath| note.siblings.clear(),
        |note: &mut NotePath| note.siblings.push(Hash::ZERO),
        |note: &mut NotePath| note.siblings.reverse(),
        |note: &mut NotePath| note.note.clear(),
        |note: &mut NotePath| note.note = note.note.replacen("\n4\n", "\n3\n", 1),
        |note: &mut NotePath| note.note = note.note.replacen("\n4\n", "\n2\n", 1),
        |note: &mut NotePath| note.note = note.note.replacen(ORIGIN, "simulated/other", 1),
    ] {
        assert_eq!(bend(change).step, ProofStep::Level(ProofLevel::SuperRoot));
    }
    let mut note = world.note_path(2, 4, &[log_key()]);
    let root = "A".repeat(43);
    note.note = log_key().sign(&format!("{ORIGIN}\n2\n{root}=\n"), 0).to_string();
    let bundle = world.prove(ETHEREUM, 4097, ProofSubject::Block, false, 2).with_note(note);
    let error = verify(&bundle, &Policy::strict(&world.registry)).unwrap_err();
    assert_eq!(error.fault, ProofFault::NoteSize { size: LogSize(2), sequence: Sequence(2) });
}

#[test]
fn no_flipped_bit_of_note_or_path_is_accepted() {
    let world = World::sample();
    let bundle = signed(&world, 1, 4, &[log_key(), witness()]);
    let bytes = bundle.encode();
    let without = world.prove(ETHEREUM, 4097, ProofSubject::Block, false, 1).encode().len();
    assert!(bytes.len() > without + 300);
    for position in without..bytes.len() {
        for bit in 0..8 {
            let mut bent = bytes.clone();
            bent[position] ^= 1 << bit;
            let Ok(bent) = Bundle::decode(&bent) else { continue };
            let outcome = check(&world, &bent, &quorum());
            assert!(outcome.is_err(), "bit {bit} of byte {position}");
        }
    }
}

#[test]
fn a_note_stands_on_a_super_root() {
    let world = World::sample();
    let mut bytes = world.prove(ETHEREUM, 4097, ProofSubject::Block, false, 1).encode();
    let parts = 8 + 1 + ORIGIN.len() + 1 + 8 + 8 + 1 + 4;
    bytes[parts] = 0b1000_0100; // header and note alone
    assert_eq!(Bundle::decode(&bytes), Err(DecodeError::Parts { flags: 0b1000_0100 }));
}
