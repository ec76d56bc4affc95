//! Finality of sampled blocks, checked from the auditor's own pins.

use anyhow::{Context, bail};
use superroot_chain::ChainSpec;
use superroot_client::audit::Audit;
use superroot_client::{
    Client, ClientError, FinalityJudgment, LightClientFolder, Verifier, judge_finality,
};
use superroot_proof::finality::{FinalityQuestion, Verdict};
use superroot_types::{BlockNumber, Clock, Hash, Network, SuperRootRef, SystemClock};
use superroot_wire::proof::{ProofQuery, ProofTarget};

use super::samples::spread;
use crate::chains;
use crate::cli::trust::{light_clients, pinned_set};

/// Sampled blocks of a chain.
#[derive(Debug, Default)]
pub(super) struct FinalitySamples {
    pub(super) chain: String,
    pub(super) shown: u64,
    pub(super) not_shown: u64,
    /// Why the last one was not shown.
    pub(super) why: Option<String>,
    /// False evidence, by block.
    pub(super) refused: Vec<String>,
}

enum Sampled {
    Shown,
    NotShown(String),
    Refused(String),
}

/// Checks evidence for evenly spread blocks of each chain.
pub(super) async fn check(
    slugs: &[String],
    client: &Client,
    audit: &Audit,
    samples: u64,
) -> anyhow::Result<Vec<FinalitySamples>> {
    let mut all = Vec::new();
    for slug in slugs {
        let row = chains::find(slug)?;
        let Some((hash, run)) = audit.last_hash().zip(audit.run(row.key())) else {
            bail!("the log has no block of {} whose finality could be checked", row.name);
        };
        let folder = light_clients(None).context("no folder for sets of signers")?;
        let mut found = FinalitySamples { chain: row.name.clone(), ..FinalitySamples::default() };
        for number in spread(run, samples) {
            let sampled = sample(client, (row, &folder), hash, number).await;
            match sampled.with_context(|| format!("block {number} of {}", row.name))? {
                Sampled::Shown => found.shown += 1,
                Sampled::NotShown(why) => {
                    found.not_shown += 1;
                    found.why = Some(why);
                }
                Sampled::Refused(why) => {
                    found.refused.push(format!("block {number} of {}: {why}", row.name));
                }
            }
        }
        all.push(found);
    }
    Ok(all)
}

async fn sample(
    client: &Client,
    (row, folder): (&ChainSpec, &LightClientFolder),
    super_root: Hash,
    number: BlockNumber,
) -> anyhow::Result<Sampled> {
    let set = pinned_set(client, row).await.ok().flatten();
    let client = client.clone().under(SuperRootRef::Hash(super_root)).with_evidence(set);
    let asked = ProofQuery { chain: row.key(), target: ProofTarget::Block(number.into()) };
    let body = match client.fetch_proof(&asked).await {
        Ok(body) => body,
        Err(error @ ClientError::Problem { .. }) => {
            return Ok(Sampled::NotShown(error.to_string()));
        }
        Err(error) => return Err(error.into()),
    };
    let verifier = Verifier::new(chains::known().proof_registry().clone());
    let checked = verifier.check(&body, Some(&super_root))?;
    let facts = &checked.facts;
    let (Some(hash), Some(rule)) = (facts.block_hash, row.rule_at(number)) else {
        bail!("the proof shows no block hash");
    };
    let Some(proof) = &checked.finality else {
        return Ok(Sampled::NotShown("the answer has no evidence".to_owned()));
    };
    let network = Network::of_origin(&checked.bundle.origin);
    let asked = FinalityQuestion { rule, number, hash };
    let judged = judge_finality(Some(folder), (row, network), proof, asked, SystemClock.now())?;
    Ok(match judged {
        FinalityJudgment { verdict: Some(Verdict::Shown(_)), .. } => Sampled::Shown,
        FinalityJudgment { verdict: Some(Verdict::Refusal(why)), .. } => {
            Sampled::Refused(why.to_string())
        }
        FinalityJudgment { verdict: Some(Verdict::NotEnough(why)), .. } => {
            Sampled::NotShown(why.to_string())
        }
        FinalityJudgment { verdict: None, .. } => {
            let why = "no set of its signers is pinned: `superroot trust light-client pin`";
            Sampled::NotShown(why.to_owned())
        }
    })
}
