//! What `/metrics` tells: every name that the documents list, and that it moves when it should; and that
//! the alerts and the dashboard of `config/monitoring/` ask for nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::support::anvil::{Anvil, creation_code, until};
use crate::support::gateway::{Fault, Gateway};
use crate::support::world::{World, anchored};
use crate::support::{Service, http};
use serde_json::{Value, json};
use superroot_chain::BlockCheck;

const CHAIN: u64 = 31_337;

const ALERTS: &str = "config/monitoring/alerts.yml";
const DASHBOARD: &str = "config/monitoring/dashboard.json";

/// The text of a file of the repository.
fn text_of(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    std::fs::read_to_string(path).unwrap()
}

/// Names and types of the table in docs/metrics.md.
fn documented() -> BTreeMap<String, String> {
    let text = text_of("docs/metrics.md");
    let rows = text.lines().filter(|line| line.starts_with("| `superroot_"));
    let cells = rows.map(|row| row.split('|').map(str::trim).collect::<Vec<_>>());
    cells.map(|cells| (cells[1].trim_matches('`').to_owned(), cells[2].to_owned())).collect()
}

/// Every name that the crates' sources give to something measured.
fn measured(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            measured(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            if !text.contains("metrics::") {
                continue;
            }
            let quoted = text.split('"').filter(|part| part.starts_with("superroot_"));
            let word = |part: &&str| part.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
            names.extend(quoted.filter(word).map(str::to_owned));
        }
    }
}

#[test]
fn what_is_measured_is_documented_and_what_is_documented_is_measured() {
    let mut names = BTreeSet::new();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for entry in std::fs::read_dir(crates).unwrap() {
        let sources = entry.unwrap().path().join("src");
        if sources.is_dir() {
            measured(&sources, &mut names);
        }
    }
    let documented: BTreeSet<_> = documented().into_keys().collect();
    assert!(names.len() >= 20, "{names:?}");
    assert_eq!(names, documented);
}

/// Whether a name is that of something measured, or of a part that a summary or a histogram has.
fn is_told(name: &str, documented: &BTreeMap<String, String>) -> bool {
    let kind_without = |part: &str| {
        let kind = documented.get(name.strip_suffix(part)?)?;
        Some(kind.as_str())
    };
    let has_sum = |part: &str| matches!(kind_without(part), Some("summary" | "histogram"));
    documented.contains_key(name)
        || has_sum("_sum")
        || has_sum("_count")
        || kind_without("_bucket") == Some("histogram")
}

#[test]
fn alerts_and_panels_ask_for_nothing_that_is_not_measured() {
    let documented = documented();
    for file in [ALERTS, DASHBOARD] {
        let text = text_of(file);
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let names: BTreeSet<_> = words.filter(|word| word.starts_with("superroot_")).collect();
        assert!(names.len() >= 15, "{file}: {names:?}");
        for name in names {
            assert!(is_told(name, &documented), "{file} asks for {name}");
        }
    }
}

/// Alerts of the rules: the name of each, and the lines below it.
fn alerts(rules: &str) -> BTreeMap<&str, &str> {
    let each = rules.split("- alert: ").skip(1);
    each.map(|alert| alert.split_once('\n').unwrap()).collect()
}

#[test]
fn every_alert_says_how_bad_it_is_and_has_a_paragraph() {
    let (rules, page) = (text_of(ALERTS), text_of("docs/operations.md"));
    assert!(!rules.contains('\t'), "YAML has no tabs");
    let alerts = alerts(&rules);
    assert!(alerts.len() >= 10, "{alerts:?}");
    assert_eq!(alerts.len(), rules.matches("- alert: ").count(), "a name stands twice");
    for (name, lines) in &alerts {
        let has = |start: &str| lines.lines().any(|line| line.trim_start().starts_with(start));
        for key in ["expr: ", "for: ", "severity: ", "summary: ", "description: "] {
            assert!(has(key), "{name} has no {key}");
        }
        let runbook = format!("runbook: docs/operations.md#{}", name.to_lowercase());
        assert!(has(&runbook), "{name} does not have {runbook}");
    }
    let headings = page.lines().filter_map(|line| line.strip_prefix("### Superroot"));
    let headings: BTreeSet<_> = headings.map(|rest| format!("Superroot{rest}")).collect();
    let names: BTreeSet<_> = alerts.into_keys().map(str::to_owned).collect();
    assert_eq!(headings, names);
}

