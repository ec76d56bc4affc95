//! The layers in this process, without a socket: each call of the routes with them stands beside
//! one of the routes without, so that what the machine does besides meets both.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use superroot_account::AccountService;
use superroot_api::{Api, router, router_without_accounts};
use superroot_store::{EmbeddedConfig, EmbeddedStore, MemoryStore};
use tower::Service;

use crate::measure::{resident_bytes, scatter, summary};
use crate::world::{Kept, api, keys, runtime, scoped_keys};

/// Accounts with keys that are remembered.
const ACCOUNTS: usize = 10_000;
/// Accounts whose keys are never remembered.
const FRESH_ACCOUNTS: usize = 300;
/// Calls of each side.
const CALLS: usize = 200_000;
/// Calls after which times count.
const WARM: usize = 12_000;
/// The aim: what the layers cost at the median.
const BOUND: Duration = Duration::from_micros(20);

pub(crate) fn run() {
    let runtime = runtime(1);
    let api = api(Arc::new(MemoryStore::new()), 1 << 17);
    let wide = keys(&api.accounts, ACCOUNTS);
    let kept = Kept::of(&api.accounts);
    memory(&api.accounts, &wide);
    let n = format!("n={ACCOUNTS}");
    let p50 = runtime.block_on(pair("keyed", &n, "/", &api, &wide, (WARM, CALLS)));
    println!("api/layers: p50 bound {BOUND:?}: {}", p50 < BOUND);
    runtime.block_on(pair("keyless", &n, "/", &api, &[], (1_000, CALLS)));
    let large = "/v5/superroot";
    runtime.block_on(pair("large", &n, large, &api, &wide, (WARM, CALLS / 10)));
    let narrow = scoped_keys(&api.accounts, &wide[..5_000]);
    let proof = "/v5/proof/ethereum/20";
    runtime.block_on(pair("scoped", "n=5000", proof, &api, &narrow, (5_000, CALLS / 10)));
    drop(kept);
    looked_up(&runtime);
}

/// Keys that are not remembered: each call reads the rows behind its key from the disk's store.
fn looked_up(runtime: &tokio::runtime::Runtime) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = EmbeddedStore::open(folder.path(), &EmbeddedConfig::default());
    let api = api(Arc::new(store.expect("the store opens")), 1);
    let fresh = keys(&api.accounts, FRESH_ACCOUNTS);
    let _kept = Kept::of(&api.accounts);
    let n = format!("n={FRESH_ACCOUNTS}");
    runtime.block_on(pair("looked_up", &n, "/", &api, &fresh, (1_000, CALLS / 10)));
}

/// What is remembered of a key.
fn memory(accounts: &AccountService, keys: &[String]) {
    let before = resident_bytes();
    for key in keys {
        accounts.accounts().authenticate(key).expect("a key");
    }
    let bytes = resident_bytes().saturating_sub(before);
    let count = accounts.accounts().remembered_key_count();
    println!(
        "api/memory/n={count}: {} bytes of each key that is remembered (bounded by cached_keys_max)",
        bytes / count.max(1) as u64
    );
}

/// Prints both sides and returns what the layers add at the median.
async fn pair(
    what: &str,
    n: &str,
    path: &'static str,
    api: &Api,
    keys: &[String],
    (warm, calls): (usize, usize),
) -> Duration {
    let (mut with, mut without) = (router(api.clone()), router_without_accounts(api.clone()));
    let (mut times_with, mut times_without) = (Vec::new(), Vec::new());
    for number in 0..warm + calls {
        let key = match keys {
            [] => None,
            // each is shown once before one is shown again
            keys if number < warm => Some(&keys[number % keys.len()]),
            keys => Some(&keys[scatter(number as u64) as usize % keys.len()]),
        };
        let times = [timed(&mut with, path, key).await, timed(&mut without, path, key).await];
        if number >= warm {
            times_with.push(times[0]);
            times_without.push(times[1]);
        }
    }
    let with = summary(&format!("api/layers_{what}{path}/{n}"), times_with).p50;
    let without = summary(&format!("api/without_{what}{path}/{n}"), times_without).p50;
    let added = with.saturating_sub(without);
    println!("api/layers_{what}{path}: they add {added:?} at the median");
    added
}

async fn timed(router: &mut Router, path: &str, key: Option<&String>) -> Duration {
    // an address without a key has used up its limit soon: keys that are new there would not be read
    let last = if key.is_some() { 1 } else { 2 };
    let peer = SocketAddr::from(([192, 0, 2, last], 50_000));
    let mut request = Request::get(path).extension(ConnectInfo(peer));
    if let Some(key) = key {
        request = request.header("x-api-key", key);
    }
    let request = request.body(Body::empty()).expect("a request");
    let began = Instant::now();
    let response = router.call(request).await;
    let time = began.elapsed();
    let status = response.expect("routers are infallible").status();
    assert!(status.is_success() || (key.is_none() && status.as_u16() == 429), "{status}");
    time
}
