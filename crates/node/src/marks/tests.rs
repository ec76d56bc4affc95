use std::cell::Cell;

use superroot_proof::note::{KeyKind, Signer};
use superroot_types::LogSize;

use super::*;

const ORIGIN: &str = "live/marks";

/// A log of that many entries, whose roots all have that byte.
struct Entries(u64, u8);

impl GuardedLog for Entries {
    fn size(&self) -> u64 {
        self.0
    }

    fn root_at(&self, size: u64) -> anyhow::Result<Option<Hash>> {
        Ok((size <= self.0).then_some(Hash([self.1; 32])))
    }
}

fn signer(origin: &str, secret: u8) -> Signer {
    Signer::new(origin, KeyKind::Log, &[secret; 32]).unwrap()
}

fn note_by(signer: &Signer, origin: &str, size: u64, root: u8) -> Note {
    let checkpoint =
        Checkpoint { origin: origin.to_owned(), size: LogSize(size), root: Hash([root; 32]) };
    signer.sign(&checkpoint.to_string(), 0)
}

fn note(size: u64, root: u8) -> Note {
    note_by(&signer(ORIGIN, 1), ORIGIN, size, root)
}

fn keys() -> Vec<VerifierKey> {
    vec![signer(ORIGIN, 1).verifier().clone()]
}

fn seen(size: u64, root: u8) -> Sighting {
    Sighting::Note(Box::new(MarkNote { note: note(size, root), size, root: Hash([root; 32]) }))
}

fn file() -> GuardPlace {
    GuardPlace::File("/elsewhere/mark".into())
}

fn peer() -> GuardPlace {
    GuardPlace::Peer("http://peer.example".parse().unwrap())
}

fn verdict(seen: &[(GuardPlace, Sighting)], was_level: bool, ours: u64) -> &'static str {
    let seen: Vec<(&GuardPlace, Sighting)> =
        seen.iter().map(|(mark, seen)| (mark, seen.clone())).collect();
    match judged(&seen, was_level, &Entries(ours, 7)).unwrap() {
        GuardVerdict::Level => "level",
        GuardVerdict::Behind { .. } => "behind",
        GuardVerdict::Unknown { is_asked: true, .. } => "unknown",
        GuardVerdict::Unknown { is_asked: false, .. } => "asking",
        GuardVerdict::Refused { .. } => "refused",
        GuardVerdict::Forked { .. } => "forked",
    }
}

#[test]
fn a_folder_is_held_against_the_highest_note_of_its_key() {
    for (size, root, expected) in
        [(5, 7, "level"), (4, 7, "level"), (6, 7, "behind"), (5, 8, "forked"), (4, 8, "forked")]
    {
        assert_eq!(verdict(&[(file(), seen(size, root))], false, 5), expected, "{size} {root}");
        assert_eq!(verdict(&[(peer(), seen(size, root))], false, 5), expected, "{size} {root}");
    }
    // of a higher fork nothing is seen but that the folder is behind
    assert_eq!(verdict(&[(file(), seen(6, 8))], false, 5), "behind");
    let both = [(file(), seen(5, 7)), (peer(), seen(9, 7))];
    assert_eq!(verdict(&both, true, 5), "behind", "another instance publishes meanwhile");
    let GuardVerdict::Behind { size, .. } =
        judged(&[(&file(), seen(6, 7)), (&peer(), seen(9, 7))], false, &Entries(5, 7)).unwrap()
    else {
        panic!("not behind")
    };
    assert_eq!(size, 9);
}

#[test]
fn a_folder_that_has_published_goes_on_where_one_mark_is_had() {
    let other = || Sighting::Other("garbage".to_owned());
    assert_eq!(verdict(&[], false, 5), "level", "no mark is configured");
    for (place, silent) in [
        (file(), Sighting::Nothing),
        (file(), other()),
        (peer(), Sighting::Nothing),
        (peer(), other()),
    ] {
        assert_eq!(verdict(&[(place.clone(), silent.clone())], false, 5), "unknown", "{silent:?}");
        assert_eq!(verdict(&[(place.clone(), silent)], true, 5), "level", "it was level before");
    }
    assert_eq!(verdict(&[(peer(), Sighting::NotYet)], false, 5), "asking");
    assert_eq!(verdict(&[(file(), other()), (file(), seen(5, 7))], false, 5), "level");
    // what was shown stands in every file; a peer may lag
    assert_eq!(verdict(&[(file(), seen(5, 7)), (peer(), other())], false, 5), "level");
    assert_eq!(verdict(&[(file(), Sighting::Nothing), (peer(), seen(5, 7))], false, 5), "unknown");
}

