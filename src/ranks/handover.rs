//! Open files that one rank hands over to another of its host: for memory of devices, which has no path.
//!
//! Sockets carry them, because a process may open the descriptors of another one only with rights that many systems deny even
//! to processes of one user.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};

use system::Socket;

/// Bytes of an address: name and key; all zero if there is no mailbox.
pub const ADDRESS_BYTES: usize = 16;

/// A place at which one other rank delivers one file.
pub struct Mailbox {
    socket: Socket,
    address: [u8; ADDRESS_BYTES],
}

impl Mailbox {
    /// `None` if the system has no such sockets.
    pub fn new() -> Option<Mailbox> {
        let mut address = [0; ADDRESS_BYTES];
        for place in address.chunks_exact_mut(8) {
            let number = RandomState::new().hash_one(std::process::id()) | 1;
            place.copy_from_slice(&number.to_le_bytes());
        }
        let socket = Socket::bound(name(&address))?;
        Some(Mailbox { socket, address })
    }

    /// The bytes with which the other rank finds it.
    pub fn address(&self) -> [u8; ADDRESS_BYTES] {
        self.address
    }

    /// Delivers a file to the mailbox with an address. Does not wait. False if there is none, or it cannot be reached from here:
    /// another host, another container.
    pub fn deliver(address: &[u8; ADDRESS_BYTES], file: &File) -> bool {
        *address != [0; ADDRESS_BYTES] && system::deliver(name(address), key(address), file).is_some()
    }

    /// The file that was delivered. Does not wait.
    pub fn take(&self) -> Option<File> {
        self.socket.take(key(&self.address))
    }
}

/// The first part of an address: the name of the socket, which other programs of the host see.
fn name(address: &[u8; ADDRESS_BYTES]) -> &[u8] {
    &address[..8]
}

/// The last part, which only ranks know.
fn key(address: &[u8; ADDRESS_BYTES]) -> &[u8] {
    &address[8..]
}

/// Only Linux has sockets with names that are no files, and vanish with the process.
#[cfg(target_os = "linux")]
mod system {
    use std::fs::File;
    use std::io::{IoSlice, IoSliceMut};
    use std::mem::MaybeUninit;
    use std::os::fd::{AsFd, OwnedFd};

    use rustix::net::{
        AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
        SendAncillaryMessage, SendFlags, SocketAddrUnix, SocketFlags, SocketType, bind, recvmsg,
        sendmsg_addr, socket_with,
    };

    pub struct Socket(OwnedFd);

    fn socket() -> Option<OwnedFd> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        socket_with(AddressFamily::UNIX, SocketType::DGRAM, flags, None).ok()
    }

    fn place(name: &[u8]) -> Option<SocketAddrUnix> {
        SocketAddrUnix::new_abstract_name(&[b"sastrugi ", name].concat()).ok()
    }

    impl Socket {
        pub fn bound(name: &[u8]) -> Option<Socket> {
            let socket = socket()?;
            bind(&socket, &place(name)?).ok()?;
            Some(Socket(socket))
        }

        pub fn take(&self, key: &[u8]) -> Option<File> {
            // Messages of other programs are skipped.
            loop {
                let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
                let mut files = RecvAncillaryBuffer::new(&mut space);
                let mut found = vec![0; key.len()];
                let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT;
                recvmsg(&self.0, &mut [IoSliceMut::new(&mut found)], &mut files, flags).ok()?;
                let received = files.drain().find_map(|message| match message {
                    RecvAncillaryMessage::ScmRights(mut files) => files.next(),
                    _ => None,
                });
                if let Some(file) = received.filter(|_| found == key) {
                    return Some(file.into());
                }
            }
        }
    }

    pub fn deliver(name: &[u8], key: &[u8], file: &File) -> Option<()> {
        let files = [file.as_fd()];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut message = SendAncillaryBuffer::new(&mut space);
        let content = [IoSlice::new(key)];
        let fits = message.push(SendAncillaryMessage::ScmRights(&files));
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        let sent = sendmsg_addr(&socket()?, &place(name)?, &content, &mut message, flags);
        (fits && sent.is_ok()).then_some(())
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::fs::File;

    pub struct Socket;

    impl Socket {
        pub fn bound(_: &[u8]) -> Option<Socket> {
            None
        }

        pub fn take(&self, _: &[u8]) -> Option<File> {
            None
        }
    }

    pub fn deliver(_: &[u8], _: &[u8], _: &File) -> Option<()> {
        None
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::{Read, Seek, Write};

    use super::*;

    #[test]
    fn files_reach_the_mailbox_of_their_address_alone() {
        let [mailbox, other] = std::array::from_fn(|_| Mailbox::new().unwrap());
        let mut sent: File = rustix::fs::memfd_create("test", rustix::fs::MemfdFlags::CLOEXEC)
            .unwrap()
            .into();
        sent.write_all(b"snow").unwrap();
        // Another key, no address, no mailbox.
        let mut wrong = mailbox.address();
        wrong[15] ^= 1;
        assert!(Mailbox::deliver(&wrong, &sent));
        assert!(mailbox.take().is_none());
        assert!(!Mailbox::deliver(&[0; ADDRESS_BYTES], &sent));
        wrong[0] ^= 2;
        assert!(!Mailbox::deliver(&wrong, &sent));

        assert!(Mailbox::deliver(&wrong_key_first(&mailbox, &sent), &sent));
        let mut taken = mailbox.take().unwrap();
        let mut text = String::new();
        taken.rewind().unwrap();
        taken.read_to_string(&mut text).unwrap();
        assert_eq!(text, "snow");
        assert!(mailbox.take().is_none() && other.take().is_none());
        let gone = other.address();
        drop(other);
        assert!(!Mailbox::deliver(&gone, &sent));
    }

    /// Delivers a file with a wrong key, which must be skipped. Returns the address.
    fn wrong_key_first(mailbox: &Mailbox, file: &File) -> [u8; ADDRESS_BYTES] {
        let mut wrong = mailbox.address();
        wrong[8] ^= 2;
        assert!(Mailbox::deliver(&wrong, file));
        mailbox.address()
    }
}
