//! Replacement of actions by others, and of operations by stages of the engine.

use std::rc::Rc;

use super::meaning::{Action, ActionKind, Meaning, Origin};
use super::{DraftContext, SharedBuffers};
use crate::ir::{Draft, List, Pipeline, ResourceId};

/// Replaces an action: the arguments are the pipeline, the list, the action, and the list for its replacements.
type Replacing<'a> = &'a mut dyn FnMut(&mut Meaning, List, Action, &mut Vec<Action>);

impl Meaning {
    /// Passes every action, also in repeats, to `with`, which adds the replacements to the list.
    pub(super) fn replace(&mut self, mut with: impl FnMut(&mut Meaning, List, Action, &mut Vec<Action>)) {
        for number in 0..self.lists.len() {
            let (list, actions) = &mut self.lists[number];
            let (list, actions) = (*list, std::mem::take(actions));
            self.lists[number].1 = self.replaced(list, actions, &mut with);
        }
    }

    fn replaced(&mut self, list: List, actions: Vec<Action>, with: Replacing) -> Vec<Action> {
        let mut replaced = Vec::with_capacity(actions.len());
        for mut action in actions {
            if let ActionKind::Loop(inner) = &mut action.kind {
                let iterations = std::mem::take(&mut inner.iterations);
                inner.iterations = iterations
                    .into_iter()
                    .map(|actions| self.replaced(list, actions, with))
                    .collect();
                replaced.push(action);
            } else {
                with(self, list, action, &mut replaced);
            }
        }
        replaced
    }

    /// The stages of the engine for an action, drafted once for all iterations. Actions with equal `family` and `resource`
    /// get numbers in the names of their stages; `details` distinguishes actions of one entry.
    pub(super) fn engine(
        &mut self,
        (list, every, from): (List, u32, &Rc<Origin>),
        (family, resource, details): (&'static str, ResourceId, &str),
        make: impl FnOnce(&mut Pipeline, &mut SharedBuffers, DraftContext) -> Vec<Draft>,
    ) -> Vec<Rc<Draft>> {
        let key = format!(
            "{family} {} {} {} {every} {resource} {details}",
            from.pointer,
            from.instance,
            list.key()
        );
        if let Some(known) = self.made.get(&key) {
            return known.clone();
        }
        let earlier = self.families.entry((family, resource)).or_default();
        *earlier += 1;
        let suffix = if *earlier == 1 {
            String::new()
        } else {
            format!("_{earlier}")
        };
        let entry = DraftContext {
            list,
            every,
            suffix: &suffix,
            pointer: &from.pointer,
        };
        let drafts = make(&mut self.pipeline, &mut self.shared, entry);
        let drafts: Vec<Rc<Draft>> = drafts.into_iter().map(Rc::new).collect();
        self.made.insert(key, drafts.clone());
        drafts
    }
}
