//! Policy of a verifier, and the rules of a chain under it.

use superroot_types::{BlockNumber, ChainKey};

use super::error::ProofFault;
use crate::registry::{HashRule, LogRegistry, Profile};

/// Verifier policy.
#[derive(Clone, Copy, Debug)]
pub struct Policy<'a> {
    /// Known chains, by row.
    pub registry: &'a LogRegistry,
    /// Whether to read an unknown chain by the profile in the proof; the chain definition is then only the log's claim.
    pub accept_opened_rows: bool,
}

impl<'a> Policy<'a> {
    /// Policy with only the registry's chains.
    #[must_use]
    pub const fn strict(registry: &'a LogRegistry) -> Self {
        Self { registry, accept_opened_rows: false }
    }
}

pub(crate) struct Chain<'a> {
    pub(crate) chain: ChainKey,
    pub(crate) policy: &'a Policy<'a>,
    pub(crate) opened: Option<&'a Profile>,
}

impl Chain<'_> {
    pub(super) fn known(&self) -> Option<&Profile> {
        self.policy.registry.find(self.chain).map(|(_, profile)| profile)
    }

    pub(crate) fn rule_at(&self, number: BlockNumber) -> Result<HashRule, ProofFault> {
        let chain = self.chain;
        let known = self.known();
        let opened = self.opened;
        if known.is_none() && !self.policy.accept_opened_rows {
            return Err(ProofFault::UnknownChain { chain });
        }
        if opened.is_some_and(|opened| opened.chain != chain) {
            return Err(ProofFault::Registry { what: "it is of another chain" });
        }
        let code = |profile: &Profile| match profile.code_at(number.0) {
            Some(code) if code == HashRule::Withdrawn.code() => {
                Err(ProofFault::Withdrawn { chain, number })
            }
            Some(code) => Ok(code),
            None => Err(ProofFault::NoRule { chain, number }),
        };
        let opened_code = opened.map(code).transpose()?;
        let code = code(known.or(opened).ok_or(ProofFault::UnknownChain { chain })?)?;
        let is_same = |opened: &Profile| known.is_none_or(|known| known.caip2 == opened.caip2);
        let rule_of = |code| HashRule::from_code(code).map(|rule| rule.at(number.0));
        let is_other = |opened| {
            opened != code && (rule_of(opened).is_none() || rule_of(opened) != rule_of(code))
        };
        if opened_code.is_some_and(is_other) || !opened.is_none_or(is_same) {
            return Err(ProofFault::Registry {
                what: "its name or rule is not the one known here",
            });
        }
        let rule = rule_of(code).filter(|rule| rule.is_of(chain.family));
        rule.ok_or(ProofFault::NoRule { chain, number })
    }
}
