//! Builds stages: the names that a kernel has for fields, and the signature that follows from them.

mod locals;

use std::collections::BTreeMap;

use super::{
    DeviceClass, Domain, Field, FieldId, Kernel, List, LocalField, LocalReduction, Measured, Operation, Over,
    Pipeline, Purpose, Reach, Resource, ResourceId, ShaderSource, Shape, Signature, Stage, StageId,
    StatedShape,
};
use crate::element::Element;

/// A stage under construction.
///
/// A resource keeps its name unless [`Draft::call`] gives it another one; a buffer has the name of its field. The draft
/// adds what fields imply: live counts of sets, and the page fields of sparse grids.
#[derive(Debug, Clone)]
pub struct Draft {
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
    /// It sets how long an iteration of that clock is.
    pub sets_length: bool,
    /// Sparse grids of which it asks for blocks.
    pub requests: Vec<ResourceId>,
    /// The sparse grid whose blocks the stage processes as a whole.
    pub whole_blocks: Option<ResourceId>,
    pub measured: Vec<Measured>,
    /// Reductions of the stage: names and types of the results, and the fields for the values of elements.
    pub reduces: Vec<(String, Operation, Element, FieldId)>,
    /// Accessors of optional fields that are not there.
    pub absent: Vec<String>,
    /// How far from their own element its kernel accesses fields, by accessor, where it states that. `None`: anywhere.
    pub reaches: Option<BTreeMap<String, Reach>>,
    names: Vec<(String, ResourceId)>,
    bound: Vec<Bound>,
}

#[derive(Debug, Clone)]
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
    pub fn new(
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
            absent: Vec::new(),
            reaches: None,
            names: Vec::new(),
            bound: Vec::new(),
        }
    }

    /// Names a resource.
    pub fn call(&mut self, name: &str, resource: ResourceId) {
        self.names.push((name.to_string(), resource));
    }

    pub fn read(&mut self, name: impl Into<String>, field: FieldId) {
        self.bind(name.into(), field).reads = true;
    }

    pub fn write(&mut self, name: impl Into<String>, field: FieldId) {
        self.bind(name.into(), field).writes = true;
    }

    /// The fields that it reads.
    pub fn read_fields(&self) -> impl Iterator<Item = FieldId> {
        self.bound
            .iter()
            .filter(|bound| bound.reads)
            .map(|bound| bound.field)
    }

    /// The fields that it writes.
    pub fn written(&self) -> impl Iterator<Item = FieldId> {
        self.bound
            .iter()
            .filter(|bound| bound.writes)
            .map(|bound| bound.field)
    }

    /// Reads or writes a field as the words of its memory.
    pub fn words(&mut self, name: &str, field: FieldId, write: bool) {
        self.see(name, field, Element::Uint, write);
    }

    /// Reads or writes a field as if it were of another type.
    pub fn see(&mut self, name: &str, field: FieldId, element: Element, write: bool) {
        let bound = self.bind(name.to_string(), field);
        (bound.reads, bound.writes, bound.seen) = (!write, write, Some(element));
    }

    /// Assigns the field that is read or written as `name` to the local resource `of`.
    pub fn belongs(&mut self, name: &str, of: &str) {
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

    /// Whether the rows of all fields whose cells it joins, and of its domain, are multiples of `width`.
    fn is_whole(&self, pipeline: &Pipeline, signature: &Signature, width: u32) -> bool {
        let rows =
            (signature.joined()).map(|(_, field)| pipeline.resources[self.names[field.resource].1].size[0]);
        let domain = Some(self.domain.size[0]).filter(|_| self.domain.over == Over::Elements);
        rows.chain(domain).all(|row| row.is_multiple_of(u64::from(width)))
    }

    /// Adds the stage to a pipeline, with its kernel if no other stage has that already.
    pub fn finish(mut self, pipeline: &mut Pipeline) -> StageId {
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
            absent: std::mem::take(&mut self.absent),
            checks_reach: false,
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
    pub fn add_resource(&mut self, resource: Resource) -> ResourceId {
        self.resources.push(resource);
        self.resources.len() - 1
    }

    pub fn add_field(&mut self, field: Field) -> FieldId {
        self.fields.push(field);
        self.fields.len() - 1
    }

    /// Adds a buffer of the engine's.
    pub fn add_words(&mut self, name: &str, length: u64) -> FieldId {
        let resource = self.add_resource(Resource::buffer(name, length));
        self.add_field(Field::words(name, resource))
    }
}
