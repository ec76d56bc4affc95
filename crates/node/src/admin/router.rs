//! The routes of the admin socket. Each takes JSON and answers with events, one JSON object a line;
//! what is refused at once is a status and `{"error": ..}`.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, DefaultBodyLimit, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use futures_util::stream;
use serde::Serialize;
use superroot_account::AccountError;
use superroot_billing::{Billing, BillingError};
use superroot_chain::ChainRow;
use superroot_store::Store;
use superroot_types::{BlockNumber, ChainKey, ErrorKind};
use tokio::sync::{Semaphore, mpsc, oneshot};

use super::journal::Begun;
use super::{
    Act, BackupRequest, Event, Journal, Order, Outcome, Request, WHY_CHARS_MAX, Who, accounts, job,
};
use crate::backup::Original;
use crate::chains;

/// Largest body of a request, in bytes.
const BODY_BYTES_MAX: usize = 64 << 10;
/// Events that wait for a slow reader; what comes beyond is not told, and not left out of the end.
const EVENTS_MAX: usize = 256;

/// How long an order waits for the end of one that is worked on, which may have been given up just now: a
/// turn is shorter.
const ORDER_WAIT: Duration = Duration::from_secs(10);

/// Where orders of one chain go.
pub(crate) struct OrderSender {
    row: ChainRow,
    orders: mpsc::Sender<Order>,
    busy: Arc<Semaphore>,
}

/// What the routes act on.
#[derive(Clone)]
pub(crate) struct Admin(Arc<Inner>);

struct Inner {
    store: Arc<dyn Store>,
    billing: Arc<Billing>,
    senders: HashMap<ChainKey, OrderSender>,
    journal: Journal,
    original: Original,
}

impl OrderSender {
    /// A chain whose loop takes orders at the other end.
    pub(crate) fn new(row: ChainRow) -> (Self, mpsc::Receiver<Order>) {
        let (orders, taken) = mpsc::channel(1);
        (Self { row, orders, busy: Arc::new(Semaphore::new(1)) }, taken)
    }
}

impl Admin {
    /// Acts on these chains of a folder and on these accounts and their money, and notes what it does.
    pub(crate) fn new(
        billing: Arc<Billing>,
        senders: Vec<OrderSender>,
        journal: Journal,
        original: Original,
    ) -> Self {
        let senders = senders.into_iter().map(|sender| (sender.row.key(), sender)).collect();
        let store = original.chains.clone();
        Self(Arc::new(Inner { store, billing, senders, journal, original }))
    }
}

/// Why nothing begins.
struct Refusal(StatusCode, String);

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let Self(status, error) = self;
        (status, Json(serde_json::json!({ "error": error }))).into_response()
    }
}

fn bad(error: impl Into<String>) -> Refusal {
    Refusal(StatusCode::BAD_REQUEST, error.into())
}

/// One route a command.
pub(super) fn router(admin: Admin) -> Router {
    Router::new()
        .route("/v1/backfill", post(backfill))
        .route("/v1/repair", post(repair))
        .route("/v1/resume", post(resume))
        .route("/v1/accounts", post(on_accounts))
        .route("/v1/backup", post(backup))
        .fallback(async || Refusal(StatusCode::NOT_FOUND, "no route has this path".to_owned()))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .with_state(admin)
}

type Answer = Result<Response, Refusal>;

async fn backfill(State(admin): State<Admin>, who: ConnectInfo<Who>, body: Bytes) -> Answer {
    let asked = read(&body)?;
    let to = asked.to.ok_or_else(|| bad("to is missing, expected the oldest block wanted"))?;
    if asked.from.is_some() {
        return Err(bad("a backfill has no from"));
    }
    let act = Act::Backfill { to: BlockNumber(to) };
    let chains = vec![admin.followed(chain_of(&asked)?)?];
    admin.begin(who.0, act, asked, chains)
}

async fn repair(State(admin): State<Admin>, who: ConnectInfo<Who>, body: Bytes) -> Answer {
    let asked = read(&body)?;
    let chains = match &asked.chain {
        Some(_) => vec![admin.followed(chain_of(&asked)?)?],
        None if asked.from.or(asked.to).is_some() => {
            return Err(bad("from and to are of one chain, and none is named"));
        }
        None => admin.all_followed(),
    };
    let act = Act::Repair { from: asked.from.map(BlockNumber), to: asked.to.map(BlockNumber) };
    admin.begin(who.0, act, asked, chains)
}

async fn resume(State(admin): State<Admin>, who: ConnectInfo<Who>, body: Bytes) -> Answer {
    let asked = read(&body)?;
    if asked.from.or(asked.to).is_some() {
        return Err(bad("a chain is resumed as a whole, without from and to"));
    }
    let row = chain_of(&asked)?;
    admin.begin(who.0, Act::Resume, asked, vec![row.key()])
}

