//! Marks the used resources and channels of modules; all others are left out.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use super::calls::{Call, Calls};
use super::file::*;
use super::kernels::Kernel;
use super::program::*;
use super::scope::{LocalValue, Scope};
use crate::expr::{Expr, Name};

impl<'f> Program<'f> {
    /// Marks the resources and channels that stages, outputs, series and the watch use.
    pub fn mark_uses(&self, calls: &Calls<'f>) {
        let mut seen = HashSet::new();
        for list in calls.all() {
            self.mark_calls(list, &mut seen);
        }
        let scope = Scope::of(0);
        let file = self.instances[0].file;
        for (_, output) in file.outputs.good() {
            self.mark_references(&scope, output.source.iter().flat_map(SourcesFile::references));
            self.mark_references(&scope, &output.faces);
            let values = output.values.iter().flat_map(|values| values.good());
            self.mark_numbers(&scope, values.map(|(_, number)| number));
        }
        let watched = file.run.iter().flat_map(|run| run.watch_fields.iter().flatten());
        self.mark_references(&scope, watched);
        for parameter in &self.parameters {
            if let Some((input, instance)) = parameter.fact(|facts| facts.input.as_ref())
                && let Some((_, depth)) = input.text.split_once(" in ")
            {
                let depth = Reference::parsed(depth, &input.place);
                self.mark_references(&Scope::of(instance), [&depth]);
            }
        }
    }

    fn mark_calls(&self, calls: &[Call<'f>], seen: &mut HashSet<(usize, InstanceId, Vec<String>)>) {
        for call in calls {
            let (address, at) = match call {
                Call::Stage { file, at, .. } => (std::ptr::from_ref(*file) as usize, at),
                Call::Operation { file, at } => (std::ptr::from_ref(*file) as usize, at),
                Call::Repeat { file, at, iterations } => {
                    self.mark_references(&at.scope, &file.condition);
                    iterations.iter().for_each(|calls| self.mark_calls(calls, seen));
                    continue;
                }
            };
            // Only letters change the names that are used.
            let letters = at.scope.locals().filter_map(|(name, value)| match value {
                LocalValue::Letter(letter) => Some(format!("{name} {letter}")),
                _ => None,
            });
            if !seen.insert((address, at.scope.instance, letters.collect())) {
                continue;
            }
            match call {
                Call::Stage { file, kernel, .. } => self.mark_stage(&at.scope, file, kernel),
                Call::Operation { file, .. } => {
                    let (references, numbers) = file.uses();
                    self.mark_references(&at.scope, references);
                    self.mark_numbers(&at.scope, numbers);
                }
                Call::Repeat { .. } => {}
            }
        }
    }

    fn mark_stage(&self, scope: &Scope, file: &StageFile, kernel: &Kernel) {
        let bound = || file.bind.good().map(|(_, reference)| reference);
        let locals = file
            .bind
            .good()
            .map(|(local, _)| scope.text(local).unwrap_or_default());
        let bindings = locals.zip(bound()).collect();
        let reduced = kernel.reduces.iter().map(|(reference, _)| reference);
        let listed = kernel.fields().chain(kernel.requests.iter()).chain(reduced);
        for name in listed.filter_map(|reference| reference.name.as_ref()) {
            self.mark_bound(scope, &bindings, name);
        }
        self.mark_references(scope, bound());
        for (set, item) in file.emits.iter().flat_map(|emits| emits.iter()) {
            self.mark_references(scope, [&Reference::parsed(set, &item.key)]);
            self.mark_numbers(scope, &item.value);
        }
        self.mark_numbers(scope, &file.over);
        self.mark_numbers(scope, file.groups.iter().flat_map(Numbers::items));
    }

    /// Marks a name of the shader that is not bound itself; its resource may be bound.
    fn mark_bound(&self, scope: &Scope, bindings: &BTreeMap<Cow<str>, &Reference>, name: &Name) {
        if bindings.contains_key(name.to_string().as_str()) {
            return;
        }
        let meant = bindings.get(name.parts[0].text.as_str());
        match meant.and_then(|meant| meant.name.as_ref()) {
            Some(meant) => {
                let parts = meant.parts.iter().chain(&name.parts[1..]).cloned().collect();
                self.mark(scope, &Name { parts });
            }
            None => self.mark(scope, name),
        }
    }

    fn mark_references<'r>(&self, scope: &Scope, references: impl IntoIterator<Item = &'r Reference>) {
        for name in references
            .into_iter()
            .filter_map(|reference| reference.name.as_ref())
        {
            self.mark(scope, name);
        }
    }

    /// Marks every name in some expressions.
    fn mark_numbers<'n>(&self, scope: &Scope, numbers: impl IntoIterator<Item = &'n Number>) {
        let trees = numbers.into_iter().filter_map(|number| number.tree.as_ref());
        for name in trees.flat_map(Expr::names) {
            self.mark(scope, name);
        }
    }

    /// Marks the target of a name. Mistakes are reported at a later look-up.
    fn mark(&self, scope: &Scope, name: &Name) {
        let Some((target, parts)) = self.find_silently(scope, name) else {
            return;
        };
        let Some(decl) = target.decl else { return };
        self.decls[decl].is_used.set(true);
        // A component may follow the channel.
        for end in (target.parts..=parts.len()).rev() {
            if let Some(View::Channel(id)) =
                self.view(target.home, &target.name, &parts[target.parts..end].join("."))
            {
                return self.channels[id].is_used.set(true);
            }
        }
        // A whole resource of a module, for example in an output: the channels that stages use, if there are any.
        let channels = self.decls[decl].channels.borrow();
        let is_whole = parts.len() == target.parts && self.decls[decl].instance != 0;
        if is_whole && !channels.iter().any(|id| self.channels[*id].is_used.get()) {
            let own = channels.iter().map(|id| &self.channels[*id]);
            own.filter(|channel| channel.added_by.is_none())
                .for_each(|channel| channel.is_used.set(true));
        }
    }
}
