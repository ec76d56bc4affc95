//! Answers held against the OpenAPI document.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{LazyLock, Mutex};

use jsonschema::Validator;
use serde_json::{Value, json};

/// Answers of one route, chain and status that are held against it, in one test.
const OF_A_ROUTE: usize = 4;
/// The same of proofs.
const OF_PROOFS: usize = 24;
/// Objects of a ledger's own: the document names every member of theirs.
const OF_LEDGERS: [&str; 9] =
    ["Aptos", "Bitcoin", "Cosmos", "Evm", "Icp", "Polkadot", "Solana", "Sui", "Tron"];

/// The document.
static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../interface/openapi.json");
    let mut document: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    for (name, schema) in document["components"]["schemas"].as_object_mut().unwrap() {
        let of_ledger = name.trim_start_matches("Batch");
        if !OF_LEDGERS.iter().any(|family| of_ledger.starts_with(family)) {
            continue;
        }
        if schema.get("allOf").is_some() {
            schema["unevaluatedProperties"] = false.into();
        } else if schema.get("properties").is_some() && name != "IcpOperation" {
            schema["additionalProperties"] = false.into();
        }
    }
    document
});

/// By method, path and status of the document: what is said there, and how many answers of each chain were held
/// against it.
type Checks = HashMap<String, (Option<Validator>, HashMap<String, usize>)>;

static CHECKS: LazyLock<Mutex<Checks>> = LazyLock::new(Mutex::default);

/// Holds an answer against what the document says of it. What it does not have, and what is no JSON, passes.
pub(super) fn check(method: &str, path: &str, status: u16, body: &[u8]) {
    let Ok(body) = serde_json::from_slice::<Value>(body) else { return };
    let path = path.split('?').next().unwrap();
    let Some((template, item)) = find(path) else { return };
    let operation = &item[method];
    let named = format!("{method} {template} {status}");
    let mut checks = CHECKS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let new = || (validator(operation, status), HashMap::new());
    let (validator, counts) = checks.entry(named).or_insert_with(new);
    let Some(validator) = validator else { return };
    let parts = template.split('/').zip(path.split('/'));
    let chain = parts.filter(|(word, _)| word.starts_with("{chain")).map(|(_, chain)| chain);
    let count = counts.entry(chain.collect()).or_default();
    *count += 1;
    let most = if template.contains("proof") { OF_PROOFS } else { OF_A_ROUTE };
    if *count > most {
        return;
    }
    let faults: Vec<String> = validator
        .iter_errors(&body)
        .map(|fault| format!("{} at {}", fault, fault.instance_path()))
        .map(|fault| fault.chars().take(2_000).collect())
        .collect();
    assert!(
        faults.is_empty(),
        "{method} {path} ({status}) is not as the document says: {faults:#?}"
    );
}

fn validator(operation: &Value, status: u16) -> Option<Validator> {
    let responses = operation["responses"].as_object()?;
    let response = responses.get(&status.to_string()).or_else(|| responses.get("default"))?;
    let response = match response["$ref"].as_str() {
        Some(named) => DOCUMENT.pointer(named.trim_start_matches('#')).unwrap(),
        None => response,
    };
    let content = response["content"].as_object()?;
    let (_, content) = content.iter().find(|(media, _)| media.ends_with("json"))?;
    let whole = json!({ "components": DOCUMENT["components"], "allOf": [content["schema"]] });
    Some(jsonschema::draft202012::new(&whole).unwrap())
}

/// The path of the document that this one is of: that with the most words of its own.
fn find(path: &str) -> Option<(&'static String, &'static Value)> {
    let parts: Vec<&str> = path.split('/').collect();
    let fits = |template: &str| {
        let words: Vec<&str> = template.split('/').collect();
        words.len() == parts.len()
            && words.iter().zip(&parts).all(|(word, part)| word.starts_with('{') || word == part)
    };
    let paths = DOCUMENT["paths"].as_object().unwrap().iter();
    let fitting = paths.filter(|(template, _)| fits(template));
    fitting.min_by_key(|(template, _)| template.matches('{').count())
}
