//! Sources of particles: first how many each gives, which is the size of the set, then what it does to attributes.

use std::path::{Path, PathBuf};

use super::file::{BoxFile, MeshFile, Named, Number, Numbers, PointsFile, SourceFile, SphereFile};
use super::resolver::{Resolver, no_value};
use crate::element::Element;
use crate::ir::*;
use crate::particles::files::{Layout, POSITION};
use crate::particles::fill::{Body, Fill, brief};
use crate::particles::placing::Placing;
use crate::problem::Problem;
use crate::problem::pointer_part;

/// A source whose attributes have not been looked at.
pub(super) struct Begun {
    origin: Origin,
    count: u64,
    /// What a file of points holds.
    layout: Option<Layout>,
}

impl Begun {
    pub(super) fn count(&self) -> u64 {
        self.count
    }
}

impl SourceFile {
    fn set(&self) -> &Named<Numbers> {
        match self {
            SourceFile::Mesh(file) => &file.set,
            SourceFile::Sphere(file) => &file.set,
            SourceFile::Box(file) => &file.set,
            SourceFile::Points(file) => &file.set,
        }
    }
}

fn lattice_help(pointer: &str, message: String) -> Problem {
    Problem::new(pointer, message).help("change the spacing or the size of the solid")
}

fn in_file(pointer: String, path: &Path, cause: &str, help: &str) -> Problem {
    Problem::new(pointer, format!("{}: {cause}", path.display())).help(help)
}

