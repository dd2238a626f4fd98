//! Initial values of channels: arrays, expressions of position, and meshes.

use rayon::prelude::*;

use super::Initial;
use super::heights::of_image;
use crate::element::Element;
use crate::ir::{Component, FieldId, Lattice, Location, Pipeline, Resource, Start};
use crate::particles::files::array;
use crate::particles::fill::{self, read_mesh};
use crate::problem::{Problem, Problems};

/// The content of a field from an array, an expression or a mesh; `None` for other fields.
pub(super) fn of_field(pipeline: &Pipeline, id: FieldId) -> Result<Vec<Initial>, Problem> {
    let field = &pipeline.fields[id];
    let resource = pipeline.resource_of(id);
    let pointer = format!("{}/values", field.pointer);
    let size = pipeline.size_of(id);
    let in_file = |cause: String| match field.start.file() {
        Some((key, path)) => Problem::new(format!("{pointer}/{key}"), format!("{}: {cause}", path.display()))
            .help("repair the file, or choose another"),
        None => Problem::new(&pointer, cause),
    };
    let values = match &field.start {
        Start::Array(path) => {
            let size = &size[..resource.axes() as usize];
            let shape = array::Shape::new(size, field.element, field.count);
            array::read(path, &shape).map_err(in_file)?
        }
        Start::Formula(components) => {
            let positions = Positions::of(resource, field.location());
            computed(field.element, components, size, &positions).map_err(|cause| {
                Problem::new(&pointer, cause)
                    .help("use another expression, such as one with `max` or `floor`, or another type")
            })?
        }
        Start::Inside { path, placing } => {
            let mesh = read_mesh(path)
                .and_then(|mesh| mesh.placed(placing))
                .map_err(in_file)?;
            let positions = Positions::of(resource, field.location());
            let mut marks = vec![false; size.iter().product::<u64>() as usize];
            let points = size.map(|side| side as u32);
            fill::mark_inside(&mesh, positions.at([0; 3]), positions.spacing, points, &mut marks);
            of_marks(field.element, &marks)
        }
        Start::Areas { areas, .. } => {
            let positions = Positions::of(resource, field.location());
            let ([x, y, _], [dx, dy, _]) = (positions.at([0; 3]), positions.spacing);
            let mut marks = vec![false; (size[0] * size[1]) as usize];
            areas.mark([x, y], [dx, dy], size[0] as usize, &mut marks);
            if !marks.contains(&true) {
                return Err(in_file(format!(
                    "no element of `{}` is inside its polygons",
                    field.name
                )));
            }
            of_marks(field.element, &marks)
        }
        Start::Background | Start::Values(_) | Start::Heights(_) => return Ok(Vec::new()),
    };
    Ok(Initial::of(pipeline, id, values))
}

/// Values that are 1 where there is a mark, and 0 elsewhere.
fn of_marks(element: Element, marks: &[bool]) -> Vec<u8> {
    let [outside, inside] = [0.0, 1.0].map(|value| element.component_bytes(value));
    let value = |mark: &bool| if *mark { &inside } else { &outside };
    marks.iter().flat_map(value).copied().collect()
}

/// Fields with at most this number of elements are also computed for checks; larger ones would take too long.
const MAX_CHECKED: u64 = 1 << 20;

/// Finds mistakes by reading arrays and images and evaluating expressions. Meshes are already checked.
pub(super) fn check(pipeline: &Pipeline, problems: &mut Problems) {
    for (number, field) in pipeline.fields.iter().enumerate() {
        if pipeline.elements_of(number) > MAX_CHECKED {
            continue;
        }
        let found = match &field.start {
            Start::Array(_) | Start::Formula(_) | Start::Areas { .. } => of_field(pipeline, number).err(),
            Start::Heights(image) => of_image(pipeline, number, image).err(),
            _ => None,
        };
        problems.list.extend(found);
    }
}

/// Positions of the elements of a field, or their indices if it has no positions.
struct Positions {
    origin: [f64; 3],
    spacing: [f64; 3],
    offset: [f64; 3],
}

impl Positions {
    fn of(resource: &Resource, location: Location) -> Positions {
        let lattice = resource.lattice();
        let axes = resource.axes() as usize;
        let offset = |lattice: &Lattice, axis: usize| {
            if axis < axes {
                lattice.form.placement.offset(location, axis).unwrap_or(0.0)
            } else {
                0.0
            }
        };
        Positions {
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

/// The values that expressions give, row by row.
fn computed(
    element: Element,
    components: &[Component],
    size: [u64; 3],
    positions: &Positions,
) -> Result<Vec<u8>, String> {
    let [nx, ny, nz] = size;
    let each = element.scalar().bytes() as usize;
    let all = each * components.len();
    let mut values = vec![0; (nx * ny * nz) as usize * all];
    let rows = values.par_chunks_mut(nx as usize * all).enumerate();
    let wrong = rows.find_map_first(|(row, values)| {
        let row = row as u64;
        let mut scratch = Vec::new();
        for (column, values) in values.chunks_exact_mut(all).enumerate() {
            let index = [column as u64, row % ny, row / ny];
            let [x, y, z] = positions.at(index);
            let variables = [x, y, z, (row * nx + column as u64) as f64];
            for (bytes, component) in values.chunks_exact_mut(each).zip(components) {
                match component.bits(element, variables, &mut scratch) {
                    Ok(bits) => bytes.copy_from_slice(&bits.to_le_bytes()[..each]),
                    Err(found) => {
                        let name = element.name();
                        return Some(format!(
                            "{found} at ({x}, {y}, {z}), for the element {index:?}, which is not a value of \
                             type {name}"
                        ));
                    }
                }
            }
        }
        None
    });
    wrong.map_or(Ok(values), Err)
}
