//! Routes over a few blocks, and accounts whose keys are shown.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use superroot_account::{
    AccountConfig, AccountService, Actor, Environment, Grant, NewKey, Operator, RoutePattern,
    Scope, Tier,
};
use superroot_api::Api;
use superroot_store::Store;
use superroot_types::{Address, ChainId, Clock, SystemClock};

use crate::support::{World, unlimited};

/// Time between looks at changed accounts, as the service has it.
const REFRESH: Duration = Duration::from_millis(250);

/// A service with accounts in that store, on the machine's clock.
pub(crate) fn api(store: Arc<dyn Store>, keys_remembered_max: usize) -> Api {
    let mut config = AccountConfig::default();
    config.keys.environment = Environment::Test;
    config.keys.cached_keys_max = keys_remembered_max;
    config.routes = superroot_api::metered_routes();
    let accounts = AccountService::open(store, Arc::new(SystemClock), &config);
    let accounts = accounts.expect("the accounts open");
    accounts.refresh().expect("a look at changes");
    Api { accounts, clock: Arc::new(SystemClock), ..World::small(unlimited()).api() }
}

/// A transaction of the chain that is served, with events: each world has the same.
pub(crate) fn some_transaction() -> String {
    World::small(unlimited()).eventful(5..20).2
}

/// Keys of so many accounts, each of the highest tier.
pub(crate) fn keys(accounts: &AccountService, count: usize) -> Vec<String> {
    let operator = Operator { who: "bench".into(), why: "to have none refused".into() };
    let key = |number: usize| {
        let wallet = Address([u8::try_from(number % 251).unwrap_or(0) + 1; 20]);
        let (account, issued) = accounts.accounts().register(wallet).expect("an account");
        let grant = Grant::of(Tier::Enterprise);
        accounts.accounts().grant(&operator, account.id, Some(&grant)).expect("a grant");
        issued.secret.expose().to_owned()
    };
    (0..count).map(key).collect()
}

/// Keys that are confined to some chains and routes, as many of them as a scope has in practice.
pub(crate) fn scoped_keys(accounts: &AccountService, keys: &[String]) -> Vec<String> {
    let routes = ["/finality/:chain_id", "/v5/superroot", "/v5/checkpoint", "/v5/proof/*"];
    let routes = routes.map(|route| route.parse::<RoutePattern>().expect("a pattern"));
    let scope = Scope {
        chains: Some([1, 10, 137, 8_453, 42_161].map(ChainId).into()),
        routes: Some(routes.into()),
    };
    let key = |wide: &String| {
        let entitlement = accounts.accounts().authenticate(wide).expect("a key");
        let new = NewKey { scope: scope.clone(), ..NewKey::default() };
        let actor = Actor::Key(&entitlement);
        let issued = accounts.accounts().create_key(actor, entitlement.account, &new);
        issued.expect("a narrower key").secret.expose().to_owned()
    };
    keys.iter().map(key).collect()
}

/// A runtime with so many threads that answer.
pub(crate) fn runtime(threads: usize) -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(threads).enable_all().build().expect("a runtime")
}

/// Keeps accounts as the service does, until it is dropped.
pub(crate) struct Kept {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Kept {
    pub(crate) fn of(accounts: &Arc<AccountService>) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let (accounts, over) = (Arc::clone(accounts), Arc::clone(&is_over));
        let thread = std::thread::spawn(move || {
            for look in 0_u64.. {
                if over.load(Ordering::Relaxed) {
                    return;
                }
                accounts.refresh().expect("a look at changes");
                if look % 4 == 3 {
                    accounts.flush(SystemClock.now()).expect("counts are written");
                }
                std::thread::sleep(REFRESH);
            }
        });
        Self { is_over, thread: Some(thread) }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().expect("accounts were kept");
        }
    }
}
