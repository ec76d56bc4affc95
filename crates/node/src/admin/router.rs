//! Admin socket routes. Each takes JSON and answers with events, one JSON object per line. An immediate refusal is a
//! status and `{"error": ..}`.

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
use superroot_billing::{BillingError, BillingLedger};
use superroot_chain::ChainSpec;
use superroot_store::Store;
use superroot_types::{BlockNumber, ChainKey, ErrorKind};
use tokio::sync::{Semaphore, mpsc, oneshot};

use super::journal::StartedAction;
use super::{
    ActionJournal, ActionOutcome, BackupRequest, ChainCommand, CommandRequest, LoopCommand,
    ProgressEvent, SocketPeer, WHY_CHARS_MAX, accounts, job,
};
use crate::backup::Original;
use crate::chains;

const BODY_BYTES_MAX: usize = 64 << 10;
/// Most queued events for a slow reader. Progress beyond is dropped; final events are not.
const EVENTS_MAX: usize = 256;

/// Longest wait for the end of the previous, perhaps abandoned, command. A turn is shorter.
const ORDER_WAIT: Duration = Duration::from_secs(10);

pub(crate) struct OrderSender {
    row: ChainSpec,
    orders: mpsc::Sender<LoopCommand>,
    busy: Arc<Semaphore>,
}

#[derive(Clone)]
pub(crate) struct Admin(Arc<RouterState>);

struct RouterState {
    store: Arc<dyn Store>,
    billing: Arc<BillingLedger>,
    senders: HashMap<ChainKey, OrderSender>,
    journal: ActionJournal,
    original: Original,
}

impl OrderSender {
    pub(crate) fn new(row: ChainSpec) -> (Self, mpsc::Receiver<LoopCommand>) {
        let (orders, taken) = mpsc::channel(1);
        (Self { row, orders, busy: Arc::new(Semaphore::new(1)) }, taken)
    }
}

impl Admin {
    pub(crate) fn new(
        billing: Arc<BillingLedger>,
        senders: Vec<OrderSender>,
        journal: ActionJournal,
        original: Original,
    ) -> Self {
        let senders = senders.into_iter().map(|sender| (sender.row.key(), sender)).collect();
        let store = original.chains.clone();
        Self(Arc::new(RouterState { store, billing, senders, journal, original }))
    }
}

struct CommandRefusal(StatusCode, String);

impl IntoResponse for CommandRefusal {
    fn into_response(self) -> Response {
        let Self(status, error) = self;
        (status, Json(serde_json::json!({ "error": error }))).into_response()
    }
}

fn bad(error: impl Into<String>) -> CommandRefusal {
    CommandRefusal(StatusCode::BAD_REQUEST, error.into())
}

pub(super) fn router(admin: Admin) -> Router {
    Router::new()
        .route("/v1/backfill", post(backfill))
        .route("/v1/repair", post(repair))
        .route("/v1/resume", post(resume))
        .route("/v1/accounts", post(on_accounts))
        .route("/v1/backup", post(backup))
        .fallback(async || {
            CommandRefusal(StatusCode::NOT_FOUND, "no route has this path".to_owned())
        })
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .with_state(admin)
}

type Answer = Result<Response, CommandRefusal>;

async fn backfill(State(admin): State<Admin>, who: ConnectInfo<SocketPeer>, body: Bytes) -> Answer {
    let asked = read(&body)?;
    let to = asked.to.ok_or_else(|| bad("to is missing, expected the oldest block wanted"))?;
    if asked.from.is_some() {
        return Err(bad("a backfill has no from"));
    }
    let act = ChainCommand::Backfill { to: BlockNumber(to) };
    let chains = vec![admin.followed(chain_of(&asked)?)?];
    admin.begin(who.0, act, asked, chains)
}

async fn repair(State(admin): State<Admin>, who: ConnectInfo<SocketPeer>, body: Bytes) -> Answer {
    let asked = read(&body)?;
    let chains = match &asked.chain {
        Some(_) => vec![admin.followed(chain_of(&asked)?)?],
        None if asked.from.or(asked.to).is_some() => {
            return Err(bad("from and to are of one chain, and none is named"));
        }
        None => admin.all_followed(),
    };
    let act =
        ChainCommand::Repair { from: asked.from.map(BlockNumber), to: asked.to.map(BlockNumber) };
    admin.begin(who.0, act, asked, chains)
}

