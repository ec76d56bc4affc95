//! `vectors/notes/`: signed notes, cosignatures and evidence of a fork, good and bad, each bad one with the
//! step at which it must fail. `make vectors` writes them anew.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use superroot_proof::note::*;
use superroot_types::*;
use superroot_wire::evidence::{parse_evidence, render_evidence};

use crate::same_in_file;
use crate::world::*;

/// A note, and what a client with this key and policy takes of it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NoteVector {
    /// What it is, or what was done to it.
    name: String,
    /// Why it must be refused, or what it shows.
    reason: String,
    /// `policy`, `key`, `note`, `signature`, `checkpoint`, `origin` or `quorum`; null where it holds.
    refused_at: Option<String>,
    /// The log's key.
    key: String,
    /// The policy, where there is one.
    policy: Option<String>,
    /// The note.
    note: String,
    /// What it shows.
    shows: Option<ShownCheckpoint>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShownCheckpoint {
    origin: String,
    /// In decimal: it may be above 2^53.
    size: String,
    root: Hash,
}

/// One signature of a note.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CosignatureVector {
    name: String,
    reason: String,
    /// `note`, `key`, `unsigned` or `signature`; null where it holds.
    refused_at: Option<String>,
    /// The key of a log or a witness.
    key: String,
    note: String,
    /// Time of a cosignature that holds, in Unix seconds.
    time: Option<u64>,
}

/// Evidence that one key signed two histories.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EvidenceVector {
    name: String,
    reason: String,
    /// `body`, `key`, `note`, `sizes`, `entry`, `path`, `opening` or `agree`; null where it holds.
    refused_at: Option<String>,
    /// The file.
    body: Value,
    /// Size of which there are two histories.
    size: Option<u64>,
    /// Their roots.
    roots: Option<[Hash; 2]>,
}

fn log() -> Signer {
    Signer::new(ORIGIN, KeyKind::Log, &[7; 32]).unwrap()
}

fn witness(byte: u8) -> Signer {
    Signer::new(&format!("w{byte}.example"), KeyKind::Witness, &[byte; 32]).unwrap()
}

fn text(size: u64) -> String {
    Checkpoint { origin: ORIGIN.to_owned(), size: LogSize(size), root: Hash([size as u8; 32]) }
        .to_string()
}

/// The text of a checkpoint, signed by the log and by these witnesses.
fn note(text: &str, witnesses: &[u8]) -> String {
    let signed = witnesses.iter().map(|byte| witness(*byte).sign(text, 1_700_000_000));
    signed.fold(log().sign(text, 0), |note, other| note.joined(&other)).to_string()
}

/// A policy that asks for so many of three witnesses.
fn asks(count: &str) -> String {
    let witnesses = (1..4).map(|byte| format!("witness w{byte} {}\n", witness(byte).verifier()));
    witnesses.collect::<String>() + &format!("group some {count} w1 w2 w3\nquorum some\n")
}

/// What a client takes of a note, or the step at which it is refused.
fn judged(key: &str, policy: Option<&str>, note: &str) -> Result<Checkpoint, &'static str> {
    let policy = policy.map_or_else(|| Ok(TrustPolicy::none()), TrustPolicy::parse);
    let policy = policy.map_err(|_| "policy")?;
    let key: VerifierKey = key.parse().map_err(|_| "key")?;
    Checkpoint::of_note(note, &key, &policy).map_err(|error| match error {
        CheckpointError::Note(NoteError::Malformed) => "note",
        CheckpointError::Note(_) => "signature",
        CheckpointError::Text => "checkpoint",
        CheckpointError::Origin { .. } => "origin",
        CheckpointError::Quorum => "quorum",
    })
}

struct Notes(Vec<NoteVector>);

impl Notes {
    fn add(&mut self, name: &str, reason: &str, policy: Option<&str>, note: &str) {
        self.with_key(name, reason, &log().verifier().to_string(), policy, note);
    }

    fn with_key(&mut self, name: &str, reason: &str, key: &str, policy: Option<&str>, note: &str) {
        let judged = judged(key, policy, note);
        self.0.push(NoteVector {
            name: name.to_owned(),
            reason: reason.to_owned(),
            refused_at: judged.as_ref().err().map(|step| (*step).to_owned()),
            key: key.to_owned(),
            policy: policy.map(str::to_owned),
            note: note.to_owned(),
            shows: judged.ok().map(|Checkpoint { origin, size, root }| ShownCheckpoint {
                origin,
                size: size.to_string(),
                root,
            }),
        });
    }
}

