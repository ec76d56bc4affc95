//! `wallet`: secp256k1 key file and signatures, so that a script can prove a wallet without other tools. Not for money,
//! because the key file is not encrypted.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use alloy_primitives::eip191_hash_message;
use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use k256::ecdsa::{RecoveryId, Signature, SigningKey};
use superroot_account::show_wallet;
use superroot_types::Address;

use super::output::{print, refuse_stdout};
use crate::evm_key::{self, EvmSecret};

const MESSAGE_BYTES_MAX: u64 = 64 << 10;

/// Wallet commands.
#[derive(Debug, Subcommand)]
pub(crate) enum WalletCommand {
    /// Create a wallet, write the key to a private file, and print the address.
    New(KeyFileArgs),
    /// Print the wallet address.
    Address(KeyFileArgs),
    /// Sign standard input as a wallet text (EIP-191), and print the signature: for the message from
    /// /api/v1/register/challenge, to use in /api/v1/wallet.
    Sign(KeyFileArgs),
}

/// Wallet key file.
#[derive(Debug, Args)]
pub(crate) struct KeyFileArgs {
    /// Key file: 64 hexadecimal digits.
    #[arg(long, value_name = "FILE")]
    key_file: PathBuf,
}

pub(crate) fn run(command: WalletCommand, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let text = match command {
        WalletCommand::New(args) => create(&args.key_file)?,
        WalletCommand::Address(args) => show(&read_key(&args.key_file)?),
        WalletCommand::Sign(args) => {
            let key = read_key(&args.key_file)?;
            let mut message = Vec::new();
            let input = std::io::stdin().lock();
            input.take(MESSAGE_BYTES_MAX + 1).read_to_end(&mut message)?;
            if message.len() as u64 > MESSAGE_BYTES_MAX {
                bail!("the message is longer than {MESSAGE_BYTES_MAX} bytes");
            }
            sign(&key, &message)?
        }
    };
    print(out, &format!("{text}\n"), ExitCode::SUCCESS)
}

/// Creates a key file, never over an existing file.
fn create(file: &Path) -> anyhow::Result<String> {
    refuse_stdout(file)?;
    let key = key_of(&evm_key::write_new(file)?)?;
    Ok(show(&key))
}

fn read_key(file: &Path) -> anyhow::Result<SigningKey> {
    key_of(&evm_key::read(file)?)
}

fn key_of(secret: &EvmSecret) -> anyhow::Result<SigningKey> {
    SigningKey::from_slice(&**secret).context("the bytes are no key")
}

/// Checksummed address (EIP-55).
pub(crate) fn show(key: &SigningKey) -> String {
    let address = alloy_primitives::Address::from_private_key(key);
    show_wallet(&Address(address.into_array()))
}

/// 65 bytes `r`, `s` (the lower of the two), `v` (27 or 28), for an EIP-191 message.
pub(crate) fn sign(key: &SigningKey, message: &[u8]) -> anyhow::Result<String> {
    let hash = eip191_hash_message(message);
    let (signature, recovery): (Signature, RecoveryId) =
        key.sign_prehash_recoverable(hash.as_slice()).context("the key does not sign")?;
    let mut bytes = signature.to_bytes().to_vec();
    bytes.push(27 + recovery.to_byte());
    Ok(const_hex::encode_prefixed(bytes))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn key_file(folder: &Path, text: &str) -> PathBuf {
        let file = folder.join("wallet.key");
        std::fs::write(&file, text).unwrap();
        file
    }

    /// The key, address and signature that the documentation of web3.js and ethers sign "Hello World"
    /// and others with; the key is published and nobody's.
    #[test]
    fn a_known_wallet_signs_as_others_sign() {
        let folder = tempfile::tempdir().unwrap();
        let text = "0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318\n";
        let key = read_key(&key_file(folder.path(), text)).unwrap();
        assert_eq!(show(&key), "0x2c7536E3605D9C16a7a3D7b1898e529396a65c23");
        let expected = "0xb91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd\
                        6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a029\
                        1c";
        assert_eq!(sign(&key, b"Some data").unwrap(), expected);
    }

    #[test]
    fn a_wallet_is_its_owners_alone_and_is_never_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("new.key");
        let address = create(&file).unwrap();
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(create(&file).is_err());
        assert_eq!(show(&read_key(&file).unwrap()), address);
    }

    #[test]
    fn what_holds_no_key_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        for text in ["", "0x", "12", &"0".repeat(64), &"f".repeat(64), &"1".repeat(66), "no key"] {
            let error = read_key(&key_file(folder.path(), text)).unwrap_err().to_string();
            assert!(error.contains("wallet.key"), "{text}: {error}");
        }
        assert!(read_key(&folder.path().join("absent")).is_err());
    }
}
