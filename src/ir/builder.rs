//! Builds stages: the names that a kernel has for fields, and the signature that follows from them.

use super::{
    DeviceClass, Domain, Field, FieldId, Home, Kernel, Kind, List, LocalChannel, LocalField, LocalMeasured,
    LocalPages, LocalPlace, LocalReduction, LocalResource, LocalShape, Measured, Operation, Over, Pipeline,
    Purpose, Resource, ResourceId, ShaderSource, Shape, Signature, Stage, StageId, StatedShape,
};
use crate::element::Element;

/// A stage under construction.
///
/// A resource keeps its name unless [`Draft::call`] gives it another one; a buffer has the name of its field. The draft
/// adds what fields imply: live counts of sets, and the page fields of sparse grids.
#[derive(Debug)]
pub(crate) struct Draft {
    pub name: String,
    pub source: ShaderSource,
    pub unchecked: bool,
    /// Fields that elements read while others write them, on purpose.
    pub unordered: Vec<FieldId>,
    pub domain: Domain,
    pub stated: StatedShape,
    pub arguments: Vec<(String, Element)>,
    pub constants: Vec<(String, f64)>,
    pub every: u32,
    pub first: u32,
    pub purpose: Purpose,
    pub list: List,
    pub pointer: String,
    /// The stage runs only while these buffers are not 0: see [`Stage::conditions`].
    pub conditions: Vec<FieldId>,
    /// The clock that it sees: see [`Stage::clock`].
    pub clock: Option<FieldId>,
    /// It sets how long a turn of that clock is.
    pub sets_length: bool,
    /// Sparse grids of which it asks for blocks.
    pub requests: Vec<ResourceId>,
    /// The sparse grid whose blocks the stage processes as a whole.
    pub whole_blocks: Option<ResourceId>,
    pub measured: Vec<Measured>,
    /// Reductions of the stage: names and types of the results, and the fields for the values of elements.
    pub reduces: Vec<(String, Operation, Element, FieldId)>,
    names: Vec<(String, ResourceId)>,
    bound: Vec<Bound>,
}

#[derive(Debug)]
struct Bound {
    name: String,
    /// The local resource of the field, if the kernel has several for the same resource.
    of: Option<String>,
    field: FieldId,
    reads: bool,
    writes: bool,
    /// Seen as if it were of this type.
    seen: Option<Element>,
}

impl Draft {
    pub(crate) fn new(
        name: impl Into<String>,
        source: ShaderSource,
        domain: Domain,
        list: List,
        pointer: &str,
    ) -> Draft {
        Draft {
            name: name.into(),
            source,
            unchecked: false,
            unordered: Vec::new(),
            domain,
            stated: StatedShape::default(),
            arguments: Vec::new(),
            constants: Vec::new(),
            every: 1,
            first: 0,
            purpose: Purpose::Compute,
            list,
            pointer: pointer.to_string(),
            conditions: Vec::new(),
            clock: None,
            sets_length: false,
            requests: Vec::new(),
            whole_blocks: None,
            measured: Vec::new(),
            reduces: Vec::new(),
            names: Vec::new(),
            bound: Vec::new(),
        }
    }

    /// Names a resource.
    pub(crate) fn call(&mut self, name: &str, resource: ResourceId) {
        self.names.push((name.to_string(), resource));
    }

    pub(crate) fn read(&mut self, name: impl Into<String>, field: FieldId) {
        self.bind(name.into(), field).reads = true;
    }

    pub(crate) fn write(&mut self, name: impl Into<String>, field: FieldId) {
        self.bind(name.into(), field).writes = true;
    }

    /// Reads or writes a field as the words of its memory.
    pub(crate) fn words(&mut self, name: &str, field: FieldId, write: bool) {
        self.see(name, field, Element::Uint, write);
    }

    /// Reads or writes a field as if it were of another type.
    pub(crate) fn see(&mut self, name: &str, field: FieldId, element: Element, write: bool) {
        let bound = self.bind(name.to_string(), field);
        (bound.reads, bound.writes, bound.seen) = (!write, write, Some(element));
    }

    /// Assigns the field that is read or written as `name` to the local resource `of`.
    pub(crate) fn belongs(&mut self, name: &str, of: &str) {
        for bound in self.bound.iter_mut().filter(|bound| bound.name == name) {
            bound.of = Some(of.to_string());
        }
    }

    fn bind(&mut self, name: String, field: FieldId) -> &mut Bound {
        let known = self
            .bound
            .iter()
            .position(|bound| bound.name == name && bound.field == field);
        let number = known.unwrap_or_else(|| {
            self.bound.push(Bound {
                name,
                of: None,
                field,
                reads: false,
                writes: false,
                seen: None,
            });
            self.bound.len() - 1
        });
        &mut self.bound[number]
    }

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
    fn imply(&mut self, pipeline: &Pipeline) {
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

    fn local_field(&mut self, pipeline: &Pipeline, number: usize) -> LocalField {
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
            at: field.at.filter(|_| bound.seen.is_none()),
            border: field.border.filter(|_| bound.seen.is_none()),
        }
    }

