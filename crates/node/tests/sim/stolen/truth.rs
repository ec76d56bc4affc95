//! What really was published: the two histories, known beside everybody who is shown them.

use superroot_types::Hash;

/// Which of the two histories.
pub(crate) type Side = usize;

/// The operator's.
pub(crate) const OPERATOR: Side = 0;
/// The thief's.
pub(crate) const THIEF: Side = 1;

/// A SuperRoot, and the log that it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) hash: Hash,
    pub(crate) log_root: Hash,
}

/// Something that somebody was shown, and took for true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shown {
    SuperRoot { sequence: u64, hash: Hash },
    Log { size: u64, root: Hash },
}

/// Both histories; the thief's begins as a copy of the operator's.
#[derive(Debug, Default)]
pub(crate) struct Truth([Vec<Entry>; 2]);

impl Truth {
    pub(crate) fn publish(&mut self, side: Side, entry: Entry) {
        self.0[side].push(entry);
    }

    /// The thief goes on from what the operator has published.
    pub(crate) fn copy(&mut self) {
        self.0[THIEF] = self.0[OPERATOR].clone();
    }

    pub(crate) fn size(&self, side: Side) -> u64 {
        self.0[side].len() as u64
    }

    /// Whether there are two histories: neither is the beginning of the other.
    pub(crate) fn is_forked(&self) -> bool {
        self.0[OPERATOR].iter().zip(&self.0[THIEF]).any(|(one, other)| one != other)
    }

    pub(crate) fn root(&self, side: Side, size: u64) -> Option<Hash> {
        let last = size.checked_sub(1)?;
        Some(self.0[side].get(usize::try_from(last).unwrap())?.log_root)
    }

    /// Whether that history has it.
    pub(crate) fn has(&self, side: Side, shown: &Shown) -> bool {
        match *shown {
            Shown::Log { size, root } => self.root(side, size) == Some(root),
            Shown::SuperRoot { sequence, hash } => {
                let entry = self.0[side].get(usize::try_from(sequence).unwrap());
                entry.is_some_and(|entry| entry.hash == hash)
            }
        }
    }

    /// Whether one of the histories has all of them.
    pub(crate) fn is_one<'a>(&self, shown: impl Iterator<Item = &'a Shown> + Clone) -> bool {
        [OPERATOR, THIEF].iter().any(|side| shown.clone().all(|one| self.has(*side, one)))
    }

    /// Whether logs of these sides and sizes contradict each other.
    pub(crate) fn contradict(&self, one: (Side, u64), other: (Side, u64)) -> bool {
        let size = one.1.min(other.1);
        self.root(one.0, size) != self.root(other.0, size)
    }
}
