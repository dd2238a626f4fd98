//! Outputs: their fields, intervals and formats.

use super::file::*;
use super::lookup::AtLevel;
use super::resolver::Resolver;
use super::scope::Scope;
use crate::element::{Element, Scalar};
use crate::ir::*;
use crate::lower::meaning::Meaning;
use crate::output::{self, Column, Content, Format, FormatKind, Geometry, Selection, Setting, Style};
use crate::problem::Place;

/// Maximum stride.
const MAX_STRIDE: u64 = 1 << 31;
/// The default attribute of the positions of particles.
const POSITION: &str = "position";

/// The source of an output, looked up.
struct Source {
    resource: ResourceId,
    fields: Vec<FieldId>,
    kind: SourceKind,
    /// The text in the file, and its place.
    text: String,
    place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SourceKind {
    /// One field.
    Field,
    /// Several fields of a resource.
    Listed,
    /// All fields of a resource.
    Whole,
}

impl<'f> Resolver<'_, 'f> {
    /// Adds outputs and series.
    pub fn outputs(&self, meaning: &mut Meaning) {
        let file = self.program.instances[0].file;
        for (name, item) in file.outputs.iter() {
            if output::check_name(name).is_err() {
                let message = format!("`{name}` is not a valid output name");
                let help = "use letters, digits, `-` and `_`: it becomes a file name";
                self.program.wrong(&item.key, message, help);
            }
            let Some(file) = &item.value else { continue };
            match (&file.source, &file.values) {
                (Some(_), None) => {
                    let output = self.output(name, file, &meaning.pipeline);
                    meaning.pipeline.outputs.extend(output);
                }
                (None, Some(_)) => {
                    self.check_keys_of_series(file);
                    let plan = self.series(name, file, meaning);
                    meaning.series.extend(plan);
                }
                _ => {
                    let message = "an output has either a `source` or `values`";
                    let help = "add \"source\": the field that is written, for example \"view.color\"; or \"values\" for a \
                                series";
                    self.program.wrong(&file.place, message, help);
                }
            }
        }
    }

    /// Reports keys that a series cannot have.
    fn check_keys_of_series(&self, file: &OutputFile) {
        let given = [
            ("region", file.region.as_ref().map(|region| &region.place)),
            ("stride", file.stride.as_ref().map(|stride| &stride.place)),
            ("range", file.range.as_ref().map(|range| &range.place)),
            ("rate", file.rate.as_ref().map(|rate| &rate.place)),
            ("position", file.position.as_ref().map(|position| &position.place)),
            ("precision", file.precision.map(|_| &file.place)),
            ("colormap", file.colormap.map(|_| &file.place)),
            ("compression", file.compression.map(|_| &file.place)),
        ];
        for (key, place) in given.into_iter().filter_map(|(key, place)| Some((key, place?))) {
            let message = format!("a series has no `{key}`");
            self.program
                .wrong(place, message, "remove it: it is only for files of fields");
        }
        if let Some(FormatFile::Files(format)) = file.format {
            let message = format!("a series cannot be written as {}", format.extension());
            self.program.wrong(&file.place, message, "write csv or jsonl");
        }
    }

