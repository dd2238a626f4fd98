//! The local resources and fields of a kernel.

use super::super::{
    Home, LocalChannel, LocalField, LocalMeasured, LocalPages, LocalPlace, LocalResource, LocalShape,
    Measured, Over, Pipeline, Reach, Reaches, ResourceId, ResourceKind,
};
use super::{Binding, Draft, Role};

impl Draft {
    /// The number of a local resource; names the resource if it has no name yet.
    pub(super) fn local_or_new(&mut self, pipeline: &Pipeline, resource: ResourceId) -> usize {
        self.local(resource).unwrap_or_else(|| {
            self.name_resource(&pipeline.resources[resource].symbol(), resource);
            self.resources.len() - 1
        })
    }

    /// The local resource of a local field. A buffer has the name of its field.
    pub(super) fn local_of(&mut self, pipeline: &Pipeline, binding: usize) -> usize {
        let Binding { name, of, field, .. } = &self.bindings[binding];
        let resource = pipeline.fields[*field].resource;
        let is_buffer = pipeline.resources[resource].is_buffer();
        let wanted = if is_buffer { Some(name) } else { of.as_ref() };
        let named = wanted.and_then(|wanted| {
            let mut resources = self.resources.iter();
            resources.position(|(name, id)| name == wanted && *id == resource)
        });
        match named {
            Some(local) => local,
            None if is_buffer => {
                let name = name.clone();
                self.name_resource(&name, resource);
                self.resources.len() - 1
            }
            None => self.local_or_new(pipeline, resource),
        }
    }

    pub(super) fn local_field(&mut self, pipeline: &Pipeline, number: usize) -> LocalField {
        let resource = self.local_of(pipeline, number);
        let binding = &self.bindings[number];
        let field = &pipeline.fields[binding.field];
        let (background, count) = match binding.element {
            Some(_) => (0, None),
            None => (
                field.element.component_bits(field.background).unwrap_or(0),
                field.count,
            ),
        };
        let element = binding.element.unwrap_or(field.element);
        let place = match (field.home, pipeline.sparse_of(binding.field)) {
            (Home::Pages, Some(grid)) => {
                let channels = grid
                    .channels
                    .iter()
                    .take_while(|channel| **channel != binding.field);
                let before = channels.map(|channel| pipeline.fields[*channel].bytes() as u32);
                LocalPlace::Blocks { before: before.sum() }
            }
            _ => LocalPlace::Buffer,
        };
        LocalField {
            name: binding.name.clone(),
            resource,
            element,
            count,
            background,
            reads: binding.reads,
            writes: binding.writes,
            place,
            reach: self.reach_of(pipeline, number),
            alternation: self.alternations.get(&binding.name).copied(),
            keeps: self.keeps.get(&binding.name).cloned(),
            adds: self.adds.contains_key(&binding.name),
            carries: self.adds.get(&binding.name) == Some(&true),
            at: field.at.filter(|_| binding.element.is_none()),
            border: field.border.filter(|_| binding.element.is_none()),
        }
    }

    /// The reach of a local field: as stated, or else the own element for fields of the domain. All levels of a grid share
    /// their elements in this respect. Entries that alternate extend it to the largest offset.
    fn reach_of(&self, pipeline: &Pipeline, number: usize) -> Reaches {
        // A stage over a count has no own element.
        let has_own = self.domain.resource.is_some() || self.tiles.is_some() || self.shares.is_some();
        let (binding, Some(stated), true) = (&self.bindings[number], &self.reaches, has_own) else {
            return Reaches::default();
        };
        let alternation = self.alternations.get(&binding.name);
        let offset = Reach::Cells(alternation.map_or(0, |found| found.pairs.farthest()));
        let least = Reaches {
            all: offset,
            writes: offset,
        };
        if let Some(reach) = stated.get(&binding.name) {
            return reach.joined(least);
        }
        let lattice = |id: ResourceId| pipeline.resources[id].level().map_or(id, |level| level.of);
        let is_own =
            self.domain.resource.map(lattice) == Some(lattice(pipeline.fields[binding.field].resource));
        let has_elements = matches!(
            self.domain.over,
            Over::Elements | Over::ActiveCells | Over::Live | Over::Newborn
        );
        if is_own && has_elements {
            least
        } else {
            Reaches::default()
        }
    }

    pub(super) fn local_resource(&self, pipeline: &Pipeline, number: usize) -> LocalResource {
        let (name, id) = &self.resources[number];
        let field = |role: Role| {
            let mut bindings = self.bindings.iter();
            bindings.position(|binding| binding.role == Some((number, role)))
        };
        let shape = match &pipeline.resources[*id].kind {
            ResourceKind::Set(set) => LocalShape::Set {
                live: set.live.and_then(|_| field(Role::Live)),
            },
            ResourceKind::Lattice(lattice) => {
                let sees_pages = [Role::Active, Role::Requests, Role::Header]
                    .into_iter()
                    .any(|role| field(role).is_some());
                let grid = lattice.sparse.as_ref().filter(|_| sees_pages);
                LocalShape::Lattice {
                    form: lattice.form,
                    level: lattice.level.is_some(),
                    pages: grid.map(|grid| LocalPages {
                        axes: field(Role::Axes),
                        table: field(Role::Table),
                        list: field(Role::List),
                        channels: (grid.channels.iter())
                            .map(|channel| {
                                let channel = &pipeline.fields[*channel];
                                let background = channel.element.component_bits(channel.background);
                                LocalChannel {
                                    bytes: channel.bytes() as u32,
                                    component_bytes: channel.element.scalar().bytes() as u32,
                                    background: background.unwrap_or(0),
                                }
                            })
                            .collect(),
                    }),
                }
            }
        };
        LocalResource {
            name: name.clone(),
            shape,
        }
    }

    pub(super) fn local_measured(&self, pipeline: &Pipeline, item: &Measured) -> LocalMeasured {
        let [nx, ny, _] = pipeline.size_of(item.field);
        let index = |k: u64| [k % nx, k / nx % ny, k / (nx * ny)];
        let field = self
            .bindings
            .iter()
            .position(|binding| binding.field == item.field);
        LocalMeasured {
            field: field.unwrap_or(0),
            part: item.part,
            is_squared: item.is_squared,
            entry: item.entry,
            only: item.only.map(|k| (k, index(k))),
            within: item.within.and_then(|(id, over)| {
                let number = self.resources.iter().position(|(_, other)| *other == id);
                Some((number?, over))
            }),
        }
    }
}
