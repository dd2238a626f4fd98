//! Outputs: what they take, how often, and in which format.

mod identity;
mod selection;
mod style;

use super::file::{Number, OutputEntryFile, OutputFile};
use super::resolver::Resolver;
use crate::element::{Element, Scalar};
use crate::ir::*;
use crate::lower::unpack;
use crate::output::{self, Column, Content, Format, FormatKind, Place};
use crate::problem::Problem;
use crate::problem::pointer_part;

/// The source of an output, looked up.
struct Source {
    resource: ResourceId,
    /// One field, or those of a resource that the file lists.
    fields: Vec<FieldId>,
    kind: SourceKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SourceKind {
    /// One field.
    Field,
    /// The fields of a resource that the file lists.
    Listed,
    /// All fields of a resource.
    Whole,
}

impl Resolver<'_> {
    /// The outputs; what they need to see channels of sparse grids whole is added to the frame stages.
    pub(super) fn outputs(&mut self) {
        let file = self.file;
        for (name, output) in &file.outputs {
            if let OutputEntryFile::Fields(output) = output {
                let mut output = output.clone();
                let source = format!("/outputs/{}/source", pointer_part(name));
                if self.settle(&mut output.source, &source) {
                    let output = self.output(name, &output);
                    self.pipeline.outputs.extend(output);
                }
            }
        }
    }

    /// Reports an output's name that is none.
    pub(super) fn output_name(&mut self, name: &str, pointer: &str) {
        if output::check_name(name).is_err() {
            self.problems.push(
                Problem::on_key(pointer, format!("`{name}` is not a valid output name"))
                    .help("use letters, digits, `-` and `_`: it becomes a file name"),
            );
        }
    }

    fn output(&mut self, name: &str, file: &OutputFile) -> Option<Output> {
        let pointer = format!("/outputs/{}", pointer_part(name));
        self.output_name(name, &pointer);
        let one = Number::Value(1.0);
        let every = file.every.as_ref().unwrap_or(&one);
        let every = self.count(every, &format!("{pointer}/every"), 1, 1 << 40);
        let source = self.source(file, &pointer)?;
        let format = self.format(file, &source);
        let fields = self.held(format, &source);
        let fields = self.of_one_location(fields, &source, &pointer)?;
        let first = &self.pipeline.fields[fields[0]];
        let location = first.location();
        let size = self.pipeline.resources[source.resource].size_of(first);
        let style = self.style(file, format, &pointer);
        let position = self.position(file, &source, &pointer);
        let selection = self.selection(file, &source, (location, size), position, &pointer);
        let (Some(every), Some(style), Ok(position), Some(selection)) = (every, style, position, selection)
        else {
            return None;
        };
        let resource = &self.pipeline.resources[source.resource];
        let mut shape = size[..resource.axes() as usize].to_vec();
        shape.reverse();
        let mut content = Content {
            format,
            columns: fields.iter().map(|field| self.column(*field, format)).collect(),
            shape,
            place: place(resource, location),
            live: None,
            active: None,
            identity: None,
            selection,
            style,
            frame_seconds: self.pipeline.dt * f64::from(self.pipeline.steps_per_frame),
        };
        // What a payload has beside its columns follows them.
        let mut parts = fields;
        let mut part = |field: FieldId| {
            parts.iter().position(|known| *known == field).unwrap_or_else(|| {
                parts.push(field);
                parts.len() - 1
            })
        };
        if let (Place::Particles { position: place }, Some(field)) = (&mut content.place, position)
            && (format.descriptor().kind == FormatKind::Particles || content.selection.region.is_some())
        {
            *place = Some(part(field));
        }
        content.live = self.pipeline.resources[source.resource].live().map(&mut part);
        if content.selection.stride > 1 {
            let identity = self.pipeline.resources[source.resource].identity();
            content.identity = identity.map(|identity| part(identity.field));
        }
        if let (true, Some(sparse)) = (
            format.descriptor().has_active,
            self.pipeline.resources[source.resource].sparse(),
        ) {
            content.active = Some((part(sparse.fields.active), sparse.layout.clone()));
        }
        if let Some(reason) = output::unfit(&content) {
            let at = if file.format.is_some() { "format" } else { "source" };
            let (reason, remedy) = reason
                .split_once(": ")
                .unwrap_or((&reason, "choose another `format`"));
            let (given, format) = (&file.source, format.extension());
            let message = format!("`{given}` cannot be written as {format}: {reason}");
            let problem = Problem::new(format!("{pointer}/{at}"), message);
            self.problems.push(problem.help(remedy));
            return None;
        }
        let turns = u32::try_from(every).unwrap_or(u32::MAX);
        let columns = content.columns.len();
        for field in &mut parts[..columns] {
            *field = self.unpacked(*field, turns, &pointer);
        }
        Some(Output {
            name: name.to_owned(),
            source: file.source.clone(),
            fields: parts,
            content,
            every,
        })
    }

