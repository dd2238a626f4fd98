//! The resources of a pipeline with their fields, as the program declares them.

use std::collections::{HashMap, HashSet};

use super::file::{BorderFile, BorderWordFile, BufferFile, GridFile, LocationFile, Pair, ParticlesFile};
use super::lookup::AtLevel;
use super::program::*;
use super::scope::Scope;
use crate::element::Element;
use crate::ir::*;
use crate::lower::emission;
use crate::particles::files::{Layout, POSITION};
use crate::problem::{Place, Problem};

/// Most copies of a particle set.
const MAX_RING: u64 = 16;
/// Ring of a particle set that names none: one copy is drawn and downloaded while the other is written.
const DEFAULT_RING: u64 = 2;

/// Resources and fields of a pipeline by what they are declared as. What has a mistake is missing.
#[derive(Default)]
pub(crate) struct Ids {
    pub resources: HashMap<AtLevel<DeclId>, ResourceId>,
    pub fields: HashMap<AtLevel<ChannelId>, FieldId>,
}

impl<'f> Program<'f> {
    /// Adds the resources that are used. The particles of `thinned` sets get an attribute with their numbers.
    pub(crate) fn add_resources(&self, pipeline: &mut Pipeline, thinned: &HashSet<DeclId>) -> Ids {
        let mut ids = Ids::default();
        for (decl, found) in self
            .decls
            .iter()
            .enumerate()
            .filter(|(_, decl)| decl.is_used.get())
        {
            let is_added = match found.kind {
                DeclKind::Grid(grid) => self.add_grid(pipeline, decl, grid, &mut ids),
                DeclKind::Particles(set) => {
                    self.add_set(pipeline, decl, set, thinned.contains(&decl), &mut ids)
                }
                DeclKind::Buffer(buffer) => self.add_buffer(pipeline, decl, buffer, &mut ids),
            };
            if is_added.is_some() && found.channels.borrow().is_empty() {
                let problem =
                    Problem::at_place(found.key.clone(), "a resource requires at least one channel");
                self.report(problem.help("add one, such as {\"heat\": \"float\"}"));
            }
        }
        ids
    }

    fn add_grid(
        &self,
        pipeline: &mut Pipeline,
        decl: DeclId,
        file: &'f GridFile,
        ids: &mut Ids,
    ) -> Option<()> {
        let found = &self.decls[decl];
        let (size, spacing, origin) = (self.size(decl), self.spacing(decl), self.origin(decl, file));
        let levels = self.levels(decl).copied();
        let (size, spacing, origin, levels) = (size?, spacing?, origin?, levels?);
        let sparse = match &file.sparse {
            Some(sparse) => Some(self.sparse_grid(pipeline, decl, sparse)?),
            None => None,
        };
        let number = pipeline.resources.len();
        let id = pipeline.add_resource(Resource {
            name: found.name.clone(),
            size: size.elements,
            kind: Kind::Lattice(Lattice {
                form: self.form(decl, file)?,
                origin,
                spacing,
                sparse,
                level: (levels > 1).then_some(Level {
                    of: number,
                    number: 0,
                }),
            }),
            pointer: found.pointer.to_string(),
        });
        ids.resources.insert(AtLevel { id: decl, level: 0 }, id);
        let first = pipeline.fields.len();
        self.add_channels(pipeline, decl, id, 1, ids);
        self.further_levels(pipeline, decl, id, levels, ids);
        if let Kind::Lattice(Lattice {
            sparse: Some(sparse), ..
        }) = &mut pipeline.resources[id].kind
        {
            sparse.channels = (first..pipeline.fields.len()).collect();
            pipeline.fields[first..]
                .iter_mut()
                .for_each(|field| field.home = Home::Pages);
        }
        Some(())
    }

    /// Adds the further levels of a grid, with the channels that level 0 has. They start as backgrounds.
    fn further_levels(
        &self,
        pipeline: &mut Pipeline,
        decl: DeclId,
        grid: ResourceId,
        levels: u32,
        ids: &mut Ids,
    ) {
        let channels = self.decls[decl].channels.borrow();
        for number in 1..levels {
            let finest = &pipeline.resources[grid];
            let mut level = finest.clone();
            level.name = format!("{}[{number}]", finest.name);
            level.size = finest.size.map(|cells| cells.div_ceil(1 << number));
            if let Kind::Lattice(lattice) = &mut level.kind {
                lattice.spacing = lattice.spacing.map(|side| side * f64::from(number).exp2());
                lattice.level = Some(Level { of: grid, number });
            }
            let resource = pipeline.add_resource(level);
            ids.resources.insert(
                AtLevel {
                    id: decl,
                    level: number,
                },
                resource,
            );
            for channel in channels.iter() {
                let Some(field) = ids.fields.get(&AtLevel {
                    id: *channel,
                    level: 0,
                }) else {
                    continue;
                };
                let field = &pipeline.fields[*field];
                let name = match self.channels[*channel].added_by {
                    Some(_) => format!("{}[{number}]", field.name),
                    None => format!(
                        "{}[{number}].{}",
                        self.decls[decl].name, self.channels[*channel].name
                    ),
                };
                let field = Field {
                    name,
                    resource,
                    start: Start::Background,
                    given: self.channels[*channel]
                        .property(|full| full.background.as_ref())
                        .is_some(),
                    ..field.clone()
                };
                let field = pipeline.add_field(field);
                ids.fields.insert(
                    AtLevel {
                        id: *channel,
                        level: number,
                    },
                    field,
                );
            }
        }
    }