#[test]
fn an_empty_log_begins_where_no_mark_has_anything() {
    for place in [file(), peer()] {
        assert_eq!(verdict(&[(place.clone(), Sighting::Nothing)], false, 0), "level");
        assert_eq!(verdict(&[(place.clone(), seen(1, 7))], false, 0), "behind");
        assert_eq!(verdict(&[(place, Sighting::Other(String::new()))], false, 0), "unknown");
    }
}

#[test]
fn a_file_never_falls_and_nothing_else_is_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mark");
    let read = |path: &Path| file::read(path, &keys());
    assert_eq!(read(&path), Sighting::Nothing);
    for size in [3, 4, 4] {
        file::write(&path, &note(size, 7), &keys()).unwrap();
        assert_eq!(read(&path), seen(size, 7));
    }
    for (size, root, why) in [(3, 7, "above this folder's 3"), (4, 8, "has forked")] {
        let error = file::write(&path, &note(size, root), &keys()).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
        assert_eq!(read(&path), seen(4, 7));
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    let missing = folder.path().join("not-mounted").join("mark");
    assert!(file::write(&missing, &note(1, 7), &keys()).is_err());
    assert!(!missing.parent().unwrap().exists(), "a folder was made where no disk is mounted");
}

#[test]
fn what_is_no_note_of_the_logs_key_is_no_mark_and_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mark");
    let whole = note(4, 7).to_string();
    let of_other_key = note_by(&signer(ORIGIN, 2), ORIGIN, 9, 7).to_string();
    let of_other_log = note_by(&signer("live/other", 1), "live/other", 9, 7).to_string();
    let under_own_key = note_by(&signer(ORIGIN, 1), "live/other", 9, 7).to_string();
    let bent = whole.replace("\n4\n", "\n9\n");
    let long = format!("{whole}{}", "x".repeat(1 << 20));
    let texts = ["", "garbage", "\u{0}", &whole[..whole.len() / 2]].map(str::to_owned);
    let texts = texts.into_iter().chain([of_other_key, of_other_log, under_own_key, bent, long]);
    let count = Cell::new(0);
    for text in texts {
        std::fs::write(&path, &text).unwrap();
        let shown = file::read(&path, &keys());
        assert!(matches!(shown, Sighting::Other(_)), "{shown:?}");
        assert!(file::write(&path, &note(9, 7), &keys()).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        count.set(count.get() + 1);
    }
    assert_eq!(count.get(), 9);
    // cosignatures and those of a key that takes its place do no harm
    let joined = note(4, 7).joined(&note_by(&signer(ORIGIN, 2), ORIGIN, 4, 7));
    std::fs::write(&path, joined.to_string()).unwrap();
    assert!(matches!(file::read(&path, &keys()), Sighting::Note(mark) if mark.size == 4));
}

#[test]
fn places_that_are_none_are_refused() {
    let data = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let within = data.path().join("mark").display().to_string();
    let long_way = elsewhere.path().join("..").join(data.path().file_name().unwrap()).join("mark");
    let folder = elsewhere.path().display().to_string();
    for place in [
        "",
        "ftp://host/mark",
        "http://",
        "http://a:b@host",
        "https://host/?q=1",
        &within,
        &folder,
        long_way.to_str().unwrap(),
    ] {
        let error = Marks::new(&[place.to_owned()], data.path(), keys(), Vec::new()).err();
        let error = format!("{:#}", error.unwrap_or_else(|| panic!("{place:?} was taken")));
        assert!(error.starts_with("log.mark[0] is "), "{error}");
    }
    assert!(Marks::new(&vec!["/x/mark".to_owned(); 17], data.path(), keys(), Vec::new()).is_err());
    // as the program does at its start
    let _ = rustls::crypto::ring::default_provider().install_default();
    let file = elsewhere.path().join("mark").display().to_string();
    let marks = Marks::new(&[file, "https://host/log".to_owned()], data.path(), keys(), Vec::new())
        .unwrap();
    assert!(!marks.is_empty() && marks.peers().unwrap().is_some());
}

