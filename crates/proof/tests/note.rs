//! Laws of signed notes: the published examples hold, another implementation agrees, and nothing that
//! was bent counts.

use proptest::prelude::*;
use superroot_proof::note::*;
use superroot_types::{Hash, LogSize};

/// The example of the note format's own documentation.
const VKEY: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
const EXAMPLE: &str = "If you think cryptography is the answer to your problem,\n\
    then you don't know what your problem is.\n\
    \n\
    \u{2014} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
const ORIGIN: &str = "example.org/log";

fn log() -> Signer {
    Signer::new(ORIGIN, KeyKind::Log, &[7; 32]).unwrap()
}

fn witness(byte: u8) -> Signer {
    Signer::new(&format!("w{byte}.example"), KeyKind::Witness, &[byte; 32]).unwrap()
}

fn checkpoint(size: u64) -> Checkpoint {
    Checkpoint { origin: ORIGIN.to_owned(), size: LogSize(size), root: Hash([size as u8; 32]) }
}

/// A checkpoint signed by the log and by these witnesses.
fn note(size: u64, witnesses: &[u8]) -> Note {
    let text = checkpoint(size).to_string();
    let signed = witnesses.iter().map(|byte| witness(*byte).sign(&text, 1_700_000_000));
    signed.fold(log().sign(&text, 0), |note, other| note.joined(&other))
}

#[test]
fn the_published_example_is_read_and_holds() {
    let key: VerifierKey = VKEY.parse().unwrap();
    assert_eq!(
        (key.name(), key.kind(), key.to_string().as_str()),
        ("PeterNeumann", KeyKind::Log, VKEY)
    );
    let note = Note::parse(EXAMPLE).unwrap();
    assert_eq!(note.verify(&key), Ok(None));
    assert_eq!(note.to_string(), EXAMPLE);
    let bent = EXAMPLE.replacen("answer", "Answer", 1);
    assert_eq!(Note::parse(&bent).unwrap().verify(&key), Err(NoteError::Signature));
    assert_eq!(note.verify(log().verifier()), Err(NoteError::Unsigned));
}

/// Another implementation signs what we verify, and verifies what we sign.
#[test]
fn the_kept_implementation_agrees() {
    use signed_note::{Note as Other, StandardSigner, StandardVerifier, VerifierList};
    let (signer, text) = (log(), checkpoint(9).to_string());
    let ours = signer.sign(&text, 0).to_string();
    let vkey = signer.verifier().to_string();
    let verifier = StandardVerifier::new(&vkey).unwrap();
    let read = Other::from_bytes(ours.as_bytes()).unwrap();
    let (verified, _) = read.verify(&VerifierList::new(vec![Box::new(verifier)])).unwrap();
    assert_eq!(verified.len(), 1);
    let (skey, vkey) = signed_note::generate_key(&mut rand_core::OsRng, "other.example");
    let mut theirs = Other::new(text.as_bytes(), &[]).unwrap();
    theirs.add_sigs(&[&StandardSigner::new(&skey).unwrap()]).unwrap();
    let theirs = Note::parse(&String::from_utf8(theirs.to_bytes()).unwrap()).unwrap();
    assert_eq!(theirs.verify(&vkey.parse().unwrap()), Ok(None));
}

#[test]
fn a_checkpoint_needs_the_key_the_origin_and_the_quorum() {
    let key = log();
    let key = key.verifier();
    let none = TrustPolicy::none();
    let signed = note(5, &[1]).to_string();
    assert_eq!(Checkpoint::of_note(&signed, key, &none), Ok(checkpoint(5)));
    let stranger = Signer::new(ORIGIN, KeyKind::Log, &[8; 32]).unwrap();
    let theirs = stranger.sign(&checkpoint(5).to_string(), 0).to_string();
    let refused = Checkpoint::of_note(&theirs, key, &none);
    assert_eq!(refused, Err(CheckpointError::Note(NoteError::Unsigned)));
    let other = Checkpoint { origin: "example.org/other".to_owned(), ..checkpoint(5) };
    let other = log().sign(&other.to_string(), 0).to_string();
    assert!(matches!(Checkpoint::of_note(&other, key, &none), Err(CheckpointError::Origin { .. })));
    let asks = |count: u8| {
        let witnesses =
            (1..4).map(|byte| format!("witness w{byte} {}\n", witness(byte).verifier()));
        let rest = format!("group all-of {count} w1 w2 w3\nquorum all-of\n");
        TrustPolicy::parse(&(witnesses.collect::<String>() + &rest)).unwrap()
    };
    for (count, signed, is_met) in [
        (1, &[][..], false),
        (1, &[2], true),
        (2, &[2], false),
        (2, &[2, 2], false),
        (2, &[2, 3], true),
        (3, &[1, 3], false),
        (3, &[1, 2, 3, 9], true),
    ] {
        let got = Checkpoint::of_note(&note(5, signed).to_string(), key, &asks(count));
        assert_eq!(got.is_ok(), is_met, "{signed:?}, {count} asked for");
    }
    // a witness of the right name and another key is no witness
    let false_one = Signer::new("w1.example", KeyKind::Witness, &[9; 32]).unwrap();
    let text = checkpoint(5).to_string();
    let note = log().sign(&text, 0).joined(&false_one.sign(&text, 1));
    assert_eq!(Checkpoint::of_note(&note.to_string(), key, &asks(1)), Err(CheckpointError::Quorum));
}

