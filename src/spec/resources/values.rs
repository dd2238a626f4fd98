//! What channels hold before the first stage.

use crate::element::Element;
use crate::ir::*;
use crate::particles::files::array;
use crate::particles::fill::read_mesh;
use crate::problem::Problem;
use crate::spec::file::ChannelValuesFile;
use crate::spec::resolver::Resolver;

impl Resolver<'_> {
    pub(super) fn start(&mut self, field: &mut Field, file: Option<&ChannelValuesFile>, pointer: &str) {
        let Some(file) = file else { return };
        let at = format!("{pointer}/values");
        // What is wrong with the values is reported; that nobody gives any is not wrong as well.
        field.given = true;
        if let Some(problem) = self.cannot_start(field, file, &at) {
            return self.problems.push(problem);
        }
        let start = match file {
            ChannelValuesFile::Array(file) => self.array(field, &file.npy, &at),
            ChannelValuesFile::Expression(file) => self
                .components(&file.expression, field.element, &format!("{at}/expression"))
                .map(Start::Formula),
            ChannelValuesFile::Mesh(file) => {
                let placing = self.placing([&file.scale, &file.rotate, &file.shift], &at);
                let at = format!("{at}/mesh");
                let path = self.path(&file.mesh, &at);
                let read = read_mesh(&path).map_err(|cause| {
                    let problem = Problem::new(at, format!("{}: {cause}", path.display()));
                    let help = "a closed mesh is needed; the path is relative to the pipeline file";
                    self.problems.push(problem.help(help));
                });
                let placed = placing.filter(|_| read.is_ok());
                placed.map(|placing| Start::Inside { path, placing })
            }
        };
        field.start = start.unwrap_or_default();
    }

    /// Why a field cannot start with such values, whatever they are.
    fn cannot_start(&self, field: &Field, file: &ChannelValuesFile, pointer: &str) -> Option<Problem> {
        let resource = &self.pipeline.resources[field.resource];
        let name = &resource.name;
        let problem = |message: String, help: &str| Some(Problem::on_key(pointer, message).help(help));
        if self.is_meant_sparse(name) {
            return problem(
                format!("`{name}` is a sparse grid, which starts without blocks"),
                "write the values in a stage of `init` that asks for blocks first, or make the grid dense",
            );
        }
        if resource.axes() < 2 {
            return match resource.set() {
                Some(_) => problem(
                    format!("`{name}` is a set of particles, which starts from its sources"),
                    "list them in `from`, with values of attributes in `set`",
                ),
                None => problem(
                    format!("channels of `{name}` have no `values`"),
                    "write them in a stage of `init`, or use a buffer, which has \"values\": [...]",
                ),
            };
        }
        match file {
            ChannelValuesFile::Mesh(_) if !resource.is_grid() || resource.axes() < 3 => problem(
                format!("`{name}` is no 3-D grid, and a mesh encloses a volume"),
                "use `npy` or `expression`",
            ),
            ChannelValuesFile::Mesh(_) if field.element.components() != 1 => problem(
                format!(
                    "inside and outside are one number, and {} has several",
                    field.element.glsl()
                ),
                "use a channel of float, int or uint",
            ),
            ChannelValuesFile::Expression(_) if field.element == Element::Rgba8 => problem(
                "an expression gives numbers, and rgba8 holds the bits of four".into(),
                "use vec4, or `npy` with four bytes a pixel",
            ),
            _ => None,
        }
    }

    /// An array that has the shape and the type of a field.
    fn array(&mut self, field: &Field, written: &str, pointer: &str) -> Option<Start> {
        let at = format!("{pointer}/npy");
        let path = self.path(written, &at);
        let resource = &self.pipeline.resources[field.resource];
        let shape = array::Shape::new(
            &resource.size_of(field)[..resource.axes() as usize],
            field.element,
        );
        match array::check(&path, &shape) {
            Ok(()) => Some(Start::Array(path)),
            Err(cause) => {
                let problem = Problem::new(at, format!("{}: {cause}", path.display()));
                let help = "an output of format `npy` of the channel has the shape and type that fit; the path is \
                            relative to the pipeline file";
                self.problems.push(problem.help(help));
                None
            }
        }
    }
}
