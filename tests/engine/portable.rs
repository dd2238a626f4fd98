//! Arithmetic with the same bits on every device.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use sastrugi::run::{Options, Simulation};
use sastrugi::shader::portable::{ARITHMETIC, redirect, with_arithmetic};
use sastrugi::workgroups::DeviceClass;

use super::common;
use super::common::simulation::{pipeline, read_floats, simulation, write_floats};
use super::reference::portable;

/// Bits of floats: both zeros, ends of the ranges of subnormal and normal numbers, 1 and its neighbours, infinity, then
/// all exponents with scattered fractions.
fn numbers() -> Vec<f32> {
    let awkward = [
        0,
        1,
        0x007f_ffff,
        0x0080_0000,
        0x0080_0001,
        0x3f7f_ffff,
        0x3f80_0000,
        0x3f80_0001,
        0x3fff_ffff,
        0x4000_0000,
        0x4b7f_ffff,
        0x7f7f_ffff,
        0x7f80_0000,
    ];
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let scattered = (0..255u32 * 8).map(|i| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (i / 8) << 23 | state as u32 & 0x807f_ffff
    });
    let both = awkward.into_iter().flat_map(|bits| [bits, bits | 0x8000_0000]);
    both.chain(scattered).map(f32::from_bits).collect()
}

/// The bits of an IEEE 754 result, with 0 for subnormal numbers and for the smallest normal one.
fn exact(result: f32) -> u32 {
    let bits = result.to_bits();
    if bits & 0x7fff_ffff <= 0x0080_0000 {
        bits & 0x8000_0000
    } else {
        bits
    }
}

fn without_subnormals(x: f32) -> f32 {
    if x.is_subnormal() { 0.0f32.copysign(x) } else { x }
}

#[test]
fn division_and_roots_are_exact_on_devices_that_are_off_by_some_units() {
    let numbers = numbers();
    for (i, a) in numbers.iter().enumerate() {
        let a = without_subnormals(*a);
        for b in numbers.iter().skip(i % 17).step_by(17) {
            let b = without_subnormals(*b);
            for units in [-3, 0, 2] {
                let found = portable::divide(a, b, units);
                let same = found.to_bits() == exact(a / b) || found.is_nan() && (a / b).is_nan();
                assert!(same, "{a:?} / {b:?} = {found:?}, {units}");
            }
        }
        for units in [-4, 0, 3] {
            let (found, wanted) = (portable::sqrt(a, units), a.sqrt());
            let same = found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan();
            assert!(same, "sqrt({a:?}) = {found:?}, {units}");
        }
    }
}

/// A pipeline that applies a function to pairs of numbers.
fn pairs(count: usize, portable: bool) -> Value {
    json!({
        "run": {"dt": 1, "portable": portable},
        "buffers": {
            "a": {"type": "float", "length": count, "background": 0},
            "b": {"type": "float", "length": count, "background": 0},
            "c": {"type": "float", "length": count},
        },
        "step": [{"stage": "apply", "shader": "apply.comp", "over": count, "reads": ["a", "b"], "writes": ["c"]}],
    })
}

fn results(gpu: &sastrugi::gpu::Gpu, body: &str, portable: bool, a: &[f32], b: &[f32]) -> Vec<f32> {
    let made = pipeline(&pairs(a.len(), portable), &[("apply", body)]);
    let mut simulation: Simulation = simulation(gpu, made, Options::PLAIN);
    write_floats(&mut simulation, "a", a);
    write_floats(&mut simulation, "b", b);
    simulation.step(false).unwrap();
    read_floats(&mut simulation, "c")
}

fn applied(expression: &str) -> String {
    format!("void stage(uint i) {{ float a = a(i), b = b(i); set_c(i, {expression}); }}")
}

#[test]
fn kernels_divide_in_whole_numbers_as_the_reference_does() {
    let Some(gpu) = common::gpu() else { return };
    let a = numbers();
    let b: Vec<f32> = a
        .iter()
        .cycle()
        .skip(1009)
        .step_by(7)
        .take(a.len())
        .copied()
        .collect();
    // The integer form, which lavapipe does not need.
    let head = format!("#define sg_exact_division false\n{ARITHMETIC}\n#include \"stage.glsl\"\n");
    let extension = "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n";
    for (name, wanted) in [
        ("sg_portable_divide(a(i), b(i))", true),
        ("sg_portable_sqrt(a(i))", false),
    ] {
        let body = format!("{extension}{head}void stage(uint i) {{ set_c(i, {name}); }}");
        let found = results(&gpu, &body, false, &a, &b);
        for ((x, y), z) in a.iter().zip(&b).zip(&found) {
            let twin = if wanted {
                portable::divide(*x, *y, 0)
            } else {
                portable::sqrt(*x, 0)
            };
            let same = twin.to_bits() == z.to_bits() || twin.is_nan() && z.is_nan();
            assert!(same, "{name}: {x:?}, {y:?}: {z:?} instead of {twin:?}");
        }
    }
}

