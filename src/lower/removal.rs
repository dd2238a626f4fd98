//! Removal of particles: counts and lists the particles that stay, and closes the gaps.

use super::reorder::Reorder;
use crate::ir::{Completed, Domain, Draft, FieldId, Role};

impl Reorder<'_> {
    /// The stages that remove the particles whose attribute is not 0.
    pub fn removal(mut self, marked: FieldId) -> Vec<Draft> {
        let Some(live) = self.pipeline.resources[self.set].live() else {
            return Vec::new();
        };
        let sums = self.sums();
        let order = self.buffer("order", self.length());
        let mut tally = self.stage("tally", "particles/tally.comp", 16);
        tally.read("dead", marked);
        tally.write("sums", sums);
        let mut scan = self.scan_sums(sums, "scan");
        scan.constants.push(("DIGITS".into(), 0.0));
        let mut compact = self.stage("compact", "particles/compact.comp", 16);
        compact.read("dead", marked);
        compact.read("sums", sums);
        compact.write("order", order);
        let mut retire = self.stage("retire", "particles/retire.comp", 1);
        retire.domain = Domain::list(1, Some(self.set));
        retire.read("sums", sums);
        retire.write_role(self.set, Role::Live, live);
        let mut stages = vec![tally, scan, compact, retire];
        stages.extend(self.moves(order));
        if let Some(last) = stages.last_mut() {
            last.completes = Some(Completed::Removal(self.set));
        }
        stages
    }
}
