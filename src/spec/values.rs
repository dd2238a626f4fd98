//! What channels and attributes hold before the first stage.

use super::evaluate::no_value;
use super::file::{Number, Numbers, SourceFile, ValuesFile};
use super::program::*;
use super::scope::Scope;
use super::sources::{SourceKind, path_of};
use crate::element::Element;
use crate::expr::{Expr, Kind, Value};
use crate::ir::{Component, Field, HeightImage, Pipeline, Resource, Start, VARIABLES};
use crate::particles::files::array;
use crate::particles::fill::{Body, read_mesh};
use crate::problem::{Place, Problem};

impl<'f> Program<'f> {
    /// What a field starts with, from the `values` of its channel.
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
        if let Some(problem) = cannot_start(resource, field, values, place) {
            self.report(problem);
            return None;
        }
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
        let place = &source.place;
        match kind {
            SourceKind::File => {
                let file = source.file.as_ref()?;
                let path = path_of(file);
                if !file.text.ends_with(".npy") {
                    return self.heights(channel, resource, field, &file.place);
                }
                let shape = &resource.size_of(field)[..resource.axes() as usize];
                match array::check(&path, &array::Shape::new(shape, field.element, field.count)) {
                    Ok(()) => Some(Start::Array(path)),
                    Err(cause) => {
                        let help = "an `npy` output of the channel has the right shape and type; the path is relative to \
                                    the pipeline file";
                        self.in_file(&file.place, &path, &cause, help);
                        None
                    }
                }
            }
            kind => {
                let (message, help) = if !resource.is_grid() || resource.axes() < 3 {
                    (
                        format!(
                            "a solid encloses a volume, but `{}` is not a 3-D grid of cells",
                            resource.name
                        ),
                        "write an expression, or name a `file`",
                    )
                } else if field.element.components() * field.count.unwrap_or(1) != 1 {
                    (
                        format!("a solid gives one number, but {} has several", field.type_name()),
                        "use a channel with one number per element",
                    )
                } else {
                    return self.inside(scope, source, kind, field);
                };
                self.report(Problem::at_place(place.clone(), message).help(help));
                None
            }
        }
    }

    /// 1 inside a solid, 0 outside.
    fn inside(&self, scope: &Scope, source: &SourceFile, kind: SourceKind, field: &Field) -> Option<Start> {
        let formula = |text: String| {
            let tree = crate::expr::parse(&text).ok()?;
            let number = Number {
                place: source.place.clone(),
                tree: Some(tree),
            };
            self.component(scope, &number, field.element)
                .map(|component| Start::Formula(vec![component]))
        };
        match self.body(scope, source, kind)? {
            Body::Mesh { path, placing } => match read_mesh(&path) {
                Ok(_) => Some(Start::Inside { path, placing }),
                Err(cause) => {
                    let help = "the mesh must be closed; the path is relative to the pipeline file";
                    let place = source.mesh.as_ref().map_or(&source.place, |mesh| &mesh.place);
                    self.in_file(place, &path, &cause, help);
                    None
                }
            },
            Body::Sphere {
                centre: [x, y, z],
                radius,
            } => formula(format!(
                "(x - {x:?})^2 + (y - {y:?})^2 + (z - {z:?})^2 <= {radius:?}^2"
            )),
            Body::Box([min, max]) => {
                let side = |axis: usize| {
                    let name = VARIABLES[axis];
                    format!("{name} >= {:?} and {name} <= {:?}", min[axis], max[axis])
                };
                formula((0..3).map(side).collect::<Vec<_>>().join(" and "))
            }
        }
    }

    /// The heights of an elevation model.
    fn heights(
        &self,
        channel: &Channel<'f>,
        resource: &Resource,
        field: &Field,
        place: &Place,
    ) -> Option<Start> {
        let is_of_vertices = resource.form() == Some(&crate::ir::HEIGHTS);
        let (message, help) = match (is_of_vertices, field.is(Element::Float)) {
            (false, _) => (
                format!(
                    "an elevation model gives heights of vertices, but `{}` has none",
                    resource.name
                ),
                "name an npy file, or make it a grid of `vertices`".to_string(),
            ),
            (true, false) => (
                format!(
                    "an elevation model gives floats, but `{}` has type {}",
                    field.name,
                    field.type_name()
                ),
                "heights are in metres: change its type to float".to_string(),
            ),
            (true, true) => {
                let elevation = self.elevation(channel.decl)?;
                let path = path_of(elevation.source.file.as_ref()?);
                let [metres_per_level, base_level] =
                    self.with(Effect::Restart, || self.levels_of_model(elevation))?;
                return Some(Start::Heights(HeightImage {
                    path,
                    metres_per_level,
                    base_level,
                }));
            }
        };
        self.report(Problem::at_place(place.clone(), message).help(help));
        None
    }

    /// The numbers of a value of a field, those of an array entry by entry.
    pub(super) fn components(
        &self,
        scope: &Scope,
        numbers: &Numbers,
        field: &Field,
    ) -> Option<Vec<Component>> {
        let wanted = (field.entries() * u64::from(field.element.components())) as usize;
        let constant = |value: f64, place: &Place| Number {
            place: place.clone(),
            tree: Some(Expr {
                kind: Kind::Number(value),
                range: 0..0,
            }),
        };
        let parts: Vec<Number> = match numbers {
            Numbers::One(number) => match self.vector(scope, number) {
                Some(values) => values
                    .iter()
                    .map(|value| constant(*value, &number.place))
                    .collect(),
                None => vec![number.clone()],
            },
            Numbers::Many(_, items) => items.clone(),
        };
        if !self.has_as_many(parts.len(), wanted, &field.type_name(), numbers.place()) {
            return None;
        }
        let parts: Vec<Option<Component>> = parts
            .iter()
            .map(|number| self.component(scope, number, field.element))
            .collect();
        parts.into_iter().collect()
    }

    /// The vector that an expression without variables is.
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
        let bits = element.component_bits(value);
        if bits.is_none() {
            self.report(no_value(value, element, &number.place));
        }
        bits.map(Component::Bits)
    }
}

/// Why a field cannot start with such values, whatever they are.
fn cannot_start(resource: &Resource, field: &Field, values: &ValuesFile, place: &Place) -> Option<Problem> {
    let name = &resource.name;
    let problem = |message: String, help: &str| Some(Problem::at_place(place.clone(), message).help(help));
    if resource.sparse().is_some() {
        return problem(
            format!("`{name}` is a sparse grid, which has no blocks at the start"),
            "write the values in a stage of `init` after one that requests blocks, or make the grid dense",
        );
    }
    if resource.set().is_some() {
        return problem(
            format!("`{name}` is a particle set, whose initial values come from its sources"),
            "list them in `from`, with values of attributes in `set`",
        );
    }
    if resource.axes() < 2 {
        return problem(
            format!("channels of `{name}` have no `values`"),
            "write them in a stage of `init`, or use a buffer without channels, which has \"values\": [...]",
        );
    }
    match values {
        ValuesFile::Expression(_) if field.element == Element::Rgba8 => problem(
            "an expression gives one number, but rgba8 has four components".into(),
            "use vec4, or a `file` with four bytes per pixel",
        ),
        _ => None,
    }
}