impl Resolver<'_> {
    /// Reads files and counts particles; `None` where something is wrong, which is recorded.
    pub(super) fn origins(&mut self, from: &[SourceFile], set: &str) -> Option<Vec<Begun>> {
        if from.is_empty() {
            let problem = Problem::new(format!("{set}/from"), "`from` is empty");
            self.problems.push(problem.help("add a source, or remove `from`"));
            return None;
        }
        // Each is looked at, also after a mistake in one before it.
        let mut begun = Vec::new();
        for (number, source) in from.iter().enumerate() {
            let pointer = format!("{set}/from/{number}");
            begun.push(match source {
                SourceFile::Mesh(file) => self.mesh(file, &pointer),
                SourceFile::Sphere(file) => self.sphere(file, &pointer),
                SourceFile::Box(file) => self.box_of(file, &pointer),
                SourceFile::Points(file) => self.points(file, &pointer),
            });
        }
        let begun: Vec<Begun> = begun.into_iter().collect::<Option<_>>()?;
        let total: u64 = begun.iter().map(Begun::count).sum();
        if total > u64::from(u32::MAX) {
            let message = format!("{total} particles are more than 2^32 - 1");
            let problem = Problem::new(format!("{set}/from"), message);
            self.problems.push(problem.help("choose larger spacings"));
            return None;
        }
        Some(begun)
    }

    /// What the sources do to the attributes of their set.
    pub(super) fn sources(&mut self, id: ResourceId, from: &[SourceFile], begun: Vec<Begun>, set: &str) {
        let prefix = self.pipeline.resources[id].name.clone();
        let position = self.field_ids.get(&format!("{prefix}.{POSITION}")).copied();
        let position = position.filter(|field| self.pipeline.fields[*field].is(Element::Vec3));
        let Some(position) = position else {
            let message = format!("a set with `from` requires a vec3 attribute `{POSITION}`");
            let problem = Problem::new(format!("{set}/attributes"), message);
            let help = format!("add \"{POSITION}\": \"vec3\" to the attributes");
            self.problems.push(problem.help(help));
            return;
        };
        self.pipeline.fields[position].given = true;
        let mut sources = Vec::new();
        let mut first = 0;
        for (number, (file, begun)) in from.iter().zip(begun).enumerate() {
            let pointer = format!("{set}/from/{number}");
            let mut origin = begun.origin;
            if let (Origin::Points { path, fields, .. }, Some(layout)) = (&mut origin, begun.layout) {
                *fields = self.fields_of(id, &layout, path, &format!("{pointer}/file"));
            }
            let settings = self.settings(id, file.set(), &format!("{pointer}/set"));
            sources.push(Source {
                origin,
                first,
                count: begun.count,
                position,
                set: settings,
                pointer,
            });
            first += begun.count;
        }
        if let Kind::Set(set) = &mut self.pipeline.resources[id].kind {
            set.from = sources;
        }
    }

    /// The attributes of a set that a file has, but for the position.
    fn fields_of(&mut self, id: ResourceId, layout: &Layout, path: &Path, pointer: &str) -> Vec<FieldId> {
        let prefix = format!("{}.", self.pipeline.resources[id].name);
        let mut fields = Vec::new();
        for field in 0..self.pipeline.fields.len() {
            let Some(name) = self.pipeline.fields[field].name.strip_prefix(&prefix) else {
                continue;
            };
            let Some(column) = layout.column(name).filter(|_| name != POSITION) else {
                continue;
            };
            let points = layout.points().unwrap_or(0);
            let found = &self.pipeline.fields[field];
            let fits = column.check(found.element, found.entries());
            let fits = match column.points == points {
                true => fits,
                false => Err(format!(
                    "it has {points} positions, but its `{name}` has {} values",
                    column.points
                )),
            };
            match fits {
                Ok(()) => {
                    fields.push(field);
                    self.pipeline.fields[field].given = true;
                }
                Err(cause) => {
                    let help = format!("change the type of `{name}`, or rename the attribute");
                    self.problems.push(in_file(pointer.into(), path, &cause, &help));
                }
            }
        }
        fields
    }

    /// The attributes that a source computes.
    fn settings(
        &mut self,
        id: ResourceId,
        set: &Named<Numbers>,
        pointer: &str,
    ) -> Vec<(FieldId, Vec<Component>)> {
        let prefix = format!("{}.", self.pipeline.resources[id].name);
        let mut settings = Vec::new();
        for (name, numbers) in set {
            let pointer = format!("{pointer}/{}", pointer_part(name));
            let Some(field) = self.field_ids.get(&format!("{prefix}{name}")).copied() else {
                let known = self
                    .pipeline
                    .fields
                    .iter()
                    .filter_map(|field| field.name.strip_prefix(&prefix));
                let problem = Problem::on_key(&pointer, format!("`{name}` is not an attribute of this set"));
                let problem = problem.help("add it to the attributes").suggest(name, known);
                self.problems.push(problem);
                continue;
            };
            let found = self.pipeline.fields[field].clone();
            let components = self.components(numbers, &found, &pointer);
            if let Some(components) = components {
                self.pipeline.fields[field].given = true;
                settings.push((field, components));
            }
        }
        settings
    }

    /// The numbers of a value of a field, those of an array entry by entry.
    pub(super) fn components(
        &mut self,
        numbers: &Numbers,
        field: &Field,
        pointer: &str,
    ) -> Option<Vec<Component>> {
        let (element, name) = (field.element, field.type_name());
        let wanted = (field.entries() * u64::from(element.components())) as usize;
        let one = |number: &Number| vec![(number.clone(), pointer.to_string())];
        let parts: Vec<(Number, String)> = match numbers {
            Numbers::One(Number::Expression(text)) => match self.scope.vector(text) {
                Some(values) => {
                    let values = values.iter().map(|value| Number::Value(*value));
                    values.map(|value| (value, pointer.to_string())).collect()
                }
                None => one(&Number::Expression(text.clone())),
            },
            Numbers::One(number) => one(number),
            Numbers::Many(numbers) => (numbers.iter().enumerate())
                .map(|(i, number)| (number.clone(), format!("{pointer}/{i}")))
                .collect(),
        };
        if !self.has_as_many(parts.len(), wanted, &name, pointer) {
            return None;
        }
        let parts: Vec<Option<Component>> = (parts.iter())
            .map(|(number, pointer)| self.component(number, element, pointer))
            .collect();
        parts.into_iter().collect()
    }

    fn component(&mut self, number: &Number, element: Element, pointer: &str) -> Option<Component> {
        if let Number::Expression(text) = number {
            match self.scope.formula(text, &VARIABLES, pointer) {
                Ok(formula) if !formula.is_constant() => return Some(Component::Formula(Box::new(formula))),
                Ok(_) => {}
                Err(problem) => {
                    self.problems.list.extend(problem);
                    return None;
                }
            }
        }
        let value = self.number(number, pointer)?;
        let bits = element.component_bits(value);
        if bits.is_none() {
            self.problems.push(no_value(value, element, pointer));
        }
        bits.map(Component::Bits)
    }

    fn mesh(&mut self, file: &MeshFile, pointer: &str) -> Option<Begun> {
        let placing = self.placing([&file.scale, &file.rotate, &file.shift], pointer);
        let at = format!("{pointer}/mesh");
        let path = self.path(&file.mesh, &at);
        let placing = placing?;
        let body = Body::Mesh { path, placing };
        self.on_lattice(body, &file.spacing, file.jitter.as_ref(), pointer)
    }

    fn sphere(&mut self, file: &SphereFile, pointer: &str) -> Option<Begun> {
        let at = format!("{pointer}/sphere");
        let centre = self.three(&file.sphere.centre, false, &format!("{at}/centre"));
        let radius = self.positive(&file.sphere.radius, &format!("{at}/radius"));
        let body = centre.zip(radius);
        let body = body.map(|(centre, radius)| Body::Sphere { centre, radius })?;
        self.on_lattice(body, &file.spacing, file.jitter.as_ref(), pointer)
    }

    fn box_of(&mut self, file: &BoxFile, pointer: &str) -> Option<Begun> {
        let at = format!("{pointer}/box");
        let min = self.three(&file.corners.min, false, &format!("{at}/min"));
        let max = self.three(&file.corners.max, false, &format!("{at}/max"));
        let (min, max) = min.zip(max)?;
        if (0..3).any(|axis| min[axis] > max[axis]) {
            let message = format!("`max` {max:?} is below `min` {min:?}");
            let problem = Problem::new(format!("{at}/max"), message);
            self.problems
                .push(problem.help("`min` has the smallest coordinates, `max` the largest"));
            return None;
        }
        self.on_lattice(
            Body::Box([min, max]),
            &file.spacing,
            file.jitter.as_ref(),
            pointer,
        )
    }

    fn on_lattice(
        &mut self,
        body: Body,
        spacing: &Number,
        jitter: Option<&Number>,
        pointer: &str,
    ) -> Option<Begun> {
        let at = format!("{pointer}/spacing");
        let spacing = self.positive(spacing, &at);
        let jitter = match jitter {
            None => Some(0.0),
            Some(jitter) => self.part(jitter, &format!("{pointer}/jitter")),
        };
        let solid = match body.solid() {
            Ok(solid) => Some(solid),
            Err(cause) => {
                let path = match &body {
                    Body::Mesh { path, .. } => path.as_path(),
                    _ => Path::new(""),
                };
                let help = "name a closed mesh; the path is relative to the pipeline file";
                self.problems
                    .push(in_file(format!("{pointer}/mesh"), path, &cause, help));
                None
            }
        };
        let (spacing, jitter, solid) = (spacing?, jitter?, solid?);
        let count = match Fill::new(&solid, spacing) {
            Ok(fill) => fill.count(),
            Err(cause) => {
                let message = format!("with a spacing of {} m, {cause}", brief(spacing));
                self.problems.push(lattice_help(&at, message));
                return None;
            }
        };
        Some(Begun {
            origin: Origin::Filled {
                body,
                spacing,
                jitter,
            },
            count,
            layout: None,
        })
    }

    fn points(&mut self, file: &PointsFile, pointer: &str) -> Option<Begun> {
        let placing = self.placing([&file.scale, &file.rotate, &file.shift], pointer);
        let at = format!("{pointer}/file");
        let path = self.path(&file.file, &at);
        let layout = Layout::of(&path).and_then(|layout| Ok((layout.points()?, layout)));
        let (count, layout) = match layout {
            Ok(layout) => layout,
            Err(cause) => {
                let help = "name a file of points; the path is relative to the pipeline file";
                self.problems.push(in_file(at, &path, &cause, help));
                return None;
            }
        };
        Some(Begun {
            origin: Origin::Points {
                path,
                placing: placing?,
                fields: Vec::new(),
            },
            count,
            layout: Some(layout),
        })
    }

    pub(super) fn path(&self, written: &str, pointer: &str) -> PathBuf {
        self.document.directory_of(pointer).join(written)
    }

    pub(super) fn placing(
        &mut self,
        [scale, rotate, shift]: [&Option<Numbers>; 3],
        pointer: &str,
    ) -> Option<Placing> {
        let mut vector = |numbers: &Option<Numbers>, default: f64, key: &str| match numbers {
            None => Some([default; 3]),
            Some(numbers) => self.three(numbers, key == "scale", &format!("{pointer}/{key}")),
        };
        let scale = vector(scale, 1.0, "scale");
        let rotate = vector(rotate, 0.0, "rotate");
        let shift = vector(shift, 0.0, "move");
        let (scale, rotate, shift) = (scale?, rotate?, shift?);
        if scale.contains(&0.0) {
            let problem = Problem::new(format!("{pointer}/scale"), "the scale must not be 0");
            self.problems.push(problem.help("write another number"));
            return None;
        }
        Some(Placing::new(scale, rotate, shift))
    }

    /// Three numbers, or one for all three where that is allowed.
    fn three(&mut self, numbers: &Numbers, one_for_all: bool, pointer: &str) -> Option<[f64; 3]> {
        let values = self.numbers(numbers, pointer)?;
        if let Some(value) = (values.iter()).find(|value| Element::Float.component_bits(**value).is_none()) {
            self.problems.push(no_value(*value, Element::Float, pointer));
            return None;
        }
        match values.as_slice() {
            [x] if one_for_all => Some([*x; 3]),
            [x, y, z] => Some([*x, *y, *z]),
            other => {
                self.has_length(other.len(), Element::Vec3, pointer);
                None
            }
        }
    }

    /// A number from 0 to 1.
    fn part(&mut self, number: &Number, pointer: &str) -> Option<f64> {
        let value = self.number(number, pointer)?;
        if (0.0..=1.0).contains(&value) {
            return Some(value);
        }
        let problem = Problem::new(pointer, format!("{value} is not a fraction of the spacing"));
        self.problems.push(problem.help("write a number from 0 to 1"));
        None
    }
}
