//! The built-in registry, and every way in which another one is refused.

use superroot_chain::ledger::bitcoin::BitcoinParams;
use superroot_chain::ledger::bitcoin::Retarget;
use superroot_chain::registry::{ChainRegistry, ChainRegistryError};
use superroot_chain::{ChainSpec, Encoding, EvidenceKind, Ledger, UnprovablePart};
use superroot_proof::ledger::evm::Layout;
use superroot_proof::registry::{HashRule, REGISTRY_HEIGHT};
use superroot_proof::superroot::SUPER_ROOT_HEIGHT;
use superroot_types::{BlockNumber, ChainId, ChainKey, Family, Hash};

/// The registry as it was agreed: ids in the order of their slots.
const IDS: &str = "1 10 56 100 130 137 143 146 480 999 1868 8453 42161 42220 43114 57073 59144 \
                   167000 534352 21000000 200 400 728126428 637 784 223 118";

const ROW: &str = r#"
[[chain]]
id = 1
name = "Ethereum"
slug = "ethereum"
family = "evm"
caip2 = "eip155:1"
aliases = [77, "eth"]
encodings = [{ from = 0, name = "ethereum" }]
evidence = "consensus"
block_time_ms = 12000
rules = [{ from = 0, code = 1 }, { from = 10, code = 2 }]
"#;

const SECOND: &str = r#"
[[chain]]
id = 2
name = "Second"
slug = "second"
family = "cosmos"
caip2 = "cosmos:second"
aliases = []
evidence = "node_quorum"
block_time_ms = 1
rules = [{ from = 5, code = 0x0801 }]
"#;

/// What is said of a field that a row has and may not have.
const NO_FIELD: &str = "is no field of a chain of that family";

fn refused(text: &str) -> String {
    ChainRegistry::parse(text).expect_err(text).to_string()
}

