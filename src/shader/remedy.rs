//! Remedies for shaders that do not compile because they were written for another lattice.

use crate::ir::Signature;

/// The remedy, if the compiler's text names an identifier that only other kernels have.
pub(super) fn remedy(signature: &Signature, text: &str) -> Option<String> {
    let quoted = |name: &str| text.contains(&format!("'{name}'"));
    for resource in &signature.resources {
        let name = &resource.name;
        let is_grid_of_boxes = resource
            .form()
            .is_some_and(|form| form.constants.contains(&"dx") && !form.cubes);
        if is_grid_of_boxes && quoted(&format!("{name}_dx")) {
            return Some(format!(
                "the sides of the cells of `{name}` are not equal: use the vector `{name}_spacing`, or make them equal"
            ));
        }
    }
    for field in &signature.fields {
        let name = &field.name;
        let resource = &signature.resources[field.resource];
        let is_placed = resource
            .form()
            .is_some_and(|form| form.placement.is_in_the_world());
        let wants = quoted(&format!("sample_{name}")) || quoted(&format!("{name}_position"));
        if is_placed && field.at.is_none() && field.border.is_none() && wants {
            return Some(format!(
                "only a channel with `at` or `border` has `sample_{name}` and `{name}_position`: add one of them, for \
                 example \"at\": \"centre\""
            ));
        }
    }
    let (axes, index) = match signature.axes {
        1 => (1, "uint"),
        2 => (2, "ivec2"),
        _ => (3, "ivec3"),
    };
    let lacks_stage = text.contains("No function definition (body) found") && text.contains("stage(");
    lacks_stage.then(|| {
        let plural = if axes == 1 { "axis" } else { "axes" };
        format!("this stage runs over {axes} {plural}: its function is `void stage({index} i)`")
    })
}
