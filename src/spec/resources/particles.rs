//! Particle sets.

use crate::ir::*;
use crate::problem::Problem;
use crate::problem::pointer_part;
use crate::spec::resolver::Resolver;
use crate::spec::sources::Begun;

/// Most copies of a particle set.
const LONGEST_RING: u32 = 16;
/// Ring of a particle set that names none: one copy is drawn and downloaded while the other is written.
const DEFAULT_RING: u32 = 2;

impl Resolver<'_> {
    pub(in crate::spec) fn particles(&mut self) {
        for (name, set) in &self.file.particles {
            let pointer = format!("/particles/{}", pointer_part(name));
            let ring = set.ring.unwrap_or(DEFAULT_RING);
            if !(1..=LONGEST_RING).contains(&ring) {
                let message = format!("{ring} is not a ring length from 1 to {LONGEST_RING}");
                self.problems.push(
                    Problem::new(format!("{pointer}/ring"), message)
                        .help("with 2, frames are drawn and written while the next step runs"),
                );
            }
            let ring = ring.clamp(1, LONGEST_RING);
            let begun = set.from.as_ref().and_then(|from| self.origins(from, &pointer));
            let given = begun.as_ref().map(|begun| begun.iter().map(Begun::count).sum());
            let (most, live) = self.population(name, set, ring, given, &pointer);
            let resource = Resource {
                name: name.clone(),
                size: [most.unwrap_or(1), 1, 1],
                kind: Kind::Set(Set {
                    from: Vec::new(),
                    live,
                    identity: None,
                }),
            };
            let id = self.resource(resource, most.is_some());
            self.channels(id, &set.attributes, &format!("{pointer}/attributes"), ring);
            self.identify(id, ring);
            if let (Some(from), Some(begun)) = (&set.from, begun) {
                self.sources(id, from, begun, &pointer);
            }
        }
    }
}
