//! A connection from open to close.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use tokio_tungstenite::tungstenite::{Bytes, Error, Message};

use super::connect::Stream;
use super::incoming::{self, Incoming};
use super::{Reply, SocketCommand, SocketState, lost};
use crate::live::transport::{NodeAnswer, TransportError};

const PING_EVERY: Duration = Duration::from_secs(20);
/// Silence after which a connection counts as dead.
const SILENT_MAX: Duration = Duration::from_secs(60);

struct PendingRequest {
    first_id: u64,
    last_id: u64,
    reply: Reply,
}

pub(super) enum SessionEnd {
    Unwanted,
    Lost(TransportError),
}

pub(super) struct Session<'a> {
    link: &'a SocketState,
    stream: Stream,
    waiting: Vec<PendingRequest>,
    last_heard: Instant,
    was_announced: bool,
    answer_count: u64,
}

impl<'a> Session<'a> {
    pub(super) fn new(link: &'a SocketState, stream: Stream) -> Self {
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

    /// Whether any useful message arrived.
    pub(super) const fn was_of_use(&self) -> bool {
        self.answer_count > 0 || self.was_announced
    }

    pub(super) async fn run(
        &mut self,
        first: Option<SocketCommand>,
        orders: &mut mpsc::Receiver<SocketCommand>,
        listens: &mut bool,
    ) -> SessionEnd {
        if let Some(subscription) = self.link.subscription
            && let Err(error) = self.send(Message::text(subscription)).await
        {
            self.adopt(first);
            return SessionEnd::Lost(error);
        }
        if let Some(order) = first
            && let Err(error) = self.order(order, listens).await
        {
            return SessionEnd::Lost(error);
        }
        let mut pings = interval(PING_EVERY);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        pings.reset();
        loop {
            let done = tokio::select! {
                order = orders.recv() => match order {
                    None => return SessionEnd::Unwanted,
                    Some(order) => self.order(order, listens).await,
                },
                message = self.stream.next() => match message {
                    None => Err(lost()),
                    Some(message) => self.heard(message),
                },
                _ = pings.tick() => self.ping().await,
            };
            if let Err(error) = done {
                return SessionEnd::Lost(error);
            }
        }
    }

    /// Keeps an unsent request, to report the failure.
    fn adopt(&mut self, order: Option<SocketCommand>) {
        if let Some(SocketCommand::Send { first_id, last_id, reply, .. }) = order {
            self.waiting.push(PendingRequest { first_id, last_id, reply });
        }
    }

    async fn order(
        &mut self,
        order: SocketCommand,
        listens: &mut bool,
    ) -> Result<(), TransportError> {
        match order {
            SocketCommand::Listen => {
                *listens = true;
                Ok(())
            }
            SocketCommand::Send { body, first_id, last_id, reply } => {
                self.waiting.retain(|waiting| !waiting.reply.is_closed());
                self.waiting.push(PendingRequest { first_id, last_id, reply });
                let text = String::from_utf8_lossy(&body).into_owned();
                self.send(Message::text(text)).await
            }
        }
    }

    /// Sends a message; fails if the node does not accept the message in time.
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

    /// Delivers an answer to the waiting request; an answer without an id goes to the only waiting request.
    fn answered(&mut self, id: Option<u64>, body: Vec<u8>) {
        self.waiting.retain(|waiting| !waiting.reply.is_closed());
        let place = match id {
            Some(id) => {
                let is_its = |one: &PendingRequest| (one.first_id..=one.last_id).contains(&id);
                self.waiting.iter().position(is_its)
            }
            None => (self.waiting.len() == 1).then_some(0),
        };
        if let Some(place) = place {
            let waiting = self.waiting.swap_remove(place);
            self.answer_count = self.answer_count.saturating_add(1);
            let _ = waiting.reply.send(Ok(NodeAnswer { body }));
        }
    }

    pub(super) fn fail_all(self, error: &TransportError) {
        for waiting in self.waiting {
            let _ = waiting.reply.send(Err(error.clone()));
        }
    }
}
