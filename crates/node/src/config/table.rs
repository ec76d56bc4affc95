//! Configuration as tables: one over the other, single keys, and which keys there are.

use anyhow::{Context, bail};
use toml::{Table, Value};

use super::chain::CHAIN_KEYS;

/// Keys of a tier that have no default where nothing limits or prices it.
const TIER_KEYS: [&str; 2] = ["limit_per_minute", "price_usdc_e6"];
/// Least likeness, of 0 to 1, at which a known word is what was meant.
const LIKENESS_MIN: f64 = 0.75;

/// Puts one table over another, section by section.
pub(super) fn merge(table: &mut Table, over: Table) {
    for (key, value) in over {
        match (table.get_mut(&key), value) {
            (Some(Value::Table(below)), Value::Table(value)) => merge(below, value),
            (_, value) => drop(table.insert(key, value)),
        }
    }
}

/// Sets `section.key`, or `chain.NAME.key`; only sections that exist have keys, and any chain.
pub(super) fn set(table: &mut Table, path: &str, value: Value) -> anyhow::Result<()> {
    let Some((section, key)) = path.split_once('.') else {
        bail!("{path} is no section.key");
    };
    if section == "chain" {
        let Some((name, key)) = key.split_once('.') else {
            bail!("{path} is no chain.NAME.key");
        };
        let chains = table.entry(section).or_insert_with(|| Value::Table(Table::new()));
        let chains = chains.as_table_mut().context("chain is no section")?;
        let chain = chains.entry(name).or_insert_with(|| Value::Table(Table::new()));
        chain.as_table_mut().context("a chain is no section")?.insert(key.to_owned(), value);
        return Ok(());
    }
    if !table.contains_key(section) {
        bail!("there is no section {section}{}", meant(section, &names(table)));
    }
    let Some(Value::Table(keys)) = table.get_mut(section) else {
        bail!("{section} is no section");
    };
    set_below(keys, section, key, value)
}

fn set_below(table: &mut Table, above: &str, path: &str, value: Value) -> anyhow::Result<()> {
    let (key, below) = path.split_once('.').map_or((path, None), |(key, below)| (key, Some(below)));
    known(&format!("{above}.{key}"), key, &keys_of(above, table))?;
    match (below, table.get_mut(key)) {
        (None, _) => {
            table.insert(key.to_owned(), value);
            Ok(())
        }
        (Some(below), Some(Value::Table(section))) => {
            set_below(section, &format!("{above}.{key}"), below, value)
        }
        (Some(_), _) => bail!("{above}.{key} is no section"),
    }
}

/// Refuses what no key of the defaults is called, and says which one may be meant. Values are not
/// looked at.
pub(super) fn check_keys(over: &Table, defaults: &Table) -> anyhow::Result<()> {
    for (name, value) in over {
        match (name.as_str(), value, defaults.get(name)) {
            ("endpoint", ..) => {}
            ("chain", Value::Table(chains), _) => {
                for (chain, section) in chains {
                    let keys = section.as_table().into_iter().flat_map(Table::keys);
                    for key in keys {
                        known(&format!("chain.{chain}.{key}"), key, &CHAIN_KEYS)?;
                    }
                }
            }
            (_, Value::Table(section), Some(Value::Table(keys))) => {
                check_section(name, section, keys)?;
            }
            (_, _, Some(_)) => {} // of the wrong type: said where it is read
            (section, ..) => {
                let sections = [names(defaults), vec!["chain", "endpoint"]].concat();
                bail!("there is no section {section}{}", meant(section, &sections));
            }
        }
    }
    Ok(())
}

fn check_section(path: &str, over: &Table, defaults: &Table) -> anyhow::Result<()> {
    for (key, value) in over {
        let path = format!("{path}.{key}");
        let above = path.rsplit_once('.').map_or("", |(above, _)| above);
        known(&path, key, &keys_of(above, defaults))?;
        if let (Value::Table(over), Some(Value::Table(defaults))) = (value, defaults.get(key)) {
            check_section(&path, over, defaults)?;
        }
    }
    Ok(())
}

/// Keys of a section: those of its defaults, and for a tier those that may be left out.
fn keys_of<'a>(path: &str, section: &'a Table) -> Vec<&'a str> {
    let mut keys = names(section);
    if path.starts_with("plans.tiers.") {
        keys.extend(TIER_KEYS.into_iter().filter(|key| !section.contains_key(*key)));
    }
    keys
}

fn known(path: &str, key: &str, keys: &[&str]) -> anyhow::Result<()> {
    if keys.contains(&key) { Ok(()) } else { Err(unknown(path, key, keys)) }
}

fn unknown(path: &str, key: &str, keys: &[&str]) -> anyhow::Error {
    let guess = meant(key, keys);
    let hint = if guess.is_empty() { format!(", known are {}", keys.join(", ")) } else { guess };
    anyhow::anyhow!("there is no key {path}{hint}")
}

fn names(table: &Table) -> Vec<&str> {
    table.keys().map(String::as_str).collect()
}

/// The known word most like that one, for the end of a sentence; nothing where none is like it.
fn meant(got: &str, known: &[&str]) -> String {
    let rated = known.iter().map(|word| (strsim::jaro_winkler(got, word), word));
    let best = rated.max_by(|(a, _), (b, _)| a.total_cmp(b));
    let best = best.filter(|(likeness, _)| *likeness >= LIKENESS_MIN);
    best.map_or_else(String::new, |(_, word)| format!(", did you mean {word}"))
}

/// A value as TOML reads it, or else as text.
pub(super) fn value_of(text: &str) -> Value {
    let parsed: Result<Table, _> = format!("value = {text}").parse();
    let value = parsed.ok().and_then(|mut table| table.remove("value"));
    value.unwrap_or_else(|| Value::String(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<(), String> {
        let defaults: Table = super::super::DEFAULTS.parse().unwrap();
        check_keys(&text.parse().unwrap(), &defaults).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_misspelt_is_refused_with_what_was_meant() {
        for (text, expected) in [
            (
                "[limit]\nkeyles_per_minute = 1",
                "limit.keyles_per_minute, did you mean keyless_per_minute",
            ),
            ("[limits]\nkeyless_per_minute = 1", "no section limits, did you mean limit"),
            ("[chain.base]\nquorums = 1", "chain.base.quorums, did you mean quorum"),
            ("[chain.base]\nstaled_after_ms = 1", "did you mean stalled_after_ms"),
            ("[endpoints]\n", "no section endpoints, did you mean endpoint"),
            ("[accumulate]\nqqqqq = 1", "no key accumulate.qqqqq, known are beat_ms"),
            ("zzzzzz = 1", "no section zzzzzz"),
        ] {
            let error = check(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
        for text in ["", "[limit]\n", "limit = 3", "[chain.base]\nquorum = 1", "endpoint = []"] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn a_single_key_is_as_strict() {
        let mut table: Table = super::super::DEFAULTS.parse().unwrap();
        let mut error = |path| set(&mut table, path, Value::Integer(1)).unwrap_err().to_string();
        assert!(error("source.quorom").contains("did you mean quorum"));
        assert!(error("sauce.quorum").contains("no section sauce"));
        assert!(error("quorum").contains("no section.key"));
    }
}
