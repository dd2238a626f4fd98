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
                .components(&file.expression, field, &format!("{at}/expression"))
                .map(Start::Formula),
            ChannelValuesFile::Mesh(file) => {
                let placing = self.placing([&file.scale, &file.rotate, &file.shift], &at);
                let at = format!("{at}/mesh");
                let path = self.path(&file.mesh, &at);
                let read = read_mesh(&path).map_err(|cause| {
                    let problem = Problem::new(at, format!("{}: {cause}", path.display()));
                    let help = "the mesh must be closed; the path is relative to the pipeline file";
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
                format!("`{name}` is a sparse grid, which has no blocks at the start"),
                "write the values in a stage of `init` after one that requests blocks, or make the grid dense",
            );
        }
        if resource.axes() < 2 {
            return match resource.set() {
                Some(_) => problem(
                    format!("`{name}` is a particle set, whose initial values come from its sources"),
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
                format!("a mesh encloses a volume, but `{name}` is not a 3-D grid"),
                "use `npy` or `expression`",
            ),
            ChannelValuesFile::Mesh(_) if field.element.components() * field.count.unwrap_or(1) != 1 => {
                problem(
                    format!("a mesh gives one number, but {} has several", field.type_name()),
                    "use a channel with one number per element",
                )
            }
            ChannelValuesFile::Expression(_) if field.element == Element::Rgba8 => problem(
                "an expression gives one number, but rgba8 has four components".into(),
                "use vec4, or `npy` with four bytes per pixel",
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
            field.count,
        );
        match array::check(&path, &shape) {
            Ok(()) => Some(Start::Array(path)),
            Err(cause) => {
                let problem = Problem::new(at, format!("{}: {cause}", path.display()));
                let help = "an `npy` output of the channel has the right shape and type; the path is relative to the \
                            pipeline file";
                self.problems.push(problem.help(help));
                None
            }
        }
    }
}
