//! Initial values of fields: backgrounds, listed values, `set` entries, and arguments of kernels.

use super::*;

fn read(simulation: &mut Simulation, name: &str, element: Element) -> Vec<f64> {
    let bytes = simulation.read(name).unwrap();
    element.scalar().numbers(&bytes).collect()
}

/// The name of a buffer of a type, whose own is taken in shaders.
fn name(element: Element) -> String {
    format!("of_{}", element.name())
}

/// Backgrounds that no repeat of 32 bits gives for the long types, and the shorter ones alike.
#[test]
fn backgrounds_of_every_type_are_stored() {
    let Some(gpu) = common::gpu() else { return };
    for length in [1u32, 3, 1000] {
        let mut buffers = json!({});
        for element in twin::TYPES {
            buffers[name(element)] = json!({"type": element.name(), "length": length, "background": 5});
        }
        buffers["third"] = json!({"type": "double", "length": length, "background": "1 / 3"});
        let file = json!({"buffers": buffers, "step": []});
        let mut simulation = simulation(&gpu, &file, &[]);
        for element in twin::TYPES {
            let found = read(&mut simulation, &name(element), element);
            let count = length * element.components();
            assert_eq!(found, vec![5.0; count as usize], "{}", element.name());
        }
        let third = read(&mut simulation, "third", Element::Double);
        assert_eq!(third, vec![1.0 / 3.0; length as usize]);
    }
}

/// More than one copy of the staging buffer that the pattern comes from.
#[test]
fn long_backgrounds_fill_long_buffers_completely() {
    let Some(gpu) = common::gpu() else { return };
    let length = (16 << 20) / 8 * 2 + 12345;
    let file = json!({
        "buffers": {"long": {"type": "double", "length": length, "background": "1 / 3"}}, "step": []
    });
    let mut simulation = simulation(&gpu, &file, &[]);
    let found = read(&mut simulation, "long", Element::Double);
    assert_eq!(found.len(), length);
    assert!(found.iter().all(|value| *value == 1.0 / 3.0));
}

#[test]
fn listed_values_of_every_type_are_stored() {
    let Some(gpu) = common::gpu() else { return };
    let row = |components: u32, first: u32| -> Value {
        match components {
            1 => json!(first),
            _ => (first..first + components).collect::<Vec<u32>>().into(),
        }
    };
    let mut buffers = json!({});
    for element in twin::TYPES {
        let values = [0, 7, 100].map(|first| row(element.components(), first));
        buffers[name(element)] = json!({"type": element.name(), "values": values});
    }
    let file = json!({"buffers": buffers, "step": []});
    let mut simulation = simulation(&gpu, &file, &[]);
    for element in twin::TYPES {
        let found = read(&mut simulation, &name(element), element);
        let wanted = [0, 7, 100].map(|first| (first..first + element.components()).map(f64::from));
        assert_eq!(
            found,
            wanted.into_iter().flatten().collect::<Vec<_>>(),
            "{}",
            element.name()
        );
    }
}

#[test]
fn fills_set_every_type() {
    let Some(gpu) = common::gpu() else { return };
    for length in [1, 3, 999] {
        let mut channels = json!({});
        let mut step = Vec::new();
        let arrays = [(Element::Hvec3, 3), (Element::Uint8, 5), (Element::Double, 2)];
        for channel in twin::channels(&arrays) {
            let name = format!("of_{}", channel.name);
            channels[&name] = channel.file(channel.element);
            let value: Vec<u32> = (1..=channel.element.components()).collect();
            let value = if value.len() == 1 { json!(1) } else { json!(value) };
            step.push(json!({"set": format!("rows.{name}"), "to": value}));
        }
        let file = json!({"buffers": {"rows": {"length": length, "channels": channels}}, "step": step});
        let mut simulation = simulation(&gpu, &file, &[]);
        simulation.step(false).unwrap();
        for channel in twin::channels(&arrays) {
            let found = read(
                &mut simulation,
                &format!("rows.of_{}", channel.name),
                channel.element,
            );
            let value = (1..=channel.element.components()).map(f64::from);
            let count = length * channel.count.unwrap_or(1) as usize;
            let wanted: Vec<f64> = std::iter::repeat_n(value, count).flatten().collect();
            assert_eq!(found, wanted, "{}, {length}", channel.name);
        }
    }
}

/// 64-bit arguments are aligned to 8 bytes, whatever comes before.
#[test]
fn matrix_and_64_bit_arguments_are_passed() {
    let Some(gpu) = common::gpu() else { return };
    let nine: Vec<u32> = (1..=9).collect();
    let file = json!({
        "buffers": {"found": {"type": "double", "length": 24}},
        "step": [{
            "stage": "show", "over": 1, "writes": ["found"],
            "arguments": {
                "one": 0.5,
                "third": "double(1 / 3)",
                "turn": format!("mat3({nine:?})"),
                "whole": "int64(-9007199254740991)",
                "odd": "uint(7)",
                "many": "uint64(9007199254740991)",
                "two": "mat2([1, 2, 3, 4])",
                "pair": "dvec2([0.1, 0.2])",
                "last": 2.5
            }
        }]
    });
    let show = "#version 460\n#include \"stage.glsl\"\nvoid stage(uint i) {\n    set_found(0u, arg.one);\n    set_found(1u, \
                  arg.third);\n    for (uint c = 0u; c < 9u; c++) set_found(2u + c, arg.turn[c / 3u][c % 3u]);\n    \
                  set_found(11u, double(arg.whole));\n    set_found(12u, arg.odd);\n    set_found(13u, \
                  double(arg.many));\n    for (uint c = 0u; c < 4u; c++) set_found(14u + c, arg.two[c / 2u][c % \
                  2u]);\n    set_found(18u, arg.pair.x);\n    set_found(19u, arg.pair.y);\n    set_found(20u, \
                  arg.last);\n}\n";
    let mut simulation = simulation(&gpu, &file, &[kernel("show.comp", show)]);
    simulation.step(false).unwrap();
    let found = read(&mut simulation, "found", Element::Double);
    let mut wanted = vec![0.5, 1.0 / 3.0];
    wanted.extend((1..=9).map(f64::from));
    wanted.extend([
        -9007199254740991.0,
        7.0,
        9007199254740991.0,
        1.0,
        2.0,
        3.0,
        4.0,
        0.1,
        0.2,
        2.5,
    ]);
    assert_eq!(found[..21], wanted);
}