/// The first row with one line replaced.
fn bent(key: &str, line: &str) -> String {
    let start = format!("{key} = ");
    assert_eq!(ROW.lines().filter(|old| old.starts_with(&start)).count(), 1, "{key}");
    let lines = ROW.lines().map(|old| if old.starts_with(&start) { line } else { old });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_built_in_rows_are_the_agreed_ones_in_order() {
    let registry = ChainRegistry::builtin();
    let ids: Vec<String> = registry.rows().iter().map(|row| row.id.to_string()).collect();
    assert_eq!(ids.join(" "), IDS);
    assert_eq!(registry.proof_registry().rows().len(), ids.len());
    for (position, row) in registry.rows().iter().enumerate() {
        assert_eq!(registry.by_id(row.id), Some(row));
        assert_eq!(registry.by_key(row.key()), Some((position, row)));
        let (slot, profile) = registry.proof_registry().find(row.key()).unwrap();
        assert_eq!((usize::from(slot), profile), (position, &row.profile()));
        match &row.ledger {
            Ledger::Evm(params) => {
                assert_eq!(row.caip2, format!("eip155:{}", row.id));
                assert_eq!(params.encodings[0].from_number, row.rules[0].from_number);
            }
            Ledger::Bitcoin(params) => {
                assert_eq!(row.id, ChainId(21_000_000));
                assert_eq!((params.target_limit_bits, params.confirmations), (0x1d00_ffff, 6));
                assert_eq!(params.coinbase_height_from, 227_931);
                assert_eq!(params.retarget, Retarget::Main);
            }
            Ledger::Cosmos(params) => {
                assert_eq!((row.id, row.rules[0].from_number), (ChainId(118), 5_200_791));
                assert!(params.unprovable.is_empty());
            }
            Ledger::Aptos(params) => assert_eq!((row.id, params.network), (ChainId(637), 1)),
            Ledger::Icp(params) => {
                assert_eq!(params.canister.to_string(), "ryjl3-tyaaa-aaaaa-aaaba-cai");
                assert!(const_hex::encode(params.root_key).starts_with("814c0e6ec71fab58"));
            }
            Ledger::Polkadot(params) => {
                assert_eq!((row.id, params.timestamp_pallet), (ChainId(400), 3));
            }
            Ledger::Tron(params) => {
                // CAIP-2: the chain's id is the end of its first block's
                let id = const_hex::encode_prefixed(&params.genesis.0[28..]);
                assert_eq!(row.caip2, format!("tron:{id}"));
                assert_eq!(u64::from_str_radix(&id[2..], 16), Ok(row.id.0));
            }
            Ledger::Sui(params) => {
                let name = const_hex::encode(&params.genesis.0[..4]);
                assert_eq!(row.caip2, format!("sui:{name}"));
                assert_eq!(params.committee, None);
            }
            Ledger::Solana(params) => {
                assert_eq!(row.id, ChainId(200));
                assert_eq!(params.genesis(), "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d");
            }
        }
    }
    let families: std::collections::HashSet<Family> =
        registry.rows().iter().map(ChainSpec::family).collect();
    assert_eq!(families.len(), Family::ALL.len());
}

#[test]
fn every_name_of_a_chain_finds_it() {
    let registry = ChainRegistry::builtin();
    for row in registry.rows() {
        let mut names = vec![row.id.to_string(), row.slug.clone(), row.name.clone()];
        names.extend([row.caip2.clone(), row.name.to_uppercase(), row.slug.to_uppercase()]);
        names.extend(row.alias_ids.iter().map(u64::to_string));
        names.extend(row.alias_words.iter().cloned());
        for name in names {
            assert_eq!(registry.find(&name), Some(row), "{name}");
        }
    }
    for (text, id) in [
        ("ETHEREUM", 1),
        ("hyperliquid", 999),
        ("8253038", 21_000_000),
        ("9270000000000000", 784),
        ("cosmos:cosmoshub-4", 118),
        ("op mainnet", 10),
        ("bip122:000000000019d6689c085ae165831e93", 21_000_000),
    ] {
        assert_eq!(registry.find(text).map(|row| row.id.0), Some(id), "{text}");
    }
}

#[test]
fn what_names_no_chain_finds_none() {
    let registry = ChainRegistry::builtin();
    let long = "1".repeat(100_000);
    for text in ["", "2", "195", "500", "-1", "0x1", " 1", "1 ", "eip155:2", "evm:1", &long] {
        assert_eq!(registry.find(text), None, "{text}");
    }
    assert_eq!(registry.find("18446744073709551616"), None);
    assert_eq!(registry.by_id(ChainId(8_253_038)), None, "an alias is no id");
    assert_eq!(registry.by_key(ChainKey { family: Family::Bitcoin, id: ChainId(1) }), None);
}

#[test]
fn every_built_in_row_says_when_its_rules_were_checked() {
    for row in ChainRegistry::builtin().rows() {
        let checked = row.rules_checked.as_ref().unwrap_or_else(|| panic!("{}", row.slug));
        assert!(checked.date.as_str() >= "2026-11-28", "{}: {}", row.slug, checked.date);
    }
    let time = |slug: &str| ChainRegistry::builtin().find(slug).unwrap().block_time_ms;
    assert_eq!((time("bnb"), time("solana"), time("base")), (450, 200, 200));
}

#[test]
fn rules_hold_from_their_number_on() {
    let registry = ChainRegistry::builtin();
    let at = |slug: &str, number| registry.find(slug).unwrap().rule_at(BlockNumber(number));
    assert_eq!(at("gnosis", 25_349_536), Some(HashRule::Evm(Layout::Aura)));
    assert_eq!(at("gnosis", 25_349_537), Some(HashRule::Evm(Layout::Ethereum)));
    assert_eq!(at("celo", 0), Some(HashRule::Evm(Layout::CeloL1)));
    assert_eq!(at("celo", 21_616_000), Some(HashRule::Evm(Layout::CeloGingerbread)));
    assert_eq!(at("celo", 31_056_500), Some(HashRule::Evm(Layout::Ethereum)));
    assert_eq!(at("avalanche", 7), Some(HashRule::Evm(Layout::Avalanche)));
    assert_eq!(at("sonic", 7), Some(HashRule::Evm(Layout::Sonic)));
    assert_eq!(at("bitcoin", 0), Some(HashRule::Bitcoin));
    assert_eq!(at("solana", 418_629_924), Some(HashRule::Solana));
    assert_eq!(at("solana", 418_629_925), Some(HashRule::SolanaHeader));
    assert_eq!(at("cosmoshub", 5_200_790), None, "before the ledger's first number");
    assert_eq!(at("cosmoshub", 5_200_791), Some(HashRule::Cosmos));
}

#[test]
fn profiles_are_those_of_the_protocol_vectors() {
    let hex = |slug: &str| {
        const_hex::encode(ChainRegistry::builtin().find(slug).unwrap().profile().encode().unwrap())
    };
    let ethereum = "08000000000000000001086569703135353a310100000000000000000001";
    assert_eq!(hex("ethereum"), ethereum);
    let bitcoin = "08010000000001406f40276269703132323a303030303030303030303139643636383963303835\
                   6165313635383331653933010000000000000000\
                   0101";
    assert_eq!(hex("bitcoin"), bitcoin);
    let Ok(data) = std::env::var("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, protocol vectors not read");
        return;
    };
    let text =
        std::fs::read_to_string(format!("{data}/protocol/vectors-registry-tree.json")).unwrap();
    let vectors: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(vectors["profiles"], serde_json::json!([ethereum, bitcoin]));
}

