//! A node of Aptos with a backup service, which gives signed ledger infos. Sources: aptos-core
//! `storage/backup/backup-service/src/handlers`, `storage/backup/backup-cli/src/utils/backup_service_client.rs`.

use superroot_chain::ledger::aptos::{VersionOfBlock, evidence_of_version, steps_of_epochs};
use superroot_proof::finality::ConsensusEvidence;

use super::http::EvidenceEndpoint;
use super::{FinalitySource, FinalitySourceError, NewestFinal, NumberedStep};
use crate::BoxFuture;
use crate::ledger::aptos::{AptosBlockAnswer, BLOCK};

/// Most bytes of an answer: an epoch's end has 13 kB.
const BODY_BYTES_MAX: usize = 1 << 20;
/// Most epochs of one request.
const EPOCHS_MAX: u64 = 16;
const STATE: &str = "db_state";

/// A node's backup service, and a node's REST for the versions in blocks.
pub struct BackupNode {
    backup: EvidenceEndpoint,
    rest: EvidenceEndpoint,
}

impl BackupNode {
    /// Endpoints at URLs with printable names: a URL may contain a key.
    ///
    /// # Errors
    /// [`FinalitySourceError`] for malformed URLs.
    pub fn new(
        (backup, backup_name): (&str, &str),
        (rest, rest_name): (&str, &str),
    ) -> Result<Self, FinalitySourceError> {
        Ok(Self {
            backup: EvidenceEndpoint::new(backup, backup_name, BODY_BYTES_MAX)?,
            rest: EvidenceEndpoint::new(rest, rest_name, BODY_BYTES_MAX)?,
        })
    }

    async fn last_version(&self, held: NewestFinal) -> Result<u64, FinalitySourceError> {
        let mut url = self.rest.below(&format!("{BLOCK}/{}", held.number));
        url.set_query(Some("with_transactions=false"));
        let block: AptosBlockAnswer = self.rest.read(BLOCK, self.rest.http.get(url)).await?;
        if block.block_height != held.number.0 {
            let got = block.block_height;
            let why = format!("{BLOCK}: block_height is {got}, expected {}", held.number);
            return Err(self.rest.fault(why));
        }
        Ok(block.last_version)
    }

    /// Epoch of the newest ledger info, which has no end yet.
    async fn current_epoch(&self) -> Result<u64, FinalitySourceError> {
        let url = self.backup.below(STATE);
        let state = self.backup.read_bytes(STATE, self.backup.http.get(url)).await?;
        let epoch = state.split_first().filter(|(is_some, _)| **is_some == 1);
        let epoch = epoch.and_then(|(_, state)| state.first_chunk());
        let epoch = epoch.ok_or_else(|| self.backup.fault("db_state: no state"))?;
        Ok(u64::from_le_bytes(*epoch))
    }
}

impl FinalitySource for BackupNode {
    fn name(&self) -> &str {
        &self.backup.name
    }

    fn fetch_newest(
        &self,
        held: NewestFinal,
    ) -> BoxFuture<'_, Result<ConsensusEvidence, FinalitySourceError>> {
        Box::pin(async move {
            let version = self.last_version(held).await?;
            let path = format!("state_root_proof/{version}");
            let url = self.backup.below(&path);
            let answer = self.backup.read_bytes(&path, self.backup.http.get(url)).await?;
            let NewestFinal { number, hash, .. } = held;
            let evidence = evidence_of_version(VersionOfBlock { number, hash, version }, &answer);
            evidence.ok_or_else(|| {
                let why =
                    format!("{path}: no path from the root of block {number} to a ledger info");
                self.backup.fault(why)
            })
        })
    }

    fn fetch_steps(
        &self,
        first: u64,
        count: u64,
    ) -> BoxFuture<'_, Result<Vec<NumberedStep>, FinalitySourceError>> {
        Box::pin(async move {
            let end = first.saturating_add(count.min(EPOCHS_MAX)).min(self.current_epoch().await?);
            if first >= end {
                return Ok(Vec::new());
            }
            let path = format!("epoch_ending_ledger_infos/{first}/{end}");
            let url = self.backup.below(&path);
            let answer = self.backup.read_bytes(&path, self.backup.http.get(url)).await?;
            let steps = steps_of_epochs(first, &answer);
            let steps = steps.filter(|steps| steps.iter().all(|(number, _)| *number < end));
            steps.ok_or_else(|| self.backup.fault(format!("{path}: other than ends of epochs")))
        })
    }
}
