//! Memory that ranks of one host share, so that messages between them need no copy on the host.
//!
//! A rank creates it and sends the others a ticket, with which they open it. It is freed with the last process that maps it,
//! however that ends.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::sync::Arc;

use memmap2::MmapRaw;

use system::{anonymous_file, descriptor, read_at, write_at};

/// Bytes of a ticket: process, file descriptor, bytes of the memory, key; all zero if there is no memory.
pub const TICKET_BYTES: usize = 32;
/// The memory is a multiple of this, which suffices for devices that import it.
const PAGE: u64 = 1 << 16;

/// Memory that other ranks may open.
pub struct SharedMemory {
    /// Other processes open the memory as long as this is open.
    file: File,
    bytes: u64,
    key: u64,
    pub map: Arc<MmapRaw>,
}

impl SharedMemory {
    /// At least `bytes` bytes of zeros, not 0. The error is that of the system, which may not have such memory.
    pub fn new(bytes: u64) -> io::Result<SharedMemory> {
        let bytes = bytes.next_multiple_of(PAGE);
        let file = anonymous_file()?;
        // The key follows the memory: whoever opens another file by mistake sees it.
        file.set_len(bytes + 8)?;
        let key = RandomState::new().hash_one(bytes) | 1;
        write_at(&file, &key.to_le_bytes(), bytes)?;
        let map = Arc::new(map(&file, bytes)?);
        Ok(SharedMemory {
            file,
            bytes,
            key,
            map,
        })
    }

    /// The bytes with which other ranks of this host open the memory.
    pub fn ticket(&self) -> [u8; TICKET_BYTES] {
        let numbers = [
            u64::from(std::process::id()),
            descriptor(&self.file),
            self.bytes,
            self.key,
        ];
        let mut ticket = [0; TICKET_BYTES];
        for (place, number) in ticket.chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        ticket
    }

    /// Opens the memory of a ticket. `None` if it cannot be reached from here: another host, another container, or the rank
    /// has none.
    pub fn open(ticket: &[u8; TICKET_BYTES]) -> Option<Arc<MmapRaw>> {
        let number = |n: usize| {
            let bytes = ticket[8 * n..8 * n + 8].try_into();
            u64::from_le_bytes(bytes.unwrap_or_default())
        };
        let [process, descriptor, bytes, key] = std::array::from_fn(number);
        if key == 0 {
            return None;
        }
        let path = format!("/proc/{process}/fd/{descriptor}");
        let file = File::options().read(true).write(true).open(path).ok()?;
        let mut found = [0; 8];
        read_at(&file, &mut found, bytes).ok()?;
        let is_same = u64::from_le_bytes(found) == key;
        map(&file, bytes).ok().filter(|_| is_same).map(Arc::new)
    }
}

fn map(file: &File, bytes: u64) -> io::Result<MmapRaw> {
    memmap2::MmapOptions::new().len(bytes as usize).map_raw(file)
}

/// Only Linux has files in memory that other processes open by their number.
#[cfg(target_os = "linux")]
mod system {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::FileExt;

    pub fn anonymous_file() -> io::Result<File> {
        let flags = rustix::fs::MemfdFlags::CLOEXEC;
        Ok(rustix::fs::memfd_create("sastrugi ranks", flags)?.into())
    }

    pub fn descriptor(file: &File) -> u64 {
        file.as_raw_fd() as u64
    }

    pub fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
        file.write_all_at(bytes, at)
    }

    pub fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
        file.read_exact_at(bytes, at)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::fs::File;
    use std::io;

    pub fn anonymous_file() -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn descriptor(_: &File) -> u64 {
        0
    }

    pub fn write_at(_: &File, _: &[u8], _: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn memory_is_opened_with_its_ticket_alone() {
        let memory = SharedMemory::new(100).unwrap();
        let ticket = memory.ticket();
        let opened = SharedMemory::open(&ticket).unwrap();
        assert_eq!((opened.len(), memory.map.len()), (1 << 16, 1 << 16));
        system::write_at(&memory.file, b"snow", 5).unwrap();
        let mut seen = [0; 4];
        system::read_at(&memory.file, &mut seen, 5).unwrap();
        assert_eq!(&seen, b"snow");
        // Another key, another descriptor, and no memory.
        let mut wrong = ticket;
        wrong[24] ^= 2;
        assert!(SharedMemory::open(&wrong).is_none());
        let mut wrong = ticket;
        wrong[8..16].copy_from_slice(&1_000_000u64.to_le_bytes());
        assert!(SharedMemory::open(&wrong).is_none());
        assert!(SharedMemory::open(&[0; TICKET_BYTES]).is_none());
    }
}