fn notes() -> Vec<NoteVector> {
    let mut all = Notes(Vec::new());
    let good = note(&text(5), &[1]);
    all.add("a note", "the log signed it", None, &good);
    let extended = text(5) + "more\n";
    all.add("a line behind the root", "extensions are not read", None, &note(&extended, &[]));
    let large = text(u64::MAX);
    all.add("size 2^64 - 1", "a checkpoint alone has no smaller bound", None, &note(&large, &[]));
    let empty_line = text(5) + "\nmore\n";
    all.add("an empty line in the text", "a checkpoint has none", None, &note(&empty_line, &[]));
    quorums(&mut all);
    shapes(&mut all, &good);
    texts(&mut all);
    keys(&mut all, &good);
    policies(&mut all);
    all.0
}

fn quorums(all: &mut Notes) {
    for (name, count, signed, reason) in [
        ("one of three", "any", &[2][..], "one signed"),
        ("two of three", "2", &[1, 3], "two signed"),
        ("three of three", "all", &[3, 2, 1], "all signed, in whatever order"),
        ("none of one asked for", "any", &[], "nobody signed"),
        ("one of two asked for", "2", &[2], "one signed"),
        ("one twice of two asked for", "2", &[2, 2], "a witness counts once"),
        ("strangers", "any", &[8, 9], "they are in no policy"),
    ] {
        all.add(name, reason, Some(&asks(count)), &note(&text(5), signed));
    }
    let false_one = Signer::new("w1.example", KeyKind::Witness, &[9; 32]).unwrap();
    let signed = log().sign(&text(5), 0).joined(&false_one.sign(&text(5), 1)).to_string();
    let reason = "a witness's name with another key is no witness";
    all.add("a witness of another key", reason, Some(&asks("any")), &signed);
    let line = note(&text(6), &[1]).lines().last().unwrap().to_owned();
    let moved = note(&text(5), &[]) + &line + "\n";
    let reason = "a cosignature is of its text alone";
    all.add("a cosignature of another note", reason, Some(&asks("any")), &moved);
    let true_line = note(&text(5), &[1]).lines().last().unwrap().to_owned();
    let behind = moved + &true_line + "\n";
    let reason = "the first line of a name and id decides";
    all.add("a false cosignature before a true one", reason, Some(&asks("any")), &behind);
}

fn shapes(all: &mut Notes, good: &str) {
    let line = good.lines().last().unwrap().to_owned();
    let padded = |count: usize| {
        let more = format!("{}\n", "x".repeat(count));
        note(&(text(5) + &more), &[])
    };
    let room = NOTE_BYTES_MAX - padded(1).len() + 1;
    all.add("65,536 bytes", "the most there are", None, &padded(room));
    all.add("65,537 bytes", "65,536 are the most", None, &padded(room + 1));
    let hundred = good.to_owned() + &format!("{line}\n").repeat(SIGNATURES_MAX - 2);
    all.add("100 signatures", "the most there are", None, &hundred);
    let more = format!("{hundred}{line}\n");
    all.add("101 signatures", "100 are the most", None, &more);
    let spaced = format!("{good}\u{2014} a\u{a0}b {}\n", BASE64_STANDARD.encode([1_u8; 9]));
    all.add("a name with a space of Unicode", "a name has no white space", None, &spaced);
    let short = |bytes: &[u8]| format!("{good}\u{2014} name {}\n", BASE64_STANDARD.encode(bytes));
    all.add("a signature of one byte", "five bytes with the id are enough", None, &short(&[1; 5]));
    all.add("a signature of no bytes", "an id alone is no signature", None, &short(&[1; 4]));
    let stray = format!("{good}\u{2014} name AAAAAAB=\n");
    all.add("stray bits in base64", "base64 has one form", None, &stray);
    for (name, reason, bad) in [
        ("lines that end in CR LF", "no control characters", good.replace('\n', "\r\n")),
        ("a tab in the text", "no control characters", good.replacen('5', "5\t", 1)),
        ("a hyphen as dash", "a line begins with an em dash", good.replacen('\u{2014}', "-", 1)),
        ("two spaces before a name", "one space", good.replacen("\u{2014} ", "\u{2014}  ", 1)),
        ("base64 without its padding", "base64 has its padding", good.replace('=', "")),
        ("an empty line at the end", "signatures follow the last one", format!("{good}\n")),
        ("a plus in a name", "names have none", format!("{good}\u{2014} na+me AAAAAAAA\n")),
        ("no newline at the end", "each line has its end", good.trim_end().to_owned()),
        ("no signature", "one at least", text(5) + "\n"),
        ("no empty line", "the text ends in one", good.replacen("\n\n", "\n", 1)),
        ("nothing", "it is no note", String::new()),
    ] {
        all.add(name, reason, None, &bad);
    }
}