#[test]
fn portable_functions_are_accurate() {
    let Some(gpu) = common::gpu() else { return };
    let count = 4001;
    let line = |low: f64, high: f64| -> Vec<f32> {
        (0..count)
            .map(|i| (low + (high - low) * f64::from(i) / f64::from(count - 1)) as f32)
            .collect()
    };
    type Function = fn(f64, f64) -> f64;
    // The bound in units in the last place of the larger of the result and `floor`: zeros of sin and log have none.
    let cases: [(&str, Function, [f64; 2], f64, f64); 16] = [
        ("sin(a)", |a, _| a.sin(), [-50.0, 50.0], 2.0, 1e-3),
        ("cos(a)", |a, _| a.cos(), [-50.0, 50.0], 2.0, 1e-3),
        ("tan(a)", |a, _| a.tan(), [-1.5, 1.5], 4.0, 0.0),
        ("asin(a)", |a, _| a.asin(), [-1.0, 1.0], 3.0, 0.0),
        ("acos(a)", |a, _| a.acos(), [-1.0, 1.0], 3.0, 0.0),
        ("atan(a)", |a, _| a.atan(), [-30.0, 30.0], 3.0, 0.0),
        ("atan(a, b)", f64::atan2, [-3.0, 3.0], 4.0, 0.0),
        ("sinh(a)", |a, _| a.sinh(), [-20.0, 20.0], 3.0, 0.0),
        ("cosh(a)", |a, _| a.cosh(), [-20.0, 20.0], 3.0, 0.0),
        ("tanh(a)", |a, _| a.tanh(), [-5.0, 5.0], 3.0, 0.0),
        ("exp(a)", |a, _| a.exp(), [-50.0, 80.0], 2.0, 0.0),
        ("exp2(a)", |a, _| a.exp2(), [-70.0, 120.0], 2.0, 0.0),
        ("log(a)", |a, _| a.ln(), [1e-6, 40.0], 2.0, 1e-3),
        ("log2(a)", |a, _| a.log2(), [1e-6, 40.0], 2.0, 1e-3),
        ("inversesqrt(a)", |a, _| a.sqrt().recip(), [1e-6, 40.0], 2.0, 0.0),
        // The error of the product grows with the exponent: 2^-24 of at most 30.
        ("pow(a, b)", f64::powf, [0.1, 2.0], 32.0, 0.0),
    ];
    for (expression, function, [low, high], bound, floor) in cases {
        let (a, b) = (line(low, high), line(-9.0, 9.0));
        let found = results(&gpu, &applied(expression), true, &a, &b);
        for ((a, b), c) in a.iter().zip(&b).zip(found) {
            let wanted = function(f64::from(*a), f64::from(*b));
            let scale = wanted.abs().max(floor) as f32;
            let unit = f64::from(f32::from_bits(scale.to_bits() + 1)) - f64::from(scale);
            let error = (f64::from(c) - wanted).abs() / unit;
            assert!(
                error < bound,
                "{expression} with {a:?}, {b:?}: {c:?}, off by {error} units"
            );
        }
    }
}

#[test]
fn portable_runs_store_small_numbers_as_multiples() {
    let Some(gpu) = common::gpu() else { return };
    let a = [1e-20f32, -1e-20, 1e-3];
    let b = [1e-20f32; 3];
    let body = applied("a * b");
    let quantum = 2.0f64.powi(-99);
    let wanted = (1e-23f32 as f64 / quantum).round() * quantum;
    assert_eq!(results(&gpu, &body, true, &a, &b), [0.0, 0.0, wanted as f32]);
    // The control: this device keeps them.
    assert!(results(&gpu, &body, false, &a, &b)[0].is_subnormal());
}

#[test]
fn every_operation_of_shipped_pipelines_has_a_portable_form() {
    let cache = common::cache();
    let paths = super::shipped::pipelines();
    let mut sweep = common::sweep(6, paths.len());
    for path in paths {
        if sweep.skips() {
            continue;
        }
        let (mut pipeline, document) =
            sastrugi::spec::load(&path, &[]).unwrap_or_else(|problems| panic!("{problems}"));
        pipeline.portable = true;
        sastrugi::shader::build(&pipeline, DeviceClass::Gpu, &BTreeMap::new(), &cache)
            .unwrap_or_else(|problems| panic!("{}", problems.located(&document.source_map())));
    }
}

#[test]
fn operations_without_a_portable_form_are_refused_by_name() {
    let made = |body: &str| {
        let made = pipeline(&pairs(1, true), &[("apply", body)]);
        sastrugi::shader::build(&made, DeviceClass::Gpu, &BTreeMap::new(), &Default::default())
    };
    let problems = made(&applied("asinh(a)")).unwrap_err().to_string();
    assert!(problems.contains("`asinh` has no portable form"), "{problems}");
    assert!(problems.contains("docs/portable.md"), "{problems}");
    made(&applied("sinh(a)")).unwrap();
    // A module that was compiled without the interface has no functions to call.
    let words_of = |body: &str| {
        common::spirv(&format!(
            "#version 460\nlayout(local_size_x = 1) in;\nvoid main() {{ float x = float(gl_LocalInvocationIndex); {body} }}"
        ))
    };
    let refused = redirect(&words_of("if (1.0 / x > 2.0) return;")).unwrap_err();
    assert_eq!(refused, "divide");
    let plain = words_of("if (1.0 + x > 2.0) return;");
    assert_eq!(redirect(&plain).unwrap(), plain);
    // One that was compiled against the interface of a portable pipeline has them.
    let file = pipeline(&pairs(1, true), &[("apply", &applied("a / b"))]);
    let signature = &file.kernel_of(&file.stages[0]).signature;
    let interface = with_arithmetic(&sastrugi::shader::interface::generate(signature).text);
    let module = common::spirv(&format!("#version 460\n{interface}\n{}", applied("a / b")));
    assert_ne!(redirect(&module).unwrap(), module);
}
