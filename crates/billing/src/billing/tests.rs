//! Laws of money over a store: payments count once, months close once, everything adds up.

mod agreements;
mod due;
mod journals;
mod months;
mod passes;
mod payouts;
mod price_lists;
mod subscriptions;

use std::sync::Arc;

use superroot_account::meter::{CountedRequest, MeteredCaller, StatusClass};
use superroot_account::{
    Account, AccountConfig, AccountId, AccountService, Actor, CreatedKey, Entitlement,
    ManualStopwatch, Month, NewKey, Operator, Payer, PlanTable, Tier,
};
use superroot_store::{MemoryStore, Store};
use superroot_types::{Address, ChainId, Hash, ManualClock, UnixSeconds};

use super::*;
use crate::agreement::{Agreement, AgreementTerms, Interval};
use crate::invoice::tests::ROUTES;
use crate::payment::{Asset, Payment, PaymentId};

const USDC: u64 = 1_000_000;

struct World {
    store: Arc<MemoryStore>,
    clock: Arc<ManualClock>,
    billing: Arc<BillingLedger>,
}

fn month(text: &str) -> Month {
    text.parse().unwrap()
}

fn operator() -> Operator {
    Operator { who: "ana".into(), why: "contract 7".into() }
}

/// A world in the second hour of a month.
fn world(at: &str) -> World {
    let clock = Arc::new(ManualClock::at(UnixSeconds(month(at).start().0 + 3_600)));
    let store = Arc::new(MemoryStore::new());
    let billing = node(&store, &clock);
    World { store, clock, billing }
}

/// A node on a store.
fn node(store: &Arc<MemoryStore>, clock: &Arc<ManualClock>) -> Arc<BillingLedger> {
    node_with(store, clock, PlanTable::default())
}

/// A node on a store that is configured so.
fn node_with(
    store: &Arc<MemoryStore>,
    clock: &Arc<ManualClock>,
    plans: PlanTable,
) -> Arc<BillingLedger> {
    let (rows, stopwatch) = (store.clone(), Arc::new(ManualStopwatch::default()));
    let config = AccountConfig { routes: ROUTES, plans, ..AccountConfig::default() };
    let accounts = AccountService::open_with(rows, clock.clone(), stopwatch, &config).unwrap();
    accounts.refresh().unwrap();
    BillingLedger::new(accounts)
}

fn payment(number: u8, wallet: Address, tier: Tier, at: UnixSeconds) -> Payment {
    let id = PaymentId { chain: ChainId(8_453), tx: Hash([number; 32]), log_index: 0 };
    let usdc_e6 = if tier == Tier::Builder { 50 * USDC } else { 500 * USDC };
    Payment {
        id,
        wallet,
        tier,
        usdc_e6,
        asset: Asset::Usdc,
        paid_at: at,
        is_final: true,
        is_proven: false,
    }
}

impl World {
    fn open(&self) -> (Account, CreatedKey) {
        self.billing.accounts().accounts().register(Address([1; 20])).unwrap()
    }

    fn entitled(&self, issued: &CreatedKey) -> Arc<Entitlement> {
        self.billing.accounts().accounts().authenticate(issued.secret.expose()).unwrap()
    }

    /// Moves to the second hour of a month.
    fn go_to(&self, text: &str) {
        self.clock.set(UnixSeconds(month(text).start().0 + 3_600));
    }

    fn agree(
        &self,
        account: AccountId,
        terms: AgreementTerms,
        from: &str,
    ) -> Result<(), BillingError> {
        let (by, entered_at) = (operator(), self.billing.now());
        self.billing.agree(&Agreement { account, from: month(from), terms, by, entered_at })
    }

    fn make_integrator(&self, account: AccountId, interval: Interval, fee: u64) {
        let terms =
            AgreementTerms::Integrator { interval, fee_usdc_e6: fee * USDC, tier: Tier::Builder };
        let running = Month::of(self.billing.now()).unwrap().to_string();
        self.agree(account, terms, &running).unwrap();
    }

    fn open_below(&self, integrator: AccountId) -> (Account, CreatedKey) {
        let by = operator();
        let accounts = self.billing.accounts().accounts();
        accounts.open_sub_account(Actor::Operator(&by), integrator, &NewKey::default()).unwrap()
    }

    /// Counts requests to the route that weighs a token, and writes them down.
    fn count(&self, account: AccountId, key: superroot_account::KeyId, tokens: u64) {
        let route = ROUTES.iter().find(|route| route.path == "/kv/verify").unwrap();
        let service = self.billing.accounts();
        for _ in 0..tokens {
            service.meter().count(&CountedRequest {
                environment: service.environment(),
                caller: MeteredCaller::Account { account, key },
                route: route.number,
                chain: None,
                status: StatusClass::Success,
                weight: route.weight,
                at: service.now(),
            });
        }
        service.flush(service.now()).unwrap();
    }

    /// Closes whatever is due, the chains being where the clock is.
    fn close_all(&self) -> u64 {
        self.close_by(Some(self.billing.now())).0
    }

    /// Closes whatever is due where the chains have come so far: how many invoices, and which month waits.
    fn close_by(&self, chains_at: Option<UnixSeconds>) -> (u64, Option<Month>) {
        let (mut closing, mut invoices) = (MonthClosing::default(), 0);
        loop {
            let closed = closing.step(&self.billing, chains_at).unwrap();
            assert_eq!(closed.refused, 0);
            invoices += closed.invoices;
            if closed.is_done {
                return (invoices, closed.waits);
            }
        }
    }

    /// Every row of the store, to see that nothing changes.
    fn rows(&self) -> Vec<(superroot_store::Table, Vec<superroot_store::Row>)> {
        let scan = |table| {
            let way = superroot_store::ScanOrder::Rising;
            (table, self.store.scan(table, b"", None, usize::MAX, way).unwrap())
        };
        superroot_store::Table::ALL.map(scan).to_vec()
    }

    fn receipt(&self, account: AccountId, usdc: u64, reference: &str) -> OperatorEntry {
        let (reference, by) = (reference.to_owned(), operator());
        OperatorEntry { account, usdc_e6: usdc * USDC, reference, by }
    }

    fn owes_usdc(&self, account: AccountId) -> i64 {
        self.billing.owes_usdc_e6(account).unwrap() / 1_000_000
    }

    fn acts(&self) -> Vec<String> {
        let acts = self.billing.accounts().accounts().acts(0, 1_000).unwrap();
        acts.into_iter().map(|act| act.what).collect()
    }
}
