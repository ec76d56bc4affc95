//! Signatures of Standard Webhooks: `v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use rand::RngExt;
use sha2::Sha256;
use superroot_types::UnixSeconds;

/// Prefix of every secret.
const PREFIX: &str = "whsec_";
/// A secret's random bytes.
const SECRET_BYTES: usize = 32;

/// Generates a secret: `whsec_` and base64 of 32 random bytes.
#[must_use]
pub fn new_secret() -> String {
    let secret: [u8; SECRET_BYTES] = rand::rng().random();
    format!("{PREFIX}{}", STANDARD.encode(secret))
}

/// Signs a message; `None` for an invalid secret.
#[must_use]
pub fn sign(secret: &str, id: &str, timestamp: UnixSeconds, body: &[u8]) -> Option<String> {
    let key = STANDARD.decode(secret.strip_prefix(PREFIX)?).ok()?;
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).ok()?;
    for part in [id.as_bytes(), b".", timestamp.0.to_string().as_bytes(), b".", body] {
        mac.update(part);
    }
    Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the implementation that the authors of the standard keep.
    #[test]
    fn signatures_are_those_of_the_kept_implementation() {
        for round in 0..20_u64 {
            let (secret, at) = (new_secret(), UnixSeconds(1_700_000_000 + round));
            let other = standardwebhooks::Webhook::new(&secret).unwrap();
            let body = vec![round as u8; round as usize * 7];
            let id = format!("msg_{round}");
            let expected = other.sign(&id, at.0 as i64, &body).unwrap();
            assert_eq!(sign(&secret, &id, at, &body).unwrap(), expected);
        }
    }

    #[test]
    fn what_is_no_secret_signs_nothing() {
        for secret in ["", "whsec_?", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] {
            assert_eq!(sign(secret, "msg_1", UnixSeconds(1), b"{}"), None, "{secret}");
        }
    }
}
