//! Functions and structures of the CUDA driver (`cuda.h`), as far as they are used.

use std::ffi::{c_char, c_int, c_uint, c_ulonglong};
use std::sync::OnceLock;

use libloading::Library;

/// Result of a function: 0, or the number of an error.
pub type Status = c_int;
/// Number of a device.
pub type DeviceNumber = c_int;
/// An address of the device.
pub type Address = u64;
/// A pointer or number that only the driver understands.
pub type Handle = usize;
/// `CUmemGenericAllocationHandle`.
pub type Allocation = u64;

pub const NOT_READY: Status = 600;
/// The kind of handles of memory that are open files.
pub const OPEN_FILE: c_int = 1;
/// A stream that waits for no other.
pub const NON_BLOCKING: c_uint = 1;

const PINNED: c_int = 1;
const OF_DEVICE: c_int = 1;
/// Memory of the host, near some of its processors (`CU_MEM_LOCATION_TYPE_HOST_NUMA`).
const OF_HOST: c_int = 3;
/// The processors that are nearest to a device (`CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID`).
pub const NEAREST: c_int = 134;
const READ_WRITE: c_int = 3;

/// `CUmemLocation`.
#[repr(C)]
struct Location {
    kind: c_int,
    device: DeviceNumber,
}

/// `CUmemAllocationProp`.
#[repr(C)]
pub struct Properties {
    kind: c_int,
    handles: c_int,
    location: Location,
    _metadata: Handle,
    _flags: [u8; 8],
}

/// `CUmemAccessDesc`.
#[repr(C)]
pub struct AccessDescription {
    location: Location,
    access: c_int,
}

/// `CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC`.
#[repr(C)]
pub struct SemaphoreHandle {
    kind: c_int,
    /// The descriptor of a file, in a union of two pointers.
    descriptor: [u64; 2],
    flags: c_uint,
    _reserved: [c_uint; 16],
}

impl SemaphoreHandle {
    /// A timeline of Vulkan as an open file (`CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD`).
    pub fn timeline(descriptor: c_int) -> SemaphoreHandle {
        SemaphoreHandle {
            kind: 9,
            descriptor: [u64::from(descriptor.cast_unsigned()), 0],
            flags: 0,
            _reserved: [0; 16],
        }
    }
}

/// `CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS` and `CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS`: the value, and what timelines do not use.
#[repr(C)]
pub struct SemaphoreValue {
    value: u64,
    _unused: [u64; 17],
}

impl SemaphoreValue {
    pub fn of(value: u64) -> SemaphoreValue {
        SemaphoreValue {
            value,
            _unused: [0; 17],
        }
    }
}

impl Location {
    fn of(device: DeviceNumber) -> Location {
        Location {
            kind: OF_DEVICE,
            device,
        }
    }
}

impl Properties {
    /// Memory of a device that other processes can open.
    pub fn shared(device: DeviceNumber) -> Properties {
        Properties {
            kind: PINNED,
            handles: OPEN_FILE,
            location: Location::of(device),
            _metadata: 0,
            _flags: [0; 8],
        }
    }

    /// Memory of the host near the processors `node` that other processes can open.
    pub fn shared_on_host(node: c_int) -> Properties {
        let location = Location {
            kind: OF_HOST,
            device: node,
        };
        Properties {
            location,
            ..Properties::shared(node)
        }
    }
}

impl AccessDescription {
    /// Full access by a device.
    pub fn of(device: DeviceNumber) -> AccessDescription {
        AccessDescription {
            location: Location::of(device),
            access: READ_WRITE,
        }
    }
}

/// Declares functions of the driver: a name, the one in the library, the types of its arguments.
macro_rules! functions {
    ($($name:ident $symbol:literal ($($argument:ty),*);)*) => {
        pub struct Functions {
            $(pub $name: unsafe extern "C" fn($($argument),*) -> Status,)*
            _library: Library,
        }

        impl Functions {
            fn load() -> Option<Functions> {
                // SAFETY: loading the driver has no other effect; it is never unloaded.
                let library = unsafe { Library::new("libcuda.so.1") }.ok()?;
                Some(Functions {
                    // SAFETY: the type is that of the function in `cuda.h`, and the library stays loaded.
                    $($name: *unsafe { library.get($symbol) }.ok()?,)*
                    _library: library,
                })
            }
        }
    };
}

