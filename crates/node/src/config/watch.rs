//! What of a chain is kept beyond its headers.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use superroot_store::layout;
use superroot_types::{Address, Hash, first_chars};

/// Most addresses and topics of one list.
const ITEMS_MAX: usize = 10_000;

/// Blocks are always held to their headers; transactions and events of a block are kept when a
/// receipt of it names what is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Watch {
    /// Every transaction and every event.
    All,
    /// Those that one of these addresses emitted, or that carry one of these topics. None at all
    /// where both are empty: headers only.
    Some { addresses: Vec<[u8; 20]>, topics: Vec<Hash> },
}

/// Why a text names nothing to watch.
#[derive(Debug, thiserror::Error)]
#[error("{got:?} is neither `all` nor `none` nor an address (0x, 40 digits) nor a topic (0x, 64)")]
pub(crate) struct WatchError {
    got: String,
}

impl Watch {
    /// Nothing but headers.
    pub(crate) const fn none() -> Self {
        Self::Some { addresses: Vec::new(), topics: Vec::new() }
    }

    /// Whether headers are all that is kept.
    pub(crate) const fn is_none(&self) -> bool {
        matches!(self, Self::Some { addresses, topics } if addresses.is_empty() && topics.is_empty())
    }

    /// As collectors take it.
    pub(crate) fn into_list(self) -> layout::Watch {
        match self {
            Self::All => layout::Watch::All,
            Self::Some { addresses, topics } => layout::Watch::Some {
                addresses: addresses.into_iter().map(Address).collect(),
                topics: topics.into_iter().collect(),
            },
        }
    }

    /// Both together.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (
                Self::Some { mut addresses, mut topics },
                Self::Some { addresses: more_addresses, topics: more_topics },
            ) => {
                addresses.extend(more_addresses);
                topics.extend(more_topics);
                addresses.sort_unstable();
                addresses.dedup();
                topics.sort_unstable();
                topics.dedup();
                Self::Some { addresses, topics }
            }
            _ => Self::All,
        }
    }

    fn items(&self) -> impl Iterator<Item = String> {
        let (addresses, topics) = match self {
            Self::All => (&[][..], &[][..]),
            Self::Some { addresses, topics } => (&addresses[..], &topics[..]),
        };
        let addresses = addresses.iter().map(const_hex::encode_prefixed);
        addresses.chain(topics.iter().map(ToString::to_string))
    }
}

/// One word, one address or one topic.
impl FromStr for Watch {
    type Err = WatchError;

    fn from_str(text: &str) -> Result<Self, WatchError> {
        match text {
            "all" => return Ok(Self::All),
            "none" => return Ok(Self::none()),
            _ => {}
        }
        let wrong = || WatchError { got: first_chars(text, 80).to_owned() };
        if !text.starts_with("0x") {
            return Err(wrong());
        }
        let (mut addresses, mut topics) = (Vec::new(), Vec::new());
        match text.len() {
            42 => addresses.push(const_hex::decode_to_array(text).map_err(|_| wrong())?),
            66 => topics.push(Hash(const_hex::decode_to_array(text).map_err(|_| wrong())?)),
            _ => return Err(wrong()),
        }
        Ok(Self::Some { addresses, topics })
    }
}

/// In a few words, for people.
impl fmt::Display for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("everything"),
            Self::Some { .. } if self.is_none() => f.write_str("headers only"),
            Self::Some { addresses, topics } => {
                write!(f, "{} addresses, {} topics", addresses.len(), topics.len())
            }
        }
    }
}

impl Serialize for Watch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::All => serializer.serialize_str("all"),
            Self::Some { .. } if self.is_none() => serializer.serialize_str("none"),
            Self::Some { .. } => serializer.collect_seq(self.items()),
        }
    }
}

impl<'de> Deserialize<'de> for Watch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Words;
        impl<'de> Visitor<'de> for Words {
            type Value = Watch;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`all`, `none`, or a list of addresses and topics")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Watch, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Watch, A::Error> {
                let mut watch = Watch::none();
                let mut count = 0;
                while let Some(text) = seq.next_element::<String>()? {
                    count += 1;
                    if count > ITEMS_MAX {
                        return Err(de::Error::custom(format!("more than {ITEMS_MAX} items")));
                    }
                    watch = watch.and(text.parse().map_err(de::Error::custom)?);
                }
                Ok(watch)
            }
        }
        deserializer.deserialize_any(Words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: &str = "0x00000000000000000000000000000000000000aa";
    const TOPIC: &str = "0x00000000000000000000000000000000000000000000000000000000000000bb";

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Section {
        watch: Watch,
    }

    fn section(value: &str) -> Result<Section, toml::de::Error> {
        toml::from_str(&format!("watch = {value}"))
    }

    #[test]
    fn words_addresses_and_topics_are_told_apart() {
        assert_eq!(section("\"all\"").unwrap().watch, Watch::All);
        assert!(section("\"none\"").unwrap().watch.is_none());
        assert!(section("[]").unwrap().watch.is_none());
        let both = section(&format!("[\"{TOPIC}\", \"{ADDRESS}\", \"{ADDRESS}\"]")).unwrap().watch;
        let Watch::Some { addresses, topics } = &both else { panic!("{both:?}") };
        assert_eq!((addresses.len(), topics.len()), (1, 1));
        assert_eq!((addresses[0][19], topics[0].0[31]), (0xaa, 0xbb));
        assert_eq!(both.to_string(), "1 addresses, 1 topics");
        assert_eq!(section(&format!("[\"{ADDRESS}\", \"all\"]")).unwrap().watch, Watch::All);
    }

    #[test]
    fn what_is_printed_is_read_back() {
        for value in
            ["\"all\"".to_owned(), "\"none\"".to_owned(), format!("[\"{ADDRESS}\", \"{TOPIC}\"]")]
        {
            let read = section(&value).unwrap();
            let printed = toml::to_string(&read).unwrap();
            assert_eq!(toml::from_str::<Section>(&printed).unwrap(), read, "{printed}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for value in ["\"some\"", "7", "[7]", "[\"0x12\"]", "\"\"", "[\"everything\"]"] {
            assert!(section(value).is_err(), "{value}");
        }
        let not_hex = format!("\"{}g\"", &ADDRESS[..41]);
        assert!(section(&not_hex).is_err());
        assert!(section(&format!("\"{}\"", &ADDRESS[2..])).is_err());
    }
}
