//! Running the built binary on proofs of a small world.

#[allow(clippy::useless_vec)] // lints of that crate are its own
#[path = "../../../proof/tests/world/mod.rs"]
pub(crate) mod world;

mod closed;
mod prove;
mod scan;
mod service;
mod super_roots;
mod trust;
mod verify;
mod watch;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use superroot_proof::bundle::{Bundle, Policy, ProofSubject, verify};
use superroot_proof::registry::LogRegistry;
use superroot_wire::superroot::{Consistency, ConsistencyAnswer, Strength};
use superroot_wire::{Shape, render};
use tempfile::TempDir;
use world::{ETHEREUM, OPTIMISM, World};

/// What a run of the binary left.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Output {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// That it ended so, and that each text stands in its output.
    #[track_caller]
    pub(crate) fn expect(&self, code: i32, texts: &[&str]) {
        assert_eq!(self.code, code, "{}{}", self.out, self.err);
        for text in texts {
            let found = self.out.contains(text) || self.err.contains(text);
            assert!(found, "no {text:?} in\n{}{}", self.out, self.err);
        }
    }
}

/// A folder that is home and working folder of the binary.
pub(crate) struct Bench {
    pub(crate) folder: TempDir,
    pub(crate) env: Vec<(&'static str, &'static str)>,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), env: Vec::new() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        name.to_owned()
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.run_with(args, &[])
    }

    /// The binary in this folder, with nothing else of this process.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(Path::new(env!("CARGO_BIN_EXE_superroot")));
        command
            .args(args)
            .current_dir(self.folder.path())
            .env_clear()
            .env("HOME", self.folder.path())
            .envs(self.env.iter().copied());
        command
    }

    /// A run whose output is no text.
    pub(crate) fn run_raw(&self, args: &[&str]) -> std::process::Output {
        self.command(args).stdin(Stdio::null()).output().unwrap()
    }

    pub(crate) fn run_with(&self, args: &[&str], stdin: &[u8]) -> Output {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // the binary may end without reading all of it
        let _ = child.stdin.take().unwrap().write_all(stdin);
        let output = child.wait_with_output().unwrap();
        Output {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// The rows of the verifier under test.
pub(crate) fn registry() -> &'static LogRegistry {
    superroot_chain::ChainRegistry::builtin().proof_registry()
}

/// Ethereum from 4,096 over a twig's end, Optimism inside its first twig; two SuperRoots.
pub(crate) fn small_world() -> World {
    let mut world = World::new();
    world.registry = registry().clone();
    world.extend(ETHEREUM, 4096..=4100, |number| number % 5);
    world.publish(1_700_000_000);
    world.extend(ETHEREUM, 4101..=6150, |number| if number % 64 == 0 { 5 } else { 0 });
    world.extend(OPTIMISM, 0..=70, |number| number % 4);
    world.publish(1_700_000_012);
    world
}

/// Block 4,099 lies in a sealed twig and has four transactions.
pub(crate) fn sealed(world: &World, subject: ProofSubject) -> Bundle {
    world.prove(ETHEREUM, 4099, subject, true, 1)
}

/// Block 67 of Optimism lies in an open twig.
pub(crate) fn open(world: &World) -> Bundle {
    world.prove(OPTIMISM, 67, ProofSubject::Block, true, 1)
}

/// A true proof as an answer of the service.
pub(crate) fn body(bundle: &Bundle, shape: Shape) -> Value {
    let facts = verify(bundle, &Policy::strict(registry())).unwrap();
    render(bundle, &facts, shape)
}

/// That the second SuperRoot of a world extends the first.
pub(crate) fn consistency(world: &World, strength: Strength) -> ConsistencyAnswer {
    let world::Full { proof, appended } = world.consistency(0, 1);
    let proof = match strength {
        Strength::Full => {
            let proof = Consistency::Full(Box::new(proof));
            return ConsistencyAnswer { proof, appended: Some(appended) };
        }
        Strength::History => Consistency::History(Box::new(proof.history)),
        Strength::Upgrade => Consistency::Upgrade(Box::new(proof.history.upgrade)),
    };
    proof.into()
}
