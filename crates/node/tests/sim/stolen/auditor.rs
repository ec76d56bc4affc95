//! An auditor who is shown some services at a time, and goes on where it stood.

use superroot_client::Client;
use superroot_client::audit::Audit;
use superroot_proof::note::Signer;

use super::service::Service;
use super::support::ORIGIN;
use super::truth::{Side, Truth};
use super::{check_evidence, net};
use crate::older::signer;

/// What came of a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// Everything is one history.
    Fine,
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
        Self { audit: begun(), side: 0 }
    }

    /// Ends, and begins again with what it had written.
    pub(crate) fn restart(&mut self) {
        if let Some(state) = self.audit.to_state() {
            let key = Some(key().verifier().clone());
            self.audit = Audit::resume(&state, ORIGIN, key).unwrap();
        }
    }

    /// Looks at these services: law 5 and law 6.
    pub(crate) fn look(&mut self, services: &[&Service], truth: &Truth) -> Look {
        let clients: Vec<Client> = services.iter().map(|one| one.client.clone()).collect();
        let views: Vec<_> = services.iter().map(|one| (one.side, one.size())).collect();
        let own = (self.side, self.audit.size());
        // of a service that has not got that far it is not known what it will show
        let reaching = views.iter().filter(|(_, size)| *size >= own.1);
        let is_split = reaching.clone().any(|view| truth.contradict(*view, own))
            || views.iter().any(|one| views.iter().any(|other| truth.contradict(*one, *other)));
        let looked = net::block_on(self.audit.round(&clients, |_, _| Ok(())));
        let Err(error) = looked else {
            assert!(!is_split, "law 5: {views:?} after {own:?} are one log to the auditor");
            let (size, root) = (self.audit.size(), Some(self.audit.log_root()));
            let farthest = reaching.max_by_key(|(_, size)| *size);
            self.side = farthest.map_or(self.side, |(side, _)| *side);
            assert!(size == 0 || truth.root(self.side, size) == root, "law 5: another history");
            return Look::Fine;
        };
        assert!(is_split, "law 6: {views:?} after {own:?}: {error}");
        assert!(error.is_false(), "law 5: {views:?} after {own:?}: {error}");
        let evidence = net::block_on(self.audit.evidence(&clients, &error));
        let what = || format!("law 5: {views:?} after {own:?}, no evidence: {error}");
        check_evidence(&evidence.unwrap_or_else(|| panic!("{}", what())));
        (self.audit, self.side) = (begun(), 0);
        Look::Accused
    }
}
