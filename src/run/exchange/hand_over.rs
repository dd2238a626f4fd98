//! Memory of CUDA that the ranks of a host open: each delivers the handle of its own to the others.

use std::collections::HashMap;
use std::fs::File;

use crate::gpu::CudaMemory;
use crate::ranks::{ADDRESS_BYTES, Failure, Mailbox};

use super::talk::Talk;

/// Bytes of a ticket: address of the mailbox for the handle of the memory, bytes of the memory. All zero if a rank does not take
/// part.
const TICKET_BYTES: usize = ADDRESS_BYTES + 8;

/// Opens the memory of the other ranks of a talk that are on this host, by `open` of a handle and its bytes. These ranks must
/// call it as well. Both sides of a pair open the memory of the other, or none.
pub fn hand_over<T>(
    talk: &Talk,
    own: Option<&CudaMemory>,
    open: impl Fn(File, u64) -> Option<T>,
) -> Result<HashMap<usize, T>, Failure> {
    let mailboxes: Vec<Option<(Mailbox, &CudaMemory)>> = (talk.peers.iter())
        .map(|peer| Some((Mailbox::new()?, own.filter(|_| talk.is_near(*peer))?)))
        .collect();
    let tickets: Vec<[u8; TICKET_BYTES]> = mailboxes.iter().map(|mailbox| ticket(mailbox.as_ref())).collect();
    let answers = talk.swap(1, &tickets)?;
    let delivered: Vec<[u8; 1]> = (mailboxes.iter().zip(&answers))
        .map(|(mailbox, ticket)| {
            [u8::from(
                mailbox.as_ref().is_some_and(|(_, own)| deliver(own, ticket)),
            )]
        })
        .collect();
    // A rank reports a delivery after it has made it, so the file is in the mailbox now.
    let deliveries = talk.swap(2, &delivered)?;
    let opened: Vec<Option<T>> = (mailboxes.iter().zip(&answers).zip(deliveries))
        .map(|((mailbox, ticket), [is_there])| {
            let (mailbox, _) = mailbox.as_ref().filter(|_| is_there != 0)?;
            open(mailbox.take()?, bytes_in(ticket))
        })
        .collect();
    let agreed = talk.swap(
        3,
        &opened
            .iter()
            .map(|of| [u8::from(of.is_some())])
            .collect::<Vec<_>>(),
    )?;
    let theirs = (talk.peers.iter().zip(opened).zip(agreed))
        .filter_map(|((peer, memory), [agreed])| Some((*peer, memory.filter(|_| agreed != 0)?)));
    Ok(theirs.collect())
}

/// Delivers the handle of memory to the rank of a ticket. False if that is not possible.
fn deliver(memory: &CudaMemory, ticket: &[u8; TICKET_BYTES]) -> bool {
    let address = ticket.first_chunk().filter(|_| bytes_in(ticket) > 0);
    (address.zip(memory.file())).is_some_and(|(address, file)| Mailbox::deliver(address, &file))
}

/// The ticket for another rank: the mailbox to which that rank delivers the handle of its memory, and the bytes of this one's.
fn ticket(own: Option<&(Mailbox, &CudaMemory)>) -> [u8; TICKET_BYTES] {
    let mut ticket = [0; TICKET_BYTES];
    if let Some((mailbox, memory)) = own {
        let (address, bytes) = ticket.split_at_mut(ADDRESS_BYTES);
        address.copy_from_slice(&mailbox.address());
        bytes.copy_from_slice(&memory.bytes().to_le_bytes());
    }
    ticket
}

/// The bytes of the memory of a ticket.
fn bytes_in(ticket: &[u8; TICKET_BYTES]) -> u64 {
    let bytes = ticket.last_chunk().copied();
    bytes.map_or(0, u64::from_le_bytes)
}
