//! Messages for SuperRoots.

use super::parts::{all, hash, hashes, number};
use super::{
    Blob, BlobReference, BlockReference, Bridge, ChainReference, Consistency, EvmSignature,
    HashPath, History, HistoryOpening, ListTwigsResponse, MiniMmr, Profile, ProfileRule,
    Publication, SuperRoot, SuperRootBlob, SuperRootRow, TwigList, TwigRow,
};
use crate::superroot::{Twigs, body};

impl From<body::SuperRootPage> for SuperRoot {
    fn from(page: body::SuperRootPage) -> Self {
        let SuperRootRow { version, log_id, sequence, timestamp, tree_root, super_root_hash } =
            page.super_root.into();
        Self {
            version,
            log_id,
            sequence,
            timestamp,
            tree_root,
            super_root_hash,
            origin: page.origin,
            network: page.network.name().to_owned(),
            mini_mmrs: all(page.mini_mmrs),
            block_references: all(page.block_references),
            history_root: hash(page.history_root),
            history: Some(page.history.into()),
            registry_root: hash(page.registry_root),
            publication: Some(page.publication.into()),
            v5_anchor: None,
        }
    }
}

impl From<body::SuperRootRow> for SuperRootRow {
    fn from(row: body::SuperRootRow) -> Self {
        let body::SuperRootPart { version, log_id, sequence, timestamp, tree_root } = row.part;
        Self {
            version: version.into(),
            log_id: hash(log_id),
            sequence,
            timestamp: timestamp.0,
            tree_root: hash(tree_root),
            super_root_hash: hash(row.super_root_hash),
        }
    }
}

impl From<body::MiniMmrRow> for MiniMmr {
    fn from(row: body::MiniMmrRow) -> Self {
        Self {
            family: row.family.name().to_owned(),
            name: row.name,
            root: hash(row.root),
            range_root: hash(row.range_root),
            leaf_count: row.leaf_count,
        }
    }
}

impl From<body::ReferenceRow> for ChainReference {
    fn from(row: body::ReferenceRow) -> Self {
        Self {
            chain_id: row.chain_id.0,
            family: row.family.name().to_owned(),
            name: row.name,
            status: row.status,
            start: number(row.start),
            number: number(row.number),
            hash: row.hash.map(hash),
            open_twig_index: row.open_twig_index,
            open_twig_root: row.open_twig_root.map(hash),
            timestamp: row.timestamp.map(|timestamp| timestamp.0),
            lag_seconds: row.lag_seconds,
        }
    }
}

impl From<body::HistoryRow> for History {
    fn from(row: body::HistoryRow) -> Self {
        Self { leaf_count: row.leaf_count, log_root: hash(row.log_root) }
    }
}

impl From<body::Publication> for Publication {
    fn from(body: body::Publication) -> Self {
        Self {
            note: body.note,
            siblings: hashes(body.siblings),
            keys: body.keys,
            evm_signature: body.evm_signature.map(Into::into),
        }
    }
}

impl From<body::EvmSignatureRow> for EvmSignature {
    fn from(row: body::EvmSignatureRow) -> Self {
        Self { signer: row.signer.0.to_vec(), r: hash(row.r), vs: hash(row.vs) }
    }
}

impl From<body::PublishedBlob> for SuperRootBlob {
    fn from(body: body::PublishedBlob) -> Self {
        let body::BlobBody { blob, appended_twig_count, appended_twigs } = body.blob;
        Self {
            blob: Some(blob.into()),
            appended_twig_count,
            appended_twigs: appended_twigs.map(|twigs| TwigList { twigs: all(twigs) }),
            publication: Some(body.publication.into()),
            v5_anchor: None,
        }
    }
}

