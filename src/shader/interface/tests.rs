use super::*;
use crate::element::Element;
use crate::ir::{
    BlockMember, Border, Domain, Draft, Field, GRID, Lattice, List, Location, Pipeline, Resource,
    ResourceKind, ShaderSource, Stage,
};
use crate::workgroups::Shape;

const SHAPE: Shape = Shape {
    workgroup: [32, 4, 1],
    cells_per_thread_z: 1,
    vector_width: 1,
};

/// Two grids of different sizes and names, with channels of the same types.
fn pipeline() -> Pipeline {
    let mut pipeline = Pipeline::default();
    for (name, side) in [("air", 4), ("sea", 50)] {
        let resource = pipeline.add_resource(Resource {
            name: name.into(),
            size: [side, 5, 6],
            kind: ResourceKind::Lattice(Lattice::of(&GRID)),
            pointer: String::new(),
        });
        for (channel, element) in [("u", Element::Float), ("mark", Element::Uint)] {
            let mut field = Field::words(format!("{name}.{channel}"), resource);
            field.element = element;
            pipeline.add_field(field);
        }
    }
    pipeline
}

/// A stage that reads `u` and writes `mark` of a grid, which its kernel calls `box`.
fn stage(pipeline: &mut Pipeline, grid: usize, argument: Element) -> Stage {
    let domain = Domain::elements(pipeline.resources[grid].size, 3, Some(grid));
    let source = ShaderSource::BuiltIn("mark.comp");
    let mut draft = Draft::new(format!("mark_{grid}"), source, domain, List::Step, "/step/0");
    draft.name_resource("box", grid);
    draft.read("box_u", 2 * grid);
    draft.write("box_mark", 2 * grid + 1);
    draft.arguments.push(("k".into(), argument));
    let id = draft.finish(pipeline);
    pipeline.stages[id].clone()
}

#[test]
fn interface_has_only_declared_accessors() {
    let mut pipeline = pipeline();
    let stage = stage(&mut pipeline, 0, Element::Float);
    let signature = &pipeline.kernel_of(&stage).signature;
    let interface = generate(signature);
    assert!(interface.text.contains("float box_u(ivec3 i)"));
    assert!(interface.text.contains("uint add_box_mark(ivec3 i, uint value)"));
    assert!(!interface.text.contains("set_box_u"));
    assert!(!interface.text.contains("uint box_mark(ivec3 i)"));
    assert_eq!(
        signature.block_members(),
        [
            BlockMember::Fault,
            BlockMember::Clock,
            BlockMember::Stage,
            BlockMember::Read(0),
            BlockMember::Write(1),
            BlockMember::Argument(0)
        ]
    );
    assert_eq!(signature.block_bytes(), 128);
}

#[test]
fn stages_on_different_resources_share_a_kernel() {
    let mut pipeline = pipeline();
    let [air, sea] = [0, 1].map(|grid| stage(&mut pipeline, grid, Element::Float));
    assert_eq!(air.kernel, sea.kernel);
    assert_eq!((&air.bindings[..], &sea.bindings[..]), (&[0, 1][..], &[2, 3][..]));
    let interface = generate(&pipeline.kernel_of(&air).signature);
    let sizes = |stage: &Stage| {
        let constants = interface.constants(&pipeline, stage, SHAPE);
        constants
            .into_iter()
            .find(|(id, _)| *id == RESOURCES)
            .map(|(_, size)| size)
    };
    assert_eq!((sizes(&air), sizes(&sea)), (Some(4), Some(50)));
}

#[test]
fn interface_hash_depends_on_types_not_stage_names() {
    let mut pipeline = pipeline();
    let vector = stage(&mut pipeline, 0, Element::Vec2);
    let scalar = stage(&mut pipeline, 0, Element::Float);
    let hash = |stage: &Stage| generate(&pipeline.kernel_of(stage).signature).hash;
    assert_ne!(hash(&vector), hash(&scalar));
    assert!(
        !generate(&pipeline.kernel_of(&scalar).signature)
            .text
            .contains("mark_0")
    );
}

