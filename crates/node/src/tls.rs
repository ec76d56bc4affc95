//! TLS certificate from files, reloaded on change.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use anyhow::{Context, bail};
use rustls::ServerConfig as TlsConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

use superroot_types::UnixSeconds;

use crate::config::ServerConfig;
use crate::stage::{BlockingStage, StageFailure, StageName};

const LOOK_AGAIN: Duration = Duration::from_secs(30);

/// Certificate and key, in PEM.
#[derive(Debug)]
struct Files {
    cert: PathBuf,
    key: PathBuf,
}

#[derive(Debug)]
struct CertificateResolver(RwLock<Arc<CertifiedKey>>);

pub(crate) struct Tls {
    files: Files,
    shown: Arc<CertificateResolver>,
    /// Modification times of both files.
    seen: [SystemTime; 2],
}

impl Tls {
    /// Opens the configured certificate; `None` without configured files.
    ///
    /// # Errors
    /// Only one file is configured, a file is unreadable, or the two do not match.
    pub(crate) fn open(config: &ServerConfig) -> anyhow::Result<Option<Self>> {
        let files = Files { cert: config.tls_cert.clone(), key: config.tls_key.clone() };
        match (files.cert.as_os_str().is_empty(), files.key.as_os_str().is_empty()) {
            (true, true) => return Ok(None),
            (false, false) => {}
            _ => bail!("server.tls_cert and server.tls_key go together: set both, or none"),
        }
        let seen = files.changed()?;
        let certified = files.load()?;
        let shown = Arc::new(CertificateResolver(RwLock::new(Arc::new(certified))));
        Ok(Some(Self { files, shown, seen }))
    }

    /// TLS settings: TLS 1.2 and 1.3, HTTP/2 and HTTP/1.1.
    pub(crate) fn config(&self) -> anyhow::Result<Arc<TlsConfig>> {
        let builder = TlsConfig::builder_with_provider(Arc::new(default_provider()));
        let builder = builder.with_safe_default_protocol_versions()?.with_no_client_auth();
        let mut config = builder.with_cert_resolver(self.shown.clone());
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }

    /// Loads a changed certificate.
    fn renew(&mut self) -> anyhow::Result<()> {
        let changed = self.files.changed()?;
        if changed != self.seen {
            let certified = Arc::new(self.files.load()?);
            *self.shown.0.write().unwrap_or_else(PoisonError::into_inner) = certified;
            self.seen = changed;
            tracing::info!("another certificate is shown from now on");
        }
        Ok(())
    }
}

impl BlockingStage for Tls {
    fn name(&self) -> StageName {
        StageName::Certificate
    }

    fn step(&mut self, _: UnixSeconds) -> Result<Duration, StageFailure> {
        let renewed = self.renew().context("the previous certificate stays in use");
        renewed.map_err(StageFailure::Passing)?;
        Ok(LOOK_AGAIN)
    }
}

impl Files {
    fn changed(&self) -> anyhow::Result<[SystemTime; 2]> {
        let changed = |path: &PathBuf| {
            std::fs::metadata(path)
                .and_then(|about| about.modified())
                .with_context(|| format!("cannot read {}", path.display()))
        };
        Ok([changed(&self.cert)?, changed(&self.key)?])
    }

    fn load(&self) -> anyhow::Result<CertifiedKey> {
        let cert = || format!("server.tls_cert is {}", self.cert.display());
        let key = || format!("server.tls_key is {}", self.key.display());
        let chain = CertificateDer::pem_file_iter(&self.cert).with_context(cert)?;
        let chain = chain.collect::<Result<Vec<_>, _>>().with_context(cert)?;
        if chain.is_empty() {
            bail!("{}: no certificate in it", cert());
        }
        let private = PrivateKeyDer::from_pem_file(&self.key).with_context(key)?;
        let certified = CertifiedKey::from_der(chain, private, &default_provider());
        certified.with_context(|| format!("{} and {}", cert(), key()))
    }
}

impl ResolvesServerCert for CertificateResolver {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.read().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConnection};

    use super::*;

    /// A certificate that nobody signed, in two files.
    fn write(folder: &Path) -> CertificateDer<'static> {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        std::fs::write(folder.join("cert.pem"), made.cert.pem()).unwrap();
        std::fs::write(folder.join("key.pem"), made.signing_key.serialize_pem()).unwrap();
        made.cert.der().clone()
    }

    /// What a client that trusts these is shown in a handshake.
    fn shown(
        config: &Arc<TlsConfig>,
        trusted: &[CertificateDer<'static>],
    ) -> CertificateDer<'static> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(trusted.iter().cloned());
        let client = ClientConfig::builder_with_provider(Arc::new(default_provider()));
        let client = client.with_safe_default_protocol_versions().unwrap();
        let client = client.with_root_certificates(roots).with_no_client_auth();
        let name = "localhost".try_into().unwrap();
        let mut client = ClientConnection::new(Arc::new(client), name).unwrap();
        let mut server = ServerConnection::new(config.clone()).unwrap();
        while client.is_handshaking() {
            let mut line = Vec::new();
            client.write_tls(&mut line).unwrap();
            server.read_tls(&mut &line[..]).unwrap();
            server.process_new_packets().unwrap();
            line.clear();
            server.write_tls(&mut line).unwrap();
            client.read_tls(&mut &line[..]).unwrap();
            client.process_new_packets().unwrap();
        }
        client.peer_certificates().unwrap()[0].clone()
    }

    #[test]
    fn a_renewed_certificate_is_shown_and_a_broken_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let first = write(folder.path());
        let config = ServerConfig {
            tls_cert: folder.path().join("cert.pem"),
            tls_key: folder.path().join("key.pem"),
            listen: "127.0.0.1:0".parse().unwrap(),
            metrics_listen: None,
            drain_ms: 0,
            shutdown_timeout_ms: 0,
        };
        let mut tls = Tls::open(&config).unwrap().unwrap();
        let config = tls.config().unwrap();
        let mut step = || tls.step(UnixSeconds(0));
        step().unwrap();
        assert_eq!(shown(&config, std::slice::from_ref(&first)), first);
        let second = write(folder.path());
        let both = [first, second];
        assert_eq!(shown(&config, &both), both[0], "until the files are looked at");
        step().unwrap();
        assert_eq!(shown(&config, &both), both[1]);
        std::fs::write(folder.path().join("cert.pem"), "half of a cert").unwrap();
        let failure = step().unwrap_err();
        assert!(matches!(failure, StageFailure::Passing(_)), "{failure:?}");
        assert_eq!(shown(&config, &both), both[1]);
        let third = write(folder.path());
        step().unwrap();
        assert_eq!(shown(&config, &[both[1].clone(), third.clone()]), third);
    }
}
