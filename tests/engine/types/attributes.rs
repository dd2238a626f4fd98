//! Every type as an attribute: through rings, sorts and removals, and from sources.

use sastrugi::particles::live;

use super::*;

/// A set whose attributes are those channels alone, with a key that sorts go by and a mark that removals look at.
fn set(channels: &[Channel], keys: Value) -> Value {
    let mut set = keys;
    set["attributes"] = json!({"key": "uint", "dead": "uint"});
    for channel in channels {
        set["attributes"][format!("a_{}", channel.name)] = channel.file(channel.element);
    }
    set
}

/// Gives every attribute its value, the key a number below 8, and marks a third of the particles.
fn start(channels: &[Channel]) -> Kernels {
    let [mut kernels, _] = make_and_see("dust", channels, &Index::of(1, "dust", "count"));
    let keys = format!(
        "#version 460\n#include \"stage.glsl\"\n{}void stage(uint i) {{\n    const uint number = i, k = 99u;\n    \
         set_dust_key(i, mixed(0u) & 7u);\n    set_dust_dead(i, uint(mixed(1u) % 3u == 0u));\n}}\n",
        twin::FUNCTIONS
    );
    kernels.push(kernel("keys.comp", keys));
    kernels
}

fn mixed(number: u32, component: u32) -> u32 {
    let probe = Channel {
        name: String::new(),
        element: Element::Uint,
        count: None,
    };
    probe.number(number, 99, component) as u32
}

fn start_entries(channels: &[Channel]) -> Vec<Value> {
    let [mut entries, _] = entries("dust", channels);
    entries.push(json!({"stage": "keys", "over": "dust", "writes": ["dust.key", "dust.dead"]}));
    entries
}

#[test]
fn sorts_move_types_of_every_size() {
    check_sorts(few(), &[(257, 3, 2)]);
}

#[test]
#[ignore = "long: kernels of all types, and of other counts"]
fn sorts_move_every_type() {
    check_sorts(all(), &[(257, 3, 1)]);
    check_sorts(few(), &[(1, 2, 1), (643, 2, 2), (1001, 1, 1)]);
}

fn check_sorts(channels: Vec<Channel>, cases: &[(usize, u32, u32)]) {
    let Some(gpu) = common::gpu() else { return };
    for (count, ring, every) in cases.iter().copied() {
        let file = json!({
            "particles": {"dust": set(&channels, json!({"count": count, "ring": ring}))},
            "init": start_entries(&channels),
            "step": [{"every": every, "stages": [{"sort": "dust", "by": "dust.key", "bits": 3}]}]
        });
        let mut simulation = simulation(&gpu, &file, &start(&channels));
        simulation.step(false).unwrap();
        let mut order = numbers(count);
        let unsorted = differences(&mut simulation, "dust", &channels, &order, count);
        assert_eq!(unsorted.is_empty(), count == 1, "control: not in order before");
        order.sort_by_key(|number| mixed(*number, 0) & 7);
        let found = differences(&mut simulation, "dust", &channels, &order, count);
        assert!(found.is_empty(), "{count}, ring {ring}: {}", found.join("\n"));
        assert_no_fault(&mut simulation);
    }
}

#[test]
fn removals_move_types_of_every_size() {
    check_removals(few(), &[(300, 2)]);
}

#[test]
#[ignore = "long: kernels of all types"]
fn removals_move_every_type() {
    check_removals(all(), &[(300, 1)]);
    check_removals(few(), &[(1, 1), (777, 2)]);
}

