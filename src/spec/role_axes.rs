//! The numbers of axes of grids that roles require.

use super::file::{PipelineFile, RoleFile};
use super::program::*;
use super::scope::Scope;
use crate::problem::{Place, Problem};

impl<'f> Program<'f> {
    /// Reports grids with another number of axes than that of the roles that they fill, and leaves these roles out of further
    /// checks.
    pub(super) fn check_axes(&mut self) {
        let ids = 0..self.instances.len();
        let wrong: Vec<(InstanceId, &'f str)> = ids.flat_map(|id| self.with_other_axes(id)).collect();
        for (id, role) in wrong {
            let instance = &mut self.instances[id];
            instance.roles.insert(role, Role::Broken);
            let views = instance.views.iter_mut();
            views
                .filter(|((of, _), _)| of == role)
                .for_each(|(_, view)| *view = View::Broken);
        }
    }

    /// The roles of an instance whose grids have another number of axes.
    fn with_other_axes(&self, id: InstanceId) -> Vec<(InstanceId, &'f str)> {
        let instance = &self.instances[id];
        let Some((user, key)) = instance.user else {
            return Vec::new();
        };
        let name = instance.path.rsplit('.').next().unwrap_or_default();
        let entry = self.instances[user].file.uses.value(name);
        let file: &'f PipelineFile = instance.file;
        let mut wrong = Vec::new();
        for (role, item) in file.roles.iter() {
            let (Some(needs), Some(Role::Filled(decl))) = (&item.value, instance.roles.get(role)) else {
                continue;
            };
            let given = entry.and_then(|entry| entry.roles.value(role)?.as_ref());
            let at = given.map_or(key, |reference| &reference.place);
            if self
                .check_axes_of(id, (role, &item.key, needs), *decl, at)
                .is_none()
            {
                wrong.push((id, role));
            }
        }
        wrong
    }

    /// `None` after a reported mistake.
    fn check_axes_of(
        &self,
        id: InstanceId,
        (role, declared, needs): (&str, &Place, &RoleFile),
        decl: DeclId,
        at: &Place,
    ) -> Option<()> {
        let Some(axes) = &needs.axes else {
            return Some(());
        };
        if needs.cells.is_none() {
            let message = format!("the role `{role}` is not a grid of cells, so it has no `axes`");
            return self.refuse(&axes.place, message, "remove it");
        }
        let wanted = self.count(&Scope::of(id), axes, 2, 3)? as usize;
        let (grid, instance) = (&self.decls[decl].name, &self.instances[id].path);
        let found = self.size(decl)?.axes;
        if found == wanted {
            return Some(());
        }
        let message = format!(
            "the grid `{grid}` is {found}-D, but the role `{role}` of `{instance}` requires {wanted} axes"
        );
        let help = match wanted {
            3 => {
                "give the grid three numbers of `cells` (1 along z makes one layer), or use a module for 2-D grids"
            }
            _ => "give the grid two numbers of `cells`, or use a module for 3-D grids",
        };
        self.fail(Problem::at(at, message, help).note("the role is declared", declared))
    }
}
