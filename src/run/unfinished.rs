//! Repeats with `while` that used all their iterations while their condition still held.

use std::fmt;

use crate::ir::{List, LoopLimit, Pipeline};
use crate::shared_constants::unfinished::{
    UNFINISHED_FRAME, UNFINISHED_ITERATIONS, UNFINISHED_STEP, UNFINISHED_TIMES, UNFINISHED_WORDS,
};

use super::fault::in_world;

/// The record of such a repeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    pub repeat: String,
    /// The condition, as the file names it.
    pub condition: String,
    pub list: List,
    /// The run must stop.
    pub stops: bool,
    /// Number of times that it used all its iterations, at most 2³² - 1.
    pub times: u32,
    /// Number of iterations, the first time.
    pub iterations: u32,
    /// Step, counted from 1, and frame of the first time. In frame stages only the frame is valid, in init stages neither.
    pub step: u64,
    pub frame: u64,
    /// The world, if there are several.
    pub world: Option<usize>,
}

impl Unfinished {
    /// Decodes a record; `None` if the repeat has always ended in time.
    pub fn decode(limit: &LoopLimit, bytes: &[u8]) -> Option<Unfinished> {
        let mut words = [0; UNFINISHED_WORDS as usize];
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        let word = |at: u32| words[at as usize];
        (word(UNFINISHED_TIMES) > 0).then(|| Unfinished {
            repeat: limit.repeat.clone(),
            condition: limit.condition.clone(),
            list: limit.list,
            stops: limit.stops,
            times: word(UNFINISHED_TIMES),
            iterations: word(UNFINISHED_ITERATIONS),
            step: word(UNFINISHED_STEP).into(),
            frame: word(UNFINISHED_FRAME).into(),
            world: None,
        })
    }

    /// Returns true if it happened before a frame was complete.
    pub fn is_before(&self, frame: u64, pipeline: &Pipeline) -> bool {
        match self.list {
            List::Init | List::Step => self.step <= frame * u64::from(pipeline.steps_per_frame),
            List::Frame => self.frame <= frame,
        }
    }

    /// Advice for the user.
    pub fn help(&self) -> &'static str {
        if self.stops {
            "allow more iterations in `over` of the repeat, or find out why it does not end"
        } else {
            "allow more iterations in `over` of the repeat, or set \"on_max_iterations\": \"continue\" in it if it need not end"
        }
    }

    /// A warning after the run, if it happened more than once.
    pub fn total(&self) -> Option<String> {
        (self.times > 1 && !self.stops).then(|| {
            let (repeat, times) = (&self.repeat, self.times);
            format!("repeat `{repeat}` used all its iterations {times} times in this run")
        })
    }
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let iterations = match self.iterations {
            1 => "its only iteration".to_string(),
            iterations => format!("all its {iterations} iterations"),
        };
        let when = match self.list {
            List::Init => "`init`".to_string(),
            List::Step => format!("step {}", self.step),
            List::Frame => format!("frame {}", self.frame),
        };
        let (repeat, condition) = (&self.repeat, &self.condition);
        write!(
            f,
            "repeat `{repeat}` used {iterations} in {when} and `{condition}` was not 0"
        )?;
        in_world(f, self.world)
    }
}