    fn output(&self, name: &str, file: &OutputFile, pipeline: &Pipeline) -> Option<Output> {
        let scope = Scope::of(0);
        let every = self
            .program
            .count_or(&scope, file.every.as_ref(), 1, [1, 1 << 40]);
        let source = self.source(file.source.as_ref()?)?;
        let format = self.format(file, &source)?;
        let fields = self.of_one_location(self.supported_fields(format, &source), &source)?;
        let first = &pipeline.fields[fields[0]];
        let location = first.location();
        let resource = &pipeline.resources[source.resource];
        let size = resource.size_of(first);
        let style = self.style(file, format);
        let position = self.position(file, &source);
        let selection = self.selection(file, &source, (location, size), position);
        let (every, style, position, selection) = (every?, style?, position?, selection?);
        let mut shape = size[..resource.axes() as usize].to_vec();
        shape.reverse();
        let mut content = Content {
            format,
            columns: fields.iter().map(|field| self.column(*field, format)).collect(),
            shape,
            geometry: geometry_of(resource, location),
            live: None,
            active: None,
            identity: None,
            selection,
            style,
            frame_seconds: pipeline.dt * f64::from(pipeline.steps_per_frame),
        };
        // Further fields of the payload follow the columns.
        let mut parts = fields;
        let mut part = |field: FieldId| {
            parts.iter().position(|known| *known == field).unwrap_or_else(|| {
                parts.push(field);
                parts.len() - 1
            })
        };
        if let (Geometry::Particles { position: place }, Some(field)) = (&mut content.geometry, position)
            && (format.descriptor().kind == FormatKind::Particles || content.selection.region.is_some())
        {
            *place = Some(part(field));
        }
        content.live = resource.live().map(&mut part);
        if content.selection.stride > 1 {
            content.identity = resource.identity().map(|identity| part(identity.field));
        }
        if let (true, Some(sparse)) = (format.descriptor().has_active, resource.sparse()) {
            content.active = Some((part(sparse.fields.active), sparse.layout.clone()));
        }
        if let Some(reason) = output::unfit(&content) {
            let (reason, remedy) = reason
                .split_once(": ")
                .unwrap_or((&reason, "choose another `format`"));
            let (text, format) = (&source.text, format.extension());
            let message = format!("`{text}` cannot be written as {format}: {reason}");
            return self.program.refuse(&source.place, message, remedy);
        }
        Some(Output {
            name: name.to_owned(),
            source: source.text,
            fields: parts,
            content,
            every,
        })
    }

    /// Looks up the source of an output.
    fn source(&self, file: &SourcesFile) -> Option<Source> {
        match file {
            SourcesFile::One(reference) => self.one_source(reference),
            SourcesFile::Many(place, list) => self.listed_source(place, list),
        }
    }

    fn one_source(&self, reference: &Reference) -> Option<Source> {
        let (scope, program) = (Scope::of(0), self.program);
        let name = reference.name.as_ref()?;
        let (text, place) = (name.to_string(), reference.place.clone());
        if let Some(found) = program.field_of(&scope, name, &place)? {
            let field = self.field_id(&found)?;
            let (resource, fields) = (self.pipeline.fields[field].resource, vec![field]);
            let kind = SourceKind::Field;
            return Some(Source {
                resource,
                fields,
                kind,
                text,
                place,
            });
        }
        let Some(found) = program.resource_of(&scope, name, &place)? else {
            return program.fail(program.no_field(0, &text, &place));
        };
        let AtLevel { id, level } = found.at?;
        let resource = self.ids.resource(AtLevel { id, level })?;
        let channels = program.decls[id].channels.borrow();
        let own = channels
            .iter()
            .filter(|id| program.channels[**id].added_by.is_none());
        let fields = own
            .filter_map(|id| self.ids.field(AtLevel { id: *id, level }))
            .collect();
        let kind = SourceKind::Whole;
        Some(Source {
            resource,
            fields,
            kind,
            text,
            place,
        })
    }

    fn listed_source(&self, place: &Place, list: &[Reference]) -> Option<Source> {
        let (program, pipeline) = (self.program, &self.pipeline);
        let mut fields: Vec<FieldId> = Vec::new();
        for reference in list {
            let field = self.field(&Scope::of(0), reference)?;
            let (name, at) = (reference.text(), &reference.place);
            if fields.contains(&field) {
                return program.refuse(at, format!("`{name}` is listed twice"), "list it once");
            }
            let is_other =
                |first: &FieldId| pipeline.fields[*first].resource != pipeline.fields[field].resource;
            if fields.first().is_some_and(is_other) {
                let message = format!("`{name}` does not belong to the resource of the fields before it");
                return program.refuse(at, message, "write one output for each resource");
            }
            fields.push(field);
        }
        let Some(first) = fields.first() else {
            let message = "an output without fields would be empty";
            return program.refuse(place, message, "list fields, or name the whole resource");
        };
        let resource = pipeline.fields[*first].resource;
        let names = fields.iter().map(|field| pipeline.fields[*field].name.as_str());
        let text = names.collect::<Vec<_>>().join(", ");
        let (kind, place) = (SourceKind::Listed, place.clone());
        Some(Source {
            resource,
            fields,
            kind,
            text,
            place,
        })
    }