async fn resume(State(admin): State<Admin>, who: ConnectInfo<SocketPeer>, body: Bytes) -> Answer {
    let asked = read(&body)?;
    if asked.from.or(asked.to).is_some() {
        return Err(bad("a chain is resumed as a whole, without from and to"));
    }
    let row = chain_of(&asked)?;
    admin.begin(who.0, ChainCommand::Resume, asked, vec![row.key()])
}

/// Account command, answered with one JSON value, never cached.
async fn on_accounts(
    State(admin): State<Admin>,
    who: ConnectInfo<SocketPeer>,
    body: Bytes,
) -> Answer {
    let asked: accounts::AccountRequest =
        serde_json::from_slice(&body).map_err(|error| bad(format!("the body: {error}")))?;
    let done = tokio::task::spawn_blocking(move || {
        let RouterState { billing, journal, .. } = &*admin.0;
        accounts::perform_noted(billing, journal, &asked, &who.0)
    });
    match done.await {
        Ok(Ok(answer)) => {
            let headers = [(header::CACHE_CONTROL, "no-store")];
            Ok((headers, Json(answer)).into_response())
        }
        Ok(Err(error)) => Err(CommandRefusal(status_of(&error), format!("{error:#}"))),
        Err(_) => {
            let error = "the act panicked; the service's log says more";
            Err(CommandRefusal(StatusCode::INTERNAL_SERVER_ERROR, error.to_owned()))
        }
    }
}

async fn backup(State(admin): State<Admin>, who: ConnectInfo<SocketPeer>, body: Bytes) -> Answer {
    let asked: BackupRequest =
        serde_json::from_slice(&body).map_err(|error| bad(format!("the body: {error}")))?;
    check_why(asked.why.as_deref())?;
    let begun = admin.note("backup", &asked, &who.0)?;
    let (events, told) = mpsc::channel(EVENTS_MAX);
    tokio::task::spawn_blocking(move || {
        let RouterState { original, journal, .. } = &*admin.0;
        super::backup::run(original, (journal, &begun), &asked, &events);
    });
    Ok(lines(told))
}

