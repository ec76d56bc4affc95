//! Address prefixes that count as one caller.

use std::net::{IpAddr, Ipv6Addr};

/// Addresses counted together: one IPv4 address, or a /64 of IPv6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AddressPrefix(IpAddr);

impl From<IpAddr> for AddressPrefix {
    fn from(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                Self(IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0)))
            }
            IpAddr::V4(address) => Self(IpAddr::V4(address)),
        }
    }
}

impl AddressPrefix {
    /// The prefix's site: for IPv6 a /48, the allocation of one site (RFC 6177), as a /64 of it is free.
    pub(crate) fn site(self) -> Self {
        match self.0 {
            IpAddr::V6(address) => {
                let [a, b, c, ..] = address.segments();
                Self(IpAddr::V6(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0)))
            }
            IpAddr::V4(_) => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prefix(text: &str) -> AddressPrefix {
        text.parse::<IpAddr>().unwrap().into()
    }

    #[test]
    fn a_64_of_ipv6_is_one_caller_and_a_mapped_address_is_ipv4() {
        assert_eq!(prefix("2001:db8:0:1::1"), prefix("2001:db8:0:1:ffff::2"));
        assert_ne!(prefix("2001:db8:0:1::1"), prefix("2001:db8:0:2::1"));
        assert_eq!(prefix("::ffff:192.0.2.1"), prefix("192.0.2.1"));
        assert_ne!(prefix("::ffff:192.0.2.1"), prefix("::ffff:192.0.2.2"));
    }
}
