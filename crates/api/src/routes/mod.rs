//! The table of all routes.

mod accounts;

use axum::routing::{get, post};

pub(crate) use accounts::access_name;

use crate::route::{Endpoint, Grid, Returns};
use crate::{chains, finality, health, pages, planned, proof, superroot, verify};

/// Errors of every proof.
const PROOF_ERRORS: &[&str] = &[
    "unknown_chain",
    "not_provable",
    "not_found",
    "not_indexed",
    "unknown_superroot",
    "not_yet_anchored",
    "not_final",
    "withdrawn",
    "chain_unavailable",
    "starting",
    "nothing_recorded",
];
const SUPER_ROOT_ERRORS: &[&str] = &["unknown_superroot", "starting", "nothing_recorded"];
const FIXED: &[&str] = &["root", "sequence"];
const FIXED_AND_LEVEL: &[&str] = &["root", "sequence", "level"];
const NOT_PROVEN: &str = "Members named in notProven are the service's word. With ?root= or \
    ?sequence= the proof ends in that SuperRoot and never changes.";

/// Every route of this service.
pub(crate) fn table() -> Vec<Endpoint> {
    let groups = [
        block_proofs(),
        entry_proofs(),
        super_roots(),
        finalities(),
        tools(),
        chains::table(),
        health::table(),
        pages::table(),
        accounts::table(),
        planned::table(),
    ];
    groups.into_iter().flatten().collect()
}

fn block_proofs() -> Vec<Endpoint> {
    vec![
        Endpoint::get(
            "/v5/proof/{chain}/{block}",
            "proveBlock",
            Grid::G1,
            "Proof that a block stands in a SuperRoot",
            "BlockProof",
            get(proof::block),
        )
        .query(FIXED_AND_LEVEL)
        .errors(PROOF_ERRORS)
        .says(NOT_PROVEN),
        Endpoint::get(
            "/kv/proof/{chain_id}/{block_number}",
            "proveBlockKv",
            Grid::G1,
            "The same proof in snake_case, levels 2 to 5",
            "KvBlockProof",
            get(proof::kv),
        )
        .query(FIXED)
        .errors(PROOF_ERRORS)
        .says(NOT_PROVEN),
        Endpoint::get(
            "/api/v5/proof/blob/{chain_id}/{block}",
            "proveBlockBlob",
            Grid::G1,
            "The portable proof of a block: the bytes of a .srproof file, and its layers",
            "BlobProof",
            get(proof::blob),
        )
        .query(FIXED)
        .errors(PROOF_ERRORS)
        .says(
            "l1 to l6 are names of layers, not proof levels. l6_finality_commitment is not proven.",
        ),
        Endpoint::get(
            "/api/lambda/proof-bundle/block/{chain_id}/{block}",
            "proveBlockLambda",
            Grid::G1,
            "Header, roots and path of a block in one object",
            "LambdaBundle",
            get(proof::lambda),
        )
        .query(FIXED)
        .errors(PROOF_ERRORS)
        .says(NOT_PROVEN),
    ]
}

fn entry_proofs() -> Vec<Endpoint> {
    let transaction = "Indexed transactions only. The transaction and the receipt are JSON-RPC \
        objects made of the proven bytes.";
    let event = "Indexed events only. log_index is the position in the receipt; nodes report one \
        over the whole block, and past the receipt's logs the 404 names the position meant.";
    vec![
        Endpoint::get(
            "/v5/proof/tx/{chain_id}/{tx_hash}",
            "proveTransaction",
            Grid::G3,
            "Transaction and receipt with trie proofs, up to a SuperRoot",
            "TransactionProof",
            get(proof::transaction),
        )
        .query(FIXED_AND_LEVEL)
        .errors(PROOF_ERRORS)
        .says(transaction),
        Endpoint::get(
            "/v5/tx/{chain}/{hash}",
            "proveTransactionShort",
            Grid::G3,
            "The same under a shorter path",
            "TransactionProof",
            get(proof::short_transaction),
        )
        .query(FIXED_AND_LEVEL)
        .errors(PROOF_ERRORS)
        .says(transaction),
        Endpoint::get(
            "/v5/proof/event/{chain_id}/{block_number}/{tx_index}/{log_index}",
            "proveEvent",
            Grid::G3,
            "Event with receipt proof and bloom path, up to a SuperRoot",
            "EventProof",
            get(proof::event),
        )
        .query(FIXED_AND_LEVEL)
        .errors(PROOF_ERRORS)
        .says(event),
        Endpoint::get(
            "/v5/event/{chain}/{tx}/{log_index}",
            "proveEventShort",
            Grid::G3,
            "The same by transaction hash, with the transaction",
            "EventProof",
            get(proof::short_event),
        )
        .query(FIXED_AND_LEVEL)
        .errors(PROOF_ERRORS)
        .says(event),
        Endpoint::get(
            "/v5/proof/absence/{chain_id}/{block}/{tx_index}",
            "proveAbsence",
            Grid::G3,
            "Proof that a block has no transaction at a position",
            "AbsenceProof",
            get(proof::absence),
        )
        .query(FIXED_AND_LEVEL)
        .errors(PROOF_ERRORS)
        .says(NOT_PROVEN),
        Endpoint {
            method: "POST",
            body: Some("BatchRequest"),
            errors: PROOF_ERRORS,
            ..Endpoint::get(
                "/v5/proof/batch",
                "proveBatch",
                Grid::G3,
                "Many proofs under one SuperRoot, shared nodes once; all or none",
                "Batch",
                post(proof::batch),
            )
        },
    ]
}

