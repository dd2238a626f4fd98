//! Whether a stage's workgroup and march suit its domain, and what it touches its interface.

use super::Unroller;
use super::live;
use crate::ir::*;
use crate::problem::Problem;

impl Unroller<'_, '_> {
    /// Reports a stage that touches more than an interface has constants for.
    pub(super) fn check_resources(&mut self, stage: StageId, pointer: &str) {
        let resolver = &mut *self.resolver;
        let stage = &resolver.pipeline.stages[stage];
        let signature = &resolver.pipeline.kernel_of(stage).signature;
        let (resources, grids) = (signature.resources.len(), signature.paged().count());
        if resources > MOST_RESOURCES || grids > MOST_GRIDS {
            let message = format!(
                "stage `{}` uses {resources} resources, {grids} of them sparse grids; the limits are \
                 {MOST_RESOURCES} and {MOST_GRIDS}",
                stage.name
            );
            let problem = Problem::new(pointer, message);
            let help = "buffers for pages of sparse grids and for live counts are included; split the stage";
            resolver.problems.push(problem.help(help));
        }
    }

    /// Reports a stage whose shader would have one name for two resources: two levels of a grid that it does not bind.
    pub(super) fn check_names(&mut self, stage: StageId, pointer: &str) {
        let pipeline = &self.resolver.pipeline;
        let stage = &pipeline.stages[stage];
        let named = &pipeline.kernel_of(stage).signature.resources;
        let twice = (named.iter().enumerate())
            .find_map(|(i, one)| Some((named[..i].iter().position(|other| other.name == one.name)?, i)));
        let name = |local: usize| &pipeline.resources[stage.resources[local]].name;
        // Resources of one name are reported where they are.
        let Some((first, second)) = twice.filter(|(first, second)| name(*first) != name(*second)) else {
            return;
        };
        let message = format!(
            "`{}` and `{}` would both be `{}` in the shader",
            name(first),
            name(second),
            named[first].name
        );
        let problem = Problem::new(pointer, message);
        let help = "bind them to names of their own, as in \"bind\": {\"fine\": \"air[l]\", \"coarse\": \"air[l + 1]\"}";
        self.resolver.problems.push(problem.help(help));
    }

    pub(super) fn check_shape(&mut self, stage: &str, domain: &Domain, stated: StatedShape, pointer: &str) {
        let mut shape = stated.on(DeviceClass::Gpu, domain.axes);
        let changes = matches!(domain.over, Over::Live | Over::Newborn);
        let groups = matches!(domain.over, Over::Groups | Over::CountedGroups(_));
        if domain.over != Over::Elements && !changes && !groups && stated != StatedShape::default() {
            let message = "the workgroup size of stages over active blocks is fixed";
            let problem = Problem::new(format!("{pointer}/over"), message);
            self.resolver
                .problems
                .push(problem.help("remove `workgroup`, `march` and `width`"));
        }
        let grid = domain
            .resource
            .and_then(|id| self.resolver.pipeline.resources[id].sparse());
        if let (Over::ActiveCells, Some(grid)) = (domain.over, grid) {
            shape = Shape::of_sub_block(&grid.layout, DeviceClass::Gpu);
        }
        let workgroup = shape.workgroup;
        let invocations = workgroup
            .iter()
            .try_fold(1u32, |product, n| product.checked_mul(*n));
        if workgroup.contains(&0) || invocations.is_none_or(|n| n > 1024) {
            let message = format!("a workgroup of {workgroup:?} does not have 1 to 1024 invocations");
            let problem = Problem::new(format!("{pointer}/workgroup"), message);
            self.resolver.problems.push(
                problem.help("the limit is for the product of the three sizes; 64 to 256 suit most devices"),
            );
        }
        if changes && live::newborn_groups(workgroup[0]).is_none() {
            let message = format!("a workgroup of {workgroup:?} cannot run over a dynamic particle set");
            let problem = Problem::new(format!("{pointer}/workgroup"), message);
            self.resolver
                .problems
                .push(problem.help("choose [32, 1, 1], [64, 1, 1], or another power of two up to 1024"));
        }
        if domain.axes == 1 && !groups && (workgroup[1] != 1 || workgroup[2] != 1) {
            let message = "a stage over a list requires a workgroup of the form [n, 1, 1]";
            let problem = Problem::new(format!("{pointer}/workgroup"), message);
            self.resolver
                .problems
                .push(problem.help("put the whole size in the first number, such as [64, 1, 1]"));
        }
        if shape.march == 0 || (shape.march > 1 && domain.axes != 3) {
            let message = "`march` must be at least 1 and requires a stage over the cells of a grid";
            let problem = Problem::new(format!("{pointer}/march"), message);
            self.resolver
                .problems
                .push(problem.help("remove it to use a value that suits the device"));
        }
        self.check_width(domain, stated, pointer);
        if shape.march > 0
            && !workgroup.contains(&0)
            && let Err(cause) = domain.groups(shape)
        {
            let problem = Problem::new(format!("{pointer}/over"), format!("stage `{stage}`: {cause}"));
            self.resolver
                .problems
                .push(problem.help("a larger `workgroup` or `march` requires fewer workgroups"));
        }
    }

    fn check_width(&mut self, domain: &Domain, stated: StatedShape, pointer: &str) {
        let Some(width) = stated.width else { return };
        let at = format!("{pointer}/width");
        if !matches!(width, 2 | 4) {
            let problem = Problem::new(at, format!("a `width` of {width}, but it may be 2 or 4"));
            let help = "the cells that one access joins; remove it for one cell at a time";
            self.resolver.problems.push(problem.help(help));
        } else if domain.over == Over::Elements && domain.axes == 1
            || matches!(domain.over, Over::Live | Over::Newborn)
        {
            let message = "`width` requires a stage over the cells of a grid of two or three axes, or one with `groups`";
            self.resolver.problems.push(
                Problem::new(at, message).help("remove it: elements of a list are processed one by one"),
            );
        }
    }
}
