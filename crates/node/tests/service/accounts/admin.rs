//! The operator's hand on accounts, as the built program: through a running service, and on a folder
//! that nobody holds.

use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::operator::{self, admin, journal};
use crate::support::{Service, superroot};
use serde_json::{Value, json};

fn demo(data: &Path) -> Service {
    Service::start(&mut operator::demo(data), "ready")
}

fn run(mut command: Command, input: &str) -> (i32, String) {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8_lossy(&text).into_owned())
}

fn done(data: &Path, line: &str) -> Value {
    let (code, text) = run(admin(data, line, Some("ticket 7")), "");
    assert_eq!(code, 0, "{line}: {text}");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn demo_keys(data: &Path) -> Vec<Value> {
    let file = data.join("demo-keys.json");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap()
}

/// One ready key of each tier is on the screen and in a file for its owner, and the same after a
/// crash; the operator acts on them while the service runs and when it does not.
#[tokio::test(flavor = "multi_thread")]
async fn a_demo_has_a_key_of_each_tier_and_an_operator_acts_on_them() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let service = demo(&data);
    let keys = demo_keys(&data);
    let tiers: Vec<_> = keys.iter().map(|key| key["tier"].as_str().unwrap()).collect();
    assert_eq!(tiers, ["explorer", "builder", "protocol", "enterprise"]);
    assert!(keys.iter().all(|key| service.shows(key["api_key"].as_str().unwrap())));
    let listed = done(&data, "account list");
    assert_eq!(listed["accounts"].as_array().unwrap().len(), 4);
    service.kill();

    let service = demo(&data);
    assert_eq!(demo_keys(&data), keys, "keys outlive a kill");
    let (account, key) =
        (keys[1]["account"].as_str().unwrap(), keys[1]["api_key"].as_str().unwrap());
    let (code, text) = run(admin(&data, "key find", None), key);
    assert_eq!(code, 0, "{text}");
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&found["account"], &found["state"]), (&json!(account), &json!("active")));
    assert!(!text.contains(key), "a key is never shown again");
    let id = found["key"].as_str().unwrap();
    let revoke = format!("key revoke {account} {id}");
    let (code, text) = run(admin(&data, &revoke, None), "");
    assert!(code == 2 && text.contains("--why is missing"), "{text}");
    assert_eq!(done(&data, &revoke)["state"], "revoked");
    let (code, text) = run(admin(&data, "key find", None), "svc_test_x");
    assert!(code == 2 && text.contains("not a key"), "{text}");
    let uid = std::fs::metadata(&data).unwrap().uid();
    let act = done(&data, "audit list --from 7")["acts"][0].clone();
    assert_eq!((&act["what"], &act["why"]), (&json!("revoke_key"), &json!("ticket 7")));
    assert_eq!(act["who"], format!("ana (uid {uid})"));
    assert!(service.stop().success());

    on_the_folder_alone(&data, account, uid);
}

/// What is done where no service runs is the same act, in the same two logs.
fn on_the_folder_alone(data: &Path, account: &str, uid: u32) {
    let made = done(data, &format!("key create {account} --label ci"));
    assert!(made["api_key"].as_str().unwrap().starts_with("svc_test_"), "a demo's folder: {made}");
    let head = done(data, "audit check");
    assert_eq!((&head["acts"], &head["is_whole"]), (&json!(9), &json!(true)));
    let lines = journal(data);
    assert_eq!(lines.len(), 4, "{lines:?}");
    for (at, act, through) in [(0, "revoke_key", "socket"), (2, "create_key", "folder")] {
        let (begun, done) = (&lines[at], &lines[at + 1]);
        assert_eq!((&begun["act"], &begun["outcome"]), (&json!(act), &json!("begun")));
        assert_eq!((&done["id"], &done["outcome"]), (&begun["id"], &json!("done")));
        assert_eq!((&done["who"]["uid"], &done["who"]["through"]), (&json!(uid), &json!(through)));
    }
    // the newest hash of the audit log is kept outside of it
    let detail = lines[3]["detail"].as_str().unwrap();
    assert_eq!(detail, format!("audit 9 {}", head["head"].as_str().unwrap()));
    let log = std::fs::read_to_string(data.join("admin.log")).unwrap();
    assert!(!log.contains("svc_test_"), "no key is ever logged");
    let (code, text) = operator::run(superroot().arg("fsck").arg("--data").arg(data));
    assert!(code == 0 && text.contains("rows of accounts, acts and ledger whole"), "{text}");
    let tiers = ["admin", "tier", "list", "--data"];
    let (code, text) = operator::run(superroot().args(tiers).arg(data));
    assert!(code == 0 && text.lines().any(|line| line.contains("protocol")), "{text}");
}