fn super_roots() -> Vec<Endpoint> {
    let live = "Timestamps of blocks, lag, status and names beside a reference are not proven.";
    vec![
        Endpoint::get(
            "/v5/superroot",
            "superRoot",
            Grid::G1,
            "The newest SuperRoot: 9 Mini-MMR roots and a block reference for each chain",
            "SuperRoot",
            get(superroot::newest),
        )
        .query(FIXED)
        .errors(SUPER_ROOT_ERRORS)
        .says(live),
        Endpoint::get(
            "/v5/superroot/{sequence}",
            "superRootBySequence",
            Grid::G1,
            "The SuperRoot of that sequence",
            "SuperRoot",
            get(superroot::of_sequence),
        )
        .errors(SUPER_ROOT_ERRORS)
        .says(live),
        Endpoint::get(
            "/kv/super-root/latest",
            "superRootKv",
            Grid::G1,
            "The newest SuperRoot in snake_case",
            "KvSuperRoot",
            get(superroot::kv_latest),
        )
        .errors(SUPER_ROOT_ERRORS)
        .says(live),
        Endpoint::get(
            "/kv/blob/{superroot_hash}",
            "superRootBlob",
            Grid::G1,
            "Every preimage behind a SuperRoot, the profiles, and the twigs sealed since the last",
            "SuperRootBlob",
            get(superroot::blob),
        )
        .errors(SUPER_ROOT_ERRORS),
        Endpoint::get(
            "/v5/superroot/consistency",
            "consistency",
            Grid::G1,
            "Proof that one SuperRoot extends another",
            "Consistency",
            get(superroot::consistency),
        )
        .query(&["from", "to", "strength"])
        .errors(SUPER_ROOT_ERRORS)
        .says(
            "A client brings the hash of the earlier one itself: a pair that comes from one \
               answer proves nothing.",
        ),
        Endpoint {
            returns: Returns::Text("text/plain"),
            ..Endpoint::get(
                "/v5/checkpoint",
                "checkpoint",
                Grid::G1,
                "The C2SP checkpoint of the newest SuperRoot, not signed",
                "",
                get(superroot::checkpoint),
            )
        }
        .errors(&["starting", "nothing_recorded"])
        .says(
            "The three lines of the note's text: origin, size, base64 of the RFC 6962 root. \
               Size n + 1 covers SuperRoots 0 to n. No signature lines follow yet: who needs a \
               signed note has to wait for one.",
        ),
    ]
}

fn finalities() -> Vec<Endpoint> {
    let evidence = "evidence_kind says what stands behind it, never more: node_quorum is the \
        agreement of the named sources, of which no signature was checked.";
    let proof = "The proof of the block with the evidence of its finality beside it. The evidence \
        is not part of the proof.";
    vec![
        Endpoint::get(
            "/finality",
            "finalityOfAll",
            Grid::G2,
            "Final, safe and newest block of every chain",
            "FinalityList",
            get(finality::all_finality),
        )
        .says(evidence),
        Endpoint::get(
            "/finality/{chain_id}",
            "finality",
            Grid::G2,
            "Final, safe and newest block of a chain",
            "ChainFinality",
            get(finality::finality),
        )
        .errors(&[
            "unknown_chain",
            "withdrawn",
            "chain_unavailable",
            "starting",
            "nothing_recorded",
        ])
        .says(evidence),
        Endpoint::get(
            "/finality/{chain_id}/proof/{block}",
            "finalityProof",
            Grid::G2,
            "Proof of a block up to level 5, with the evidence of its finality",
            "KvBlockProof",
            get(proof::finality),
        )
        .query(FIXED)
        .errors(PROOF_ERRORS)
        .says(proof),
        Endpoint::get(
            "/api/finality/{chain_id}/proof/{block}",
            "finalityProofApi",
            Grid::G2,
            "The same under /api",
            "KvBlockProof",
            get(proof::finality),
        )
        .query(FIXED)
        .errors(PROOF_ERRORS)
        .says(proof),
    ]
}

fn tools() -> Vec<Endpoint> {
    vec![Endpoint {
        method: "POST",
        body: Some("VerifyRequest"),
        description: "A well-formed but false proof is 200 with valid: false and the check that \
            failed; what is no proof is 400. Nothing here has to be trusted: any client can make \
            the same check itself.",
        ..Endpoint::get(
            "/kv/verify",
            "verifyProof",
            Grid::G1,
            "Check of any proof object or proof file of this service",
            "VerifyAnswer",
            post(verify::verify),
        )
    }]
}
