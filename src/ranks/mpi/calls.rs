//! Calls of MPI on memory that it must keep.
//!
//! Messages lie in buffers of their own, which are freed only after MPI has finished with them: after the failure of a rank,
//! sends and receives may stay open for ever. Errors of MPI itself end all ranks, as its default error handler does.

use std::mem::{ManuallyDrop, MaybeUninit};

use ::mpi::ffi;
use ::mpi::raw::AsRaw;
use ::mpi::topology::SimpleCommunicator;
use ::mpi::traits::Equivalence;

use super::super::failure::Failure;

/// Bytes that MPI sends or receives.
pub struct Open {
    /// The other rank.
    pub rank: usize,
    pub tag: i32,
    /// Freed by [`Open::finished`] alone: without it, the memory stays for MPI.
    bytes: ManuallyDrop<Vec<u8>>,
    request: ffi::MPI_Request,
    done: bool,
}

// SAFETY: an `Open` owns its bytes, and its request is a handle that MPI lets any thread use, one at a time, since it is
// initialised with SERIALIZED. `Ranks` holds it behind a mutex.
unsafe impl Send for Open {}

impl Open {
    /// True if MPI has finished with the bytes.
    pub fn is_done(&mut self) -> bool {
        if !self.done {
            let mut flag = 0;
            // SAFETY: the request is open, since `done` is false, and belongs to this `Open`; the status is not wanted.
            unsafe { ffi::MPI_Test(&mut self.request, &mut flag, ffi::RSMPI_STATUS_IGNORE) };
            self.done = flag != 0;
        }
        self.done
    }

    /// The bytes of a message that is done.
    pub fn finished(mut self) -> Vec<u8> {
        assert!(self.is_done(), "MPI still uses the bytes");
        ManuallyDrop::into_inner(self.bytes)
    }
}

/// The number of bytes as MPI counts them.
fn count(bytes: &[u8]) -> Result<i32, Failure> {
    i32::try_from(bytes.len()).map_err(|_| Failure::Transport {
        cause: format!("a message of {} bytes is too long for MPI", bytes.len()),
    })
}

/// Begins to send bytes.
pub fn send(to: usize, tag: i32, bytes: Vec<u8>) -> Result<Open, Failure> {
    let count = count(&bytes)?;
    let bytes = ManuallyDrop::new(bytes);
    let mut request = MaybeUninit::uninit();
    let kind = u8::equivalent_datatype().as_raw();
    // SAFETY: the bytes live on the heap and are neither changed nor freed before MPI has finished with them; `Open` sees
    // to that wherever it is moved.
    unsafe {
        ffi::MPI_Isend(
            bytes.as_ptr().cast(),
            count,
            kind,
            to as i32,
            tag,
            SimpleCommunicator::world().as_raw(),
            request.as_mut_ptr(),
        );
    }
    // SAFETY: `MPI_Isend` sets the request, or ends the process.
    let request = unsafe { request.assume_init() };
    Ok(Open {
        rank: to,
        tag,
        bytes,
        request,
        done: false,
    })
}

/// A message that has arrived, but is not received yet.
pub struct Found {
    from: usize,
    tag: i32,
    length: usize,
    message: ffi::MPI_Message,
}

/// The next message from any rank that has arrived.
pub fn arrived() -> Option<Found> {
    let (mut flag, mut length) = (0, 0);
    let mut message = MaybeUninit::uninit();
    let mut status = MaybeUninit::<ffi::MPI_Status>::uninit();
    // SAFETY: all pointers are to locals that outlive the call.
    unsafe {
        ffi::MPI_Improbe(
            ffi::RSMPI_ANY_SOURCE,
            ffi::RSMPI_ANY_TAG,
            SimpleCommunicator::world().as_raw(),
            &mut flag,
            message.as_mut_ptr(),
            status.as_mut_ptr(),
        );
    }
    if flag == 0 {
        return None;
    }
    let kind = u8::equivalent_datatype().as_raw();
    // SAFETY: `MPI_Improbe` found a message, and so has set it.
    let message = unsafe { message.assume_init() };
    // SAFETY: as for the message.
    let status = unsafe { status.assume_init() };
    // SAFETY: the status is that of a message, and both pointers are to locals.
    unsafe { ffi::MPI_Get_count(&status, kind, &mut length) };
    Some(Found {
        from: status.MPI_SOURCE as usize,
        tag: status.MPI_TAG,
        length: length as usize,
        message,
    })
}

/// Begins to receive a message that has arrived.
pub fn receive(found: Found) -> Open {
    let Found {
        from,
        tag,
        length,
        mut message,
    } = found;
    let mut bytes = ManuallyDrop::new(vec![0; length]);
    let mut request = MaybeUninit::uninit();
    let kind = u8::equivalent_datatype().as_raw();
    // SAFETY: the message was found and is received once, into bytes of its length on the heap, which are neither read nor
    // freed before MPI has finished with them; `Open` sees to that wherever it is moved.
    unsafe {
        ffi::MPI_Imrecv(
            bytes.as_mut_ptr().cast(),
            length as i32,
            kind,
            &mut message,
            request.as_mut_ptr(),
        );
    }
    // SAFETY: `MPI_Imrecv` sets the request, or ends the process.
    let request = unsafe { request.assume_init() };
    Open {
        rank: from,
        tag,
        bytes,
        request,
        done: false,
    }
}
