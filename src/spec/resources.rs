//! The resources of a pipeline with their fields, as the program declares them.

use std::collections::HashSet;

use super::channels::{RGBA8, RGBA8_HELP};
use super::evaluate::all;
use super::file::{BufferFile, GridFile, ParticlesFile};
use super::ir_ids::Ids;
use super::lookup::AtLevel;
use super::program::*;
use super::scope::Scope;
use crate::element::Element;
use crate::ir::*;
use crate::lower::emission;
use crate::particles::files::{Layout, POSITION};
use crate::problem::{Place, Problem};

/// Maximum number of copies of a particle set.
const MAX_RING: u64 = 16;
/// Default ring of a particle set: one copy is drawn and downloaded while the other is written.
const DEFAULT_RING: u64 = 2;

impl<'f> Program<'f> {
    /// Adds the resources that are used. The particles of `thinned` sets get an attribute with their indices.
    pub fn add_resources(&self, pipeline: &mut Pipeline, thinned: &HashSet<DeclId>) -> Ids {
        let mut ids = Ids::default();
        let used = self
            .decls
            .iter()
            .enumerate()
            .filter(|(_, decl)| decl.is_used.get());
        for (decl, found) in used {
            let is_thinned = thinned.contains(&decl);
            let is_added = match found.kind {
                DeclKind::Grid(grid) => self.add_grid(pipeline, decl, grid, &mut ids),
                DeclKind::Particles(set) => self.add_set(pipeline, decl, set, is_thinned, &mut ids),
                DeclKind::Buffer(buffer) => self.add_buffer(pipeline, decl, buffer, &mut ids),
            };
            if is_added.is_some() && found.channels.borrow().is_empty() {
                let message = "a resource requires at least one channel";
                self.wrong(found.key, message, "add one, such as {\"heat\": \"float\"}");
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
        let (of, number) = (pipeline.resources.len(), 0);
        let lattice = Lattice {
            form: self.form(decl, file)?,
            origin,
            spacing,
            sparse,
            level: (levels > 1).then_some(Level { of, number }),
        };
        let resource = found.resource(size.elements, ResourceKind::Lattice(lattice));
        let id = ids.add_resource(pipeline, decl, resource);
        let first = pipeline.fields.len();
        self.add_channels(pipeline, decl, id, 1, ids);
        for number in 1..levels {
            self.add_level(pipeline, decl, Level { of: id, number }, ids);
        }
        if let ResourceKind::Lattice(lattice) = &mut pipeline.resources[id].kind
            && let Some(sparse) = &mut lattice.sparse
        {
            sparse.channels = (first..pipeline.fields.len()).collect();
            let fields = pipeline.fields[first..].iter_mut();
            fields.for_each(|field| field.home = Home::Pages);
        }
        Some(())
    }

    /// Adds a further level of a grid, with the channels that level 0 has. Their initial values are the backgrounds.
    fn add_level(&self, pipeline: &mut Pipeline, decl: DeclId, Level { of, number }: Level, ids: &mut Ids) {
        let mut resource = pipeline.resources[of].clone();
        resource.name = format!("{}[{number}]", resource.name);
        resource.size = resource.size.map(|cells| cells.div_ceil(1 << number));
        if let ResourceKind::Lattice(lattice) = &mut resource.kind {
            lattice.spacing = lattice.spacing.map(|side| side * f64::from(number).exp2());
            lattice.level = Some(Level { of, number });
        }
        let level_name = resource.name.clone();
        let resource = pipeline.add_resource(resource);
        let at = |id| AtLevel { id, level: number };
        ids.resources.insert(at(decl), resource);
        for id in self.decls[decl].channels.borrow().iter().copied() {
            let Some(field) = ids.field(AtLevel::finest(id)) else {
                continue;
            };
            let (field, channel) = (&pipeline.fields[field], &self.channels[id]);
            let name = match channel.added_by {
                Some(_) => format!("{}[{number}]", field.name),
                None => format!("{level_name}.{}", channel.name),
            };
            let field = pipeline.add_field(Field {
                name,
                resource,
                start: Start::Background,
                given: channel.property(|full| full.background.as_ref()).is_some(),
                ..field.clone()
            });
            ids.fields.insert(at(id), field);
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
        let (from, identity) = (Vec::new(), None);
        let kind = ResourceKind::Set(ParticleSet { from, live, identity });
        let id = ids.add_resource(pipeline, decl, found.resource(size.elements, kind));
        self.add_channels(pipeline, decl, id, ring, ids);
        let identity = is_thinned.then(|| emission::identity(pipeline, id, ring, count));
        let from = match &set.from {
            Some(_) => self.sources(pipeline, decl, self.particle_sources(decl, set)?, ids)?,
            None => Vec::new(),
        };
        if let ResourceKind::Set(found) = &mut pipeline.resources[id].kind {
            (found.identity, found.from) = (identity, from);
        }
        Some(())
    }

    /// The initial attributes that the sources of a set define.
    fn sources(
        &self,
        pipeline: &mut Pipeline,
        decl: DeclId,
        checked: &[CheckedSource<'f>],
        ids: &Ids,
    ) -> Option<Vec<ParticleSource>> {
        let found = &self.decls[decl];
        let channels = found.channels.borrow();
        let field_of = |name: &str| {
            let is_called = |id: &&ChannelId| {
                let channel = &self.channels[**id];
                channel.name == name && channel.added_by.is_none()
            };
            ids.field(AtLevel::finest(*channels.iter().find(is_called)?))
        };
        let position = field_of(POSITION).filter(|field| pipeline.fields[*field].is(Element::Vec3));
        let Some(position) = position else {
            let message = format!("a set with `from` requires a vec3 attribute `{POSITION}`");
            let help = format!("add \"{POSITION}\": \"vec3\" to the attributes");
            return self.refuse(found.key, message, help);
        };
        pipeline.fields[position].given = true;
        let scope = Scope::of(found.instance);
        let mut sources = Vec::new();
        let mut first = 0;
        for source in checked {
            let mut origin = source.origin.clone();
            if let (ParticleOrigin::Points { path, fields, .. }, Some(layout), Some(file)) =
                (&mut origin, &source.layout, &source.file.file)
            {
                *fields = self.fields_of(pipeline, decl, layout, ids, (&file.place, path));
            }
            let mut set = Vec::new();
            for (name, item) in source.file.set.iter() {
                let Some(field) = field_of(name) else {
                    let known = channels.iter().map(|id| self.channels[*id].name.as_str());
                    let message = format!("`{name}` is not an attribute of this set");
                    let problem = Problem::at(&item.key, message, "add it to the attributes");
                    self.report(problem.suggest(name, known));
                    continue;
                };
                let components = item.value.as_ref().and_then(|numbers| {
                    let field = &pipeline.fields[field];
                    self.with(Effect::Restart, || self.components(&scope, numbers, field))
                });
                // Values with mistakes are reported, so do not also report a field without values.
                pipeline.fields[field].given = true;
                set.extend(components.map(|components| (field, components)));
            }
            let (count, pointer) = (source.count, source.file.pointer.clone());
            sources.push(ParticleSource {
                origin,
                first,
                count,
                position,
                set,
                pointer,
            });
            first += count;
        }
        Some(sources)
    }

    /// The attributes of a set that a file contains, except for the position.
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
            let column = layout.column(name).filter(|_| name != POSITION);
            let Some((field, column)) = ids.field(AtLevel::finest(*channel)).zip(column) else {
                continue;
            };
            let points = layout.points().unwrap_or(0);
            let found = &mut pipeline.fields[field];
            let fits = match column.points {
                n if n == points => column.check(found.element, found.entries()),
                n => Err(format!(
                    "it has {points} positions, but its `{name}` has {n} values"
                )),
            };
            match fits {
                Ok(()) => {
                    fields.push(field);
                    found.given = true;
                }
                Err(cause) => {
                    let help = format!("change the type of `{name}`, or rename the attribute");
                    self.report_file(place, path, &cause, &help);
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
        resource.pointer = found.pointer.to_string();
        if file.channels.is_some() {
            resource.kind = ResourceKind::Lattice(Lattice::of(&TABLE));
            let id = ids.add_resource(pipeline, decl, resource);
            self.add_channels(pipeline, decl, id, 1, ids);
            return Some(());
        }
        let id = ids.add_resource(pipeline, decl, resource);
        let channel = *found.channels.borrow().first()?;
        let scope = Scope::of(found.instance);
        let element = file.element?;
        if element == Element::Rgba8 {
            return self.refuse(&file.place, RGBA8, RGBA8_HELP);
        }
        let bytes = |item| self.with(Effect::Restart, || self.bytes(&scope, item, element));
        let values = match &file.values {
            Some(list) => Some(all(list.iter().map(bytes))?.concat()),
            None => None,
        };
        let background = match &file.background {
            Some(number) => self.value_of_channel(&self.channels[channel], number, found.instance),
            None => Some(0.0),
        };
        let bounds = match &file.bounds {
            Some(pair) => Some(self.bounds(pair, element, found.instance)?),
            None => None,
        };
        let field = Field {
            element,
            background: background?,
            given: values.is_some() || file.background.is_some(),
            bounds,
            start: values.map_or(Start::Background, Start::Values),
            pointer: found.pointer.to_string(),
            ..Field::words(found.name.clone(), id)
        };
        ids.add_field(pipeline, channel, field);
        Some(())
    }
}

impl Decl<'_> {
    fn resource(&self, size: [u64; 3], kind: ResourceKind) -> Resource {
        let (name, pointer) = (self.name.clone(), self.pointer.to_string());
        Resource {
            name,
            size,
            kind,
            pointer,
        }
    }
}
