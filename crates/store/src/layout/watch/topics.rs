//! Topics for prices, launches and cross-chain orders, by watch list word.

use std::collections::BTreeSet;

use superroot_proof::hash::keccak256;
use superroot_types::Hash;

/// Lines with `GROUP PROTOCOL[,PROTOCOL] SIGNATURE`.
const EVENTS: &str = include_str!("events.txt");

/// Words with their event groups.
const WORDS: [(&str, &[&str]); 4] = [
    ("launches", &["pools", "liquidity"]),
    ("market", &["pools", "liquidity", "swaps", "oracles", "orders"]),
    ("orders", &["orders"]),
    ("prices", &["pools", "liquidity", "swaps", "oracles"]),
];

/// Returns the topics for a word: topic 0 for each event.
pub(super) fn of(word: &str) -> Option<BTreeSet<Hash>> {
    let (_, groups) = WORDS.iter().find(|(known, _)| *known == word)?;
    let wanted = events().filter(|(group, _)| groups.contains(group));
    Some(wanted.map(|(_, signature)| keccak256(signature.as_bytes())).collect())
}

/// All events: group and signature.
fn events() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = EVENTS.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let mut words = line.split(' ');
        Some((words.next()?, words.nth(1)?))
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_line_has_a_group_that_a_word_names_and_stands_once() {
        let lines = EVENTS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let all: Vec<_> = events().collect();
        assert_eq!(all.len(), lines.count());
        let signatures: BTreeSet<_> = all.iter().map(|(_, signature)| signature).collect();
        assert_eq!(signatures.len(), all.len());
        let market = of("market").unwrap();
        assert_eq!(market.len(), all.len(), "a group that `market` has not, or two of one hash");
        for (word, groups) in WORDS {
            let topics = of(word).unwrap();
            assert!(groups.iter().all(|group| all.iter().any(|(of, _)| of == group)), "{word}");
            assert!(!topics.is_empty() && topics.is_subset(&market), "{word}");
        }
        assert_eq!(of("everything"), None);
    }

    /// Against topics that were read from real receipts.
    #[test]
    fn topics_are_those_of_real_events() {
        let Some(data) = std::env::var_os("SUPERROOT_DATA") else {
            eprintln!("SKIPPED: SUPERROOT_DATA is not set, no real event was read");
            return;
        };
        let rows = std::fs::read(Path::new(&data).join("market/events.json")).unwrap();
        let rows: Vec<serde_json::Value> = serde_json::from_slice(&rows).unwrap();
        let families = [("launches", "launch"), ("prices", "price"), ("prices", "oracle")];
        for (word, family) in families.into_iter().chain([("orders", "order")]) {
            let topics = of(word).unwrap();
            let of_family = rows.iter().filter(|row| row["family"] == family);
            for row in of_family {
                let topic: Hash = row["topic0"].as_str().unwrap().parse().unwrap();
                assert!(topics.contains(&topic), "{word}: {row}");
            }
        }
    }
}
