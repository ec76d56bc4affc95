//! High-water marks: notes of the log's own key in second places, which show that this folder is an
//! older copy before it publishes what was published already.
//!
//! ```text
//! judge ──► commit SuperRoot n ──► note n into every file mark ──► show SuperRoot n
//!   │            │                        │
//!   │            └ died here: the mark is behind by one, nothing was shown. The next start goes on,
//!   │              and writes the mark first.
//!   └ mark above the folder: held. The mark is never above what is committed, so a crash cannot hold.
//! ```
//! What was shown stands in every file mark, so one of them is enough to know. What peers show may lag:
//! they can say that the folder is behind, and that it is level only as far as they have come.

mod answers;
pub(crate) mod evidence;
mod file;
mod peer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, bail};
use superroot_proof::note::{Checkpoint, Note, TrustPolicy, VerifierKey};
use superroot_types::Hash;

pub(crate) use answers::{Answers, Refusal};
pub(crate) use peer::Peers;

/// The word of `log.mark` for the witnesses of `log.witness_policy`.
const WITNESSES: &str = "witnesses";
/// Most marks of a log.
const MARKS_MAX: usize = 16;

/// A second place. A further kind is a variant here, and what it showed goes into [`Sightings`].
#[derive(Clone, Debug, PartialEq, Eq)]
enum Mark {
    /// A file, written with every SuperRoot.
    File(PathBuf),
    /// A service whose `/v5/checkpoint` shows this log's note; asked now and then.
    Peer(reqwest::Url),
    /// A witness, where it shows what it cosigned last. It can say that the folder is behind.
    Witness {
        url: reqwest::Url,
        /// Whether `log.mark` names the witnesses: then one of them has to be had, as of peers. Of others
        /// that have nothing, or cannot be asked, none is waited for but until it was asked once.
        is_named: bool,
    },
}

/// A note of the log's own key, found in a second place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MarkNote {
    pub(crate) note: Note,
    pub(crate) size: u64,
    pub(crate) root: Hash,
}

/// What a place showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// It was not asked yet.
    NotYet,
    /// The newest note there.
    Note(Box<MarkNote>),
    /// Nothing is kept there.
    Nothing,
    /// It could not be asked, or holds what is no note of this log's key.
    Other(String),
}

/// What peers showed last, in the order of the marks: their stage writes, the publisher reads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sightings(Arc<Mutex<Vec<Seen>>>);

impl Sightings {
    fn lock(&self) -> MutexGuard<'_, Vec<Seen>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what a place showed.
    fn set(&self, index: usize, seen: Seen) {
        if let Some(place) = self.lock().get_mut(index) {
            *place = seen;
        }
    }
}

/// What all places together say of this folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is the newest.
    Level,
    /// It is an older copy: the log had that size already.
    Behind { place: String, size: u64 },
    /// No place says anything. `is_asked`: all of them were asked.
    Unknown { why: String, is_asked: bool },
    /// A witness that `log.mark` names holds more of the log, or another one.
    Refused { witness: String, refusal: Refusal },
    /// The key signed another log of that size.
    Forked { place: String, theirs: Box<MarkNote> },
}

/// The folder, as far as marks are concerned.
pub(crate) trait Log {
    /// Entries of the log.
    fn size(&self) -> u64;
    /// Root of the first `size` entries; `None` past the newest.
    fn root_at(&self, size: u64) -> anyhow::Result<Option<Hash>>;
}

/// The marks of a log.
pub(crate) struct Marks {
    marks: Vec<Mark>,
    keys: Vec<VerifierKey>,
    sightings: Sightings,
    answers: Answers,
    /// Whether they said of this very process's folder that it is the newest: the folder is held by
    /// this process, so a place that falls silent later takes nothing from that.
    was_level: bool,
}