functions! {
    init b"cuInit\0" (c_uint);
    error_name b"cuGetErrorName\0" (Status, *mut *const c_char);
    device_count b"cuDeviceGetCount\0" (*mut c_int);
    device_uuid b"cuDeviceGetUuid\0" (*mut [u8; 16], DeviceNumber);
    attribute b"cuDeviceGetAttribute\0" (*mut c_int, c_int, DeviceNumber);
    retain_context b"cuDevicePrimaryCtxRetain\0" (*mut Handle, DeviceNumber);
    release_context b"cuDevicePrimaryCtxRelease_v2\0" (DeviceNumber);
    push_context b"cuCtxPushCurrent_v2\0" (Handle);
    pop_context b"cuCtxPopCurrent_v2\0" (*mut Handle);
    granularity b"cuMemGetAllocationGranularity\0" (*mut usize, *const Properties, c_int);
    allocate b"cuMemCreate\0" (*mut Allocation, usize, *const Properties, c_ulonglong);
    release b"cuMemRelease\0" (Allocation);
    export b"cuMemExportToShareableHandle\0" (*mut c_int, Allocation, c_int, c_ulonglong);
    import b"cuMemImportFromShareableHandle\0" (*mut Allocation, Handle, c_int);
    reserve b"cuMemAddressReserve\0" (*mut Address, usize, usize, Address, c_ulonglong);
    unreserve b"cuMemAddressFree\0" (Address, usize);
    map b"cuMemMap\0" (Address, usize, usize, Allocation, c_ulonglong);
    unmap b"cuMemUnmap\0" (Address, usize);
    set_access b"cuMemSetAccess\0" (Address, usize, *const AccessDescription, usize);
    create_stream b"cuStreamCreate\0" (*mut Handle, c_uint);
    destroy_stream b"cuStreamDestroy_v2\0" (Handle);
    query_stream b"cuStreamQuery\0" (Handle);
    copy b"cuMemcpyDtoDAsync_v2\0" (Address, Address, usize, Handle);
    synchronize b"cuCtxSynchronize\0" ();
    import_semaphore b"cuImportExternalSemaphore\0" (*mut Handle, *const SemaphoreHandle);
    destroy_semaphore b"cuDestroyExternalSemaphore\0" (Handle);
    signal b"cuSignalExternalSemaphoresAsync\0" (*const Handle, *const SemaphoreValue, c_uint, Handle);
    wait b"cuWaitExternalSemaphoresAsync\0" (*const Handle, *const SemaphoreValue, c_uint, Handle);
}

/// The functions of the driver, which is loaded and initialised once; `None` if it is not here or fails.
pub fn functions() -> Option<&'static Functions> {
    static FUNCTIONS: OnceLock<Option<Functions>> = OnceLock::new();
    let load = || {
        let functions = Functions::load()?;
        // SAFETY: the only flag is 0; the driver may be initialised again and again.
        let status = unsafe { (functions.init)(0) };
        (status == 0).then_some(functions)
    };
    FUNCTIONS.get_or_init(load).as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_are_laid_out_as_in_c() {
        use std::mem::{offset_of, size_of};
        assert_eq!(offset_of!(Properties, location), 8);
        assert_eq!(offset_of!(Properties, _metadata), 16);
        assert_eq!(size_of::<Properties>(), 32);
        assert_eq!(offset_of!(AccessDescription, access), 8);
        assert_eq!(size_of::<AccessDescription>(), 12);
        assert_eq!(offset_of!(SemaphoreHandle, descriptor), 8);
        assert_eq!(offset_of!(SemaphoreHandle, flags), 24);
        assert_eq!(size_of::<SemaphoreHandle>(), 96);
        assert_eq!(size_of::<SemaphoreValue>(), 144);
    }
}
