//! Entries that name levels of grids: what their names are in a turn, and what shaders call them.

use std::borrow::Cow;

use super::super::file::{EntryFile, Number, StageFile};
use super::super::indexed::indexed;
use super::Unroller;
use super::binding::LocalNames;
use crate::ir::ResourceId;
use crate::problem::{Problem, pointer_part};

impl Unroller<'_, '_> {
    /// An entry with the levels that its names have in this turn; `None` after a problem.
    pub(super) fn settled<'e>(&mut self, entry: &'e EntryFile, pointer: &str) -> Option<Cow<'e, EntryFile>> {
        if matches!(entry, EntryFile::Repeat(_)) {
            return Some(Cow::Borrowed(entry));
        }
        if let EntryFile::Stage(stage) = entry
            && self.names_bound_level(stage, pointer)
        {
            return None;
        }
        let mut settled = entry.clone();
        let mut levels = String::new();
        for (text, at) in names(&mut settled) {
            if indexed(text).is_none() {
                continue;
            }
            if !self.resolver.settle(text, &format!("{pointer}{at}")) {
                return None;
            }
            levels.push(' ');
            levels.push_str(text);
        }
        self.levels = levels;
        Some(match self.levels.is_empty() {
            true => Cow::Borrowed(entry),
            false => Cow::Owned(settled),
        })
    }

    /// Reports a level of a grid whose name the stage binds to something else; true if there is one.
    fn names_bound_level(&mut self, stage: &StageFile, pointer: &str) -> bool {
        let lists = [("reads", &stage.reads), ("writes", &stage.writes)];
        let numbered = lists.map(|(key, list)| list.iter().enumerate().map(move |(i, name)| (key, i, name)));
        let mut found = numbered.into_iter().flatten().filter_map(|(key, i, name)| {
            let grid = indexed(name)?.grid;
            Some((format!("{pointer}/{key}/{i}"), name, grid, stage.bind.get(grid)?))
        });
        let Some((at, name, grid, meant)) = found.next() else {
            return false;
        };
        let message = format!("`{grid}` is bound to `{meant}` here, so `{name}` has no name in the shader");
        let problem = Problem::new(at, message).help("bind this level too, to another name");
        self.resolver.problems.push(problem);
        true
    }

    /// What tells the stages of an entry from those of others.
    pub(super) fn key(&self, pointer: &str) -> String {
        format!("{pointer}{}", self.levels)
    }

    /// The names of levels that a stage does not bind: those of their grids.
    pub(super) fn names_of_levels(
        &self,
        names: &LocalNames,
        touched: impl Iterator<Item = ResourceId>,
    ) -> Vec<(String, ResourceId)> {
        let mut called: Vec<(String, ResourceId)> = Vec::new();
        for id in touched {
            let resource = &self.resolver.pipeline.resources[id];
            let has_name = |named: &[(String, ResourceId)]| named.iter().any(|(_, other)| *other == id);
            if resource.level().is_some() && !has_name(&names.resources) && !has_name(&called) {
                called.push((resource.stated_name().to_string(), id));
            }
        }
        called
    }
}

/// The names in an entry that may be of levels, with their places in it.
fn names(entry: &mut EntryFile) -> Vec<(&mut String, String)> {
    let mut names: Vec<(&mut String, String)> = Vec::new();
    match entry {
        EntryFile::Stage(stage) => {
            if let Some(Number::Expression(over)) = &mut stage.over {
                names.push((over, "/over".into()));
            }
            let bind = stage.bind.iter_mut();
            names.extend(bind.map(|(local, meant)| (meant, format!("/bind/{}", pointer_part(local)))));
            for (key, list) in [("reads", &mut stage.reads), ("writes", &mut stage.writes)] {
                names.extend((list.iter_mut().enumerate()).map(|(i, name)| (name, format!("/{key}/{i}"))));
            }
        }
        EntryFile::Fill(fill) => names.push((&mut fill.fill, "/fill".into())),
        EntryFile::Copy(copy) => {
            names.extend([(&mut copy.copy, "/copy".into()), (&mut copy.to, "/to".into())]);
        }
        EntryFile::Swap(swap) => {
            names.extend((swap.swap.iter_mut().enumerate()).map(|(i, name)| (name, format!("/swap/{i}"))));
        }
        EntryFile::Reduce(reduce) => names.push((&mut reduce.reduce, "/reduce".into())),
        EntryFile::Fft(fft) => {
            names.push((&mut fft.fft, "/fft".into()));
            names.extend(fft.into.iter_mut().map(|name| (name, "/into".into())));
        }
        _ => {}
    }
    names
}
