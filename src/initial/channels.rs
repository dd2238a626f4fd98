//! What channels of lattices start from: arrays, expressions of position, and meshes.

use rayon::prelude::*;

use super::Initial;
use crate::element::Element;
use crate::ir::{Component, FieldId, Lattice, Location, Pipeline, Resource, Start};
use crate::particles::files::array;
use crate::particles::fill::{self, read_mesh};
use crate::problem::{Problem, Problems};

/// The content of a field that an array, an expression or a mesh gives; `None` for others.
pub(super) fn of_field(pipeline: &Pipeline, id: FieldId) -> Result<Option<Initial>, Problem> {
    let field = &pipeline.fields[id];
    let resource = pipeline.resource_of(id);
    let pointer = format!("{}/values", resource.pointer_of_channel(field.channel()));
    let size = pipeline.size_of(id);
    let in_file = |cause: String| match field.start.file() {
        Some((key, path)) => Problem::new(format!("{pointer}/{key}"), format!("{}: {cause}", path.display()))
            .help("mend the file, or choose another"),
        None => Problem::new(&pointer, cause),
    };
    let words = match &field.start {
        Start::Array(path) => {
            let shape = array::Shape::new(&size[..resource.axes() as usize], field.element);
            array::read(path, &shape).map_err(in_file)?
        }
        Start::Formula(components) => {
            let places = Places::of(resource, field.location());
            computed(field.element, components, size, &places).map_err(|cause| {
                Problem::new(format!("{pointer}/expression"), cause)
                    .help("use another expression, such as one with `max` or `floor`, or another type")
            })?
        }
        Start::Inside { path, placing } => {
            let mesh = read_mesh(path)
                .and_then(|mesh| mesh.placed(placing))
                .map_err(in_file)?;
            let places = Places::of(resource, field.location());
            let mut words = vec![0; size.iter().product::<u64>() as usize];
            let one = field.element.component_bits(1.0).unwrap_or(1);
            let points = size.map(|side| side as u32);
            fill::mark_inside(&mesh, places.at([0; 3]), places.spacing, points, one, &mut words);
            words
        }
        Start::Background | Start::Values(_) | Start::Heights(_) => return Ok(None),
    };
    Ok(Some(Initial { field: id, words }))
}

/// Most elements of fields that are computed only to see whether they can be: larger ones take as long as their start.
const MOST_CHECKED: u64 = 1 << 20;

/// Reads arrays and evaluates expressions, to find what is wrong with them. Meshes have been read.
pub(super) fn check(pipeline: &Pipeline, problems: &mut Problems) {
    for (number, field) in pipeline.fields.iter().enumerate() {
        let computes = matches!(field.start, Start::Array(_) | Start::Formula(_));
        if computes
            && pipeline.elements_of(number) <= MOST_CHECKED
            && let Err(problem) = of_field(pipeline, number)
        {
            problems.push(problem);
        }
    }
}

/// Where the elements of a field lie; of one that lies nowhere, their indices.
struct Places {
    origin: [f64; 3],
    spacing: [f64; 3],
    offset: [f64; 3],
}

impl Places {
    fn of(resource: &Resource, location: Location) -> Places {
        let lattice = resource.lattice();
        let axes = resource.axes() as usize;
        let offset = |lattice: &Lattice, axis: usize| match axis < axes {
            true => lattice.form.placement.offset(location, axis).unwrap_or(0.0),
            false => 0.0,
        };
        Places {
            origin: lattice.map_or([0.0; 3], |lattice| lattice.origin),
            spacing: lattice.map_or([1.0; 3], |lattice| lattice.spacing),
            offset: lattice.map_or([0.0; 3], |lattice| {
                std::array::from_fn(|axis| offset(lattice, axis))
            }),
        }
    }

    fn at(&self, index: [u64; 3]) -> [f64; 3] {
        let at =
            |axis: usize| self.origin[axis] + (index[axis] as f64 + self.offset[axis]) * self.spacing[axis];
        std::array::from_fn(at)
    }
}

/// The words that expressions give, row by row.
fn computed(
    element: Element,
    components: &[Component],
    size: [u64; 3],
    places: &Places,
) -> Result<Vec<u32>, String> {
    let [nx, ny, nz] = size;
    let mut words = vec![0; (nx * ny * nz) as usize * components.len()];
    let rows = words.par_chunks_mut(nx as usize * components.len()).enumerate();
    let wrong = rows.find_map_first(|(row, words)| {
        let row = row as u64;
        let mut scratch = Vec::new();
        for (column, words) in words.chunks_exact_mut(components.len()).enumerate() {
            let index = [column as u64, row % ny, row / ny];
            let [x, y, z] = places.at(index);
            let variables = [x, y, z, (row * nx + column as u64) as f64];
            for (word, component) in words.iter_mut().zip(components) {
                match component.bits(element, variables, &mut scratch) {
                    Ok(bits) => *word = bits,
                    Err(found) => {
                        let kind = element.glsl();
                        return Some(format!(
                            "{found} at ({x}, {y}, {z}), for the element {index:?}, no value of type {kind}"
                        ));
                    }
                }
            }
        }
        None
    });
    wrong.map_or(Ok(words), Err)
}