    /// Looks up what an output takes.
    fn source(&mut self, file: &OutputFile, pointer: &str) -> Option<Source> {
        let whole = self.output_resource(&file.source);
        if let Some(list) = &file.fields {
            let at = format!("{pointer}/fields");
            let Some(resource) = whole else {
                let message = format!("`{}` is not a resource with channels or attributes", file.source);
                let problem = Problem::new(format!("{pointer}/source"), message);
                self.problems
                    .push(match self.field_ids.contains_key(&file.source) {
                        true => problem.help(
                            "`fields` selects fields of a whole resource: remove it for a single field",
                        ),
                        false => {
                            let sets = self.file.particles.keys().chain(self.file.images.keys());
                            let names = (self.file.grids.keys().chain(self.file.heights.keys())).chain(sets);
                            problem
                                .help("name a grid, height field, particle set or image")
                                .suggest(&file.source, names.map(String::as_str))
                        }
                    });
                return None;
            };
            let mut fields: Vec<FieldId> = Vec::new();
            for (number, name) in list.iter().enumerate() {
                let at = format!("{at}/{number}");
                let field = self.field_id(&format!("{}.{name}", file.source), &at)?;
                if fields.contains(&field) {
                    let problem = Problem::new(at, format!("`{name}` is listed twice"));
                    self.problems.push(problem.help("list it once"));
                    return None;
                }
                fields.push(field);
            }
            if fields.is_empty() {
                let problem = Problem::new(at, "an output without fields would be empty");
                self.problems
                    .push(problem.help("list fields, or remove `fields` to write all"));
                return None;
            }
            return Some(Source {
                resource,
                fields,
                kind: SourceKind::Listed,
            });
        }
        if let Some(resource) = whole {
            let identity = self.pipeline.resources[resource].identity();
            let of_resource = |field: &FieldId| {
                self.pipeline.fields[*field].resource == resource
                    && identity.is_none_or(|identity| identity.field != *field)
            };
            let fields = (0..self.pipeline.fields.len()).filter(of_resource).collect();
            return Some(Source {
                resource,
                fields,
                kind: SourceKind::Whole,
            });
        }
        let field = self.field_id(&file.source, &format!("{pointer}/source"))?;
        Some(Source {
            resource: self.pipeline.fields[field].resource,
            fields: vec![field],
            kind: SourceKind::Field,
        })
    }

    /// The resource with channels or attributes of this name: of the file, and no buffer, which is a field itself.
    pub(super) fn output_resource(&self, name: &str) -> Option<ResourceId> {
        let of_name = |resource: &Resource| resource.name == name && !resource.is_buffer();
        let resource = self.pipeline.resources.iter().position(of_name)?;
        let mut channels = self.field_ids.values();
        channels
            .any(|field| self.pipeline.fields[*field].resource == resource)
            .then_some(resource)
    }

    fn format(&self, file: &OutputFile, source: &Source) -> Format {
        let pictures =
            (source.fields.iter()).filter(|field| self.pipeline.fields[**field].element == Element::Rgba8);
        let pictures = pictures.count();
        let resource = &self.pipeline.resources[source.resource];
        match (
            file.format,
            source.kind,
            resource.form().map(|form| form.placement),
        ) {
            (Some(format), ..) => format,
            (None, SourceKind::Field, _) if file.colormap.is_some() => Format::Png,
            (None, SourceKind::Field, _) if pictures == 1 => Format::Png,
            (None, SourceKind::Field, _) => Format::Npy,
            (None, _, None) => Format::Bgeo,
            (None, _, Some(Placement::Centres)) if resource.sparse().is_some() => Format::Vdb,
            (None, _, Some(Placement::Centres | Placement::Vertices)) => Format::Vti,
            (None, _, Some(Placement::Pixels)) if source.fields.len() == 1 && pictures == 1 => Format::Png,
            (None, _, Some(Placement::Pixels)) => Format::Exr,
            (None, _, Some(Placement::Nowhere)) => Format::Npz,
        }
    }

    /// The fields of a source that a format holds. What the file lists it must hold all; of a whole resource, what it
    /// cannot hold is left out, unless that is all of it.
    fn held(&self, format: Format, source: &Source) -> Vec<FieldId> {
        let holds = |field: &&FieldId| {
            let column = self.column(**field, format);
            (format.descriptor().takes)(&column) && (format.descriptor().numbers)(column.stored).is_some()
        };
        let held: Vec<FieldId> = match source.kind {
            SourceKind::Whole => source.fields.iter().filter(holds).copied().collect(),
            _ => Vec::new(),
        };
        match held.is_empty() {
            true => source.fields.clone(),
            false => held,
        }
    }

