//! Initial values of channels and attributes.

use super::evaluate::all;
use super::file::{Number, Numbers, SourceFile, ValuesFile};
use super::program::*;
use super::scope::Scope;
use super::sources::{SourceKind, path_of};
use crate::element::Element;
use crate::expr::{Expr, Kind, Value};
use crate::ir::{Component, Field, HeightImage, Pipeline, Resource, Start, VARIABLES};
use crate::particles::files::array;
use crate::particles::fill::{Body, read_mesh};
use crate::problem::Place;

impl<'f> Program<'f> {
    /// The initial values of a field, from the `values` of its channel.
    pub(super) fn start(&self, pipeline: &Pipeline, channel: &Channel<'f>, field: &Field) -> Option<Start> {
        let Some((values, scope)) = channel.property(|full| full.values.as_ref()) else {
            return Some(Start::Background);
        };
        let place = match values {
            ValuesFile::Expression(numbers) => numbers.place(),
            ValuesFile::Source(source) => &source.place,
            ValuesFile::Broken => return None,
        };
        let resource = &pipeline.resources[field.resource];
        self.may_start(resource, field, values, place)?;
        let scope = Scope::of(scope);
        match values {
            ValuesFile::Expression(numbers) => self.components(&scope, numbers, field).map(Start::Formula),
            ValuesFile::Source(source) => self.start_from(&scope, source, channel, resource, field),
            ValuesFile::Broken => None,
        }
    }

    fn start_from(
        &self,
        scope: &Scope,
        source: &SourceFile,
        channel: &Channel<'f>,
        resource: &Resource,
        field: &Field,
    ) -> Option<Start> {
        let kind = self.source_kind(source, false)?;
        if kind == SourceKind::File {
            let file = source.file.as_ref()?;
            if !file.text.ends_with(".npy") {
                return self.heights(channel, resource, field, &file.place);
            }
            let path = path_of(file);
            let shape = &resource.size_of(field)[..resource.axes() as usize];
            let shape = array::Shape::new(shape, field.element, field.count);
            let help = "an `npy` output of the channel has the right shape and type; the path is relative to the pipeline \
                        file";
            let checked = array::check(&path, &shape);
            let reported = checked.map_err(|cause| self.report_file(&file.place, &path, &cause, help));
            return reported.ok().map(|()| Start::Array(path));
        }
        if kind == SourceKind::Polygon {
            return self.areas(source.polygon.as_ref()?, channel, resource, field);
        }
        if !resource.is_grid() || resource.axes() < 3 {
            let name = &resource.name;
            let message = format!("a solid encloses a volume, but `{name}` is not a 3-D grid of cells");
            return self.refuse(&source.place, message, "write an expression, or name a `file`");
        }
        if field.element.components() * field.count.unwrap_or(1) != 1 {
            let message = format!(
                "a solid has one number per element, but {} has several",
                field.type_name()
            );
            return self.refuse(
                &source.place,
                message,
                "use a channel with one number per element",
            );
        }
        self.inside(scope, source, kind, field)
    }

    /// Initial values that are 1 inside a solid and 0 outside.
    fn inside(&self, scope: &Scope, source: &SourceFile, kind: SourceKind, field: &Field) -> Option<Start> {
        let text = match self.body(scope, source, kind)? {
            Body::Mesh { path, placing } => {
                let help = "the mesh must be closed; the path is relative to the pipeline file";
                let place = source.mesh.as_ref().map_or(&source.place, |mesh| &mesh.place);
                let mesh = read_mesh(&path).map_err(|cause| self.report_file(place, &path, &cause, help));
                return mesh.ok().map(|_| Start::Inside { path, placing });
            }
            Body::Sphere {
                centre: [x, y, z],
                radius,
            } => {
                format!("(x - {x:?})^2 + (y - {y:?})^2 + (z - {z:?})^2 <= {radius:?}^2")
            }
            Body::Box([min, max]) => {
                let sides = VARIABLES.iter().zip(min.iter().zip(&max));
                let side = sides.map(|(name, (min, max))| format!("{name} >= {min:?} and {name} <= {max:?}"));
                side.collect::<Vec<_>>().join(" and ")
            }
        };
        let number = Number::new(&source.place, crate::expr::parse(&text).ok()?);
        let component = self.component(scope, &number, field.element)?;
        Some(Start::Formula(vec![component]))
    }

