//! `key`: signing key for a log or witness, in signed-note form (C2SP).

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, Subcommand};
use superroot_proof::note::{KeyKind, Signer};
use zeroize::Zeroizing;

use super::output::{print, refuse_stdout};
use crate::log_key;

const KEY_BYTES_MAX: u64 = 1024;

/// Manage signing keys.
#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Create a key for a log or witness, write the key to a private file, and print the line for clients' pins or
    /// policies.
    New {
        #[command(flatten)]
        file: KeyFile,
        #[command(flatten)]
        owner: Owner,
    },
    /// Print a key's pin for clients: name, id and public key.
    Show(KeyFile),
    /// Import a key from standard input (PRIVATE+KEY+name+id+base64) into a file.
    Import(KeyFile),
}

/// Key owner.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Owner {
    /// Log origin, used as the key name.
    #[arg(long, value_name = "NAME")]
    origin: Option<String>,
    /// Witness name, as in witness.example.org/w1, used as the key name.
    #[arg(long, value_name = "NAME")]
    witness: Option<String>,
}

/// Key file.
#[derive(Debug, Args)]
pub(crate) struct KeyFile {
    /// Key file; a service keeps its log key in log.key in the data folder.
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
