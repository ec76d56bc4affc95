//! Signed notes, checkpoints, keys and policies: what is read writes to what reads the same, and a key
//! that signed nothing is never said to have signed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use superroot_fuzz::seeds;
use superroot_proof::note::{Checkpoint, KeyKind, Note, Signer, TrustPolicy, VerifierKey};

fuzz_target!(init: seeds::plant("note_text", &seeds::notes()), |bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let stranger = Signer::new("stranger.example", KeyKind::Log, &[0xee; 32]).expect("a key");
    if let Ok(note) = Note::parse(text) {
        assert_eq!(note.to_string(), text, "one note has one form");
        assert!(note.verify(stranger.verifier()).is_err());
        assert_eq!(Note::parse(&note.clone().joined(&note).to_string()), Ok(note.clone()), "joining adds nothing new");
        if let Ok(checkpoint) = Checkpoint::parse(note.text()) {
            let none = TrustPolicy::none();
            assert!(checkpoint.check_signed(&note, stranger.verifier(), &none).is_err());
        }
    }
    if let Ok(checkpoint) = Checkpoint::parse(text) {
        assert_eq!(Checkpoint::parse(&checkpoint.to_string()), Ok(checkpoint));
    }
    if let Ok(key) = text.parse::<VerifierKey>() {
        assert_eq!(key.to_string().parse(), Ok(key));
    }
    if let Ok(policy) = TrustPolicy::parse(text) {
        assert_eq!(TrustPolicy::parse(policy.text()).as_ref(), Ok(&policy));
        let unsigned = stranger.sign("stranger.example\n1\nAAAA\n", 0);
        assert!(!policy.is_met(&unsigned) || policy == TrustPolicy::none() || text.contains("none"));
    }
    if let Ok(signer) = Signer::from_secret(text) {
        assert_eq!(Signer::from_secret(&signer.to_secret()).expect("it reads").verifier(), signer.verifier());
    }
});
