//! Which resources and channels of modules are used: the others are left out.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use super::calls::{Call, Calls};
use super::file::*;
use super::kernels::Kernel;
use super::program::*;
use super::scope::Scope;
use crate::expr::{Expr, Kind, Name};

impl<'f> Program<'f> {
    /// Marks what stages, outputs, series and the watch use.
    pub(crate) fn mark_uses(&self, calls: &Calls<'f>) {
        let mut seen = HashSet::new();
        for (_, list) in &calls.lists {
            self.mark_calls(list, &mut seen);
        }
        let scope = Scope::of(0);
        let file = self.instances[0].file;
        for (_, output) in file.outputs.good() {
            match &output.source {
                Some(SourcesFile::One(reference)) => self.mark_reference(&scope, reference),
                Some(SourcesFile::Many(_, list)) => {
                    list.iter().for_each(|name| self.mark_reference(&scope, name))
                }
                None => {}
            }
            let values = output.values.iter().flat_map(|values| values.good());
            values.for_each(|(_, number)| self.mark_names(&scope, number));
        }
        for reference in file.run.iter().flat_map(|run| run.watch_fields.iter().flatten()) {
            self.mark_reference(&scope, reference);
        }
        for parameter in &self.parameters {
            if let Some((input, instance)) = parameter.fact(|facts| facts.input.as_ref())
                && let Some((_, depth)) = input.text.split_once(" in ")
                && let Ok(Expr {
                    kind: Kind::Name(name),
                    ..
                }) = crate::expr::parse(depth)
            {
                self.mark(&Scope::of(instance), &name);
            }
        }
    }

    fn mark_calls(&self, calls: &[Call<'f>], seen: &mut HashSet<(usize, InstanceId, Vec<String>)>) {
        for call in calls {
            let (address, at) = match call {
                Call::Stage { file, at, .. } => (std::ptr::from_ref(*file) as usize, at),
                Call::Operation { entry, at } => (std::ptr::from_ref(*entry) as usize, at),
                Call::Repeat { file, at, iterations } => {
                    file.condition
                        .iter()
                        .for_each(|condition| self.mark_reference(&at.scope, condition));
                    iterations.iter().for_each(|calls| self.mark_calls(calls, seen));
                    continue;
                }
            };
            // Only letters change what names are used.
            let letters = at.scope.locals().filter_map(|(name, value)| match value {
                super::scope::LocalValue::Letter(letter) => Some(format!("{name} {letter}")),
                _ => None,
            });
            if !seen.insert((address, at.scope.instance, letters.collect())) {
                continue;
            }
            match call {
                Call::Stage { file, kernel, .. } => self.mark_stage(&at.scope, file, kernel),
                Call::Operation { entry, .. } => self.mark_operation(&at.scope, entry),
                Call::Repeat { .. } => {}
            }
        }
    }

    fn mark_stage(&self, scope: &Scope, file: &StageFile, kernel: &Kernel) {
        let bindings = file.bind.good();
        let bindings = bindings
            .map(|(local, meant)| (scope.text(local).unwrap_or_default(), meant))
            .collect();
        let reduced = kernel.reduces.iter().map(|(reference, _)| reference);
        for reference in kernel.fields().chain(kernel.requests.iter()).chain(reduced) {
            let Some(name) = &reference.name else { continue };
            self.mark_bound(scope, &bindings, name);
        }
        file.bind
            .good()
            .for_each(|(_, reference)| self.mark_reference(scope, reference));
        for (set, item) in file.emits.iter().flat_map(|emits| emits.iter()) {
            if let Ok(Expr {
                kind: Kind::Name(name),
                ..
            }) = crate::expr::parse(set)
            {
                self.mark(scope, &name);
            }
            item.value
                .iter()
                .for_each(|number| self.mark_names(scope, number));
        }
        file.over.iter().for_each(|number| self.mark_names(scope, number));
        let groups = file.groups.iter().flat_map(|groups| groups.items());
        groups.for_each(|number| self.mark_names(scope, number));
    }

    /// A name of the shader that is not bound itself; its resource may be.
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

    fn mark_operation(&self, scope: &Scope, entry: &EntryFile) {
        let mark = |reference: &Reference| self.mark_reference(scope, reference);
        match entry {
            EntryFile::Set(file) => {
                mark(&file.set);
                file.to
                    .items()
                    .iter()
                    .for_each(|number| self.mark_names(scope, number));
            }
            EntryFile::Swap(file) => file.swap.iter().for_each(mark),
            EntryFile::Update(file) => mark(&file.update_grid),
            EntryFile::Remove(file) => [&file.remove, &file.marked].map(mark).into_iter().collect(),
            EntryFile::Sort(file) => {
                [&file.sort, &file.by]
                    .into_iter()
                    .chain(&file.offsets)
                    .for_each(mark);
            }
            EntryFile::Name(_) | EntryFile::Stage(_) | EntryFile::Block(_) => {}
        }
    }

    fn mark_reference(&self, scope: &Scope, reference: &Reference) {
        reference.name.iter().for_each(|name| self.mark(scope, name));
    }

    /// Every name in an expression.
    fn mark_names(&self, scope: &Scope, number: &Number) {
        let names = number.tree.iter().flat_map(|tree| tree.names());
        names.for_each(|name| self.mark(scope, name));
    }

    /// What a name stands for. Mistakes are reported where it is looked up.
    fn mark(&self, scope: &Scope, name: &Name) {
        let texts = name
            .parts
            .iter()
            .map(|part| scope.text(&part.text).map(|text| text.into_owned()));
        let Ok(parts) = texts.collect::<Result<Vec<String>, _>>() else {
            return;
        };
        let place = &self.instances[0].file.place;
        let Ok(Some(seen)) = self.see(scope.instance, &parts, place) else {
            return;
        };
        let Some(decl) = seen.decl else { return };
        self.decls[decl].is_used.set(true);
        // A component may follow the channel.
        for end in (seen.parts..=parts.len()).rev() {
            if let Some(View::Channel(id)) =
                self.view(seen.home, &seen.name, &parts[seen.parts..end].join("."))
            {
                return self.channels[id].is_used.set(true);
            }
        }
        // A whole resource of a module, such as that of an output.
        if parts.len() == seen.parts && self.decls[decl].instance != 0 {
            let channels = self.decls[decl].channels.borrow();
            let own = channels
                .iter()
                .filter(|id| self.channels[**id].added_by.is_none());
            own.for_each(|id| self.channels[*id].is_used.set(true));
        }
    }
}