/// Kernels whose fields state neither have the interface that they always had.
#[test]
fn interfaces_change_only_with_stated_locations_and_borders() {
    let text = |at: Option<Location>, border: Option<Border>| {
        let mut pipeline = pipeline();
        (pipeline.fields[0].at, pipeline.fields[0].border) = (at, border.map(Into::into));
        let stage = stage(&mut pipeline, 0, Element::Float);
        generate(&pipeline.kernel_of(&stage).signature).text
    };
    let plain = text(None, None);
    let hashless = |text: &str| {
        let lines = text.lines().filter(|line| !line.contains("sg_hash"));
        lines.map(str::to_string).collect::<Vec<_>>()
    };
    assert!(!plain.contains("sample_") && !plain.contains("box_u_position"));
    // A location at the centre adds functions, and changes none.
    let centre = text(Some(Location::Centre), None);
    let added: Vec<String> = (hashless(&centre).into_iter())
        .filter(|line| !hashless(&plain).contains(line))
        .collect();
    assert!(
        added
            .iter()
            .any(|line| line.starts_with("float sample_box_u(vec3 world)"))
    );
    assert!(
        hashless(&plain)
            .iter()
            .all(|line| hashless(&centre).contains(line))
    );
    assert!(text(Some(Location::Face(1)), None).contains("* (sg_box_n1 + 1) + i.y) * sg_box_n0 + i.x"));
    assert!(text(None, Some(Border::Clamp)).contains("ivec3 i = clamp(asked, ivec3(0), box_cells - 1);"));
}

#[test]
fn field_bound_to_two_names_counts_once() {
    let mut pipeline = pipeline();
    let mut draft = Draft::new(
        "both",
        ShaderSource::BuiltIn("both.comp"),
        Domain::list(8, None),
        List::Step,
        "/step/0",
    );
    draft.read("before", 0);
    draft.read("again", 0);
    draft.write("after", 0);
    let id = draft.finish(&mut pipeline);
    let stage = &pipeline.stages[id];
    assert_eq!(
        (stage.reads(), stage.writes(), stage.bindings.len()),
        (&[0][..], &[0][..], 3)
    );
}

#[test]
fn indices_are_64_bit_from_2_31_components() {
    let wide = |side: u64, element: Element| {
        let mut pipeline = pipeline();
        pipeline.resources[0].size = [1 << 11, 1 << 10, side];
        pipeline.fields[0].element = element;
        // Entries of arrays do not count together.
        pipeline.fields[0].count = Some(19);
        let stage = stage(&mut pipeline, 0, Element::Float);
        let interface = generate(&pipeline.kernel_of(&stage).signature);
        let constants = interface.constants(&pipeline, &stage, SHAPE);
        constants
            .into_iter()
            .find(|(id, _)| *id == RESOURCES + 9)
            .map(|(_, bits)| bits)
    };
    assert_eq!(wide(1023, Element::Float), Some(0));
    assert_eq!(wide(1024, Element::Float), Some(1));
    assert_eq!(wide(512, Element::Vec2), Some(1));
    assert_eq!(wide(511, Element::Vec2), Some(0));
}

#[test]
fn kernels_of_parts_run_over_a_box_in_the_argument_block() {
    let mut pipeline = pipeline();
    let stage = stage(&mut pipeline, 0, Element::Float);
    let whole = pipeline.kernel_of(&stage).signature.clone();
    let mut part = whole.clone();
    part.cut = true;
    assert_eq!(part.plain(), whole);
    let names = ["sg_low", "sg_part", "sg_size_of_part"];
    let (of_whole, of_part) = (generate(&whole).text, generate(&part).text);
    assert!(
        names
            .iter()
            .all(|name| of_part.contains(name) && !of_whole.contains(name))
    );
    let count = |signature: &Signature| signature.block_members().len();
    assert_eq!(count(&part), count(&whole) + 1);
    assert_ne!(generate(&part).hash, generate(&whole).hash);
}

#[test]
fn checked_kernels_write_one_fault_record() {
    let mut pipeline = pipeline();
    let stage = stage(&mut pipeline, 0, Element::Float);
    let mut signature = pipeline.kernel_of(&stage).signature.clone();
    let records = |text: &str| text.matches("atomicCompSwap").count();
    let plain = generate(&signature).text;
    assert!(!plain.contains("sg_main"), "{plain}");
    signature.checks_reach = true;
    let checked = generate(&signature).text;
    assert_eq!([records(&plain), records(&checked)], [1, 1]);
    // The record comes after the kernel, which is compiled as a function: `main` is this name from here on.
    let (head, kernel) = checked.split_once("#define main sg_main\n").unwrap();
    assert!(
        head.contains("void main() {\n    sg_main();") && !head.contains("stage("),
        "{head}"
    );
    assert!(
        kernel.contains("sg_report(") && kernel.contains("void main() {"),
        "{kernel}"
    );
}
