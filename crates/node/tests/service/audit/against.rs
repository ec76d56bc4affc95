//! `superroot audit --against`: blocks of the log beside those of a node of the auditor's own.

use crate::support::anvil::Anvil;
use crate::support::auditor::key;
use crate::support::operator::run;
use crate::support::world::{World, anchored};

const CHAIN: u64 = 31_337;

#[tokio::test(flavor = "multi_thread")]
async fn blocks_of_the_log_are_compared_with_a_node_of_ones_own() {
    let Some(node) = Anvil::start(CHAIN, 1) else { return };
    let Some(other) = Anvil::start(CHAIN, 1) else { return };
    let Some(elsewhere) = Anvil::start(31_338, 1) else { return };
    let world = World::of(&[&node]);
    let service = world.serve(&[]);
    node.mine(30).await;
    // as many blocks, with something else in them
    let account = other.account().await;
    other.send(Some(&account), &[]).await;
    other.mine(30).await;
    anchored(&service, CHAIN, 20).await;
    let key = key(&service).await;
    let audit = |against: &str, samples: &str| {
        let mut command = world.superroot();
        command.args(["audit", "--url", &service.url, "--key", &key, "--samples", samples]);
        run(command.args(["--against", against]))
    };
    let (code, text) = audit(&format!("{CHAIN}={}", node.url), "5");
    assert!(code == 0 && text.contains("5 blocks were compared with your nodes"), "{text}");
    let (code, text) = audit(&format!("anvil-{CHAIN}={}", other.url), "5");
    assert!(code == 1 && text.contains("the log commits to other blocks"), "{text}");
    let differing = text.lines().filter(|line| line.contains("differs")).count();
    assert!(differing >= 4 && !text.contains("TRUE"), "{text}");
    for (against, why) in [
        (format!("{CHAIN}={}", elsewhere.url), "is not of Anvil 31337"),
        (format!("ethereum={}", node.url), "the log has no block of Ethereum"),
        (format!("atlantis={}", node.url), "no such chain"),
        (node.url.clone(), "--against is CHAIN=URL"),
        (format!("{CHAIN}=http://127.0.0.1:1"), "Anvil 31337"),
    ] {
        let (code, text) = audit(&against, "2");
        assert!(code == 2 && text.contains(why), "{against}: {text}");
    }
}
