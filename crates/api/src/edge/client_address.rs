//! Client address for limits.

use std::net::{IpAddr, SocketAddr};

use axum::http::HeaderMap;
use ipnet::IpNet;

/// Returns the peer's address or, behind a trusted proxy, the right-most untrusted address in `X-Forwarded-For`.
/// Entries left from there are the client's own claim. An invalid entry ends the search: the proxy that passed it on is
/// counted.
pub(crate) fn client_address(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let is_trusted =
        |address: IpAddr| trusted.iter().any(|network| network.contains(&address.to_canonical()));
    let mut client = peer.to_canonical();
    if !is_trusted(client) {
        return client;
    }
    let lines: Vec<_> = headers.get_all("x-forwarded-for").iter().collect();
    for line in lines.into_iter().rev() {
        let Ok(line) = line.to_str() else { return client };
        for entry in line.rsplit(',') {
            let Some(address) = parse_entry(entry.trim()) else { return client };
            client = address.to_canonical();
            if !is_trusted(client) {
                return client;
            }
        }
    }
    client
}

/// Parses `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:80`.
fn parse_entry(entry: &str) -> Option<IpAddr> {
    let bare = entry.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(entry);
    let address = bare.parse().ok();
    address.or_else(|| entry.parse::<SocketAddr>().ok().map(|socket| socket.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(peer: &str, forwarded: &[&str], trusted: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append("x-forwarded-for", line.parse().unwrap());
        }
        let trusted: Vec<IpNet> = trusted.iter().map(|network| network.parse().unwrap()).collect();
        client_address(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn a_stranger_cannot_choose_his_address() {
        assert_eq!(counted("203.0.113.9", &["192.0.2.1"], &[]), "203.0.113.9");
        assert_eq!(counted("203.0.113.9", &["192.0.2.1"], &["10.0.0.0/8"]), "203.0.113.9");
    }

    #[test]
    fn the_right_most_untrusted_address_is_the_client() {
        let trusted = ["10.0.0.0/8"];
        assert_eq!(counted("10.0.0.1", &["192.0.2.1"], &trusted), "192.0.2.1");
        assert_eq!(counted("10.0.0.1", &["1.1.1.1, 192.0.2.1, 10.2.3.4"], &trusted), "192.0.2.1");
        assert_eq!(counted("10.0.0.1", &["1.1.1.1", "192.0.2.1,10.9.9.9"], &trusted), "192.0.2.1");
        assert_eq!(counted("10.0.0.1", &["10.7.7.7"], &trusted), "10.7.7.7");
        assert_eq!(counted("10.0.0.1", &[], &trusted), "10.0.0.1");
        assert_eq!(counted("::ffff:10.0.0.1", &["192.0.2.1"], &trusted), "192.0.2.1");
    }

    #[test]
    fn all_usual_spellings_are_read() {
        let trusted = ["::1/128"];
        for (entry, expected) in [
            ("192.0.2.1:443", "192.0.2.1"),
            ("2001:db8::1", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("[2001:db8::1]:443", "2001:db8::1"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
        ] {
            assert_eq!(counted("::1", &[entry], &trusted), expected);
        }
    }

    #[test]
    fn garbage_counts_for_the_proxy_that_passed_it_on() {
        let trusted = ["10.0.0.0/8"];
        for garbage in ["unknown", "", "192.0.2.1.5", "_hidden, ", "999.1.1.1"] {
            assert_eq!(counted("10.0.0.1", &[garbage], &trusted), "10.0.0.1");
        }
        assert_eq!(counted("10.0.0.1", &["192.0.2.1, x, 10.3.3.3"], &trusted), "10.3.3.3");
    }
}
