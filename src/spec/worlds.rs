//! The values in which worlds differ.

use super::file::{Numbers, WorldValuesFile, WorldsFile, problem_of};
use super::program::Program;
use super::scope::Scope;
use crate::expr::{Expr, Failure, Mistake, Name, Names, Value};
use crate::problem::Place;

/// Each world takes a workgroup in z at least.
const MAX_WORLDS: u64 = 65_535;

/// The values of a world by path, as `--set` would set them.
pub type WorldValues = Vec<(String, Vec<f64>)>;

/// The names that expressions of worlds know.
struct WorldNames {
    world: usize,
    worlds: usize,
}

impl Names for WorldNames {
    fn value(&self, name: &Name, at: &Expr) -> Result<Value, Failure> {
        match name.plain().as_deref() {
            Some("world") => Ok(Value::Number(self.world as f64)),
            Some("worlds") => Ok(Value::Number(self.worlds as f64)),
            _ => {
                let message = format!("`{name}` is not known here");
                Err(Some(Mistake::new(&at.range, message, "use `world` and `worlds`")))
            }
        }
    }
}

impl Program<'_> {
    /// The values of each world, from the first on; empty if the file has no worlds.
    pub fn worlds(&self) -> Vec<WorldValues> {
        let Some(file) = &self.instances[0].file.worlds else {
            return Vec::new();
        };
        let Some(worlds) = self.number_of_worlds(file) else {
            return Vec::new();
        };
        (0..worlds)
            .map(|world| self.values_of_world(file, &WorldNames { world, worlds }))
            .collect()
    }

    fn number_of_worlds(&self, file: &WorldsFile) -> Option<usize> {
        let mut count = None;
        if let Some(number) = &file.count {
            count = Some(self.count(&Scope::of(0), number, 1, MAX_WORLDS)? as usize);
        }
        for (path, values) in file.set.good() {
            let WorldValuesFile::Listed(values) = values else {
                continue;
            };
            let wanted = *count.get_or_insert(values.len());
            let is_valid = values.len() == wanted && wanted <= MAX_WORLDS as usize && wanted > 0;
            if !is_valid {
                let place = self.place_of(file, path);
                let message = format!("`{path}` has {} values for {wanted} worlds", values.len());
                let help = format!("write one value for each world, 1 to {MAX_WORLDS}");
                self.wrong(&place, message, help);
                return None;
            }
        }
        Some(count.unwrap_or(1))
    }

    fn place_of(&self, file: &WorldsFile, path: &str) -> Place {
        let item = file.set.get(path);
        item.map_or_else(|| self.instances[0].file.place.clone(), |item| item.key.clone())
    }

    fn values_of_world(&self, file: &WorldsFile, names: &WorldNames) -> WorldValues {
        let mut of_world = Vec::new();
        for (path, values) in file.set.good() {
            let numbers = match values {
                WorldValuesFile::Formula(number) => &Numbers::One(number.clone()),
                WorldValuesFile::Listed(values) => &values[names.world],
            };
            let mut found = Vec::new();
            for number in numbers.items() {
                let Some(tree) = &number.tree else { continue };
                match tree.evaluate(names) {
                    Ok(value) if value.numbers().iter().all(|number| number.is_finite()) => {
                        found.extend_from_slice(value.numbers());
                    }
                    Ok(_) => {
                        let message = format!("`{path}` is not a finite number in world {}", names.world);
                        self.wrong(
                            &number.place,
                            message,
                            "choose values for which the expression is defined",
                        );
                    }
                    Err(mistake) => mistake
                        .into_iter()
                        .for_each(|mistake| self.report(problem_of(mistake, &number.place))),
                }
            }
            of_world.push((path.to_string(), found));
        }
        of_world
    }
}
