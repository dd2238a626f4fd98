//! Builds stages: the names that a kernel has for fields, and the signature that follows from them.

mod finish;
mod implied;
mod locals;

use std::collections::BTreeMap;

use super::{
    Alternation, BlockRuns, Completed, Domain, Field, FieldId, Lines, List, Measured, Operation, Pipeline,
    Purpose, Reaches, Resource, ResourceId, ShaderSource, StatedShape, Tiles,
};
use crate::element::Element;

/// A stage under construction.
///
/// A resource keeps its name unless [`Draft::name_resource`] gives it another one; a buffer has the name of its field. The draft
/// adds what fields imply: live counts of sets, and the page fields of sparse grids.
#[derive(Debug, Clone)]
pub struct Draft {
    pub name: String,
    pub source: ShaderSource,
    pub unchecked: bool,
    /// Fields that elements read while others write them, on purpose.
    pub unordered: Vec<FieldId>,
    pub domain: Domain,
    /// The tiles of its workgroups: see [`super::Stage::tiles`].
    pub tiles: Option<Tiles>,
    /// See [`super::Stage::runs`].
    pub runs: Option<BlockRuns>,
    /// See [`super::Stage::lines`].
    pub lines: Option<Box<Lines>>,
    /// Every rank may run it whole: see [`super::Stage::may_run_whole`].
    pub may_run_whole: bool,
    /// See [`super::Stage::neighbours`].
    pub neighbours: Option<u32>,
    /// See [`super::Stage::shares`].
    pub shares: Option<ResourceId>,
    /// See [`super::Stage::in_place`].
    pub in_place: bool,
    /// See [`super::Stage::completes`].
    pub completes: Option<Completed>,
    pub stated: StatedShape,
    pub arguments: Vec<(String, Element)>,
    pub constants: Vec<(String, f64)>,
    pub every: u32,
    pub first: u32,
    pub purpose: Purpose,
    pub list: List,
    pub pointer: String,
    /// The stage runs only while these buffers are not 0: see [`super::Stage::conditions`].
    pub conditions: Vec<FieldId>,
    /// Its clock: see [`super::Stage::clock`].
    pub clock: Option<FieldId>,
    /// It sets the length of an iteration of that clock.
    pub sets_length: bool,
    /// Sparse grids whose blocks it requests.
    pub requests: Vec<ResourceId>,
    /// The sparse grid whose blocks the stage processes as a whole.
    pub whole_blocks: Option<ResourceId>,
    pub measured: Vec<Measured>,
    /// Reductions of the stage: names and types of the results, and the fields for the values of elements.
    pub reduces: Vec<(String, Operation, Element, FieldId)>,
    /// Accessors of optional fields that the pipeline does not bind.
    pub absent: Vec<String>,
    /// The reach that its kernel states, by accessor. `None`: anywhere.
    pub reaches: Option<BTreeMap<String, Reaches>>,
    /// How it accesses arrays whose entries alternate between elements, by accessor.
    pub alternations: BTreeMap<String, Alternation>,
    /// See [`super::LocalField::keeps`], by accessor.
    pub keeps: BTreeMap<String, String>,
    /// Fields to which it only adds, by accessor: see [`super::LocalField::adds`] and [`super::LocalField::carries`].
    pub adds: BTreeMap<String, bool>,
    /// Its kernel numbers its invocations by itself: see [`super::Stage::own_numbers`].
    pub own_numbers: bool,
    /// Local resources: the kernel's names for resources.
    resources: Vec<(String, ResourceId)>,
    bindings: Vec<Binding>,
}

/// A local field under construction.
#[derive(Debug, Clone)]
struct Binding {
    name: String,
    field: FieldId,
    /// The local resource of the field, if the kernel has several for the same resource.
    of: Option<String>,
    /// The local resource that it belongs to as a whole, and its role there.
    role: Option<(usize, Role)>,
    reads: bool,
    writes: bool,
    /// The kernel accesses it as if it were of this type.
    element: Option<Element>,
}

/// The role of a field that belongs to a resource as a whole and not to its elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The live count of a dynamic set.
    Live,
    /// A page field of a sparse grid: see [`super::PageFields`].
    Axes,
    Requests,
    Active,
    Table,
    List,
    Header,
    Snapshot,
    Changes,
}