    /// Initial values from the heights of an elevation model.
    fn heights(
        &self,
        channel: &Channel<'f>,
        resource: &Resource,
        field: &Field,
        place: &Place,
    ) -> Option<Start> {
        if resource.form() != Some(&crate::ir::HEIGHTS) {
            let name = &resource.name;
            let message =
                format!("an elevation model contains heights of vertices, but `{name}` has no vertices");
            return self.refuse(
                place,
                message,
                "name an npy file, or make it a grid of `vertices`",
            );
        }
        if !field.is(Element::Float) {
            let (name, kind) = (&field.name, field.type_name());
            let message = format!("an elevation model contains floats, but `{name}` has type {kind}");
            return self.refuse(place, message, "heights are in metres: change the type to float");
        }
        let elevation = self.elevation(channel.decl)?;
        let path = path_of(elevation.source.file.as_ref()?);
        let levels = self.with(Effect::Restart, || self.levels_of_model(elevation));
        let [metres_per_level, base_level] = levels?;
        Some(Start::Heights(HeightImage {
            path,
            metres_per_level,
            base_level,
        }))
    }

    /// The numbers of one value of a field; for an array, entry by entry.
    pub(super) fn components(
        &self,
        scope: &Scope,
        numbers: &Numbers,
        field: &Field,
    ) -> Option<Vec<Component>> {
        let wanted = (field.entries() * u64::from(field.element.components())) as usize;
        let constant = |value: &f64, place: &Place| Number::new(place, Expr::new(Kind::Number(*value)));
        let parts: Vec<Number> = match numbers {
            Numbers::One(number) => match self.vector(scope, number) {
                Some(values) => values
                    .iter()
                    .map(|value| constant(value, &number.place))
                    .collect(),
                None => vec![number.clone()],
            },
            Numbers::Many(_, items) => items.clone(),
        };
        self.check_length(parts.len(), wanted, &field.type_name(), numbers.place())?;
        all(parts
            .iter()
            .map(|number| self.component(scope, number, field.element)))
    }

    /// The components of a constant expression with a vector as its value.
    fn vector(&self, scope: &Scope, number: &Number) -> Option<Vec<f64>> {
        let tree = number.tree.as_ref()?;
        let is_variable =
            |name: &&crate::expr::Name| name.plain().is_some_and(|name| VARIABLES.contains(&&*name));
        let is_vector =
            matches!(tree.kind, Kind::Vector(_)) || tree.as_name().is_some_and(|name| !is_variable(&name));
        if !is_vector || tree.names().iter().any(is_variable) {
            return None;
        }
        match self.value(scope, number)? {
            Value::Vector(values) => Some(values),
            Value::Number(_) => None,
        }
    }

    fn component(&self, scope: &Scope, number: &Number, element: Element) -> Option<Component> {
        let formula = self.formula(scope, number, &VARIABLES)?;
        if !formula.is_constant() {
            return Some(Component::Formula(Box::new(formula)));
        }
        let value = self.number(scope, number)?;
        self.bits(value, element, &number.place).map(Component::Bits)
    }

    /// Reports a field that cannot have `values`.
    fn may_start(
        &self,
        resource: &Resource,
        field: &Field,
        values: &ValuesFile,
        place: &Place,
    ) -> Option<()> {
        let name = &resource.name;
        if resource.sparse().is_some() {
            let message = format!("`{name}` is a sparse grid, which has no blocks at the start");
            let help = "write the values in a stage of `init` after one that requests blocks, or make the grid dense";
            return self.refuse(place, message, help);
        }
        if resource.set().is_some() {
            let message = format!("`{name}` is a particle set, whose initial values come from its sources");
            return self.refuse(
                place,
                message,
                "list them in `from`, with values of attributes in `set`",
            );
        }
        if resource.axes() < 2 {
            let message = format!("channels of `{name}` have no `values`");
            let help = "write them in a stage of `init`, or use a buffer without channels, which has \"values\": [...]";
            return self.refuse(place, message, help);
        }
        if matches!(values, ValuesFile::Expression(_)) && field.element == Element::Rgba8 {
            let message = "an expression is one number, but rgba8 has four components";
            return self.refuse(place, message, "use vec4, or a `file` with four bytes per pixel");
        }
        Some(())
    }
}
