//! Rollback guard: the log's signed notes (marks) in second places, to recognize this folder as an older copy before it
//! republishes SuperRoots.
//!
//! ```text
//! judge ──► commit SuperRoot n ──► note n into every file mark ──► show SuperRoot n
//!   │            │                        │
//!   │            └ died here: the mark is behind by one, nothing was shown. The next start goes on,
//!   │              and writes the mark first.
//!   └ mark above the folder: held. The mark is never above what is committed, so a crash cannot hold.
//! ```
//! Every published SuperRoot is in every file mark, so one file is enough. Peers may lag: a peer can show that the
//! folder is behind, and that it is level only up to the peer's size.

mod answers;
pub(crate) mod evidence;
mod file;
mod peer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, bail};
use superroot_proof::note::{Checkpoint, Note, TrustPolicy, VerifierKey};
use superroot_types::Hash;

pub(crate) use answers::{Answers, CosignRefusal};
pub(crate) use peer::Peers;

/// Keyword in `log.mark` for the witnesses in `log.witness_policy`.
const WITNESSES: &str = "witnesses";
const MARKS_MAX: usize = 16;

/// Second place. A new kind needs a variant here, and results in [`Sightings`].
#[derive(Clone, Debug, PartialEq, Eq)]
enum GuardPlace {
    /// File, written with every SuperRoot.
    File(PathBuf),
    /// Service with this log's note at `/v5/checkpoint`, polled.
    Peer(reqwest::Url),
    /// Witness, where its last cosignature is shown. Can show that the folder is behind.
    Witness {
        url: reqwest::Url,
        /// Whether `log.mark` names the witnesses. If so, at least one must answer, as for peers. Otherwise a silent or
        /// empty witness only delays until asked once.
        is_named: bool,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MarkNote {
    pub(crate) note: Note,
    pub(crate) size: u64,
    pub(crate) root: Hash,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sighting {
    NotYet,
    Note(Box<MarkNote>),
    Nothing,
    /// Unreachable, or not a note by this log's key.
    Other(String),
}

/// Peers' last findings in mark order, written by the peer stage and read by the publisher.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sightings(Arc<Mutex<Vec<Sighting>>>);

impl Sightings {
    fn lock(&self) -> MutexGuard<'_, Vec<Sighting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, index: usize, seen: Sighting) {
        if let Some(place) = self.lock().get_mut(index) {
            *place = seen;
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GuardVerdict {
    /// Newest copy.
    Level,
    /// Older copy: the log already had that size.
    Behind { place: String, size: u64 },
    /// No place answers. `is_asked`: all were asked.
    Unknown { why: String, is_asked: bool },
    /// A witness in `log.mark` knows a larger log or another one.
    Refused { witness: String, refusal: CosignRefusal },
    /// The key signed another log with that size.
    Forked { place: String, theirs: Box<MarkNote> },
}

pub(crate) trait GuardedLog {
    fn size(&self) -> u64;
    /// Root over the first `size` entries; `None` beyond the newest.
    fn root_at(&self, size: u64) -> anyhow::Result<Option<Hash>>;
}

pub(crate) struct Marks {
    marks: Vec<GuardPlace>,
    keys: Vec<VerifierKey>,
    sightings: Sightings,
    answers: Answers,
    /// Whether this process's folder was confirmed as newest. The process locks the folder, so later silence changes
    /// nothing.
    was_level: bool,
}

impl Marks {
    /// Configured marks of the log with these keys, and addresses of the witnesses' last cosignatures.
    ///
    /// # Errors
    /// An invalid place, or one in the data folder; marks for an unsigned log.
    pub(crate) fn new(
        places: &[String],
        data: &Path,
        keys: Vec<VerifierKey>,
        witnesses: Vec<reqwest::Url>,
    ) -> anyhow::Result<Self> {
        if places.len() > MARKS_MAX {
            bail!("log.mark has {} places, expected at most {MARKS_MAX}", places.len());
        }
        let is_named = places.iter().any(|place| place == WITNESSES);
        if is_named && witnesses.is_empty() {
            bail!("log.mark names the witnesses, and log.witness_policy none that has an address");
        }
        let others = places.iter().enumerate().filter(|(_, place)| *place != WITNESSES);
        let marks = others.map(|(index, place)| {
            read_place(place, data).with_context(|| format!("log.mark[{index}] is {place:?}"))
        });
        let witnesses = witnesses.into_iter().map(|url| Ok(GuardPlace::Witness { url, is_named }));
        let marks: Vec<GuardPlace> = marks.chain(witnesses).collect::<anyhow::Result<_>>()?;
        let sightings = Sightings(Arc::new(Mutex::new(vec![Sighting::NotYet; marks.len()])));
        Ok(Self { marks, keys, sightings, answers: Answers::default(), was_level: false })
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// Answer store for witnesses named as marks; `None` otherwise.
    pub(crate) fn answers(&self) -> Option<Answers> {
        let is_named =
            |mark: &GuardPlace| matches!(mark, GuardPlace::Witness { is_named: true, .. });
        self.marks.iter().any(is_named).then(|| self.answers.clone())
    }

    /// Stage that polls the peers; `None` without peers.
    pub(crate) fn peers(&self) -> anyhow::Result<Option<Peers>> {
        let peers = self.marks.iter().enumerate().filter_map(|(index, mark)| match mark {
            GuardPlace::Peer(url) => Some((index, peer::checkpoint_of(url))),
            GuardPlace::Witness { url, .. } => Some((index, url.clone())),
            GuardPlace::File(_) => None,
        });
        let peers: Vec<_> = peers.collect();
        if peers.is_empty() {
            return Ok(None);
        }
        Peers::new(peers, self.keys.clone(), self.sightings.clone()).map(Some)
    }

    /// Joint verdict now: reads files and uses the peers' last findings.
    pub(crate) fn judge(&mut self, log: &impl GuardedLog) -> anyhow::Result<GuardVerdict> {
        let seen = self.sightings.lock().clone();
        let seen: Vec<(&GuardPlace, Sighting)> = self.marks.iter().zip(seen).collect();
        let seen = seen.into_iter().map(|(mark, last)| match mark {
            GuardPlace::File(path) => (mark, file::read(path, &self.keys)),
            GuardPlace::Peer(_) | GuardPlace::Witness { .. } => (mark, last),
        });
        let verdict = judged(&seen.collect::<Vec<_>>(), self.was_level, log)?;
        self.was_level = verdict == GuardVerdict::Level;
        Ok(match verdict {
            GuardVerdict::Level | GuardVerdict::Unknown { .. } => {
                self.answers.verdict(log.size()).unwrap_or(verdict)
            }
            GuardVerdict::Behind { .. }
            | GuardVerdict::Refused { .. }
            | GuardVerdict::Forked { .. } => verdict,
        })
    }

    /// Writes a note into every file durably, never over a higher note or foreign contents.
    pub(crate) fn write(&self, note: &Note) -> anyhow::Result<()> {
        for mark in &self.marks {
            match mark {
                GuardPlace::File(path) => file::write(path, note, &self.keys)
                    .with_context(|| format!("the mark {}", path.display()))?,
                GuardPlace::Peer(_) | GuardPlace::Witness { .. } => {}
            }
        }
        Ok(())
    }
}

impl std::fmt::Display for GuardPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Peer(url) => write!(f, "{}", peer::shown(url)),
            Self::Witness { url, .. } => write!(f, "the witness {}", peer::shown(url)),
        }
    }
}

fn read_place(place: &str, data: &Path) -> anyhow::Result<GuardPlace> {
    if place.starts_with("http://") || place.starts_with("https://") {
        return peer::parse(place).map(GuardPlace::Peer);
    }
    if place.is_empty() || place.contains("://") {
        bail!(
            "expected the path of a file, the http or https address of a service, or {WITNESSES}"
        );
    }
    let path = std::path::absolute(place)?;
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let folder = path.parent().map(real);
    if path.is_dir() || path.file_name().is_none() {
        bail!("it is a folder, expected a file");
    }
    if folder.is_some_and(|folder| folder.starts_with(real(data))) {
        bail!("it lies in the data folder and would be copied and put back with it");
    }
    Ok(GuardPlace::File(path))
}

/// Joint verdict. `was_level`: the folder was confirmed as newest before.
fn judged(
    seen: &[(&GuardPlace, Sighting)],
    was_level: bool,
    log: &impl GuardedLog,
) -> anyhow::Result<GuardVerdict> {
    let ours = log.size();
    let mut behind: Option<(u64, String)> = None;
    for (mark, seen) in seen {
        let Sighting::Note(theirs) = seen else { continue };
        if theirs.size > ours {
            let is_higher = behind.as_ref().is_none_or(|(size, _)| theirs.size > *size);
            behind = if is_higher { Some((theirs.size, mark.to_string())) } else { behind };
        } else if log.root_at(theirs.size)? != Some(theirs.root) {
            return Ok(GuardVerdict::Forked { place: mark.to_string(), theirs: theirs.clone() });
        }
    }
    if let Some((size, place)) = behind {
        return Ok(GuardVerdict::Behind { place, size });
    }
    let (witnesses, seen): (Vec<_>, Vec<_>) = seen
        .iter()
        .partition(|(mark, _)| matches!(mark, GuardPlace::Witness { is_named: false, .. }));
    if seen.is_empty() && !was_level && witnesses.iter().any(|(_, seen)| *seen == Sighting::NotYet)
    {
        let why = "witnesses were not asked yet".to_owned();
        return Ok(GuardVerdict::Unknown { why, is_asked: false });
    }
    // files are complete, peers may lag: where there are files, one of them has to be had
    let is_file = |mark: &GuardPlace| matches!(mark, GuardPlace::File(_));
    let has_file = seen.iter().any(|(mark, _)| is_file(mark));
    let deciding = || seen.iter().filter(|(mark, _)| !has_file || is_file(mark));
    let is_had = |seen: &Sighting| match seen {
        Sighting::Note(_) => true,
        Sighting::Nothing => ours == 0,
        Sighting::NotYet | Sighting::Other(_) => false,
    };
    if was_level || seen.is_empty() || deciding().any(|(_, seen)| is_had(seen)) {
        return Ok(GuardVerdict::Level);
    }
    let whys = deciding().map(|(mark, seen)| match seen {
        Sighting::NotYet => format!("{mark} was not asked yet"),
        Sighting::Nothing => format!("{mark} has none"),
        Sighting::Other(why) => format!("{mark}: {why}"),
        Sighting::Note(_) => String::new(),
    });
    let is_asked = deciding().all(|(_, seen)| *seen != Sighting::NotYet);
    Ok(GuardVerdict::Unknown { why: whys.collect::<Vec<_>>().join("; "), is_asked })
}

/// Parses a note signed by one of these keys under the key's name, or returns the fault.
fn note_of(text: &str, keys: &[VerifierKey]) -> Result<MarkNote, String> {
    let mut why = "no key of the log is here to check it with".to_owned();
    for key in keys {
        match Checkpoint::of_note(text, key, &TrustPolicy::none()) {
            Ok(Checkpoint { size, root, .. }) => {
                let note = Note::parse(text).map_err(|error| error.to_string())?;
                return Ok(MarkNote { note, size: size.0, root });
            }
            Err(error) => why = error.to_string(),
        }
    }
    Err(format!("holds no note of this log's key: {why}"))
}

#[cfg(test)]
mod tests;