#[test]
fn a_cosignature_binds_its_time_and_counts_for_its_text_alone() {
    let signed = note(5, &[1]);
    let one = witness(1);
    assert_eq!(signed.verify(one.verifier()), Ok(Some(1_700_000_000)));
    let as_log = VerifierKey::new("w1.example", KeyKind::Log, one.verifier().public_key()).unwrap();
    assert_eq!(signed.verify(&as_log), Err(NoteError::Unsigned));
    let moved = note(6, &[]).to_string() + signed.to_string().lines().last().unwrap() + "\n";
    assert_eq!(Note::parse(&moved).unwrap().verify(one.verifier()), Err(NoteError::Signature));
    let other_text = note(6, &[]);
    assert_eq!(other_text.clone().joined(&signed), other_text, "signatures of another text");
}

/// What is kept of a note is what the named keys signed, one signature each.
#[test]
fn lines_of_strangers_and_signatures_that_do_not_hold_are_not_kept() {
    let (key, one, two) = (log(), witness(1), witness(2));
    let false_two = Signer::new("w2.example", KeyKind::Witness, &[9; 32]).unwrap();
    let text = checkpoint(5).to_string();
    let signed = note(5, &[3, 1]).joined(&one.sign(&text, 5)).joined(&false_two.sign(&text, 1));
    let keys = [key.verifier(), one.verifier(), two.verifier()];
    assert_eq!(signed.signed_by(keys), note(5, &[1]));
    assert!(!signed.signed_by([two.verifier()]).has_signatures());
    let lines = signed.signed_by(keys).signature_lines();
    assert_eq!(format!("{text}\n{lines}"), note(5, &[1]).to_string());
    // a key of that name and id whose signature was altered
    let bent = note(6, &[]).to_string() + note(5, &[1]).to_string().lines().last().unwrap() + "\n";
    assert!(!Note::parse(&bent).unwrap().signed_by([one.verifier()]).has_signatures());
}

/// Every bit of the note is bound: by the signature, by the key's id, or because it is no note.
#[test]
fn no_flipped_bit_leaves_a_signed_note() {
    let (note, key) = (note(5, &[]).to_string(), log());
    let none = TrustPolicy::none();
    for bit in 0..note.len() * 8 {
        let mut bytes = note.clone().into_bytes();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let Ok(bent) = String::from_utf8(bytes) else { continue };
        assert!(Checkpoint::of_note(&bent, key.verifier(), &none).is_err(), "bit {bit}: {bent}");
    }
}

#[test]
fn what_is_no_note_is_refused() {
    let good = note(5, &[1]).to_string();
    for length in (0..good.len()).filter(|length| good.is_char_boundary(*length)) {
        let whole_lines = good[..length].ends_with('\n') && good[..length].contains('\u{2014}');
        assert_eq!(Note::parse(&good[..length]).is_ok(), whole_lines, "{length}");
    }
    let line = good.lines().last().unwrap().to_owned();
    for bad in [
        good.replace('\n', "\r\n"),
        good.replacen('\u{2014}', "-", 1),
        good.replacen(" w1", "  w1", 1),
        good.replace('=', ""),
        format!("{good}\n"),
        format!("{good}\u{2014} name \n"),
        format!("{good}\u{2014} na+me AAAAAAAA\n"),
        good.clone() + &format!("{line}\n").repeat(SIGNATURES_MAX),
        format!("{}{good}", "a\n".repeat(NOTE_BYTES_MAX)),
    ] {
        assert_eq!(Note::parse(&bad), Err(NoteError::Malformed), "{bad:.80}");
    }
}

#[test]
fn texts_that_are_no_checkpoint_are_refused() {
    let root = "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=";
    let good = format!("example.org/log\n20852163\n{root}\n");
    assert_eq!(Checkpoint::parse(&good).unwrap().to_string(), good);
    assert!(Checkpoint::parse(&format!("{good}more\n")).is_ok(), "extension lines are opaque");
    for bad in [
        String::new(),
        good.trim_end().to_owned(),
        good.replace("20852163", "020852163"),
        good.replace("20852163", "-1"),
        good.replace("20852163", "+1"),
        good.replace("20852163", "18446744073709551616"),
        good.replace("CsUY", "csU"),
        good.replace("example.org/log", ""),
        format!("{good}\n"),
    ] {
        assert_eq!(Checkpoint::parse(&bad), Err(CheckpointError::Text), "{bad}");
    }
}

