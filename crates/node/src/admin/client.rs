//! The command line's way to a data folder: into it where nobody holds it, else to the service that
//! does.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use superroot_store::{EmbeddedConfig, EmbeddedStore, MemoryStore, Store, StoreError};

use super::Event;
use super::accounts::Asked;
use crate::accounts;
use crate::bond::Bond;
use crate::limits;

/// Longest line of an answer, in bytes.
const LINE_BYTES_MAX: usize = 1 << 20;

/// What is said where the service went away in the middle of the work.
const ENDED: &str = "the running service ended before the work did: what was taken stays, and the \
                     same command goes on from there";

/// A service that has just taken its folder makes its socket within that time.
const SOCKET_WAIT: Duration = Duration::from_secs(5);
/// Time between looks for the socket.
const SOCKET_INTERVAL: Duration = Duration::from_millis(100);

/// A data folder that can be acted on.
pub(crate) enum Reached {
    /// Nobody else holds it.
    Folder(Box<EmbeddedStore>),
    /// A service runs on it.
    Service(Running),
}

/// A service that runs on a folder.
pub(crate) struct Running {
    client: reqwest::Client,
    /// Kept: the socket's path leads through it.
    _reach: super::socket::Reach,
}

/// Takes a data folder that is there, or finds the service that holds it.
pub(crate) fn reach(data: &Path, settings: &EmbeddedConfig) -> anyhow::Result<Reached> {
    match folder_or_service(data, || EmbeddedStore::open_existing(data, settings))? {
        Ok(reached) => Ok(reached),
        Err(error @ StoreError::NoData { .. }) => Err(error.into()),
        Err(error) => Err(error).with_context(|| format!("cannot open {}", data.display())),
    }
}

/// Takes the accounts of a data folder, or finds the service that holds them. Accounts that are to be changed have to be
/// those of the folder, as a service that starts has them be; others can be looked at, and chains are left alone then.
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

/// Takes a store of a data folder, or finds the service that holds the folder; `None` where there is no store.
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

/// That the accounts, or that there are none, are those of the folder.
fn expect_own(
    data: &Path,
    chains: Option<&EmbeddedStore>,
    accounts: Option<&EmbeddedStore>,
) -> anyhow::Result<()> {
    let nothing = MemoryStore::new();
    let chains = chains.map_or(&nothing as &dyn Store, |chains| chains as &dyn Store);
    let accounts = accounts.map(|accounts| accounts as &dyn Store);
    let origin = superroot_accumulate::load_origin(chains)?;
    Bond { chains, accounts, data, origin: origin.as_deref() }.expect_own()
}

/// What `open` opens, or the service that holds the data folder. One that has just begun has no socket
/// yet; whoever else holds the folder may let go of it.
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
        match Running::on(data)? {
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

impl Running {
    /// The service on that folder, or why nobody listens there.
    fn on(data: &Path) -> anyhow::Result<std::io::Result<Self>> {
        let shown = data.display();
        let reach =
            super::socket::Reach::of(data).with_context(|| format!("cannot look into {shown}"))?;
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

    /// Has the service do something with its accounts.
    ///
    /// # Errors
    /// What the service refuses.
    pub(crate) async fn ask_accounts(&self, asked: &Asked) -> anyhow::Result<serde_json::Value> {
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

    /// Asks the service to do something, and hands on what it tells.
    ///
    /// # Errors
    /// What the service refuses or fails at, and that it ended before it said so.
    pub(crate) async fn ask(
        &self,
        command: &str,
        request: &impl serde::Serialize,
        mut tell: impl FnMut(Event),
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
                    Event::End => return Ok(()),
                    Event::Failed { why } => bail!("{why}"),
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
