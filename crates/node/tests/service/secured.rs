//! The service with a certificate of its own.

use std::path::Path;

use crate::support::{Service, superroot};
use serde_json::Value;

/// A certificate that nobody signed, in two files; a client that trusts it.
fn certificate(folder: &Path) -> reqwest::ClientBuilder {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    std::fs::write(folder.join("cert.pem"), made.cert.pem()).unwrap();
    std::fs::write(folder.join("key.pem"), made.signing_key.serialize_pem()).unwrap();
    let _ = rustls::crypto::ring::default_provider().install_default();
    let root = reqwest::Certificate::from_der(made.cert.der()).unwrap();
    reqwest::Client::builder().tls_certs_only([root]).no_proxy()
}

fn demo(folder: &Path) -> std::process::Command {
    let mut command = superroot();
    command.args(["demo", "--listen", "127.0.0.1:0", "--data"]).arg(folder.join("data"));
    command.env("SUPERROOT__SERVER__TLS_CERT", folder.join("cert.pem"));
    command.env("SUPERROOT__SERVER__TLS_KEY", folder.join("key.pem"));
    command
}

#[tokio::test(flavor = "multi_thread")]
async fn both_versions_of_http_are_spoken_over_tls_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let client = certificate(folder.path());
    let service = Service::start(&mut demo(folder.path()), "ready");
    let port = service.url.rsplit_once(':').unwrap().1.to_owned();
    assert!(service.url.starts_with("https://"), "{}", service.url);
    let url = format!("https://localhost:{port}/v5/superroot");
    // one that shakes no hands holds up nobody
    let _silent: Vec<_> = (0..20)
        .map(|_| std::net::TcpStream::connect(format!("127.0.0.1:{port}")).unwrap())
        .collect();
    let both = client.build().unwrap();
    let answer = both.get(&url).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), answer.version()), (200, reqwest::Version::HTTP_2));
    let body: Value = answer.json().await.unwrap();
    assert_eq!(body["network"], "simulated");
    let old = reqwest::Client::builder().tls_danger_accept_invalid_certs(true).http1_only();
    let answer = old.build().unwrap().get(&url).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), answer.version()), (200, reqwest::Version::HTTP_11));
    let plain = format!("http://localhost:{port}/v5/superroot");
    assert!(reqwest::get(&plain).await.is_err(), "nothing is answered without TLS");
    let stranger = reqwest::Client::builder().build().unwrap();
    assert!(stranger.get(&url).send().await.is_err(), "nobody signed it");
}

#[test]
fn files_that_do_not_belong_together_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    drop(certificate(folder.path()));
    let key = std::fs::read(folder.path().join("key.pem")).unwrap();
    drop(certificate(folder.path()));
    let said = |command: &mut std::process::Command| {
        let output = command.output().unwrap();
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let alone = said(demo(folder.path()).env("SUPERROOT__SERVER__TLS_KEY", ""));
    assert!(alone.contains("go together"), "{alone}");
    let missing = said(demo(folder.path()).env("SUPERROOT__SERVER__TLS_CERT", "/nowhere.pem"));
    assert!(missing.contains("/nowhere.pem"), "{missing}");
    std::fs::write(folder.path().join("key.pem"), key).unwrap();
    let other = said(&mut demo(folder.path()));
    assert!(other.contains("tls_cert") && other.contains("tls_key"), "{other}");
    std::fs::write(folder.path().join("cert.pem"), "nothing").unwrap();
    let empty = said(&mut demo(folder.path()));
    assert!(empty.contains("tls_cert"), "{empty}");
}