    fn add_set(
        &self,
        pipeline: &mut Pipeline,
        decl: DeclId,
        set: &'f ParticlesFile,
        is_thinned: bool,
        ids: &mut Ids,
    ) -> Option<()> {
        let found = &self.decls[decl];
        let scope = Scope::of(found.instance);
        let ring = self.with(Effect::Restart, || {
            self.count_or(&scope, set.ring.as_ref(), DEFAULT_RING, [1, MAX_RING])
        });
        let size = self.size(decl);
        let (ring, size) = (ring? as u32, size?);
        let count = match &set.capacity {
            Some(_) => Some(self.initial_count(decl, set)?),
            None => None,
        };
        let live = count.map(|count| emission::live_field(pipeline, &found.name, ring, count));
        let id = pipeline.add_resource(Resource {
            name: found.name.clone(),
            size: size.elements,
            kind: Kind::Set(Set {
                from: Vec::new(),
                live,
                identity: None,
            }),
            pointer: found.pointer.to_string(),
        });
        ids.resources.insert(AtLevel { id: decl, level: 0 }, id);
        self.add_channels(pipeline, decl, id, ring, ids);
        let identity = is_thinned.then(|| emission::identity(pipeline, id, ring, count));
        let from = match &set.from {
            Some(_) => self.sources(pipeline, decl, self.begun(decl, set)?, ids)?,
            None => Vec::new(),
        };
        if let Kind::Set(found) = &mut pipeline.resources[id].kind {
            (found.identity, found.from) = (identity, from);
        }
        Some(())
    }

