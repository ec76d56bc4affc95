//! Connection slots: bounded by the file descriptors, with at most a quarter for a single address.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};

use ipnet::IpNet;

/// Counter: connections closed on arrival.
pub(crate) const REFUSED: &str = "superroot_api_connections_refused_total";

/// Share (1/n) of all connections for a single address.
const PART_OF_ONE: usize = 4;

#[derive(Debug)]
pub(crate) struct ConnectionSlots {
    most: usize,
    /// Networks exempt from the per-address limit: proxies with many clients, and this machine.
    unbounded: Vec<IpNet>,
    taken: Mutex<TakenSlots>,
}

#[derive(Debug, Default)]
struct TakenSlots {
    all: usize,
    of: HashMap<IpAddr, usize>,
}

/// Slot, free again on drop.
#[derive(Debug)]
pub(crate) struct ConnectionSlot {
    places: Arc<ConnectionSlots>,
    of: Option<IpAddr>,
}

impl ConnectionSlots {
    pub(crate) fn new(most: usize, unbounded: Vec<IpNet>) -> Arc<Self> {
        for of in ["all", "address"] {
            metrics::counter!(REFUSED, "of" => of).increment(0); // stands at 0 from the start
        }
        Arc::new(Self { most, unbounded, taken: Mutex::default() })
    }

    /// Takes a slot for a connection from `from`, or returns the refusal reason.
    pub(crate) fn take(self: &Arc<Self>, from: IpAddr) -> Result<ConnectionSlot, &'static str> {
        let from = from.to_canonical();
        let is_unbounded =
            from.is_loopback() || self.unbounded.iter().any(|net| net.contains(&from));
        let of = (!is_unbounded).then(|| network_of(from));
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.all >= self.most {
            return Err("all");
        }
        if let Some(of) = of {
            let own = taken.of.entry(of).or_default();
            if *own >= (self.most / PART_OF_ONE).max(1) {
                return Err("address");
            }
            *own += 1;
        }
        taken.all += 1;
        drop(taken);
        Ok(ConnectionSlot { places: Arc::clone(self), of })
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut taken = self.places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.all = taken.all.saturating_sub(1);
        let Some(of) = self.of else { return };
        if let Some(own) = taken.of.get_mut(&of) {
            *own = own.saturating_sub(1);
            if *own == 0 {
                taken.of.remove(&of);
            }
        }
    }
}

/// First 64 bits for IPv6: a single customer has all addresses below.
fn network_of(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(
        places: &Arc<ConnectionSlots>,
        from: &str,
        times: usize,
    ) -> (Vec<ConnectionSlot>, Option<&'static str>) {
        let mut held = Vec::new();
        for _ in 0..times {
            match places.take(from.parse().unwrap()) {
                Ok(place) => held.push(place),
                Err(why) => return (held, Some(why)),
            }
        }
        (held, None)
    }

    #[test]
    fn one_address_has_a_quarter_and_all_have_no_more_than_there_are() {
        let places = ConnectionSlots::new(8, vec!["10.0.0.0/8".parse().unwrap()]);
        let (one, why) = taken(&places, "192.0.2.1", 5);
        assert_eq!((one.len(), why), (2, Some("address")));
        // another of the same network of IPv6 is the same
        let (_six, _) = taken(&places, "2001:db8::1", 1);
        let (_seven, why) = taken(&places, "2001:db8::ffff:1", 2);
        assert_eq!(why, Some("address"));
        let (proxy, why) = taken(&places, "10.1.2.3", 9);
        assert_eq!((proxy.len(), why), (4, Some("all")));
        drop(one);
        let (again, why) = taken(&places, "::ffff:192.0.2.1", 5);
        assert_eq!((again.len(), why), (2, Some("all")));
        drop((proxy, again));
        assert_eq!(taken(&places, "127.0.0.1", 9).0.len(), 6);
    }
}
