//! Options of a run over several ranks.

use sastrugi::{CutRequest, Problem, Whole};

use super::Arguments;

#[derive(clap::Args)]
pub(crate) struct Cut {
    /// One simulation on N ranks: processes that MPI starts, each with a part of the grids, on different GPUs if there are
    /// enough (docs/ranks.md).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub ranks: Option<u32>,
    /// Parts along each axis for --ranks; their product is N [default: the parts with the least surface].
    #[arg(long, value_name = "X,Y,Z", value_parser = parts)]
    pub cut: Option<[usize; 3]>,
    /// Lets every rank run these stages whole where they cannot be cut, at any cost.
    #[arg(long, value_name = "STAGE,STAGE|all")]
    pub whole: Option<String>,
}

/// Parts along two or three axes.
fn parts(text: &str) -> Result<[usize; 3], String> {
    let wrong = || "write the parts along x, y and z, such as 1,2,2".to_string();
    let numbers: Result<Vec<usize>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    match numbers.map_err(|_| wrong())?[..] {
        [x, y] if x > 0 && y > 0 => Ok([x, y, 1]),
        [x, y, z] if x > 0 && y > 0 && z > 0 => Ok([x, y, z]),
        _ => Err(wrong()),
    }
}

impl Cut {
    /// The cut that the options ask for.
    pub fn request(&self) -> CutRequest {
        let whole = match self.whole.as_deref() {
            None => Whole::None,
            Some("all") => Whole::All,
            Some(list) => Whole::Stages(list.split(',').map(|name| name.trim().to_string()).collect()),
        };
        CutRequest {
            parts: self.cut,
            whole,
        }
    }

    /// Refuses options of a cut for a single process.
    pub fn check_unused(&self) -> Result<(), Problem> {
        let given = [("--cut", self.cut.is_some()), ("--whole", self.whole.is_some())];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) if self.ranks.is_none_or(|ranks| ranks == 1) => {
                let message = format!("{option} is for runs over several ranks");
                Err(Problem::without_place(message).help("add --ranks N"))
            }
            _ => Ok(()),
        }
    }
}

/// Refuses options of several ranks for a run on one.
pub(super) fn check_alone(arguments: &Arguments) -> Result<(), Problem> {
    arguments.cut.check_unused()?;
    if arguments.balance {
        let problem = Problem::without_place("--balance is for runs over several ranks");
        return Err(problem.help("add --ranks N"));
    }
    Ok(())
}

/// Refuses options that runs over several ranks do not support.
pub(super) fn check_options(arguments: &Arguments) -> Result<(), Problem> {
    let given = [
        ("--replay", arguments.replay.is_some()),
        ("--stage", !arguments.stage.is_empty()),
        ("--devices", arguments.devices.is_some()),
        ("--shard", arguments.shard.is_some()),
        ("--continue", arguments.carry_on),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => {
            let message = format!("{option} does not work with several ranks");
            Err(Problem::without_place(message).help("leave it out, or run on one rank"))
        }
        None => Ok(()),
    }
}

/// Several ranks run one pipeline.
pub(super) fn check_one_run(runs: usize) -> Result<(), Problem> {
    if runs == 1 {
        return Ok(());
    }
    let message = format!("several ranks run one simulation, not {runs}");
    Err(Problem::without_place(message).help("name one pipeline and no sweep, or run on one rank each"))
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn parts_are_two_or_three_positive_numbers() {
        assert_eq!(parts("1,2,4"), Ok([1, 2, 4]));
        assert_eq!(parts("3, 2"), Ok([3, 2, 1]));
        for text in ["", "4", "1,2,3,4", "0,1,1", "a,b", "-1,1", "1,,2"] {
            assert!(parts(text).is_err(), "{text}");
        }
    }
}