    /// What the sources do to the attributes of their set.
    fn sources(
        &self,
        pipeline: &mut Pipeline,
        decl: DeclId,
        begun: &[Begun<'f>],
        ids: &Ids,
    ) -> Option<Vec<Source>> {
        let found = &self.decls[decl];
        let field_of = |name: &str| {
            let channels = found.channels.borrow();
            let channel = channels
                .iter()
                .find(|id| self.channels[**id].name == name && self.channels[**id].added_by.is_none())?;
            ids.fields
                .get(&AtLevel {
                    id: *channel,
                    level: 0,
                })
                .copied()
        };
        let position = field_of(POSITION).filter(|field| pipeline.fields[*field].is(Element::Vec3));
        let Some(position) = position else {
            let message = format!("a set with `from` requires a vec3 attribute `{POSITION}`");
            let help = format!("add \"{POSITION}\": \"vec3\" to the attributes");
            self.report(Problem::at_place(found.key.clone(), message).help(help));
            return None;
        };
        pipeline.fields[position].given = true;
        let mut sources = Vec::new();
        let mut first = 0;
        for begun in begun {
            let mut origin = begun.origin.clone();
            if let (Origin::Points { path, fields, .. }, Some(layout), Some(file)) =
                (&mut origin, &begun.layout, &begun.file.file)
            {
                *fields = self.fields_of(pipeline, decl, layout, ids, (&file.place, path));
            }
            let mut set = Vec::new();
            for (name, item) in begun.file.set.iter() {
                let Some(field) = field_of(name) else {
                    let channels = found.channels.borrow();
                    let known = channels.iter().map(|id| self.channels[*id].name.as_str());
                    let problem = Problem::at_place(
                        item.key.clone(),
                        format!("`{name}` is not an attribute of this set"),
                    );
                    self.report(problem.help("add it to the attributes").suggest(name, known));
                    continue;
                };
                let scope = Scope::of(found.instance);
                let components = item.value.as_ref().and_then(|numbers| {
                    self.with(Effect::Restart, || {
                        self.components(&scope, numbers, &pipeline.fields[field])
                    })
                });
                // What is wrong with the values is reported; that nobody gives any is not wrong as well.
                pipeline.fields[field].given = true;
                set.extend(components.map(|components| (field, components)));
            }
            let pointer = begun.file.pointer.clone();
            sources.push(Source {
                origin,
                first,
                count: begun.count,
                position,
                set,
                pointer,
            });
            first += begun.count;
        }
        Some(sources)
    }

    /// The attributes of a set that a file has, but for the position.
    fn fields_of(
        &self,
        pipeline: &mut Pipeline,
        decl: DeclId,
        layout: &Layout,
        ids: &Ids,
        (place, path): (&Place, &std::path::Path),
    ) -> Vec<FieldId> {
        let mut fields = Vec::new();
        for channel in self.decls[decl].channels.borrow().iter() {
            let name = &self.channels[*channel].name;
            let Some(field) = ids
                .fields
                .get(&AtLevel {
                    id: *channel,
                    level: 0,
                })
                .copied()
            else {
                continue;
            };
            let Some(column) = layout.column(name).filter(|_| name != POSITION) else {
                continue;
            };
            let points = layout.points().unwrap_or(0);
            let found = &pipeline.fields[field];
            let fits = match column.points == points {
                true => column.check(found.element, found.entries()),
                false => Err(format!(
                    "it has {points} positions, but its `{name}` has {} values",
                    column.points
                )),
            };
            match fits {
                Ok(()) => {
                    fields.push(field);
                    pipeline.fields[field].given = true;
                }
                Err(cause) => {
                    let help = format!("change the type of `{name}`, or rename the attribute");
                    self.in_file(place, path, &cause, &help);
                }
            }
        }
        fields
    }

    fn add_buffer(
        &self,
        pipeline: &mut Pipeline,
        decl: DeclId,
        file: &'f BufferFile,
        ids: &mut Ids,
    ) -> Option<()> {
        let found = &self.decls[decl];
        let length = self.size(decl)?.elements[0];
        let mut resource = Resource::buffer(found.name.clone(), length);
        if file.channels.is_some() {
            resource.kind = Kind::Lattice(Lattice::of(&TABLE));
        }
        resource.pointer = found.pointer.to_string();
        let id = pipeline.add_resource(resource);
        ids.resources.insert(AtLevel { id: decl, level: 0 }, id);
        if file.channels.is_some() {
            self.add_channels(pipeline, decl, id, 1, ids);
            return Some(());
        }
        let channel = *found.channels.borrow().first()?;
        let scope = Scope::of(found.instance);
        let element = file.element?;
        if element == Element::Rgba8 {
            let problem = Problem::at_place(file.place.clone(), "`rgba8` is only for channels of pixels");
            self.report(problem.help("use uint, or vec4"));
            return None;
        }
        let values = match &file.values {
            None => None,
            Some(list) => {
                let bytes = |item| self.with(Effect::Restart, || self.bytes(&scope, item, element));
                let bytes: Vec<Option<Vec<u8>>> = list.iter().map(bytes).collect();
                Some(bytes.into_iter().collect::<Option<Vec<_>>>()?.concat())
            }
        };
        let of_channel = &self.channels[channel];
        let background = match &file.background {
            Some(number) => self.value_of_channel(of_channel, number, found.instance),
            None => Some(0.0),
        };
        let bounds = match &file.bounds {
            Some(pair) => Some(self.bounds(pair, element, found.instance)?),
            None => None,
        };
        let field = pipeline.add_field(Field {
            element,
            background: background?,
            given: values.is_some() || file.background.is_some(),
            bounds,
            start: values.map_or(Start::Background, Start::Values),
            pointer: found.pointer.to_string(),
            ..Field::words(found.name.clone(), id)
        });
        ids.fields.insert(
            AtLevel {
                id: channel,
                level: 0,
            },
            field,
        );
        Some(())
    }

    fn add_channels(&self, pipeline: &mut Pipeline, decl: DeclId, id: ResourceId, ring: u32, ids: &mut Ids) {
        for number in self.decls[decl].channels.borrow().iter() {
            let channel = &self.channels[*number];
            if channel.is_used.get()
                && let Some(field) = self.field_of_channel(pipeline, channel, id, ring)
            {
                let field = pipeline.add_field(field);
                ids.fields.insert(
                    AtLevel {
                        id: *number,
                        level: 0,
                    },
                    field,
                );
            }
        }
    }

    fn field_of_channel(
        &self,
        pipeline: &Pipeline,
        channel: &Channel<'f>,
        id: ResourceId,
        ring: u32,
    ) -> Option<Field> {
        let resource = &pipeline.resources[id];
        let element = channel.element;
        if element == Element::Rgba8 && !resource.form().is_some_and(|form| form.colours) {
            let problem = Problem::at_place(channel.key.clone(), "`rgba8` is only for channels of pixels");
            self.report(problem.help("use uint, or vec4"));
            return None;
        }
        let count = self.entries(channel)?;
        let stated = channel.property(|full| full.background.as_ref());
        let background = match stated {
            Some((number, scope)) => self.value_of_channel(channel, number, scope),
            None => Some(0.0),
        };
        let bounds = match channel.property(|full| full.bounds.as_ref()) {
            Some((pair, scope)) => Some(self.bounds(pair, element, scope)?),
            None => None,
        };
        let (at, border) = self.location(channel, resource)?;
        let mut field = Field {
            name: channel.full.clone(),
            resource: id,
            element,
            count,
            background: background?,
            given: stated.is_some(),
            bounds,
            start: Start::Background,
            ring,
            home: Home::Device,
            at,
            border,
            pointer: channel.pointer.clone(),
        };
        if let Some((pointer, _)) =
            channel.property(|full| full.values.as_ref().map(|_| full.pointer.clone()))
        {
            field.pointer = pointer;
        }
        field.given |= channel.property(|full| full.values.as_ref()).is_some();
        field.start = self.with(Effect::Restart, || self.start(pipeline, channel, &field))?;
        Some(field)
    }

    /// Where in their cells the values of a channel lie, and what a read beyond its border returns.
    fn location(
        &self,
        channel: &Channel<'f>,
        resource: &Resource,
    ) -> Option<(Option<Location>, Option<Borders>)> {
        let at = channel.property(|full| full.at).map(|(at, _)| match at {
            LocationFile::Centre => Location::Centre,
            LocationFile::FaceX => Location::Face(0),
            LocationFile::FaceY => Location::Face(1),
            LocationFile::FaceZ => Location::Face(2),
            LocationFile::Node => Location::Node,
        });
        let border = channel
            .property(|full| full.border.as_ref())
            .map(|(border, _)| border);
        let words: &[BorderWordFile] = match border {
            None => &[],
            Some(BorderFile::All(word)) => std::slice::from_ref(word),
            Some(BorderFile::Each(words)) => words,
        };
        let borders: Vec<Border> = words
            .iter()
            .map(|word| match word {
                BorderWordFile::Background => Border::Background,
                BorderWordFile::Clamp => Border::Clamp,
                BorderWordFile::Repeat => Border::Repeat,
            })
            .collect();
        let (name, axes) = (&resource.name, resource.axes() as usize);
        let (message, help) = match at {
            Some(_) if !resource.is_grid() => (
                format!("`{name}` is not a grid of cells, so its values have no location in cells"),
                format!("remove `at`: there is one value for each {}", resource.element_name()),
            ),
            Some(Location::Face(axis)) if axis >= axes => (
                format!("`{name}` is a 2-D grid, which has no faces across z"),
                "write face_x, face_y, node or centre".to_string(),
            ),
            Some(stated @ (Location::Face(_) | Location::Node)) if resource.sparse().is_some() => (
                format!("blocks of sparse grids contain cells only, not values at {}", stated.key()),
                "remove `at` and let cell i contain the face or corner at its low end; one more cell along each axis \
                 contains the last ones"
                    .to_string(),
            ),
            _ if border.is_some() && axes < 2 => (
                format!("`{name}` is a list, and lists have no border"),
                "remove `border`: it is for grids".to_string(),
            ),
            _ if matches!(border, Some(BorderFile::Each(_))) && borders.len() != axes => (
                format!("`{name}` has {axes} axes, and the list has {} words", borders.len()),
                "write one word for each axis, x first, or one word for all, without a list".to_string(),
            ),
            _ => return Some((at, Borders::of_axes(&borders))),
        };
        self.report(Problem::at_place(channel.key.clone(), message).help(help));
        None
    }

    /// Bounds of a field's values.
    fn bounds(&self, pair: &Pair, element: Element, scope: InstanceId) -> Option<[f64; 2]> {
        let bounds = self.with(Effect::Restart, || self.pair(&Scope::of(scope), pair, true))?;
        let name = element.name();
        let (message, help) = if !element.is_measurable() {
            (
                format!("values of type {name} cannot be watched"),
                "remove `bounds`, or use int or uint",
            )
        } else if element == Element::Rgba8 {
            (
                "values of type rgba8 are always colours from 0 to 1".to_string(),
                "remove `bounds`",
            )
        } else if bounds
            .iter()
            .any(|bound| element.component_bits(*bound).is_none())
        {
            let help = match element.scalar().is_float() {
                true => "write numbers in the range of the type",
                false => "write whole numbers in the range of the type",
            };
            (
                format!("{} and {} are not values of type {name}", bounds[0], bounds[1]),
                help,
            )
        } else {
            return Some(bounds);
        };
        self.report(Problem::at_place(pair.place.clone(), message).help(help));
        None
    }
}
