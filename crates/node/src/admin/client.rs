//! Command line access to a data folder: directly if the folder is free, else through the service.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use superroot_store::{EmbeddedConfig, EmbeddedStore, MemoryStore, Store, StoreError};

use super::ProgressEvent;
use super::accounts::AccountRequest;
use crate::accounts;
use crate::bond::AccountBinding;
use crate::limits;

const LINE_BYTES_MAX: usize = 1 << 20;

const ENDED: &str = "the running service ended before the work did: what was taken stays, and the \
                     same command goes on from there";

/// Time limit for a new service to create the socket.
const SOCKET_WAIT: Duration = Duration::from_secs(5);
const SOCKET_INTERVAL: Duration = Duration::from_millis(100);

pub(crate) enum Reached {
    Folder(Box<EmbeddedStore>),
    Service(RunningService),
}

pub(crate) struct RunningService {
    client: reqwest::Client,
    /// Kept open for the socket's path.
    _reach: super::socket::SocketFolder,
}

/// Opens an existing data folder, or finds the running service.
pub(crate) fn reach(data: &Path, settings: &EmbeddedConfig) -> anyhow::Result<Reached> {
    match folder_or_service(data, || EmbeddedStore::open_existing(data, settings))? {
        Ok(reached) => Ok(reached),
        Err(error @ StoreError::NoData { .. }) => Err(error.into()),
        Err(error) => Err(error).with_context(|| format!("cannot open {}", data.display())),
    }
}

/// Opens a folder's accounts, or finds the running service. Changes require accounts that belong to the folder, as at
/// service start. Reads accept any accounts and do not open the chains.
pub(crate) fn reach_accounts(data: &Path, is_change: bool) -> anyhow::Result<Reached> {
    let mut chains = None;
    if is_change {
        // before accounts, as a service opens them: neither waits for the other
        chains = match reach_store(data, data, &EmbeddedConfig::default())? {
            Some(Reached::Folder(store)) => Some(store),
            Some(service @ Reached::Service(_)) => return Ok(service),
            None => None,
        };
    }
    let settings = accounts::store_settings(&EmbeddedConfig::default());
    match reach_store(data, &data.join(accounts::FOLDER), &settings)? {
        Some(Reached::Folder(store)) if is_change => {
            expect_own(data, chains.as_deref(), Some(&*store))?;
            Ok(Reached::Folder(store))
        }
        Some(reached) => Ok(reached),
        None => {
            // where something else has the chains, it is not known whether there were accounts
            let settings = EmbeddedConfig::default();
            let opened = || EmbeddedStore::open_existing(data, &settings).ok().map(Box::new);
            let chains = chains.or_else(opened);
            expect_own(data, chains.as_deref(), None)?;
            bail!(
                "{} has no accounts yet: the service makes them when it first runs",
                data.display()
            )
        }
    }
}

/// Opens a store, or finds the running service; `None` if there is no store.
fn reach_store(
    data: &Path,
    folder: &Path,
    settings: &EmbeddedConfig,
) -> anyhow::Result<Option<Reached>> {
    match folder_or_service(data, || EmbeddedStore::open_existing(folder, settings))? {
        Ok(reached) => Ok(Some(reached)),
        Err(StoreError::NoData { .. }) => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot open {}", folder.display())),
    }
}

/// Checks that accounts, or their absence, match the folder.
fn expect_own(
    data: &Path,
    chains: Option<&EmbeddedStore>,
    accounts: Option<&EmbeddedStore>,
) -> anyhow::Result<()> {
    let nothing = MemoryStore::new();
    let chains = chains.map_or(&nothing as &dyn Store, |chains| chains as &dyn Store);
    let accounts = accounts.map(|accounts| accounts as &dyn Store);
    let origin = superroot_accumulate::load_origin(chains)?;
    AccountBinding { chains, accounts, data, origin: origin.as_deref() }.expect_own()
}

