//! The bytes of a file, and the place where new ones are added.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};

use super::super::atomic_file::add_to_hash;
use super::bytes::damaged;

/// Bytes of the superblock, at the beginning of a file.
pub(super) const SUPERBLOCK: usize = 48;

/// Addresses are multiples of this.
const ALIGNMENT: u64 = 8;

pub(super) struct Disk {
    file: fs::File,
    /// End of all allocated space.
    pub end: u64,
    /// Of all bytes written since it was taken.
    pub hash: blake3::Hasher,
    /// Writes until the process is killed, in the midst of the last one.
    #[cfg(test)]
    pub until_killed: Option<usize>,
}

impl Disk {
    pub fn new(file: fs::File, end: u64) -> Disk {
        Disk {
            file,
            end,
            hash: blake3::Hasher::new(),
            #[cfg(test)]
            until_killed: None,
        }
    }

    /// Reserves space at the end of the file.
    pub fn reserve(&mut self, bytes: u64) -> u64 {
        let address = self.end.next_multiple_of(ALIGNMENT);
        self.end = address + bytes;
        address
    }

    pub fn write(&mut self, address: u64, bytes: &[u8]) -> io::Result<()> {
        add_to_hash(&mut self.hash, bytes);
        self.file.seek(SeekFrom::Start(address))?;
        #[cfg(test)]
        let bytes = self.survivors(bytes)?;
        self.file.write_all(bytes)
    }

    #[cfg(test)]
    fn survivors<'a>(&mut self, bytes: &'a [u8]) -> io::Result<&'a [u8]> {
        match &mut self.until_killed {
            None => Ok(bytes),
            Some(0) => Err(io::ErrorKind::Interrupted.into()),
            Some(left) => {
                *left -= 1;
                // A superblock is within one block of the disk.
                let is_last = *left == 0 && bytes.len() != SUPERBLOCK;
                Ok(if is_last { &bytes[..bytes.len() / 2] } else { bytes })
            }
        }
    }

    /// Adds bytes at the end of the file. Returns their address.
    pub fn add(&mut self, bytes: &[u8]) -> io::Result<u64> {
        let address = self.reserve(bytes.len() as u64);
        self.write(address, bytes)?;
        Ok(address)
    }

    pub fn read(&mut self, address: u64, bytes: usize) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        self.file.seek(SeekFrom::Start(address))?;
        (&mut self.file).take(bytes as u64).read_to_end(&mut content)?;
        if content.len() == bytes {
            Ok(content)
        } else {
            Err(damaged())
        }
    }

    /// Gives the file its length, which readers compare with that in the superblock.
    pub fn set_length(&self) -> io::Result<()> {
        self.file.set_len(self.end)
    }

    pub fn flush(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}
