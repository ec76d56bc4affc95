//! What keys, limits and counts cost a request: as layers in this process, and at the socket of the
//! service, each beside the same route without them.
//!
//! `hot` compares proofs that were just asked for with a handler that answers a constant body of the same
//! size. `crowd` is what another client waits beside a hundred that send large bodies. `cargo bench -p superroot-api
//! --bench accounts -- layers`, `socket`, `hot` or `crowd` runs one of them.
//! `SUPERROOT_BENCH_ROUNDS` says how many rounds of a second each side has at the socket (15 there, 7 in `hot`),
//! `SUPERROOT_BENCH_ONLY=cold/v5/proof/tx` which of the paths of `hot` are asked for: `hot`, `cold` (under the next
//! SuperRoot) or `first` (by nobody before).

mod crowd;
mod hot;
mod layers;
#[path = "../../../account/benches/measure/mod.rs"]
mod measure;
mod socket;
#[path = "../../tests/support/mod.rs"]
mod support;
mod world;

use superroot_memory as _; // as the service has it

/// Gathers what is measured, as the service does: that takes its part of each request.
fn measure_as_the_service() {
    let recorder = metrics_exporter_prometheus::PrometheusBuilder::new().install_recorder();
    let gathered = recorder.expect("the first recorder");
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(std::time::Duration::from_secs(5));
            gathered.run_upkeep();
        }
    });
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, role, address] = arguments.as_slice()
        && role == socket::CLIENT
    {
        return socket::client(address);
    }
    if let [_, role, address, body, keys] = arguments.as_slice()
        && role == crowd::CROWD
    {
        return crowd::crowd(address, body, keys);
    }
    if !arguments.iter().any(|argument| argument == "--bench") {
        return; // `cargo test` asks whether it runs: it takes minutes
    }
    measure_as_the_service();
    let named = |name| arguments.iter().any(|argument| argument == name);
    let all = !["layers", "socket", "hot", "crowd"].into_iter().any(named);
    if all || named("layers") {
        layers::run();
    }
    if all || named("socket") {
        socket::run();
    }
    if all || named("hot") {
        hot::run();
    }
    if all || named("crowd") {
        crowd::run();
    }
}
