//! An auditor who is shown some services at a time, and goes on where it stood.

use superroot_client::audit::{Audit, AuditError};
use superroot_proof::note::Signer;

use super::service::Service;
use super::support::ORIGIN;
use super::truth::{OPERATOR, Side, Truth};
use super::{check_evidence, net};
use crate::older::signer;

/// What came of a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// Everything is one history.
    Fine,
    /// All of them show less than was replayed: nothing is known.
    Behind,
    /// It accuses the log, with evidence; it begins anew then.
    Accused,
}

/// An auditor, and what it has replayed.
pub(crate) struct Auditor {
    audit: Audit,
    side: Side,
}

fn begun() -> Audit {
    Audit::new(ORIGIN, Some(key().verifier().clone()))
}

fn key() -> Signer {
    signer(ORIGIN)
}

impl Auditor {
    pub(crate) fn new() -> Self {
        Self { audit: begun(), side: OPERATOR }
    }

    /// Ends, and begins again with what it had written.
    pub(crate) fn restart(&mut self) {
        if let Some(state) = self.audit.to_state() {
            let key = Some(key().verifier().clone());
            self.audit = Audit::resume(&state, (ORIGIN, key), 0).unwrap();
        }
    }

    /// Looks at these services: law 5 and law 6.
    pub(crate) fn look(&mut self, services: &[&Service], truth: &Truth) -> Look {
        let views: Vec<_> = services.iter().map(|one| (one.side, one.size())).collect();
        let own = (self.side, self.audit.size());
        let is_split = views.iter().any(|view| truth.contradict(*view, own))
            || views.iter().any(|one| views.iter().any(|other| truth.contradict(*one, *other)));
        let notes: Vec<_> = services.iter().map(|one| newest(one)).collect();
        let farthest = (0..views.len()).max_by_key(|place| views[*place].1).unwrap();
        let (client, (side, size)) = (&services[farthest].client, views[farthest]);
        let what = || format!("{views:?} after {own:?}");
        let error = match net::block_on(self.audit.go_on(client, size, &notes, |_| Ok(()))) {
            Ok(()) => {
                assert!(!is_split && size >= own.1, "law 5: {} are one to the auditor", what());
                self.side = side;
                let root = truth.root(side, size);
                assert_eq!(root, Some(self.audit.log_root()), "law 5: another history");
                return Look::Fine;
            }
            // of services that have not got that far it is not known what they will show
            Err(AuditError::Behind { .. }) => {
                assert!(size < own.1, "law 6: {} are behind to the auditor", what());
                return Look::Behind;
            }
            Err(error) => error,
        };
        assert!(is_split, "law 6: {}: {error}", what());
        assert!(error.is_false(), "law 5: {}: {error}", what());
        let clients = services.iter().map(|one| &one.client);
        let evidence = net::block_on(self.audit.evidence_of(&error, clients));
        let none = || panic!("law 5: {}, no evidence: {error}", what());
        check_evidence(&evidence.unwrap_or_else(none));
        (self.audit, self.side) = (begun(), OPERATOR);
        Look::Accused
    }
}

/// The newest note that a service shows, with its size.
fn newest(service: &Service) -> (u64, String) {
    let note = net::block_on(service.client.fetch_checkpoint(None)).unwrap();
    (service.size(), String::from_utf8(note).unwrap())
}
