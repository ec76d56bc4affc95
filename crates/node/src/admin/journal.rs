//! `DATA/admin.log`: actor, action and reason, one JSON object per line, append-only.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use superroot_account::without_keys;
use superroot_types::{Clock, Hash, SystemClock};

const FILE: &str = "admin.log";

/// Caller according to the operating system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct SocketPeer {
    /// User; `None` if the system does not say.
    pub(crate) uid: Option<u32>,
    pub(crate) pid: Option<i32>,
    /// `socket` for a running service, `folder` for a stopped one.
    pub(crate) through: &'static str,
}

impl SocketPeer {
    pub(crate) fn this_process() -> Self {
        let uid = std::fs::metadata("/proc/self").ok().map(|process| process.uid());
        Self { uid, pid: i32::try_from(std::process::id()).ok(), through: "folder" }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ActionOutcome {
    Begun,
    Done,
    Failed,
    /// The caller left, or the service stopped.
    Stopped,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct StartedAction {
    id: String,
    act: String,
    #[serde(flatten)]
    asked: Value,
    who: SocketPeer,
}

#[derive(Serialize)]
struct JournalLine<'a> {
    at: u64,
    #[serde(flatten)]
    begun: &'a StartedAction,
    outcome: ActionOutcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a str>,
}

pub(crate) struct ActionJournal(Mutex<File>);

impl ActionJournal {
    /// Opens the folder's journal, private to the owner.
    pub(crate) fn open(data: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).mode(0o600).open(data.join(FILE))?;
        Ok(Self(Mutex::new(file)))
    }

    /// Notes the begin. If the journal cannot be written, the action must not run.
    pub(crate) fn begin(
        &self,
        act: &str,
        asked: &impl Serialize,
        who: &SocketPeer,
    ) -> anyhow::Result<StartedAction> {
        let id = format!("{:08x}", rand::random::<u32>());
        let act = act.to_owned();
        let begun =
            StartedAction { id, act, asked: serde_json::to_value(asked)?, who: who.clone() };
        let noted = self.note(&begun, ActionOutcome::Begun, None);
        noted.context("admin.log of the data folder cannot be written, so nothing is done")?;
        Ok(begun)
    }

    pub(crate) fn end(&self, begun: &StartedAction, outcome: ActionOutcome, detail: Option<&str>) {
        if let Err(error) = self.note(begun, outcome, detail) {
            tracing::error!("admin.log does not say how {} ended: {error}", begun.act);
        }
    }

    /// Appends a durable line. A key in a reason is reduced to its public id.
    fn note(
        &self,
        begun: &StartedAction,
        outcome: ActionOutcome,
        detail: Option<&str>,
    ) -> io::Result<()> {
        let line = JournalLine { at: SystemClock.now().0, begun, outcome, detail };
        let mut line = without_keys(&serde_json::to_string(&line)?);
        line.push('\n');
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(line.as_bytes())?;
        file.sync_data()
    }
}

/// Newest account act in the folder's journal: act count and hash.
pub(crate) fn newest_act(data: &Path) -> io::Result<Option<(u64, Hash)>> {
    let file = match File::open(data.join(FILE)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut newest = None;
    // a line that was cut off may end within a letter
    for line in BufReader::new(file).split(b'\n') {
        newest = named(&String::from_utf8_lossy(&line?)).or(newest);
    }
    Ok(newest)
}

/// Act in a line: `audit N HASH`.
fn named(line: &str) -> Option<(u64, Hash)> {
    #[derive(Deserialize)]
    struct EndedAction {
        detail: String,
    }
    let EndedAction { detail } = serde_json::from_str(line).ok()?;
    let (count, hash) = detail.strip_prefix("audit ")?.split_once(' ')?;
    count.parse().ok().zip(hash.parse().ok())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::super::CommandRequest;
    use super::*;

    /// Whoever opens it again adds to it, no reason can end a line or begin another, and no key stays
    /// in it.
    #[test]
    fn what_was_noted_stays_and_a_reason_is_one_line() {
        let data = tempfile::tempdir().unwrap();
        let open = || ActionJournal::open(data.path()).unwrap();
        let why = format!("leaked svc_live_{}, 7\n{{\"act\":\"resume\"}}", "k".repeat(49));
        let asked =
            CommandRequest { chain: Some("base".into()), from: None, to: Some(7), why: Some(why) };
        let begun = open().begin("backfill", &asked, &SocketPeer::this_process()).unwrap();
        open().end(&begun, ActionOutcome::Done, None);
        let text = std::fs::read_to_string(data.path().join(FILE)).unwrap();
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(newest_act(data.path()).unwrap(), None, "it names no act of accounts");
        for (count, byte) in [(1, 7), (2, 8)] {
            open().end(
                &begun,
                ActionOutcome::Done,
                Some(&format!("audit {count} {}", Hash([byte; 32]))),
            );
        }
        open().end(&begun, ActionOutcome::Failed, Some("audit"));
        assert_eq!(newest_act(data.path()).unwrap(), Some((2, Hash([8; 32]))));
        assert_eq!(lines[0]["why"], "leaked svc_live_kkkkkkkk…, 7\n{\"act\":\"resume\"}");
        assert_eq!((&lines[0]["outcome"], &lines[1]["outcome"]), (&"begun".into(), &"done".into()));
        assert_eq!((&lines[1]["act"], &lines[0]["id"]), (&"backfill".into(), &lines[1]["id"]));
        assert_eq!((&lines[1]["chain"], &lines[1]["to"]), (&"base".into(), &7.into()));
        assert!(lines[1]["at"].as_u64() > Some(1_600_000_000));
        let file = std::fs::metadata(data.path().join(FILE)).unwrap();
        assert_eq!(file.permissions().mode() & 0o777, 0o600, "it is for its owner alone");
        let who = &lines[0]["who"];
        assert_eq!((&who["uid"], &who["through"]), (&file.uid().into(), &"folder".into()));
    }
}
