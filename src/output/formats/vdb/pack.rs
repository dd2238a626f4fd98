//! Compressed chunks of OpenVDB: deflate, or one block of Blosc 1 with shuffled bytes and LZ4. A chunk that does not
//! shrink is stored, which a negative length says.

use std::io::{self, Write};

use flate2::{Compression as Effort, write::ZlibEncoder};

use super::super::super::content::Compression;

/// The flags of compressed grids in a file; 2 says that inactive values are left out.
const ZIP: u32 = 1;
const ACTIVE_VALUES: u32 = 2;
const BLOSC: u32 = 4;

/// Largest number of bytes that the header of a Blosc block and the offset of its data take.
const BLOSC_HEADER: usize = 20;
/// OpenVDB pads fewer bytes of points.
const MIN_BLOSC: usize = 128;
/// Blosc stores the first bytes of all numbers together, then the second ones, as streams of their own from this many
/// numbers on.
const MIN_STREAM: usize = 128;

/// The compression of a file.
#[derive(Clone, Copy)]
pub(super) struct Packing(Option<Compression>);

impl Packing {
    pub fn new(compression: Option<Compression>) -> Packing {
        Packing(compression)
    }

    /// That of points, which OpenVDB compresses by Blosc alone.
    pub fn of_points(self) -> Packing {
        Packing(match self.0 {
            Some(Compression::None) => self.0,
            _ => Some(Compression::Fast),
        })
    }

    pub fn is_packed(self) -> bool {
        self.0 != Some(Compression::None)
    }

    /// Numbers as a Blosc buffer, if it is smaller. Few bytes stay as they are.
    pub fn shrunk(self, bytes: &[u8], size: usize) -> io::Result<Option<Vec<u8>>> {
        if !self.is_packed() || bytes.len() < MIN_BLOSC {
            return Ok(None);
        }
        Ok(Some(blosc(bytes, size)?).filter(|packed| packed.len() < bytes.len()))
    }

    pub fn flags(self) -> u32 {
        ACTIVE_VALUES
            | match self.0 {
                Some(Compression::None) => 0,
                Some(Compression::Best) => ZIP,
                Some(Compression::Fast) | None => BLOSC,
            }
    }

    /// The flags in words, as OpenVDB prints them.
    pub fn words(self) -> &'static str {
        match self.0 {
            Some(Compression::None) => "active values",
            Some(Compression::Best) => "zip + active values",
            Some(Compression::Fast) | None => "blosc + active values",
        }
    }

    /// Adds a chunk of numbers that have `size` bytes each.
    pub fn add(self, bytes: &[u8], size: usize, out: &mut Vec<u8>) -> io::Result<()> {
        let packed = match self.0 {
            Some(Compression::None) => {
                out.extend_from_slice(bytes);
                return Ok(());
            }
            _ if bytes.is_empty() => Vec::new(),
            Some(Compression::Best) => {
                let mut encoder = ZlibEncoder::new(Vec::new(), Effort::default());
                encoder.write_all(bytes)?;
                encoder.finish()?
            }
            Some(Compression::Fast) | None => blosc(bytes, size)?,
        };
        let (length, chunk) = if packed.len() < bytes.len() {
            (packed.len() as i64, &packed[..])
        } else {
            (-(bytes.len() as i64), bytes)
        };
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(chunk);
        Ok(())
    }
}

/// A Blosc 1 buffer with one block.
///
/// Format: *Blosc Header Format*, github.com/Blosc/c-blosc, `README_CHUNK_FORMAT.rst`.
fn blosc(bytes: &[u8], size: usize) -> io::Result<Vec<u8>> {
    let [version, lz4_version, shuffled, one_stream, lz4] = [2, 1, 0x01, 0x10, 1 << 5];
    let numbers = bytes.len() / size;
    let streams = if numbers >= MIN_STREAM { size } else { 1 };
    let split = if streams == 1 { one_stream } else { 0 };
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    let mut out = vec![version, lz4_version, shuffled | lz4 | split, size as u8];
    out.extend_from_slice(&length.to_le_bytes());
    // The size of a block, and of the buffer, which is known at the end.
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&(BLOSC_HEADER as u32).to_le_bytes());
    let bytes_by_place: Vec<u8> = (0..size)
        .flat_map(|byte| bytes.chunks_exact(size).map(move |number| number[byte]))
        .collect();
    for stream in bytes_by_place.chunks_exact(bytes.len() / streams) {
        let packed = lz4_flex::block::compress(stream);
        // A stream of its full length is not compressed.
        let stored = if packed.len() < stream.len() {
            &packed[..]
        } else {
            stream
        };
        out.extend_from_slice(&(stored.len() as u32).to_le_bytes());
        out.extend_from_slice(stored);
    }
    let whole = (out.len() as u32).to_le_bytes();
    out[12..16].copy_from_slice(&whole);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(compression: Compression, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        Packing::new(Some(compression)).add(bytes, 4, &mut out).unwrap();
        out
    }

    #[test]
    fn chunks_that_do_not_shrink_are_stored() {
        let small = [1, 2, 3, 4];
        for compression in [Compression::Fast, Compression::Best] {
            assert_eq!(
                packed(compression, &small),
                [(-4i64).to_le_bytes().as_slice(), &small].concat()
            );
            assert_eq!(packed(compression, &[]), 0i64.to_le_bytes());
            // Control: equal numbers shrink.
            let equal = packed(compression, &[7; 2048]);
            let length = i64::from_le_bytes(*equal.first_chunk().unwrap());
            assert_eq!((length, length < 200), (equal.len() as i64 - 8, true));
        }
        assert_eq!(packed(Compression::None, &small), small);
    }

    #[test]
    fn blosc_streams_have_the_bytes_of_the_numbers() {
        let numbers: Vec<u8> = (0..512u32).flat_map(|i| (i * i).to_le_bytes()).collect();
        let out = blosc(&numbers, 4).unwrap();
        assert_eq!(out[..4], [2, 1, 0x21, 4]);
        let word = |at: usize| u32::from_le_bytes(*out[at..].first_chunk().unwrap()) as usize;
        assert_eq!(
            [word(4), word(8), word(12), word(16)],
            [2048, 2048, out.len(), 20]
        );
        let (mut at, mut held) = (20, vec![0; 2048]);
        for byte in 0..4 {
            let stream = &out[at + 4..at + 4 + word(at)];
            at += 4 + stream.len();
            let stream = match stream.len() {
                512 => stream.to_vec(),
                _ => lz4_flex::block::decompress(stream, 512).unwrap(),
            };
            stream
                .iter()
                .enumerate()
                .for_each(|(i, value)| held[4 * i + byte] = *value);
        }
        assert_eq!((at, held == numbers), (out.len(), true));
    }
}
