//! Laws of webhooks: in order, at least once, whatever the address does; and nothing of one holds up another.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use axum::routing::post;
use serde_json::Value;
use superroot_account::{AccountId, AccountService, Grant, KeyId, Operator, Tier};
use superroot_accumulate::Accumulator;
use superroot_accumulate::prove::Prover;
use superroot_chain::ChainRegistry;
use superroot_store::feed::{Changes, append};
use superroot_store::{MemoryStore, Store, WriteBatch};
use superroot_stream::{Hub, ListenerFilter, StreamLogWriter, Topic};
use superroot_types::{Address, BlockNumber, ChainId, ChainKey, Family, ManualClock, UnixSeconds};
use superroot_webhook::{
    Dispatcher, NewWebhook, WebhookChange, WebhookConfig, WebhookError, WebhookRow,
    WebhookState as HookState, Webhooks,
};
use tokio_util::sync::CancellationToken;

const NOW: u64 = 1_700_000_000;
const CHAIN: ChainKey = ChainKey { family: Family::Evm, id: ChainId(1) };

struct World {
    chains: Arc<dyn Store>,
    clock: Arc<ManualClock>,
    hub: Hub,
    prover: Prover,
    webhooks: Arc<Webhooks>,
    account: AccountId,
    accounts: Arc<AccountService>,
    next: u64,
    owes: Arc<AtomicBool>,
    running: Option<(CancellationToken, tokio::task::JoinHandle<()>)>,
}

impl World {
    fn new() -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let chains: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let rows = ChainRegistry::builtin().proof_registry().clone();
        let accumulator = Accumulator::open(chains.clone(), rows, "simulated/hooks").unwrap();
        let prover = Prover::new(chains.clone(), accumulator.board());
        let hub = Hub::open(prover.clone()).unwrap();
        let clock = Arc::new(ManualClock::at(UnixSeconds(NOW)));
        let config = superroot_account::AccountConfig::default();
        let accounts =
            AccountService::open(Arc::new(MemoryStore::new()), clock.clone(), &config).unwrap();
        let (account, _) = accounts.accounts().register(Address([7; 20])).unwrap();
        let config = WebhookConfig {
            allow_private: true,
            timeout_ms: 400,
            retry_first_ms: 5,
            retry_max_ms: 20,
            give_up_seconds: 100,
        };
        let webhooks = Webhooks::new(accounts.clone(), config);
        let account = account.id;
        let world = Self {
            chains,
            clock,
            hub,
            prover,
            webhooks,
            account,
            accounts,
            next: 0,
            owes: Arc::default(),
            running: None,
        };
        world.grant(Tier::Builder);
        world
    }

    fn grant(&self, tier: Tier) {
        let by = Operator { who: "test".into(), why: "a tier".into() };
        let accounts = self.accounts.accounts();
        accounts.grant(&by, self.account, Some(&Grant::of(tier))).unwrap();
    }

    fn start(&mut self) {
        let mut dispatcher = Dispatcher::new(self.webhooks.clone(), self.hub.clone(), {
            let owes = self.owes.clone();
            move |_| owes.load(Ordering::SeqCst)
        })
        .unwrap();
        let shutdown = CancellationToken::new();
        let stopped = shutdown.clone().cancelled_owned();
        let task = tokio::spawn(async move {
            let dispatches = async {
                loop {
                    dispatcher.dispatch().unwrap();
                    dispatcher.changed().await;
                }
            };
            tokio::select! {
                () = dispatches => {}
                () = stopped => {}
            }
            dispatcher.end().await;
        });
        self.running = Some((shutdown, task));
    }

    async fn stop(&mut self) {
        let (shutdown, task) = self.running.take().unwrap();
        shutdown.cancel();
        task.await.unwrap();
    }

    /// Some more blocks become final, each an event of its own.
    fn tell(&mut self, count: u64) {
        for number in self.next..self.next + count {
            let (mut batch, mut changes) = (WriteBatch::new(), Changes::default());
            changes.made_final(BlockNumber(number));
            let now = superroot_types::Clock::now(&*self.clock);
            append(&mut batch, &*self.chains, CHAIN, changes, now, 1 << 30).unwrap();
            self.chains.commit(batch).unwrap();
        }
        self.next += count;
        let writer =
            StreamLogWriter::new(self.chains.clone(), self.prover.clone(), vec![CHAIN], 1 << 30);
        let mut writer = writer.waiting_for_index(Duration::ZERO);
        let now = superroot_types::Clock::now(&*self.clock);
        while writer.step(now).unwrap() > 0 {}
        while self.hub.take().unwrap() > 0 {}
    }

    fn hook(&self, url: String) -> (WebhookRow, String) {
        let subscription = ListenerFilter {
            topics: BTreeSet::from([Topic::Finality]),
            ..ListenerFilter::default()
        };
        self.hook_of(url, subscription)
    }

    fn hook_of(&self, url: String, subscription: ListenerFilter) -> (WebhookRow, String) {
        let asked = serde_json::Map::new();
        let made_with = KeyId::random();
        let new = NewWebhook { made_with, url, label: None, asked, subscription, since: None };
        self.webhooks.create(self.account, Tier::Builder, new).unwrap()
    }

    fn now(&self, webhook: &WebhookRow) -> WebhookRow {
        self.webhooks.get(self.account, webhook.id).unwrap()
    }
}

