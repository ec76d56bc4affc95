//! One connection, from its making to its end.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use tokio_tungstenite::tungstenite::{Bytes, Error, Message};

use super::connect::Stream;
use super::incoming::{self, Incoming};
use super::{Link, Order, Reply, lost};
use crate::live::transport::{Answer, TransportError};

/// Time between pings.
const PING_EVERY: Duration = Duration::from_secs(20);
/// A connection on which nothing came for so long is dead.
const SILENT_MAX: Duration = Duration::from_secs(60);

/// A request that waits for its answer.
struct Waiting {
    first_id: u64,
    last_id: u64,
    reply: Reply,
}

/// Why a connection is over.
pub(super) enum Ended {
    /// Nobody can ask for anything any more.
    Unwanted,
    /// It broke.
    Lost(TransportError),
}

/// A connection and the requests on it.
pub(super) struct Session<'a> {
    link: &'a Link,
    stream: Stream,
    waiting: Vec<Waiting>,
    last_heard: Instant,
    was_announced: bool,
    answer_count: u64,
}

impl<'a> Session<'a> {
    pub(super) fn new(link: &'a Link, stream: Stream) -> Self {
        let last_heard = Instant::now();
        Self {
            link,
            stream,
            waiting: Vec::new(),
            last_heard,
            was_announced: false,
            answer_count: 0,
        }
    }

    /// Whether anything of use came.
    pub(super) const fn was_of_use(&self) -> bool {
        self.answer_count > 0 || self.was_announced
    }

    pub(super) async fn run(
        &mut self,
        first: Option<Order>,
        orders: &mut mpsc::Receiver<Order>,
        listens: &mut bool,
    ) -> Ended {
        if let Some(subscription) = self.link.subscription
            && let Err(error) = self.send(Message::text(subscription)).await
        {
            self.adopt(first);
            return Ended::Lost(error);
        }
        if let Some(order) = first
            && let Err(error) = self.order(order, listens).await
        {
            return Ended::Lost(error);
        }
        let mut pings = interval(PING_EVERY);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        pings.reset();
        loop {
            let done = tokio::select! {
                order = orders.recv() => match order {
                    None => return Ended::Unwanted,
                    Some(order) => self.order(order, listens).await,
                },
                message = self.stream.next() => match message {
                    None => Err(lost()),
                    Some(message) => self.heard(message),
                },
                _ = pings.tick() => self.ping().await,
            };
            if let Err(error) = done {
                return Ended::Lost(error);
            }
        }
    }

    /// Keeps a request that could not be sent, so that it is told so.
    fn adopt(&mut self, order: Option<Order>) {
        if let Some(Order::Send { first_id, last_id, reply, .. }) = order {
            self.waiting.push(Waiting { first_id, last_id, reply });
        }
    }

    async fn order(&mut self, order: Order, listens: &mut bool) -> Result<(), TransportError> {
        match order {
            Order::Listen => {
                *listens = true;
                Ok(())
            }
            Order::Send { body, first_id, last_id, reply } => {
                self.waiting.retain(|waiting| !waiting.reply.is_closed());
                self.waiting.push(Waiting { first_id, last_id, reply });
                let text = String::from_utf8_lossy(&body).into_owned();
                self.send(Message::text(text)).await
            }
        }
    }

    /// Sends a message, to a node that takes it in time.
    async fn send(&mut self, message: Message) -> Result<(), TransportError> {
        match timeout(self.link.send_timeout, self.stream.send(message)).await {
            Ok(sent) => sent.map_err(|error| self.link.connector.failed(error)),
            Err(_) => Err(TransportError::Unreachable { why: "the node takes no more".into() }),
        }
    }

    async fn ping(&mut self) -> Result<(), TransportError> {
        if self.last_heard.elapsed() > SILENT_MAX {
            return Err(TransportError::Unreachable { why: "the connection is silent".into() });
        }
        self.send(Message::Ping(Bytes::new())).await
    }

    fn heard(&mut self, message: Result<Message, Error>) -> Result<(), TransportError> {
        let message = message.map_err(|error| self.link.connector.failed(error))?;
        self.last_heard = Instant::now();
        let body = match message {
            Message::Text(text) => text.as_bytes().to_vec(),
            Message::Binary(bytes) => bytes.to_vec(),
            Message::Close(_) => return Err(lost()),
            Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => return Ok(()),
        };
        match incoming::read(&body) {
            Incoming::Announcement => self.announced(),
            Incoming::Answer(id) => self.answered(Some(id), body),
            Incoming::Nameless => self.answered(None, body),
            Incoming::Foreign => self.answered(None, body),
        }
        Ok(())
    }

    fn announced(&mut self) {
        self.was_announced = true;
        self.link.heads.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Hands an answer to whoever waits for it; one without a name to the only one who waits.
    fn answered(&mut self, id: Option<u64>, body: Vec<u8>) {
        self.waiting.retain(|waiting| !waiting.reply.is_closed());
        let place = match id {
            Some(id) => {
                let is_its = |one: &Waiting| (one.first_id..=one.last_id).contains(&id);
                self.waiting.iter().position(is_its)
            }
            None => (self.waiting.len() == 1).then_some(0),
        };
        if let Some(place) = place {
            let waiting = self.waiting.swap_remove(place);
            self.answer_count = self.answer_count.saturating_add(1);
            let _ = waiting.reply.send(Ok(Answer { body }));
        }
    }

    /// Tells everybody who waits that no answer comes.
    pub(super) fn fail_all(self, error: &TransportError) {
        for waiting in self.waiting {
            let _ = waiting.reply.send(Err(error.clone()));
        }
    }
}
