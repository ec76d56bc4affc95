//! Two witnesses: one that holds the log to one history, and one of the thief's that signs anything.

use std::collections::BTreeSet;
use std::sync::Arc;

use superroot_proof::note::{Checkpoint, ForkEvidence, KeyKind, Note, Signer, TrustPolicy};
use superroot_store::{MemoryStore, Store};
use superroot_types::{Hash, LogSize, UnixSeconds};
use superroot_wire::evidence::parse_evidence;
use superroot_wire::parse_json;
use superroot_witness::{AddCheckpoint, Witness, WitnessRefusal};
use tempfile::TempDir;

use super::check_evidence;
use super::service::Service;
use super::support::ORIGIN;
use super::truth::{Shown, Truth};
use crate::older::signer;

/// Requests for one cosignature, as the service asks.
const REQUESTS_MAX: usize = 4;

fn honest() -> Signer {
    Signer::new("honest.example", KeyKind::Witness, &[2; 32]).unwrap()
}

fn bought() -> Signer {
    Signer::new("bought.example", KeyKind::Witness, &[3; 32]).unwrap()
}

/// Who has to sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quorum {
    Honest,
    Both,
    Bought,
    Any,
    Nobody,
}

impl Quorum {
    pub(crate) const fn needs_honest(self) -> bool {
        matches!(self, Self::Honest | Self::Both)
    }

    pub(crate) fn policy(self) -> TrustPolicy {
        let named = [("honest", honest()), ("bought", bought())];
        let lines = named.map(|(name, key)| format!("witness {name} {}\n", key.verifier()));
        let end = match self {
            Self::Honest => "quorum honest\n",
            Self::Both => "group both all honest bought\nquorum both\n",
            Self::Bought => "quorum bought\n",
            Self::Any => "group any any honest bought\nquorum any\n",
            Self::Nobody => "quorum none\n",
        };
        TrustPolicy::parse(&(lines.concat() + end)).unwrap()
    }
}

/// What came of asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    Cosigned,
    /// The witness has seen more of the log.
    Ahead,
    /// Another history than the one that it holds: what it kept shows so, where both are of one size.
    Refused {
        has_evidence: bool,
    },
}

/// Both of them.
pub(crate) struct Witnesses {
    witness: Witness,
    store: Arc<dyn Store>,
    folder: TempDir,
    /// Signs what it is given, for the honest one.
    pub(crate) is_bent: bool,
    /// What the honest one cosigned.
    pub(crate) cosigned: BTreeSet<Shown>,
    /// The newest of it.
    held: Option<(u64, Hash)>,
}

fn open(store: &Arc<dyn Store>, folder: &TempDir) -> Witness {
    let key = signer(ORIGIN).verifier().clone();
    Witness::open(honest(), store.clone(), [key], folder.path().to_owned()).unwrap()
}

impl Witnesses {
    pub(crate) fn new(is_bent: bool) -> Self {
        let (store, folder): (Arc<dyn Store>, _) =
            (Arc::new(MemoryStore::new()), tempfile::tempdir().unwrap());
        let (witness, cosigned) = (open(&store, &folder), BTreeSet::new());
        Self { witness, store, folder, is_bent, cosigned, held: None }
    }

    /// The honest one ends, and begins again with what it had stored.
    pub(crate) fn restart(&mut self) {
        self.witness = open(&self.store, &self.folder);
        let held = self.held.map_or(0, |(size, _)| size);
        assert_eq!(
            self.witness.sizes().unwrap(),
            [(ORIGIN.to_owned(), held)],
            "law 2: a size fell"
        );
    }

    /// The thief's witness signs the newest note of a service.
    pub(crate) fn ask_bought(&self, service: &Service, now: UnixSeconds) {
        let size = service.size();
        let note = service.prover().note(LogSize(size)).unwrap().unwrap();
        keep(service, size, &bought(), &bought().sign(note.text(), now.0));
    }

    /// Asks the honest one for its cosignature of the newest note, as a service does. It signs whatever
    /// extends what it signed before, and nothing else.
    pub(crate) fn ask_honest(
        &mut self,
        service: &mut Service,
        truth: &Truth,
        now: UnixSeconds,
    ) -> Asked {
        let size = service.size();
        let note = service.prover().note(LogSize(size)).unwrap().unwrap();
        if self.is_bent {
            keep(service, size, &honest(), &honest().sign(note.text(), now.0));
            return Asked::Cosigned;
        }
        let expected = match self.held {
            Some((held, _)) if held > size => Asked::Ahead,
            Some((held, root)) if truth.root(service.side, held) != Some(root) => {
                Asked::Refused { has_evidence: held == size }
            }
            None | Some(_) => Asked::Cosigned,
        };
        let asked = self.collect(service, size, &note, now);
        assert_eq!(asked, expected, "law 2, law 6: the honest witness");
        asked
    }

    fn collect(
        &mut self,
        service: &mut Service,
        size: u64,
        note: &Note,
        now: UnixSeconds,
    ) -> Asked {
        let mut old = service.confirmed;
        for _ in 0..REQUESTS_MAX {
            let proof =
                service.prover().history_growth(LogSize(old.min(size)), LogSize(size)).unwrap();
            let request = AddCheckpoint { old, proof, note: note.clone() };
            let request = AddCheckpoint::parse(request.encode().as_bytes()).unwrap();
            match self.witness.add(&request, now) {
                Ok(cosigned) => {
                    keep(service, size, &honest(), &cosigned);
                    service.confirmed = size;
                    let root = Checkpoint::parse(note.text()).unwrap().root;
                    self.held = Some((size, root));
                    self.cosigned.insert(Shown::Log { size, root });
                    return Asked::Cosigned;
                }
                Err(WitnessRefusal::OldSize { held, .. }) if held > size => return Asked::Ahead,
                Err(WitnessRefusal::OldSize { held, .. }) => old = held,
                Err(WitnessRefusal::Fork { held }) => {
                    check_evidence(&self.kept(held));
                    return Asked::Refused { has_evidence: true };
                }
                Err(WitnessRefusal::Proof(_)) => return Asked::Refused { has_evidence: false },
                Err(refused) => panic!("the honest witness: {refused}"),
            }
        }
        panic!("the honest witness says each time that it holds another size");
    }

    /// The evidence that it kept against the log, of that size.
    fn kept(&self, size: u64) -> ForkEvidence {
        let files = std::fs::read_dir(self.folder.path()).unwrap().map(|file| file.unwrap().path());
        let end = format!("-{size}.json");
        let mut own = files.filter(|file| file.to_str().unwrap().ends_with(&end));
        let file = std::fs::read(own.next().expect("law 4: no evidence was kept")).unwrap();
        parse_evidence(&parse_json(&file).unwrap()).unwrap().0
    }
}

fn keep(service: &Service, size: u64, witness: &Signer, cosigned: &Note) {
    service.cosigners.keep(LogSize(size), witness.verifier(), cosigned).unwrap();
}
