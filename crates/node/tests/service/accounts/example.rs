//! The example of accounts, run as it stands against the running program.

use std::path::Path;
use std::process::Command;

use crate::support::{Service, superroot};

/// `curl` is all that the script needs besides the program.
fn has_curl() -> bool {
    let has = Command::new("curl").arg("--version").output().is_ok();
    if !has {
        eprintln!("SKIPPED: the example of accounts; curl is not at hand");
    }
    has
}

/// Each step of the script checks the status it expects; here it must come to its end, and show no key.
#[tokio::test(flavor = "multi_thread")]
async fn the_example_of_accounts_comes_to_its_end() {
    if !has_curl() {
        return;
    }
    let mut command = superroot();
    command.args(["demo", "--listen", "127.0.0.1:0", "--no-reorg"]);
    let service = Service::start(&mut command, "ready");
    // before the script, which uses up what an address may ask in a minute
    let challenge = format!("/api/v1/register/challenge?wallet_address=0x{}", "11".repeat(20));
    assert_eq!(service.json(&challenge).await["contract_wallets"], false, "a demo asks no node");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/accounts.sh");
    let run = Command::new("sh")
        .arg(script)
        .arg(format!("{}/", service.url)) // as people copy it out of a browser
        .env("SUPERROOT", env!("CARGO_BIN_EXE_superroot"))
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&run.stdout);
    assert!(shown.trim_end().ends_with("== done"), "{shown}");
    let text = String::from_utf8_lossy(&[&run.stdout[..], &run.stderr].concat()).into_owned();
    assert!(run.status.success(), "{text}");
    assert!(
        text.contains("\"wallet_proven\": true") || text.contains("\"wallet_proven\":true"),
        "{text}"
    );
    assert!(text.contains("the key was rotated") && text.contains("revoked"), "{text}");
    assert!(text.contains("429"), "{text}");
    let is_key = |word: &str| word.starts_with("svc_test_") && word.len() >= 58;
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    assert!(words.into_iter().all(|word| !is_key(word)), "{text}");
    assert!(service.stop().success());
}
