//! Matches messages with requests without a full parse.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::live::json_list::list_of;

/// Most entries in a list answer.
const ENTRIES_MAX: usize = 2_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Incoming {
    /// Unsolicited message: an announcement.
    Announcement,
    /// Answer to the call with this id, or to the batch around the call.
    Answer(u64),
    /// Answer to a call with an id unreadable for the node.
    Nameless,
    /// Anything else.
    Foreign,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(default, borrow)]
    id: Option<&'a RawValue>,
    #[serde(default, borrow)]
    method: Option<&'a RawValue>,
}

impl Envelope<'_> {
    fn id(&self) -> Option<u64> {
        self.id.and_then(|id| id.get().parse().ok())
    }
}

pub(super) fn read(message: &[u8]) -> Incoming {
    match message.trim_ascii_start().first() {
        Some(b'{') => match serde_json::from_slice::<Envelope<'_>>(message) {
            Ok(envelope) => match (envelope.id(), envelope.id, envelope.method) {
                (Some(id), _, _) => Incoming::Answer(id),
                (None, _, Some(_)) => Incoming::Announcement,
                (None, None, None) => Incoming::Nameless,
                (None, Some(id), None) if id.get() == "null" => Incoming::Nameless,
                _ => Incoming::Foreign,
            },
            Err(_) => Incoming::Foreign,
        },
        Some(b'[') => {
            let text = std::str::from_utf8(message).unwrap_or_default();
            let entries = list_of(text, ENTRIES_MAX).unwrap_or_default();
            let id_of = |entry: &&RawValue| {
                let text = entry.get();
                let envelope = text.starts_with('{').then(|| serde_json::from_str(text).ok());
                envelope.flatten().and_then(|envelope: Envelope<'_>| envelope.id())
            };
            entries.iter().find_map(id_of).map_or(Incoming::Foreign, Incoming::Answer)
        }
        _ => Incoming::Foreign,
    }
}

/// Lowest and highest id in a request; `None` without ids.
pub(super) fn ids_of(request: &[u8]) -> Option<(u64, u64)> {
    #[derive(Deserialize)]
    struct Notification {
        id: u64,
    }
    if request.trim_ascii_start().first() == Some(&b'{') {
        let Notification { id } = serde_json::from_slice(request).ok()?;
        return Some((id, id));
    }
    let calls: Vec<Notification> = serde_json::from_slice(request).ok()?;
    let ids = || calls.iter().map(|call| call.id);
    Some((ids().min()?, ids().max()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_told_by_its_envelope() {
        for (message, expected) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":{"id":8}}"#, Incoming::Answer(7)),
            (r#" [ {"id":null}, {"id":9}, {"id":10}]"#, Incoming::Answer(9)),
            (r#"{"method":"eth_subscription","params":{}}"#, Incoming::Announcement),
            (r#"{"id":null,"error":{"code":-32700}}"#, Incoming::Nameless),
            (r#"{"error":{"code":-32700}}"#, Incoming::Nameless),
            (r#"{"id":"7"}"#, Incoming::Foreign),
            (r#"{"id":-1}"#, Incoming::Foreign),
            (r#"[["2.0",1]]"#, Incoming::Foreign),
            ("[]", Incoming::Foreign),
            ("hello", Incoming::Foreign),
            ("", Incoming::Foreign),
            ("{", Incoming::Foreign),
        ] {
            assert_eq!(read(message.as_bytes()), expected, "{message}");
        }
        assert_eq!(read("[".repeat(1_000_000).as_bytes()), Incoming::Foreign);
    }

    #[test]
    fn ids_of_a_request_are_its_lowest_and_highest() {
        assert_eq!(ids_of(br#"{"id":3,"method":"a"}"#), Some((3, 3)));
        assert_eq!(ids_of(br#"[{"id":5},{"id":4},{"id":6}]"#), Some((4, 6)));
        for none in ["[]", "{}", "", r#"[{"id":"a"}]"#] {
            assert_eq!(ids_of(none.as_bytes()), None, "{none}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_some_message(bytes: Vec<u8>, text in r#"[\[\]{}:,"a-z0-9]{0,40}"#) {
            read(&bytes);
            read(text.as_bytes());
        }
    }
}