/// Profile, row, count and two paths: what opening it adds to each proof.
#[test]
fn a_profile_is_opened_within_500_bytes() {
    for profile in ChainRegistry::builtin().proof_registry().rows() {
        let paths = (REGISTRY_HEIGHT + SUPER_ROOT_HEIGHT) * size_of::<Hash>();
        let bytes = profile.encode().unwrap().len() + 2 + paths;
        assert!(bytes <= 500, "{}: {bytes}", profile.caip2);
    }
}

#[test]
fn a_small_registry_is_read_whole() {
    let registry = ChainRegistry::parse(&[ROW, SECOND].concat()).unwrap();
    let [first, second] = registry.rows() else { panic!("two rows") };
    assert_eq!(
        (first.alias_ids.as_slice(), first.alias_words.as_slice()),
        (&[77][..], &["eth".to_owned()][..])
    );
    assert_eq!((first.evidence, first.block_time_ms), (EvidenceKind::Consensus, 12_000));
    assert_eq!(second.family(), Family::Cosmos);
    assert_eq!(second.rule_at(BlockNumber(4)), None);
}

#[test]
fn an_error_names_row_and_field() {
    for (key, line, field) in [
        ("id", "id = 9007199254740992", "id"),
        ("id", "id = -1", "id"),
        ("id", "id = \"1\"", "id"),
        ("id", "", "id"),
        ("name", "name = \"\"", "name"),
        ("name", "name = \"12\"", "name"),
        ("name", "name = \" a\"", "name"),
        ("name", "name = \"a\\u001b[2Jb\"", "name"),
        ("name", "name = \"a\\u009bb\"", "name"),
        ("name", "name = \"a\\u202eb\"", "name"),
        ("name", "name = \"eip155:2\"", "name"),
        ("slug", "slug = \"Ethereum\"", "slug"),
        ("slug", "slug = \"a/b\"", "slug"),
        ("slug", "slug = \"12\"", "slug"),
        ("family", "family = \"evn\"", "family"),
        ("family", "", "family"),
        ("caip2", "caip2 = \"eip155\"", "caip2"),
        ("caip2", "caip2 = \"eip155:\"", "caip2"),
        ("caip2", "caip2 = \"EIP155:1\"", "caip2"),
        ("caip2", "caip2 = \"eip155:1:2\"", "caip2"),
        ("caip2", "caip2 = \"eip155:2\"", "caip2"),
        ("caip2", "caip2 = \"eip155:01\"", "caip2"),
        ("caip2", "caip2 = \"bip122:1\"", "caip2"),
        ("aliases", "aliases = 1", "aliases"),
        ("aliases", "aliases = [1, -1]", "aliases[1]"),
        ("aliases", "aliases = [\"12\"]", "aliases[0]"),
        ("aliases", "aliases = [\"a\\u0000\"]", "aliases[0]"),
        ("aliases", "aliases = [7, \"EIP155:2\"]", "aliases[1]"),
        ("aliases", "aliases = [1.5]", "aliases[0]"),
        ("encodings", "encodings = [{ from = 0, name = \"optimism\" }]", "encodings[0].name"),
        ("encodings", "encodings = [{ name = \"ethereum\" }]", "encodings[0].from"),
        ("encodings", "encodings = [{ from = 1, name = \"ethereum\" }]", "encodings[0].from"),
        ("encodings", "encodings = [{ from = -1, name = \"ethereum\" }]", "encodings[0].from"),
        (
            "encodings",
            "encodings = [{ from = 0, name = \"ethereum\" }, { from = 0, name = \"scroll\" }]",
            "encodings[1].from",
        ),
        ("encodings", "encodings = [\"ethereum\"]", "encodings[0]"),
        ("encodings", "encodings = []", "encodings"),
        ("encodings", "encodings = \"ethereum\"", "encodings"),
        ("encodings", "", "encodings"),
        ("evidence", "evidence = \"trust\"", "evidence"),
        ("block_time_ms", "block_time_ms = 0", "block_time_ms"),
        ("block_time_ms", "block_time_ms = 1.5", "block_time_ms"),
        ("block_time_ms", "block_time_ms = 86400001", "block_time_ms"),
        ("block_time_ms", "block_time_ms = 1\nrules_checked = 1", "rules_checked"),
        ("block_time_ms", "block_time_ms = 1\nrules_checked = {}", "rules_checked.fork"),
        (
            "block_time_ms",
            "block_time_ms = 1\nrules_checked = { fork = \"a\", source = \"b\", date = \"2026-13-01\" }",
            "rules_checked.date",
        ),
        ("rules", "rules = []", "rules"),
        ("rules", "rules = [1]", "rules[0]"),
        ("rules", "rules = [{ from = 0 }]", "rules[0].code"),
        ("rules", "rules = [{ code = 1 }]", "rules[0].from"),
        ("rules", "rules = [{ from = 0, code = 7 }]", "rules[0].code"),
        ("rules", "rules = [{ from = 0, code = 0 }]", "rules[0].code"),
        ("rules", "rules = [{ from = 0, code = 0x0101 }]", "rules[0].code"),
        ("rules", "rules = [{ from = 0, code = 65537 }]", "rules[0].code"),
        ("rules", "rules = [{ from = 5, code = 1 }, { from = 5, code = 2 }]", "rules[1].from"),
        ("rules", "rules = [{ from = 5, code = 1 }, { from = 4, code = 2 }]", "rules[1].from"),
        ("rules", "rules = [{ from = 9007199254740992, code = 1 }]", "rules[0].from"),
    ] {
        let error = refused(&bent(key, line));
        assert!(error.starts_with(&format!("row 0: {field} is ")), "{line}: {error}");
        assert!(error.contains(", expected "), "{error}");
    }
}

