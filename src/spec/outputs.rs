//! Outputs: their fields, intervals and formats.

use super::file::*;
use super::output_columns::ID;
use super::output_sources::{Source, SourceKind};
use super::resolver::Resolver;
use super::scope::Scope;
use crate::element::Element;
use crate::ir::*;
use crate::lower::meaning::Meaning;
use crate::output::{self, Content, Format, Geometry, Setting, Style};
use crate::problem::Place;

/// The default attribute of the positions of particles.
pub(super) const POSITION: &str = "position";

impl<'f> Resolver<'_, 'f> {
    /// Adds outputs and series.
    pub fn outputs(&self, meaning: &mut Meaning) {
        let file = self.program.instances[0].file;
        for (name, item) in file.outputs.iter() {
            if name.len() > output::MAX_NAME_BYTES {
                let (length, limit) = (name.len(), output::MAX_NAME_BYTES);
                let message =
                    format!("this output name has {length} characters, more than the limit of {limit}");
                let help = "use a shorter name: it becomes a file name";
                self.program.wrong(&item.key, message, help);
            } else if output::check_name(name).is_err() {
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
            ("scale", file.scale.as_ref().map(ScaleFile::place)),
            ("names", file.names.as_ref().map(|_| &file.place)),
            ("units", file.units.as_ref().map(UnitsFile::place)),
            ("class", file.class.map(|_| &file.place)),
            ("id", file.id.map(|_| &file.place)),
            ("initial", file.initial.map(|_| &file.place)),
            ("prune", file.prune.map(|_| &file.place)),
            ("rate", file.rate.as_ref().map(|rate| &rate.place)),
            ("position", file.position.as_ref().map(|position| &position.place)),
            ("faces", file.faces.as_ref().map(|faces| &faces.place)),
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
            let message = format!("a series cannot be written as {}", format.name());
            self.program.wrong(&file.place, message, "write csv or jsonl");
        }
    }

    fn output(&self, name: &str, file: &OutputFile, pipeline: &Pipeline) -> Option<Output> {
        let scope = Scope::of(0);
        let every = self
            .program
            .count_or(&scope, file.every.as_ref(), 1, [1, 1 << 40]);
        let mut source = self.source(file.source.as_ref()?)?;
        let format = self.format(file, &source)?;
        let staggered = self.staggered(file, &mut source);
        let mut fields = match &staggered {
            Some(staggered) => staggered.fields.to_vec(),
            None => self.of_one_location(self.supported_fields(format, &source), &source)?,
        };
        let first = &pipeline.fields[fields[0]];
        let resource = &pipeline.resources[source.resource];
        let (location, size) = match &staggered {
            Some(staggered) => (Location::Centre, staggered.size()),
            None => (first.location(), resource.size_of(first)),
        };
        let frame_seconds = pipeline.dt * f64::from(pipeline.steps_per_frame);
        let style = self.style(file, format, frame_seconds * every.unwrap_or(1) as f64);
        let position = self.position(file, &source);
        let scales = self.scales(file, &source);
        let selection = self.selection(file, &source, (location, size), position);
        let (every, style, position, scales, selection) = (every?, style?, position?, scales?, selection?);
        let own = fields.len();
        if file.id == Some(true) {
            fields.push(self.identity(resource, &source)?);
        }
        let mut shape = size[..resource.axes() as usize].to_vec();
        shape.reverse();
        let mut content = Content {
            format,
            columns: (fields.iter())
                .map(|field| {
                    let scale = scales.of(&self.pipeline.fields[*field].name);
                    self.column(*field, format, source.component, scale)
                })
                .collect(),
            shape,
            geometry: geometry_of(resource, location),
            map: None,
            live: None,
            active: None,
            staggered: None,
            faces: None,
            identity: None,
            selection,
            style,
            frame_seconds,
        };
        for column in &mut content.columns[own..] {
            (column.name, column.picked) = (ID.to_owned(), None);
        }
        if let Some(staggered) = &staggered {
            self.merge_columns(&mut content, staggered, &source)?;
        }
        let mut parts = parts(&mut content, fields, resource, position);
        if let Some(reference) = &file.faces {
            content.faces = Some(self.faces(reference, file, &source, &mut parts)?);
        }
        self.name_columns(file, &source, &mut content)?;
        self.add_units(file, &source, &mut content)?;
        if let Some(reason) = output::unfit(&content) {
            let (reason, remedy) = reason
                .split_once(": ")
                .unwrap_or((&reason, "choose another `format`"));
            let (text, format) = (&source.text, format.name());
            let message = format!("`{text}` cannot be written as {format}: {reason}");
            return self.program.refuse(&source.place, message, remedy);
        }
        if format.descriptor().has_map {
            content.map = Some(self.map(name, &source, &content)?);
        }
        Some(Output {
            name: name.to_owned(),
            source: source.text,
            fields: parts,
            content,
            every,
            initial: file.initial == Some(true),
        })
    }

    /// The attribute with the numbers of particles.
    fn identity(&self, resource: &Resource, source: &Source) -> Option<FieldId> {
        match resource.identity() {
            Some(identity) if source.component.is_none() => Some(identity.field),
            _ => {
                let message = format!("`{}` are not particles, so they have no `id`", source.text);
                let help = "only particle sets, and lists of their attributes, have one: remove it";
                self.program.refuse(&source.place, message, help)
            }
        }
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
            (None, SourceKind::Field, _) if pictures == 1 && source.component.is_none() => Format::Png,
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
            let column = self.column(**field, format, None, None);
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
        let help = if is_set {
            "name the attribute with the positions of the particles"
        } else {
            "only particles have positions: remove it"
        };
        self.program.refuse(&reference.place, message, help)
    }

    fn style(&self, file: &OutputFile, format: Format, frame_seconds: f64) -> Option<Style> {
        let (program, scope) = (self.program, Scope::of(0));
        let before = program.mistakes();
        let only = |key: &str, place: Option<&Place>, has_it: &dyn Fn(Format) -> bool| {
            if let Some(place) = place.filter(|_| !has_it(format)) {
                let message = format!("{} has no `{key}`", format.name());
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
        only("names", whole(file.names.is_some()), &has(Setting::Names));
        only("prune", whole(file.prune == Some(true)), &has(Setting::Prune));
        only(
            "faces",
            file.faces.as_ref().map(|faces| &faces.place),
            &has(Setting::Faces),
        );
        only("class", whole(file.class.is_some()), &has(Setting::Class));
        let mut style = Style {
            half,
            bits: bits.unwrap_or(8),
            colormap: file.colormap,
            compression: file.compression,
            prune: file.prune == Some(true),
            class: file.class,
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
            style.rate = if rate.is_word("real")? {
                1.0 / frame_seconds
            } else {
                program.number(&scope, rate)?
            };
            if !(0.01..=1000.0).contains(&style.rate) {
                let message = format!("{} frames per second are outside 0.01 to 1000", style.rate);
                program.wrong(&rate.place, message, "common rates are 24 and 30");
            }
        }
        (program.mistakes() == before).then_some(style)
    }
}

/// The fields of a payload: those of the columns, then others that the content refers to.
fn parts(
    content: &mut Content,
    fields: Vec<FieldId>,
    resource: &Resource,
    position: Option<FieldId>,
) -> Vec<FieldId> {
    let descriptor = content.format.descriptor();
    let mut parts = fields;
    let mut part = |field: FieldId| {
        parts.iter().position(|known| *known == field).unwrap_or_else(|| {
            parts.push(field);
            parts.len() - 1
        })
    };
    if let (Geometry::Particles { position: place }, Some(field)) = (&mut content.geometry, position)
        && (descriptor.takes_points() || content.selection.region.is_some())
    {
        *place = Some(part(field));
    }
    content.live = resource.live().map(&mut part);
    if content.selection.stride > 1 {
        content.identity = resource.identity().map(|identity| part(identity.field));
    }
    if let (true, Some(sparse)) = (descriptor.has_active, resource.sparse()) {
        content.active = Some((part(sparse.fields.active), sparse.layout.clone()));
    }
    parts
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
