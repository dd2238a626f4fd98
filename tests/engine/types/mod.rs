//! Element types on a device, validation layer on: what kernels write and read against a twin on the processor.

mod attributes;
mod backgrounds;
mod faults;
mod lattices;
mod measures;
mod outputs;
mod state;
mod twin;

use std::path::Path;

use sastrugi::element::Element;
use sastrugi::gpu::Gpu;
use sastrugi::inline_shaders::InlineShaders;
use sastrugi::ir::Pipeline;
use sastrugi::run::Simulation;
use serde_json::{Value, json};

use super::common::{self, simulation::*};
use twin::{Channel, channels};

/// A pipeline with its kernels, by the names under which stages find them.
fn pipeline(file: &Value, kernels: &[(String, String)]) -> Pipeline {
    let mut file = file.clone();
    file["run"]["dt"] = json!(1);
    let mut texts = InlineShaders::default();
    for (name, text) in kernels {
        texts.insert(name, text.clone().into_bytes()).unwrap();
    }
    resolve(Path::new("."), &file, &texts).unwrap_or_else(|problems| panic!("{problems}\n{file:#}"))
}

fn simulation(gpu: &Gpu, file: &Value, kernels: &[(String, String)]) -> Simulation {
    common::simulation::simulation(gpu, pipeline(file, kernels), CHECKED)
}

/// Names of all channels of a resource, `<resource>.<name>`.
fn names(resource: &str, channels: &[Channel], prefix: &str) -> Vec<String> {
    let name = |channel: &Channel| format!("{resource}.{prefix}{}", channel.name);
    channels.iter().map(name).collect()
}

/// The channels of a file: each as it is, and again in the type that shaders see.
fn both(channels: &[Channel]) -> Value {
    let mut both = json!({});
    for channel in channels {
        both[format!("a_{}", channel.name)] = channel.file(channel.element);
        both[format!("b_{}", channel.name)] = channel.file(channel.seen());
    }
    both
}

/// The type of a kernel's index, and the expression for its element's number.
struct Index {
    kind: &'static str,
    number: String,
}

impl Index {
    fn of(axes: u32, resource: &str, extent: &str) -> Index {
        let (kind, number) = match axes {
            1 => ("uint", "i".to_string()),
            2 => ("ivec2", format!("uint(i.y * {resource}_{extent}.x + i.x)")),
            _ => (
                "ivec3",
                format!("uint((i.z * {resource}_{extent}.y + i.y) * {resource}_{extent}.x + i.x)"),
            ),
        };
        Index { kind, number }
    }
}

/// Asks for the block of every cell of a grid.
const ASK: &str = "\
#version 460
#include \"stage.glsl\"
void stage(uint i) {
    uvec3 n = uvec3(air_cells);
    request_air(ivec3(i % n.x, i / n.x % n.y, i / (n.x * n.y)));
}
";

/// Channels of one stage: drivers take long over kernels with all types at once.
const AT_ONCE: usize = 5;

type Kernels = Vec<(String, String)>;

/// The kernels that give channels their values, and those that write down what they read.
fn make_and_see(resource: &str, channels: &[Channel], index: &Index) -> [Kernels; 2] {
    let mut kernels = [Vec::new(), Vec::new()];
    for (number, channels) in channels.chunks(AT_ONCE).enumerate() {
        let [make, see] = make_and_see_some(resource, channels, index);
        kernels[0].push((format!("make_{resource}_{number}.comp"), make));
        kernels[1].push((format!("see_{resource}_{number}.comp"), see));
    }
    kernels
}

