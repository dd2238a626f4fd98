//! Initial attributes of particles, from the sources of their sets.

use super::Initial;
use crate::ir::{Component, FieldId, ParticleOrigin, ParticleSource, Pipeline, Resource};
use crate::particles::files::Points;
use crate::particles::fill::{Body, Fill};
use crate::particles::parallel;
use crate::particles::random::random4;
use crate::problem::{Problem, Problems};

/// Part of the key of the random numbers of a jitter.
const JITTER: u32 = 0x6a69_7474;
/// Smallest number of particles that a thread computes at a time.
const MIN_PIECE: u32 = 1 << 12;

/// The attributes that the sources of a set give. Values that a source does not give are backgrounds.
pub(super) fn filled(pipeline: &Pipeline, resource: &Resource) -> Result<Vec<Initial>, Problem> {
    let from = resource.sources();
    let mut fields: Vec<FieldId> = from.iter().flat_map(fields_of).collect();
    fields.sort_unstable();
    fields.dedup();
    let count: u64 = from.iter().map(|source| source.count).sum();
    // Particle by particle, arrays with all their entries.
    let mut values: Vec<(FieldId, Vec<u8>)> = fields
        .into_iter()
        .map(|id| {
            let field = &pipeline.fields[id];
            let component = field.element.component_bytes(field.background);
            let components = count * field.bytes() / component.len() as u64;
            (id, component.repeat(components as usize))
        })
        .collect();
    for source in from {
        for (id, bytes) in given(pipeline, source)? {
            let first = (source.first * pipeline.fields[id].bytes()) as usize;
            if let Some((_, values)) = values.iter_mut().find(|(field, _)| *field == id) {
                values[first..first + bytes.len()].copy_from_slice(&bytes);
            }
        }
    }
    let parts = values
        .into_iter()
        .flat_map(|(id, values)| Initial::of(pipeline, id, values));
    Ok(parts.collect())
}

/// Reads all files and evaluates all expressions of sources to find mistakes.
pub(super) fn check(pipeline: &Pipeline, problems: &mut Problems) {
    for source in pipeline.resources.iter().flat_map(Resource::sources) {
        let mut components = source.set.iter().flat_map(|(_, components)| components);
        let computes = components.any(|component| matches!(component, Component::Formula(_)));
        if (computes || matches!(source.origin, ParticleOrigin::Points { .. }))
            && let Err(problem) = given(pipeline, source)
        {
            problems.push(problem);
        }
    }
}

fn fields_of(source: &ParticleSource) -> Vec<FieldId> {
    let mut fields = vec![source.position];
    if let ParticleOrigin::Points { fields: of_file, .. } = &source.origin {
        fields.extend(of_file);
    }
    fields.extend(source.set.iter().map(|(field, _)| *field));
    fields
}

/// The attributes from one source, particle by particle. Later ones replace earlier ones.
fn given(pipeline: &Pipeline, source: &ParticleSource) -> Result<Vec<(FieldId, Vec<u8>)>, Problem> {
    let problem = |cause: String| match source.file() {
        Some((key, path)) => Problem::new(
            format!("{}/{key}", source.pointer),
            format!("{}: {cause}", path.display()),
        )
        .help("repair the file, or choose another"),
        None => Problem::new(&source.pointer, cause).help("choose another spacing"),
    };
    let mut attributes = Vec::new();
    let positions = match &source.origin {
        ParticleOrigin::Filled {
            body,
            spacing,
            jitter,
        } => fill(source, body, *spacing, *jitter, pipeline.seed).map_err(problem)?,
        ParticleOrigin::Points {
            path,
            placing,
            fields,
        } => {
            let points = Points::read(path).map_err(problem)?;
            let mut positions = Vec::with_capacity(source.count as usize);
            for (number, place) in points.positions().map_err(problem)?.into_iter().enumerate() {
                let position = placing.apply(place).map(|x| x as f32);
                if !position.iter().all(|x| x.is_finite()) {
                    let [x, y, z] = place;
                    let message =
                        format!("the position ({x:?}, {y:?}, {z:?}) of point {number} is not finite");
                    return Err(problem(message));
                }
                positions.push(position);
            }
            for field in fields {
                let name = &pipeline.fields[*field].name;
                let name = name.split_once('.').map_or(name.as_str(), |(_, name)| name);
                let column = points.layout.column(name);
                let column = column.ok_or_else(|| problem(format!("it no longer has `{name}`")))?;
                let field_of = &pipeline.fields[*field];
                let bytes = points.bytes_of(column, field_of.element, field_of.entries());
                attributes.push((*field, bytes.map_err(problem)?));
            }
            positions
        }
    };
    if positions.len() as u64 != source.count {
        return Err(problem(format!(
            "it now has {} particles, but had {} when it was checked",
            positions.len(),
            source.count
        )));
    }
    let mut given = vec![(source.position, bytes(&positions))];
    given.extend(attributes);
    for (field, components) in &source.set {
        let values = computed(pipeline, source, *field, components, &positions)?;
        given.push((*field, values));
    }
    Ok(given)
}

fn bytes(positions: &[[f32; 3]]) -> Vec<u8> {
    positions.iter().flatten().flat_map(|x| x.to_le_bytes()).collect()
}

fn fill(
    source: &ParticleSource,
    body: &Body,
    spacing: f64,
    jitter: f64,
    seed: u32,
) -> Result<Vec<[f32; 3]>, String> {
    let solid = body.solid()?;
    let fill = Fill::new(&solid, spacing)?;
    let reach = jitter * spacing;
    Ok(fill.points(|number, place| {
        if reach == 0.0 {
            return place.map(|x| x as f32);
        }
        let random = random4((source.first + number) as u32, 0, JITTER, seed);
        [0, 1, 2].map(|axis| (place[axis] + (random[axis] - 0.5) * reach) as f32)
    }))
}

/// The values of an attribute from expressions.
fn computed(
    pipeline: &Pipeline,
    source: &ParticleSource,
    field: FieldId,
    components: &[Component],
    positions: &[[f32; 3]],
) -> Result<Vec<u8>, Problem> {
    let field = &pipeline.fields[field];
    let scalar = field.element.scalar();
    let pieces = parallel::pieces(positions.len() as u32, MIN_PIECE);
    let values = parallel::map(pieces, |piece| {
        let mut values = Vec::with_capacity(piece.len() * components.len() * scalar.bytes() as usize);
        let mut scratch = Vec::new();
        for number in piece {
            let [x, y, z] = positions[number as usize].map(f64::from);
            let i = source.first + u64::from(number);
            for component in components {
                let bits = component.bits(field.element, [x, y, z, i as f64], &mut scratch);
                let bits = bits.map_err(|found| {
                    format!(
                        "{found} for particle {i} at ({x}, {y}, {z}), which is not a value of type {}",
                        field.element.name()
                    )
                })?;
                scalar.push(bits, &mut values);
            }
        }
        Ok::<_, String>(values)
    });
    let values: Result<Vec<Vec<u8>>, String> = values.into_iter().collect();
    values.map(|values| values.concat()).map_err(|cause| {
        let name = field.name.split_once('.').map_or("", |(_, name)| name);
        let problem = Problem::new(format!("{}/set/{name}", source.pointer), cause);
        problem.help("use another expression, such as one with `max` or `floor`, or another type")
    })
}
