//! Demo keys: one per tier, ready to use.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use superroot_account::{AccountId, AccountService, Environment, Grant, Operator, Tier};
use superroot_types::UnixSeconds;

pub(crate) const FILE: &str = "demo-keys.json";

const BUILDER_SECONDS: u64 = 30 * 86_400;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DemoKey {
    pub(crate) tier: Tier,
    pub(crate) account: AccountId,
    pub(crate) api_key: String,
}

/// Demo keys for the folder: existing keys while valid, new ones otherwise. The file is private. Only for test
/// accounts: a file must never contain a valuable key.
pub(crate) async fn of_folder(
    service: Arc<AccountService>,
    data: &Path,
) -> anyhow::Result<Vec<DemoKey>> {
    let data = data.to_path_buf();
    let made = tokio::task::spawn_blocking(move || of_folder_now(&service, &data));
    made.await.context("making the demo's keys panicked")?
}

/// [`of_folder`], blocking.
pub(crate) fn of_folder_now(service: &AccountService, data: &Path) -> anyhow::Result<Vec<DemoKey>> {
    if service.environment() != Environment::Test {
        bail!("keys.environment is live, and a demo hands out keys: expected test");
    }
    let file = data.join(FILE);
    let held = std::fs::read(&file).ok();
    let held = held.and_then(|held| serde_json::from_slice::<Vec<DemoKey>>(&held).ok());
    if let Some(held) = held.filter(|held| are_served(service, held)) {
        return Ok(held);
    }
    let operator = Operator { who: "demo".into(), why: "one ready key of each tier".into() };
    let accounts = service.accounts();
    let make = |tier: Tier| -> anyhow::Result<DemoKey> {
        let (account, issued) = accounts.open_account(&operator, None)?;
        if tier != Tier::Explorer {
            // the builder's ends, as one that is paid for does
            let until =
                (tier == Tier::Builder).then(|| UnixSeconds(service.now().0 + BUILDER_SECONDS));
            accounts.grant(&operator, account.id, Some(&Grant { until, ..Grant::of(tier) }))?;
        }
        let account = account.id;
        let api_key = issued.secret.expose().to_owned();
        Ok(DemoKey { tier, account, api_key })
    };
    let keys = Tier::ALL.into_iter().map(make).collect::<anyhow::Result<Vec<_>>>()?;
    write(&file, &keys).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(keys)
}

fn are_served(service: &AccountService, keys: &[DemoKey]) -> bool {
    let is_served = |key: &DemoKey| {
        let entitlement = service.accounts().authenticate(&key.api_key);
        entitlement.is_ok_and(|entitlement| entitlement.tier() == key.tier)
    };
    keys.len() == Tier::ALL.len() && keys.iter().all(is_served)
}

fn write(file: &Path, keys: &[DemoKey]) -> std::io::Result<()> {
    let part = file.with_extension("part");
    let _ = std::fs::remove_file(&part);
    let mut options = std::fs::OpenOptions::new();
    let mut open = options.write(true).create_new(true).mode(0o600).open(&part)?;
    serde_json::to_writer_pretty(&mut open, keys)?;
    open.write_all(b"\n")?;
    open.sync_all()?;
    std::fs::rename(&part, file)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use superroot_account::{AccountConfig, Actor};
    use superroot_store::MemoryStore;
    use superroot_types::SystemClock;

    use super::*;

    fn service(environment: Environment) -> Arc<AccountService> {
        let mut config = AccountConfig::default();
        config.keys.environment = environment;
        let store = Arc::new(MemoryStore::new());
        AccountService::open(store, Arc::new(SystemClock), &config).unwrap()
    }

    #[test]
    fn each_tier_has_one_key_and_it_stays() {
        let (folder, service) = (tempfile::tempdir().unwrap(), service(Environment::Test));
        let keys = of_folder_now(&service, folder.path()).unwrap();
        let tiers: Vec<_> = keys.iter().map(|key| key.tier).collect();
        assert_eq!(tiers, Tier::ALL);
        for key in &keys {
            assert!(key.api_key.starts_with("svc_test_"));
            let entitlement = service.accounts().authenticate(&key.api_key).unwrap();
            assert_eq!((entitlement.account, entitlement.tier()), (key.account, key.tier));
        }
        let file = std::fs::metadata(folder.path().join(FILE)).unwrap();
        assert_eq!(file.permissions().mode() & 0o777, 0o600);
        assert_eq!(of_folder_now(&service, folder.path()).unwrap(), keys);
    }

    #[test]
    fn keys_that_are_no_longer_served_are_made_anew() {
        let (folder, service) = (tempfile::tempdir().unwrap(), service(Environment::Test));
        let keys = of_folder_now(&service, folder.path()).unwrap();
        let operator = Operator { who: "ana".into(), why: "a test".into() };
        let lost = &keys[1];
        let key = service.accounts().find_key(&lost.api_key).unwrap().id;
        service.accounts().revoke_key(Actor::Operator(&operator), lost.account, key).unwrap();
        let anew = of_folder_now(&service, folder.path()).unwrap();
        assert_ne!(anew, keys);
        std::fs::write(folder.path().join(FILE), "[]").unwrap();
        assert_eq!(of_folder_now(&service, folder.path()).unwrap().len(), Tier::ALL.len());
    }

    #[test]
    fn no_file_ever_holds_a_live_key() {
        let folder = tempfile::tempdir().unwrap();
        assert!(of_folder_now(&service(Environment::Live), folder.path()).is_err());
        assert!(!folder.path().join(FILE).exists());
    }
}