    fn format(&self, file: &OutputFile, source: &Source) -> Option<Format> {
        let is_picture = |field: &&FieldId| self.pipeline.fields[**field].element == Element::Rgba8;
        let pictures = source.fields.iter().filter(is_picture).count();
        let resource = &self.pipeline.resources[source.resource];
        let placement = resource.form().map(|form| form.placement);
        Some(match (file.format, source.kind, placement) {
            (Some(FormatFile::Files(format)), ..) => format,
            (Some(_), ..) => {
                let message = "csv and jsonl are for series";
                let help = "choose another `format`, or write \"values\" instead of \"source\"";
                return self.program.refuse(&file.place, message, help);
            }
            (None, SourceKind::Field, _) if file.colormap.is_some() => Format::Png,
            (None, SourceKind::Field, _) if pictures == 1 => Format::Png,
            (None, SourceKind::Field, _) => Format::Npy,
            (None, _, None) => Format::Bgeo,
            (None, _, Some(Placement::Centres)) if resource.sparse().is_some() => Format::Vdb,
            (None, _, Some(Placement::Centres | Placement::Vertices)) => Format::Vti,
            (None, _, Some(Placement::Pixels)) if source.fields.len() == 1 && pictures == 1 => Format::Png,
            (None, _, Some(Placement::Pixels)) => Format::Exr,
            (None, _, Some(Placement::Nowhere)) => Format::Npz,
        })
    }

    /// The fields of a source, without fields of a whole resource that the format does not support. If no field is
    /// supported, all remain, so that a later check reports them.
    fn supported_fields(&self, format: Format, source: &Source) -> Vec<FieldId> {
        let holds = |field: &&FieldId| {
            let column = self.column(**field, format);
            (format.descriptor().takes)(&column) && (format.descriptor().numbers)(column.stored).is_some()
        };
        let held = source.fields.iter().filter(holds).copied();
        let held: Vec<FieldId> = held.filter(|_| source.kind == SourceKind::Whole).collect();
        if held.is_empty() {
            source.fields.clone()
        } else {
            held
        }
    }

    /// The fields with the same location: all of them, or the fields at cell centres if a whole resource has some.
    fn of_one_location(&self, fields: Vec<FieldId>, source: &Source) -> Option<Vec<FieldId>> {
        // A border `repeat` changes the number of values at the same location.
        let places = |field: &FieldId| {
            (
                self.pipeline.fields[*field].location(),
                self.pipeline.size_of(*field),
            )
        };
        let first = fields.first()?;
        let Some(other) = fields.iter().find(|field| places(field) != places(first)) else {
            return Some(fields);
        };
        if source.kind == SourceKind::Whole {
            let centred = |field: &&FieldId| places(field).0 == Location::Centre;
            let wanted = places(fields.iter().find(centred).unwrap_or(first));
            return Some(
                fields
                    .into_iter()
                    .filter(|field| places(field) == wanted)
                    .collect(),
            );
        }
        let [one, two] = [first, other].map(|field| &self.pipeline.fields[*field].name);
        let [(here, size), (there, other_size)] = [first, other].map(places);
        let axes = self.pipeline.resources[source.resource].axes() as usize;
        let message = if here == there {
            let (size, other_size) = (&size[..axes], &other_size[..axes]);
            format!(
                "`{one}` has {size:?} values along the axes, `{two}` has {other_size:?}: the border of only one repeats"
            )
        } else {
            let (here, there) = (here.key(), there.key());
            format!("the location of `{one}` is {here}, that of `{two}` is {there}")
        };
        let help = "write one output for each: the values of a file must have the same location";
        self.program.refuse(&source.place, message, help)
    }