#[test]
fn a_collected_chain_of_bitcoins_family_has_its_constants_and_no_other_chain_has() {
    let row = "[[chain]]\nid = 3\nname = \"Coin\"\nslug = \"coin\"\nfamily = \"bitcoin\"\n\
        caip2 = \"bip122:00\"\naliases = []\n\
        target_limit_bits = 0x207fffff\ncoinbase_height_from = 0\nconfirmations = 10000\n\
        retarget = \"test3\"\nevidence = \"consensus\"\nblock_time_ms = 1\nrules = [{ from = 0, code = 0x0101 }]\n";
    let (target_limit_bits, coinbase_height_from, confirmations) = (0x207f_ffff, 0, 10_000);
    let retarget = Retarget::Test3;
    let unprovable = Vec::new();
    let params = BitcoinParams {
        target_limit_bits,
        coinbase_height_from,
        confirmations,
        retarget,
        checkpoints: Vec::new(),
        unprovable,
    };
    let registry = ChainRegistry::parse(row).unwrap();
    assert_eq!(registry.rows()[0].ledger, Ledger::Bitcoin(params));
    for (from, to, field) in [
        ("target_limit_bits = 0x207fffff\n", "", "target_limit_bits"),
        ("0x207fffff", "0x1e0000ff", "target_limit_bits"),
        ("0x207fffff", "0x207fffff00", "target_limit_bits"),
        ("0x207fffff", "0", "target_limit_bits"),
        ("coinbase_height_from = 0", "coinbase_height_from = -1", "coinbase_height_from"),
        ("confirmations = 10000", "confirmations = 10001", "confirmations"),
        ("confirmations = 10000", "confirmations = 0", "confirmations"),
        ("retarget = \"test3\"\n", "", "retarget"),
        ("\"test3\"", "\"test2\"", "retarget"),
    ] {
        let error = refused(&row.replace(from, to));
        assert!(error.starts_with(&format!("row 0: {field} is ")), "{to}: {error}");
    }
    let (header, known) = ("00".repeat(80), "\ncheckpoints = [{ number = 2016, header = \"");
    let with = |number: &str, header: &str| {
        let known = known.replace("2016", number);
        row.replace("\nretarget", &format!("{known}{header}\" }}]\nretarget"))
    };
    ChainRegistry::parse(&with("2016", &header)).unwrap();
    for (number, header, field) in [
        ("2016", &header[2..], "checkpoints[0].header"),
        ("2016", &header.replace('0', "g"), "checkpoints[0].header"),
        ("2017", &header, "checkpoints[0].number"),
    ] {
        let error = refused(&with(number, header));
        assert!(error.starts_with(&format!("row 0: {field} is ")), "{error}");
    }
    let other = [ROW, "confirmations = 6"].concat();
    assert_eq!(refused(&other), format!("row 0: confirmations {NO_FIELD}"));
}

