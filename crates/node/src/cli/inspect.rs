//! `superroot inspect`: what a proof file holds, without judging it.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::{Map, Value, json};
use superroot_proof::bundle::{Bundle, Place, SuperRootProof};
use superroot_proof::superroot::SuperRoot;
use superroot_types::{Hash, Network, ProofLevel};
use superroot_wire::proof::entry_parts;

use super::fail;
use super::report::{ShownMember, print_members, read_unverified, statement_json, statement_words};
use super::style::{HEADING, WARNING, styled};
use super::verify::{batch, input, print, super_roots};

/// Arguments of `inspect`.
#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// Proof file or JSON answer of a proof route, a batch too; `-` reads standard input.
    file: PathBuf,
    /// Prints one JSON object.
    #[arg(long)]
    json: bool,
}

/// Prints the parts of a proof, or of each proof of a batch.
pub(crate) fn run(args: InspectArgs, out: &mut dyn io::Write) -> ExitCode {
    let body = match input::read(&args.file) {
        Ok(body) => body,
        Err(error) => return fail(&super::style::plain(&error.to_string())),
    };
    if let Some(items) = batch::items(&body) {
        return match items {
            Ok(items) => each(&items, args.json, out),
            Err(error) => fail(&super::style::plain(&error.to_string())),
        };
    }
    if let Some((kind, _)) = super_roots::Kind::of(&body) {
        let name = kind.name();
        return fail(&format!(
            "this is a {name} of SuperRoots: `superroot verify` checks and shows it"
        ));
    }
    let bundle = match read_unverified(&body) {
        Ok(bundle) => bundle,
        Err(why) => return fail(&super::style::plain(&why)),
    };
    let text = if args.json { format!("{:#}\n", to_json(&bundle)) } else { to_text(&bundle) };
    print(out, &text, ExitCode::SUCCESS)
}

/// Prints every item of a batch. One that is no proof is named, and the exit code says so.
fn each(items: &[Value], json: bool, out: &mut dyn io::Write) -> ExitCode {
    let read: Vec<_> =
        items.iter().map(|item| read_unverified(item.to_string().as_bytes())).collect();
    let code = if read.iter().all(Result::is_ok) { ExitCode::SUCCESS } else { ExitCode::from(2) };
    if json {
        let shown = read.iter().map(|item| match item {
            Ok(bundle) => to_json(bundle),
            Err(why) => json!({ "verified": false, "error": why }),
        });
        let report = json!({ "verified": false, "items": shown.collect::<Value>() });
        return print(out, &format!("{report:#}\n"), code);
    }
    let mut text = String::new();
    for (index, item) in read.iter().enumerate() {
        text += &format!("{}\n\n", styled(HEADING, format!("--- item {index} ---")));
        text += &match item {
            Ok(bundle) => to_text(bundle),
            Err(why) => styled(WARNING, super::style::plain(why)) + "\n",
        };
        text.push('\n');
    }
    text += &format!("{} items\n", read.len());
    print(out, &text, code)
}

/// A part of a proof, with what it says.
struct Part {
    level: ProofLevel,
    what: &'static str,
    claimed: Vec<ShownMember>,
}

fn to_text(bundle: &Bundle) -> String {
    let words = styled(HEADING, statement_words(&bundle.statement));
    let mut text = format!("{}  {words}\n", styled(HEADING, "Claimed  "));
    text += &super::report::origin_lines(&bundle.origin);
    for part in parts(bundle) {
        text +=
            &format!("\nlevel {}  {:<11} {}\n", part.level.number(), part.level.name(), part.what);
        print_members(&mut text, &part.claimed);
    }
    let warning = "Nothing of this was verified; `superroot verify` does that.";
    text += &format!("\n{}\n", styled(WARNING, warning));
    text
}

fn to_json(bundle: &Bundle) -> Value {
    let parts = parts(bundle).into_iter().map(|part| {
        let claimed = part.claimed.into_iter().map(|(name, value)| (name.to_owned(), value));
        json!({
            "level": part.level.number(),
            "name": part.level.name(),
            "what": part.what,
            "claimed": claimed.collect::<Map<_, _>>(),
        })
    });
    json!({
        "verified": false,
        "network": Network::of_origin(&bundle.origin),
        "origin": bundle.origin,
        "statement": statement_json(&bundle.statement),
        "parts": parts.collect::<Value>(),
        "binary_bytes": bundle.encode().len(),
    })
}

/// The parts that are there, lowest level first.
fn parts(bundle: &Bundle) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut put = |level, what, claimed| parts.push(Part { level, what, claimed });
    for (what, claimed) in bundle.entry.as_ref().map(entry_parts).unwrap_or_default() {
        put(ProofLevel::Entry, what, claimed);
    }
    if let Some(block) = &bundle.block {
        let (header, hash) = (&block.header, block.block_hash);
        let claimed = vec![
            ("block_hash", json!(hash)),
            ("header_bytes", json!(header.len())),
            ("header", json!(const_hex::encode_prefixed(header))),
        ];
        put(ProofLevel::Block, "header", claimed);
    }
    if let Some(twig) = bundle.twig() {
        let claimed = vec![
            ("twig_index", json!(bundle.statement.number.twig_index())),
            ("slot", json!(bundle.statement.number.twig_slot())),
            ("sibling_count", json!(twig.siblings.len())),
            ("twig_root", json!(twig.root)),
        ];
        put(ProofLevel::Twig, "path of the block in its twig", claimed);
    }
    match bundle.place() {
        None => {}
        Some(Place::Sealed(sealed)) => {
            let claimed = vec![
                ("leaf_index", json!(sealed.leaf_index)),
                ("leaf_count", json!(sealed.leaf_count)),
                ("sibling_count", json!(sealed.siblings.len())),
                ("mini_mmr_root", json!(sealed.root)),
            ];
            put(ProofLevel::MiniMmr, "path of the sealed twig in its Mini-MMR", claimed);
        }
        Some(Place::Open(open)) => {
            let claimed = vec![
                ("committed_from", json!(open.start)),
                ("committed_to", json!(open.number)),
                ("last_block_hash", json!(open.block_hash)),
            ];
            put(ProofLevel::SuperRoot, "block reference that holds the open twig", claimed);
        }
    }
    if let Some(proof) = bundle.super_root() {
        put(ProofLevel::SuperRoot, "path of the slot in the SuperRoot", super_root(proof));
    }
    parts
}

fn super_root(proof: &SuperRootProof) -> Vec<ShownMember> {
    let mut claimed = vec![("sibling_count", json!(proof.siblings.len()))];
    match SuperRoot::decode(&proof.preimage) {
        Ok(super_root) => {
            let hash: Hash = super_root.hash();
            claimed.push(("super_root_hash", json!(hash)));
            claimed.push(("sequence", json!(super_root.sequence)));
            claimed.push(("timestamp", json!(super_root.timestamp)));
            claimed.push(("log_id", json!(super_root.log_id)));
        }
        Err(error) => claimed.push(("malformed", json!(error.to_string()))),
    }
    let opening = proof.registry.as_ref().map(|opening| opening.preimage.len());
    claimed.push(("registry_bytes", json!(opening)));
    claimed
}
