//! The numbers of axes of grids that roles require.

use super::file::RoleFile;
use super::program::*;
use super::scope::Scope;
use crate::problem::{Place, Problem};

impl<'f> Program<'f> {
    /// Reports grids with another number of axes than that of the roles that they fill.
    pub(super) fn check_axes(&self) {
        for (id, instance) in self.instances.iter().enumerate() {
            let Some((user, key)) = instance.user else {
                continue;
            };
            let name = instance.path.rsplit('.').next().unwrap_or_default();
            let entry = self.instances[user].file.uses.value(name);
            for (role, item) in instance.file.roles.iter() {
                let (Some(needs), Some(Role::Filled(decl))) = (&item.value, instance.roles.get(role)) else {
                    continue;
                };
                let given = entry.and_then(|entry| entry.roles.value(role)?.as_ref());
                let at = given.map_or(key, |reference| &reference.place);
                self.check_axes_of(id, (role, &item.key, needs), *decl, at);
            }
        }
    }

    fn check_axes_of(
        &self,
        id: InstanceId,
        (role, declared, needs): (&str, &Place, &RoleFile),
        decl: DeclId,
        at: &Place,
    ) -> Option<()> {
        let axes = needs.axes.as_ref()?;
        if needs.cells.is_none() {
            let message = format!("the role `{role}` is not a grid of cells, so it has no `axes`");
            return self.refuse(&axes.place, message, "remove it");
        }
        let wanted = self.count(&Scope::of(id), axes, 2, 3)? as usize;
        let (grid, title) = (&self.decls[decl].name, &self.instances[id].path);
        let found = self.size(decl)?.axes;
        if found == wanted {
            return Some(());
        }
        let message = format!(
            "the grid `{grid}` is {found}-D, but the role `{role}` of `{title}` requires {wanted} axes"
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