impl Marks {
    /// The configured marks of the log that these keys sign, and where its witnesses show what they
    /// cosigned last.
    ///
    /// # Errors
    /// A place that is none, or lies in the data folder; marks of a log that nobody signs.
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
        let witnesses = witnesses.into_iter().map(|url| Ok(Mark::Witness { url, is_named }));
        let marks: Vec<Mark> = marks.chain(witnesses).collect::<anyhow::Result<_>>()?;
        let sightings = Sightings(Arc::new(Mutex::new(vec![Seen::NotYet; marks.len()])));
        Ok(Self { marks, keys, sightings, answers: Answers::default(), was_level: false })
    }

    /// Whether there is none.
    pub(crate) const fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// Where the answers of witnesses go that are named as marks; `None` where they are not.
    pub(crate) fn answers(&self) -> Option<Answers> {
        let is_named = |mark: &Mark| matches!(mark, Mark::Witness { is_named: true, .. });
        self.marks.iter().any(is_named).then(|| self.answers.clone())
    }

    /// What asks the peers; `None` where there is none.
    pub(crate) fn peers(&self) -> anyhow::Result<Option<Peers>> {
        let peers = self.marks.iter().enumerate().filter_map(|(index, mark)| match mark {
            Mark::Peer(url) => Some((index, peer::checkpoint_of(url))),
            Mark::Witness { url, .. } => Some((index, url.clone())),
            Mark::File(_) => None,
        });
        let peers: Vec<_> = peers.collect();
        if peers.is_empty() {
            return Ok(None);
        }
        Peers::new(peers, self.keys.clone(), self.sightings.clone()).map(Some)
    }

    /// What the places say now: files are read, of peers counts what they showed last.
    pub(crate) fn judge(&mut self, log: &impl Log) -> anyhow::Result<Verdict> {
        let seen = self.sightings.lock().clone();
        let seen: Vec<(&Mark, Seen)> = self.marks.iter().zip(seen).collect();
        let seen = seen.into_iter().map(|(mark, last)| match mark {
            Mark::File(path) => (mark, file::read(path, &self.keys)),
            Mark::Peer(_) | Mark::Witness { .. } => (mark, last),
        });
        let verdict = judged(&seen.collect::<Vec<_>>(), self.was_level, log)?;
        self.was_level = verdict == Verdict::Level;
        Ok(match verdict {
            Verdict::Level | Verdict::Unknown { .. } => {
                self.answers.verdict(log.size()).unwrap_or(verdict)
            }
            Verdict::Behind { .. } | Verdict::Refused { .. } | Verdict::Forked { .. } => verdict,
        })
    }

    /// Puts a note into every file; none is ever put over a higher one, or over anything else that is
    /// there. Durable when it returns.
    ///
    /// # Errors
    /// The first file that did not take it.
    pub(crate) fn write(&self, note: &Note) -> anyhow::Result<()> {
        for mark in &self.marks {
            match mark {
                Mark::File(path) => file::write(path, note, &self.keys)
                    .with_context(|| format!("the mark {}", path.display()))?,
                Mark::Peer(_) | Mark::Witness { .. } => {}
            }
        }
        Ok(())
    }
}

impl std::fmt::Display for Mark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Peer(url) => write!(f, "{}", peer::shown(url)),
            Self::Witness { url, .. } => write!(f, "the witness {}", peer::shown(url)),
        }
    }
}

fn read_place(place: &str, data: &Path) -> anyhow::Result<Mark> {
    if place.starts_with("http://") || place.starts_with("https://") {
        return peer::parse(place).map(Mark::Peer);
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
    Ok(Mark::File(path))
}

/// What all places together say. `was_level`: they said before that the folder is the newest.
fn judged(seen: &[(&Mark, Seen)], was_level: bool, log: &impl Log) -> anyhow::Result<Verdict> {
    let ours = log.size();
    let mut behind: Option<(u64, String)> = None;
    for (mark, seen) in seen {
        let Seen::Note(theirs) = seen else { continue };
        if theirs.size > ours {
            let is_higher = behind.as_ref().is_none_or(|(size, _)| theirs.size > *size);
            behind = if is_higher { Some((theirs.size, mark.to_string())) } else { behind };
        } else if log.root_at(theirs.size)? != Some(theirs.root) {
            return Ok(Verdict::Forked { place: mark.to_string(), theirs: theirs.clone() });
        }
    }
    if let Some((size, place)) = behind {
        return Ok(Verdict::Behind { place, size });
    }
    let (witnesses, seen): (Vec<_>, Vec<_>) =
        seen.iter().partition(|(mark, _)| matches!(mark, Mark::Witness { is_named: false, .. }));
    if seen.is_empty() && !was_level && witnesses.iter().any(|(_, seen)| *seen == Seen::NotYet) {
        let why = "witnesses were not asked yet".to_owned();
        return Ok(Verdict::Unknown { why, is_asked: false });
    }
    // files are complete, peers may lag: where there are files, one of them has to be had
    let is_file = |mark: &Mark| matches!(mark, Mark::File(_));
    let has_file = seen.iter().any(|(mark, _)| is_file(mark));
    let deciding = || seen.iter().filter(|(mark, _)| !has_file || is_file(mark));
    let is_had = |seen: &Seen| match seen {
        Seen::Note(_) => true,
        Seen::Nothing => ours == 0,
        Seen::NotYet | Seen::Other(_) => false,
    };
    if was_level || seen.is_empty() || deciding().any(|(_, seen)| is_had(seen)) {
        return Ok(Verdict::Level);
    }
    let whys = deciding().map(|(mark, seen)| match seen {
        Seen::NotYet => format!("{mark} was not asked yet"),
        Seen::Nothing => format!("{mark} has none"),
        Seen::Other(why) => format!("{mark}: {why}"),
        Seen::Note(_) => String::new(),
    });
    let is_asked = deciding().all(|(_, seen)| *seen != Seen::NotYet);
    Ok(Verdict::Unknown { why: whys.collect::<Vec<_>>().join("; "), is_asked })
}

/// The note that a text is, if one of these keys signed it under its own name.
///
/// # Errors
/// Why it is none.
fn note_of(text: &str, keys: &[VerifierKey]) -> Result<MarkNote, String> {
    let mut why = "no key of the log is here to check it with".to_owned();
    for key in keys {
        match Checkpoint::of_note(text, key, &TrustPolicy::none()) {
            Ok(Checkpoint { size, root, .. }) => {
                let note = Note::parse(text).map_err(|error| error.to_string())?;
                return Ok(MarkNote { note, size, root });
            }
            Err(error) => why = error.to_string(),
        }
    }
    Err(format!("holds no note of this log's key: {why}"))
}

#[cfg(test)]
mod tests;
