//! `DATA/admin.log`: who did what to the folder, and why; one JSON object a line, only ever added to.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use superroot_account::without_keys;
use superroot_types::{Clock, SystemClock};

use super::Request;

/// The file, in the data folder.
const FILE: &str = "admin.log";

/// Who asked, as the operating system tells it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Who {
    /// User; `None` where the system does not tell.
    pub(crate) uid: Option<u32>,
    /// Process.
    pub(crate) pid: Option<i32>,
    /// `socket` of a running service, or `folder` of a stopped one.
    pub(crate) through: &'static str,
}

impl Who {
    /// This process, on a folder that it holds itself.
    pub(crate) fn this_process() -> Self {
        let uid = std::fs::metadata("/proc/self").ok().map(|process| process.uid());
        Self { uid, pid: i32::try_from(std::process::id()).ok(), through: "folder" }
    }
}

/// How an act stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// It is about to begin.
    Begun,
    /// All of it was done.
    Done,
    /// It does not go on.
    Failed,
    /// Who asked went away, or the service stopped.
    Stopped,
}

/// One line.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Entry<'a> {
    /// The same on all lines of one act.
    pub(crate) id: &'a str,
    pub(crate) act: &'a str,
    pub(crate) outcome: Outcome,
    #[serde(flatten)]
    pub(crate) asked: &'a Request,
    pub(crate) who: &'a Who,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<&'a str>,
}

#[derive(Serialize)]
struct Line<'a> {
    at: u64,
    #[serde(flatten)]
    entry: &'a Entry<'a>,
}

/// The file, open.
pub(crate) struct Journal(Mutex<File>);

impl Journal {
    /// Opens it in a data folder; for its owner alone.
    pub(crate) fn open(data: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).mode(0o600).open(data.join(FILE))?;
        Ok(Self(Mutex::new(file)))
    }

    /// Adds a line, durably. A key that stands in a reason shows what names it alone.
    pub(crate) fn note(&self, entry: &Entry<'_>) -> io::Result<()> {
        let line = serde_json::to_string(&Line { at: SystemClock.now().0, entry })?;
        let mut line = without_keys(&line);
        line.push('\n');
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(line.as_bytes())?;
        file.sync_data()
    }

    /// A name for an act that begins.
    pub(crate) fn new_id() -> String {
        format!("{:08x}", rand::random::<u32>())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn lines(data: &Path) -> Vec<Value> {
        let text = std::fs::read_to_string(data.join(FILE)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn note(journal: &Journal, why: &str, outcome: Outcome) {
        let chain = Some("base".to_owned());
        let asked = Request { chain, from: None, to: Some(7), why: Some(why.to_owned()) };
        let who = Who::this_process();
        let act = "backfill";
        let entry = Entry { id: "1", act, outcome, asked: &asked, who: &who, detail: None };
        journal.note(&entry).unwrap();
    }

    /// Whoever opens it again adds to it, and no reason can end a line or begin another.
    #[test]
    fn what_was_noted_stays_and_a_reason_is_one_line() {
        let data = tempfile::tempdir().unwrap();
        note(&Journal::open(data.path()).unwrap(), "a\n{\"act\":\"resume\"}", Outcome::Begun);
        note(&Journal::open(data.path()).unwrap(), "b", Outcome::Done);
        let lines = lines(data.path());
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0]["why"], "a\n{\"act\":\"resume\"}");
        assert_eq!((&lines[1]["act"], &lines[1]["outcome"]), (&"backfill".into(), &"done".into()));
        assert_eq!((&lines[1]["chain"], &lines[1]["to"]), (&"base".into(), &7.into()));
        assert_eq!(lines[1]["who"]["through"], "folder");
        assert!(lines[1]["at"].as_u64() > Some(1_600_000_000));
    }

    #[test]
    fn no_key_stays_in_it() {
        let data = tempfile::tempdir().unwrap();
        let key = format!("svc_live_{}", "k".repeat(49));
        note(&Journal::open(data.path()).unwrap(), &format!("leaked {key}, 7"), Outcome::Begun);
        assert_eq!(lines(data.path())[0]["why"], "leaked svc_live_kkkkkkkk…, 7");
    }

    #[test]
    fn it_is_for_its_owner_alone_and_names_the_user() {
        use std::os::unix::fs::PermissionsExt;
        let data = tempfile::tempdir().unwrap();
        note(&Journal::open(data.path()).unwrap(), "x", Outcome::Begun);
        let file = std::fs::metadata(data.path().join(FILE)).unwrap();
        assert_eq!(file.permissions().mode() & 0o777, 0o600);
        assert_eq!(lines(data.path())[0]["who"]["uid"], file.uid());
    }
}
