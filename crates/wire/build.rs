//! Makes the messages and services of gRPC out of `proto/`, where the feature `grpc` is on.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "grpc")]
    grpc();
}

#[cfg(feature = "grpc")]
fn grpc() {
    use std::path::PathBuf;

    println!("cargo::rerun-if-changed=proto");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo names the folder"));
    let mut compiler = protox::Compiler::new(["proto"]).expect("the folder is there");
    compiler.include_imports(true).open_file("superroot/v5/superroot.proto").expect("it is sound");
    // comments become those of the code; whoever asks the service for its descriptor needs none
    let commented = compiler.include_source_info(true).file_descriptor_set();
    let plain = compiler.include_source_info(false).encode_file_descriptor_set();
    std::fs::write(out.join("superroot.bin"), plain).expect("the folder can be written");
    tonic_prost_build::configure()
        .build_transport(false)
        .emit_rerun_if_changed(false)
        .compile_fds(commented)
        .expect("the folder can be written");
}
