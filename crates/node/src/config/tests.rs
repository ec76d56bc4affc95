//! What is read of the configuration, and what is refused.

use super::*;

fn load(environment: &[(&str, &str)], flags: &[(&str, Value)]) -> anyhow::Result<ServiceConfig> {
    let environment = environment.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
    ServiceConfig::load(None, environment, flags)
}

#[test]
fn the_defaults_are_complete_and_sound() {
    let config = load(&[], &[]).unwrap();
    assert_eq!(config.limit.keyless_per_minute, 100);
    assert_eq!(config.accumulate.beat_ms, 12_000);
    assert_eq!(config.api, superroot_api::ApiConfig::default());
    assert_eq!(config.accumulate, superroot_accumulate::PublishConfig::default());
    assert_eq!(config.store, EmbeddedConfig::default());
    assert_eq!(config.collect, superroot_collect::CollectConfig::default());
    assert_eq!(config.source, LiveConfig::default());
    let routes = superroot_api::metered_routes();
    let accounts = superroot_account::AccountConfig { routes, ..Default::default() };
    assert_eq!(config.accounts(), accounts);
}

/// Prices and limits lie deeper than other keys, and some of them have no default.
#[test]
fn plans_are_set_like_any_other_key() {
    let path = "SUPERROOT__PLANS__TIERS__BUILDER__LIMIT_PER_MINUTE";
    let plans = load(&[(path, "2000")], &[]).unwrap().accounts().plans;
    assert_eq!(plans.tiers.builder.limit_per_minute, Some(2_000));
    let path = "plans.tiers.enterprise.price_usdc_e6";
    let plans = load(&[], &[(path, Value::Integer(600_000_000))]).unwrap().accounts().plans;
    assert_eq!(plans.tiers.enterprise.price_usdc_e6, Some(600_000_000));
    let error = load(&[("SUPERROOT__PLANS__TIERS__BUILDER__KEYS_MAX", "0")], &[]).unwrap_err();
    assert!(format!("{error:#}").contains("plans.tiers.builder.keys_max"), "{error:#}");
}

fn keys_of(table: &Table) -> Vec<String> {
    let of_section = |(name, value): (&String, &Value)| match value {
        Value::Table(section) => section.keys().map(|key| format!("{name}.{key}")).collect(),
        _ => vec![name.clone()],
    };
    table.iter().flat_map(of_section).collect()
}

/// The file is the list of keys: none that it lacks is read, what it has is printed of the
/// defaults, and where the program has a default of its own for a key, that is the file's.
#[test]
fn the_file_has_every_key_that_is_read_with_the_programs_default() {
    let mut table: Table = DEFAULTS.parse().unwrap();
    let print = |config: &ServiceConfig| {
        let mut printed: Table = toml::to_string(config).unwrap().parse().unwrap();
        printed.remove("chain");
        printed.remove("endpoint");
        printed
    };
    let printed = print(&load(&[], &[]).unwrap());
    assert_eq!(keys_of(&printed), keys_of(&table));
    assert_eq!(printed, table);
    let mut own_defaults = 0;
    for path in keys_of(&table.clone()) {
        let (section, key) = path.split_once('.').unwrap();
        let value = table[section].as_table_mut().unwrap().remove(key).unwrap();
        let read: Result<ServiceConfig, _> = Value::Table(table.clone()).try_into();
        if let Ok(config) = read {
            assert_eq!(print(&config), printed, "{path}");
            own_defaults += 1;
        }
        table[section].as_table_mut().unwrap().insert(key.to_owned(), value);
    }
    assert!(own_defaults > 10, "the nodes' settings have defaults of their own");
}

/// Each key stands under a comment; one whose name ends in a unit, under one that says it.
#[test]
fn the_file_says_of_every_key_what_it_is_and_its_unit() {
    let lines: Vec<&str> = DEFAULTS.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let Some((key, _)) = line.split_once(" = ").filter(|_| !line.starts_with('#')) else {
            continue;
        };
        let above = lines[..at].iter().rev().take_while(|line| line.starts_with('#'));
        let said = above.fold(String::new(), |said, line| format!("{line} {said}"));
        assert!(!said.is_empty(), "{key} stands without a word");
        for (ending, unit) in
            [("_ms", "milliseconds"), ("_bytes", "bytes"), ("_bytes_max", "bytes")]
        {
            assert!(!key.ends_with(ending) || said.contains(unit), "{key}: {said}");
        }
    }
}

