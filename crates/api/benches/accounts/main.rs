//! What keys, limits and counts cost a request: as layers in this process, and at the socket of the
//! service, each beside the same route without them.
//!
//! `cargo bench -p superroot-api --bench accounts -- layers` or `socket` runs one of the two.
//! The program itself with `count_with <path> <calls>`, or `count_without`, makes so many calls of
//! one side: under `valgrind --tool=callgrind`, with two numbers of calls, what they differ by is
//! what a call takes, whatever else the machine does. `SUPERROOT_BENCH_ROUNDS` says how many rounds
//! of a second each side has at the socket (15).

mod layers;
#[path = "../../../account/benches/measure/mod.rs"]
mod measure;
mod socket;
#[path = "../../tests/support/mod.rs"]
mod support;
mod world;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, role, address] = arguments.as_slice()
        && role == socket::CLIENT
    {
        return socket::client(address);
    }
    if let [_, role, path, calls] = arguments.as_slice()
        && let Some(side) = role.strip_prefix("count_")
    {
        return layers::count(side, path, calls.parse().expect("a number of calls"));
    }
    if !arguments.iter().any(|argument| argument == "--bench") {
        return; // `cargo test` asks whether it runs: it takes minutes
    }
    let named = |name| arguments.iter().any(|argument| argument == name);
    let all = !named("layers") && !named("socket");
    if all || named("layers") {
        layers::run();
    }
    if all || named("socket") {
        socket::run();
    }
}
