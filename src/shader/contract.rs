//! The conditions that a SPIR-V module must meet to run as a stage: see docs/abi.md.

use super::interface::{HASH_HIGH, HASH_LOW, Interface};
use super::spirv;

/// The cause and its remedy.
pub type Mismatch = (&'static str, &'static str);

/// Checks the entry point and the interface to the program.
pub fn check_entry(reflection: &spirv::Reflection) -> Result<(), Mismatch> {
    if !reflection.entry_points.iter().any(|name| name == "main") {
        return Err((
            "it has no compute entry point `main`",
            "compile it as a compute shader with the entry point `main`",
        ));
    }
    if reflection.descriptors {
        return Err((
            "it uses descriptors, which stages must not use",
            "access all data through the address in the push constant, like the interface that `sastrugi \
             interface` prints",
        ));
    }
    match reflection.push_constant {
        Some(push) if push.members == 1 && push.starts_with_address => Ok(()),
        _ => Err((
            "its push constant is not one 64-bit address (of the stage's argument block)",
            "include stage.glsl, which `sastrugi interface` prints, or declare the push constant in the same \
             way",
        )),
    }
}

/// Compares the module's interface hash with the stage's; false when it has none and the stage allows that.
pub fn check_interface(
    reflection: &spirv::Reflection,
    interface: &Interface,
    unchecked: bool,
) -> Result<bool, Mismatch> {
    let default = |id| {
        let constant = reflection
            .spec_constants
            .iter()
            .find(|constant| constant.id == id);
        constant.map(|constant| constant.default)
    };
    match (default(HASH_LOW), default(HASH_HIGH)) {
        (Some(low), Some(high)) if u64::from(high) << 32 | u64::from(low) == interface.hash => Ok(true),
        (Some(_), Some(_)) => Err((
            "it was compiled against another interface",
            "compile it again with the one that `sastrugi interface` prints for this stage",
        )),
        _ if unchecked => Ok(false),
        _ => Err((
            "it contains no interface hash, so the program cannot check that it fits",
            "include stage.glsl, or add \"unchecked\": true to the stage if you know that it fits",
        )),
    }
}