/// Calls `open`, or finds the service on the folder. A service that has just started has no socket yet, and any other
/// user may release the folder.
fn folder_or_service(
    data: &Path,
    open: impl Fn() -> Result<EmbeddedStore, StoreError>,
) -> anyhow::Result<Result<Reached, StoreError>> {
    let begun = Instant::now();
    limits::keep_private();
    loop {
        match open() {
            Ok(store) => return Ok(Ok(Reached::Folder(Box::new(store)))),
            Err(StoreError::Locked { .. }) => {}
            Err(error) => return Ok(Err(error)),
        }
        match RunningService::on(data)? {
            Ok(running) => return Ok(Ok(Reached::Service(running))),
            Err(error) if begun.elapsed() >= SOCKET_WAIT => bail!(
                "{} is in use by another process, and what holds it has no admin.sock: wait until it \
                 ends, or stop it ({error})",
                data.display()
            ),
            Err(_) => std::thread::sleep(SOCKET_INTERVAL),
        }
    }
}

impl RunningService {
    /// Connects to the folder's service, or returns why no service listens.
    fn on(data: &Path) -> anyhow::Result<std::io::Result<Self>> {
        let shown = data.display();
        let reach = super::socket::SocketFolder::of(data)
            .with_context(|| format!("cannot look into {shown}"))?;
        let socket = reach.socket();
        match std::os::unix::net::UnixStream::connect(&socket) {
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => bail!(
                "{shown} is in use by another process, and its socket is open to the user of the \
                 service alone ({error})"
            ),
            Err(error) => return Ok(Err(error)),
        }
        let client = reqwest::Client::builder().unix_socket(socket).build();
        Ok(Ok(Self { client: client.context("cannot make a client")?, _reach: reach }))
    }

    /// Sends an account command.
    pub(crate) async fn ask_accounts(
        &self,
        asked: &AccountRequest,
    ) -> anyhow::Result<serde_json::Value> {
        let answer = self.post("accounts", serde_json::to_vec(asked)?).await?;
        let answer = answer.bytes().await.context("the running service hung up")?;
        serde_json::from_slice(&answer).context("the service speaks another language")
    }

    async fn post(&self, command: &str, body: Vec<u8>) -> anyhow::Result<reqwest::Response> {
        let url = format!("http://admin/v1/{command}");
        let asked = self.client.post(url).body(body).send().await;
        let answer = asked.context("the running service does not answer on its admin.sock")?;
        if answer.status().is_success() {
            return Ok(answer);
        }
        let status = answer.status();
        let body: serde_json::Value =
            serde_json::from_slice(&answer.bytes().await?).unwrap_or_default();
        match body["error"].as_str() {
            Some(error) => bail!("the running service refuses it: {error}"),
            None => bail!("the running service refuses it: {status}"),
        }
    }

    /// Sends a command and forwards progress. An early end of the service is an error.
    pub(crate) async fn ask(
        &self,
        command: &str,
        request: &impl serde::Serialize,
        mut tell: impl FnMut(ProgressEvent),
    ) -> anyhow::Result<()> {
        let mut answer = self.post(command, serde_json::to_vec(request)?).await?;
        let mut read = Vec::new();
        // one that was killed breaks off in the middle, one that stops says so
        while let Ok(Some(chunk)) = answer.chunk().await {
            read.extend_from_slice(&chunk);
            while let Some(end) = read.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = read.drain(..=end).collect();
                match serde_json::from_slice(&line)
                    .context("the service speaks another language")?
                {
                    ProgressEvent::End => return Ok(()),
                    ProgressEvent::Failed { why } => bail!("{why}"),
                    event => tell(event),
                }
            }
            if read.len() > LINE_BYTES_MAX {
                bail!("a line of the running service is longer than {LINE_BYTES_MAX} bytes");
            }
        }
        bail!("{ENDED}")
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// What holds a folder may have no socket yet, or let go of it.
    #[test]
    fn a_folder_that_is_held_for_a_moment_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let looks = Cell::new(0);
        let open = || {
            looks.set(looks.get() + 1);
            match looks.get() {
                1 => Err(StoreError::Locked { path: folder.path().to_owned() }),
                _ => EmbeddedStore::open(folder.path(), &EmbeddedConfig::default()),
            }
        };
        let reached = folder_or_service(folder.path(), open).unwrap().unwrap();
        assert!(matches!(reached, Reached::Folder(_)) && looks.get() == 2);
    }
}
