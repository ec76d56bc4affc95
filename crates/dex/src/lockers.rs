//! Locker contracts: they keep pool tokens for their owners until a date.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use alloy_primitives::Address;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LockerRow {
    #[expect(dead_code, reason = "for whoever reads the list")]
    name: String,
    /// Names of the locker's chains.
    chains: Vec<String>,
    addresses: Vec<Address>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LockersFile {
    locker: Vec<LockerRow>,
}

#[must_use]
pub fn lockers(chain: &str) -> &'static [Address] {
    static LOCKERS: LazyLock<BTreeMap<String, Vec<Address>>> = LazyLock::new(|| {
        let rows: LockersFile =
            toml::from_str(include_str!("lockers.toml")).expect("a test reads them");
        let mut by_chain: BTreeMap<String, Vec<Address>> = BTreeMap::new();
        for row in rows.locker {
            for chain in row.chains {
                by_chain.entry(chain).or_default().extend(&row.addresses);
            }
        }
        by_chain
    });
    LOCKERS.get(chain).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_locker_stands_once_on_its_chain() {
        assert_eq!(lockers("ethereum").len(), 5);
        assert_eq!(lockers("base").len(), 4);
        assert!(lockers("sonic").is_empty() && lockers("").is_empty());
        for chain in ["ethereum", "bnb", "polygon", "arbitrum", "base"] {
            let once: BTreeSet<&Address> = lockers(chain).iter().collect();
            assert_eq!(once.len(), lockers(chain).len(), "{chain}");
        }
    }
}
