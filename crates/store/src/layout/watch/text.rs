//! Watch list text: `all`, `none`, or addresses, topics and words for topic groups.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use superroot_types::first_chars;

use super::{WatchFilter, topics};

/// Most addresses and topics in one configured list.
const ITEMS_MAX: usize = 10_000;

/// Text is not a watch item.
#[derive(Debug, thiserror::Error)]
#[error(
    "{got:?} is no address (0x, 40 digits), no topic (0x, 64) and none of the words \
     all, none, market, prices, launches, orders"
)]
pub struct ParseWatchError {
    /// First characters found, at most 80.
    pub got: String,
}

/// Parses one word, address or topic. `prices`, `launches`, `orders` and `market` select topics from `events.txt`.
impl FromStr for WatchFilter {
    type Err = ParseWatchError;

    fn from_str(text: &str) -> Result<Self, ParseWatchError> {
        let mut watch = Self::nothing();
        match (text, &mut watch) {
            ("all", _) => return Ok(Self::All),
            ("none", _) | (_, Self::All) => return Ok(watch),
            (text, Self::Some { addresses, topics }) => {
                match (text.parse(), text.parse(), topics::of(text)) {
                    (Ok(address), ..) => _ = addresses.insert(address),
                    (_, Ok(topic), _) => _ = topics.insert(topic),
                    (.., Some(many)) => *topics = many,
                    _ => return Err(ParseWatchError { got: first_chars(text, 80).to_owned() }),
                }
            }
        }
        Ok(watch)
    }
}

/// Summary for people.
impl fmt::Display for WatchFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("everything"),
            Self::Some { .. } if self.is_nothing() => f.write_str("headers only"),
            Self::Some { addresses, topics } => {
                write!(f, "{} addresses, {} topics", addresses.len(), topics.len())
            }
        }
    }
}

impl Serialize for WatchFilter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::All => serializer.serialize_str("all"),
            Self::Some { .. } if self.is_nothing() => serializer.serialize_str("none"),
            Self::Some { addresses, topics } => {
                let addresses = addresses.iter().map(ToString::to_string);
                serializer.collect_seq(addresses.chain(topics.iter().map(ToString::to_string)))
            }
        }
    }
}

impl<'de> Deserialize<'de> for WatchFilter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WatchWords;
        impl<'de> Visitor<'de> for WatchWords {
            type Value = WatchFilter;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`all`, `none`, or a list of addresses, topics and words")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<WatchFilter, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<WatchFilter, A::Error> {
                let mut watch = WatchFilter::nothing();
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
        deserializer.deserialize_any(WatchWords)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: &str = "0x00000000000000000000000000000000000000aa";
    const TOPIC: &str = "0x00000000000000000000000000000000000000000000000000000000000000bb";

    fn read(value: &str) -> Result<WatchFilter, serde_json::Error> {
        serde_json::from_str(value)
    }

    #[test]
    fn words_addresses_and_topics_are_told_apart() {
        assert_eq!(read("\"all\"").unwrap(), WatchFilter::All);
        assert!(read("\"none\"").unwrap().is_nothing());
        assert!(read("[]").unwrap().is_nothing());
        let both = read(&format!("[\"{TOPIC}\", \"{ADDRESS}\", \"{ADDRESS}\"]")).unwrap();
        let WatchFilter::Some { addresses, topics } = &both else { panic!("{both:?}") };
        assert_eq!((addresses.len(), topics.len()), (1, 1));
        assert!(addresses.contains(&ADDRESS.parse().unwrap()));
        assert!(topics.contains(&TOPIC.parse().unwrap()));
        assert_eq!(both.to_string(), "1 addresses, 1 topics");
        assert_eq!(read(&format!("[\"{ADDRESS}\", \"all\"]")).unwrap(), WatchFilter::All);
    }

    #[test]
    fn a_word_stands_for_its_topics() {
        let list = read(&format!("[\"orders\", \"{ADDRESS}\"]")).unwrap();
        let WatchFilter::Some { addresses, topics } = &list else { panic!("{list:?}") };
        let filled = "0x44b559f101f8fbcc8a0ea43fa91a05a729a5ea6e14a7c75aa750374690137208"; // Across
        assert!(addresses.len() == 1 && topics.contains(&filled.parse().unwrap()), "{topics:?}");
        let market: WatchFilter = "market".parse().unwrap();
        assert!(!market.without(&list).is_nothing());
        assert_eq!(read("\"orders\"").unwrap().without(&market), WatchFilter::nothing());
    }

    #[test]
    fn what_is_printed_is_read_back() {
        for value in
            ["\"all\"".to_owned(), "\"none\"".to_owned(), format!("[\"{ADDRESS}\", \"{TOPIC}\"]")]
        {
            let list = read(&value).unwrap();
            let printed = serde_json::to_string(&list).unwrap();
            assert_eq!(read(&printed).unwrap(), list, "{printed}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for value in ["\"some\"", "7", "[7]", "[\"0x12\"]", "\"\"", "[\"everything\"]"] {
            assert!(read(value).is_err(), "{value}");
        }
        for text in [format!("{}g", &ADDRESS[..41]), ADDRESS[2..].to_owned()] {
            let error = text.parse::<WatchFilter>().unwrap_err().to_string();
            assert!(error.contains(&text), "{error}");
        }
    }
}
