//! Who reads the log: each pins its key, moves its pin on, and verifies proof files. Before each answer
//! it is worked out from what really was published what it has to be.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use superroot_client::{
    ClientError, Distrust, KeySource, Pin, TrustError, TrustReason, TrustStore, TrustedBy,
    UpdateError, Verifier, fetch_step,
};
use superroot_proof::note::{Checkpoint, CheckpointError, Note, TrustPolicy};
use superroot_types::{Hash, LogSize};

use super::service::Service;
use super::support::ORIGIN;
use super::truth::{Shown, Side, Truth};
use super::witnesses::Quorum;
use super::{check_evidence, net};
use crate::older::signer;

/// Knows the chains of this build.
static VERIFIER: LazyLock<Verifier> = LazyLock::new(Verifier::builtin);

/// A reader.
pub(crate) struct Reader {
    pub(crate) quorum: Quorum,
    policy: TrustPolicy,
    store: TrustStore,
    /// Pins, as they were seen last.
    seen: Vec<Pin>,
    /// What it took for true, of pins and of files.
    pub(crate) trusted: BTreeSet<Shown>,
    /// Pins anew each time, as nobody should.
    is_forgetful: bool,
}

/// What has to come of moving a pin on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moved {
    /// The service has no note with its own quorum yet.
    NoNote,
    /// The service's note lacks witnesses of the reader's.
    NoQuorum,
    /// The service is behind the pin: that shows nothing.
    Behind,
    /// It is the pin already.
    Same,
    On,
    /// The service is past the fork in the other history.
    Forked {
        has_evidence: bool,
    },
}

/// What has to come of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judged {
    NoQuorum,
    Pinned,
    Joined,
    NotJoined,
    /// Its note is no newer than the newest pin, and of none that is held.
    Older,
    /// Another SuperRoot is pinned.
    Fork,
    /// Another log of that size was signed under a pin.
    TwoHistories,
}

/// A proof file, and what is in it.
pub(crate) struct File {
    pub(crate) body: Vec<u8>,
    super_root: Shown,
    log: Shown,
    note: Note,
}

impl File {
    /// A proof that a service gave: all that it shows was published there.
    pub(crate) fn of(body: Vec<u8>, side: Side, truth: &Truth) -> Self {
        let facts = VERIFIER.check(&body, None).unwrap().facts;
        let (super_root, shown) = (facts.super_root.unwrap(), facts.note.clone().unwrap());
        let (sequence, hash) = (super_root.sequence, super_root.hash());
        let Checkpoint { size, root, .. } = shown.checkpoint;
        let (super_root, log) =
            (Shown::SuperRoot { sequence: sequence.0, hash }, Shown::Log { size: size.0, root });
        assert!(truth.is_one([super_root, log].iter()) && truth.has(side, &log), "another proof");
        Self { body, super_root, log, note: shown.note }
    }
}

impl Reader {
    /// Has the key of the log, and nothing else yet.
    pub(crate) fn new(quorum: Quorum, is_forgetful: bool) -> Self {
        let (policy, trusted) = (quorum.policy(), BTreeSet::new());
        let store = Self::keyed(&policy);
        Self { quorum, policy, store, seen: Vec::new(), trusted, is_forgetful }
    }

    fn keyed(policy: &TrustPolicy) -> TrustStore {
        let (mut store, key) = (TrustStore::default(), signer(ORIGIN).verifier().clone());
        store.pin_key(key, Some(policy.clone()), KeySource::Given, false).unwrap();
        store
    }

    fn pins(&self) -> &[Pin] {
        self.store.log(ORIGIN).unwrap().pins()
    }

    /// Pins by hand what it was told; only as the first one.
    pub(crate) fn is_told(&mut self, sequence: u64, hash: Hash) -> bool {
        let is_first = self.pins().is_empty();
        if is_first {
            self.store.pin(ORIGIN, sequence, hash).unwrap();
        }
        is_first
    }

    fn shown_by(&self, service: &Service) -> Option<(u64, Note)> {
        let prover = service.prover();
        if self.policy.asks_for_witnesses() {
            return prover.cosigned_note().unwrap().map(|(size, note)| (size.0, note));
        }
        Some((service.size(), prover.note(LogSize(service.size())).unwrap().unwrap()))
    }

    fn expected_move(&self, service: &Service, truth: &Truth) -> Moved {
        let moved = self.expected_by_notes(service, truth);
        let is_decided = matches!(moved, Moved::On | Moved::Forked { .. });
        match self.pins().last() {
            // where witnesses have nothing to move on to, what the key alone signed is compared too
            Some(pin) if self.policy.asks_for_witnesses() && !is_decided => {
                let is_fork =
                    service.size() > pin.sequence && !truth.has(service.side, &shown(pin));
                let has_evidence = pin.note.is_some();
                if is_fork { Moved::Forked { has_evidence } } else { moved }
            }
            Some(_) | None => moved,
        }
    }

    fn expected_by_notes(&self, service: &Service, truth: &Truth) -> Moved {
        let Some((size, note)) = self.shown_by(service) else { return Moved::NoNote };
        let Some(pin) = self.pins().last() else {
            return if self.policy.is_met(&note) { Moved::On } else { Moved::NoQuorum };
        };
        match size - 1 {
            _ if !self.policy.is_met(&note) => Moved::NoQuorum,
            to if to < pin.sequence => Moved::Behind,
            _ if !truth.has(service.side, &shown(pin)) => {
                Moved::Forked { has_evidence: pin.note.is_some() }
            }
            to if to == pin.sequence => Moved::Same,
            _ => Moved::On,
        }
    }

