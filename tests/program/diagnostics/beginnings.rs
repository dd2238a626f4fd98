//! Mistakes before the first statement: versions, includes and the signature of the stage function.

use super::*;

#[test]
fn missing_library_includes_are_explained() {
    let add = "add #include \"lib/random.glsl\"";
    slip(
        "vec4 r = random4(1u, 2u, 3u, 4u);",
        "`random4` is a function of the library",
        add,
    );
}

#[test]
fn wrong_stage_signatures_are_explained() {
    let with = |head: &str| body("set_box_next(ivec3(0), 1.0);").replace("void stage(ivec3 cell)", head);
    let wanted = "this stage runs over 3 axes: write `void stage(ivec3 i)`";
    for head in [
        "void stage(uint i)",
        "void stage(ivec2 i)",
        "void stage(uvec3 g, uint local)",
    ] {
        slips(
            PIPELINE,
            &with(head),
            4,
            "its function `stage` has other parameters",
            wanted,
        );
    }
    // Nothing is said of the lines that use the index, which are right for another one.
    for head in [
        "void stage(ivec2 cell)",
        "void stage(const in uint cell)",
        "void stage()",
    ] {
        let body = body("set_box_next(cell, box_heat(cell + 1) + float(cell.z));");
        slips(
            PIPELINE,
            &body.replace("void stage(ivec3 cell)", head),
            4,
            "its function `stage` has other parameters",
            wanted,
        );
    }
    slips(
        PIPELINE,
        &with("float stage(ivec3 cell)"),
        4,
        "`stage` returns nothing",
        "write `void stage(ivec3 i)`",
    );
    slips(
        PIPELINE,
        &with("void main()"),
        4,
        "the engine writes `main`",
        "write `void stage(ivec3 i)` instead",
    );
    slips(
        PIPELINE,
        &with("void stge(ivec3 cell)"),
        1,
        "the shader has no function `stage`",
        wanted,
    );
    let list = PIPELINE.replace(r#""over": "box""#, r#""over": "sums""#);
    let wanted = "this stage runs over 1 axis: write `void stage(uint i)`";
    slips(
        &list,
        &with("void stage(ivec3 i)"),
        4,
        "its function `stage`",
        wanted,
    );
    let groups = PIPELINE.replace(
        r#""over": "box""#,
        r#""groups": 4, "tuning": {"workgroup": [64, 1, 1]}"#,
    );
    slips(
        &groups,
        &with("void stage(ivec3 i)"),
        4,
        "its function `stage`",
        "write `void stage(uvec3 group, uint local)`",
    );
}

#[test]
fn missing_interface_include_is_explained() {
    let good = body("set_box_next(cell, box_heat(cell) + arg.gain * clock.dt);");
    let without = good.replace("#include \"stage.glsl\"\n", "");
    let add = "add the line #include \"stage.glsl\" after #version";
    slips(
        PIPELINE,
        &without,
        1,
        "the shader does not include its interface",
        add,
    );
    slips(
        PIPELINE,
        "#version 460\nvoid main() {}\n",
        1,
        "the shader does not include its interface",
        add,
    );
    let misspelt = good.replace("stage.glsl", "stag.glsl");
    slips(
        PIPELINE,
        &misspelt,
        2,
        "there is no file `stag.glsl` to include",
        "did you mean `stage.glsl`?",
    );
}

#[test]
fn missing_version_is_explained() {
    let shader = body("set_box_next(cell, 1.0);").replace("#version 460\n", "");
    let first = "write `#version 460` in the first line";
    slips(PIPELINE, &shader, 1, first, "sastrugi interface");
}

#[test]
fn missing_include_is_explained() {
    let shader = body("set_box_next(cell, random4(1u, 2u, 3u, 4u).x * mine(2));");
    let shader = shader.replace("\nlayout", "\n#include \"lib/randm.glsl\"\nlayout");
    slips(
        PIPELINE,
        &shader,
        3,
        "there is no file `lib/randm.glsl` to include",
        "did you mean `lib/random.glsl`?",
    );
    slips(
        PIPELINE,
        &shader,
        3,
        "there is no file `lib/randm.glsl`",
        "looked for beside the shader and in .",
    );
}