/// An order about accounts: one JSON value comes back, and it is in nobody's cache.
async fn on_accounts(State(admin): State<Admin>, who: ConnectInfo<Who>, body: Bytes) -> Answer {
    let asked: accounts::Asked =
        serde_json::from_slice(&body).map_err(|error| bad(format!("the body: {error}")))?;
    let done = tokio::task::spawn_blocking(move || {
        let Inner { billing, journal, .. } = &*admin.0;
        accounts::perform_noted(billing, journal, &asked, &who.0)
    });
    match done.await {
        Ok(Ok(answer)) => {
            let headers = [(header::CACHE_CONTROL, "no-store")];
            Ok((headers, Json(answer)).into_response())
        }
        Ok(Err(error)) => Err(Refusal(status_of(&error), format!("{error:#}"))),
        Err(_) => {
            let error = "the act panicked; the service's log says more";
            Err(Refusal(StatusCode::INTERNAL_SERVER_ERROR, error.to_owned()))
        }
    }
}

/// A copy of the folder.
async fn backup(State(admin): State<Admin>, who: ConnectInfo<Who>, body: Bytes) -> Answer {
    let asked: BackupRequest =
        serde_json::from_slice(&body).map_err(|error| bad(format!("the body: {error}")))?;
    check_why(asked.why.as_deref())?;
    let begun = admin.note("backup", &asked, &who.0)?;
    let (events, told) = mpsc::channel(EVENTS_MAX);
    tokio::task::spawn_blocking(move || {
        let Inner { original, journal, .. } = &*admin.0;
        super::backup::run(original, (journal, &begun), &asked, &events);
    });
    Ok(lines(told))
}

/// Events as they come, one a line.
fn lines(told: mpsc::Receiver<Event>) -> Response {
    let lines = stream::unfold(told, |mut told| async move {
        let event = told.recv().await?;
        let mut line = serde_json::to_vec(&event).ok()?;
        line.push(b'\n');
        Some((Ok::<_, Infallible>(Bytes::from(line)), told))
    });
    let headers = [(header::CONTENT_TYPE, "application/x-ndjson")];
    (headers, Body::from_stream(lines)).into_response()
}

fn kind_of(error: &anyhow::Error) -> Option<ErrorKind> {
    let of_accounts = error.downcast_ref::<AccountError>().map(AccountError::kind);
    of_accounts.or_else(|| error.downcast_ref::<BillingError>().map(BillingError::kind))
}