fn lines(told: mpsc::Receiver<ProgressEvent>) -> Response {
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

/// Status for a failed command: client or server fault.
fn status_of(error: &anyhow::Error) -> StatusCode {
    match kind_of(error) {
        None | Some(ErrorKind::Invalid) => StatusCode::BAD_REQUEST,
        Some(ErrorKind::Unavailable) => StatusCode::SERVICE_UNAVAILABLE,
        Some(ErrorKind::Corrupt | ErrorKind::Bug) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

fn read(body: &[u8]) -> Result<CommandRequest, CommandRefusal> {
    let asked: CommandRequest =
        serde_json::from_slice(body).map_err(|error| bad(format!("the body: {error}")))?;
    check_why(asked.why.as_deref())?;
    Ok(asked)
}

fn check_why(why: Option<&str>) -> Result<(), CommandRefusal> {
    match why {
        Some(why) if why.chars().count() > WHY_CHARS_MAX => {
            Err(bad(format!("why is longer than {WHY_CHARS_MAX} characters")))
        }
        _ => Ok(()),
    }
}

fn chain_of(asked: &CommandRequest) -> Result<&'static ChainSpec, CommandRefusal> {
    let name = asked.chain.as_deref().ok_or_else(|| bad("chain is missing"))?;
    chains::find(name).map_err(|error| bad(format!("{error:#}")))
}

impl Admin {
    fn followed(&self, row: &ChainSpec) -> Result<ChainKey, CommandRefusal> {
        let key = row.key();
        if let Some(from) = row.withdrawn_from() {
            let error = format!(
                "{} is withdrawn from block {from} on: nothing of it is taken any more",
                row.name
            );
            return Err(CommandRefusal(StatusCode::CONFLICT, error));
        }
        let known = self.0.senders.contains_key(&key).then_some(key);
        known.ok_or_else(|| {
            let error = format!("the running service does not follow {}", row.name);
            CommandRefusal(StatusCode::CONFLICT, error)
        })
    }

    /// In registry order.
    fn all_followed(&self) -> Vec<ChainKey> {
        let rows = chains::known().rows().iter().map(ChainSpec::key);
        rows.filter(|key| self.0.senders.contains_key(key)).collect()
    }

    fn note(
        &self,
        act: &str,
        asked: &impl Serialize,
        who: &SocketPeer,
    ) -> Result<StartedAction, CommandRefusal> {
        self.0.journal.begin(act, asked, who).map_err(|error| {
            tracing::error!("{error:#}");
            CommandRefusal(StatusCode::INTERNAL_SERVER_ERROR, format!("{error:#}"))
        })
    }

    /// Journals and starts an action. The answer streams progress.
    fn begin(
        &self,
        who: SocketPeer,
        act: ChainCommand,
        asked: CommandRequest,
        chains: Vec<ChainKey>,
    ) -> Answer {
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
                Ok(()) if events.is_closed() => (ActionOutcome::Stopped, None, ProgressEvent::End),
                Ok(()) => (ActionOutcome::Done, None, ProgressEvent::End),
                Err(why) => {
                    (ActionOutcome::Failed, Some(why.clone()), ProgressEvent::Failed { why })
                }
            };
            admin.0.journal.end(&begun, outcome, detail.as_deref());
            let _ = events.send(last).await;
        });
        Ok(lines(told))
    }

    /// Action on one chain, in the chain's loop if any.
    async fn work(
        &self,
        chain: ChainKey,
        act: ChainCommand,
        events: &mpsc::Sender<ProgressEvent>,
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
    async fn resume_unfollowed(&self, chain: ChainKey) -> Result<Vec<ProgressEvent>, String> {
        let row = chains::known().by_key(chain).map(|(_, row)| row.clone());
        let row = row.ok_or_else(|| format!("no row of the registry has {chain}"))?;
        let store = self.0.store.clone();
        let done = tokio::task::spawn_blocking(move || job::resume(&*store, &row)).await;
        let done = done.map_err(|error| error.to_string())?;
        done.map_err(|error| format!("cannot clear the halt: {error}"))
    }
}

impl OrderSender {
    async fn order(
        &self,
        act: ChainCommand,
        events: &mpsc::Sender<ProgressEvent>,
    ) -> Result<Vec<ProgressEvent>, String> {
        let name = &self.row.name;
        let permit = tokio::time::timeout(ORDER_WAIT, Arc::clone(&self.busy).acquire_owned()).await;
        let permit = permit.ok().and_then(Result::ok);
        let permit = permit.ok_or_else(|| format!("another order on {name} is being worked on"))?;
        let stopping = || "the service is stopping; what was taken stays".to_owned();
        let (done, ended) = oneshot::channel();
        let order = LoopCommand { act, events: events.clone(), done, _permit: permit };
        self.orders.send(order).await.map_err(|_| stopping())?;
        ended.await.map_err(|_| stopping())?
    }
}

#[cfg(test)]
mod tests {
    use superroot_chain::ChainRegistry;

    use super::*;

    /// An order waits for the turn of one whose giver has gone; one that goes on is not interrupted.
    #[tokio::test(start_paused = true)]
    async fn an_order_waits_for_the_end_of_one_before_and_not_for_ever() {
        let row = ChainRegistry::builtin().find("base").unwrap().clone();
        let (sender, mut orders) = OrderSender::new(row);
        let sender = Arc::new(sender);
        let give = || {
            let (sender, events) = (Arc::clone(&sender), mpsc::channel(1).0);
            tokio::spawn(async move { sender.order(ChainCommand::Resume, &events).await })
        };
        let first = give();
        let worked_on = orders.recv().await.unwrap();
        let refused = give().await.unwrap().unwrap_err();
        assert_eq!(refused, "another order on Base is being worked on");
        let second = give();
        tokio::time::sleep(Duration::from_secs(9)).await;
        assert!(!second.is_finished() && orders.try_recv().is_err(), "its turn goes on");
        let LoopCommand { done, _permit, .. } = worked_on;
        drop(_permit);
        done.send(Ok(Vec::new())).unwrap();
        assert!(first.await.unwrap().is_ok());
        orders.recv().await.unwrap().done.send(Ok(Vec::new())).unwrap();
        assert!(second.await.unwrap().is_ok());
    }
}
