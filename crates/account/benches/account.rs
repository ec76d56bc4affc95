//! What a request costs before and after it is answered: limit and meter; and memory per account.

mod measure;

use std::hint::black_box;
use std::net::IpAddr;
use std::sync::Arc;

use measure::{print, resident_bytes, scatter};
use superroot_account::meter::{CountedRequest, MeteredCaller, RouteNumber, StatusClass};
use superroot_account::{AccountId, Environment, KeyId, LimitConfig, Limiter, Meter, MeterConfig};
use superroot_types::{Clock, SystemClock};

const ACCOUNTS: u64 = 100_000;
const CALLS: usize = 1_000_000;

fn account(number: u64) -> AccountId {
    let (high, low) = (scatter(number), scatter(number ^ u64::MAX));
    AccountId(uuid::Uuid::from_u64_pair(high, low))
}

fn counted(account: AccountId, number: u64) -> CountedRequest {
    CountedRequest {
        environment: Environment::Live,
        caller: MeteredCaller::Account { account, key: KeyId(account.0) },
        route: RouteNumber(u16::try_from(number % 4).unwrap_or(0)),
        chain: None,
        status: StatusClass::Success,
        weight: 1,
        at: SystemClock.now(),
    }
}

fn main() {
    memory();
    let limiter = Limiter::in_process(&LimitConfig::default(), Arc::new(SystemClock));
    let config = MeterConfig { entries_max: 1 << 20, ..MeterConfig::default() };
    let meter = Meter::new(&config);
    let ids: Vec<_> = (0..ACCOUNTS).map(account).collect();
    let pick = |number: usize| ids[scatter(number as u64) as usize % ids.len()];
    let n = format!("n={ACCOUNTS}");
    print(&format!("account/nothing/{n}"), CALLS, |number| _ = black_box(pick(number)));
    print(&format!("account/limit/{n}"), CALLS, |number| {
        _ = black_box(limiter.account(pick(number), 1_000));
    });
    print(&format!("account/limit_keyless/{n}"), CALLS, |number| {
        let address = IpAddr::from((scatter(number as u64) as u32 % 100_000).to_be_bytes());
        _ = black_box(limiter.keyless(address.into()));
    });
    print(&format!("account/meter/{n}"), CALLS, |number| {
        meter.count(&counted(pick(number), number as u64));
    });
    let times = print(&format!("account/limit_and_meter/{n}"), CALLS, |number| {
        let account = pick(number);
        _ = black_box(limiter.account(account, 1_000));
        meter.count(&counted(account, number as u64));
    });
    println!("uncounted: {}; p50 bound 20 µs: {}", meter.uncounted(), times.p50.as_micros() < 20);
}

fn memory() {
    let active = 1_000_000;
    let ids: Vec<_> = (0..active).map(account).collect();
    let limiter = Limiter::in_process(&LimitConfig::default(), Arc::new(SystemClock));
    let before = resident_bytes();
    for id in &ids {
        black_box(limiter.account(*id, 1)); // no bucket is full again before the end
    }
    let buckets = resident_bytes() - before;
    let config = MeterConfig { entries_max: 1 << 22, ..MeterConfig::default() };
    let meter = Meter::new(&config);
    let before = resident_bytes();
    for id in &ids {
        meter.count(&counted(*id, 0));
    }
    let counts = resident_bytes() - before;
    println!(
        "account/memory/n={active}: {} bytes of limit per account, {} bytes of meter per account \
         that asked within a second (bounded by entries_max)",
        buckets / active,
        counts / active
    );
}