/// Whose fault it is that an order was not done.
fn status_of(error: &anyhow::Error) -> StatusCode {
    match kind_of(error) {
        None | Some(ErrorKind::Invalid) => StatusCode::BAD_REQUEST,
        Some(ErrorKind::Unavailable) => StatusCode::SERVICE_UNAVAILABLE,
        Some(ErrorKind::Corrupt | ErrorKind::Bug) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

fn read(body: &[u8]) -> Result<Request, Refusal> {
    let asked: Request =
        serde_json::from_slice(body).map_err(|error| bad(format!("the body: {error}")))?;
    check_why(asked.why.as_deref())?;
    Ok(asked)
}

fn check_why(why: Option<&str>) -> Result<(), Refusal> {
    match why {
        Some(why) if why.chars().count() > WHY_CHARS_MAX => {
            Err(bad(format!("why is longer than {WHY_CHARS_MAX} characters")))
        }
        _ => Ok(()),
    }
}

fn chain_of(asked: &Request) -> Result<&'static ChainRow, Refusal> {
    let name = asked.chain.as_deref().ok_or_else(|| bad("chain is missing"))?;
    chains::find(name).map_err(|error| bad(format!("{error:#}")))
}

impl Admin {
    fn followed(&self, row: &ChainRow) -> Result<ChainKey, Refusal> {
        let key = row.key();
        if let Some(from) = row.withdrawn_from() {
            let error = format!(
                "{} is withdrawn from block {from} on: nothing of it is taken any more",
                row.name
            );
            return Err(Refusal(StatusCode::CONFLICT, error));
        }
        let known = self.0.senders.contains_key(&key).then_some(key);
        known.ok_or_else(|| {
            let error = format!("the running service does not follow {}", row.name);
            Refusal(StatusCode::CONFLICT, error)
        })
    }

    /// In the order of the registry.
    fn all_followed(&self) -> Vec<ChainKey> {
        let rows = chains::known().rows().iter().map(ChainRow::key);
        rows.filter(|key| self.0.senders.contains_key(key)).collect()
    }

    /// Notes that an act begins.
    fn note(&self, act: &str, asked: &impl Serialize, who: &Who) -> Result<Begun, Refusal> {
        self.0.journal.begin(act, asked, who).map_err(|error| {
            tracing::error!("{error:#}");
            Refusal(StatusCode::INTERNAL_SERVER_ERROR, format!("{error:#}"))
        })
    }

    /// Notes the act and begins it; the answer tells how it goes.
    fn begin(&self, who: Who, act: Act, asked: Request, chains: Vec<ChainKey>) -> Answer {
        let begun = self.note(act.name(), &asked, &who)?;
        let (events, told) = mpsc::channel(EVENTS_MAX);
        let admin = self.clone();
        tokio::spawn(async move {
            // what one chain cannot have done keeps no other from it
            let mut whys: Vec<String> = Vec::new();
            for chain in chains {
                if !events.is_closed() {
                    whys.extend(admin.work(chain, act, &events).await.err());
                }
            }
            whys.dedup();
            let result = if whys.is_empty() { Ok(()) } else { Err(whys.join("; ")) };
            let (outcome, detail, last) = match result {
                Ok(()) if events.is_closed() => (Outcome::Stopped, None, Event::End),
                Ok(()) => (Outcome::Done, None, Event::End),
                Err(why) => (Outcome::Failed, Some(why.clone()), Event::Failed { why }),
            };
            admin.0.journal.end(&begun, outcome, detail.as_deref());
            let _ = events.send(last).await;
        });
        Ok(lines(told))
    }

    /// The act on one chain, in its loop where it has one.
    async fn work(
        &self,
        chain: ChainKey,
        act: Act,
        events: &mpsc::Sender<Event>,
    ) -> Result<(), String> {
        let last = match self.0.senders.get(&chain) {
            Some(sender) => sender.order(act, events).await?,
            None => self.resume_unfollowed(chain).await?,
        };
        for event in last {
            // nobody may listen any more
            let _ = events.send(event).await;
        }
        Ok(())
    }

    /// A chain without a loop has no other writer.
    async fn resume_unfollowed(&self, chain: ChainKey) -> Result<Vec<Event>, String> {
        let row = chains::known().by_key(chain).map(|(_, row)| row.clone());
        let row = row.ok_or_else(|| format!("no row of the registry has {chain}"))?;
        let store = self.0.store.clone();
        let done = tokio::task::spawn_blocking(move || job::resume(&*store, &row)).await;
        let done = done.map_err(|error| error.to_string())?;
        done.map_err(|error| format!("cannot clear the halt: {error}"))
    }
}

impl OrderSender {
    async fn order(&self, act: Act, events: &mpsc::Sender<Event>) -> Result<Vec<Event>, String> {
        let name = &self.row.name;
        let permit = tokio::time::timeout(ORDER_WAIT, Arc::clone(&self.busy).acquire_owned()).await;
        let permit = permit.ok().and_then(Result::ok);
        let permit = permit.ok_or_else(|| format!("another order on {name} is being worked on"))?;
        let stopping = || "the service is stopping; what was taken stays".to_owned();
        let (done, ended) = oneshot::channel();
        let order = Order { act, events: events.clone(), done, _permit: permit };
        self.orders.send(order).await.map_err(|_| stopping())?;
        ended.await.map_err(|_| stopping())?
    }
}

#[cfg(test)]
mod tests {
    use superroot_chain::Registry;

    use super::*;

    /// An order waits for the turn of one whose giver has gone; one that goes on is not interrupted.
    #[tokio::test(start_paused = true)]
    async fn an_order_waits_for_the_end_of_one_before_and_not_for_ever() {
        let row = Registry::builtin().find("base").unwrap().clone();
        let (sender, mut orders) = OrderSender::new(row);
        let sender = Arc::new(sender);
        let give = || {
            let (sender, events) = (Arc::clone(&sender), mpsc::channel(1).0);
            tokio::spawn(async move { sender.order(Act::Resume, &events).await })
        };
        let first = give();
        let worked_on = orders.recv().await.unwrap();
        let refused = give().await.unwrap().unwrap_err();
        assert_eq!(refused, "another order on Base is being worked on");
        let second = give();
        tokio::time::sleep(Duration::from_secs(9)).await;
        assert!(!second.is_finished() && orders.try_recv().is_err(), "its turn goes on");
        let Order { done, _permit, .. } = worked_on;
        drop(_permit);
        done.send(Ok(Vec::new())).unwrap();
        assert!(first.await.unwrap().is_ok());
        orders.recv().await.unwrap().done.send(Ok(Vec::new())).unwrap();
        assert!(second.await.unwrap().is_ok());
    }
}