    /// Moves the pin on, if it may: law 4 and law 6.
    pub(crate) fn update(&mut self, service: &Service, truth: &Truth) -> Moved {
        if self.is_forgetful {
            self.store = Self::keyed(&self.policy);
        }
        let expected = self.expected_move(service, truth);
        let (log, key) = self.store.key_of(ORIGIN).unwrap();
        let moved = match net::block_on(fetch_step(&service.client, log, key, |_, _| ())) {
            Ok(None) => Moved::Same,
            Ok(Some(step)) => {
                self.store.advance(step).unwrap();
                Moved::On
            }
            Err(UpdateError::Client(ClientError::Problem { .. })) => Moved::NoNote,
            Err(UpdateError::Trust(TrustError::Note(CheckpointError::Quorum))) => Moved::NoQuorum,
            Err(UpdateError::Behind { .. }) => Moved::Behind,
            Err(UpdateError::TwoHistories(evidence)) => {
                check_evidence(&evidence);
                Moved::Forked { has_evidence: true }
            }
            Err(UpdateError::Trust(TrustError::Inconsistent(_) | TrustError::Fork { .. })) => {
                Moved::Forked { has_evidence: false }
            }
            Err(error) => panic!("{:?}: {error}", self.quorum),
        };
        assert_eq!(moved, expected, "law 4, law 6: {:?} at {:?}", self.quorum, self.pins().last());
        moved
    }

    fn expected_judgement(&self, file: &File, truth: &Truth) -> Judged {
        let Shown::SuperRoot { sequence, .. } = file.super_root else { unreachable!() };
        let Shown::Log { size, .. } = file.log else { unreachable!() };
        let pinned = self.pins().iter().find(|pin| pin.sequence == sequence);
        let mut signed = self.pins().iter().filter(|pin| pin.note.is_some());
        let signed = signed.find(|pin| pin.sequence + 1 == size);
        if pinned.is_some_and(|pin| shown(pin) != file.super_root) {
            return Judged::Fork;
        }
        match signed {
            Some(pin) if !truth.is_one([shown(pin), file.log].iter()) => Judged::TwoHistories,
            _ if pinned.is_some() => Judged::Pinned,
            _ if !self.policy.is_met(&file.note) => Judged::NoQuorum,
            Some(_) => Judged::Joined,
            None if self.pins().last().is_some_and(|pin| size <= pin.sequence + 1) => Judged::Older,
            None => Judged::NotJoined,
        }
    }

    /// Verifies a file by what is pinned: laws 4, 6 and 7.
    pub(crate) fn verify(&mut self, file: &File, truth: &Truth) -> Judged {
        let expected = self.expected_judgement(file, truth);
        let judged = match VERIFIER.check_trusted(&file.body, &self.store) {
            Ok((_, TrustReason { by, .. })) => match by {
                TrustedBy::Pin => Judged::Pinned,
                TrustedBy::Joined { .. } => Judged::Joined,
                TrustedBy::NotJoined { .. } => Judged::NotJoined,
            },
            Err(ClientError::Distrust(Distrust::Fork { .. })) => Judged::Fork,
            Err(ClientError::Distrust(Distrust::OlderNote { .. })) => Judged::Older,
            Err(ClientError::Distrust(Distrust::Note(CheckpointError::Quorum))) => Judged::NoQuorum,
            Err(ClientError::Distrust(Distrust::TwoHistories(evidence))) => {
                check_evidence(&evidence);
                Judged::TwoHistories
            }
            Err(error) => panic!("{:?}: {error}", self.quorum),
        };
        assert_eq!(judged, expected, "law 4, law 6, law 7: {:?}", self.quorum);
        let led_to: &[Shown] = match judged {
            Judged::Pinned => &[file.super_root],
            Judged::Joined => &[file.super_root, file.log],
            Judged::NotJoined => {
                self.trusted.extend([file.super_root, file.log]);
                &[]
            }
            Judged::NoQuorum | Judged::Older | Judged::Fork | Judged::TwoHistories => &[],
        };
        let pins: Vec<_> = self.pins().iter().map(shown).collect();
        assert!(
            led_to.is_empty() || truth.is_one(pins.iter().chain(led_to)),
            "law 7: a file of another history than the pin's is called {judged:?}"
        );
        self.trusted.extend(led_to);
        judged
    }

    /// Pins lie in one history, and none was taken away or put in between: law 1.
    pub(crate) fn check_pins(&mut self, truth: &Truth) {
        let pins = self.store.log(ORIGIN).unwrap().pins().to_vec();
        assert!(pins.starts_with(&self.seen), "law 1: a pin of {:?} moved back", self.quorum);
        assert!(pins.is_sorted_by(|one, next| one.sequence < next.sequence), "law 1: pins fall");
        let own: Vec<_> = pins.iter().map(shown).collect();
        assert!(truth.is_one(own.iter()), "law 1: pins of {:?} in two histories", self.quorum);
        self.trusted.extend(own);
        self.seen = pins;
    }
}

fn shown(pin: &Pin) -> Shown {
    Shown::SuperRoot { sequence: pin.sequence, hash: pin.super_root_hash }
}
