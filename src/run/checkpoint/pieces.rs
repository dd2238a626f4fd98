//! The bytes of a part, compressed by several threads: pieces of 1 MiB, each with its length in the file (4 bytes,
//! little-endian).
//!
//! Most values have four bytes, and neighbours have similar high bytes. So the first bytes of all words of a piece come
//! first, then the second ones, and so on, before zstd compresses them. A piece that does not become shorter keeps its
//! bytes; its length says so.

use std::io::{self, Write};

use crossbeam::channel::bounded;
use rayon::prelude::*;

/// Bytes of a piece; the last one of a part may be shorter.
const PIECE: usize = 1 << 20;
/// Pieces that are compressed at a time.
const BATCH: usize = 32;
/// The fastest level: the others gain a few percent on floats.
const LEVEL: i32 = 1;
const LENGTH: usize = 4;

/// Writes a part. Pieces are compressed while earlier ones are written.
pub fn write(out: &mut dyn Write, bytes: &[u8]) -> io::Result<()> {
    std::thread::scope(|scope| {
        let (sender, receiver) = bounded(1);
        std::thread::Builder::new()
            .name("compression".into())
            .spawn_scoped(scope, move || {
                for batch in bytes.chunks(PIECE * BATCH) {
                    let pieces: Vec<_> = batch.par_chunks(PIECE).map(compress).collect();
                    // Nobody receives after a failed write.
                    if sender.send((batch, pieces)).is_err() {
                        return;
                    }
                }
            })?;
        for (batch, pieces) in receiver {
            for (raw, piece) in batch.chunks(PIECE).zip(pieces) {
                let compressed = piece?;
                let stored = if compressed.len() < raw.len() {
                    &compressed
                } else {
                    raw
                };
                out.write_all(&(stored.len() as u32).to_le_bytes())?;
                out.write_all(stored)?;
            }
        }
        Ok(())
    })
}

/// Reads a part of `size` bytes from the start of `rest`; `None` if it is damaged.
pub fn read(rest: &mut &[u8], size: u64) -> Option<Vec<u8>> {
    let mut pieces = Vec::new();
    let mut left = size;
    while left > 0 {
        let raw = left.min(PIECE as u64) as usize;
        let (length, after) = rest.split_first_chunk::<LENGTH>()?;
        let (stored, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        pieces.push((stored, raw));
        (*rest, left) = (after, left - raw as u64);
    }
    let pieces: Option<Vec<_>> = pieces
        .into_par_iter()
        .map(|(stored, raw)| decompress(stored, raw))
        .collect();
    Some(pieces?.concat())
}

fn compress(raw: &[u8]) -> io::Result<Vec<u8>> {
    zstd::bulk::compress(&by_place(raw), LEVEL)
}

fn decompress(stored: &[u8], raw: usize) -> Option<Vec<u8>> {
    if stored.len() == raw {
        return Some(stored.to_vec());
    }
    let bytes = zstd::bulk::decompress(stored, raw).ok()?;
    (bytes.len() == raw).then(|| by_word(&bytes))
}

/// All first bytes of words, then all second ones, and so on; what is left of the last word stays at the end.
fn by_place(bytes: &[u8]) -> Vec<u8> {
    let (words, end) = bytes.as_chunks::<4>();
    let mut columns = vec![0; 4 * words.len()];
    for (place, column) in columns.chunks_mut(words.len().max(1)).enumerate() {
        for (byte, word) in column.iter_mut().zip(words) {
            *byte = word[place];
        }
    }
    columns.extend(end);
    columns
}

/// The inverse of [`by_place`].
fn by_word(bytes: &[u8]) -> Vec<u8> {
    let count = bytes.len() / 4;
    let (columns, end) = bytes.split_at(4 * count);
    let mut words = vec![[0; 4]; count];
    for (place, column) in columns.chunks(count.max(1)).enumerate() {
        for (word, byte) in words.iter_mut().zip(column) {
            word[place] = *byte;
        }
    }
    let mut bytes = words.into_flattened();
    bytes.extend(end);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(bytes: &[u8]) -> Vec<u8> {
        let mut file = Vec::new();
        write(&mut file, bytes).unwrap();
        file
    }

    #[test]
    fn parts_of_any_size_round_trip() {
        for size in [0, 1, 3, 4, 1001, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 7] {
            let smooth: Vec<u8> = (0..size)
                .map(|i| if i % 4 == 3 { 7 } else { (i / 64) as u8 })
                .collect();
            // Bytes that zstd cannot shorten.
            let rough: Vec<u8> = (0..size as u64)
                .map(|i| blake3::hash(&i.to_le_bytes()).as_bytes()[0])
                .collect();
            for bytes in [smooth, rough] {
                let mut file = stored(&bytes);
                file.push(9);
                let mut rest = file.as_slice();
                assert_eq!(
                    read(&mut rest, size as u64).as_deref(),
                    Some(bytes.as_slice()),
                    "{size}"
                );
                assert_eq!(rest, [9]);
            }
        }
    }

    #[test]
    fn similar_values_become_shorter_and_damage_is_found() {
        let bytes: Vec<u8> = (0..100_000)
            .flat_map(|i| (1.0 + i as f32 * 1e-6).to_le_bytes())
            .collect();
        let file = stored(&bytes);
        assert!(file.len() < bytes.len() / 2, "{}", file.len());
        assert!(read(&mut &file[..file.len() - 1], bytes.len() as u64).is_none());
        assert!(read(&mut file.as_slice(), bytes.len() as u64 + 1).is_none());
        let mut longer = file.clone();
        longer[0] ^= 1;
        assert!(read(&mut longer.as_slice(), bytes.len() as u64).is_none());
    }
}
