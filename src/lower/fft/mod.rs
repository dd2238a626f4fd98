//! Discrete Fourier transforms of fields, axis by axis.
//!
//! A workgroup transforms whole lines by Stockham's method. Long lines take two passes, by the four-step method; lengths
//! with large prime factors become convolutions, by Bluestein's method.

mod access;
mod axes;
mod butterfly;
mod exchange;
mod groups;
mod kernel;
mod lattice;
mod mirrors;
mod passes;
mod radices;
mod tables;
mod values;

use super::meaning::{Action, ActionKind, Meaning};
use super::{DraftContext, SharedBuffers};
use crate::element::Element;
use crate::ir::{
    Domain, Draft, Field, FieldId, LineEnd, Lines, List, Over, Pipeline, Resource, ShaderSource, Start,
};

use kernel::LinePass;
use lattice::LineLattice;
pub use radices::MAX_LENGTH;
pub use values::{PassInput, PassOutput, Unit, Wave};

/// Replaces transforms by stages.
pub(super) fn lower(meaning: &mut Meaning) {
    meaning.replace(|meaning, list, action, into| {
        let ActionKind::Transform(of) = &action.kind else {
            return into.push(action);
        };
        let (resource, details) = (meaning.pipeline.fields[of.source].resource, format!("{of:?}"));
        let at = (list, action.every, &action.from);
        let drafts = meaning.engine(at, ("fft", resource, &details), |pipeline, shared, entry| {
            let axes = of.passes(pipeline, shared, list);
            axes.iter()
                .flat_map(|axis| transform(pipeline, shared, axis, entry))
                .collect()
        });
        into.extend(
            drafts
                .into_iter()
                .map(|draft| Action::dispatch(draft, Vec::new(), action.every, &action.from)),
        );
    });
}

/// A transform along one axis.
#[derive(Debug, Clone)]
pub struct Axis {
    /// Its letter.
    pub name: char,
    /// Length of the transform.
    pub n: u64,
    /// Values of a line in the source and in the target.
    pub lengths: [u64; 2],
    /// Its lines.
    pub lattice: LineLattice,
    /// Source and target of the transform along all axes.
    pub fields: [FieldId; 2],
    /// The axis along which half of a spectrum is stored.
    pub halved: Option<usize>,
    pub input: PassInput,
    pub output: PassOutput,
    pub source: FieldId,
    pub target: FieldId,
    pub units: [Unit; 2],
}

/// A buffer for complex numbers between the passes of transforms. Frame stages have their own, since they overlap steps.
fn scratch(
    pipeline: &mut Pipeline,
    shared: &mut SharedBuffers,
    list: List,
    role: &str,
    values: u64,
) -> FieldId {
    let of_list = if list == List::Frame { "frame_" } else { "" };
    shared.get(pipeline, format!("sg_{of_list}fft_{role}"), 2 * values)
}

/// The stages of a transform along one axis.
fn transform(
    pipeline: &mut Pipeline,
    shared: &mut SharedBuffers,
    axis: &Axis,
    entry: DraftContext,
) -> Vec<Draft> {
    let whole = axis.whole_pass();
    let Some(lengths) = axis.split(&whole) else {
        let fields = [axis.source, axis.target];
        return vec![stage(pipeline, axis, &whole, "", fields, entry)];
    };
    let values = axis.lattice.low() * axis.lattice.high() * whole.n;
    let between = scratch(pipeline, shared, entry.list, "lines", values);
    let passes = axis.four_step_passes(whole, lengths);
    let last = passes.len() - 1;
    let mut stages = Vec::with_capacity(passes.len());
    for (number, (verb, pass)) in passes.iter().enumerate() {
        let source = if number == 0 { axis.source } else { between };
        let target = if number == last { axis.target } else { between };
        stages.push(stage(pipeline, axis, pass, verb, [source, target], entry));
    }
    stages
}

/// The stage of a pass.
fn stage(
    pipeline: &mut Pipeline,
    axis: &Axis,
    pass: &LinePass,
    verb: &str,
    [source, target]: [FieldId; 2],
    entry: DraftContext,
) -> Draft {
    let groups = pass.groups();
    let source_of_kernel = ShaderSource::Written {
        name: format!("engine/fft_{}.comp", pass.n),
        text: pass.text(&groups),
    };
    let domain = Domain {
        over: Over::Groups,
        ..Domain::list(pass.lines().div_ceil(groups.lines), None)
    };
    let named = pipeline.fields[axis.target].symbol();
    let name = format!("fft_{verb}{}_{named}{}", axis.name, entry.suffix);
    let mut stage = entry.draft_of(name, source_of_kernel, domain);
    stage.stated.workgroup = Some([(groups.lines * groups.threads) as u32, 1, 1]);
    stage.lines = Some(Box::new(Lines {
        axis: pass.lattice.axis,
        fields: axis.fields,
        halved: axis.halved,
        per_element: pass.lattice.numbers * pass.lattice.entries * pass.mid,
        per_group: groups.lines,
        ends: [(0, source), (1, target)].map(|(end, field)| line_end(pass, end, field, axis.fields)),
    }));
    let resources = [source, target].map(|field| pipeline.fields[field].resource);
    stage.name_resource("target", resources[1]);
    if resources[0] != resources[1] {
        stage.name_resource("source", resources[0]);
    }
    stage.read_as("source_values", source, pass.units[0].element());
    stage.write_as("target_values", target, pass.units[1].element());
    let mut read = |name: &str, field: String, values: &dyn Fn() -> Vec<[f64; 2]>| {
        let table = table(pipeline, &field, values);
        stage.read(name, table);
    };
    let (name, twiddles) = pass.twiddles();
    if !twiddles.is_empty() {
        read("twiddles", name, &|| twiddles.clone());
    }
    if pass.output == PassOutput::Twiddled {
        let length = pass.n * pass.mid;
        read("turns", format!("sg_fft_{length}_turns"), &|| {
            tables::split_roots(length)
        });
    }
    if pass.input.has_quarters() || pass.output.has_quarters() {
        read("quarters", format!("sg_fft_{}_quarters", axis.n), &|| {
            tables::quarters(axis.n)
        });
    }
    if let Some(n) = pass.chirped {
        if pass.input.is_outer() || pass.output.is_outer() {
            read("chirp", format!("sg_fft_{n}_chirp"), &|| tables::chirp(n));
        }
        if pass.convolved {
            let length = pass.n * pass.mid;
            read("kernel", format!("sg_fft_{n}_kernel"), &|| {
                tables::kernel(n, length)
            });
        }
    }
    stage
}

/// The arrangement of the values that a pass loads, or of those that it stores.
fn line_end(pass: &LinePass, end: usize, field: FieldId, of_transform: [FieldId; 2]) -> LineEnd {
    let mut sides = pass.lattice.sides;
    sides[pass.lattice.axis] = pass.lengths[end];
    LineEnd {
        field,
        sides,
        entries: pass.lattice.entries as u32,
        bytes: (pass.lattice.numbers * pass.units[end].bytes()) as u32,
        is_scratch: !of_transform.contains(&field),
    }
}

/// A table of complex numbers, shared by all stages that need it.
fn table(pipeline: &mut Pipeline, name: &str, values: &dyn Fn() -> Vec<[f64; 2]>) -> FieldId {
    if let Some(known) = pipeline.field(name) {
        return known;
    }
    let values = values();
    let resource = pipeline.add_resource(Resource::buffer(name, values.len() as u64));
    pipeline.add_field(Field {
        element: Element::Vec2,
        start: Start::Values(tables::bytes(&values)),
        ..Field::words(name, resource)
    })
}