#[test]
fn every_panel_says_what_it_shows_and_in_which_unit() {
    let dashboard: Value = serde_json::from_str(&text_of(DASHBOARD)).unwrap();
    assert!(dashboard["schemaVersion"].as_u64().unwrap() >= 39);
    let panels = dashboard["panels"].as_array().unwrap();
    let ids: BTreeSet<_> = panels.iter().map(|panel| panel["id"].as_u64().unwrap()).collect();
    assert_eq!(ids.len(), panels.len(), "an id stands twice");
    let shown: Vec<_> = panels.iter().filter(|panel| panel["type"] != "row").collect();
    assert!(shown.len() >= 20, "{}", shown.len());
    for panel in shown {
        for key in ["/title", "/description", "/fieldConfig/defaults/unit", "/targets/0/expr"] {
            let text = panel.pointer(key).and_then(Value::as_str).unwrap_or_default();
            assert!(!text.is_empty(), "{key} of panel {}", panel["title"]);
        }
    }
}

/// What `/metrics` says: types by name, and values by name with labels.
struct Scrape {
    types: BTreeMap<String, String>,
    values: BTreeMap<String, f64>,
    /// Names that say what they are.
    helped: BTreeSet<String>,
}

impl Scrape {
    async fn of(url: &str) -> Self {
        let text = http().get(url).send().await.unwrap().text().await.unwrap();
        let (mut types, mut values) = (BTreeMap::new(), BTreeMap::new());
        let mut helped = BTreeSet::new();
        for line in text.lines() {
            if let Some((name, about)) =
                line.strip_prefix("# HELP ").and_then(|said| said.split_once(' '))
            {
                assert!(!about.is_empty(), "{name}");
                helped.insert(name.to_owned());
            }
            if let Some(said) = line.strip_prefix("# TYPE ") {
                let (name, kind) = said.split_once(' ').unwrap();
                types.insert(name.to_owned(), kind.to_owned());
            } else if let Some((name, value)) =
                line.rsplit_once(' ').filter(|_| !line.starts_with('#'))
            {
                values.insert(name.to_owned(), value.parse().unwrap());
            }
        }
        Self { types, values, helped }
    }

    /// The sum of the values of a name whose labels hold that text.
    fn sum(&self, name: &str, label: &str) -> f64 {
        let of_name = |full: &str| full.split('{').next() == Some(name) && full.contains(label);
        self.values.iter().filter(|(full, _)| of_name(full)).map(|(_, value)| value).sum()
    }
}

/// Waits until the sum of a name's values is above zero.
async fn moves(url: &str, name: &str, label: &str) {
    until(&format!("{name} moves"), async || {
        (Scrape::of(url).await.sum(name, label) > 0.0).then_some(())
    })
    .await;
}

fn metrics_url(service: &Service) -> String {
    let screen = service.screen.lock().unwrap();
    let line = screen.lines().find_map(|line| line.strip_prefix("metrics on "));
    line.unwrap_or_else(|| panic!("{screen}")).to_owned()
}

