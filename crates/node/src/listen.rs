//! Listen addresses as people write them.

use core::fmt;
use core::str::FromStr;
use std::net::{Ipv4Addr, SocketAddr, ToSocketAddrs};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Listen address and port: `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`, or `:8080` for all addresses on this
/// machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListenAddress(pub(crate) SocketAddr);

impl FromStr for ListenAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "{text:?} is not an address to listen on: expected one such as 127.0.0.1:8080, [::1]:8080, \
                 localhost:8080, or :8080 for all addresses of this machine"
            )
        };
        if let Ok(address) = text.parse() {
            return Ok(Self(address));
        }
        let (host, port) = text.rsplit_once(':').ok_or_else(wrong)?;
        let is_port = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
        let port: u16 = port.parse().ok().filter(|_| is_port).ok_or_else(wrong)?;
        if host.is_empty() {
            return Ok(Self((Ipv4Addr::UNSPECIFIED, port).into()));
        }
        let is_name = |letter: u8| letter.is_ascii_alphanumeric() || b".-_".contains(&letter);
        if !host.bytes().all(is_name) {
            return Err(wrong());
        }
        let found = (host, port).to_socket_addrs();
        let found = found.map_err(|error| format!("cannot look up {host:?}: {error}"))?;
        let found: Vec<_> = found.collect();
        // the same address each time, in whichever order they come
        let first = found.iter().find(|address| address.is_ipv4()).or(found.first());
        first.copied().map(Self).ok_or_else(|| format!("{host:?} leads to no address"))
    }
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for ListenAddress {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ListenAddress {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// Optional address; empty text for none.
pub(crate) mod optional {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        address: &Option<ListenAddress>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match address {
            Some(address) => address.serialize(serializer),
            None => serializer.serialize_str(""),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<ListenAddress>, D::Error> {
        let text = String::deserialize(deserializer)?;
        let address = (!text.is_empty()).then(|| text.parse()).transpose();
        address.map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_as_people_write_it() {
        let read = |text: &str| text.parse::<ListenAddress>().map(|address| address.to_string());
        for (text, expected) in [
            ("127.0.0.1:8080", "127.0.0.1:8080"),
            ("[::1]:8080", "[::1]:8080"),
            (":8080", "0.0.0.0:8080"),
            (":0", "0.0.0.0:0"),
            ("localhost:8080", "127.0.0.1:8080"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(expected), "{text}");
        }
        for text in [
            "",
            ":",
            "8080",
            "localhost",
            "localhost:",
            ":http",
            ":65536",
            ":+1",
            "a b:1",
            "::1:80",
            "[x]:1",
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains("expected one such as 127.0.0.1:8080"), "{text}: {error}");
        }
    }
}
