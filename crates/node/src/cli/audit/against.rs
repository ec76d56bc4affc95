//! Comparison of proven blocks with the auditor's nodes.

use anyhow::{Context, bail};
use superroot_chain::ChainSpec;
use superroot_client::audit::Audit;
use superroot_client::{Client, Verifier, answers_proof};
use superroot_source::{BlockSource, Budget, EndpointConfig, LiveConfig, LiveSource};
use superroot_types::{Hash, SuperRootRef};
use superroot_wire::proof::{ProofQuery, ProofTarget};

use super::finality::FinalitySamples;
use super::samples::spread;
use crate::chains;

pub(super) struct AuditNode {
    row: &'static ChainSpec,
    source: LiveSource,
}

impl AuditNode {
    /// Parses `CHAIN=URL`.
    pub(super) fn of(text: &str) -> anyhow::Result<Self> {
        let (chain, url) = text.split_once('=').context("--against is CHAIN=URL")?;
        let row = chains::find(chain)?;
        let config = LiveConfig { quorum: 1, replay_servers: true, ..LiveConfig::default() };
        let budget = Budget::of(config.in_hand_bytes_max);
        let source = LiveSource::new(&budget, row, vec![EndpointConfig::at(url)], config);
        Ok(Self { row, source: source.context("--against")? })
    }
}

#[derive(Default)]
pub(super) struct Compared {
    /// Log size in SuperRoots at the time.
    pub(super) size: u64,
    pub(super) blocks: u64,
    pub(super) differing: Vec<String>,
    /// Finality of sampled blocks, by chain.
    pub(super) finality: Vec<FinalitySamples>,
}

/// Compares evenly spread blocks on each node's chain.
pub(super) async fn compare(
    nodes: &[AuditNode],
    client: &Client,
    audit: &Audit,
    samples: u64,
) -> anyhow::Result<Compared> {
    let mut compared = Compared { size: audit.size(), ..Compared::default() };
    for node in nodes {
        let key = node.row.key();
        let name = &node.row.name;
        let Some((hash, run)) = audit.last_hash().zip(audit.run(key)) else {
            bail!("the log has no block of {name} to compare");
        };
        let expected = node.source.expect_chain().await;
        expected.with_context(|| format!("the node of --against is not of {name}"))?;
        for number in spread(run, samples) {
            let target = ProofTarget::Block(number.into());
            let proven = proven(client, hash, ProofQuery { chain: key, target }).await;
            let proven = proven.with_context(|| format!("block {number} of {name}"))?;
            let own = node.source.fetch_agreement(number).await;
            let own = own.with_context(|| format!("block {number} of the node of {name}"))?;
            let own = own.hash.context("the node names no hash")?;
            compared.blocks += 1;
            if own != proven {
                let line = format!("block {number} of {name}: {proven}, your node has {own}");
                compared.differing.push(line);
            }
        }
    }
    Ok(compared)
}

/// Block hash committed by the SuperRoot.
async fn proven(client: &Client, super_root: Hash, asked: ProofQuery) -> anyhow::Result<Hash> {
    let client = client.clone().under(SuperRootRef::Hash(super_root));
    let verifier = Verifier::new(chains::known().proof_registry().clone());
    let checked = verifier.check(&client.fetch_proof(&asked).await?, Some(&super_root))?;
    answers_proof(&asked, &checked.facts)?;
    checked.facts.block_hash.context("the proof shows no block hash")
}
