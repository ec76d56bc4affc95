//! Event as it is sent: rendered once, for every listener.

use std::ops::Range;

use bytes::Bytes;
use serde::Serialize;
use superroot_types::{BlockNumber, ChainKey, UnixSeconds};
use superroot_wire::{Anchor, Case, case};

use crate::cursor::LogCursor;
use crate::subscription::EventKind;

#[derive(Clone, Debug)]
pub struct PreparedEvent {
    pub cursor: LogCursor,
    /// Log time.
    pub at: UnixSeconds,
    /// Chain; `None` for an event about all chains.
    pub chain: Option<ChainKey>,
    pub(crate) kind: EventKind,
    pub(crate) blocks: Option<(BlockNumber, BlockNumber)>,
    /// SuperRoot that anchors the blocks.
    pub(crate) sequence: Option<u64>,
    frame: Bytes,
    data: Range<usize>,
}

impl PreparedEvent {
    /// Creates an event; `data` is an object, extended by the anchor.
    pub(crate) fn new(
        (cursor, at): (LogCursor, UnixSeconds),
        (chain, kind): (Option<ChainKey>, EventKind),
        data: &impl Serialize,
        anchor: Option<&Anchor>,
    ) -> Self {
        let mut body = case::write(data, Case::Camel);
        superroot_wire::anchor::attach(&mut body, anchor, Case::Camel);
        let name = kind.name();
        let text = body.to_string();
        let head = format!("id: {cursor}\nevent: {name}\ndata: ");
        let data = head.len()..head.len() + text.len();
        let frame = [head.as_str(), text.as_str(), "\n\n"].concat().into();
        Self { cursor, at, chain, kind, blocks: None, sequence: None, frame, data }
    }

    /// Launch value in whole US dollars; `None` for other events.
    #[must_use]
    pub const fn launch_usd(&self) -> Option<u64> {
        match &self.kind {
            EventKind::Launch { usd, .. } => Some(*usd),
            _ => None,
        }
    }

    /// Event name: a topic, `token_launch`, `updated`, `undone` or `gap`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.kind.name()
    }

    /// Server-sent event: `id`, `event`, `data`, an empty line.
    #[must_use]
    pub fn frame(&self) -> Bytes {
        self.frame.clone()
    }

    /// Event data: a JSON object in camelCase.
    #[must_use]
    pub fn data(&self) -> Bytes {
        self.frame.slice(self.data.clone())
    }

    pub(crate) const fn size(&self) -> usize {
        self.frame.len() + 256
    }
}

pub(super) fn size_of(items: &[PreparedEvent]) -> usize {
    items.iter().map(PreparedEvent::size).sum()
}
