/// JSON in an encoding other than UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is {encoding}, expected UTF-8: save it as UTF-8")]
pub struct OtherEncoding {
    /// Encoding name.
    pub encoding: &'static str,
}

/// Returns the JSON text after the byte order mark, if any (RFC 8259, 8.1 lets readers ignore the mark).
///
/// # Errors
/// [`OtherEncoding`] for UTF-16 or UTF-32, by byte order mark or by a zero in the first two bytes: JSON begins with an
/// ASCII character, and JSON in UTF-8 has no zero byte.
pub fn json_text(body: &[u8]) -> Result<&[u8], OtherEncoding> {
    let encoding = match *body {
        [0xef, 0xbb, 0xbf, ref text @ ..] => return Ok(text),
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] | [0, 0, 0, _, ..] | [_, 0, 0, 0, ..] => {
            "UTF-32"
        }
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, _, ..] | [_, 0, ..] => "UTF-16",
        _ => return Ok(body),
    };
    Err(OtherEncoding { encoding })
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    fn utf_16(text: &str, mark: bool, to: impl Fn(u16) -> [u8; 2]) -> Vec<u8> {
        let mark = mark.then_some(0xfeff);
        mark.into_iter().chain(text.encode_utf16()).flat_map(to).collect()
    }

    #[test]
    fn a_byte_order_mark_is_passed_over_once_and_another_encoding_is_named() {
        let text = r#"{"a":1}"#;
        assert_eq!(json_text(text.as_bytes()), Ok(text.as_bytes()));
        let marked = alloc::format!("\u{feff}{text}");
        assert_eq!(json_text(marked.as_bytes()), Ok(text.as_bytes()));
        let twice = alloc::format!("\u{feff}{marked}");
        assert_eq!(json_text(twice.as_bytes()), Ok(marked.as_bytes()));
        for mark in [true, false] {
            for body in [utf_16(text, mark, u16::to_le_bytes), utf_16(text, mark, u16::to_be_bytes)]
            {
                assert_eq!(json_text(&body), Err(OtherEncoding { encoding: "UTF-16" }), "{body:?}");
            }
        }
        let mark = ['\u{feff}'];
        for mark in [&mark[..], &[]] {
            let letters = || mark.iter().copied().chain(text.chars()).map(u32::from);
            for body in [
                letters().flat_map(u32::to_le_bytes).collect::<Vec<u8>>(),
                letters().flat_map(u32::to_be_bytes).collect(),
            ] {
                assert_eq!(json_text(&body), Err(OtherEncoding { encoding: "UTF-32" }), "{body:?}");
            }
        }
        for short in [&b""[..], b"1", b"\xef\xbb", b"\xff"] {
            assert_eq!(json_text(short), Ok(short));
        }
    }
}
