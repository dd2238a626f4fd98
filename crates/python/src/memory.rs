//! Memory of fields for other packages, without copies: on the host by NumPy, on CUDA by DLPack.
#![allow(unsafe_code, reason = "DLPack is an interface of C")]

use std::ffi::{CStr, c_void};

use pyo3::ffi;
use pyo3::prelude::*;
use sastrugi::{FieldMemory, MemoryPlace};

const NAME: &CStr = c"dltensor";
const CUDA: i32 = 2;

/// The memory of a field. It stays allocated while this object or a capsule of it exists.
#[pyclass(frozen, module = "sastrugi._native")]
pub struct Memory(pub FieldMemory);

/// `DLTensor` of dlpack.h.
#[repr(C)]
struct Tensor {
    data: *mut c_void,
    device_kind: i32,
    device_number: i32,
    axes: i32,
    /// Code, bits and lanes.
    element: (u8, u8, u16),
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

/// `DLManagedTensor` of dlpack.h.
#[repr(C)]
struct Managed {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

/// A tensor and all that it points to.
struct Owner {
    managed: Managed,
    shape: Vec<i64>,
    strides: Vec<i64>,
    _memory: FieldMemory,
}

/// Frees a tensor: its consumer calls this once, on any thread.
unsafe extern "C" fn delete(managed: *mut Managed) {
    // SAFETY: the context is the box that `capsule` gave away, and its consumer deletes it once.
    drop(unsafe { Box::from_raw((*managed).context.cast::<Owner>()) });
}

/// Frees the tensor of a capsule that nobody has consumed: a consumer renames the capsule.
unsafe extern "C" fn destroy(capsule: *mut ffi::PyObject) {
    // SAFETY: the interpreter calls this for a capsule of this module.
    if unsafe { ffi::PyCapsule_IsValid(capsule, NAME.as_ptr()) } == 1 {
        // SAFETY: as above; the capsule has this name.
        let managed = unsafe { ffi::PyCapsule_GetPointer(capsule, NAME.as_ptr()) };
        // SAFETY: nobody has consumed the tensor.
        unsafe { delete(managed.cast()) };
    }
}

#[pymethods]
impl Memory {
    /// Its address, where it is.
    #[getter]
    fn address(&self) -> u64 {
        match self.0.place() {
            MemoryPlace::Host { address } | MemoryPlace::Cuda { address, .. } => address,
        }
    }

    #[getter]
    fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    /// The kind and the number of its device, as DLPack states them.
    #[getter]
    fn device(&self) -> (i32, i32) {
        match self.0.place() {
            MemoryPlace::Host { .. } => (1, 0),
            MemoryPlace::Cuda { device, .. } => (CUDA, device),
        }
    }

    /// A capsule of DLPack: code and bits of the elements, shape, and strides in elements.
    fn capsule(
        &self,
        py: Python<'_>,
        element: (u8, u8),
        shape: Vec<i64>,
        strides: Vec<i64>,
    ) -> PyResult<Py<PyAny>> {
        let (device_kind, device_number) = self.device();
        let mut owner = Box::new(Owner {
            managed: Managed {
                tensor: Tensor {
                    data: self.address() as *mut c_void,
                    device_kind,
                    device_number,
                    axes: shape.len() as i32,
                    element: (element.0, element.1, 1),
                    shape: std::ptr::null_mut(),
                    strides: std::ptr::null_mut(),
                    byte_offset: 0,
                },
                context: std::ptr::null_mut(),
                deleter: Some(delete),
            },
            shape,
            strides,
            _memory: self.0.clone(),
        });
        owner.managed.tensor.shape = owner.shape.as_mut_ptr();
        owner.managed.tensor.strides = owner.strides.as_mut_ptr();
        let owner = Box::into_raw(owner);
        // SAFETY: the box was just given away; its tensor stays where it is.
        let managed = unsafe {
            (*owner).managed.context = owner.cast();
            &raw mut (*owner).managed
        };
        // SAFETY: the interpreter is attached, the name is constant, and the pointer is not null.
        let capsule = unsafe { ffi::PyCapsule_New(managed.cast(), NAME.as_ptr(), Some(destroy)) };
        if capsule.is_null() {
            // SAFETY: there is no capsule that would free it.
            unsafe { delete(managed) };
        }
        // SAFETY: a new reference, or null with an exception set.
        unsafe { Bound::from_owned_ptr_or_err(py, capsule) }.map(Bound::unbind)
    }
}
