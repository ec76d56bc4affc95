//! `key`: the key that a log signs with, as tools of signed notes (C2SP) write it.

use std::io::{Read, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Subcommand};
use superroot_proof::note::Signer;
use zeroize::Zeroizing;

use crate::log_key;

/// Longest key that is read from standard input, in bytes.
const KEY_BYTES_MAX: u64 = 1024;

/// What is done with a key.
#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Makes a key of a log, writes it to a file for its owner alone, and prints what clients pin.
    New {
        #[command(flatten)]
        file: KeyFile,
        /// Origin of the log: the name of the key.
        #[arg(long, value_name = "NAME")]
        origin: String,
    },
    /// Prints what clients pin of a key: its name, its id and the public key.
    Show(KeyFile),
    /// Takes a key from standard input (PRIVATE+KEY+name+id+base64) into a file.
    Import(KeyFile),
}

/// The file of a log's key.
#[derive(Debug, Args)]
pub(crate) struct KeyFile {
    /// File with the key; a service keeps its own in log.key of its data folder.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub(crate) fn run(command: KeyCommand, out: &mut impl Write) -> anyhow::Result<()> {
    let signer = match command {
        KeyCommand::New { file, origin } => {
            let signer = log_key::make(&origin)?;
            log_key::write_new(&file.file, &signer)?;
            signer
        }
        KeyCommand::Show(file) => log_key::read(&file.file)?,
        KeyCommand::Import(file) => {
            let mut text = Zeroizing::new(String::new());
            std::io::stdin().lock().take(KEY_BYTES_MAX).read_to_string(&mut text)?;
            let signer = Signer::from_secret(&text).context("standard input")?;
            log_key::write_new(&file.file, &signer)?;
            signer
        }
    };
    Ok(writeln!(out, "{}", signer.verifier())?)
}
