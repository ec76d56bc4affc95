//! Request of a log: last cosigned size, consistency proof, and the new note.
//!
//! ```text
//! old 20852014
//! PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=     0 to 63 lines, each the base64 of a hash
//!
//! example.com/behind-the-sofa                      the note
//! ...
//! ```

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use superroot_proof::note::{NOTE_BYTES_MAX, Note, NoteError};
use superroot_types::Hash;

/// Most lines of a consistency proof.
pub const PROOF_LINES_MAX: usize = 63;
/// A proof line's bytes, with line end.
const LINE_BYTES: usize = 45;
/// Largest request, in bytes: first line, proof, empty line and note.
pub const REQUEST_BYTES_MAX: usize = 32 + PROOF_LINES_MAX * LINE_BYTES + NOTE_BYTES_MAX;
/// Media type of the cosigned size, returned when the log sent another size.
pub const SIZE_TYPE: &str = "text/x.tlog.size";

/// Request for a cosignature, parsed but not verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddCheckpoint {
    /// Last cosigned size as the log believes; 0 for none.
    pub old: u64,
    /// Consistency proof from the old size to the note's size (RFC 6962, section 2.1.2).
    pub proof: Vec<Hash>,
    pub note: Note,
}

/// Reason for an invalid request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// Body too long, or not text.
    #[error("a request is UTF-8 of at most {REQUEST_BYTES_MAX} bytes")]
    Body,
    #[error("no empty line between the proof and the note")]
    Separator,
    /// Invalid first line.
    #[error("the first line is not `old`, a space and a size in decimal")]
    OldSize,
    #[error("the proof has {got} lines, more than {PROOF_LINES_MAX}")]
    ProofLines { got: usize },
    #[error("line {line} is not the base64 of the 32 bytes of a hash")]
    ProofLine {
        /// Line number, from 1.
        line: usize,
    },
    #[error("the note: {0}")]
    Note(#[from] NoteError),
}

impl AddCheckpoint {
    pub fn parse(body: &[u8]) -> Result<Self, RequestError> {
        let body = Some(body).filter(|body| body.len() <= REQUEST_BYTES_MAX);
        let body = body.and_then(|body| std::str::from_utf8(body).ok());
        let body = body.ok_or(RequestError::Body)?;
        let (head, note) = body.split_once("\n\n").ok_or(RequestError::Separator)?;
        let mut lines = head.split('\n');
        let old = lines.next().and_then(|line| line.strip_prefix("old "));
        let old = old.and_then(read_size).ok_or(RequestError::OldSize)?;
        let got = lines.clone().count();
        if got > PROOF_LINES_MAX {
            return Err(RequestError::ProofLines { got });
        }
        let hash = |(line, text): (usize, &str)| {
            let bytes = BASE64_STANDARD.decode(text).ok();
            let hash = bytes.and_then(|bytes| bytes.try_into().ok()).map(Hash);
            hash.ok_or(RequestError::ProofLine { line })
        };
        let proof = (2..).zip(lines).map(hash).collect::<Result<_, _>>()?;
        Ok(Self { old, proof, note: Note::parse(note)? })
    }

    #[must_use]
    pub fn encode(&self) -> String {
        let mut body = format!("old {}\n", self.old);
        for hash in &self.proof {
            body.push_str(&BASE64_STANDARD.encode(hash.0));
            body.push('\n');
        }
        body.push('\n');
        body.push_str(&self.note.to_string());
        body
    }
}

/// Parses a decimal size without leading zeroes.
pub(crate) fn read_size(text: &str) -> Option<u64> {
    text.parse().ok().filter(|size: &u64| size.to_string() == text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The request of the document's own example.
    const EXAMPLE: &str = "old 20852014\n\
        PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=\n\
        jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=\n\
        5+pKlUdi2LeF/BcMHBn+Ku6yhPGNCswZZD1X/6QgPd8=\n\
        /6WVhPs2CwSsb5rYBH5cjHV/wSmA79abXAwhXw3Kj/0=\n\
        \n\
        example.com/behind-the-sofa\n\
        20852163\n\
        CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\
        \n\
        \u{2014} example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n\
        \u{2014} example.com/behind-the-sofa opLqBQsREYCgu6xQkYQwJr9fo45a62DN9EdmHXnZdXNqlcVGlCum2Wks+49/V6267UEjw6QUXTS5Rovnzv++qbSzm9Q=\n";

    #[test]
    fn the_published_example_is_read_and_written_back() {
        let read = AddCheckpoint::parse(EXAMPLE.as_bytes()).unwrap();
        assert_eq!((read.old, read.proof.len()), (20_852_014, 4));
        assert!(read.note.text().starts_with("example.com/behind-the-sofa\n20852163\n"));
        assert_eq!(read.encode(), EXAMPLE);
    }

    #[test]
    fn what_is_no_request_is_named() {
        let line = "jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=\n";
        let long = EXAMPLE.replacen(line, &line.repeat(61), 1);
        assert_eq!(
            AddCheckpoint::parse(long.as_bytes()).map(drop),
            Err(RequestError::ProofLines { got: 64 })
        );
        let longest = EXAMPLE.replacen(line, &line.repeat(60), 1);
        assert!(AddCheckpoint::parse(longest.as_bytes()).is_ok());
        for old in [
            "old 020852014\n",
            "old +20852014\n",
            "old  20852014\n",
            "old -1\n",
            "old \n",
            "new 1\n",
            "old 18446744073709551616\n",
        ] {
            let bent = EXAMPLE.replacen("old 20852014\n", old, 1);
            assert_eq!(
                AddCheckpoint::parse(bent.as_bytes()).map(drop),
                Err(RequestError::OldSize),
                "{old}"
            );
        }
        for bent in ["jrJZ\n", "jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk\n", "=\n"] {
            let bent = EXAMPLE.replacen(line, bent, 1);
            assert_eq!(
                AddCheckpoint::parse(bent.as_bytes()).map(drop),
                Err(RequestError::ProofLine { line: 3 })
            );
        }
        for (bent, why) in [
            (EXAMPLE.replacen("\n\nexample", "\nexample", 1), RequestError::ProofLine { line: 6 }),
            (EXAMPLE.replace("\n\n", "\n"), RequestError::Separator),
            (EXAMPLE.trim_end().to_owned(), RequestError::Note(NoteError::Malformed)),
            (String::new(), RequestError::Separator),
            ("x".repeat(REQUEST_BYTES_MAX + 1), RequestError::Body),
        ] {
            assert_eq!(AddCheckpoint::parse(bent.as_bytes()).map(drop), Err(why));
        }
        assert_eq!(AddCheckpoint::parse(&[b'o', 0xff]).map(drop), Err(RequestError::Body));
    }

    proptest! {
        #[test]
        fn no_body_makes_the_reader_panic(body in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = AddCheckpoint::parse(&body);
            let _ = AddCheckpoint::parse(&[b"old 3\n", body.as_slice()].concat());
        }
    }
}
