//! Agreements that hold at once.

use super::AccountService;
use crate::{AccountError, AccountId, Agreed, Agreement, Month, Operator, Replaced};

impl AccountService {
    /// Enters an agreement, in force here at once and on every other node with its next look: see
    /// [`Commerce::agree`](crate::Commerce::agree).
    ///
    /// # Errors
    /// As there; [`AccountError::AgreementMonth`] for a month before the account was opened,
    /// [`AccountError::UnknownAccount`].
    pub fn agree(&self, agreement: &Agreement) -> Result<Agreed, AccountError> {
        let first = Month::of(self.accounts.account(agreement.account)?.created_at)?;
        if agreement.from < first {
            let why = "it begins before the account was opened";
            return Err(AccountError::AgreementMonth { why, first });
        }
        self.accounts.forget_changed(self.commerce.agree(agreement, self.plans()))
    }

    /// Lets no agreement hold after a month: see
    /// [`Commerce::end_agreements`](crate::Commerce::end_agreements).
    ///
    /// # Errors
    /// As there; [`AccountError::UnknownAccount`].
    pub fn end_agreements(
        &self,
        account: AccountId,
        last: Month,
        by: &Operator,
    ) -> Result<Vec<Replaced>, AccountError> {
        self.accounts.account(account)?;
        self.accounts.forget_changed(self.commerce.end_agreements(account, last, by, self.now()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use superroot_store::MemoryStore;
    use superroot_types::{Address, ManualClock, UnixSeconds};

    use super::*;
    use crate::{
        Actor, Config, Entitlement, Environment, Grant, Grid, Interval, ManualStopwatch, NewKey,
        Status, Terms, Tier,
    };

    struct World {
        store: Arc<MemoryStore>,
        clock: Arc<ManualClock>,
        service: Arc<AccountService>,
        account: AccountId,
        key: String,
    }

    fn month(text: &str) -> Month {
        text.parse().unwrap()
    }

    fn operator() -> Operator {
        Operator { who: "ana".into(), why: "contract 7".into() }
    }

    fn world(at: &str) -> World {
        let clock = Arc::new(ManualClock::at(UnixSeconds(month(at).start().0 + 60)));
        let store = Arc::new(MemoryStore::new());
        let service = open(&store, &clock);
        let (account, issued) = service.accounts().register(Address([1; 20])).unwrap();
        let (account, key) = (account.id, issued.secret.expose().to_owned());
        World { store, clock, service, account, key }
    }

    /// A node on a store.
    fn open(store: &Arc<MemoryStore>, clock: &Arc<ManualClock>) -> Arc<AccountService> {
        let stopwatch = Arc::new(ManualStopwatch::default());
        let (store, config) = (store.clone(), Config::default());
        let service = AccountService::open_with(store, clock.clone(), stopwatch, &config).unwrap();
        assert_eq!(service.environment(), Environment::Live);
        service.refresh().unwrap();
        service
    }

    fn enterprise(limit_per_minute: u32, grids: &[Grid]) -> Terms {
        Terms::Enterprise {
            limit_per_minute,
            grids: grids.iter().copied().collect(),
            monthly_fee_usdc_e6: 2_000_000_000,
            million_tokens_usdc_e6: 4_000_000,
            free_tokens_per_month: 0,
            availability_e6: None,
        }
    }

    impl World {
        fn agree(
            &self,
            terms: Terms,
            from: &str,
            until: Option<&str>,
        ) -> Result<Agreed, AccountError> {
            self.service.agree(&Agreement {
                account: self.account,
                terms,
                from: month(from),
                until: until.map(month),
                by: operator(),
                entered_at: self.service.now(),
            })
        }

        fn entitled(&self, service: &AccountService) -> Arc<Entitlement> {
            service.accounts().authenticate(&self.key).unwrap()
        }

        fn limit(&self) -> u32 {
            self.entitled(&self.service).rights.limit_per_minute
        }
    }

    /// To the second, with keys remembered: no request between two agreements is an explorer's.
    #[test]
    fn a_successor_takes_over_with_its_first_second() {
        let world = world("2032-01");
        world.agree(enterprise(5_000, &[Grid::G1, Grid::G3]), "2032-01", Some("2032-02")).unwrap();
        world.agree(enterprise(900, &[Grid::G1, Grid::G5]), "2032-03", Some("2032-03")).unwrap();
        let other_node = open(&world.store, &world.clock);
        let seen = |at: u64| {
            world.clock.set(UnixSeconds(at));
            let entitled = world.entitled(&world.service);
            assert_eq!(world.entitled(&other_node), entitled);
            let rights = &entitled.rights;
            let (has_g3, has_g5) = (Grid::G3, Grid::G5);
            let grids = (rights.grids.contains(&has_g3), rights.grids.contains(&has_g5));
            (rights.tier, rights.limit_per_minute, grids)
        };
        let (turn, end) = (month("2032-03").start().0, month("2032-03").end().0);
        for _ in 0..2 {
            assert_eq!(seen(turn - 1), (Tier::Enterprise, 5_000, (true, false)));
        }
        assert_eq!(seen(turn), (Tier::Enterprise, 900, (false, true)));
        assert_eq!(seen(end - 1), (Tier::Enterprise, 900, (false, true)));
        assert_eq!(seen(end), (Tier::Explorer, 100, (false, false)));
    }

    #[test]
    fn one_entered_ahead_waits_and_lifts_with_its_first_second() {
        let world = world("2032-01");
        assert_eq!(world.limit(), 100);
        world.agree(enterprise(900, &[Grid::G1]), "2032-03", None).unwrap();
        let turn = month("2032-03").start().0;
        for (at, limit) in [(turn - 1, 100), (turn, 900), (turn + 400 * 86_400, 900)] {
            world.clock.set(UnixSeconds(at));
            assert_eq!(world.limit(), limit);
        }
    }

    #[test]
    fn an_agreement_is_in_force_here_at_once_and_elsewhere_with_the_next_look() {
        let world = world("2032-01");
        let other_node = open(&world.store, &world.clock);
        assert_eq!((world.limit(), world.entitled(&other_node).tier()), (100, Tier::Explorer));
        world.agree(enterprise(900, &[Grid::G1]), "2032-01", None).unwrap();
        assert_eq!(world.limit(), 900);
        other_node.refresh().unwrap();
        assert_eq!(world.entitled(&other_node).tier(), Tier::Enterprise);
        world.agree(enterprise(300, &[Grid::G1]), "2032-01", None).unwrap();
        assert_eq!(world.limit(), 300, "nothing of what was replaced is left");
        let before = world.service.end_agreements(world.account, month("2031-12"), &operator());
        assert_eq!(before.unwrap().len(), 1);
        assert_eq!(world.limit(), 100);
    }

    #[test]
    fn what_is_granted_beside_an_agreement_makes_nobody_poorer() {
        let world = world("2032-01");
        let until = Some(UnixSeconds(month("2032-01").start().0 + 86_400));
        let grant = Grant { until, limit_per_minute: Some(2_000), ..Grant::of(Tier::Protocol) };
        world.service.accounts().grant(&operator(), world.account, Some(&grant)).unwrap();
        world.agree(enterprise(900, &[Grid::G1]), "2032-01", Some("2032-05")).unwrap();
        let rights = world.entitled(&world.service).rights.clone();
        assert_eq!((rights.tier, rights.limit_per_minute), (Tier::Enterprise, 2_000));
        world.clock.advance(86_400);
        let rights = world.entitled(&world.service).rights.clone();
        assert_eq!((rights.tier, rights.limit_per_minute), (Tier::Enterprise, 900));
        let shown = rights.subscription;
        assert_eq!(
            (shown.status, shown.expires_at),
            (Status::Active, Some(month("2032-06").start()))
        );
        world.agree(enterprise(900, &[Grid::G1]), "2032-06", Some("2032-07")).unwrap();
        let shown = world.entitled(&world.service).rights.subscription;
        assert_eq!(shown.expires_at, Some(month("2032-08").start()), "until none follows at once");
    }

    #[test]
    fn sub_accounts_have_what_the_agreement_of_the_month_gives() {
        let world = world("2032-01");
        let (interval, fee_usdc_e6) = (Interval::Monthly, 99_000_000);
        let terms = |tier| Terms::Integrator { interval, fee_usdc_e6, tier };
        world.agree(terms(Tier::Builder), "2032-02", Some("2032-02")).unwrap();
        let by = operator();
        let open = || {
            let (actor, first) = (Actor::Operator(&by), NewKey::default());
            world.service.open_sub_account(actor, world.account, &first)
        };
        assert!(matches!(open(), Err(AccountError::Agreement { .. })), "it is not running yet");
        world.clock.set(month("2032-02").start());
        let (_, child) = open().unwrap();
        world.agree(terms(Tier::Protocol), "2032-03", None).unwrap();
        let tier = || {
            let entitled = world.service.accounts().authenticate(child.secret.expose()).unwrap();
            (entitled.tier(), entitled.rights.limit_per_minute)
        };
        assert_eq!(tier(), (Tier::Builder, 5_000));
        world.clock.set(month("2032-03").start());
        assert_eq!(tier(), (Tier::Protocol, 5_000));
    }

    #[test]
    fn no_agreement_begins_before_its_account_was_opened() {
        let world = world("2032-02");
        let error = world.agree(enterprise(900, &[Grid::G1]), "2032-01", None).unwrap_err();
        let AccountError::AgreementMonth { first, .. } = error else { panic!("{error}") };
        assert_eq!(first, month("2032-02"));
        let stranger = Agreement {
            account: AccountId::random(),
            ..world.agree(enterprise(900, &[Grid::G1]), "2032-02", None).unwrap().entered
        };
        let error = world.service.agree(&stranger).unwrap_err();
        assert!(matches!(error, AccountError::UnknownAccount { .. }), "{error}");
    }
}