/// Rows are never changed but by a rule at their end: this one ends the chain's proofs.
#[test]
fn a_chain_is_withdrawn_by_a_table_beside_the_rows() {
    let text = [ROW, "[[withdraw]]\nchain = \"ETH\"\nfrom = 19"].concat();
    let registry = ChainRegistry::parse(&text).unwrap();
    let row = &registry.rows()[0];
    assert_eq!(row.withdrawn_from(), Some(BlockNumber(19)));
    assert_eq!(row.rule_at(BlockNumber(18)), Some(HashRule::Evm(Layout::Aura)));
    assert_eq!(row.rule_at(BlockNumber(19)), Some(HashRule::Withdrawn));
    let profile = &registry.proof_registry().rows()[0];
    assert_eq!(profile.withdrawn_from(), Some(19), "a log commits to it");
    assert_eq!(ChainRegistry::builtin().rows()[0].withdrawn_from(), None);
}

#[test]
fn a_withdrawal_that_says_too_little_or_too_much_is_refused() {
    let with = |table: &str| refused(&[ROW, "[[withdraw]]\n", table].concat());
    for (table, expected) in [
        ("from = 9", "withdraw[0]: chain is missing"),
        ("chain = 1\nfrom = 9", "withdraw[0]: chain is 1,"),
        ("chain = \"atlantis\"\nfrom = 9", "withdraw[0]: chain is \"atlantis\""),
        ("chain = \"1\"", "withdraw[0]: from is missing"),
        ("chain = \"1\"\nfrom = \"9\"", "withdraw[0]: from is"),
        ("chain = \"1\"\nfrom = 10", "withdraw[0]: from is 10,"),
        ("chain = \"1\"\nfrom = -1", "withdraw[0]: from is -1"),
        ("chain = \"1\"\nfrom = 9007199254740992", "withdraw[0]: from is 9007199254740992"),
        ("chain = \"1\"\nfrom = 19\nto = 20", "withdraw[0]: a field is to"),
        (
            "chain = \"1\"\nfrom = 19\n[[withdraw]]\nchain = \"1\"\nfrom = 20",
            "withdraw[1]: chain is ethereum, expected a chain that is not withdrawn yet",
        ),
    ] {
        let error = with(table);
        assert!(error.starts_with(expected), "{table}: {error}");
    }
    assert!(refused(&["withdraw = [7]\n", ROW].concat()).starts_with("withdraw[0]: it is"));
    assert!(refused(&["withdraw = 7\n", ROW].concat()).starts_with("expected [[chain]] tables"));
}

#[test]
fn unknown_keys_are_errors() {
    let extra = [ROW, "colour = \"red\""].concat();
    assert_eq!(refused(&extra), format!("row 0: colour {NO_FIELD}"));
    let inner = bent("rules", "rules = [{ from = 0, code = 1, to = 5 }]");
    assert_eq!(refused(&inner), format!("row 0: rules[0].to {NO_FIELD}"));
    let inner = bent("encodings", "encodings = [{ from = 0, name = \"ethereum\", to = 5 }]");
    assert_eq!(refused(&inner), format!("row 0: encodings[0].to {NO_FIELD}"));
    let cosmos =
        SECOND.replace("aliases", "encodings = [{ from = 5, name = \"ethereum\" }]\naliases");
    assert_eq!(refused(&[ROW, &cosmos].concat()), format!("row 1: encodings {NO_FIELD}"));
    let error = refused(&["title = 1\n", ROW].concat());
    assert_eq!(error, "expected [[chain]] tables, [[withdraw]] tables and nothing else, got title");
    assert!(refused("chain = 5").starts_with("expected [[chain]] tables"));
    assert!(refused("chain = [5]").starts_with("expected [[chain]] tables"));
    assert!(matches!(ChainRegistry::parse("chain = "), Err(ChainRegistryError::Syntax(_))));
}

