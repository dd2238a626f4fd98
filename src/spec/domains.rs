//! What stages run over, and how their invocations are arranged.

use super::calls::At;
use super::file::{Number, Numbers, StageFile};
use super::lookup::{AtLevel, Failure};
use super::program::*;
use super::resolver::Resolver;
use super::scope::Scope;
use crate::element::Element;
use crate::expr::{Name, Value};
use crate::ir::{DeviceClass, Domain, Over, Resource, ResourceId, Shape, StatedShape};
use crate::lower::group_counts;
use crate::particles::live;
use crate::problem::{Place, Problem};
use crate::shader::facts::{Extent, Facts};
use crate::words::device;

/// Parts of grids that stages run over.
const PARTS: [&str; 4] = ["columns", "blocks", "active", "sub_blocks"];

/// The domain of a stage, and what the file calls its resource.
pub(super) struct Found {
    pub domain: Domain,
    pub name: Option<String>,
}

impl<'f> Resolver<'_, 'f> {
    /// What a stage runs over.
    pub(super) fn domain_of_stage(&self, file: &StageFile, at: &At<'f>, facts: &Facts) -> Option<Found> {
        let emits = file.emits.as_ref().map(|emits| {
            emits
                .iter()
                .map(|(name, item)| (name, &item.key))
                .collect::<Vec<_>>()
        });
        let problem = match (&file.over, &file.groups, emits.as_deref()) {
            (Some(over), None, None) => {
                let found = self
                    .program
                    .with(Effect::Rebuild, || self.domain(&at.scope, over))?;
                return match &facts.tile {
                    Some(tile) => self.tiles(found, tile, file, (facts, &at.scope)),
                    None => Some(found),
                };
            }
            (None, Some(groups), None) => {
                let domain = self
                    .program
                    .with(Effect::Rebuild, || self.groups(&at.scope, groups))?;
                return Some(Found { domain, name: None });
            }
            (None, None, Some([(name, place)])) => return self.newborn(at, name, place),
            (None, None, Some(_)) => {
                Problem::at_place(file.place.clone(), "a stage adds particles to one set")
                    .help("for example \"emits\": {\"sparks\": 100}")
            }
            (None, None, None) => Problem::at_place(
                file.place.clone(),
                "a stage requires one of `over`, `groups` and `emits`",
            )
            .help("add \"over\": the domain, for example \"air\""),
            _ => Problem::at_place(
                file.place.clone(),
                "a stage has only one of `over`, `groups` and `emits`",
            )
            .help(
                "it runs over elements, as workgroups, or over the particles that it adds: remove the others",
            ),
        };
        self.program.report(problem);
        None
    }

    /// The particles that a stage adds to a set.
    fn newborn(&self, at: &At<'f>, name: &str, place: &Place) -> Option<Found> {
        if self.is_in_frames(at.list, place, "frame stages cannot add particles") {
            return None;
        }
        let tree = crate::expr::parse(name).ok()?;
        let reference = super::file::Reference {
            place: place.clone(),
            name: tree.as_name().cloned(),
        };
        let set = self.dynamic_set(&at.scope, &reference)?;
        let capacity = self.pipeline.resources[set].size[0];
        let domain = Domain {
            over: Over::Newborn,
            ..Domain::list(capacity, Some(set))
        };
        Some(Found {
            domain,
            name: Some(name.replace('.', "_")),
        })
    }

    /// A dynamic set; reports a resource that is none.
    pub(super) fn dynamic_set(
        &self,
        scope: &Scope,
        reference: &super::file::Reference,
    ) -> Option<ResourceId> {
        let id = self.resource(scope, reference)?;
        let found = &self.pipeline.resources[id];
        if found.live().is_some() {
            return Some(id);
        }
        let name = reference.name.as_ref()?;
        let problem = Problem::at_place(
            reference.place.clone(),
            format!("`{name}` is not a dynamic particle set"),
        );
        let dynamic = self
            .pipeline
            .resources
            .iter()
            .filter(|resource| resource.live().is_some());
        self.program.report(match found.set() {
            Some(_) => problem.help("add \"capacity\" to the set: the largest number of live particles"),
            None => problem
                .help("name a set of `particles` with a `capacity`")
                .suggest(&name.to_string(), dynamic.map(|set| set.name.as_str())),
        });
        None
    }

    /// The domain that a value of `over` says: a resource, a part of one, or a count.
    fn domain(&self, scope: &Scope, over: &Number) -> Option<Found> {
        let tree = over.tree.as_ref()?;
        if let Some(name) = tree.as_name() {
            let found = self.named_domain(scope, name, &over.place);
            if let Some(found) = self.program.noted(found)? {
                return Some(found);
            }
            // A name that is neither is told as such.
            let is_plain = name.plain().is_some();
            let is_number = self.program.is_known(scope, name);
            if is_plain && !is_number {
                let problem = Problem::at_place(
                    over.place.clone(),
                    format!("`{name}` is neither a resource nor a number"),
                );
                let instance = &self.program.instances[scope.instance];
                let mut known: Vec<String> = instance
                    .own
                    .keys()
                    .chain(instance.roles.keys())
                    .map(|name| name.to_string())
                    .collect();
                known.extend(self.program.known_names(scope.instance));
                let known = known.iter().map(String::as_str);
                self.program.report(
                    problem
                        .help("name a resource or give a count")
                        .suggest(&name.to_string(), known),
                );
                return None;
            }
        }
        let count = self.program.count(scope, over, 1, u64::from(u32::MAX))?;
        Some(Found {
            domain: Domain::list(count, None),
            name: None,
        })
    }

    fn named_domain(&self, scope: &Scope, name: &Name, place: &Place) -> Result<Option<Found>, Failure> {
        let program = self.program;
        let last = &name.parts[name.parts.len() - 1];
        if name.parts.len() > 1 && PARTS.contains(&last.text.as_str()) {
            let whole = Name {
                parts: name.parts[..name.parts.len() - 1].to_vec(),
            };
            if let Some((at, local)) = program.resource_of(scope, &whole, place)? {
                let id = self.of_level(at, &whole, place)?;
                let domain = self.part(id, &last.text, &whole, place)?;
                return Ok(Some(Found {
                    domain,
                    name: Some(local),
                }));
            }
        }
        // The values of a buffer are its elements.
        if let Some(found) = program
            .field_of(scope, name, place)?
            .filter(|found| !found.name.is_empty())
        {
            let field = self.field_id(&found).ok_or(None)?;
            let (resource, id) = (
                self.pipeline.resource_of(field),
                self.pipeline.fields[field].resource,
            );
            let domain = match resource.lattice().is_some() && resource.sparse().is_none() {
                // A channel may have more values than its grid has cells.
                true => Domain::elements(self.pipeline.size_of(field), resource.axes(), Some(id)),
                false => whole(resource, id),
            };
            return Ok(Some(Found {
                domain,
                name: Some(found.resource),
            }));
        }
        let Some((at, local)) = program.resource_of(scope, name, place)? else {
            return Ok(None);
        };
        let id = self.of_level(at, name, place)?;
        Ok(Some(Found {
            domain: whole(&self.pipeline.resources[id], id),
            name: Some(local),
        }))
    }

    fn of_level(
        &self,
        at: AtLevel<Option<DeclId>>,
        name: &Name,
        place: &Place,
    ) -> Result<ResourceId, Failure> {
        let Some(decl) = at.id else {
            let problem = Problem::at_place(
                place.clone(),
                format!("nothing fills the role `{name}`, which is optional"),
            );
            return Err(Some(
                problem.help(format!("put the stage under \"if\": \"has({name})\"")),
            ));
        };
        self.ids
            .resources
            .get(&AtLevel {
                id: decl,
                level: at.level,
            })
            .copied()
            .ok_or(None)
    }

    /// A part of a grid.
    fn part(&self, id: ResourceId, part: &str, name: &Name, place: &Place) -> Result<Domain, Failure> {
        let resource = &self.pipeline.resources[id];
        let [x, y, z] = resource.size;
        let problem = |message: String| {
            let problem = Problem::at_place(place.clone(), message);
            Err(Some(
                problem.help(format!("write \"{name}\" to run over all of it")),
            ))
        };
        let (size, axes, over) = match (part, resource.sparse()) {
            ("columns", _) if !resource.is_grid() => {
                return problem(format!("`{name}` has no columns: it is not a grid"));
            }
            ("columns", _) if resource.axes() < 3 => {
                return problem(format!("`{name}` is a 2-D grid, and 2-D grids have no columns"));
            }
            ("columns", _) => ([x, y, 1], 2, Over::Elements),
            (_, None) => return problem(format!("`{name}` has no blocks: it is not a sparse grid")),
            ("blocks", Some(grid)) => (grid.layout.blocks.map(u64::from), 3, Over::Elements),
            ("active", Some(_)) => ([x * y * z, 1, 1], 1, Over::ActiveBlocks),
            (_, Some(_)) => ([x * y * z, 1, 1], 1, Over::SubBlocks),
        };
        Ok(Domain {
            over,
            ..Domain::elements(size, axes, Some(id))
        })
    }

    /// A grid in tiles, each of which a workgroup takes.
    fn tiles(
        &self,
        found: Found,
        tile: &[Extent; 3],
        file: &StageFile,
        (facts, scope): (&Facts, &Scope),
    ) -> Option<Found> {
        let Domain { size, axes, over, .. } = found.domain;
        if over != Over::Elements || facts.workgroup.is_none() {
            let message = match facts.workgroup {
                Some(_) => "the kernel takes tiles of a grid, and this is no dense grid",
                None => "the kernel states a `tile`, but no `workgroup`",
            };
            let place = file.over.as_ref().map_or(&file.place, |over| &over.place);
            let problem = Problem::at_place(place.clone(), message);
            self.program.report(problem.help("see docs/group-kernels.md"));
            return None;
        }
        let side = |extent: &Extent| match extent {
            Extent::Cells(cells) => u64::from(*cells),
            Extent::Constant(name) => {
                let stated = file.constants.get(name).and_then(|item| item.value.as_ref());
                let stated = stated.and_then(|number| self.program.number(scope, number));
                stated
                    .or(facts.constants.get(name).copied())
                    .map_or(1, |value| value.max(1.0) as u64)
            }
        };
        let groups = [0, 1, 2].map(|axis| {
            if axis < axes as usize {
                size[axis].div_ceil(side(&tile[axis]))
            } else {
                1
            }
        });
        Some(Found {
            domain: Domain {
                over: Over::Groups,
                ..Domain::elements(groups, 3, None)
            },
            name: None,
        })
    }

    /// Workgroups as the domain of a stage.
    fn groups(&self, scope: &Scope, groups: &Numbers) -> Option<Domain> {
        let most = u64::from(device::MOST_GROUPS);
        let program = self.program;
        if let Numbers::One(Number {
            tree: Some(tree),
            place,
        }) = groups
            && let Some(name) = tree.as_name()
            && let Some(found) = program.noted(program.field_of(scope, name, place))?
        {
            let field = self.field_id(&found)?;
            let of_buffer = self.pipeline.resource_of(field).is_buffer();
            let found = &self.pipeline.fields[field];
            let axes = group_counts::axes(found.element).filter(|_| of_buffer && found.count.is_none());
            let Some(axes) = axes else {
                let problem = Problem::at_place(
                    place.clone(),
                    format!("`{name}` is no buffer of type uint or uvec3"),
                );
                let help = "a number of groups stands in the first element of a buffer of type uint, or numbers along three \
                            axes in one of type uvec3";
                program.report(problem.help(help));
                return None;
            };
            return Some(Domain {
                over: Over::CountedGroups(field),
                ..Domain::elements([1; 3], axes, None)
            });
        }
        let values = match groups {
            Numbers::One(number) => match program.value(scope, number)? {
                Value::Number(count) => {
                    let count = program.whole(count, &number.place, 1, most * most)?;
                    return Some(Domain {
                        over: Over::Groups,
                        ..Domain::elements([count, 1, 1], 1, None)
                    });
                }
                Value::Vector(values) => values,
            },
            numbers => program.numbers(scope, numbers)?,
        };
        if values.len() != 3 {
            let problem = Problem::at_place(
                groups.place().clone(),
                format!("`groups` has {} numbers", values.len()),
            );
            program.report(problem.help("write one number, or three for the axes"));
            return None;
        }
        let mut size = [1; 3];
        for (axis, value) in values.into_iter().enumerate() {
            let place = groups
                .items()
                .get(axis)
                .map_or(groups.place(), |item| &item.place);
            size[axis] = program.whole(value, place, 1, most)?;
        }
        Some(Domain {
            over: Over::Groups,
            ..Domain::elements(size, 3, None)
        })
    }

    /// How the invocations of a stage are arranged; reports what does not suit its domain.
    pub(super) fn shape(
        &self,
        (file, has_results): (&StageFile, bool),
        found: &Found,
        facts: &Facts,
        at: &At<'f>,
    ) -> Option<StatedShape> {
        let before = self.program.mistakes();
        let (domain, program) = (&found.domain, self.program);
        let tuning = file.tuning.as_ref();
        let place = |number: Option<&Place>| number.unwrap_or(&file.place).clone();
        let stated = program.with(Effect::Rebuild, || {
            let whole =
                |number: &Number, most: u64| program.count(&at.scope, number, 1, most).map(|n| n as u32);
            StatedShape {
                workgroup: tuning
                    .and_then(|tuning| tuning.workgroup.as_ref())
                    .and_then(|numbers| self.workgroup(&at.scope, numbers))
                    .or(facts.workgroup),
                march: tuning
                    .and_then(|tuning| tuning.cells_per_thread_z.as_ref())
                    .and_then(|number| whole(number, 1 << 20)),
                width: tuning
                    .and_then(|tuning| tuning.vector_width.as_ref())
                    .and_then(|number| whole(number, 4))
                    .or(facts.vector_width),
            }
        });
        let of_tuning = place(tuning.map(|tuning| &tuning.place));
        let report = |place: Place, message: String, help: &str| {
            program.report(Problem::at_place(place, message).help(help));
        };
        let changes = matches!(domain.over, Over::Live | Over::Newborn);
        let groups = matches!(domain.over, Over::Groups | Over::CountedGroups(_));
        if groups && stated.workgroup.is_none() {
            let help = "add \"tuning\": {\"workgroup\": [64, 1, 1]}, or `#pragma workgroup 64` in the kernel: shared memory \
                        depends on it";
            report(
                file.place.clone(),
                "a stage of workgroups requires a `workgroup`".into(),
                help,
            );
        }
        if groups && stated.march.is_some() {
            report(
                of_tuning.clone(),
                "`cells_per_thread_z` requires a stage over cells".into(),
                "remove it",
            );
        }
        let is_stated = StatedShape {
            workgroup: stated.workgroup.filter(|_| facts.workgroup.is_none()),
            width: stated.width.filter(|_| facts.vector_width.is_none()),
            ..stated
        } != StatedShape::default();
        if domain.over != Over::Elements && !changes && !groups && is_stated {
            report(
                of_tuning.clone(),
                "the workgroup size of stages over active blocks is fixed".into(),
                "remove `tuning`",
            );
        }
        let mut shape = stated.on(DeviceClass::Gpu, domain.axes);
        let grid = domain
            .resource
            .and_then(|id| self.pipeline.resources[id].sparse());
        if let (Over::ActiveCells, Some(grid)) = (domain.over, grid) {
            shape = Shape::of_sub_block(&grid.layout, DeviceClass::Gpu);
        }
        let workgroup = shape.workgroup;
        let invocations = workgroup
            .iter()
            .try_fold(1u32, |product, n| product.checked_mul(*n));
        if invocations.is_none_or(|n| n > 1024) {
            let message = format!("a workgroup of {workgroup:?} does not have 1 to 1024 invocations");
            report(
                of_tuning.clone(),
                message,
                "the limit is for the product of the three sizes; 64 to 256 suit most devices",
            );
        }
        if changes && live::newborn_groups(workgroup[0]).is_none() {
            let message = format!("a workgroup of {workgroup:?} cannot run over a dynamic particle set");
            report(
                of_tuning.clone(),
                message,
                "choose [32, 1, 1], [64, 1, 1], or another power of two up to 1024",
            );
        }
        if domain.axes == 1 && !groups && (workgroup[1] != 1 || workgroup[2] != 1) {
            let message = "a stage over a list requires a workgroup of the form [n, 1, 1]";
            report(
                of_tuning.clone(),
                message.into(),
                "put the whole size in the first number, such as [64, 1, 1]",
            );
        }
        if shape.march > 1 && domain.axes != 3 {
            let message = "`cells_per_thread_z` requires a stage over the cells of a grid";
            report(
                of_tuning.clone(),
                message.into(),
                "remove it to use a value that suits the device",
            );
        }
        self.check_width(has_results, domain, stated, &of_tuning);
        if program.mistakes() == before
            && let Err(cause) = domain.groups(shape)
        {
            let over = place(file.over.as_ref().map(|over| &over.place));
            report(
                over,
                cause,
                "a larger `workgroup` or `cells_per_thread_z` requires fewer workgroups",
            );
        }
        (program.mistakes() == before).then_some(stated)
    }

    fn workgroup(&self, scope: &Scope, numbers: &Numbers) -> Option<[u32; 3]> {
        let values = self.program.numbers(scope, numbers)?;
        self.program
            .has_as_many(values.len(), 3, "a workgroup", numbers.place())
            .then_some(())?;
        let mut workgroup = [1; 3];
        for (axis, value) in values.into_iter().enumerate() {
            workgroup[axis] = self.program.whole(value, numbers.place(), 1, 1024)? as u32;
        }
        Some(workgroup)
    }

    fn check_width(&self, has_results: bool, domain: &Domain, stated: StatedShape, place: &Place) {
        let Some(width) = stated.width else { return };
        let is_list = domain.over == Over::Elements && domain.axes == 1
            || matches!(domain.over, Over::Live | Over::Newborn);
        let (message, help) = if !matches!(width, 2 | 4) {
            (
                format!("a `vector_width` of {width}, but it may be 2 or 4"),
                "the cells that one access joins; remove it for one cell at a time",
            )
        } else if is_list {
            (
                "`vector_width` requires a stage over the cells of a grid of two or three axes, or one of workgroups".into(),
                "remove it: elements of a list are processed one by one",
            )
        } else if has_results {
            (
                "`vector_width` and `reduces` exclude each other".into(),
                "each cell gives a value of its own to a reduction: remove `vector_width`",
            )
        } else {
            return;
        };
        self.program
            .report(Problem::at_place(place.clone(), message).help(help));
    }

    /// A uint attribute of a set; reports a field that is none.
    pub(super) fn attribute(
        &self,
        scope: &Scope,
        set: ResourceId,
        reference: &super::file::Reference,
    ) -> Option<crate::ir::FieldId> {
        let field = self.field(scope, reference)?;
        let found = &self.pipeline.fields[field];
        if found.resource == set && found.is(Element::Uint) {
            return Some(field);
        }
        let (name, set) = (reference.name.as_ref()?, &self.pipeline.resources[set].name);
        let problem = Problem::at_place(
            reference.place.clone(),
            format!("`{name}` is not a uint attribute of `{set}`"),
        );
        self.program
            .report(problem.help("name an attribute of the set whose type is uint"));
        None
    }
}

/// All elements of a resource.
fn whole(resource: &Resource, id: ResourceId) -> Domain {
    let (axes, over) = match (resource.sparse(), resource.live()) {
        (Some(_), _) => (3, Over::ActiveCells),
        (None, Some(_)) => (1, Over::Live),
        (None, None) => (resource.axes(), Over::Elements),
    };
    Domain {
        over,
        ..Domain::elements(resource.size, axes, Some(id))
    }
}