    fn column(&self, field: FieldId, format: Format) -> Column {
        let field = &self.pipeline.fields[field];
        let (stored, components) = match field.element {
            Element::Rgba8 => (output::Scalar::Colour, 4),
            element => (stored(element.scalar()), element.components()),
        };
        Column {
            name: field.name.rsplit('.').next().unwrap_or(&field.name).to_owned(),
            stored,
            // Unsupported types are refused later under their own name.
            scalar: (format.descriptor().numbers)(stored).unwrap_or(stored),
            components: components * field.count.unwrap_or(1),
            entries: field.count,
            background: field.background,
        }
    }

    /// The attribute with the positions of particles, if the output needs one.
    fn position(&self, file: &OutputFile, source: &Source) -> Option<Option<FieldId>> {
        let resource = &self.pipeline.resources[source.resource];
        let name = match &file.position {
            None => POSITION.to_string(),
            Some(reference) => reference.name.as_ref()?.to_string(),
        };
        let known = self.pipeline.field(&format!("{}.{name}", resource.name));
        let known = known.filter(|field| self.pipeline.fields[*field].is(Element::Vec3));
        let is_set = resource.set().is_some();
        let Some(reference) = file.position.as_ref().filter(|_| !is_set || known.is_none()) else {
            return Some(known.filter(|_| is_set));
        };
        let message = format!("`{name}` is not a vec3 attribute of `{}`", resource.name);
        let help = match is_set {
            true => "name the attribute with the positions of the particles",
            false => "only particles have positions: remove it",
        };
        self.program.refuse(&reference.place, message, help)
    }

    fn selection(
        &self,
        file: &OutputFile,
        source: &Source,
        (location, size): (Location, [u64; 3]),
        position: Option<Option<FieldId>>,
    ) -> Option<Selection> {
        let (scope, program) = (Scope::of(0), self.program);
        let stride = program.count_or(&scope, file.stride.as_ref(), 1, [1, MAX_STRIDE]);
        let mut selection = Selection::default();
        if let Some(region) = &file.region {
            let resource = &self.pipeline.resources[source.resource];
            let (name, axes) = (&resource.name, resource.axes() as usize);
            let corners = program.corners(&scope, region, if axes == 2 { 2 } else { 3 })?;
            match (resource.lattice(), resource.is_placed()) {
                (Some(lattice), true) => {
                    let Some(boxed) = elements_in_box(lattice, corners, location, &size[..axes]) else {
                        let message = format!("the region contains no element of `{name}`");
                        let help = "it is in metres and selects cells by their centres";
                        return program.refuse(&region.place, message, help);
                    };
                    selection = boxed;
                }
                (None, _) if position == Some(None) => {
                    let message = format!("`{name}` has no vec3 attribute `{POSITION}`");
                    return program.refuse(&region.place, message, "name the attribute in `position`");
                }
                (None, _) => selection.region = Some(corners),
                (Some(_), _) => {
                    let message = format!("`{name}` has no position in world space");
                    let help =
                        "`region` is for cells, vertices and particles; use `stride` to write fewer elements";
                    return program.refuse(&region.place, message, help);
                }
            }
        }
        selection.stride = stride?;
        Some(selection)
    }