fn texts(all: &mut Notes) {
    let good = text(5);
    let other_origin = good.replacen(ORIGIN, "example.org/other", 1);
    all.add("another log's", "the origin is not the key's name", None, &note(&other_origin, &[]));
    for (name, reason, bad) in [
        ("a size with a leading zero", "decimal has one form", good.replacen("\n5\n", "\n05\n", 1)),
        ("a size with a sign", "decimal has none", good.replacen("\n5\n", "\n+5\n", 1)),
        (
            "a size of 2^64",
            "it is below 2^64",
            good.replacen("\n5\n", "\n18446744073709551616\n", 1),
        ),
        ("a size in hex", "it is decimal", good.replacen("\n5\n", "\n0x5\n", 1)),
        ("no origin", "it is not empty", good.replacen(ORIGIN, "", 1)),
        ("no root", "three lines", format!("{ORIGIN}\n5\n")),
        (
            "a root of 31 bytes",
            "a root has 32",
            format!("{ORIGIN}\n5\n{}\n", BASE64_STANDARD.encode([5_u8; 31])),
        ),
    ] {
        all.add(name, reason, None, &note(&bad, &[]));
    }
    let bent = note(&good, &[]).replacen("\n5\n", "\n6\n", 1);
    all.add("a size that was altered", "the signature does not hold", None, &bent);
    let unsigned = witness(1).sign(&good, 1).to_string();
    all.add("signed by a witness alone", "the log did not sign it", None, &unsigned);
}

fn keys(all: &mut Notes, good: &str) {
    let vkey = log().verifier().to_string();
    let (front, key) = vkey.rsplit_once('+').unwrap();
    let stranger = Signer::new(ORIGIN, KeyKind::Log, &[8; 32]).unwrap().verifier().to_string();
    all.with_key("a stranger's key", "that key signed nothing", &stranger, None, good);
    let small = BASE64_STANDARD.encode([&[1_u8, 1][..], &[0; 31]].concat());
    for (name, reason, bad) in [
        (
            "an id of another key",
            "the id follows from name and key",
            vkey.replacen("world", "w0rld", 1),
        ),
        ("an id of nine digits", "an id has eight", vkey.replacen('+', "+0", 1)),
        ("a key of an unknown kind", "01 and 04 are known", format!("{front}+Ag{}", &key[2..])),
        (
            "a key of 31 bytes",
            "a key has 32",
            format!("{front}+{}", BASE64_STANDARD.encode([1_u8; 32])),
        ),
        ("a key of the neutral point", "its id is another", format!("{front}+{small}")),
        ("no key", "a key has three parts", front.to_owned()),
        ("a name with a space", "names have none", vkey.replacen(ORIGIN, "with space", 1)),
    ] {
        all.with_key(name, reason, &bad, None, good);
    }
}

fn policies(all: &mut Notes) {
    let signed = note(&text(5), &[1, 2, 3]);
    let w = |byte: u8| witness(byte).verifier().to_string();
    let nested = format!(
        "# ours\nwitness a {}\nwitness b {} https://b.example\nwitness c {}\n\ngroup two 2 a b\n\
         group all any two c\nquorum all\n",
        w(1),
        w(9),
        w(3)
    );
    all.add("a group of a group", "the other member signed", Some(&nested), &signed);
    all.add("quorum none", "it asks for nobody", Some("quorum none\n"), &note(&text(5), &[]));
    for (name, reason, bad) in [
        ("no quorum", "there is one", format!("witness a {}\n", w(1))),
        ("two quorums", "there is one", "quorum none\nquorum none\n".to_owned()),
        (
            "a group of more than it has",
            "1 to all",
            format!("witness a {}\ngroup g 2 a\nquorum g\n", w(1)),
        ),
        (
            "a group of 01",
            "no leading zero",
            format!("witness a {}\ngroup g 01 a\nquorum g\n", w(1)),
        ),
        (
            "a member named below",
            "names of lines above",
            format!("group g any a\nwitness a {}\nquorum g\n", w(1)),
        ),
        (
            "a member of two groups",
            "once",
            format!("witness a {}\ngroup g any a\ngroup h any a\nquorum g\n", w(1)),
        ),
        (
            "one key under two names",
            "each key once",
            format!("witness a {0}\nwitness b {0}\nquorum a\n", w(1)),
        ),
        (
            "the key of a log as a witness",
            "it is of another kind",
            format!("witness a {}\nquorum a\n", log().verifier()),
        ),
        (
            "a witness called none",
            "none is no name",
            format!("witness none {}\nquorum none\n", w(1)),
        ),
        ("a word that is unknown", "four words begin a line", "quorun none\n".to_owned()),
    ] {
        all.add(name, reason, Some(&bad), &signed);
    }
}