#[test]
fn an_id_or_word_leads_to_one_row_only() {
    for (from, to, field) in [
        ("id = 2", "id = 1", "id 1"),
        ("id = 2", "id = 77", "id 77"),
        ("aliases = []", "aliases = [1]", "aliases 1"),
        ("aliases = []", "aliases = [77]", "aliases 77"),
        ("aliases = []", "aliases = [\"ETH\"]", "aliases eth"),
        ("name = \"Second\"", "name = \"EthereuM\"", "name ethereum"),
        ("slug = \"second\"", "slug = \"eth\"", "slug eth"),
    ] {
        let text = [ROW, &SECOND.replace(from, to)].concat();
        assert_eq!(refused(&text), format!("row 1: {field} already leads to row 0"), "{to}");
    }
    let third = SECOND.replace("id = 2", "id = 3").replace("\"Second\"", "\"Third\"");
    let third = third.replace("\"second\"", "\"third\"");
    let error = refused(&[ROW, SECOND, &third].concat());
    assert_eq!(error, "row 2: caip2 cosmos:second already leads to row 1");
}

/// Who asks for `eip155:1` means the chain of that id, whatever a row says.
#[test]
fn a_name_of_an_evm_chain_leads_to_no_row_of_another() {
    for (from, to, field) in [
        ("aliases = []", "aliases = [\"eip155:1\"]", "aliases[0]"),
        ("\"Second\"", "\"eip155:1\"", "name"),
        ("cosmos:second", "eip155:2", "caip2"),
        ("cosmos:second", "eip155:1", "caip2"),
    ] {
        let error = refused(&[ROW, &SECOND.replace(from, to)].concat());
        assert!(error.starts_with(&format!("row 1: {field} is ")), "{to}: {error}");
    }
}

#[test]
fn there_are_1_to_45_rows() {
    let row = |id: usize| {
        let text = SECOND.replace("id = 2", &format!("id = {}", 1000 + id));
        text.replace("Second", &format!("Row {id}")).replace("second", &format!("row-{id}"))
    };
    let rows = |count: usize| (0..count).map(row).collect::<String>();
    assert_eq!(ChainRegistry::parse(&rows(45)).unwrap().rows().len(), 45);
    assert_eq!(refused(&rows(46)), "expected 1 to 45 rows, got 46");
    assert_eq!(refused(""), "expected 1 to 45 rows, got 0");
}

/// The first row with lines added.
fn longer(lines: &str) -> String {
    [ROW, lines].concat()
}

#[test]
fn what_is_unproven_or_unprovable_is_read_from_the_row() {
    let text = longer(
        "unproven_rules = \"all\"\nunprovable = [{ from = 5, to = 7, what = \"body\", why = \"a\" }, \
         { from = 6, what = \"body with 0x7f\", why = \"b\" }]\n",
    );
    let registry = ChainRegistry::parse(&text).unwrap();
    let row = &registry.rows()[0];
    assert_eq!(row.unproven_rules.as_deref(), Some("all"));
    let [first, second] = row.ledger.unprovable() else { panic!("two") };
    assert_eq!((first.what, second.what), (UnprovablePart::Body, UnprovablePart::BodyWith(0x7f)));
    let holds =
        |number| (first.holds_at(BlockNumber(number)), second.holds_at(BlockNumber(number)));
    assert_eq!(
        [4, 5, 6, 7, 8].map(holds),
        [(false, false), (true, false), (true, true), (true, true), (false, true)]
    );
    for (line, field) in [
        ("unproven_rules = \"\"", "unproven_rules"),
        ("unproven_rules = true", "unproven_rules"),
        ("unprovable = []", "unprovable"),
        ("unprovable = [1]", "unprovable[0]"),
        ("unprovable = [{ what = \"body\", why = \"a\" }]", "unprovable[0].from"),
        ("unprovable = [{ from = 5, to = 4, what = \"body\", why = \"a\" }]", "unprovable[0].to"),
        ("unprovable = [{ from = 5, what = \"all\", why = \"a\" }]", "unprovable[0].what"),
        (
            "unprovable = [{ from = 5, what = \"body with 0x7\", why = \"a\" }]",
            "unprovable[0].what",
        ),
        ("unprovable = [{ from = 5, what = \"body\" }]", "unprovable[0].why"),
        ("unprovable = [{ from = 5, what = \"body\", why = \"a\\u001bc\" }]", "unprovable[0].why"),
    ] {
        let error = refused(&longer(line));
        assert!(error.starts_with(&format!("row 0: {field} is ")), "{line}: {error}");
    }
    let long = bent("name", &format!("name = \"{}\"", "a".repeat(100_000)));
    assert!(refused(&long).len() < 200);
    let long = longer(&format!("unproven_rules = \"{}\"", "a".repeat(100_000)));
    assert!(refused(&long).len() < 200);
}

