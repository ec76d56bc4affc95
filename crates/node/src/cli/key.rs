//! `key`: the key that a log or a witness signs with, as tools of signed notes (C2SP) write it.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, Subcommand};
use superroot_proof::note::{KeyKind, Signer};
use zeroize::Zeroizing;

use super::output::{print, refuse_stdout};
use crate::log_key;

/// Longest key that is read from standard input, in bytes.
const KEY_BYTES_MAX: u64 = 1024;

/// What is done with a key.
#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Makes a key of a log or of a witness, writes it to a file for its owner alone, and prints what
    /// clients pin, or what stands in their policies.
    New {
        #[command(flatten)]
        file: KeyFile,
        #[command(flatten)]
        owner: Owner,
    },
    /// Prints what clients pin of a key: its name, its id and the public key.
    Show(KeyFile),
    /// Takes a key from standard input (PRIVATE+KEY+name+id+base64) into a file.
    Import(KeyFile),
}

/// Whose key it is.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Owner {
    /// Origin of the log: the name of its key.
    #[arg(long, value_name = "NAME")]
    origin: Option<String>,
    /// Name of the witness, as in witness.example.org/w1: the name of its key.
    #[arg(long, value_name = "NAME")]
    witness: Option<String>,
}

/// The file of a key.
#[derive(Debug, Args)]
pub(crate) struct KeyFile {
    /// File with the key; a service keeps its log's in log.key of its data folder.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub(crate) fn run(command: KeyCommand, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let signer = match command {
        KeyCommand::New { file, owner } => {
            refuse_stdout(&file.file)?;
            let (name, kind) = match (owner.origin, owner.witness) {
                (Some(origin), _) => (origin, KeyKind::Log),
                (None, witness) => (witness.unwrap_or_default(), KeyKind::Witness),
            };
            let signer = log_key::make(&name, kind)?;
            log_key::write_new(&file.file, &signer)?;
            signer
        }
        KeyCommand::Show(file) => log_key::read(&file.file)?,
        KeyCommand::Import(file) => {
            refuse_stdout(&file.file)?;
            let mut text = Zeroizing::new(String::new());
            std::io::stdin().lock().take(KEY_BYTES_MAX).read_to_string(&mut text)?;
            let signer = Signer::from_secret(&text).context("standard input")?;
            log_key::write_new(&file.file, &signer)?;
            signer
        }
    };
    print(out, &format!("{}\n", signer.verifier()), ExitCode::SUCCESS)
}