fn cosignatures() -> Vec<CosignatureVector> {
    let mut all = Vec::new();
    let mut add = |name: &str, reason: &str, key: &str, note: &str| {
        let judged = match (Note::parse(note), key.parse::<VerifierKey>()) {
            (Err(_), _) => Err("note"),
            (_, Err(_)) => Err("key"),
            (Ok(note), Ok(key)) => note.verify(&key).map_err(|error| match error {
                NoteError::Malformed => "note",
                NoteError::Unsigned => "unsigned",
                NoteError::Signature => "signature",
            }),
        };
        all.push(CosignatureVector {
            name: name.to_owned(),
            reason: reason.to_owned(),
            refused_at: judged.err().map(str::to_owned),
            key: key.to_owned(),
            note: note.to_owned(),
            time: judged.ok().flatten(),
        });
    };
    let (good, w1) = (note(&text(5), &[1]), witness(1).verifier().to_string());
    add("of a witness", "it has a time", &w1, &good);
    add("of the log", "it has no time", &log().verifier().to_string(), &good);
    let untimed = witness(2).sign(&text(5), 0).to_string();
    add("at time 0", "a time is a number", &witness(2).verifier().to_string(), &untimed);
    add("of nobody", "no line of that name", &witness(3).verifier().to_string(), &good);
    let as_log = VerifierKey::new("w1.example", KeyKind::Log, witness(1).verifier().public_key());
    add("of the same key as a log's", "its id is another", &as_log.unwrap().to_string(), &good);
    add("with a key that is none", "it is not read", "w1.example+00+AA==", &good);
    add("of a note that is none", "it is not read", &w1, good.trim_end());
    let bend = |byte: usize| {
        let line = good.lines().last().unwrap();
        let (front, signature) = line.rsplit_once(' ').unwrap();
        let mut bytes = BASE64_STANDARD.decode(signature).unwrap();
        bytes[byte] ^= 1;
        good.replacen(line, &format!("{front} {}", BASE64_STANDARD.encode(bytes)), 1)
    };
    add("with another id", "no line of that id", &w1, &bend(3));
    add("with another time", "the time is signed", &w1, &bend(11));
    add("with a bit of R", "it does not hold", &w1, &bend(12));
    add("with a bit of s", "it does not hold", &w1, &bend(12 + 32));
    add("with the highest bit of s", "s is below the group's order", &w1, &malleable(&good));
    let short = good.replacen(good.lines().last().unwrap(), &cut(&good), 1);
    add("of 63 bytes", "a signature has 64", &w1, &short);
    let other = note(&text(6), &[]) + good.lines().last().unwrap() + "\n";
    add("of another note", "it is of its text alone", &w1, &other);
    small_order(&mut add);
    all
}

/// The last signature with the group's order added to its `s`: the same equation, another form.
fn malleable(note: &str) -> String {
    const ORDER: [u8; 32] = [
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde,
        0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ];
    let line = note.lines().last().unwrap();
    let (front, signature) = line.rsplit_once(' ').unwrap();
    let mut bytes = BASE64_STANDARD.decode(signature).unwrap();
    let mut carry = 0;
    for (byte, more) in bytes[12 + 32..].iter_mut().zip(ORDER) {
        let sum = u16::from(*byte) + u16::from(more) + carry;
        (*byte, carry) = (sum as u8, sum >> 8);
    }
    note.replacen(line, &format!("{front} {}", BASE64_STANDARD.encode(bytes)), 1)
}