/// A node that is sound, then lies, answers a page, reorganises, and at last contradicts itself.
#[tokio::test(flavor = "multi_thread")]
async fn counters_and_gauges_move_with_what_a_node_does() {
    let Some(node) = Anvil::start(CHAIN, 1) else { return };
    let other = Anvil::start(CHAIN, 1).unwrap();
    let gateway = Gateway::to(&node.url).await;
    let world = World::of(&[&node]);
    let endpoint = format!("[[endpoint]]\nchain = \"{CHAIN}\"\nurl = \"{}\"\n", gateway.url);
    std::fs::write(world.path("endpoints.toml"), endpoint).unwrap();
    node.mine(12).await;
    other.call("anvil_mine", json!(["0x30", "0x3"])).await; // of other times, so of other hashes
    let service = world.serve(&[
        ("SUPERROOT__SERVER__METRICS_LISTEN", "127.0.0.1:0"),
        ("SUPERROOT__SOURCE__WRONG_PAUSE_MS", "100"),
        ("SUPERROOT__SOURCE__WRONG_PAUSE_MAX_MS", "200"),
        ("SUPERROOT__SOURCE__CALLS_PER_SECOND_MAX", "10000"),
    ]);
    anchored(&service, CHAIN, 10).await;
    let url = metrics_url(&service);
    let at_first = Scrape::of(&url).await;
    for check in BlockCheck::ALL.map(BlockCheck::name).iter().chain(&superroot_collect::OWN_CHECKS)
    {
        let label = format!("check=\"{check}\"");
        let series = at_first.values.keys().filter(|name| name.contains(&label));
        assert_eq!(series.count(), 2, "{check} stands at 0 before it ever failed");
    }
    for (name, least) in [
        ("superroot_collect_final_blocks_total", 11.0),
        ("superroot_source_calls_total", 10.0),
        ("superroot_source_received_bytes", 1_000.0),
        ("superroot_accumulate_super_roots_total", 1.0),
        ("superroot_api_requests_total", 1.0),
        ("superroot_node_head_number", 12.0),
        ("superroot_node_final_number", 10.0),
        ("superroot_node_store_bytes", 1_000.0),
        ("superroot_node_disk_free_bytes", 1_000.0),
        ("superroot_api_request_seconds_bucket", 1.0),
        ("superroot_node_stage_steps_total", 10.0),
    ] {
        assert!(at_first.sum(name, "") >= least, "{name}: {}", at_first.sum(name, ""));
    }
    let failed = "superroot_collect_failed_checks_total";
    for name in [failed, "superroot_source_wrong_total", "superroot_collect_reorgs_total"] {
        assert_eq!(at_first.sum(name, "").to_bits(), 0, "{name}: nothing was wrong yet");
    }

    gateway.bend(Fault::Header);
    node.mine(1).await;
    moves(&url, failed, "check=").await;
    moves(&url, "superroot_source_wrong_total", "").await;
    // a body that the only operator sends so may be of rules that changed
    gateway.bend(Fault::Receipts);
    let deploy = node.send(None, &creation_code("v2-core", "UniswapV2Factory")).await;
    node.mine(3).await;
    moves(&url, "superroot_collect_withheld_bodies_total", "check=").await;
    gateway.bend(Fault::Page);
    moves(&url, "superroot_source_failures_total", "kind=\"not_json_rpc\"").await;
    gateway.bend(Fault::None);
    node.mine(3).await;
    anchored(&service, CHAIN, 13).await;
    assert!(!deploy.is_empty());
    until("the head is followed", async || {
        (Scrape::of(&url).await.sum("superroot_node_head_number", "") >= 19.0).then_some(())
    })
    .await;
    node.call("anvil_reorg", json!([1, []])).await;
    moves(&url, "superroot_collect_reorgs_total", "").await;
    gateway.turn_to(&other.url);
    moves(&url, "superroot_collect_retractions_total", "").await;

    let at_last = Scrape::of(&url).await;
    let documented = documented();
    let of_service = at_last.types.iter().filter(|(name, _)| name.starts_with("superroot_"));
    for (name, kind) in of_service {
        assert_eq!(documented.get(name), Some(kind), "{name}");
        assert!(at_last.helped.contains(name), "{name} does not say what it is");
    }
    for name in ["process_resident_memory_bytes", "process_open_fds", "process_start_time_seconds"]
    {
        assert!(at_last.sum(name, "") > 0.0, "{name}");
    }
    // other commands tell these, or a service that has witnesses or contracts
    let elsewhere = ["_witness_", "_audit_", "_anchor_", "_payments_", "_checkpoint_", "_passes_"];
    let is_elsewhere = |name: &&String| elsewhere.iter().any(|part| name.contains(part));
    let missing: Vec<_> = documented
        .keys()
        .filter(|name| !is_elsewhere(name) && !at_last.types.contains_key(*name))
        .collect();
    assert!(missing.is_empty(), "documented and not told: {missing:?}");
}
