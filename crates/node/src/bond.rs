//! Check that the accounts in a data folder belong to the chains there.
//!
//! ```text
//! chains    meta  node/accounts -> id ‖ commits:u64   written every ten seconds: what accounts have at least
//! accounts  meta  node/id       -> id:16              drawn when they are made
//!           meta  node/log      -> origin of the log
//! admin.log       "audit N HASH"                      what their log of acts holds at least
//! ```
//! Accounts cannot be collected again, so a folder with missing or outdated accounts must not create new accounts over
//! them.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use superroot_store::{Store, StoreError, Table, WriteBatch};
use superroot_types::{Hash, UnixSeconds};

use crate::accounts;
use crate::admin::{ActionJournal, ActionOutcome, CommandRequest, SocketPeer, newest_act};
use crate::stage::{BlockingStage, StageFailure, StageName};

const ACCOUNTS: &[u8] = b"node/accounts";
const ID: &[u8] = b"node/id";
const LOG: &[u8] = b"node/log";

const NOTE_INTERVAL: Duration = Duration::from_secs(10);

/// Why accounts do not belong to the folder.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AccountMismatch {
    #[error("the accounts of this folder are gone: they had {commits} commits")]
    Gone { commits: u64 },
    #[error("the accounts in this folder are those of another folder")]
    Other,
    #[error("the accounts are an older copy: they have {got} commits, and had {expected}")]
    Older { got: u64, expected: u64 },
    #[error("the accounts are those of the log {got}, the chains those of {expected}")]
    OtherLog { got: String, expected: String },
    #[error("the accounts are an older copy: admin.log names {expected} acts, they hold {got}")]
    FewerActs { got: u64, expected: u64 },
    #[error(
        "the accounts have another history: their act {act} is not the one that admin.log names"
    )]
    OtherActs { act: u64 },
}

struct KnownAccounts {
    id: [u8; 16],
    commits: u64,
}

impl KnownAccounts {
    fn load(chains: &dyn Store) -> Result<Option<Self>, StoreError> {
        let Some(row) = chains.get(Table::Meta, ACCOUNTS)? else { return Ok(None) };
        let corrupt = || StoreError::corrupt(Table::Meta, ACCOUNTS, "not a note of accounts");
        let (id, commits) = row.split_first_chunk().ok_or_else(corrupt)?;
        let commits = u64::from_be_bytes(commits.try_into().map_err(|_| corrupt())?);
        Ok(Some(Self { id: *id, commits }))
    }
}

pub(crate) struct AccountBinding<'a> {
    pub(crate) chains: &'a dyn Store,
    /// `None`: no accounts.
    pub(crate) accounts: Option<&'a dyn Store>,
    pub(crate) data: &'a Path,
    /// Log origin; `None` before the log has one.
    pub(crate) origin: Option<&'a str>,
}

impl AccountBinding<'_> {
    /// Returns the mismatch, if any. Folders from before account binding have none.
    pub(crate) fn check(&self) -> anyhow::Result<Option<AccountMismatch>> {
        let known = KnownAccounts::load(self.chains)?;
        let Some(accounts) = self.accounts else {
            let acts = newest_act(self.data)?.map_or(0, |(acts, _)| acts);
            let gone = known.map(|KnownAccounts { commits, .. }| AccountMismatch::Gone { commits });
            let fewer = (acts > 0).then_some(AccountMismatch::FewerActs { got: 0, expected: acts });
            return Ok(gone.or(fewer));
        };
        let got = accounts.commit_count();
        if let Some(KnownAccounts { id, commits: expected }) = known {
            if accounts.get(Table::Meta, ID)?.as_deref() != Some(&id[..]) {
                return Ok(Some(AccountMismatch::Other));
            }
            if got < expected {
                return Ok(Some(AccountMismatch::Older { got, expected }));
            }
        }
        let log =
            accounts.get(Table::Meta, LOG)?.map(|log| String::from_utf8_lossy(&log).into_owned());
        if let (Some(got), Some(expected)) = (log, self.origin)
            && got != expected
        {
            return Ok(Some(AccountMismatch::OtherLog { got, expected: expected.to_owned() }));
        }
        let Some((expected, hash)) = newest_act(self.data)? else { return Ok(None) };
        let (got, _) = superroot_account::acts_head(accounts)?;
        if got < expected {
            return Ok(Some(AccountMismatch::FewerActs { got, expected }));
        }
        let Some(last) = expected.checked_sub(1) else { return Ok(None) };
        let is_same = superroot_account::act_hash(accounts, last)? == Some(hash);
        Ok((!is_same).then_some(AccountMismatch::OtherActs { act: expected }))
    }

    /// Like [`Self::check`], for a command without an override: a mismatch is an error with advice for the operator.
    pub(crate) fn expect_own(&self) -> anyhow::Result<()> {
        match self.check()? {
            Some(unbound) => bail!("{unbound}; {}", help(self.data)),
            None => Ok(()),
        }
    }
}

/// Binds accounts and chains, and notes the commit count.
pub(crate) fn bind(
    chains: &dyn Store,
    accounts: &dyn Store,
    origin: &str,
) -> Result<(), StoreError> {
    let held = accounts.get(Table::Meta, ID)?;
    let is_of_log = accounts.get(Table::Meta, LOG)?.as_deref() == Some(origin.as_bytes());
    if held.is_none() || !is_of_log {
        let mut batch = WriteBatch::new();
        let id = held.unwrap_or_else(|| rand::random::<[u8; 16]>().to_vec());
        batch.put(Table::Meta, ID, id).put(Table::Meta, LOG, origin);
        accounts.commit(batch)?;
    }
    note(chains, accounts)
}

