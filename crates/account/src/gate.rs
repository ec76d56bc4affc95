//! Access to routes: one table, then the key's restrictions.
//!
//! | what the route asks | no key | explorer | builder | protocol | enterprise |
//! |---|---|---|---|---|---|
//! | nothing (`Anyone`) | yes | yes | yes | yes | yes |
//! | a key (`AnyKey`) | key | yes | yes | yes | yes |
//! | builder | key | tier | yes | yes | yes |
//! | protocol (gRPC) | key | tier | tier | yes | yes |
//!
//! After the tier come the account's grids, then the key's scope.

use superroot_types::ChainId;

use crate::routes::Access;
use crate::{Entitlement, Grid, Tier};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteRef<'a> {
    /// Path with parameter names: `/finality/{chain_id}`.
    pub path: &'a str,
    pub grid: Option<Grid>,
    pub access: Access,
}

/// Decision on a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    Allowed,
    /// Key required: 401.
    NeedsKey,
    /// Higher tier required: 403 `tier_required`.
    TierRequired(Tier),
    /// Outside the key's scope: 403 `out_of_scope`; or outside the account's grids: 403 `grid_not_agreed`.
    OutOfScope(GateExempt),
}

/// A request's excluded part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateExempt {
    /// Chain outside the key's scope.
    Chain(ChainId),
    /// Route outside the key's scope.
    Route,
    /// Grid outside the account's agreement.
    Grid(Grid),
}

impl Access {
    /// Decision by tier alone.
    #[must_use]
    pub fn admit(self, tier: Option<Tier>) -> Passage {
        match (self, tier) {
            (Self::Anyone, _) | (Self::AnyKey, Some(_)) => Passage::Allowed,
            (Self::AnyKey | Self::AtLeast(_), None) => Passage::NeedsKey,
            (Self::AtLeast(least), Some(tier)) if tier < least => Passage::TierRequired(least),
            (Self::AtLeast(_), Some(_)) => Passage::Allowed,
        }
    }
}