impl Role {
    /// The name of the field in kernels, after the name of the resource and `_`.
    fn suffix(self) -> &'static str {
        match self {
            Role::Live => "live",
            Role::Axes => "axes",
            Role::Requests => "requests",
            Role::Active => "active",
            Role::Table => "table",
            Role::List => "list",
            Role::Header => "pages",
            Role::Snapshot => "snapshot",
            Role::Changes => "changes",
        }
    }
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
            tiles: None,
            lines: None,
            runs: None,
            may_run_whole: false,
            neighbours: None,
            shares: None,
            in_place: false,
            completes: None,
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
            alternations: BTreeMap::new(),
            keeps: BTreeMap::new(),
            adds: BTreeMap::new(),
            own_numbers: false,
            resources: Vec::new(),
            bindings: Vec::new(),
        }
    }

    /// Gives a resource a name in the kernel.
    pub fn name_resource(&mut self, name: &str, resource: ResourceId) {
        self.resources.push((name.to_string(), resource));
    }

    pub fn read(&mut self, name: impl Into<String>, field: FieldId) {
        self.bind(name.into(), field).reads = true;
    }

    pub fn write(&mut self, name: impl Into<String>, field: FieldId) {
        self.bind(name.into(), field).writes = true;
    }

    /// Reads a field as if it were of another type.
    pub fn read_as(&mut self, name: &str, field: FieldId, element: Element) {
        let binding = self.bind(name.to_string(), field);
        (binding.reads, binding.element) = (true, Some(element));
    }

    /// Writes a field as if it were of another type.
    pub fn write_as(&mut self, name: &str, field: FieldId, element: Element) {
        let binding = self.bind(name.to_string(), field);
        (binding.writes, binding.element) = (true, Some(element));
    }

    /// Reads a field of a named resource as a whole.
    pub fn read_role(&mut self, resource: ResourceId, role: Role, field: FieldId) {
        if let Some(local) = self.local(resource) {
            self.bind_role(local, role, field).reads = true;
        }
    }

    /// Writes a field of a named resource as a whole.
    pub fn write_role(&mut self, resource: ResourceId, role: Role, field: FieldId) {
        if let Some(local) = self.local(resource) {
            self.bind_role(local, role, field).writes = true;
        }
    }

    /// Assigns the local field `name` to the local resource `of`.
    pub fn assign(&mut self, name: &str, of: &str) {
        for binding in self.bindings.iter_mut().filter(|binding| binding.name == name) {
            binding.of = Some(of.to_string());
        }
    }

    /// The fields that it reads.
    pub fn reads(&self) -> impl Iterator<Item = FieldId> {
        let reads = self.bindings.iter().filter(|binding| binding.reads);
        reads.map(|binding| binding.field)
    }

    /// The fields that it writes.
    pub fn writes(&self) -> impl Iterator<Item = FieldId> {
        let writes = self.bindings.iter().filter(|binding| binding.writes);
        writes.map(|binding| binding.field)
    }

    /// The number of the first local resource for a resource.
    fn local(&self, resource: ResourceId) -> Option<usize> {
        self.resources.iter().position(|(_, id)| *id == resource)
    }

    fn bind(&mut self, name: String, field: FieldId) -> &mut Binding {
        let mut bindings = self.bindings.iter();
        let known = bindings.position(|binding| binding.name == name && binding.field == field);
        let number = known.unwrap_or_else(|| {
            self.bindings.push(Binding {
                name,
                field,
                of: None,
                role: None,
                reads: false,
                writes: false,
                element: None,
            });
            self.bindings.len() - 1
        });
        &mut self.bindings[number]
    }

    fn bind_role(&mut self, local: usize, role: Role, field: FieldId) -> &mut Binding {
        let name = format!("{}_{}", self.resources[local].0, role.suffix());
        let binding = self.bind(name, field);
        binding.role = Some((local, role));
        binding
    }
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

    /// Adds a buffer of unsigned integers for the engine.
    pub fn add_words(&mut self, name: &str, length: u64) -> FieldId {
        let resource = self.add_resource(Resource::buffer(name, length));
        self.add_field(Field::words(name, resource))
    }
}

#[cfg(test)]
mod tests;