    fn style(&self, file: &OutputFile, format: Format) -> Option<Style> {
        let (program, scope) = (self.program, Scope::of(0));
        let before = program.mistakes();
        let only = |key: &str, place: Option<&Place>, has_it: &dyn Fn(Format) -> bool| {
            if let Some(place) = place.filter(|_| !has_it(format)) {
                let message = format!("{} has no `{key}`", format.extension());
                let formats = formats_with("", has_it);
                program.wrong(
                    place,
                    message,
                    format!("`{key}` is only for {formats}: remove it"),
                );
            }
        };
        let has = |setting| move |format: Format| format.has(setting);
        let whole = |is_given: bool| is_given.then_some(&file.place);
        let (half, bits) = match file.precision {
            Some(Precision::Half) => (true, None),
            Some(Precision::Bits(bits)) => (false, Some(bits)),
            Some(Precision::Full) | None => (false, None),
        };
        let (range, rate) = (file.range.as_ref(), file.rate.as_ref());
        only("precision", whole(half), &has(Setting::Precision));
        only("precision", whole(bits.is_some()), &has(Setting::Bits));
        only("range", range.map(|range| &range.place), &has(Setting::Range));
        only(
            "colormap",
            whole(file.colormap.is_some()),
            &has(Setting::Colormap),
        );
        let is_compressed = |format: Format| format.descriptor().compression.is_some();
        only("compression", whole(file.compression.is_some()), &is_compressed);
        only("rate", rate.map(|rate| &rate.place), &has(Setting::Rate));
        let mut style = Style {
            half,
            bits: bits.unwrap_or(8),
            colormap: file.colormap,
            compression: file.compression,
            ..Style::default()
        };
        if let Some(range) = range {
            let [black, white] = range
                .numbers
                .each_ref()
                .map(|number| program.number(&scope, number));
            style.range = Some([black?, white?]);
        }
        if let Some(rate) = rate {
            style.rate = program.number(&scope, rate)?;
            if !(0.01..=1000.0).contains(&style.rate) {
                let message = format!("{} frames per second are outside 0.01 to 1000", style.rate);
                program.wrong(&rate.place, message, "common rates are 24 and 30");
            }
        }
        (program.mistakes() == before).then_some(style)
    }
}

/// The ranges of elements of a lattice whose positions are in a box, along its first axes. `None` if there are none.
fn elements_in_box(
    lattice: &Lattice,
    [min, max]: [[f64; 3]; 2],
    location: Location,
    size: &[u64],
) -> Option<Selection> {
    let mut selection = Selection::default();
    for (axis, size) in size.iter().copied().enumerate() {
        let inside = lattice.form.placement.offset(location, axis)?;
        let place = |index: u64| lattice.origin[axis] + (index as f64 + inside) * lattice.spacing[axis];
        let guess = |at: f64| ((at - lattice.origin[axis]) / lattice.spacing[axis] - inside).round();
        // The cast saturates. Rounding may be off by one, so the exact ends follow from the positions.
        let first = (guess(min[axis]) as u64).saturating_sub(1);
        let first = (first..size.min(first + 4)).find(|index| place(*index) >= min[axis])?;
        let last = (guess(max[axis]) as u64).saturating_add(1).min(size - 1);
        let last = (first..=last)
            .rev()
            .take(4)
            .find(|index| place(*index) <= max[axis])?;
        selection.first[axis] = first;
        selection.within[axis] = last - first + 1;
    }
    Some(selection)
}

/// The type of stored numbers, as outputs name it.
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

/// The positions of the elements of a resource, for files.
fn geometry_of(resource: &Resource, location: Location) -> Geometry {
    let Some(lattice) = resource.lattice() else {
        return Geometry::Particles { position: None };
    };
    let (origin, spacing) = (lattice.origin, lattice.spacing);
    match lattice.form.placement {
        Placement::Centres if location == Location::Centre => Geometry::Cells { origin, spacing },
        Placement::Centres => {
            let mut origin = origin;
            for axis in 0..resource.axes() as usize {
                origin[axis] += location.offset(axis) * spacing[axis];
            }
            Geometry::Vertices { origin, spacing }
        }
        Placement::Vertices => Geometry::Vertices { origin, spacing },
        Placement::Pixels => Geometry::Image,
        Placement::Nowhere => Geometry::Nowhere,
    }
}
