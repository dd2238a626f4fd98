//! Version of the compiler: versions of the C++ libraries that turn GLSL into SPIR-V.

use std::ffi::{CStr, c_char};

// SAFETY: the first is declared in libspirv.h, the second in ShaderLang.h as a plain function without arguments, here
// by the name that all but Microsoft's compilers give it. Both return text that lives as long as the program.
unsafe extern "C" {
    safe fn spvSoftwareVersionDetailsString() -> *const c_char;
    #[cfg(not(target_env = "msvc"))]
    #[link_name = "_ZN7glslang20GetGlslVersionStringEv"]
    safe fn glsl_version() -> *const c_char;
}

/// The version of the compiler as text. It differs between compilers.
pub(super) fn compiler() -> String {
    let mut version = text(spvSoftwareVersionDetailsString());
    #[cfg(not(target_env = "msvc"))]
    {
        version.push_str(", glslang ");
        version.push_str(&text(glsl_version()));
    }
    version
}

fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: not null, and a constant of the library that ends in a zero byte.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn compiler_version_names_both_libraries() {
        let version = super::compiler();
        assert!(version.contains("SPIRV-Tools v"), "{version}");
        #[cfg(not(target_env = "msvc"))]
        assert!(version.to_lowercase().contains("khronos"), "{version}");
    }
}