fn make_and_see_some(resource: &str, channels: &[Channel], index: &Index) -> [String; 2] {
    let (kind, number) = (index.kind, &index.number);
    let head = "#version 460\n#include \"stage.glsl\"\n";
    let mut make = format!(
        "{head}{}void stage({kind} i) {{\n    uint number = {number};\n",
        twin::FUNCTIONS
    );
    let mut see = format!("{head}void stage({kind} i) {{\n");
    for channel in channels {
        let (name, count) = (&channel.name, channel.count);
        let value = channel.glsl();
        match count {
            None => {
                make += &format!("    {{ const uint k = 0u; set_{resource}_a_{name}(i, {value}); }}\n");
                see += &format!("    set_{resource}_b_{name}(i, {resource}_a_{name}(i));\n");
            }
            Some(_) => {
                let a = format!("{resource}_a_{name}");
                make += &format!("    for (uint k = 0u; k < {a}_entries; k++) set_{a}(i, k, {value});\n");
                see += &format!(
                    "    for (int k = 0; k < {a}_entries; k++) set_{resource}_b_{name}(i, k, {a}(i, k));\n"
                );
            }
        }
    }
    [make + "}\n", see + "}\n"]
}

/// The stages of these kernels.
fn entries(resource: &str, channels: &[Channel]) -> [Vec<Value>; 2] {
    let mut entries = [Vec::new(), Vec::new()];
    for (number, channels) in channels.chunks(AT_ONCE).enumerate() {
        let (a, b) = (names(resource, channels, "a_"), names(resource, channels, "b_"));
        let (make, see) = (
            format!("make_{resource}_{number}"),
            format!("see_{resource}_{number}"),
        );
        entries[0].push(json!({"stage": make, "over": resource, "writes": a}));
        entries[1].push(json!({"stage": see, "over": resource, "reads": a, "writes": b}));
    }
    entries
}

/// Which channels of a resource differ from the twin, and where first; `order` names the element of each place.
fn differences(
    simulation: &mut Simulation,
    resource: &str,
    channels: &[Channel],
    order: &[u32],
    capacity: usize,
) -> Vec<String> {
    let mut found = Vec::new();
    for channel in channels {
        for (prefix, element) in [("a_", channel.element), ("b_", channel.seen())] {
            let name = format!("{resource}.{prefix}{}", channel.name);
            if simulation.pipeline().field(&name).is_none() {
                continue;
            }
            let bytes = simulation.read(&name).unwrap();
            let size = element.bytes() as usize;
            let entries = channel.count.unwrap_or(1) as usize;
            if bytes.len() != capacity * entries * size {
                found.push(format!("{name} has {} bytes", bytes.len()));
                continue;
            }
            let wanted = |place: usize, k: usize| channel.bytes(element, order[place], k as u32);
            let first = (0..entries)
                .flat_map(|k| (0..order.len()).map(move |place| (place, k)))
                .find(|(place, k)| {
                    let at = (k * capacity + place) * size;
                    bytes[at..at + size] != wanted(*place, *k)[..]
                });
            if let Some((place, k)) = first {
                let at = (k * capacity + place) * size;
                found.push(format!(
                    "{name} has {:?} at {place}, entry {k}, not {:?}",
                    &bytes[at..at + size],
                    wanted(place, k)
                ));
            }
        }
    }
    found
}

/// A kernel by its name.
fn kernel(name: &str, text: impl Into<String>) -> (String, String) {
    (name.to_string(), text.into())
}

fn numbers(count: usize) -> Vec<u32> {
    (0..count as u32).collect()
}

/// One of each size and kind, where all have been looked at elsewhere: drivers take long over kernels of all types.
fn few() -> Vec<Channel> {
    const FEW: [&str; 10] = [
        "mat3",
        "half",
        "hvec3",
        "uint8",
        "int16",
        "dvec2",
        "int64",
        "float_list",
        "hvec3_list",
        "uint8_list",
    ];
    let wanted = |channel: &Channel| FEW.contains(&channel.name.as_str());
    all().into_iter().filter(wanted).collect()
}

/// Every type once, and some as arrays.
fn all() -> Vec<Channel> {
    let arrays = [
        (Element::Float, 19),
        (Element::Vec3, 2),
        (Element::Mat2, 2),
        (Element::Uint, 3),
        (Element::Half, 5),
        (Element::Hvec3, 2),
        (Element::Uint8, 3),
        (Element::Int16, 1),
        (Element::Double, 2),
        (Element::Uint64, 2),
    ];
    channels(&arrays)
}
