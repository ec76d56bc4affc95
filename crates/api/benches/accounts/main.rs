//! What keys, limits and counts cost a request, as layers in this process: each call of the routes
//! with them stands beside one of the routes without.

mod layers;
#[path = "../../../account/benches/measure/mod.rs"]
mod measure;
#[path = "../../tests/support/mod.rs"]
mod support;
mod world;

fn main() {
    // `cargo test` asks whether it runs: it takes minutes
    if std::env::args().any(|argument| argument == "--bench") {
        layers::run();
    }
}
