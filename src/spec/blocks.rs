//! Blocks in lists: letters substituted, conditions evaluated, repeats unrolled.

use std::rc::Rc;

use super::calls::{At, Call, Caller, Given, MAX_INVOCATIONS};
use super::file::*;
use super::scope::{LocalValue, Scope};
use crate::expr::Value;

/// Maximum nesting of repeats.
const MAX_REPEATS: usize = 8;

impl<'f> Caller<'_, 'f> {
    /// Adds the calls of a block, once per letter.
    pub(super) fn block(&mut self, file: &'f BlockFile, at: &Rc<At<'f>>, into: &mut Vec<Call<'f>>) {
        let before = self.program.mistakes();
        self.check_keys(file);
        let Some(letters) = self.letters(file, &at.scope) else {
            self.is_whole = false;
            return;
        };
        for scope in letters {
            let at = Rc::new(At {
                scope,
                ..At::clone(at)
            });
            match &file.repeat {
                Some(_) => self.repeat(file, &at, into),
                None => self.inside(file, &at, into),
            }
            // Report a mistake only for the first iteration that has it.
            if self.program.mistakes() > before {
                return;
            }
        }
    }

    /// Reports keys that require another key.
    fn check_keys(&mut self, file: &BlockFile) {
        let mut check = |is_wrong: bool, message: &str, help: &str| {
            if is_wrong {
                self.refuse(&file.place, message, help);
            }
        };
        let (repeats, has_while) = (file.repeat.is_some(), file.condition.is_some());
        let help = "add \"over\": a count, or a list of values";
        check(repeats && file.over.is_none(), "`repeat` requires `over`", help);
        let help = "add \"repeat\": the name of the value";
        check(!repeats && file.over.is_some(), "`over` requires `repeat`", help);
        let help = "add \"repeat\" and \"over\": the largest number of iterations";
        check(!repeats && has_while, "`while` requires `repeat`", help);
        let message = "a repeat without `while` always runs all its iterations";
        let help = "remove `on_max_iterations`, or name the buffer that ends the repeat in `while`";
        check(!has_while && file.on_max_iterations.is_some(), message, help);
        let is_lone = file.only.is_none() && file.otherwise.is_some();
        check(is_lone, "`else` requires `if`", "add \"if\": a condition");
    }

    /// The scopes of a block, one for each letter of its `for`.
    fn letters(&self, file: &BlockFile, scope: &Scope) -> Option<Vec<Scope>> {
        let Some(text) = &file.letters else {
            return Some(vec![scope.clone()]);
        };
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        let is_word = |word: &str| !word.is_empty() && word.chars().all(is_plain);
        let (name, items) = text.text.split_once(" in ").unwrap_or_default();
        let words: Vec<&str> = items.split_whitespace().collect();
        // A single word is a list of letters.
        let items: Vec<String> = match words[..] {
            [letters] => letters.chars().map(String::from).collect(),
            _ => words.iter().map(|word| word.to_string()).collect(),
        };
        if !is_word(name) || items.is_empty() || !items.iter().all(|item| is_word(item)) {
            let message = format!("`{}` is not a loop over letters or words", text.text);
            let help =
                "write \"c in uvw\": a name, and letters without blanks; or words: \"q in density heat\"";
            return self.program.refuse(&text.place, message, help);
        }
        let scope_of = |(index, item): (usize, String)| {
            scope.with(name, LocalValue::Letter(item)).with_index(name, index)
        };
        Some(items.into_iter().enumerate().map(scope_of).collect())
    }

    fn repeat(&mut self, file: &'f BlockFile, at: &Rc<At<'f>>, into: &mut Vec<Call<'f>>) {
        let (Some(name), Some(over)) = (&file.repeat, &file.over) else {
            return;
        };
        self.is_whole &= self.program.check_name(&name.text, &name.place);
        if at.repeats >= MAX_REPEATS {
            let message = format!("repeats are nested more than {MAX_REPEATS} deep");
            let help = "combine inner repeats into one with a list of values";
            return self.refuse(&file.place, message, help);
        }
        let Some(values) = self.values(over, &at.scope) else {
            self.is_whole = false;
            return;
        };
        let before = self.program.mistakes();
        let mut iterations = Vec::new();
        for (index, value) in values.into_iter().enumerate() {
            self.calls += 1;
            let mut at = At::clone(at);
            let value = LocalValue::Value(Value::Number(value));
            at.scope = at.scope.with(&name.text, value).with_index(&name.text, index);
            at.repeats += 1;
            let mut calls = Vec::new();
            self.inside(file, &Rc::new(at), &mut calls);
            iterations.push(calls);
            if self.program.mistakes() > before || self.is_too_long(&file.place) {
                break;
            }
        }
        // From here on only the dispatches of the iterations count.
        self.calls -= iterations.len().min(self.calls);
        match file.condition {
            Some(_) => {
                let at = at.clone();
                into.push(Call::Repeat { file, at, iterations });
            }
            None => into.extend(iterations.into_iter().flatten()),
        }
    }

    /// The values of a repeat: a list, or the whole numbers below a count.
    fn values(&self, over: &Numbers, scope: &Scope) -> Option<Vec<f64>> {
        if let Numbers::One(number) = over
            && let Value::Number(count) = self.program.value(scope, number)?
        {
            let most = MAX_INVOCATIONS as u64;
            let count = self.program.whole(count, &number.place, 0, most)?;
            return Some((0..count).map(|i| i as f64).collect());
        }
        self.program.numbers(scope, over)
    }

    /// Adds the calls of a block, with the values of `let` and under its condition.
    fn inside(&mut self, file: &'f BlockFile, at: &Rc<At<'f>>, into: &mut Vec<Call<'f>>) {
        let mut scope = at.scope.clone();
        for (name, item) in file.values.iter() {
            let value = item.value.as_ref().and_then(|numbers| match numbers {
                Numbers::One(number) => self.program.value(&scope, number),
                numbers => self.program.numbers(&scope, numbers).map(Value::Vector),
            });
            scope = scope.with(name, value.map_or(LocalValue::Failed, LocalValue::Value));
        }
        let stages = match &file.only {
            None => Some(&file.stages),
            Some(condition) => match self.program.number(&scope, condition) {
                None => {
                    self.is_whole = false;
                    return;
                }
                Some(0.0) => file.otherwise.as_ref(),
                Some(_) => Some(&file.stages),
            },
        };
        let at = Rc::new(At {
            scope,
            ..At::clone(at)
        });
        match stages {
            None => {}
            Some(StagesFile::Name(reference)) => self.named(reference, &at, into),
            Some(StagesFile::Entries(entries)) => self.entries(entries, &at, into),
        }
    }
}

impl BlockFile {
    /// The arguments of the block for its stages, if there are any.
    pub(super) fn given(&self, scope: &Scope) -> Option<Given<'_>> {
        let (arguments, scope) = (&self.arguments, scope.clone());
        (!arguments.0.is_empty()).then_some(Given { arguments, scope })
    }
}
