//! What is generated from `proto/` stands in the repository, so that a build of the service needs no compiler of it.

use std::path::Path;

/// With `SUPERROOT_WRITE_GRPC` set it is written anew.
#[test]
fn messages_and_services_are_those_of_the_proto_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut compiler = protox::Compiler::new(["proto"]).unwrap();
    compiler.include_imports(true).open_file("superroot/v5/superroot.proto").unwrap();
    // comments become those of the code; whoever asks the service for its descriptor needs none
    let commented = compiler.include_source_info(true).file_descriptor_set();
    let plain = compiler.include_source_info(false).encode_file_descriptor_set();
    std::fs::write(folder.path().join("superroot.v5.bin"), plain).unwrap();
    tonic_prost_build::configure()
        .build_server(false)
        .build_transport(false)
        .emit_rerun_if_changed(false)
        .out_dir(folder.path())
        .compile_fds(commented)
        .unwrap();

    let ours = Path::new("src/grpc");
    for name in ["superroot.v5.bin", "superroot.v5.rs"] {
        let made = folder.path().join(name);
        if std::env::var_os("SUPERROOT_WRITE_GRPC").is_some() {
            std::fs::copy(&made, ours.join(name)).unwrap();
        }
        let same = std::fs::read(ours.join(name)).ok() == Some(std::fs::read(&made).unwrap());
        assert!(same, "{name} is not what proto/ says: make proto");
    }
}
