//! The SPIR-V validator of SPIRV-Tools, which the GLSL compiler contains, as one safe function.
//!
//! A driver may crash on an invalid module, so modules from users are validated before the driver receives them. The
//! validator does not check whether a module fits a stage.

use std::ffi::{CStr, c_char, c_void};
use std::ptr;

/// The target environment, whose rules modules must follow.
const ENVIRONMENT: &CStr = c"vulkan1.3";

/// `spv_const_binary_t` of libspirv.h.
#[repr(C)]
struct Binary {
    code: *const u32,
    word_count: usize,
}

/// `spv_diagnostic_t` of libspirv.h.
#[repr(C)]
struct Diagnostic {
    /// Line, column and index; of a module, the index is a word.
    position: [usize; 3],
    error: *mut c_char,
    is_text_source: bool,
}

// SAFETY: the declarations of libspirv.h, whose C interface has kept them since 2016. Enumerations are 32 bits wide
// there (SPV_FORCE_32_BIT_ENUM).
unsafe extern "C" {
    safe fn spvValidatorOptionsCreate() -> *mut c_void;
    safe fn spvContextCreate(environment: u32) -> *mut c_void;
    fn spvParseTargetEnv(name: *const c_char, environment: *mut u32) -> bool;
    fn spvContextDestroy(context: *mut c_void);
    fn spvValidatorOptionsDestroy(options: *mut c_void);
    fn spvValidatorOptionsSetScalarBlockLayout(options: *mut c_void, value: bool);
    fn spvValidateWithOptions(
        context: *const c_void,
        options: *const c_void,
        binary: *const Binary,
        diagnostic: *mut *mut Diagnostic,
    ) -> i32;
    fn spvDiagnosticDestroy(diagnostic: *mut Diagnostic);
}

/// The context and options of the validator, freed when dropped.
struct Validator {
    context: *mut c_void,
    options: *mut c_void,
}

impl Validator {
    fn new() -> Option<Validator> {
        let mut environment = 0;
        // SAFETY: the name ends in a zero byte, and the library writes one 32-bit enumeration value.
        if !unsafe { spvParseTargetEnv(ENVIRONMENT.as_ptr(), &mut environment) } {
            return None;
        }
        let validator = Validator {
            context: spvContextCreate(environment),
            options: spvValidatorOptionsCreate(),
        };
        (!validator.context.is_null() && !validator.options.is_null()).then_some(validator)
    }
}

impl Drop for Validator {
    fn drop(&mut self) {
        // SAFETY: created by the library, destroyed once; it accepts null.
        unsafe { spvContextDestroy(self.context) };
        // SAFETY: as above.
        unsafe { spvValidatorOptionsDestroy(self.options) };
    }
}

/// Checks a module against the rules of Vulkan 1.3 with scalar block layout. The error is the validator's own text.
pub fn validate(words: &[u32]) -> Result<(), String> {
    let validator = Validator::new().ok_or("cannot start the SPIR-V validator")?;
    // SAFETY: `options` is not null and lives as long as the validator.
    unsafe { spvValidatorOptionsSetScalarBlockLayout(validator.options, true) };
    let binary = Binary {
        code: words.as_ptr(),
        word_count: words.len(),
    };
    let mut diagnostic: *mut Diagnostic = ptr::null_mut();
    // SAFETY: all pointers are valid for the call; the binary describes exactly `words`, which it only reads.
    let result =
        unsafe { spvValidateWithOptions(validator.context, validator.options, &binary, &mut diagnostic) };
    let text = if diagnostic.is_null() {
        None
    } else {
        // SAFETY: the library made it, and its text is null or ends in a zero byte.
        let error = unsafe { (*diagnostic).error };
        let text = (!error.is_null()).then(|| {
            // SAFETY: as above; it lives until the diagnostic is destroyed, which is after this copy.
            unsafe { CStr::from_ptr(error) }
                .to_string_lossy()
                .trim()
                .to_string()
        });
        // SAFETY: made by the library for this call, destroyed once, not used after.
        unsafe { spvDiagnosticDestroy(diagnostic) };
        text
    };
    match result {
        0 => Ok(()),
        code => Err(text.unwrap_or_else(|| format!("the SPIR-V validator refuses it with code {code}"))),
    }
}
