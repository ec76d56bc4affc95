//! `superroot inspect`: contents of a proof file, without verification.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use serde_json::{Value, json};
use superroot_proof::bundle::{Bundle, SuperRootProof, TwigPosition};
use superroot_proof::superroot::SuperRoot;
use superroot_types::{Network, ProofLevel};
use superroot_wire::proof::entry_parts;
use superroot_wire::scan::is_scan;

use super::output::print;
use super::report::{
    ShownMember, object, origin_lines, print_members, read_unverified, statement_json,
    statement_words,
};
use super::style::{HEADING, WARNING, plain, styled};
use super::verify::{input, super_roots};

/// Arguments of `inspect`.
#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// Proof file, or JSON answer of a proof route, also a batch; `-` reads standard input.
    file: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Prints the parts of each proof. An invalid item is named, and shows in the exit code.
pub(crate) fn run(args: &InspectArgs, out: &mut dyn io::Write) -> anyhow::Result<ExitCode> {
    let body = input::read(&args.file)?;
    if let Some((kind, _)) = super_roots::RootsAnswerKind::of(&body) {
        let name = kind.name();
        bail!("this is a {name} of SuperRoots: `superroot verify` checks and shows it");
    }
    if is_scan(&body) {
        bail!("this is a scan of a range of blocks: `superroot verify` checks and shows it");
    }
    if superroot_client::is_price(&body) || superroot_client::is_signal(&body) {
        bail!(
            "this is a price or a launch with several proofs: `superroot verify` checks and shows it"
        );
    }
    if input::calldata(&body).is_some() {
        bail!("this is a proof for contracts: `superroot verify` checks and shows it");
    }
    let Some(batch) = input::batch(&body) else {
        let read = read_unverified(&body).map_err(|why| anyhow::Error::msg(plain(&why)))?;
        let text = if args.json { format!("{:#}\n", to_json(&read)) } else { to_text(&read) };
        return print(out, &text, ExitCode::SUCCESS);
    };
    let mut text = String::new();
    let mut reports = Vec::new();
    let mut code = ExitCode::SUCCESS;
    for (index, item) in batch?.items.iter().enumerate() {
        text += &format!("{}\n\n", styled(HEADING, format!("--- item {index} ---")));
        match read_unverified(item.to_string().as_bytes()) {
            Ok(bundle) => {
                text += &to_text(&bundle);
                reports.push(to_json(&bundle));
            }
            Err(why) => {
                code = ExitCode::from(2);
                text += &styled(WARNING, plain(&why));
                reports.push(json!({ "verified": false, "error": why }));
            }
        }
        text.push('\n');
    }
    if args.json {
        text = format!("{:#}\n", json!({ "verified": false, "items": reports }));
    }
    print(out, &text, code)
}

struct ProofPart {
    level: ProofLevel,
    what: &'static str,
    claimed: Vec<ShownMember>,
}

fn to_text(bundle: &Bundle) -> String {
    let words = styled(HEADING, statement_words(bundle));
    let mut text = format!("{}  {words}\n", styled(HEADING, "Claimed  "));
    text += &origin_lines(&bundle.origin);
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
        json!({
            "level": part.level.number(),
            "name": part.level.name(),
            "what": part.what,
            "claimed": object(&part.claimed),
        })
    });
    json!({
        "verified": false,
        "network": Network::of_origin(&bundle.origin),
        "origin": bundle.origin,
        "statement": statement_json(bundle),
        "parts": parts.collect::<Value>(),
        "binary_bytes": bundle.encode().len(),
    })
}

fn parts(bundle: &Bundle) -> Vec<ProofPart> {
    let mut parts = Vec::new();
    let mut put = |level, what, claimed| parts.push(ProofPart { level, what, claimed });
    for (what, claimed) in bundle.entry.as_ref().map(entry_parts).unwrap_or_default() {
        put(ProofLevel::Entry, what, claimed);
    }
    if let Some(block) = &bundle.block {
        let header = &block.header;
        let hash = block.block_hash;
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
        Some(TwigPosition::Sealed(sealed)) => {
            let claimed = vec![
                ("leaf_index", json!(sealed.leaf_index)),
                ("leaf_count", json!(sealed.leaf_count)),
                ("sibling_count", json!(sealed.siblings.len())),
                ("mini_mmr_root", json!(sealed.root)),
            ];
            put(ProofLevel::MiniMmr, "path of the sealed twig in its Mini-MMR", claimed);
        }
        Some(TwigPosition::Open(open)) => {
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
            claimed.push(("super_root_hash", json!(super_root.hash())));
            claimed.push(("sequence", json!(super_root.sequence)));
            claimed.push(("timestamp", json!(super_root.timestamp)));
            claimed.push(("log_id", json!(super_root.log_id)));
        }
        Err(error) => claimed.push(("malformed", json!(error.to_string()))),
    }
    claimed.push(("registry_row", json!(proof.registry.row)));
    claimed.push(("registry_rows", json!(proof.registry.count)));
    claimed
}
