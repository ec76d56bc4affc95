use sha2::{Digest, Sha256};
use signinwithethereum::{Message, TimeStamp, Version};
use superroot_types::{Address, ChainId, UnixSeconds};
use time::OffsetDateTime;

use super::WalletConfig;
use super::used::{Nonce, Secret};
use crate::{AccountError, Environment};

/// Longest accepted message, in bytes.
pub const MESSAGE_BYTES_MAX: usize = 2_048;

/// Longest domain and URI, in bytes: keeps the message well within its bound.
const NAME_BYTES_MAX: usize = 255;

/// A message's variable parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MessageTerms {
    pub(super) wallet: Address,
    pub(super) chain: ChainId,
    pub(super) nonce: Nonce,
    pub(super) issued_at: UnixSeconds,
    pub(super) expires_at: UnixSeconds,
}

impl MessageTerms {
    /// Nonce of the terms with their random bytes. Secret and hashed terms have fixed lengths, so nothing can be
    /// appended.
    pub(super) fn marked(&self, secret: &Secret, environment: Environment) -> Nonce {
        let random = &self.nonce[..8];
        let numbers = [self.chain.0, self.issued_at.0, self.expires_at.0];
        let said = [random, &self.wallet.0, &numbers.map(u64::to_be_bytes).concat()].concat();
        let hash = Sha256::new().chain_update(secret).chain_update([environment.byte()]);
        let mut nonce = self.nonce;
        nonce[8..].copy_from_slice(&hash.chain_update(said).finalize()[..8]);
        nonce
    }
}

/// Parses a host with port, without a user name.
fn authority<A: std::str::FromStr>(text: &str) -> Result<A, &'static str> {
    let expected = "a host name, and a port where there is one";
    if text.is_empty() || text.len() > NAME_BYTES_MAX || text.contains('@') {
        return Err(expected);
    }
    text.parse().map_err(|_| expected)
}

fn uri<U: std::str::FromStr>(text: &str) -> Result<U, &'static str> {
    let expected = "a URI of at most 255 bytes";
    if text.len() > NAME_BYTES_MAX {
        return Err(expected);
    }
    text.parse().map_err(|_| expected)
}

impl WalletConfig {
    /// Checks domain, URI and figures.
    pub(crate) fn validate(&self) -> Result<(), AccountError> {
        let at = UnixSeconds(0);
        let nonce = Nonce::default();
        let wallet = Address([0; 20]);
        let chain = ChainId(1);
        let terms = MessageTerms { wallet, chain, nonce, issued_at: at, expires_at: at };
        build(self, &terms)?;
        self.check_figures()
    }
}

/// Builds the text of a message.
///
/// # Errors
/// [`AccountError::Overflow`] after the year 9999; [`AccountError::Config`] for unvalidated settings.
pub(super) fn build(config: &WalletConfig, terms: &MessageTerms) -> Result<String, AccountError> {
    let wrong = |field, got: &str| {
        let got = got.to_owned();
        move |expected: &str| AccountError::Config { field, got, expected: expected.to_owned() }
    };
    let message = Message {
        scheme: None,
        domain: authority(&config.domain).map_err(wrong("wallet.domain", &config.domain))?,
        address: terms.wallet.0,
        address_raw: None,
        statement: Some(config.statement.clone()),
        uri: uri(&config.uri).map_err(wrong("wallet.uri", &config.uri))?,
        version: Version::V1,
        chain_id: terms.chain.0,
        nonce: const_hex::encode(terms.nonce),
        issued_at: stamp(terms.issued_at)?,
        expiration_time: Some(stamp(terms.expires_at)?),
        not_before: None,
        request_id: None,
        resources: Vec::new(),
        warnings: Vec::new(),
    };
    Ok(message.to_string())
}

/// Time in the format of JavaScript's `toISOString`, with milliseconds: libraries that rebuild the message from its
/// parts get the same text.
fn stamp(at: UnixSeconds) -> Result<TimeStamp, AccountError> {
    let past = AccountError::Overflow { what: "the time of a challenge" };
    let seconds = i64::try_from(at.0).ok();
    let time = seconds.and_then(|at| OffsetDateTime::from_unix_timestamp(at).ok());
    // years of five digits have no text
    let time = time.filter(|time| time.year() <= 9_999).map(TimeStamp::from);
    let text = time.map(|time| time.to_string().replace('Z', ".000Z"));
    text.and_then(|text| text.parse().ok()).ok_or(past)
}

