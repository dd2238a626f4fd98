//! Images.

use crate::ir::*;
use crate::problem::pointer_part;
use crate::spec::resolver::Resolver;

impl Resolver<'_> {
    pub(in crate::spec) fn images(&mut self) {
        for (name, image) in &self.file.images {
            let pointer = format!("/images/{}", pointer_part(name));
            let size = self.sizes(&image.size, &format!("{pointer}/size"));
            let resource = Resource {
                name: name.clone(),
                size: size.unwrap_or([1; 3]),
                kind: Kind::Lattice(Lattice::of(&IMAGE)),
            };
            let id = self.resource(resource, size.is_some());
            self.channels(id, &image.channels, &format!("{pointer}/channels"), 1);
        }
    }
}
