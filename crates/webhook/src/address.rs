//! Address checks: nothing is sent into the operator's network.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use futures_util::future::BoxFuture;
use ipnet::{Ipv4Net, Ipv6Net};
use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;

use crate::{WebhookConfig, WebhookError};

/// Longest webhook address, in bytes.
const URL_BYTES_MAX: usize = 2_048;

/// IPv4 networks outside the public internet (IANA special-purpose registry).
const CLOSED_V4: [(Ipv4Addr, u8); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];
/// The only public IPv6 network, followed by its exceptions.
const OPEN_V6: (Ipv6Addr, u8) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);
const CLOSED_V6: [(Ipv6Addr, u8); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    // 6to4: an address of IPv4 inside
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// Whether an address belongs to the public internet.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            let mut closed =
                CLOSED_V4.into_iter().filter_map(|(net, bits)| Ipv4Net::new(net, bits).ok());
            !closed.any(|net| net.contains(&address))
        }
        IpAddr::V6(address) => {
            let within =
                |(net, bits)| Ipv6Net::new(net, bits).is_ok_and(|net| net.contains(&address));
            within(OPEN_V6) && !CLOSED_V6.into_iter().any(within)
        }
    }
}

/// Checks a webhook address without resolving its name.
pub(crate) fn check(text: &str, config: &WebhookConfig) -> Result<Url, WebhookError> {
    let refused = |why: &str| Err(WebhookError::Address { why: why.to_owned() });
    if text.len() > URL_BYTES_MAX {
        return refused("the address is longer than 2,048 bytes");
    }
    let Ok(url) = Url::parse(text) else {
        return refused("that is no address, such as https://example.com/hook");
    };
    match url.scheme() {
        "https" => {}
        "http" if config.allow_private => {}
        _ => return refused("the address must begin with https://"),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refused("the address must not have a user or a password in it");
    }
    let Some(host) = url.host_str() else { return refused("the address names no host") };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = host.parse::<IpAddr>()
        && !config.allow_private
        && !is_public(address)
    {
        return refused("the address is not of the public internet");
    }
    Ok(url)
}

/// HTTP client without redirects and proxies that connects to public addresses only.
pub(crate) fn client(config: &WebhookConfig) -> Result<reqwest::Client, WebhookError> {
    let look_up = |name: String| -> LookUp {
        Box::pin(async move { Ok(tokio::net::lookup_host((name, 0)).await?.collect()) })
    };
    let resolver = Guarded { allow_private: config.allow_private, look_up };
    let client = reqwest::Client::builder()
        .dns_resolver(resolver)
        .redirect(Policy::none())
        .no_proxy()
        .timeout(std::time::Duration::from_millis(config.timeout_ms))
        .user_agent(concat!("superroot/", env!("CARGO_PKG_VERSION")));
    client.build().map_err(WebhookError::Client)
}

type LookUp = BoxFuture<'static, io::Result<Vec<SocketAddr>>>;

/// Resolver that returns public addresses only. The client connects to the returned addresses, so a second DNS answer
/// cannot lead inside.
struct Guarded<L> {
    allow_private: bool,
    look_up: L,
}

impl<L: Fn(String) -> LookUp + Send + Sync> Resolve for Guarded<L> {
    fn resolve(&self, name: Name) -> Resolving {
        let allow_private = self.allow_private;
        let found = (self.look_up)(name.as_str().to_owned());
        Box::pin(async move {
            let mut found = found.await?;
            found.retain(|address| allow_private || is_public(address.ip()));
            if found.is_empty() {
                let why = "the name leads to no address of the public internet";
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, why).into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_public_internet_is_public() {
        for text in [
            "127.0.0.1",
            "10.1.2.3",
            "172.31.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "255.255.255.255",
            "224.0.0.1",
            "198.19.0.1",
            "::1",
            "::",
            "fe80::1",
            "fd00::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::a00:1",
            "2002:7f00:1::",
            "2001::1",
            "2001:db8::1",
            "::127.0.0.1",
        ] {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
        for text in ["1.1.1.1", "172.32.0.1", "2606:4700:4700::1111", "2a00:1450::1"] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn an_address_that_leads_inside_is_refused_however_it_is_spelt() {
        let config = WebhookConfig::default();
        for text in [
            "http://example.com/",
            "ftp://example.com/",
            "example.com",
            "https://127.0.0.1/",
            "https://0x7f.1/",
            "https://2130706433/",
            "https://017700000001/",
            "https://[::1]/",
            "https://[::ffff:10.0.0.1]/",
            "https://169.254.169.254/latest/meta-data",
            "https://user:secret@example.com/",
            "https:///",
            "",
        ] {
            assert!(check(text, &config).is_err(), "{text}");
        }
        check("https://example.com/hook?a=b", &config).unwrap();
        let trial = WebhookConfig { allow_private: true, ..config };
        check("http://127.0.0.1:9000/", &trial).unwrap();
    }

    #[tokio::test]
    async fn a_name_that_leads_inside_is_not_connected_to() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let sent = client(&WebhookConfig::default()).unwrap();
        let sent = sent.post(format!("http://localhost:{port}/")).send().await;
        assert!(sent.unwrap_err().is_connect());
        let nobody = tokio::time::timeout(std::time::Duration::from_millis(50), listener.accept());
        assert!(nobody.await.is_err());
    }

    /// A name server of the attacker's gives what it likes, and another answer each time.
    #[tokio::test]
    async fn of_a_name_that_leads_outside_and_inside_only_the_outside_is_connected_to() {
        let inside =
            ["10.0.0.1", "169.254.169.254", "127.0.0.1", "::1", "::ffff:127.0.0.1", "fd00::1"];
        let outside = ["1.1.1.1", "2606:4700:4700::1111"];
        let address = |text: &&str| SocketAddr::new(text.parse().unwrap(), 0);
        let mixed: Vec<SocketAddr> =
            inside.iter().chain(&outside).chain(&inside).map(address).collect();
        let asked = std::sync::atomic::AtomicUsize::new(0);
        let look_up = move |name: String| -> LookUp {
            assert_eq!(name, "hook.example.com");
            // first both, then what is inside alone
            let asked = asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            let inside = inside.iter().map(address).collect();
            let found = if asked == 0 { mixed.clone() } else { inside };
            Box::pin(async move { Ok(found) })
        };
        let name = || "hook.example.com".parse::<Name>().unwrap();
        let resolver = Guarded { allow_private: false, look_up };
        let found: Vec<_> = resolver.resolve(name()).await.unwrap().collect();
        assert_eq!(found, outside.iter().map(address).collect::<Vec<_>>());
        assert!(resolver.resolve(name()).await.is_err(), "no second answer leads inside");
    }

    /// The same over a connection: the inner listener, which the name server named too, hears nothing.
    #[tokio::test]
    async fn an_inner_address_beside_an_outer_one_hears_nothing() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let look_up = |_: String| -> LookUp {
            Box::pin(async { Ok(vec![SocketAddr::from(([127, 0, 0, 1], 0))]) })
        };
        let sent = async |allow_private| {
            let guarded = Guarded { allow_private, look_up };
            let client =
                reqwest::Client::builder().no_proxy().dns_resolver(guarded).build().unwrap();
            let sent = client.post(format!("http://hook.example.com:{port}/")).send();
            let sent = tokio::time::timeout(std::time::Duration::from_millis(500), sent);
            let heard = listener.accept();
            tokio::select! { _ = sent => false, _ = heard => true }
        };
        assert!(sent(true).await, "the resolver is asked");
        assert!(!sent(false).await);
    }
}