/// The last line with a signature that lacks its last byte.
fn cut(note: &str) -> String {
    let (front, signature) = note.lines().last().unwrap().rsplit_once(' ').unwrap();
    let bytes = BASE64_STANDARD.decode(signature).unwrap();
    format!("{front} {}", BASE64_STANDARD.encode(&bytes[..bytes.len() - 1]))
}

/// The neutral point as key and as R, with `s` 0: an equation that holds for every text.
fn small_order(add: &mut impl FnMut(&str, &str, &str, &str)) {
    let neutral = [&[1_u8][..], &[0; 31]].concat();
    let Ok(key) = VerifierKey::new("zero", KeyKind::Log, neutral.as_slice().try_into().unwrap())
    else {
        return;
    };
    let signature = [&key.id()[..], &neutral, &[0; 32]].concat();
    let note = format!("{}\n\u{2014} zero {}\n", text(5), BASE64_STANDARD.encode(signature));
    add("of a key of small order", "it would fit every text", &key.to_string(), &note);
}

/// What evidence shows, or the step at which it is refused.
fn judged_evidence(body: &Value) -> Result<Contradiction, &'static str> {
    let (evidence, _) = parse_evidence(body).map_err(|_| "body")?;
    evidence.verify().map_err(|error| match error {
        EvidenceError::Key => "key",
        EvidenceError::Note { .. } => "note",
        EvidenceError::Origins { .. } => "origins",
        EvidenceError::Sizes { .. } => "sizes",
        EvidenceError::Entry { .. } | EvidenceError::Log => "entry",
        EvidenceError::Path(_) => "path",
        EvidenceError::Opening(_) => "opening",
        EvidenceError::Agree { .. } => "agree",
    })
}

/// The honest log, and one that shares SuperRoot 0 with it and nothing more.
fn two_logs() -> (World, World) {
    let mut other = World::new();
    other.extend(ETHEREUM, 4096..=4100, |number| number % 5);
    other.publish(1_700_000_000);
    for after in 1..5 {
        other.publish(1_700_000_001 + after);
    }
    (World::sample(), other)
}