#[test]
fn names_of_encodings_and_parts_lead_back() {
    for encoding in Encoding::ALL {
        assert_eq!(Encoding::from_name(encoding.name()), Some(encoding));
        assert!(encoding.tx_types().is_sorted() && encoding.tx_types().contains(&0));
    }
    for name in ["body", "receipts", "body with 0x7f", "body with 64 bytes", "receipts if settled"]
    {
        assert_eq!(UnprovablePart::from_name(name).unwrap().to_string(), name);
    }
}

#[test]
fn encodings_hold_from_their_number_on() {
    let registry = ChainRegistry::builtin();
    let at = |slug: &str, number| match &registry.find(slug).unwrap().ledger {
        Ledger::Evm(params) => params.encoding_at(BlockNumber(number)),
        _ => None,
    };
    assert_eq!(at("optimism", 105_235_062), Some(Encoding::PreBedrock));
    assert_eq!(at("optimism", 105_235_063), Some(Encoding::OpStack));
    assert_eq!(at("celo", 31_056_499), Some(Encoding::CeloL1));
    assert_eq!(at("celo", 31_056_500), Some(Encoding::CeloL2));
    assert_eq!(at("solana", 5), None);
}

/// A row that says two things of its network is refused, and the field is named.
#[test]
fn rows_that_contradict_themselves_are_refused_by_field() {
    let rows = superroot_chain::registry::ROWS;
    for (said, other, field) in [
        ("caip2 = \"aptos:1\"", "caip2 = \"aptos:2\"", "caip2"),
        ("network = 1\n", "network = 2\n", "caip2"),
        ("caip2 = \"tron:0x2b6653dc\"", "caip2 = \"tron:0x2b6653dd\"", "caip2"),
        ("d22b6653dc\"", "d22b6653dd\"", "caip2"),
        ("caip2 = \"eip155:10\"", "caip2 = \"eip155:11\"", "caip2"),
    ] {
        assert!(rows.contains(said), "{said}");
        let error = ChainRegistry::parse(&rows.replacen(said, other, 1)).unwrap_err().to_string();
        assert!(error.contains(field) && error.contains("expected"), "{other}: {error}");
    }
}

/// The verifier's own list of chains whose blooms bind is that of the rows: where the encoding says that logs
/// stand outside, they do not bind, and no chain of the registry is missing.
#[test]
fn blooms_bind_where_the_rows_say_that_all_logs_are_in_them() {
    use superroot_proof::scan::{BLOOMS_BIND, check_bloom};
    let (mut bound, mut unbound) = (0, 0);
    for row in ChainRegistry::builtin().rows() {
        let mut numbers = vec![0, 31_056_499, 31_056_500, 80_000_000];
        numbers.extend(row.rules.iter().map(|rule| rule.from_number));
        for number in numbers.into_iter().map(BlockNumber) {
            let Some(rule) = row.rule_at(number) else { continue };
            let binds = check_bloom(row.key(), number, rule).is_ok();
            let outside = row.ledger.logs_outside_bloom(number, number).is_some();
            let is_classic = row.slug == "arbitrum" && number.0 < 22_207_818;
            let expected = row.ledger.check_bloom().is_ok() && !outside && !is_classic;
            assert_eq!(binds, expected, "{} at {number}", row.name);
            bound += usize::from(binds);
            unbound += usize::from(!binds);
        }
    }
    assert!(bound > 40 && unbound > 20, "{bound} bind, {unbound} do not");
    let is_known = |id: u64| ChainRegistry::builtin().rows().iter().any(|row| row.id.0 == id);
    assert!(BLOOMS_BIND.iter().all(|(id, _)| is_known(*id)));
}