    fn local_resource(&self, pipeline: &Pipeline, fields: &[LocalField], number: usize) -> LocalResource {
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

    fn local_measured(&self, pipeline: &Pipeline, item: &Measured) -> LocalMeasured {
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

    /// Whether the rows of all fields whose cells it joins, and of its domain, are multiples of `width`.
    fn is_whole(&self, pipeline: &Pipeline, signature: &Signature, width: u32) -> bool {
        let rows =
            (signature.joined()).map(|(_, field)| pipeline.resources[self.names[field.resource].1].size[0]);
        let domain = Some(self.domain.size[0]).filter(|_| self.domain.over == Over::Elements);
        rows.chain(domain).all(|row| row.is_multiple_of(u64::from(width)))
    }

    /// Adds the stage to a pipeline, with its kernel if no other stage has that already.
    pub(crate) fn finish(mut self, pipeline: &mut Pipeline) -> StageId {
        self.imply(pipeline);
        let fields: Vec<LocalField> = (0..self.bound.len())
            .map(|number| self.local_field(pipeline, number))
            .collect();
        let resources = (0..self.names.len())
            .map(|number| self.local_resource(pipeline, &fields, number))
            .collect();
        let local = |id: &ResourceId| self.names.iter().position(|(_, other)| other == id);
        let signature = Signature {
            resources,
            fields,
            axes: self.domain.axes,
            width: self.stated.width,
            over: match self.domain.over {
                Over::Header(_) => Over::Header(0),
                Over::CountedGroups(_) => Over::CountedGroups(0),
                over => over,
            },
            domain: self.domain.resource.as_ref().and_then(local),
            requests: self.requests.iter().filter_map(local).collect(),
            whole_blocks: self.whole_blocks.as_ref().and_then(local),
            measured: (self.measured.iter())
                .map(|item| self.local_measured(pipeline, item))
                .collect(),
            reduces: (self.reduces.iter())
                .filter_map(|(name, operation, ..)| {
                    let wanted = values_name(name);
                    let values = self.bound.iter().position(|bound| bound.name == wanted)?;
                    Some(LocalReduction {
                        name: name.clone(),
                        operation: *operation,
                        values,
                    })
                })
                .collect(),
            sets_length: self.sets_length,
            marks: Vec::new(),
            shuffled: false,
            arguments: std::mem::take(&mut self.arguments),
        };
        self.stated.width = self
            .stated
            .width
            .filter(|width| self.is_whole(pipeline, &signature, *width));
        let (kernel, _) = pipeline.kernels.insert_full(Kernel {
            source: self.source,
            signature,
            unchecked: self.unchecked,
        });
        let once = |wanted: fn(&Bound) -> bool, clock: Option<FieldId>| {
            let bound = self.bound.iter().filter(|bound| wanted(bound));
            let mut fields: Vec<FieldId> = Vec::new();
            for field in bound.map(|bound| bound.field).chain(clock) {
                if !fields.contains(&field) {
                    fields.push(field);
                }
            }
            fields
        };
        let grid = self
            .domain
            .resource
            .and_then(|id| pipeline.resources[id].sparse());
        let shape = match (self.domain.over, grid) {
            (Over::ActiveCells, Some(grid)) => Shape::of_sub_block(&grid.layout, DeviceClass::Gpu),
            _ => self.stated.on(DeviceClass::Gpu, self.domain.axes),
        };
        pipeline.stages.push(Stage {
            name: self.name,
            kernel,
            resources: self.names.iter().map(|(_, id)| *id).collect(),
            bindings: self.bound.iter().map(|bound| bound.field).collect(),
            reads: once(|bound| bound.reads, self.clock),
            writes: once(|bound| bound.writes, self.clock.filter(|_| self.sets_length)),
            domain: self.domain,
            shape,
            stated: self.stated,
            constants: self.constants,
            every: self.every,
            first: self.first,
            conditions: self.conditions,
            clock: self.clock,
            purpose: self.purpose,
            unsearched: false,
            unordered: self.unordered,
            list: self.list,
            pointer: self.pointer,
        });
        pipeline.stages.len() - 1
    }
}

/// The name that a kernel has for the field with the values of a result. Names in pipeline files never start with sg_.
fn values_name(result: &str) -> String {
    format!("sg_values_{result}")
}

impl Pipeline {
    pub(crate) fn add_resource(&mut self, resource: Resource) -> ResourceId {
        self.resources.push(resource);
        self.resources.len() - 1
    }

    pub(crate) fn add_field(&mut self, field: Field) -> FieldId {
        self.fields.push(field);
        self.fields.len() - 1
    }

    /// Adds a buffer of the engine's.
    pub(crate) fn add_words(&mut self, name: &str, length: u64) -> FieldId {
        let resource = self.add_resource(Resource::buffer(name, length));
        self.add_field(Field::words(name, resource))
    }
}
