//! What a kernel sees of resources and fields: its local resources and fields, and those that they imply.

use super::super::{
    Home, Kind, LocalChannel, LocalField, LocalMeasured, LocalPages, LocalPlace, LocalResource, LocalShape,
    Measured, Over, Pipeline, Purpose, Reach, ResourceId,
};
use super::{Bound, Draft, values_name};

impl Draft {
    /// The number of a local resource; names the resource if it has no name yet.
    fn local(&mut self, pipeline: &Pipeline, resource: ResourceId) -> usize {
        let known = self.names.iter().position(|(_, id)| *id == resource);
        known.unwrap_or_else(|| {
            self.call(&pipeline.resources[resource].symbol(), resource);
            self.names.len() - 1
        })
    }

    /// The local resource of a bound field.
    fn local_of(&mut self, pipeline: &Pipeline, bound: usize) -> usize {
        let Bound { name, of, field, .. } = &self.bound[bound];
        let (name, resource) = (name.clone(), pipeline.fields[*field].resource);
        if !pipeline.resources[resource].is_buffer() {
            let named = of.as_ref().and_then(|of| {
                let mut numbered = self.names.iter();
                numbered.position(|(name, id)| name == of && *id == resource)
            });
            return named.unwrap_or_else(|| self.local(pipeline, resource));
        }
        let known = self
            .names
            .iter()
            .position(|entry| *entry == (name.clone(), resource));
        known.unwrap_or_else(|| {
            self.call(&name, resource);
            self.names.len() - 1
        })
    }

    /// Binds what the resources in use imply: live counts, and the page fields of sparse grids.
    pub(super) fn imply(&mut self, pipeline: &Pipeline) {
        for number in 0..self.bound.len() {
            self.local_of(pipeline, number);
        }
        for (name, _, element, values) in self.reduces.clone() {
            self.see(&values_name(&name), values, element, true);
        }
        for (id, _) in self.measured.clone().iter().filter_map(|item| item.within) {
            self.local(pipeline, id);
        }
        let domain = self.domain.resource.map(|id| self.local(pipeline, id));
        for grid in self.requests.clone() {
            self.local(pipeline, grid);
        }
        // Stages of an update bind the page fields themselves.
        let by_pages = !matches!(self.purpose, Purpose::Update(_));
        for number in 0..self.names.len() {
            let (name, id) = self.names[number].clone();
            let resource = &pipeline.resources[id];
            if let Some(live) = resource.live() {
                self.read(format!("{name}_live"), live);
            }
            let Some(grid) = resource.sparse().filter(|_| by_pages) else {
                continue;
            };
            let pages = grid.fields;
            let over = domain == Some(number) && self.domain.over != Over::Elements;
            let cells = self.bound.iter().any(|bound| {
                let field = &pipeline.fields[bound.field];
                field.resource == id && field.home == Home::Pages
            });
            let requests = self.requests.contains(&id);
            let within = (self.measured.iter()).any(|item| item.within.is_some_and(|(other, _)| other == id));
            if over || cells || requests || within {
                for (role, field) in [
                    ("axes", pages.axes),
                    ("active", pages.active),
                    ("table", pages.table),
                ] {
                    self.read(format!("{name}_{role}"), field);
                }
            }
            if over
                || within
                || self
                    .measured
                    .iter()
                    .any(|item| pipeline.fields[item.field].resource == id)
            {
                self.read(format!("{name}_list"), pages.list);
                self.read(format!("{name}_pages"), pages.header);
            }
            if requests {
                self.write(format!("{name}_requests"), pages.requests);
            }
        }
        // What was implied are buffers of their own.
        for number in 0..self.bound.len() {
            self.local_of(pipeline, number);
        }
    }

    pub(super) fn local_field(&mut self, pipeline: &Pipeline, number: usize) -> LocalField {
        let resource = self.local_of(pipeline, number);
        let bound = &self.bound[number];
        let field = &pipeline.fields[bound.field];
        let (background, count) = match bound.seen {
            Some(_) => (0, None),
            None => (
                field.element.component_bits(field.background).unwrap_or(0),
                field.count,
            ),
        };
        let element = bound.seen.unwrap_or(field.element);
        let place = match (field.home, pipeline.sparse_of(bound.field)) {
            (Home::Pages, Some(grid)) => {
                let channels = grid
                    .channels
                    .iter()
                    .take_while(|channel| **channel != bound.field);
                let before = channels.map(|channel| pipeline.fields[*channel].bytes() as u32);
                LocalPlace::Blocks { before: before.sum() }
            }
            _ => LocalPlace::Buffer,
        };
        LocalField {
            name: bound.name.clone(),
            resource,
            element,
            count,
            background,
            reads: bound.reads,
            writes: bound.writes,
            place,
            reach: self.reach_of(pipeline, number),
            at: field.at.filter(|_| bound.seen.is_none()),
            border: field.border.filter(|_| bound.seen.is_none()),
        }
    }

    /// How far from the own element the kernel accesses a field: what it states; else the own element of its lattice or set,
    /// which the levels of a grid have in common.
    fn reach_of(&self, pipeline: &Pipeline, number: usize) -> Reach {
        // A stage over a count has no own element.
        let (bound, Some(stated), Some(_)) = (&self.bound[number], &self.reaches, self.domain.resource)
        else {
            return Reach::Anywhere;
        };
        if let Some(reach) = stated.get(&bound.name) {
            return *reach;
        }
        let lattice = |id: ResourceId| pipeline.resources[id].level().map_or(id, |level| level.of);
        let is_own =
            self.domain.resource.map(lattice) == Some(lattice(pipeline.fields[bound.field].resource));
        let has_elements = matches!(
            self.domain.over,
            Over::Elements | Over::ActiveCells | Over::Live | Over::Newborn
        );
        if is_own && has_elements {
            Reach::Cells(0)
        } else {
            Reach::Anywhere
        }
    }

    pub(super) fn local_resource(
        &self,
        pipeline: &Pipeline,
        fields: &[LocalField],
        number: usize,
    ) -> LocalResource {
        let (name, id) = &self.names[number];
        let field = |role: &str| {
            let wanted = format!("{name}_{role}");
            fields.iter().position(|field| field.name == wanted)
        };
        let shape = match &pipeline.resources[*id].kind {
            Kind::Set(set) => LocalShape::Set {
                live: set.live.and_then(|_| field("live")),
            },
            Kind::Lattice(lattice) => {
                let sees_pages = ["active", "requests", "pages"]
                    .iter()
                    .any(|role| field(role).is_some());
                let grid = lattice.sparse.as_ref().filter(|_| sees_pages);
                LocalShape::Lattice {
                    form: lattice.form,
                    level: lattice.level.is_some(),
                    pages: grid.map(|grid| LocalPages {
                        axes: field("axes"),
                        table: field("table"),
                        list: field("list"),
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
        let field = self.bound.iter().position(|bound| bound.field == item.field);
        LocalMeasured {
            field: field.unwrap_or(0),
            part: item.part,
            entry: item.entry,
            only: item.only.map(|k| (k, index(k))),
            within: item.within.and_then(|(id, over)| {
                let number = self.names.iter().position(|(_, other)| *other == id);
                Some((number?, over))
            }),
        }
    }
}