fn check_removals(channels: Vec<Channel>, cases: &[(usize, u32)]) {
    let Some(gpu) = common::gpu() else { return };
    for (count, ring) in cases.iter().copied() {
        let keys = json!({"count": count, "capacity": count + 24, "ring": ring});
        let file = json!({
            "particles": {"dust": set(&channels, keys)},
            "init": start_entries(&channels),
            "step": [{"remove": "dust", "where": "dust.dead"}]
        });
        let mut simulation = simulation(&gpu, &file, &start(&channels));
        simulation.step(false).unwrap();
        let mut order = numbers(count);
        order.retain(|number| !mixed(*number, 1).is_multiple_of(3));
        let lives = common::words(&simulation.read("dust_live").unwrap())[live::COUNT];
        assert_eq!(lives as usize, order.len());
        let found = differences(&mut simulation, "dust", &channels, &order, count + 24);
        assert!(found.is_empty(), "{count}, ring {ring}: {}", found.join("\n"));
        assert_no_fault(&mut simulation);
    }
}

#[test]
fn particle_sources_set_every_type() {
    let Some(gpu) = common::gpu() else { return };
    let file = json!({
        "particles": {"dust": {
            "capacity": 40,
            "attributes": {
                "position": "vec3", "affine": "mat3", "list": {"type": "float", "count": 3},
                "pairs": {"type": "hvec2", "count": 2, "background": 9}, "small": "int8", "half": "half",
                "long": "double", "mark": {"type": "uint16", "background": 8}
            },
            "from": [
                {"box": [[0, 0, 0], [2, 1, 1]], "spacing": 1, "set": {
                    "affine": [1, 2, 3, 4, 5, 6, 7, 8, "i"], "list": ["i", 5, "2 * i"], "small": "-i", "half": 0.1,
                    "long": "i / 3", "mark": "65535 - i"
                }},
                {"box": [[0, 0, 0], [1, 1, 1]], "spacing": 1, "set": {"pairs": [1, 2, 3, 4]}}
            ]
        }},
        "step": [{"stage": "rest", "over": "dust", "reads": ["dust.affine"], "writes": ["dust.half"]}]
    });
    let rest = "#version 460\n#include \"stage.glsl\"\nvoid stage(uint i) { set_dust_half(i, dust_affine(i)[2].z); }\n";
    let mut simulation = simulation(&gpu, &file, &[kernel("rest.comp", rest)]);
    let read = |simulation: &mut Simulation, name: &str, element: Element| -> Vec<f64> {
        let bytes = simulation.read(&format!("dust.{name}")).unwrap();
        element.scalar().numbers(&bytes).collect()
    };
    let affine = read(&mut simulation, "affine", Element::Mat3);
    assert_eq!(affine[..9], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 0.0]);
    assert_eq!(affine[17], 1.0);
    assert_eq!(affine[18..], [0.0; 38 * 9]);
    // Entry by entry, each of 40 particles.
    let list = read(&mut simulation, "list", Element::Float);
    assert_eq!(
        (&list[..3], &list[40..43]),
        (&[0.0, 1.0, 0.0][..], &[5.0, 5.0, 0.0][..])
    );
    assert_eq!(list[80..83], [0.0, 2.0, 0.0]);
    let pairs = read(&mut simulation, "pairs", Element::Hvec2);
    assert_eq!(pairs[..8], [9.0, 9.0, 9.0, 9.0, 1.0, 2.0, 9.0, 9.0]);
    assert_eq!(pairs[80..88], [9.0, 9.0, 9.0, 9.0, 3.0, 4.0, 9.0, 9.0]);
    assert_eq!(
        read(&mut simulation, "small", Element::Int8)[..3],
        [0.0, -1.0, 0.0]
    );
    let tenth = f64::from(half::f16::from_f64(0.1));
    assert_eq!(
        read(&mut simulation, "half", Element::Half)[..3],
        [tenth, tenth, 0.0]
    );
    assert_eq!(read(&mut simulation, "long", Element::Double)[1], 1.0 / 3.0);
    let mark = read(&mut simulation, "mark", Element::Uint16);
    assert_eq!(mark[..4], [65535.0, 65534.0, 8.0, 8.0]);
    simulation.step(false).unwrap();
    assert_eq!(read(&mut simulation, "half", Element::Half)[..3], [0.0, 1.0, 0.0]);
    assert_no_fault(&mut simulation);
}