/// What a named witness answers to a note counts besides what it shows, and no other answer does.
#[test]
fn a_named_witness_that_refuses_a_note_holds_the_folder() {
    let answers = Answers::default();
    let asking = Some(GuardVerdict::Unknown {
        why: "witnesses were not asked yet".to_owned(),
        is_asked: false,
    });
    let held = |refusal| Some(GuardVerdict::Refused { witness: "w".to_owned(), refusal });
    assert_eq!(answers.verdict(5), None, "nobody is asked");
    answers.expect("w");
    answers.expect("other");
    assert_eq!((answers.verdict(0), answers.verdict(5)), (None, asking.clone()));
    answers.cosigned("other");
    assert_eq!(answers.verdict(5), asking);
    // away, say
    answers.refused("w", None);
    assert_eq!(answers.verdict(5), None);
    let ahead = CosignRefusal::Ahead { held: 7 };
    answers.refused("w", Some(ahead));
    assert_eq!(answers.verdict(6), held(ahead));
    assert_eq!(answers.verdict(7), None, "all of it came out again");
    answers.refused("w", None);
    assert_eq!(answers.verdict(5), held(ahead), "one that is away takes nothing back");
    let fork = CosignRefusal::Fork { size: 5 };
    answers.refused("w", Some(fork));
    assert_eq!(answers.verdict(5), held(fork));
    answers.cosigned("w");
    assert_eq!(answers.verdict(5), None);
    let data = tempfile::tempdir().unwrap();
    let url = || vec!["http://witness.example/id/checkpoint".parse().unwrap()];
    for (places, is_told) in [(vec!["witnesses".to_owned()], true), (Vec::new(), false)] {
        let mut marks = Marks::new(&places, data.path(), keys(), url()).unwrap();
        assert_eq!(marks.answers().is_some(), is_told);
        marks.sightings.set(0, seen(5, 7));
        assert_eq!(marks.judge(&Entries(5, 7)).unwrap(), GuardVerdict::Level);
        if let Some(answers) = marks.answers() {
            answers.refused("w", Some(ahead));
            assert_eq!(Some(marks.judge(&Entries(5, 7)).unwrap()), held(ahead));
        }
    }
}

fn witness(is_named: bool) -> GuardPlace {
    GuardPlace::Witness { url: "http://witness.example/id/checkpoint".parse().unwrap(), is_named }
}

/// Where the marks name the witnesses, one of them has to be had, as of peers.
#[test]
fn a_named_witness_has_to_be_had() {
    let other = || Sighting::Other("it cannot be reached".to_owned());
    for (ours, was_level, shown, expected) in [
        (5, false, Sighting::NotYet, "asking"),
        (5, false, Sighting::Nothing, "unknown"),
        (5, false, other(), "unknown"),
        (5, true, other(), "level"),
        (0, false, Sighting::Nothing, "level"),
        (5, false, seen(5, 7), "level"),
        (5, true, seen(6, 7), "behind"),
    ] {
        assert_eq!(
            verdict(&[(witness(true), shown.clone())], was_level, ours),
            expected,
            "{shown:?}"
        );
    }
    let two = [(witness(true), other()), (witness(true), seen(5, 7))];
    assert_eq!(verdict(&two, false, 5), "level");
    let data = tempfile::tempdir().unwrap();
    let places = ["witnesses".to_owned()];
    let url = "http://witness.example/id/checkpoint".parse().unwrap();
    let marks = Marks::new(&places, data.path(), keys(), vec![url]).unwrap();
    assert!(matches!(marks.marks[..], [GuardPlace::Witness { is_named: true, .. }]));
    let error = Marks::new(&places, data.path(), keys(), Vec::new()).err().unwrap().to_string();
    assert!(error.contains("log.witness_policy"), "{error}");
}

/// A witness holds a folder that is behind, by a note of the log's own key, and nothing else holds it.
#[test]
fn a_witness_is_asked_once_and_then_can_only_say_that_the_folder_is_behind() {
    let witness = || witness(false);
    let other = || Sighting::Other("it cannot be reached".to_owned());
    for (ours, was_level, shown, expected) in [
        (5, false, Sighting::NotYet, "asking"),
        (5, true, Sighting::NotYet, "level"),
        (0, false, Sighting::NotYet, "asking"),
        (5, false, Sighting::Nothing, "level"),
        (5, false, other(), "level"),
        (5, false, seen(5, 7), "level"),
        (5, false, seen(3, 7), "level"),
        (5, false, seen(6, 7), "behind"),
        (5, true, seen(6, 7), "behind"),
        (0, false, seen(6, 7), "behind"),
        (5, true, seen(4, 8), "forked"),
    ] {
        let got = verdict(&[(witness(), shown.clone())], was_level, ours);
        assert_eq!(got, expected, "{ours}: {shown:?}");
    }
    // where files are, they decide
    let both = |file_shows, witness_shows| [(file(), file_shows), (witness(), witness_shows)];
    assert_eq!(verdict(&both(seen(5, 7), Sighting::NotYet), false, 5), "level");
    assert_eq!(verdict(&both(Sighting::Nothing, seen(5, 7)), false, 5), "unknown");
    assert_eq!(verdict(&both(seen(5, 7), seen(6, 7)), false, 5), "behind");
    let two = [(witness(), Sighting::Nothing), (witness(), Sighting::NotYet)];
    assert_eq!(verdict(&two, false, 5), "asking");
}
