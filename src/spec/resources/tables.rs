//! Tables.

use crate::ir::*;
use crate::problem::pointer_part;
use crate::spec::resolver::Resolver;

impl Resolver<'_> {
    pub(in crate::spec) fn tables(&mut self) {
        for (name, table) in &self.file.tables {
            let pointer = format!("/tables/{}", pointer_part(name));
            let length = self.count(&table.length, &format!("{pointer}/length"), 1, 1 << 31);
            let resource = Resource {
                name: name.clone(),
                size: [length.unwrap_or(1), 1, 1],
                kind: Kind::Lattice(Lattice::of(&TABLE)),
            };
            let id = self.resource(resource, length.is_some());
            self.channels(id, &table.channels, &format!("{pointer}/channels"), 1);
        }
    }
}