/// Parses a message that matches this service to the byte. The nonce shows whether the message was issued.
///
/// # Errors
/// [`AccountError::Message`] with the difference; [`AccountError::UnknownChallenge`] for a nonce that this service does
/// not make.
pub(super) fn read(config: &WalletConfig, text: &str) -> Result<MessageTerms, AccountError> {
    let refuse = |why| Err(AccountError::Message { why });
    if text.len() > MESSAGE_BYTES_MAX {
        return refuse("it is longer than 2048 bytes");
    }
    let Ok(message) = text.parse::<Message>() else {
        return refuse("it is not in the form of EIP-4361");
    };
    if message.scheme.is_some() || message.domain.as_str() != config.domain {
        return refuse("its domain is not this service's");
    }
    if message.uri.as_str() != config.uri {
        return refuse("its URI is not this service's");
    }
    let chain = config.chain(Some(ChainId(message.chain_id)))?;
    let nonce = const_hex::decode_to_array(&message.nonce);
    let nonce = nonce.map_err(|_| AccountError::UnknownChallenge)?;
    let seconds = |time: &TimeStamp| u64::try_from(time.as_ref().unix_timestamp()).ok();
    let times = seconds(&message.issued_at).zip(message.expiration_time.as_ref().and_then(seconds));
    let wallet = Address(message.address);
    let terms = times.map(|(issued_at, expires_at)| {
        let issued_at = UnixSeconds(issued_at);
        let expires_at = UnixSeconds(expires_at);
        MessageTerms { wallet, chain, nonce, issued_at, expires_at }
    });
    match terms {
        Some(terms) if build(config, &terms)? == text => Ok(terms),
        Some(_) | None => refuse("it is not the one that was given out"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERMS: MessageTerms = MessageTerms {
        wallet: Address([0x11; 20]),
        chain: ChainId(8_453),
        nonce: [0xab; 16],
        issued_at: UnixSeconds(1_700_000_000),
        expires_at: UnixSeconds(1_700_000_600),
    };

    fn config() -> WalletConfig {
        WalletConfig {
            domain: "proofs.example:8443".into(),
            uri: "https://proofs.example:8443/api/v1/register".into(),
            statement: "It is mine.".into(),
            ..WalletConfig::default()
        }
    }

    /// Letter by letter what EIP-4361 lays down.
    #[test]
    fn the_text_is_that_of_the_eip() {
        let text = build(&config(), &TERMS).unwrap();
        let expected = "proofs.example:8443 wants you to sign in with your Ethereum account:\n\
            0x1111111111111111111111111111111111111111\n\nIt is mine.\n\n\
            URI: https://proofs.example:8443/api/v1/register\nVersion: 1\nChain ID: 8453\n\
            Nonce: abababababababababababababababab\nIssued At: 2023-11-14T22:13:20.000Z\n\
            Expiration Time: 2023-11-14T22:23:20.000Z";
        assert_eq!(text, expected);
        let read = read(&config(), &text).unwrap();
        assert_eq!(read, TERMS);
    }

    #[test]
    fn a_time_that_has_no_text_is_refused() {
        for at in [u64::MAX, 253_402_300_800, i64::MAX as u64] {
            let terms = MessageTerms { expires_at: UnixSeconds(at), ..TERMS };
            assert!(matches!(build(&config(), &terms), Err(AccountError::Overflow { .. })), "{at}");
        }
        let last = MessageTerms { expires_at: UnixSeconds(253_402_300_799), ..TERMS };
        assert!(build(&config(), &last).unwrap().ends_with("9999-12-31T23:59:59.000Z"));
    }

    #[test]
    fn what_is_not_ours_is_refused_by_name() {
        let good = build(&config(), &TERMS).unwrap();
        let bent = |from: &str, to: &str| {
            let text = good.replacen(from, to, 1);
            assert_ne!(text, good);
            read(&config(), &text).unwrap_err().to_string()
        };
        assert!(bent("proofs.example:8443 wants", "evil.example wants").contains("domain"));
        assert!(
            bent("proofs.example:8443 wants", "https://proofs.example:8443 wants")
                .contains("domain")
        );
        assert!(bent("proofs.example:8443 wants", "proofs.example wants").contains("domain"));
        assert!(bent("URI: https://proofs", "URI: https://evil").contains("URI"));
        assert!(bent("Chain ID: 8453", "Chain ID: 1").contains("chain"));
        assert!(bent("Version: 1", "Version: 2").contains("EIP-4361"));
        assert!(bent("Nonce: ab", "Nonce: AB").contains("given out"));
        assert!(bent("It is mine.", "It is yours.").contains("given out"));
        assert!(bent("Nonce: ab", "Nonce: ").contains("unknown"));
        assert!(bent("Expiration Time", "Expiration").contains("EIP-4361"));
        assert!(bent("It is mine.\n", "It is mine.\nAnd yours.\n").contains("EIP-4361"));
        assert!(bent("\n", "\r\n").contains("EIP-4361"));
        let long = format!("{good}{}", "a".repeat(MESSAGE_BYTES_MAX));
        assert!(read(&config(), &long).unwrap_err().to_string().contains("2048"));
        assert!(read(&config(), "").unwrap_err().to_string().contains("EIP-4361"));
    }

    proptest::proptest! {
        /// Whatever comes is read or refused; nothing makes it panic.
        #[test]
        fn no_text_makes_the_reader_panic(text in "\\PC{0,300}", cut in 0_usize..400, put in "\\PC{0,3}") {
            let _ = read(&config(), &text);
            let good = build(&config(), &TERMS).unwrap();
            let mut bent = good.clone();
            bent.insert_str(cut.min(good.len()), &put);
            let _ = read(&config(), &bent);
        }
    }
}