#[test]
fn keys_that_were_altered_are_refused() {
    let good = log().verifier().to_string();
    let (front, key) = good.rsplit_once('+').unwrap();
    let other = witness(1).verifier().to_string();
    let (_, witness_key) = other.rsplit_once('+').unwrap();
    for (bad, error) in [
        (good.replace("example", "exomple"), KeyError::Id),
        (format!("{front}+{witness_key}"), KeyError::Id),
        (good.replacen('+', "+0", 1), KeyError::Form),
        (good.replacen('+', "++", 1), KeyError::Form),
        (front.to_owned(), KeyError::Form),
        (format!("{good}="), KeyError::Form),
        (format!("{front}+"), KeyError::Form),
        (format!("{front}+AQ=="), KeyError::Kind),
        (format!("{front}+B{}", &key[1..]), KeyError::Kind),
        (good.replace(ORIGIN, ""), KeyError::Name),
        (good.replace(ORIGIN, "with space"), KeyError::Name),
    ] {
        assert_eq!(bad.parse::<VerifierKey>(), Err(error), "{bad}");
    }
}

/// A secret that other tools of notes read as well, and that is never shown.
#[test]
fn a_secret_is_written_and_read_back() {
    let (signer, secret) = (log(), log().to_secret());
    let read = Signer::from_secret(&format!("{}\n", *secret)).unwrap();
    assert_eq!(read.verifier(), signer.verifier());
    assert_eq!(read.sign("text\n", 0), signer.sign("text\n", 0));
    let theirs = signed_note::StandardSigner::new(&secret).unwrap();
    let mut note = signed_note::Note::new(b"text\n", &[]).unwrap();
    note.add_sigs(&[&theirs]).unwrap();
    assert_eq!(note.to_bytes(), signer.sign("text\n", 0).to_string().into_bytes());
    let (front, _) = secret.rsplit_once('+').unwrap();
    for (bad, error) in [
        (secret.replace("PRIVATE", "PUBLIC"), KeyError::Form),
        (secret.replace("example", "exomple"), KeyError::Id),
        (front.to_owned(), KeyError::Form),
        (format!("{front}+AQ=="), KeyError::Kind),
    ] {
        let refused = Signer::from_secret(&bad).map(drop);
        assert_eq!(refused, Err(error), "{bad}");
    }
    assert!(!format!("{signer:?}").contains(&secret[secret.len() - 20..]));
}

#[test]
fn a_policy_names_the_line_that_is_wrong() {
    let (w1, w2) = (witness(1).verifier().to_string(), witness(2).verifier().to_string());
    let key = log().verifier().to_string();
    let good = format!(
        "# whom we trust\nlog {key} https://log.example\nwitness a {w1} https://a.example\n\
         \twitness b {w2}\n\ngroup both all a b\nquorum both\n"
    );
    let policy = TrustPolicy::parse(&good).unwrap();
    assert_eq!(
        (policy.text(), policy.logs().len(), policy.asks_for_witnesses()),
        (&*good, 1, true)
    );
    let urls: Vec<_> = policy.witnesses().map(|(_, url)| url).collect();
    assert_eq!(urls, [Some("https://a.example"), None]);
    for (from, to, line) in [
        ("quorum both", "quorum c", 7),
        ("quorum both", "", 7),
        ("quorum both", "quorum a\nquorum both", 8),
        ("all a b", "3 a b", 6),
        ("all a b", "0 a b", 6),
        ("all a b", "+1 a b", 6),
        ("all a b", "any", 6),
        ("all a b", "any a a", 6),
        ("all a b", "any both", 6),
        ("group both", "group a", 6),
        ("witness b", "witness none", 4),
        (w2.as_str(), w1.as_str(), 4),
        (w2.as_str(), key.as_str(), 4),
        ("log ", "lag ", 2),
        ("# whom", "#\u{7} whom", 1),
    ] {
        let bad = good.replacen(from, to, 1);
        assert_eq!(TrustPolicy::parse(&bad).unwrap_err().line, line, "{from} -> {to}");
    }
    assert!(!TrustPolicy::none().asks_for_witnesses());
    assert_eq!(TrustPolicy::parse("quorum none\n"), Ok(TrustPolicy::none()));
}

proptest! {
    #[test]
    fn no_text_makes_a_reader_panic(text in "\\PC{0,300}", bytes in any::<Vec<u8>>()) {
        let lossy = String::from_utf8_lossy(&bytes);
        for text in [text.as_str(), &lossy] {
            let _ = (Note::parse(text), text.parse::<VerifierKey>());
            let _ = (Checkpoint::parse(text), TrustPolicy::parse(text));
        }
    }
}