/// The section of one chain that the file shows as a comment is whole and would be read.
#[test]
fn the_file_shows_every_key_of_one_chain() {
    let start = DEFAULTS.find("# [chain.ethereum]").unwrap();
    let end = DEFAULTS[start..].find("\n\n").map_or(DEFAULTS.len(), |end| start + end);
    let text: String =
        DEFAULTS[start..end].lines().map(|line| format!("{}\n", &line[2..])).collect();
    let shown: Table = text.parse().unwrap();
    let read: ChainConfig = shown["chain"]["ethereum"].clone().try_into().unwrap();
    let unset = format!("{:?}", ChainConfig::default()).matches("None").count();
    assert_eq!(shown["chain"]["ethereum"].as_table().unwrap().len(), unset);
    assert!(!format!("{read:?}").contains("None"), "{read:?}");
}

#[test]
fn flags_are_stronger_than_the_environment_and_that_than_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.toml");
    std::fs::write(&file, "[limit]\nkeyless_per_minute = 1\n[accumulate]\nbeat_ms = 5\n").unwrap();
    let environment = [("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "2"), ("HOME", "/")];
    let environment = environment.map(|(k, v)| (k.to_owned(), v.to_owned()));
    let config = ServiceConfig::load(Some(&file), environment.clone(), &[]).unwrap();
    assert_eq!((config.limit.keyless_per_minute, config.accumulate.beat_ms), (2, 5));
    let flags = [("limit.keyless_per_minute", Value::Integer(3))];
    let config = ServiceConfig::load(Some(&file), environment, &flags).unwrap();
    assert_eq!((config.limit.keyless_per_minute, config.limit.clients_max), (3, 65_536));
}

/// What is unknown, of the wrong kind or out of its bounds is said with its key, on one line.
#[test]
fn what_is_wrong_is_named_with_its_key() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.toml");
    let words = "auto, finalized, latest or a number of confirmations";
    for (text, expected) in [
        ("[source]\nfinality = -1\n", format!("source.finality: {words}")),
        ("[chain.base]\nfinality = -1\n", format!("chain.base.finality: {words}")),
        ("[[endpoint]]\nchain = \"base\"\nurl = 5\n", "endpoint[0].url: ".to_owned()),
        ("[[endpoint]]\nchain = \"x\"\nurl = \"\"\n", "endpoint[0]: chain \"x\"".to_owned()),
        ("[keys]\nenvironment = \"prod\"\n", "keys.environment: unknown variant".to_owned()),
        (
            "[plans.tiers.builder]\ngrids = [\"G9\"]\n",
            "plans.tiers.builder.grids[0]: unknown variant".to_owned(),
        ),
        ("[meter]\nentries_max = -1\n", "meter.entries_max: ".to_owned()),
        ("[meter]\nentries_max = 99999999999\n", "meter.entries_max is 99999999999".to_owned()),
        (
            "[server]\nshutdown_timeout_ms = 3600001\n",
            "server.shutdown_timeout_ms is 3600001, expected 0 to 3600000".to_owned(),
        ),
        (
            "[collect]\nfeed_kept_seconds = 31622401\n",
            "collect.feed_kept_seconds is 31622401".to_owned(),
        ),
        ("[limit]\nkeyles = 1\n", "limit.keyles: unknown field".to_owned()),
        ("[limit]\nclients_max = 0\n", "limit.clients_max is 0".to_owned()),
        (
            "[limit]\nkeyless_per_minute = 1000001\n",
            "limit.keyless_per_minute is 1000001, expected 0 to 1000000".to_owned(),
        ),
        ("[limits]\nkeyless_per_minute = 1\n", "unknown field `limits`".to_owned()),
        ("[plans.tiers.bilder]\nkeys_max = 7\n", "unknown field `bilder`".to_owned()),
        ("[plans.tiers.builder]\nkey_max = 7\n", "unknown field `key_max`".to_owned()),
        ("[chain.base]\nquorums = 1\n", "unknown field `quorums`".to_owned()),
        ("[chain.atlantis]\nquorum = 1\n", "chain.atlantis: no row".to_owned()),
        ("[live]\nchains = [\"atlantis\"]\n", "live.chains: \"atlantis\"".to_owned()),
        ("[accumulate]\nbeat_ms = 0\n", "accumulate.beat_ms is 0".to_owned()),
        ("[collect]\nfetches_max = 1025\n", "collect.fetches_max is 1025".to_owned()),
        ("[log]\norigin = \"with space\"\n", "log.origin is \"with space\"".to_owned()),
        ("[api]\ntrusted_proxies = [\"10.0.0.0/99\"]\n", "api.trusted_proxies[0]".to_owned()),
        (
            "[api]\ntrusted_proxies = [\"10.0.0.0/8\", \"0.0.0.0/0\"]\n",
            "0.0.0.0/0 is no network".to_owned(),
        ),
        ("[api]\ntrusted_proxies = [\"::/0\"]\n", "::/0 is no network".to_owned()),
        (
            "[api]\ntrusted_proxies = [\"::ffff:10.0.0.0/104\"]\n",
            "write the network as one of IPv4".to_owned(),
        ),
        ("[server]\nlisten = \"nowhere\"\n", "server.listen: ".to_owned()),
    ] {
        std::fs::write(&file, text).unwrap();
        let error = format!("{:#}", ServiceConfig::load(Some(&file), [], &[]).unwrap_err());
        assert!(error.contains(&expected), "{text}: {error}");
        assert!(!error.contains('\n'), "said once, on one line: {error}");
    }
    for (name, value) in [
        ("SUPERROOT__SOURCE__FINALITY", "-1"),
        ("SUPERROOT__LIMIT__KEYLES", "2"),
        ("SUPERROOT__QUORUM", "2"),
        ("SUPERROOT__CHAIN__BASE", "3"),
    ] {
        let error = format!("{:#}", load(&[(name, value)], &[]).unwrap_err());
        let last = name.rsplit("__").next().unwrap().to_lowercase();
        assert!(error.contains(&last), "{name}: {error}");
    }
}

