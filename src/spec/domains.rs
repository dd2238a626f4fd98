//! Domains of stages.

use super::calls::At;
use super::file::{Number, Numbers, Reference, StageFile};
use super::lookup::AtLevel;
use super::program::*;
use super::resolver::Resolver;
use super::scope::Scope;
use crate::element::Element;
use crate::expr::{Expr, Name, Value};
use crate::ir::{Domain, FieldId, Over, Resource, ResourceId, Tiles};
use crate::lower::group_counts;
use crate::problem::{Place, Problem};
use crate::shader::facts::{Extent, Facts};
use crate::shared_constants::device;

/// Parts of grids that can be domains.
const PARTS: [&str; 4] = ["columns", "blocks", "active", "sub_blocks"];

/// The domain of a stage, and the name of its resource in the file.
pub(super) struct Found {
    pub domain: Domain,
    pub name: Option<String>,
    /// The tiles that its workgroups process.
    pub tiles: Option<Tiles>,
}

impl Found {
    fn of(domain: Domain, name: Option<String>) -> Found {
        let tiles = None;
        Found { domain, name, tiles }
    }
}

impl<'f> Resolver<'_, 'f> {
    /// The domain of a stage.
    pub(super) fn domain_of_stage(
        &self,
        file: &StageFile,
        at: &At<'f>,
        facts: &Facts,
        constants: &[(String, f64)],
    ) -> Option<Found> {
        let program = self.program;
        let emits: Option<Vec<_>> = file.emits.as_ref().map(|emits| emits.iter().collect());
        match (&file.over, &file.groups, emits.as_deref()) {
            (Some(over), None, None) => {
                let found = program.with(Effect::Rebuild, || self.domain(&at.scope, over))?;
                match &facts.tile {
                    Some(tile) => self.tiles(found, tile, file, (facts, constants)),
                    None => Some(found),
                }
            }
            (None, Some(groups), None) => {
                let domain = program.with(Effect::Rebuild, || self.groups(&at.scope, groups))?;
                Some(Found::of(domain, None))
            }
            (None, None, Some([(name, item)])) => self.newborn(&at.scope, name, &item.key),
            (None, None, Some(_)) => {
                let message = "a stage adds particles to exactly one set";
                program.refuse(&file.place, message, "for example \"emits\": {\"sparks\": 100}")
            }
            (None, None, None) => {
                let message = "a stage requires one of `over`, `groups` and `emits`";
                program.refuse(
                    &file.place,
                    message,
                    "add \"over\": the domain, for example \"air\"",
                )
            }
            _ => {
                let message = "a stage has only one of `over`, `groups` and `emits`";
                let help =
                    "it runs over elements, as workgroups, or over the particles that it adds: keep one key";
                program.refuse(&file.place, message, help)
            }
        }
    }

    /// The domain of a stage with `emits`: the newborn particles of a set.
    fn newborn(&self, scope: &Scope, name: &str, place: &Place) -> Option<Found> {
        let set = self.dynamic_set(scope, &Reference::parsed(name, place))?;
        let list = Domain::list(self.pipeline.resources[set].size[0], Some(set));
        let over = Over::Newborn;
        let name = Some(name.replace('.', "_"));
        Some(Found::of(Domain { over, ..list }, name))
    }

    /// A dynamic set. Reports any other resource.
    pub(super) fn dynamic_set(&self, scope: &Scope, reference: &Reference) -> Option<ResourceId> {
        let id = self.resource(scope, reference)?;
        let found = &self.pipeline.resources[id];
        if found.live().is_some() {
            return Some(id);
        }
        let (name, program) = (reference.text(), self.program);
        let message = format!("`{name}` is not a dynamic particle set");
        if found.set().is_some() {
            let help = "add \"capacity\" to the set: the largest number of live particles";
            return program.refuse(&reference.place, message, help);
        }
        let help = "name a set of `particles` with a `capacity`";
        let dynamic = self.names_of(|resource| resource.live().is_some());
        program.fail(Problem::at(&reference.place, message, help).suggest(&name, dynamic))
    }

    /// The names of the resources that satisfy a condition.
    pub(super) fn names_of(&self, is_one: impl Fn(&Resource) -> bool) -> impl Iterator<Item = &str> {
        let resources = self.pipeline.resources.iter();
        let some = resources.filter(move |resource| is_one(resource));
        some.map(|resource| resource.name.as_str())
    }

    /// The set whose particles the workgroups of a kernel divide among them. `calls` are the names of its resources.
    pub(super) fn shared_set(
        &self,
        file: &StageFile,
        facts: &Facts,
        calls: &[(String, ResourceId)],
        domain: &Domain,
    ) -> Option<ResourceId> {
        let (name, place) = facts.shares.as_ref()?;
        let named = calls.iter().find(|(call, _)| call == name);
        let set = named.filter(|(_, id)| self.pipeline.resources[*id].set().is_some());
        if let (Some((_, set)), Over::Groups) = (set, domain.over) {
            return Some(*set);
        }
        let (message, help) = match set {
            None => (
                format!("the stage has no particle set that its kernel calls `{name}`"),
                "name the set of a field of `reads` or `writes`",
            ),
            Some(_) => (
                "a kernel that shares particles requires `groups`".to_string(),
                "state the number of workgroups: \"groups\": \"ceil(SET.count / CHUNK)\"",
            ),
        };
        let problem = Problem::in_text(format!("{}/shader", file.pointer), place.clone(), message);
        self.program.report(problem.help(help));
        None
    }

    /// The domain of a value of `over`: a resource, a part of one, or a count.
    fn domain(&self, scope: &Scope, over: &Number) -> Option<Found> {
        let program = self.program;
        if let Some(name) = over.tree.as_ref()?.as_name() {
            if let Some(found) = self.named_domain(scope, name, &over.place)? {
                return Some(found);
            }
            // An unknown name may be a resource or a number, so the message mentions both.
            if name.plain().is_some() && !program.is_known(scope, name) {
                let message = format!("`{name}` is neither a resource nor a number");
                let numbers = program.known_names(scope.instance);
                let mut known: Vec<&str> = program.resource_names(scope.instance).collect();
                known.extend(numbers.iter().map(String::as_str));
                let problem = Problem::at(&over.place, message, "name a resource or give a count");
                let problem = problem.suggest(&name.to_string(), known);
                return program.fail(problem);
            }
        }
        let count = program.count(scope, over, 1, u64::from(u32::MAX))?;
        let (domain, name) = (Domain::list(count, None), None);
        Some(Found::of(domain, name))
    }

    /// The domain of a name; `Some(None)` if the name is not a domain.
    fn named_domain(&self, scope: &Scope, name: &Name, place: &Place) -> Option<Option<Found>> {
        let program = self.program;
        let found = |domain, local| {
            let name = Some(local);
            Some(Some(Found::of(domain, name)))
        };
        if let [parts @ .., last] = &name.parts[..]
            && !parts.is_empty()
            && PARTS.contains(&last.text.as_str())
        {
            let whole = Name {
                parts: parts.to_vec(),
            };
            if let Some(resource) = program.resource_of(scope, &whole, place)? {
                let id = self.filled_resource(resource.at, &whole, place)?;
                return found(self.part(id, &last.text, &whole, place)?, resource.local);
            }
        }
        // A buffer without channels is a field too, but its domain is the whole resource.
        let field = program.field_of(scope, name, place)?;
        if let Some(channel) = field.filter(|found| !found.name.is_empty()) {
            let field = self.field_id(&channel)?;
            let (resource, id) = (
                self.pipeline.resource_of(field),
                self.pipeline.fields[field].resource,
            );
            let domain = if resource.lattice().is_some() && resource.sparse().is_none() {
                // A channel may have more values than its grid has cells.
                Domain::elements(self.pipeline.size_of(field), resource.axes(), Some(id))
            } else {
                whole(resource, id)
            };
            return found(domain, channel.resource);
        }
        let Some(resource) = program.resource_of(scope, name, place)? else {
            return Some(None);
        };
        let id = self.filled_resource(resource.at, name, place)?;
        found(whole(&self.pipeline.resources[id], id), resource.local)
    }

    fn filled_resource(&self, at: Option<AtLevel<DeclId>>, name: &Name, place: &Place) -> Option<ResourceId> {
        let Some(at) = at else {
            let message = format!("the optional role `{name}` is not filled");
            let help = format!("put the stage under \"if\": \"has({name})\"");
            return self.program.refuse(place, message, help);
        };
        self.ids.resource(at)
    }

    /// The domain of a part of a grid, such as its columns.
    fn part(&self, id: ResourceId, part: &str, name: &Name, place: &Place) -> Option<Domain> {
        let resource = &self.pipeline.resources[id];
        let [x, y, z] = resource.size;
        let wrong = |message: String| {
            let help = format!("write \"{name}\" to run over all of it");
            self.program.refuse(place, message, help)
        };
        let (size, axes, over) = match (part, resource.sparse()) {
            ("columns", _) if !resource.is_grid() => {
                return wrong(format!("`{name}` has no columns: it is not a grid"));
            }
            ("columns", _) if resource.axes() < 3 => {
                return wrong(format!("`{name}` is a 2-D grid, and 2-D grids have no columns"));
            }
            ("columns", _) => ([x, y, 1], 2, Over::Elements),
            (_, None) => return wrong(format!("`{name}` has no blocks: it is not a sparse grid")),
            ("blocks", Some(grid)) => (grid.layout.blocks.map(u64::from), 3, Over::Elements),
            ("active", Some(_)) => ([x * y * z, 1, 1], 1, Over::ActiveBlocks),
            (_, Some(_)) => ([x * y * z, 1, 1], 1, Over::SubBlocks),
        };
        let elements = Domain::elements(size, axes, Some(id));
        Some(Domain { over, ..elements })
    }

    /// The tiles of a grid as a domain, with one workgroup per tile.
    fn tiles(
        &self,
        found: Found,
        tile: &[Extent; 3],
        file: &StageFile,
        (facts, constants): (&Facts, &[(String, f64)]),
    ) -> Option<Found> {
        let Domain {
            size,
            axes,
            over,
            resource,
            ..
        } = found.domain;
        if over != Over::Elements || facts.workgroup.is_none() {
            let message = match facts.workgroup {
                Some(_) => "the kernel processes tiles of a dense grid, and this is not a dense grid",
                None => "the kernel states a `tile`, but no `workgroup`",
            };
            let place = file.over.as_ref().map_or(&file.place, |over| &over.place);
            return self.program.refuse(place, message, "see docs/group-kernels.md");
        }
        let side = |extent: &Extent| match extent {
            Extent::Cells(cells) => u64::from(*cells),
            Extent::Constant(name) => {
                let stated = constants.iter().find(|(known, _)| known == name);
                let value = stated
                    .map(|(_, value)| *value)
                    .or(facts.constants.get(name).copied());
                value.map_or(1, |value| value.max(1.0) as u64)
            }
        };
        let per: [u64; 3] = std::array::from_fn(|axis| {
            if axis < axes as usize {
                side(&tile[axis])
            } else {
                1
            }
        });
        let groups = std::array::from_fn(|axis| size[axis].div_ceil(per[axis]));
        let tiles = resource.map(|grid| Tiles {
            grid,
            per: per.map(|side| side.min(u32::MAX.into()) as u32),
            per_group: [1; 3],
            more: std::array::from_fn(|axis| {
                size[axis].saturating_sub(self.pipeline.resources[grid].size[axis])
            }),
        });
        let domain = groups_of(groups, 3);
        Some(Found {
            tiles,
            ..Found::of(domain, None)
        })
    }

    /// The domain of a stage with `groups`.
    fn groups(&self, scope: &Scope, groups: &Numbers) -> Option<Domain> {
        let most = u64::from(device::MAX_GROUPS);
        let program = self.program;
        if let Numbers::One(number) = groups
            && let Some(name) = number.tree.as_ref().and_then(Expr::as_name)
            && let Some(found) = program.field_of(scope, name, &number.place)?
        {
            let field = self.field_id(&found)?;
            let of_buffer = self.pipeline.resource_of(field).is_buffer();
            let found = &self.pipeline.fields[field];
            let axes = group_counts::axes(found.element).filter(|_| of_buffer && found.count.is_none());
            let Some(axes) = axes else {
                let message = format!("`{name}` is not a buffer of type uint or uvec3");
                let help = "the first element contains the number of groups (uint), or the numbers along three axes (uvec3)";
                return program.refuse(&number.place, message, help);
            };
            let over = Over::CountedGroups(field);
            return Some(Domain {
                over,
                ..groups_of([1; 3], axes)
            });
        }
        let values = match groups {
            Numbers::One(number) => match program.value(scope, number)? {
                Value::Number(count) => {
                    let count = program.whole(count, &number.place, 1, most * most)?;
                    return Some(groups_of([count, 1, 1], 1));
                }
                Value::Vector(values) => values,
            },
            numbers => program.numbers(scope, numbers)?,
        };
        if values.len() != 3 {
            let message = format!("`groups` has {} numbers", values.len());
            let help = "write one number, or three for the axes";
            return program.refuse(groups.place(), message, help);
        }
        let mut size = [1; 3];
        for (axis, value) in values.into_iter().enumerate() {
            size[axis] = program.whole(value, groups.place_of(axis), 1, most)?;
        }
        Some(groups_of(size, 3))
    }

    /// A uint attribute of a set. Reports any other field.
    pub(super) fn attribute(&self, scope: &Scope, set: ResourceId, reference: &Reference) -> Option<FieldId> {
        let field = self.field(scope, reference)?;
        let found = &self.pipeline.fields[field];
        if found.resource == set && found.is(Element::Uint) {
            return Some(field);
        }
        let (name, set) = (reference.name.as_ref()?, &self.pipeline.resources[set].name);
        let message = format!("`{name}` is not a uint attribute of `{set}`");
        let help = "name an attribute of the set whose type is uint";
        self.program.refuse(&reference.place, message, help)
    }
}

fn groups_of(size: [u64; 3], axes: u32) -> Domain {
    let elements = Domain::elements(size, axes, None);
    Domain {
        over: Over::Groups,
        ..elements
    }
}

/// All elements of a resource.
fn whole(resource: &Resource, id: ResourceId) -> Domain {
    let (axes, over) = match (resource.sparse(), resource.live()) {
        (Some(_), _) => (3, Over::ActiveCells),
        (None, Some(_)) => (1, Over::Live),
        (None, None) => (resource.axes(), Over::Elements),
    };
    let elements = Domain::elements(resource.size, axes, Some(id));
    Domain { over, ..elements }
}
