//! Messages as bytes: a header that states the exchange, and the content.

use super::failure::Failure;

/// Bytes of a header: sequence, digest and length of the content as `u64`, the length of the text as one byte, the text.
pub const HEADER_BYTES: usize = 128;
const TEXT_AT: usize = 25;
const MAX_TEXT: usize = HEADER_BYTES - TEXT_AT;

/// The exchange that a message is part of. Ranks that compute the same send equal headers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    sequence: u64,
    digest: u64,
    text: String,
}

/// The end of an exchange as a receiver sees it: which rank receives, and which one sent.
pub struct Route<'a> {
    pub own_rank: usize,
    pub from: usize,
    pub host: &'a str,
}

impl Header {
    /// `digest` is a hash of all that determines the exchange, and `what` its name. Long names are cut off.
    pub fn new(sequence: u64, digest: u64, what: &str) -> Header {
        let mut end = what.len().min(MAX_TEXT);
        while !what.is_char_boundary(end) {
            end -= 1;
        }
        Header {
            sequence,
            digest,
            text: what[..end].to_string(),
        }
    }

    /// The name of the exchange.
    pub fn what(&self) -> &str {
        &self.text
    }

    /// A message: the header, and the content.
    pub fn message(&self, content: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER_BYTES + content.len());
        for number in [self.sequence, self.digest, content.len() as u64] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.push(self.text.len() as u8);
        bytes.extend_from_slice(self.text.as_bytes());
        bytes.resize(HEADER_BYTES, 0);
        bytes.extend_from_slice(content);
        bytes
    }

    /// Copies the content of a message that arrived, if the message belongs to this exchange and has the expected length.
    pub fn unpack(&self, message: &[u8], content: &mut [u8], route: &Route) -> Result<(), Failure> {
        let Some(theirs) = Header::read(message) else {
            let cause = format!("a message of {} bytes has no header", message.len());
            return Err(Failure::Transport { cause });
        };
        let host = route.host.to_string();
        if theirs != *self {
            let same_text = theirs.text == self.text;
            return Err(Failure::Mismatch {
                rank: route.from,
                host,
                theirs: theirs.described(same_text),
                own_rank: route.own_rank,
                own: self.described(same_text),
            });
        }
        let sent = &message[HEADER_BYTES..];
        if sent.len() != content.len() {
            return Err(Failure::Length {
                rank: route.from,
                host,
                sent: sent.len() as u64,
                own_rank: route.own_rank,
                expected: content.len() as u64,
                what: self.text.clone(),
            });
        }
        content.copy_from_slice(sent);
        Ok(())
    }

    fn read(message: &[u8]) -> Option<Header> {
        let number = |at: usize| Some(u64::from_le_bytes(message.get(at..at + 8)?.try_into().ok()?));
        let text = message.get(TEXT_AT..HEADER_BYTES)?;
        let text = text.get(..usize::from(message[TEXT_AT - 1]))?;
        let (sequence, digest, length) = (number(0)?, number(8)?, number(16)?);
        let complete = length == (message.len() - HEADER_BYTES) as u64;
        complete.then(|| Header {
            sequence,
            digest,
            text: String::from_utf8_lossy(text).into_owned(),
        })
    }

    /// The exchange for a message about two that differ. Numbers help only where names are equal.
    fn described(&self, with_numbers: bool) -> String {
        if with_numbers {
            format!("{} (number {}, {:016x})", self.text, self.sequence, self.digest)
        } else {
            self.text.clone()
        }
    }
}