fn evidence() -> Vec<EvidenceVector> {
    let (honest, other) = two_logs();
    let signed = |world: &World, size: usize| {
        let (origin, root) = (ORIGIN.to_owned(), world.log_root(size));
        let text = Checkpoint { origin, size: LogSize(size as u64), root }.to_string();
        log().sign(&text, 0).to_string()
    };
    let entry = |world: &World, index: usize, size: usize| {
        let (super_root, path) = (world.published[index].blob.super_root, world.path(index, size));
        Some(Box::new(HistoryEntry { super_root, path, opening: world.opening(index) }))
    };
    let body = |notes: [String; 2], entry: Option<Box<HistoryEntry>>| {
        render_evidence(&ForkEvidence { key: log().verifier().clone(), notes, entry })
    };
    let mut all = Vec::new();
    let mut add = |name: &str, reason: &str, body: Value| {
        let judged = judged_evidence(&body);
        all.push(EvidenceVector {
            name: name.to_owned(),
            reason: reason.to_owned(),
            refused_at: judged.as_ref().err().map(|step| (*step).to_owned()),
            body,
            size: judged.as_ref().ok().map(|shown| shown.size.0),
            roots: judged.ok().map(|shown| shown.roots),
        });
    };
    let two = |a: usize, b: usize| body([signed(&honest, a), signed(&other, b)], None);
    add("two notes of one size", "the roots differ", two(3, 3));
    add("the same root twice", "nothing is contradicted", two(1, 1));
    add("two sizes", "two notes are of one size", two(2, 3));
    let past = body([signed(&honest, 2), signed(&other, 5)], entry(&other, 2, 5));
    add("another history", "the later log says another past", past.clone());
    let own = body([signed(&other, 2), signed(&other, 5)], entry(&other, 2, 5));
    add("one honest log", "nothing is contradicted", own);
    let wrong = body([signed(&honest, 2), signed(&other, 5)], entry(&other, 3, 5));
    add("another entry", "the entry is that of the first note's size", wrong);
    let mut bend = |name: &str, reason: &str, bend: &dyn Fn(&mut Value)| {
        let mut bent = past.clone();
        bend(&mut bent);
        add(name, reason, bent);
    };
    bend("notes exchanged", "the first is the smaller", &|bent| {
        bent["notes"].as_array_mut().unwrap().swap(0, 1);
    });
    bend("the entry left out", "notes of two sizes need it", &|bent| {
        bent.as_object_mut().unwrap().remove("entry");
    });
    bend("a byte behind a note", "it is no note", &|bent| {
        bent["notes"][1] = json!(format!("{}\n", bent["notes"][1].as_str().unwrap()));
    });
    let stranger = Signer::new(ORIGIN, KeyKind::Log, &[8; 32]).unwrap();
    bend("a stranger's key", "that key signed nothing", &|bent| {
        bent["key"] = json!(stranger.verifier().to_string());
    });
    let as_witness = Signer::new(ORIGIN, KeyKind::Witness, &[7; 32]).unwrap();
    bend("the key of a witness", "a log's key signs histories", &|bent| {
        bent["key"] = json!(as_witness.verifier().to_string());
    });
    bend("a key that is none", "it is not read", &|bent| bent["key"] = json!("a+b"));
    bend("a sibling of zeros", "the path leads elsewhere", &|bent| {
        bent["entry"]["inclusion_path"][0] = json!(Hash::ZERO);
    });
    bend("a path too long", "index and size fix its length", &|bent| {
        bent["entry"]["inclusion_path"].as_array_mut().unwrap().push(json!(Hash::ZERO));
    });
    bend("another log root", "slot 54 holds another history", &|bent| {
        bent["entry"]["history"]["log_root"] = json!(honest.log_root(2));
    });
    bend("another count of entries", "it is the SuperRoot's sequence", &|bent| {
        bent["entry"]["history"]["leaf_count"] = json!(3);
    });
    bend("another sibling of slot 54", "it leads to another tree root", &|bent| {
        bent["entry"]["history"]["siblings"][3] = json!(Hash([1; 32]));
    });
    bend("a preimage of version 4", "version 5 alone is known", &|bent| {
        let preimage = bent["entry"]["preimage"].as_str().unwrap();
        bent["entry"]["preimage"] = json!(preimage.replacen("0x0705", "0x0704", 1));
    });
    bend("another log's SuperRoot", "it has the key's log id", &|bent| {
        let preimage = bent["entry"]["preimage"].as_str().unwrap();
        let zeros = "0".repeat(64);
        bent["entry"]["preimage"] = json!(format!("{}{zeros}{}", &preimage[..6], &preimage[70..]));
    });
    bend("another index", "it is the SuperRoot's sequence", &|bent| {
        bent["entry"]["index"] = json!(3)
    });
    bend("a form that is unknown", "there are two", &|bent| {
        bent["evidence"] = json!("three_notes")
    });
    bend("one note", "there are two", &|bent| drop(bent["notes"].as_array_mut().unwrap().pop()));
    all
}

#[test]
fn every_note_is_judged_at_its_step() {
    let vectors = same_in_file("notes/notes.json", &notes(), |one| &one.name);
    for one in &vectors {
        let refused = judged(&one.key, one.policy.as_deref(), &one.note).err();
        assert_eq!(refused.map(str::to_owned), one.refused_at, "{}", one.name);
    }
    for step in ["policy", "key", "note", "signature", "checkpoint", "origin", "quorum"] {
        let is_there = vectors.iter().any(|one| one.refused_at.as_deref() == Some(step));
        assert!(is_there, "no note is refused at {step}");
    }
    assert!(vectors.len() >= 60, "{} notes", vectors.len());
}

#[test]
fn every_cosignature_is_judged_at_its_step() {
    let vectors = same_in_file("notes/cosignatures.json", &cosignatures(), |one| &one.name);
    let held = vectors.iter().filter(|one| one.refused_at.is_none()).count();
    assert!(held == 3 && vectors.len() >= 14, "{held} of {} hold", vectors.len());
}

#[test]
fn every_evidence_is_judged_at_its_step() {
    let vectors = same_in_file("notes/evidence.json", &evidence(), |one| &one.name);
    for one in &vectors {
        assert_eq!(judged_evidence(&one.body).err().map(str::to_owned), one.refused_at);
    }
    for step in ["body", "key", "note", "sizes", "entry", "path", "opening", "agree"] {
        let is_there = vectors.iter().any(|one| one.refused_at.as_deref() == Some(step));
        assert!(is_there, "no evidence is refused at {step}");
    }
}