#[test]
fn nodes_come_from_one_list_and_a_chain_may_have_its_own() {
    let built_in = load(&[], &[]).unwrap().nodes().unwrap();
    assert!(built_in.len() >= 60);
    let folder = tempfile::tempdir().unwrap();
    let (config, list) = (folder.path().join("c.toml"), folder.path().join("e.toml"));
    let own = "[[endpoint]]\nchain = \"base\"\nurl = \"http://b\"\n\
               [[endpoint]]\nchain = \"ethereum\"\nurl = \"http://e\"\n\
               [chain.eth]\nendpoints = [\"http://own\"]\n";
    std::fs::write(&config, own).unwrap();
    std::fs::write(&list, "endpoint = [{ chain = \"base\", url = \"ws://f\" }]").unwrap();
    let urls = |flags: &[(&str, Value)]| {
        let nodes = ServiceConfig::load(Some(&config), [], flags).unwrap().nodes().unwrap();
        nodes.into_iter().map(|node| node.url).collect::<Vec<_>>()
    };
    assert_eq!(urls(&[]), ["http://b", "http://own"]);
    let file = Value::String(list.display().to_string());
    assert_eq!(urls(&[("live.endpoints_file", file)]), ["ws://f", "http://own"]);
}

#[test]
fn one_chain_is_set_by_the_environment() {
    let config = load(&[("SUPERROOT__CHAIN__BASE__QUORUM", "3")], &[]).unwrap();
    let base = chains::find("base").unwrap().key();
    assert_eq!(config.by_chain().unwrap()[&base].quorum, Some(3));
}

#[test]
fn what_is_written_is_stronger_than_the_defaults_of_a_demo() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("c.toml");
    let load = || ServiceConfig::load_over(&[private_webhooks()], Some(&file), [], &[]).unwrap();
    std::fs::write(&file, "").unwrap();
    assert!(load().webhook.allow_private);
    std::fs::write(&file, "[webhook]\nallow_private = false\n").unwrap();
    assert!(!load().webhook.allow_private);
}
