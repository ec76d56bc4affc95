//! What is generated from `interface/superroot/v5/superroot.proto` is in the repository, so that a build of the service
//! needs no compiler for it.

/// `make interface` writes the generated files.
#[test]
fn messages_and_services_are_those_of_the_proto_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut compiler = protox::Compiler::new(["../../interface"]).unwrap();
    compiler.include_imports(true).open_file("superroot/v5/superroot.proto").unwrap();
    // comments become those of the code; whoever asks the service for its descriptor needs none
    let commented = compiler.include_source_info(true).file_descriptor_set();
    let plain = compiler.include_source_info(false).encode_file_descriptor_set();
    tonic_prost_build::configure()
        .build_server(false)
        .build_transport(false)
        .emit_rerun_if_changed(false)
        .out_dir(folder.path())
        .compile_fds(commented)
        .unwrap();

    let code = std::fs::read(folder.path().join("superroot.v5.rs")).unwrap();
    for (file, expected) in [
        ("../../interface/superroot/v5/superroot.binpb", plain.clone()),
        // a package holds the files below its own folder alone
        ("src/grpc/superroot.v5.binpb", plain),
        ("src/grpc/superroot.v5.rs", code),
    ] {
        if std::env::var_os("SUPERROOT_WRITE_INTERFACE").is_some() {
            std::fs::write(file, &expected).unwrap();
        }
        let is_same = std::fs::read(file).is_ok_and(|found| found == expected);
        assert!(is_same, "{file} differs from what superroot.proto generates: run make interface");
    }
}
