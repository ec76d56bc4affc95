//! A restored folder must not fork its log: marks, `backup`, `restore`, as an operator meets them.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use superroot_store::{EmbeddedConfig, EmbeddedStore, read};

use crate::support::operator::run;
use crate::support::{Service, superroot};

/// A demo of one seed, whose SuperRoots come fast, with these marks.
fn demo(data: &Path, marks: &[&str]) -> Service {
    let mut command = superroot();
    command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    command.env("SUPERROOT__ACCUMULATE__BEAT_MS", "200");
    command.env("SUPERROOT__LOG__MARK", serde_json::to_string(marks).unwrap());
    command.args(["demo", "--listen", "127.0.0.1:0", "--seed", "9", "--data"]).arg(data);
    Service::start(&mut command, "ready")
}

/// Waits until something of the service is so.
async fn until<T>(service: &Service, what: &str, look: impl AsyncFn() -> Option<T>) -> T {
    let begun = std::time::Instant::now();
    while begun.elapsed().as_secs() < 120 {
        if let Some(found) = look().await {
            return found;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("not within 120 s: {what}: {}", service.screen.lock().unwrap());
}

async fn sequence(service: &Service) -> u64 {
    service.json("/v5/superroot").await["sequence"].as_u64().unwrap()
}

async fn reaches(service: &Service, wanted: u64) {
    let reached = async || (sequence(service).await >= wanted).then_some(());
    until(service, &format!("SuperRoot {wanted}"), reached).await;
}

async fn publishing(service: &Service) -> (String, String) {
    let status = service.json("/api/v1/status").await;
    let why = status["publishing_why"].as_str().unwrap_or_default();
    (status["publishing"].as_str().unwrap().to_owned(), why.to_owned())
}

async fn is(service: &Service, state: &str) -> String {
    let look = async || {
        let (now, why) = publishing(service).await;
        (now == state).then_some(why)
    };
    until(service, &format!("publishing {state}"), look).await
}

/// Hash and note of each SuperRoot up to that one: what anybody was ever shown.
async fn shown(service: &Service, last: u64) -> Vec<(Value, String)> {
    let mut shown = Vec::new();
    for sequence in 0..=last {
        let page = service.json(&format!("/v5/superroot/{sequence}")).await;
        let (status, note) = service.get(&format!("/v5/checkpoint?sequence={sequence}")).await;
        assert_eq!(status, 200);
        shown.push((page["superRootHash"].clone(), String::from_utf8(note).unwrap()));
    }
    shown
}

/// Makes a copy; gives what is said of it.
fn backup(data: &Path, to: &Path, with_key: bool) -> String {
    let mut command = superroot();
    command.args(["backup", "--data"]).arg(data).arg("--to").arg(to);
    if with_key {
        command.arg("--with-key");
    }
    let (code, text) = run(&mut command);
    assert!(code == 0 && text.contains("whole"), "{text}");
    text
}

fn restore(data: &Path, from: &str) -> (i32, String) {
    run(restore_command(data, from))
}

fn restore_command(data: &Path, from: &str) -> &'static mut Command {
    let mut command = Box::new(superroot());
    command.args(["restore", "--from", from, "--data"]).arg(data);
    Box::leak(command)
}

/// A log that ran to some SuperRoot, a copy of its folder that is older, and what it showed.
struct Story {
    _work: tempfile::TempDir,
    data: PathBuf,
    copy: PathBuf,
    mark: PathBuf,
    copied_at: u64,
    shown: Vec<(Value, String)>,
}

impl Story {
    async fn begin(with_mark: bool) -> Self {
        let work = tempfile::tempdir().unwrap();
        let path = |name: &str| work.path().join(name);
        let (data, copy, mark) = (path("data"), path("copy"), path("mark"));
        let marks = [mark.to_str().unwrap()];
        let service = demo(&data, if with_mark { &marks } else { &[] });
        reaches(&service, 1).await;
        let copied_at = sequence(&service).await;
        backup(&data, &copy, true);
        let after = sequence(&service).await;
        reaches(&service, after + 4).await;
        let last = sequence(&service).await;
        let shown = shown(&service, last).await;
        assert_eq!(publishing(&service).await.0, "on");
        assert!(service.stop().success());
        Self { _work: work, data, copy, mark, copied_at, shown }
    }

    fn last(&self) -> u64 {
        self.shown.len() as u64 - 1
    }

    /// The newest SuperRoot in the folder of the service that was stopped.
    fn ended_at(&self) -> u64 {
        let store = EmbeddedStore::open_existing(&self.data, &EmbeddedConfig::default()).unwrap();
        read::load_newest_super_root(&store).unwrap().unwrap().0.0
    }

    fn marks(&self) -> [&str; 1] {
        [self.mark.to_str().unwrap()]
    }

    /// That the copy shows what the log showed, SuperRoot by SuperRoot.
    async fn comes_out_again(&self, service: &Service) {
        reaches(service, self.last()).await;
        assert_eq!(shown(service, self.last()).await, self.shown);
    }
}

/// What happens to an operator without a mark: the copy signs another SuperRoot of a size that was
/// signed. Nothing within the folder can know.
#[tokio::test(flavor = "multi_thread")]
async fn without_a_mark_an_older_copy_forks_its_log() {
    let story = Story::begin(false).await;
    let service = demo(&story.copy, &[]);
    reaches(&service, story.last()).await;
    let now = shown(&service, story.last()).await;
    let first = story.shown.iter().zip(&now).position(|(one, other)| one != other);
    let first = first.expect("the log has forked");
    assert!(first as u64 > story.copied_at, "{first}");
    let size = |note: &str| note.lines().nth(1).map(str::to_owned);
    assert_eq!(size(&story.shown[first].1), size(&now[first].1), "two notes of one size");
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_file_mark_an_older_copy_is_held_until_it_is_restored_from_a_folder() {
    let story = Story::begin(true).await;
    let service = demo(&story.copy, &story.marks());
    let why = is(&service, "held").await;
    assert!(why.contains("older copy") && !why.contains('/'), "paths are for nobody else: {why}");
    assert!(service.shows("publishing held"), "the start screen says so");
    assert!(service.shows("run `superroot restore") && service.shows(story.marks()[0]));
    let health = service.json("/health/ready").await;
    assert_eq!((&health["status"], &health["publishing"]), (&"ready".into(), &"held".into()));
    let held_at = sequence(&service).await;
    let proof = service.json("/v5/proof/1/100").await;
    assert_eq!(proof["v5Anchor"]["sequence"], held_at, "proofs are served");
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    assert_eq!(sequence(&service).await, held_at, "it published");
    // the command does not touch a folder that a service holds
    let (code, text) = restore(&story.copy, story.data.to_str().unwrap());
    assert!(code == 2 && text.contains("in use by another process"), "{text}");
    assert!(service.stop().success());
    let (code, text) = restore(&story.copy, story.data.to_str().unwrap());
    assert!(code == 0 && text.contains("fetched"), "{text}");
    // the same command again changes nothing
    assert_eq!(restore(&story.copy, story.data.to_str().unwrap()).0, 0);
    let service = demo(&story.copy, &story.marks());
    story.comes_out_again(&service).await;
    is(&service, "on").await;
    reaches(&service, story.last() + 2).await;
    let now = shown(&service, story.last() + 2).await;
    assert_eq!(now[..story.shown.len()], story.shown);
    assert!(service.stop().success());
    let (code, text) = run(superroot().args(["recompute", "--data"]).arg(&story.copy));
    assert_eq!(code, 0, "{text}");
    let (code, text) = restore(&story.copy, story.data.to_str().unwrap());
    assert!(code == 2 && text.contains("nothing to restore"), "{text}");
}

/// A copy without the key is a mirror: it serves proofs and publishes nothing. Another copy is restored
/// from it over the network; a mark at its address holds one that is older, and lets go by itself.
#[tokio::test(flavor = "multi_thread")]
async fn a_copy_without_the_key_is_a_mirror_to_restore_from() {
    let story = Story::begin(false).await;
    let mirror_data = story.data.with_file_name("mirror");
    backup(&story.data, &mirror_data, false);
    assert!(!mirror_data.join("log.key").exists());
    let mirror = demo(&mirror_data, &[]);
    let why = is(&mirror, "held").await;
    assert!(why.contains("the log's key is not here"), "{why}");
    assert_eq!(shown(&mirror, story.last()).await, story.shown);
    assert!(!mirror_data.join("log.key").exists(), "a new key was made in place of the old one");
    let service = demo(&story.copy, &[&mirror.url]);
    let why = is(&service, "held").await;
    assert!(why.contains("older copy") && service.shows(&mirror.url), "{why}");
    assert!(service.stop().success());
    let (code, text) = restore(&story.copy, &mirror.url);
    assert!(code == 0 && text.contains("fetched"), "{text}");
    // of a demo the key alone is not enough
    let new = story.data.with_file_name("new");
    std::fs::create_dir(&new).unwrap();
    std::fs::copy(story.data.join("log.key"), new.join("log.key")).unwrap();
    let (code, text) = restore(&new, &mirror.url);
    assert!(code == 2 && text.contains("`superroot backup`"), "{text}");
    assert_eq!(std::fs::read_dir(&new).unwrap().count(), 1, "something was left there");
    let service = demo(&story.copy, &[&mirror.url]);
    story.comes_out_again(&service).await;
    is(&service, "on").await;
    reaches(&service, story.last() + 1).await;
    let peer = mirror.url.clone();
    mirror.kill();
    // it was level once within this process: a peer that falls silent takes nothing from that
    reaches(&service, story.last() + 3).await;
    assert!(service.stop().success());
    let service = demo(&story.copy, &[&peer]);
    let why = is(&service, "held").await;
    assert!(why.contains("no mark says") && service.shows("cannot be reached"), "{why}");
    let port = peer.rsplit_once(':').unwrap().1.to_owned();
    let mut again = superroot();
    again.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    again.args(["demo", "--seed", "9", "--listen", &format!("127.0.0.1:{port}"), "--data"]);
    let _mirror = Service::start(again.arg(&mirror_data), "ready");
    is(&service, "on").await;
}

/// The state that a death between the commit of a SuperRoot and its mark leaves: the mark is one behind.
/// And whatever is at the mark that is none of the log's.
#[tokio::test(flavor = "multi_thread")]
async fn a_mark_that_is_behind_is_brought_up_and_garbage_is_none() {
    let story = Story::begin(true).await;
    let newest = std::fs::read_to_string(&story.mark).unwrap();
    // one more may have come between the last look and the stop
    let size = |note: &str| note.lines().nth(1).and_then(|line| line.parse::<u64>().ok()).unwrap();
    assert!(size(&newest) >= size(&story.shown.last().unwrap().1), "the mark is the newest note");
    std::fs::write(&story.mark, &story.shown[story.shown.len() - 2].1).unwrap();
    let service = demo(&story.data, &story.marks());
    is(&service, "on").await;
    reaches(&service, story.last() + 1).await;
    let now = shown(&service, story.last() + 1).await;
    assert_eq!(now[..story.shown.len()], story.shown, "a size was signed twice");
    assert!(service.stop().success());
    let other = "live/other\n4\nAAAA\n\n\u{2014} live/other AAAA\n";
    std::fs::write(&story.mark, other).unwrap();
    let service = demo(&story.data, &story.marks());
    let held_at = sequence(&service).await;
    for (garbage, why) in
        [(other, "not a signed note"), ("", "not a signed note"), ("x\n", "not a")]
    {
        std::fs::write(&story.mark, garbage).unwrap();
        assert!(service.shows("holds no note of this log's key") && service.shows(why));
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        assert_eq!(std::fs::read_to_string(&story.mark).unwrap(), garbage);
        assert_eq!(publishing(&service).await.0, "held");
    }
    std::fs::remove_file(&story.mark).unwrap();
    assert!(service.shows("has none"));
    assert!(!story.mark.exists() && sequence(&service).await == held_at, "it published");
    // as it says: whoever is sure writes the mark, and it goes on by itself
    let (_, note) = service.get("/v5/checkpoint").await;
    std::fs::write(&story.mark, note).unwrap();
    is(&service, "on").await;
    reaches(&service, held_at + 1).await;
}

/// Killed again and again, with a mark: it never has to be helped, and no size is ever signed twice.
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_service_goes_on_with_its_mark_and_signs_each_size_once() {
    let work = tempfile::tempdir().unwrap();
    let (data, mark) = (work.path().join("data"), work.path().join("mark"));
    let mut given: Vec<(Value, String)> = Vec::new();
    for round in 0..4_u64 {
        let service = demo(&data, &[mark.to_str().unwrap()]);
        is(&service, "on").await;
        reaches(&service, given.len() as u64 + 1).await;
        tokio::time::sleep(std::time::Duration::from_millis(37 * round)).await;
        let now = shown(&service, sequence(&service).await).await;
        assert_eq!(now[..given.len()], given, "round {round}");
        service.kill();
        given = now;
    }
}

/// Two copies with the key ran on: one is held against a note of the other.
#[tokio::test(flavor = "multi_thread")]
async fn a_fork_that_has_happened_is_refused_and_shown() {
    let story = Story::begin(false).await;
    let service = demo(&story.copy, &[]);
    // past the end of the other, which went on after the last that it was asked for
    reaches(&service, story.ended_at() + 1).await;
    assert!(service.stop().success());
    // a note of the log, below what the forked copy has
    std::fs::write(&story.mark, &story.shown.last().unwrap().1).unwrap();
    let service = demo(&story.copy, &story.marks());
    let why = is(&service, "forked").await;
    assert!(why.contains("the log has forked"), "{why}");
    let size = story.last() + 1;
    let file = story.copy.join(format!("evidence/fork-{size}.json"));
    let evidence: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let key = evidence["key"].as_str().unwrap().parse().unwrap();
    let policy = superroot_proof::note::TrustPolicy::none();
    let roots = [0, 1].map(|at| {
        let note = evidence["notes"][at].as_str().unwrap();
        let shown = superroot_proof::note::Checkpoint::of_note(note, &key, &policy).unwrap();
        assert_eq!(shown.size.0, size);
        shown.root
    });
    assert_ne!(roots[0], roots[1]);
    let (code, text) = run(superroot().arg("verify").arg(&file));
    assert!(text.contains("signed two histories"), "{code} {text}");
    assert!(service.stop().success());
    // nor can the one be restored from the other
    let (code, text) = restore(&story.data, story.copy.to_str().unwrap());
    assert!(code == 1 && text.contains("forked"), "{text}");
}

/// Of a stopped folder and of one that is served: whole, with the accounts, without the key unless it is
/// asked for, and never over anything.
#[tokio::test(flavor = "multi_thread")]
async fn a_copy_is_whole_or_not_there() {
    use std::os::unix::fs::PermissionsExt;
    let work = tempfile::tempdir().unwrap();
    let path = |name: &str| work.path().join(name);
    let data = path("data");
    let refused = |to: &Path, why: &str| {
        let mut command = superroot();
        let (code, text) = run(command.args(["backup", "--data"]).arg(&data).arg("--to").arg(to));
        assert!(code == 2 && text.contains(why), "{text}");
    };
    refused(&path("nothing"), "no SuperRoot data");
    let service = demo(&data, &[]);
    let keys = std::fs::read(data.join("demo-keys.json")).unwrap();
    std::fs::create_dir(path("empty")).unwrap();
    let of_running = backup(&data, &path("empty"), false);
    refused(&path("empty"), "is not empty");
    refused(&data.join("copy"), "lies in the data folder itself");
    refused(&data.join("not/there/copy"), "lies in the data folder itself");
    assert!(!data.join("not").exists(), "a refused copy made folders");
    std::fs::create_dir(path("cut.partial")).unwrap();
    refused(&path("cut"), "cut.partial is there");
    assert!(service.stop().success());
    let of_stopped = backup(&data, &path("missing/stopped"), true);
    for (name, with_key, told) in
        [("empty", false, of_running), ("missing/stopped", true, of_stopped)]
    {
        let copy = path(name);
        assert_eq!(copy.join("log.key").exists(), with_key);
        assert_eq!(std::fs::read(copy.join("demo-keys.json")).unwrap(), keys);
        let (code, text) = run(superroot().args(["fsck", "--data"]).arg(&copy));
        assert!(code == 0 && text.contains("rows of accounts"), "{text}");
        assert_eq!(text.contains("the key of the log is not here. Put it at"), !with_key, "{text}");
        let rows: Vec<&str> =
            text.split(" rows").map(|before| before.rsplit(' ').next().unwrap()).collect();
        let counted = format!("{} rows of chains and {} of accounts", rows[0], rows[1]);
        assert!(told.contains(&counted), "{told}: {text}");
        assert_eq!(run(superroot().args(["recompute", "--data"]).arg(&copy)).0, 0);
    }
    let mode = |name: &str| std::fs::metadata(path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("missing/stopped/log.key"), mode("missing/stopped")), (0o600, 0o700));
    assert_eq!(mode("missing"), 0o700);
    for copy in ["empty", "missing/stopped"] {
        let mut below = vec![path(copy)];
        while let Some(path) = below.pop() {
            let metadata = std::fs::symlink_metadata(&path).unwrap();
            assert_eq!(metadata.permissions().mode() & 0o077, 0, "{}", path.display());
            if metadata.is_dir() {
                below.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
        }
    }
    let left: Vec<_> =
        std::fs::read_dir(work.path()).unwrap().map(|one| one.unwrap().file_name()).collect();
    assert_eq!(left.len(), 4, "{left:?}");
    // a key that signed nothing here is no key of this log
    let mut new = superroot();
    new.args(["key", "new", "--origin", "simulated/demo-9"]).arg(path("empty/log.key"));
    assert_eq!(run(&mut new).0, 0);
    let service = demo(&path("empty"), &[]);
    is(&service, "held").await;
    assert!(service.shows("did not sign the newest note"));
}