impl From<body::SuperRootBlob> for Blob {
    fn from(body: body::SuperRootBlob) -> Self {
        Self {
            super_root_hash: hash(body.super_root_hash),
            super_root: Some(body.super_root.into()),
            preimage: body.preimage.0,
            slots: hashes(body.slots),
            mini_mmrs: all(body.mini_mmrs),
            block_references: all(body.block_references),
            history: Some(body.history.into()),
            history_root: hash(body.history_root),
            registry: all(body.registry),
            registry_root: hash(body.registry_root),
        }
    }
}

impl From<body::BlockReference> for BlockReference {
    fn from(body: body::BlockReference) -> Self {
        Self {
            chain_id: body.chain_id.0,
            family: body.family.name().to_owned(),
            start: body.start.0,
            number: body.number.0,
            hash: hash(body.hash),
            open_twig_index: body.open_twig_index,
            open_twig_root: hash(body.open_twig_root),
        }
    }
}

impl From<body::BlobReference> for BlobReference {
    fn from(body: body::BlobReference) -> Self {
        let reference = BlockReference::from(body.reference);
        Self {
            row: u32::try_from(body.row).unwrap_or(u32::MAX), // a registry has 45 rows at most
            chain_id: reference.chain_id,
            family: reference.family,
            start: reference.start,
            number: reference.number,
            hash: reference.hash,
            open_twig_index: reference.open_twig_index,
            open_twig_root: reference.open_twig_root,
        }
    }
}

impl From<body::ProfileRow> for Profile {
    fn from(row: body::ProfileRow) -> Self {
        let rules = row.rules.into_iter().map(|rule| ProfileRule {
            from_number: rule.from_number,
            rule: const_hex::decode(rule.rule).unwrap_or_default(), // it was made of two bytes
        });
        Self {
            chain_id: row.chain_id.0,
            family: row.family.name().to_owned(),
            caip2: row.caip2,
            rules: rules.collect(),
        }
    }
}

impl From<body::TwigRow> for TwigRow {
    fn from(row: body::TwigRow) -> Self {
        Self {
            chain_id: row.chain_id.0,
            family: row.family.name().to_owned(),
            twig_index: row.twig_index,
            twig_root: hash(row.twig_root),
        }
    }
}

impl From<&Twigs> for ListTwigsResponse {
    fn from(page: &Twigs) -> Self {
        let twigs = page.twigs.iter().map(|twig| body::TwigRow::from(twig).into());
        let family = page.family.name().to_owned();
        Self { family, from: page.from, twigs: twigs.collect(), v5_anchor: None }
    }
}

impl From<body::ConsistencyProof> for Consistency {
    fn from(body: body::ConsistencyProof) -> Self {
        let paths = body.mini_mmr_paths.unwrap_or_default().into_iter();
        let twigs = body.appended_twigs.flatten();
        Self {
            strength: body.strength.to_owned(),
            from: Some(body.from.into()),
            to: Some(body.to.into()),
            inclusion_path: hashes(body.inclusion_path),
            to_history: Some(body.to_history.into()),
            from_history: body.from_history.map(Into::into),
            consistency_path: hashes(body.consistency_path.unwrap_or_default()),
            from_blob: body.from_blob.map(Into::into),
            to_blob: body.to_blob.map(Into::into),
            mini_mmr_paths: paths.map(|path| HashPath { hashes: hashes(path) }).collect(),
            appended_twig_count: body.appended_twig_count,
            appended_twigs: twigs.map(|twigs| TwigList { twigs: all(twigs) }),
            bridges: all(body.bridges.unwrap_or_default()),
            v5_anchor: None,
        }
    }
}

impl From<body::HistoryOpeningRow> for HistoryOpening {
    fn from(row: body::HistoryOpeningRow) -> Self {
        let History { leaf_count, log_root } = row.history.into();
        Self { leaf_count, log_root, siblings: hashes(row.siblings) }
    }
}

impl From<body::BridgeRow> for Bridge {
    fn from(row: body::BridgeRow) -> Self {
        Self {
            chain_id: row.chain_id.0,
            family: row.family.name().to_owned(),
            leaf: hash(row.leaf),
            siblings: hashes(row.siblings),
        }
    }
}