fn note(chains: &dyn Store, accounts: &dyn Store) -> Result<(), StoreError> {
    let commits = accounts.commit_count();
    let id = accounts.get(Table::Meta, ID)?.unwrap_or_default();
    let row = [&id[..], &commits.to_be_bytes()].concat();
    if chains.get(Table::Meta, ACCOUNTS)?.as_deref() == Some(&row[..]) {
        return Ok(());
    }
    let mut batch = WriteBatch::new();
    batch.put(Table::Meta, ACCOUNTS, row);
    chains.commit(batch)
}

/// Records in the folder's journal that foreign accounts were accepted. From then on their contents count.
pub(crate) fn note_accepted(
    data: &Path,
    accounts: Option<&dyn Store>,
    unbound: &AccountMismatch,
) -> anyhow::Result<()> {
    let (acts, head) = match accounts {
        Some(accounts) => superroot_account::acts_head(accounts)?,
        None => (0, Hash::ZERO),
    };
    let journal = ActionJournal::open(data).context("cannot open admin.log of the data folder")?;
    let asked = CommandRequest { why: Some(unbound.to_string()), ..CommandRequest::default() };
    let begun = journal.begin("accept_accounts", &asked, &SocketPeer::this_process())?;
    journal.end(&begun, ActionOutcome::Done, Some(&format!("audit {acts} {head}")));
    Ok(())
}

/// Notes the commit count every ten seconds and at shutdown.
#[derive(Clone)]
pub(crate) struct AccountHeartbeat {
    pub(crate) chains: Arc<dyn Store>,
    pub(crate) accounts: Arc<dyn Store>,
    pub(crate) origin: Arc<str>,
}

impl BlockingStage for AccountHeartbeat {
    fn name(&self) -> StageName {
        StageName::AccountBond
    }

    fn step(&mut self, _: UnixSeconds) -> Result<Duration, StageFailure> {
        let noted = bind(&*self.chains, &*self.accounts, &self.origin);
        noted.map_err(|error| {
            let kind = error.kind();
            let is_over = matches!(error, StoreError::Dead);
            StageFailure::of(error, kind, is_over)
        })?;
        Ok(NOTE_INTERVAL)
    }
}

pub(crate) fn help(data: &Path) -> String {
    let accounts = data.join(accounts::FOLDER);
    format!(
        "put the newest copy of {} in its place (docs/operations.md), or start the service once with \
         --accept-accounts to go on with what is there",
        accounts.display()
    )
}

#[cfg(test)]
mod tests {
    use superroot_store::MemoryStore;

    use super::*;

    fn write(store: &MemoryStore) {
        let mut batch = WriteBatch::new();
        batch.put(Table::Account, b"row", b"row");
        store.commit(batch).unwrap();
    }

    struct World {
        chains: MemoryStore,
        data: tempfile::TempDir,
    }

    impl World {
        fn check(&self, accounts: Option<&MemoryStore>, origin: &str) -> Option<AccountMismatch> {
            let accounts = accounts.map(|accounts| accounts as &dyn Store);
            let (chains, data, origin) = (&self.chains, self.data.path(), Some(origin));
            AccountBinding { chains, accounts, data, origin }.check().unwrap()
        }
    }

    #[test]
    fn accounts_that_are_gone_older_or_others_are_told_apart() {
        let world = World { chains: MemoryStore::new(), data: tempfile::tempdir().unwrap() };
        let (ours, others) = (MemoryStore::new(), MemoryStore::new());
        assert_eq!(world.check(None, "live/a"), None, "a new folder");
        assert_eq!(world.check(Some(&ours), "live/a"), None, "a folder of before");
        bind(&world.chains, &ours, "live/a").unwrap();
        assert_eq!(world.check(Some(&ours), "live/a"), None);
        assert_eq!(world.check(None, "live/a"), Some(AccountMismatch::Gone { commits: 1 }));
        assert_eq!(world.check(Some(&others), "live/a"), Some(AccountMismatch::Other));
        let expected = || "live/b".to_owned();
        assert_eq!(
            world.check(Some(&ours), "live/b"),
            Some(AccountMismatch::OtherLog { got: "live/a".to_owned(), expected: expected() })
        );
        write(&ours);
        note(&world.chains, &ours).unwrap();
        assert_eq!(world.check(Some(&ours), "live/a"), None);
        // as it was before
        let older = MemoryStore::new();
        let mut batch = WriteBatch::new();
        batch.put(Table::Meta, ID, ours.get(Table::Meta, ID).unwrap().unwrap());
        older.commit(batch).unwrap();
        assert_eq!(
            world.check(Some(&older), "live/a"),
            Some(AccountMismatch::Older { got: 1, expected: 2 })
        );
        // taken all the same, they are those of the folder from then on
        bind(&world.chains, &older, "live/a").unwrap();
        assert_eq!(world.check(Some(&older), "live/a"), None);
    }

    #[test]
    fn acts_that_the_journal_names_must_be_there() {
        let world = World { chains: MemoryStore::new(), data: tempfile::tempdir().unwrap() };
        let accounts = MemoryStore::new();
        bind(&world.chains, &accounts, "live/a").unwrap();
        let line = format!("{{\"outcome\":\"done\",\"detail\":\"audit 3 {}\"}}\n", Hash([7; 32]));
        std::fs::write(world.data.path().join("admin.log"), line).unwrap();
        let fewer = AccountMismatch::FewerActs { got: 0, expected: 3 };
        assert_eq!(world.check(Some(&accounts), "live/a"), Some(fewer));
        note_accepted(world.data.path(), Some(&accounts), &AccountMismatch::Other).unwrap();
        assert_eq!(
            world.check(Some(&accounts), "live/a"),
            None,
            "what was taken counts from then on"
        );
    }
}
