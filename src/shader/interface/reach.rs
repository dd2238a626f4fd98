//! Checked mode: accesses must stay within the reach that the kernel states.

use crate::ir::{Alternation, LocalField, LocalShape, Over, Pairs, Reach};

use super::check::FaultCause;
use super::{Generator, line};

/// The own element, and a test whether an index is farther from it than `cells`. Distances wrap around, as at a
/// repeating border. `scale` is the side of an own cell in cells of the field, which may be of another level.
const BEYOND: &str = "\
ivec3 sg_own;
uint sg_number;
bool sg_is_beyond(ivec3 index, ivec3 size, ivec3 cells, float scale) {
    int more = scale > 1.0 ? int(scale) : 1, less = scale < 1.0 ? int(round(1.0 / scale)) : 1;
    ivec3 low = sg_own * more / less, high = SG_HIGH;
    ivec3 away = max(max(low - index, index - high), ivec3(0));
    ivec3 round_way = min(abs(low + size - index), abs(index + size - high));
    return any(greaterThan(min(away, round_way), cells));
}
";

impl Generator<'_> {
    /// True if the kernel has an own element and the run checks its reach.
    fn checks_reach(&self) -> bool {
        let signature = self.signature;
        let has_own = signature.tile.is_some()
            || matches!(
                signature.over,
                Over::Elements | Over::ActiveCells | Over::SubBlocks | Over::Live | Over::Newborn
            );
        signature.checks_reach
            && has_own
            && signature
                .fields
                .iter()
                .any(|field| field.reach.all != Reach::Anywhere)
    }

    pub(super) fn reach(&mut self) {
        if self.checks_reach() {
            let high = match (self.signature.tile, self.signature.width) {
                (Some(tile), _) => {
                    let [x, y, z] = tile.per;
                    // The last tiles end with the grid.
                    format!("min(((sg_own + ivec3({x}, {y}, {z})) * more - 1) / less, max(low, size - 1))")
                }
                (None, _) if self.signature.over == Over::SubBlocks => {
                    line!(self, "ivec3 sg_own_sides;");
                    "low + sg_own_sides - 1".to_string()
                }
                (None, Some(_)) => "low + more - 1 + ivec3(stage_width - 1, 0, 0)".to_string(),
                (None, None) => "low + more - 1".to_string(),
            };
            self.text.push_str(&BEYOND.replace("SG_HIGH", &high));
            for field in &self.signature.fields {
                if let Some(alternation) = &field.alternation {
                    self.offset_of_entries(&field.name, &alternation.pairs);
                }
            }
        }
    }

    /// The function that returns the offset of an entry from the element to which it belongs in a step.
    fn offset_of_entries(&mut self, name: &str, pairs: &Pairs) {
        let offsets = pairs.offsets().iter();
        let offsets: Vec<String> = offsets.map(|[x, y, z]| format!("ivec3({x}, {y}, {z})")).collect();
        line!(self, "ivec3 sg_offset_{name}(uint k, uint step) {{");
        line!(
            self,
            "    const ivec3 offsets[{}] = ivec3[]({});",
            offsets.len(),
            offsets.join(", ")
        );
        line!(
            self,
            "    return k == 0u || (k + step) % 2u == 0u ? ivec3(0) : offsets[(k - 1u) / 2u];"
        );
        line!(self, "}}");
    }

    /// The statement that stores the own element before the call of the stage function.
    pub(super) fn own(&self, index: &str) -> String {
        if self.checks_reach() && self.signature.over == Over::SubBlocks {
            return "sg_own = @_sub_block(i); sg_own_sides = @_sub_cells; ".to_string();
        }
        let own = match self.signature.axes {
            1 => format!("ivec3(int({index}), 0, 0)"),
            2 => format!("ivec3({index}, 0)"),
            _ => index.to_string(),
        };
        if self.checks_reach() {
            format!("sg_own = {own}; ")
        } else {
            String::new()
        }
    }

    /// The statement that stores the first cell of the own tile, and its number as an element of buffers, before the call of
    /// the stage function.
    pub(super) fn own_tile(&self) -> String {
        match self.signature.tile {
            Some(tile) if self.checks_reach() => {
                let [x, y, z] = tile.per;
                format!("sg_own = ivec3(group) * ivec3({x}, {y}, {z}); sg_number = stage_number(group); ")
            }
            _ => String::new(),
        }
    }

    /// Reports an access that is farther from the own element than the kernel states.
    pub(super) fn check_reach(&mut self, number: usize, wrong: FaultCause, written: &str) {
        let field = &self.signature.fields[number];
        let reach = match wrong {
            FaultCause::WriteBeyond => field.reach.writes,
            _ => field.reach.all,
        };
        let Reach::Cells(cells) = reach else { return };
        if !self.checks_reach() {
            return;
        }
        let signature = self.signature;
        let axes = signature.resources[field.resource].axes();
        let is_unknown = match signature.over {
            Over::SubBlocks => axes < 3,
            // The cell of a particle is not known.
            _ => signature.axes == 1 && signature.tile.is_none() && axes > 1,
        };
        if is_unknown {
            return;
        }
        let is_set = |number: usize| matches!(signature.resources[number].shape, LocalShape::Set { .. });
        if is_set(field.resource) && signature.domain != Some(field.resource) {
            // The reach counts cells between a particle and the own element, and the cell of the particle is not known.
            return;
        }
        let sides = match axes {
            1 => format!("ivec3(int({}), 1, 1)", self.side(field, 0)),
            2 => format!("ivec3({}, 1)", self.sides(field)),
            _ => self.sides(field),
        };
        // A vertex of a height field and the cells of its column are at one place.
        let cells = match (axes, signature.axes) {
            (3, 2) | (2, 3) => format!("ivec3({cells}, {cells}, 2147483647)"),
            _ => format!("ivec3({cells})"),
        };
        if signature.tile.is_some() && axes == 1 {
            let report = self.report(number, field, wrong, written);
            line!(self, "    if (sg_checked && {written} != sg_number) {report}");
            return;
        }
        let index = self.reported_index(field, written);
        let scale = self.scale(field);
        if let Some(alternation) = &field.alternation {
            return self.check_owner(number, alternation, wrong, [index, sides, scale]);
        }
        let report = self.report(number, field, wrong, written);
        line!(
            self,
            "    if (sg_checked && sg_is_beyond({index}, {sides}, {cells}, {scale})) {report}"
        );
    }

    /// Reports an access to an entry that belongs to an element farther away than the kernel states.
    fn check_owner(
        &mut self,
        number: usize,
        alternation: &Alternation,
        wrong: FaultCause,
        [index, sides, scale]: [String; 3],
    ) {
        let field = &self.signature.fields[number];
        let writes = wrong == FaultCause::WriteBeyond;
        let reach = if writes {
            field.reach.writes
        } else {
            field.reach.all
        };
        let Reach::Cells(cells) = reach else { return };
        let cells = cells.saturating_sub(alternation.pairs.farthest());
        let name = &field.name;
        let is_beyond = |step: &str| {
            format!("sg_is_beyond({index} - sg_offset_{name}(k, {step}), {sides}, ivec3({cells}), {scale})")
        };
        let mut foreign = is_beyond("clock.step");
        if alternation.last && !writes {
            foreign = format!("{foreign} && {}", is_beyond("clock.step + 1u"));
        }
        line!(
            self,
            "    if (sg_checked && {foreign}) sg_report_entry({number}u, {}u, {index}, int(k));",
            wrong as u32
        );
    }

    /// The number of elements of a field per element of the domain, along one axis.
    fn scale(&self, field: &LocalField) -> String {
        let resource = |id: usize| &self.signature.resources[id];
        let is_placed = |id: usize| matches!(resource(id).shape, LocalShape::Lattice { form, .. } if form.placement.is_in_the_world());
        let of_tile = self.signature.tile.and_then(|tile| tile.grid);
        match self.signature.domain.or(of_tile) {
            Some(domain) if domain != field.resource && is_placed(domain) && is_placed(field.resource) => {
                format!(
                    "{}_spacing.x / {}_spacing.x",
                    resource(domain).name,
                    resource(field.resource).name
                )
            }
            _ => "1.0".to_string(),
        }
    }
}