    /// The fields that lie at the same places: all of them, or of a whole resource those at the centres of cells, if there
    /// are any.
    fn of_one_location(
        &mut self,
        fields: Vec<FieldId>,
        source: &Source,
        pointer: &str,
    ) -> Option<Vec<FieldId>> {
        // Values at the same location end elsewhere where the border of one field repeats.
        let places = |field: FieldId| {
            let location = self.pipeline.fields[field].location();
            (location, self.pipeline.size_of(field))
        };
        let first = *fields.first()?;
        let of_others = |field: &FieldId| places(*field) != places(first);
        let Some(other) = fields.iter().copied().find(of_others) else {
            return Some(fields);
        };
        if source.kind == SourceKind::Whole {
            let centred = |field: &FieldId| places(*field).0 == Location::Centre;
            let wanted = places(fields.iter().copied().find(centred).unwrap_or(first));
            return Some(
                fields
                    .into_iter()
                    .filter(|field| places(*field) == wanted)
                    .collect(),
            );
        }
        let [one, two] = [first, other].map(|field| self.pipeline.fields[field].channel());
        let [(here, size), (there, other_size)] = [first, other].map(places);
        let axes = self.pipeline.resources[source.resource].axes() as usize;
        let message = match here == there {
            true => format!(
                "`{one}` has {:?} values along the axes, `{two}` has {:?}: the border of only one repeats",
                &size[..axes],
                &other_size[..axes]
            ),
            false => format!(
                "the location of `{one}` is {}, that of `{two}` is {}",
                here.key(),
                there.key()
            ),
        };
        let problem = Problem::new(format!("{pointer}/fields"), message);
        self.problems.push(
            problem.help("write one output for each: the values of a file must have the same location"),
        );
        None
    }

    fn column(&self, field: FieldId, format: Format) -> Column {
        let field = &self.pipeline.fields[field];
        let (stored, components) = match field.element {
            Element::Rgba8 => (output::Scalar::Colour, 4),
            element => (stored(element.scalar()), element.components()),
        };
        let name = field.name.rsplit('.').next().unwrap_or(&field.name);
        Column {
            name: name.to_owned(),
            stored,
            // What cannot be held is refused as it is.
            scalar: (format.descriptor().numbers)(stored).unwrap_or(stored),
            components: components * field.count.unwrap_or(1),
            entries: field.count,
            background: field.background,
        }
    }

    /// The field that is downloaded for a column: for a channel of a sparse grid, a copy that a frame stage lays out
    /// whole.
    fn unpacked(&mut self, field: FieldId, turns: u32, pointer: &str) -> FieldId {
        if self.pipeline.sparse_of(field).is_none() {
            return field;
        }
        let name = unpack::whole_name(&self.pipeline, field);
        if self.resource_names.contains(&name) {
            let message = format!(
                "`{}` would be unpacked as `{name}`, which is the name of another resource",
                self.pipeline.fields[field].name
            );
            let problem = Problem::new(format!("{pointer}/source"), message);
            self.problems.push(problem.help("rename that resource"));
            return field;
        }
        self.unpacked.get(&mut self.pipeline, field, turns, pointer)
    }
}

/// Numbers in memory, as outputs name them.
fn stored(scalar: Scalar) -> output::Scalar {
    match scalar {
        Scalar::Half => output::Scalar::F16,
        Scalar::Float => output::Scalar::F32,
        Scalar::Double => output::Scalar::F64,
        Scalar::Int8 => output::Scalar::I8,
        Scalar::Int16 => output::Scalar::I16,
        Scalar::Int => output::Scalar::I32,
        Scalar::Int64 => output::Scalar::I64,
        Scalar::Uint8 => output::Scalar::U8,
        Scalar::Uint16 => output::Scalar::U16,
        Scalar::Uint => output::Scalar::U32,
        Scalar::Uint64 => output::Scalar::U64,
    }
}

/// Where the elements of a resource are, for files.
fn place(resource: &Resource, location: Location) -> Place {
    let Some(lattice) = resource.lattice() else {
        return Place::Particles { position: None };
    };
    let (origin, spacing) = (lattice.origin, lattice.spacing);
    let axes = resource.axes() as usize;
    match lattice.form.placement {
        Placement::Centres if location == Location::Centre => Place::Cells { origin, spacing },
        Placement::Centres => {
            let mut origin = origin;
            for axis in 0..axes {
                origin[axis] += location.offset(axis) * spacing[axis];
            }
            Place::Vertices { origin, spacing }
        }
        Placement::Vertices => Place::Vertices { origin, spacing },
        Placement::Pixels => Place::Image,
        Placement::Nowhere => Place::Nowhere,
    }
}