/// An address that answers as it is told.
#[derive(Clone, Default)]
struct Receiver {
    /// Ids and bodies that were answered with 2xx, and headers of all.
    taken: Arc<Mutex<Vec<(String, Value)>>>,
    headers: Arc<Mutex<Vec<(HeaderMap, Bytes)>>>,
    status: Arc<AtomicU16>,
    delay_ms: Arc<AtomicU64>,
    /// Headers of the answers, beside those that all have.
    asks: Arc<Mutex<Vec<(&'static str, String)>>>,
}

impl Receiver {
    async fn start() -> (Self, String) {
        let receiver = Self::default();
        receiver.status.store(200, Ordering::SeqCst);
        let router = Router::new().route("/hook", post(receive)).with_state(receiver.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        (receiver, url)
    }

    fn answer(&self, status: u16) {
        self.status.store(status, Ordering::SeqCst);
    }

    fn blocks(&self) -> Vec<u64> {
        let taken = self.taken.lock().unwrap();
        taken.iter().filter_map(|(_, body)| body["data"]["fromBlock"].as_u64()).collect()
    }

    fn attempts(&self) -> usize {
        self.headers.lock().unwrap().len()
    }

    /// Waits until that holds.
    async fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        for _ in 0..2_000 {
            if holds(self) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("{what}: {:?}", self.blocks());
    }
}

async fn receive(
    State(receiver): State<Receiver>,
    headers: HeaderMap,
    body: Bytes,
) -> impl IntoResponse {
    receiver.headers.lock().unwrap().push((headers.clone(), body.clone()));
    tokio::time::sleep(Duration::from_millis(receiver.delay_ms.load(Ordering::SeqCst))).await;
    let status = receiver.status.load(Ordering::SeqCst);
    if (200..300).contains(&status) {
        let id = headers["webhook-id"].to_str().unwrap().to_owned();
        let body = serde_json::from_slice(&body).unwrap();
        receiver.taken.lock().unwrap().push((id, body));
    }
    let mut answer = StatusCode::from_u16(status).unwrap().into_response();
    answer.headers_mut().insert("location", "http://127.0.0.1:1/inside".parse().unwrap());
    for (name, value) in receiver.asks.lock().unwrap().iter() {
        answer.headers_mut().insert(*name, value.parse().unwrap());
    }
    answer
}

fn numbers(range: std::ops::Range<u64>) -> Vec<u64> {
    range.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn events_come_in_order_signed_and_go_on_where_they_were() {
    let mut world = World::new();
    world.tell(3);
    let (receiver, url) = Receiver::start().await;
    let (webhook, secret) = world.hook(url);
    world.start();
    receiver.until("it has begun", |_| world.now(&webhook).progress.cursor.is_some()).await;
    world.tell(20);
    receiver.until("all came", |one| one.blocks().len() == 20).await;
    assert_eq!(receiver.blocks(), numbers(3..23), "what was before it was made is not sent");
    let verifier = standardwebhooks::Webhook::new(&secret).unwrap();
    for (headers, body) in receiver.headers.lock().unwrap().iter() {
        let signed = headers["webhook-signature"].to_str().unwrap();
        let (id, at) = (&headers["webhook-id"], &headers["webhook-timestamp"]);
        let at: i64 = at.to_str().unwrap().parse().unwrap();
        assert_eq!(verifier.sign(id.to_str().unwrap(), at, body).unwrap(), signed);
        assert_eq!(headers["content-type"], "application/json");
    }
    // what was taken and not heard of yet would come again
    receiver.until("all is known", |_| world.now(&webhook).progress.delivered == 20).await;
    world.stop().await;
    world.tell(5);
    world.start();
    receiver.until("the rest came", |one| one.blocks().len() >= 25).await;
    assert_eq!(receiver.blocks(), numbers(3..28), "a stop loses nothing, and sends nothing twice");
    let ids: BTreeSet<_> =
        receiver.taken.lock().unwrap().iter().map(|(id, _)| id.clone()).collect();
    assert_eq!(ids.len(), 25);
    receiver.until("the rest is known", |_| world.now(&webhook).progress.delivered == 25).await;
    world.stop().await;
    assert_eq!(world.now(&webhook).progress.delivered, 25);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fails_is_tried_again_and_in_the_end_a_dead_letter_that_can_be_sent_again() {
    let mut world = World::new();
    world.tell(1);
    let (receiver, url) = Receiver::start().await;
    let (webhook, _) = world.hook(url);
    world.start();
    receiver.until("it has begun", |_| world.now(&webhook).progress.cursor.is_some()).await;
    receiver.answer(500);
    world.tell(4);
    receiver.until("it tries again", |one| one.attempts() > 5).await;
    let failing = world.now(&webhook).progress;
    assert!(failing.failed_attempts > 0 && failing.failing_since.is_some());
    assert_eq!(failing.last_failure.as_deref(), Some("it answered 500"));
    // the same event again and again: nothing overtakes it
    let ids: BTreeSet<_> = {
        let all = receiver.headers.lock().unwrap();
        all.iter()
            .map(|(headers, _)| headers["webhook-id"].clone())
            .map(|id| id.to_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(ids.len(), 1);
    world.clock.set(UnixSeconds(NOW + 100));
    receiver.until("it is given up", |_| !world.now(&webhook).progress.dead.is_empty()).await;
    receiver.until("all four", |_| world.now(&webhook).progress.dead[0].count == 4).await;
    assert!(receiver.blocks().is_empty());
    receiver.answer(204);
    world.tell(2);
    receiver.until("what comes later comes", |one| one.blocks().len() == 2).await;
    assert_eq!(receiver.blocks(), [5, 6]);
    // what is not noted yet would be sent again after the dead
    receiver.until("both are noted", |_| world.now(&webhook).progress.delivered == 2).await;
    let (_, run) = world.webhooks.replay(world.account, webhook.id).unwrap();
    assert_eq!(run.count, 4);
    receiver.until("the dead come", |one| one.blocks().len() == 6).await;
    assert_eq!(receiver.blocks(), [5, 6, 1, 2, 3, 4]);
    receiver.until("it is noted", |_| world.now(&webhook).progress.replaying.is_none()).await;
    world.tell(1);
    receiver.until("and it goes on", |one| one.blocks().len() == 7).await;
    let nothing = world.webhooks.replay(world.account, webhook.id).unwrap_err();
    assert!(matches!(nothing, WebhookError::NothingDead));
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_hangs_redirects_or_is_gone_harms_no_other() {
    let mut world = World::new();
    world.tell(1);
    let (good, good_url) = Receiver::start().await;
    let (hangs, hangs_url) = Receiver::start().await;
    let (redirects, redirects_url) = Receiver::start().await;
    let (gone, gone_url) = Receiver::start().await;
    hangs.delay_ms.store(60_000, Ordering::SeqCst);
    redirects.answer(302);
    gone.answer(410);
    let hooks = [good_url, hangs_url, redirects_url, gone_url].map(|url| world.hook(url).0);
    world.start();
    for hook in &hooks {
        good.until("all have begun", |_| world.now(hook).progress.cursor.is_some()).await;
    }
    world.tell(200);
    good.until("the good one has all", |one| one.blocks().len() == 200).await;
    assert_eq!(good.blocks(), numbers(1..201));
    good.until("the others failed", |_| {
        hooks[1..3].iter().all(|hook| world.now(hook).progress.failed_attempts > 0)
    })
    .await;
    let why = |hook: &WebhookRow| world.now(hook).progress.last_failure.unwrap();
    assert_eq!(why(&hooks[1]), "it did not answer in time");
    assert_eq!(why(&hooks[2]), "it answered 302: redirects are not followed");
    good.until("one is gone", |_| world.now(&hooks[3]).state == HookState::Gone).await;
    assert_eq!(gone.attempts(), 1, "whoever is gone is asked no more");
    // its owner has it go on, from where it was
    gone.answer(200);
    let change = WebhookChange { is_enabled: Some(true), ..WebhookChange::default() };
    world.webhooks.change(world.account, hooks[3].id, &change).unwrap();
    gone.until("all came", |one| one.blocks().len() == 200).await;
    assert_eq!(gone.blocks(), numbers(1..201));
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn owners_stop_rotate_and_end_and_a_tier_that_is_over_is_sent_nothing() {
    let mut world = World::new();
    world.tell(1);
    let (receiver, url) = Receiver::start().await;
    let (webhook, first) = world.hook(url.clone());
    world.start();
    receiver.until("it has begun", |_| world.now(&webhook).progress.cursor.is_some()).await;
    let (_, second) = world.webhooks.rotate(world.account, webhook.id, 50).unwrap();
    assert_ne!(first, second);
    tokio::time::sleep(Duration::from_millis(500)).await; // what is under way may be signed as it was
    world.tell(1);
    receiver.until("one came", |one| one.blocks().len() == 1).await;
    let signatures = |place: usize| {
        let all = receiver.headers.lock().unwrap();
        let (headers, body) = &all[place];
        let text = |name: &str| headers[name].to_str().unwrap().to_owned();
        let at: i64 = text("webhook-timestamp").parse().unwrap();
        let by = |secret: &str| {
            let one = standardwebhooks::Webhook::new(secret).unwrap();
            text("webhook-signature").contains(&one.sign(&text("webhook-id"), at, body).unwrap())
        };
        (by(&first), by(&second))
    };
    assert_eq!(signatures(0), (true, true), "both sign while the old one has its grace");
    world.clock.set(UnixSeconds(NOW + 50));
    world.tell(1);
    receiver.until("another came", |one| one.blocks().len() == 2).await;
    assert_eq!(signatures(1), (false, true));
    let pause = WebhookChange { is_enabled: Some(false), ..WebhookChange::default() };
    world.webhooks.change(world.account, webhook.id, &pause).unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    world.tell(3);
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(receiver.blocks().len(), 2, "it is paused");
    world.grant(Tier::Explorer);
    let go_on = WebhookChange { is_enabled: Some(true), ..WebhookChange::default() };
    world.webhooks.change(world.account, webhook.id, &go_on).unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(receiver.blocks().len(), 2, "the tier has none");
    world.grant(Tier::Builder);
    world.webhooks.change(world.account, webhook.id, &WebhookChange::default()).unwrap();
    receiver.until("nothing was lost", |one| one.blocks().len() == 5).await;
    assert_eq!(receiver.blocks(), numbers(1..6));
    world.webhooks.delete(world.account, webhook.id).unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    world.tell(2);
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(receiver.blocks().len(), 5);
    let unknown = world.webhooks.get(world.account, webhook.id).unwrap_err();
    assert!(matches!(unknown, WebhookError::Unknown { .. }));
    world.stop().await;
    for _ in 0..5 {
        world.hook(url.clone());
    }
    let asked = serde_json::Map::new();
    let (made_with, subscription) = (KeyId::random(), ListenerFilter::default());
    let new = NewWebhook { made_with, url, label: None, asked, subscription, since: None };
    let full = world.webhooks.create(world.account, Tier::Builder, new).unwrap_err();
    assert!(matches!(full, WebhookError::Full { expected: 5 }));
}

/// Who owes is sent nothing that weighs, and afterwards everything from where it was.
#[tokio::test(flavor = "multi_thread")]
async fn who_owes_is_sent_no_signals_until_it_has_paid() {
    let mut world = World::new();
    let (receiver, url) = Receiver::start().await;
    let topics = BTreeSet::from([Topic::Finality, Topic::Launches]);
    let (webhook, _) = world.hook_of(url, ListenerFilter { topics, ..ListenerFilter::default() });
    world.tell(1); // the log begins, with nothing to tell
    world.start();
    while world.now(&webhook).progress.cursor.is_none() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let has = |one: &Receiver, block: u64| one.blocks().contains(&block);
    world.tell(1);
    receiver.until("it is sent", |one| has(one, 1)).await;
    world.owes.store(true, Ordering::SeqCst);
    world.webhooks.change(world.account, webhook.id, &WebhookChange::default()).unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    world.tell(2);
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!has(&receiver, 2), "it owes");
    world.owes.store(false, Ordering::SeqCst);
    world.webhooks.change(world.account, webhook.id, &WebhookChange::default()).unwrap();
    receiver.until("nothing was lost", |one| has(one, 2) && has(one, 3)).await;
    world.stop().await;
}

/// A pause that an address asked for is kept: in seconds and as a date, by whoever sends, and whatever its own pause is.
#[tokio::test(flavor = "multi_thread")]
async fn a_pause_that_the_address_asks_for_is_kept_also_over_a_restart() {
    let date = "Fri, 31 Dec 1999 23:59:59 GMT".to_owned();
    for asks in [
        vec![("retry-after", "2".to_owned())],
        vec![("retry-after", "Sat, 01 Jan 2000 00:00:01 GMT".to_owned()), ("date", date)],
    ] {
        let mut world = World::new();
        world.tell(1);
        let (receiver, url) = Receiver::start().await;
        let (webhook, _) = world.hook(url);
        world.start();
        receiver.until("it has begun", |_| world.now(&webhook).progress.cursor.is_some()).await;
        receiver.answer(429);
        *receiver.asks.lock().unwrap() = asks;
        world.tell(1);
        receiver
            .until("it is asked to wait", |_| {
                world.now(&webhook).progress.next_attempt_at == Some(UnixSeconds(NOW + 2))
            })
            .await;
        tokio::time::sleep(Duration::from_millis(500)).await;
        assert_eq!(receiver.attempts(), 1, "its own pause is 20 ms at most");
        world.stop().await;
        world.start();
        tokio::time::sleep(Duration::from_millis(500)).await;
        assert_eq!(receiver.attempts(), 1, "what was noted is kept by the next process");
        receiver.answer(200);
        receiver.until("it comes then", |one| one.blocks().len() == 1).await;
        assert_eq!((receiver.attempts(), receiver.blocks()), (2, vec![1]));
        world.stop().await;
    }
}

/// A pause is asked for by an address, so another address, or its owner's word, ends it.
#[tokio::test(flavor = "multi_thread")]
async fn an_owner_ends_the_pause_that_an_address_asked_for() {
    let mut world = World::new();
    world.tell(1);
    let (busy, url) = Receiver::start().await;
    let (webhook, _) = world.hook(url);
    world.start();
    busy.until("it has begun", |_| world.now(&webhook).progress.cursor.is_some()).await;
    busy.answer(503);
    busy.asks.lock().unwrap().push(("retry-after", "3600".to_owned()));
    world.tell(1);
    let waits = |one: &World| one.now(&webhook).progress.next_attempt_at.is_some();
    busy.until("it waits", |_| waits(&world)).await;
    let enable = WebhookChange { is_enabled: Some(true), ..WebhookChange::default() };
    world.webhooks.change(world.account, webhook.id, &enable).unwrap();
    busy.until("it is tried at once", |one| one.attempts() == 2).await;
    busy.until("it waits again", |_| waits(&world)).await;
    let (other, url) = Receiver::start().await;
    let change = WebhookChange { url: Some(url), ..WebhookChange::default() };
    world.webhooks.change(world.account, webhook.id, &change).unwrap();
    other.until("the other address has it", |one| one.blocks() == [1]).await;
    world.stop().await;
}
