//! Levels of dense grids.

use crate::ir::*;
use crate::problem::{Problem, pointer_part};
use crate::spec::file::{ChannelFile, GridFile, Number, StorageFile};
use crate::spec::resolver::Resolver;

/// What stands for as many levels as a grid can have.
const ALL: &str = "all";

impl Resolver<'_> {
    /// How many levels a grid has, which expressions know as `<grid>.levels`.
    pub(super) fn levels(&mut self, name: &str, file: &GridFile, size: Option<[u64; 3]>) -> u32 {
        let Some(stated) = &file.levels else { return 1 };
        let levels = size.and_then(|size| self.stated_levels(name, file, stated, size));
        self.define(format!("{name}.levels"), levels.map(f64::from));
        levels.unwrap_or(1)
    }

    fn stated_levels(&mut self, name: &str, file: &GridFile, stated: &Number, size: [u64; 3]) -> Option<u32> {
        let pointer = format!("/grids/{}/levels", pointer_part(name));
        let most = most_levels(size);
        let levels = match stated {
            Number::Expression(text) if text.trim() == ALL => most,
            number => {
                let levels = self.number(number, &pointer)?;
                if levels.fract() != 0.0 || !(1.0..=f64::from(most)).contains(&levels) {
                    let problem = Problem::new(pointer, format!("`{name}` cannot have {levels} levels"));
                    let help = format!(
                        "write a whole number from 1 to {most}, or \"{ALL}\": the last level of {most} has one cell"
                    );
                    self.problems.push(problem.help(help));
                    return None;
                }
                levels as u32
            }
        };
        if levels > 1 && file.storage == StorageFile::Sparse {
            let problem = Problem::on_key(pointer, format!("`{name}` is a sparse grid, which has no levels"));
            let help = "remove `levels`, or make the grid dense; a dense grid beside it can have them";
            self.problems.push(problem.help(help));
            return None;
        }
        Some(levels)
    }

    /// Adds the further levels of a grid, with the channels that level 0 has. They start as backgrounds.
    pub(super) fn further_levels(&mut self, grid: ResourceId, levels: u32, file: &GridFile) {
        let fields = self.pipeline.fields.iter();
        let channels: Vec<Field> = fields.filter(|field| field.resource == grid).cloned().collect();
        for number in 1..levels {
            let finest = &self.pipeline.resources[grid];
            let (name, section) = (format!("{}[{number}]", finest.name), finest.section());
            let mut level = finest.clone();
            level.size = finest.size.map(|cells| cells.div_ceil(1 << number));
            if let Kind::Lattice(lattice) = &mut level.kind {
                lattice.spacing = lattice.spacing.map(|side| side * f64::from(number).exp2());
                lattice.level = Some(Level { of: grid, number });
            }
            level.name.clone_from(&name);
            let resource = self.pipeline.add_resource(level);
            for channel in &channels {
                let stated = file.channels.get(channel.channel());
                self.pipeline.add_field(Field {
                    name: format!("{name}.{}", channel.channel()),
                    resource,
                    start: Start::Background,
                    given: matches!(stated, Some(ChannelFile::Full(full)) if full.background.is_some()),
                    ..channel.clone()
                });
            }
            self.take_in(section);
        }
    }
}

/// Levels until the longest side is one cell.
fn most_levels(size: [u64; 3]) -> u32 {
    let longest = size.into_iter().max().unwrap_or(1);
    1 + longest.next_power_of_two().ilog2()
}

#[cfg(test)]
mod tests {
    use super::most_levels;

    #[test]
    fn sides_are_halved_until_one_cell_is_left() {
        for (longest, levels) in [(1, 1), (2, 2), (3, 3), (4, 3), (5, 4), (256, 9), (257, 10)] {
            assert_eq!(most_levels([1, longest, 1]), levels, "{longest}");
            let mut cells: u64 = longest;
            for _ in 1..levels {
                cells = cells.div_ceil(2);
            }
            assert_eq!(cells, 1, "{longest}");
        }
    }
}
