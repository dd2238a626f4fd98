//! The arrangement of the invocations of a stage: workgroup size, and cells per invocation.

use super::calls::At;
use super::domains::Found;
use super::file::{Number, Numbers, StageFile};
use super::program::*;
use super::resolver::Resolver;
use super::scope::Scope;
use crate::ir::{Domain, Over, StatedShape};
use crate::particles::live;
use crate::problem::Place;
use crate::shader::facts::Facts;
use crate::workgroups::{DeviceClass, Shape};

impl<'f> Resolver<'_, 'f> {
    /// The arrangement of the invocations of a stage. Reports a tuning that does not suit the domain.
    pub(super) fn shape(
        &self,
        (file, has_results): (&StageFile, bool),
        found: &Found,
        facts: &Facts,
        at: &At<'f>,
    ) -> Option<StatedShape> {
        let before = self.program.mistakes();
        let (domain, program) = (&found.domain, self.program);
        let stated = program.with(Effect::Rebuild, || {
            self.stated_shape(file, domain, facts, &at.scope)
        });
        self.check_tuning(file, domain, stated);
        let place = file.tuning.as_ref().map_or(&file.place, |tuning| &tuning.place);
        let shape = Shape::new(stated, domain, &self.pipeline.resources, DeviceClass::Gpu);
        self.check_shape(domain, shape, place);
        self.check_width(has_results, domain, stated, place);
        if program.mistakes() == before
            && let Err(cause) = shape.groups(domain)
        {
            let over = file.over.as_ref().map_or(&file.place, |over| &over.place);
            let help = "a larger `workgroup` or `cells_per_thread_z` requires fewer workgroups";
            program.wrong(over, cause, help);
        }
        (program.mistakes() == before).then_some(stated)
    }

    /// The parts of the shape that the file or the kernel specifies.
    fn stated_shape(&self, file: &StageFile, domain: &Domain, facts: &Facts, scope: &Scope) -> StatedShape {
        let tuning = file.tuning.as_ref();
        let whole = |number: Option<&Number>, max: u64| {
            let number = self.program.count(scope, number?, 1, max)?;
            Some(number as u32)
        };
        let workgroup = tuning.and_then(|tuning| tuning.workgroup.as_ref());
        let workgroup = workgroup.and_then(|numbers| self.workgroup(scope, numbers));
        let march = whole(
            tuning.and_then(|tuning| tuning.cells_per_thread_z.as_ref()),
            1 << 20,
        );
        let width = whole(tuning.and_then(|tuning| tuning.vector_width.as_ref()), 4);
        let by_element = facts.is_text && !facts.own_numbers;
        let is_free = by_element && domain.over == Over::Elements && domain.axes > 1;
        StatedShape {
            workgroup: workgroup.or(facts.workgroup.filter(|_| !is_free)),
            gpu_workgroup: facts.workgroup.filter(|_| is_free),
            by_element,
            cells_per_thread_z: march,
            vector_width: width.or(facts.vector_width),
        }
    }

    /// Checks that the domain allows the keys of `tuning`.
    fn check_tuning(&self, file: &StageFile, domain: &Domain, stated: StatedShape) {
        let place = file.tuning.as_ref().map_or(&file.place, |tuning| &tuning.place);
        let groups = is_of_groups(domain);
        if groups && stated.workgroup.is_none() {
            let message = "a stage of workgroups requires a `workgroup`";
            let help = "add \"tuning\": {\"workgroup\": [64, 1, 1]}, or `#pragma workgroup 64` in the kernel: shared memory \
                        depends on it";
            self.program.wrong(&file.place, message, help);
        }
        if groups && stated.cells_per_thread_z.is_some() {
            let message = "`cells_per_thread_z` requires a stage over cells";
            self.program.wrong(place, message, "remove it");
        }
        let is_free = domain.over == Over::Elements || is_of_changing_set(domain) || groups;
        let is_sparse = domain.over == Over::ActiveCells;
        if is_sparse
            && stated
                .cells_per_thread_z
                .is_some_and(|cells| !cells.is_power_of_two())
        {
            let message =
                "`cells_per_thread_z` of a stage over active cells must be a power of two, as sub-blocks are";
            self.program.wrong(place, message, "use 1, 2 or 4");
        }
        // A kernel that also runs over other domains may state a shape; the file knows the domain.
        let is_stated = file.tuning.as_ref().is_some_and(|tuning| {
            let width = tuning.vector_width.as_ref().filter(|_| !is_sparse);
            let cells = tuning.cells_per_thread_z.as_ref().filter(|_| !is_sparse);
            tuning.workgroup.is_some() || cells.is_some() || width.is_some()
        });
        if !is_free && is_stated {
            let message = "the workgroup size of stages over active blocks is fixed";
            self.program.wrong(place, message, "remove it from `tuning`");
        }
    }

    /// Checks the workgroup and the cells per invocation.
    fn check_shape(&self, domain: &Domain, shape: Shape, place: &Place) {
        let wrong = |message: &str, help: &str| self.program.wrong(place, message, help);
        let workgroup = shape.workgroup;
        let invocations = workgroup
            .iter()
            .fold(1u32, |product, n| product.saturating_mul(*n));
        if invocations > 1024 {
            let message = format!("a workgroup of {workgroup:?} does not have 1 to 1024 invocations");
            let help = "the limit is for the product of the three sizes; 64 to 256 suit most devices";
            wrong(&message, help);
        }
        if is_of_changing_set(domain) && live::newborn_groups(workgroup[0]).is_none() {
            let message = format!("a workgroup of {workgroup:?} cannot run over a dynamic particle set");
            let help = "choose [32, 1, 1], [64, 1, 1], or another power of two up to 1024";
            wrong(&message, help);
        }
        if domain.axes == 1 && !is_of_groups(domain) && (workgroup[1] != 1 || workgroup[2] != 1) {
            let message = "a stage over a list requires a workgroup of the form [n, 1, 1]";
            let help = "put the whole size in the first number, such as [64, 1, 1]";
            wrong(message, help);
        }
        if shape.cells_per_thread_z > 1 && domain.axes != 3 {
            let message = "`cells_per_thread_z` requires a stage over the cells of a grid";
            wrong(message, "remove it to use a value that suits the device");
        }
    }

    fn workgroup(&self, scope: &Scope, numbers: &Numbers) -> Option<[u32; 3]> {
        let values = self.program.numbers(scope, numbers)?;
        let place = numbers.place();
        self.program.check_length(values.len(), 3, "a workgroup", place)?;
        let mut workgroup = [1; 3];
        for (axis, value) in values.into_iter().enumerate() {
            workgroup[axis] = self.program.whole(value, place, 1, 1024)? as u32;
        }
        Some(workgroup)
    }

    fn check_width(&self, has_results: bool, domain: &Domain, stated: StatedShape, place: &Place) {
        let Some(width) = stated.vector_width else { return };
        let is_list = domain.over == Over::Elements && domain.axes == 1 || is_of_changing_set(domain);
        let wrong = |message: &str, help| self.program.wrong(place, message, help);
        if !matches!(width, 2 | 4) {
            let message = format!("a `vector_width` of {width}, but it may be 2 or 4");
            wrong(
                &message,
                "the cells that one access joins; remove it for one cell at a time",
            );
        } else if is_list {
            let message = "`vector_width` requires a stage over the cells of a grid of two or three axes, or one of workgroups";
            wrong(message, "remove it: elements of a list are processed one by one");
        } else if has_results && domain.over != Over::SubBlocks {
            let message = "`vector_width` and `reduces` exclude each other";
            wrong(
                message,
                "each cell gives a value of its own to a reduction: remove `vector_width`",
            );
        }
    }
}

/// True for a stage of workgroups.
fn is_of_groups(domain: &Domain) -> bool {
    matches!(domain.over, Over::Groups | Over::CountedGroups(_))
}

/// True for a stage over a dynamic particle set.
fn is_of_changing_set(domain: &Domain) -> bool {
    matches!(domain.over, Over::Live | Over::Newborn)
}