impl RouteRef<'_> {
    /// Decision on a request about `chains` (as far as the address names them) with a key.
    #[must_use]
    pub fn pass(&self, chains: &[ChainId], entitlement: Option<&Entitlement>) -> Passage {
        let by_tier = self.access.admit(entitlement.map(Entitlement::tier));
        let (Passage::Allowed, Some(entitlement)) = (by_tier, entitlement) else { return by_tier };
        if let (Access::AtLeast(_), Some(grid)) = (self.access, self.grid)
            && !entitlement.rights.grids.contains(&grid)
        {
            return Passage::OutOfScope(GateExempt::Grid(grid));
        }
        if !entitlement.scope.has_route(self.path, self.grid) {
            return Passage::OutOfScope(GateExempt::Route);
        }
        let outside = chains.iter().find(|chain| !entitlement.scope.has_chain(**chain));
        outside.map_or(Passage::Allowed, |chain| Passage::OutOfScope(GateExempt::Chain(*chain)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{
        AccountId, Environment, KeyId, Rights, Scope, SubscriptionStatus, SubscriptionView,
    };

    const TIERS: [Option<Tier>; 5] = [
        None,
        Some(Tier::Explorer),
        Some(Tier::Builder),
        Some(Tier::Protocol),
        Some(Tier::Enterprise),
    ];

    fn entitled(tier: Tier, scope: Scope, grids: &[Grid]) -> Entitlement {
        let subscription = SubscriptionView {
            status: SubscriptionStatus::None,
            expires_at: None,
            wallet_to_prove: None,
        };
        let grids = grids.iter().copied().collect();
        Entitlement {
            account: AccountId::random(),
            key: KeyId::random(),
            key_prefix: "svc_test_00000000".into(),
            environment: Environment::Test,
            parent: None,
            scope,
            key_expires_at: None,
            rights: Rights { tier, limit_per_minute: 1, grids, subscription },
        }
    }

    /// Every access by every tier, written out.
    #[test]
    fn the_table_is_as_documented() {
        use Passage::{Allowed, NeedsKey, TierRequired};
        let builder = TierRequired(Tier::Builder);
        let protocol = TierRequired(Tier::Protocol);
        let enterprise = TierRequired(Tier::Enterprise);
        let rows = [
            (Access::Anyone, [Allowed; 5]),
            (Access::AnyKey, [NeedsKey, Allowed, Allowed, Allowed, Allowed]),
            (Access::AtLeast(Tier::Explorer), [NeedsKey, Allowed, Allowed, Allowed, Allowed]),
            (Access::AtLeast(Tier::Builder), [NeedsKey, builder, Allowed, Allowed, Allowed]),
            (Access::AtLeast(Tier::Protocol), [NeedsKey, protocol, protocol, Allowed, Allowed]),
            (
                Access::AtLeast(Tier::Enterprise),
                [NeedsKey, enterprise, enterprise, enterprise, Allowed],
            ),
        ];
        for (access, expected) in rows {
            assert_eq!(TIERS.map(|tier| access.admit(tier)), expected, "{access:?}");
        }
    }

    /// Every grid, access and tier without a scope: the grid counts only where a tier is asked.
    #[test]
    fn a_grid_that_is_not_agreed_is_closed_and_what_anyone_may_ask_is_not() {
        for tier in Tier::ALL {
            for access in [Access::Anyone, Access::AnyKey, Access::AtLeast(Tier::Explorer)] {
                for grid in Grid::ALL {
                    let route = RouteRef { path: "/any", grid: Some(grid), access };
                    let others: Vec<Grid> = Grid::ALL.into_iter().filter(|g| *g != grid).collect();
                    let with = entitled(tier, Scope::default(), &[grid]);
                    let without = entitled(tier, Scope::default(), &others);
                    assert_eq!(route.pass(&[], Some(&with)), Passage::Allowed);
                    let expected = match access {
                        Access::AtLeast(_) => Passage::OutOfScope(GateExempt::Grid(grid)),
                        Access::Anyone | Access::AnyKey => Passage::Allowed,
                    };
                    assert_eq!(route.pass(&[], Some(&without)), expected);
                }
            }
        }
    }

    #[test]
    fn a_key_is_held_to_its_scope_even_where_no_key_is_needed() {
        let scope = Scope {
            chains: Some(BTreeSet::from([ChainId(1)])),
            routes: Some(BTreeSet::from(["/v5/proof/*".parse().unwrap()])),
        };
        let key = entitled(Tier::Protocol, scope, &Grid::ALL);
        let route = |path| RouteRef { path, grid: Some(Grid::G1), access: Access::Anyone };
        let proof = route("/v5/proof/{chain}/{block}");
        assert_eq!(proof.pass(&[ChainId(1)], Some(&key)), Passage::Allowed);
        assert_eq!(proof.pass(&[], Some(&key)), Passage::Allowed);
        let outside = Passage::OutOfScope(GateExempt::Chain(ChainId(10)));
        assert_eq!(proof.pass(&[ChainId(1), ChainId(10)], Some(&key)), outside);
        assert_eq!(proof.pass(&[ChainId(10)], None), Passage::Allowed);
        let closed = Passage::OutOfScope(GateExempt::Route);
        assert_eq!(route("/v5/superroot").pass(&[ChainId(1)], Some(&key)), closed);
    }

    #[test]
    fn the_tier_is_asked_before_the_scope() {
        let scope = Scope { chains: Some(BTreeSet::from([ChainId(1)])), routes: None };
        let key = entitled(Tier::Explorer, scope, &[]);
        let access = Access::AtLeast(Tier::Builder);
        let route = RouteRef { path: "/price/{chain}/{token}", grid: Some(Grid::G4), access };
        let passage = route.pass(&[ChainId(10)], Some(&key));
        assert_eq!(passage, Passage::TierRequired(Tier::Builder));
        assert_eq!(route.pass(&[ChainId(10)], None), Passage::NeedsKey);
    }
}
