//! A disk that fills up under the service, and has room again.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::operator::demo;
use crate::support::{Service, superroot};

/// A demo on a disk of its own of 256 MiB, of which 128 MiB stay free. `None`, said loudly, where this
/// user may mount none.
fn on_small_disk(folder: &Path) -> Option<(Service, PathBuf)> {
    let may =
        Command::new("unshare").args(["-rm", "mount", "-t", "tmpfs", "tmpfs"]).arg(folder).output();
    if !may.is_ok_and(|made| made.status.success()) {
        eprintln!("SKIPPED: a full disk; this user may mount none (unshare -rm)");
        return None;
    }
    let program = superroot().get_program().to_owned();
    let line = "mount -t tmpfs -o size=256m tmpfs \"$1\" && \
                exec \"$0\" demo --no-reorg --listen 127.0.0.1:0 --data \"$1/data\"";
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", line]).arg(program).arg(folder);
    command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    command.env("SUPERROOT__ACCUMULATE__BEAT_MS", "500");
    command.env("SUPERROOT__STORE__FREE_BYTES_MIN", (128_u64 << 20).to_string());
    let service = Service::start(&mut command, "ready");
    let disk = PathBuf::from(format!("/proc/{}/root{}", service.id(), folder.display()));
    Some((service, disk))
}

async fn until(service: &Service, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    let begun = Instant::now();
    loop {
        let status = service.json("/api/v1/status").await;
        if is_so(&status) {
            return status;
        }
        assert!(begun.elapsed().as_secs() < 60, "{what}: {}", service.screen.lock().unwrap());
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// Proofs go on, writes are refused in plain words, and with room all goes on by itself.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_makes_it_read_only_until_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let Some((service, disk)) = on_small_disk(folder.path()) else { return };
    service.ready().await;
    let filler = disk.join("filler");
    std::fs::write(&filler, vec![1; 140 << 20]).unwrap();
    let is_full = |status: &Value| {
        let store = &status["store"];
        store["read_only"].is_string() && store["free_bytes"].as_u64() < Some(128 << 20)
    };
    let full = until(&service, "read-only", is_full).await;
    let why = full["store"]["read_only"].as_str().unwrap();
    assert!(why.contains("almost full") && why.contains("128 MiB stay free"), "{why}");
    assert_eq!(full["publishing"], "held", "{full}");
    assert!(full["publishing_why"].as_str().unwrap().contains("almost full"), "{full}");
    let newest = async || {
        let status = service.json("/api/v1/status").await;
        status["super_root"]["sequence"].as_u64().unwrap()
    };
    let sequence = newest().await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(newest().await, sequence, "it published");
    let screen = service.screen.lock().unwrap().clone();
    // where the newest blocks did not fit either, there was nothing to publish
    assert!(screen.matches("nothing is published").count() <= 1, "told with every beat: {screen}");

    let number = service.anchored(1).await.unwrap();
    let (code, _) = service.get(&format!("/v5/proof/1/{number}")).await;
    assert_eq!(code, 200, "a proof of what is held");
    let wallet = json!({ "wallet_address": format!("0x{:040x}", 0xabc) });
    let (code, refused) = service.post("/api/v1/register", "", &wallet).await;
    assert_eq!((code, &refused["code"]), (503, &json!("accounts_unavailable")), "{refused}");
    assert!(refused["detail"].as_str().unwrap().contains("disk"), "{refused}");
    assert!(service.shows("read-only: the disk of"));

    std::fs::remove_file(&filler).unwrap();
    let on = |status: &Value| {
        let is_newer = status["super_root"]["sequence"].as_u64() > Some(sequence + 1);
        is_newer && status["store"]["read_only"].is_null()
    };
    let after = until(&service, "publishing again", on).await;
    assert_eq!(after["publishing"], "on", "{after}");
    let (code, made) = service.post("/api/v1/register", "", &wallet).await;
    assert_eq!(code, 201, "{made}");
    assert!(service.stop().success());
}

/// Whoever starts it while the disk is almost full gets proofs of what is held as well.
#[tokio::test(flavor = "multi_thread")]
async fn a_start_on_a_full_disk_serves_what_is_held() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let start = |least: u64| {
        let mut command = demo(&data);
        command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
        command.env("SUPERROOT__STORE__FREE_BYTES_MIN", least.to_string());
        Service::start(&mut command, "ready")
    };
    let service = start(0);
    service.ready().await;
    let number = service.anchored(1).await.unwrap();
    service.kill();
    // more than any disk of a test machine has
    let service = start(1 << 40);
    service.ready().await;
    let (code, _) = service.get(&format!("/v5/proof/1/{number}")).await;
    assert_eq!(code, 200, "a proof of what is held");
    until(&service, "read-only", |status| status["store"]["read_only"].is_string()).await;
    let wallet = json!({ "wallet_address": format!("0x{:040x}", 0xabc) });
    let (code, refused) = service.post("/api/v1/register", "", &wallet).await;
    assert_eq!((code, &refused["code"]), (503, &json!("accounts_unavailable")), "{refused}");
    assert!(service.stop().success());
}
