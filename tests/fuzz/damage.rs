//! Random damage of values and texts.

use super::*;

const NUMBERS: [f64; 16] = [
    0.0,
    -1.0,
    1.0,
    2.0,
    0.5,
    -0.0,
    1e308,
    -1e308,
    1e-300,
    255.0,
    65_536.0,
    2_147_483_648.0,
    4_294_967_295.0,
    4_294_967_296.0,
    9_007_199_254_740_993.0,
    1_099_511_627_777.0,
];

const TEXTS: [&str; 40] = [
    "",
    " ",
    ".",
    "a",
    "air",
    "air.nx",
    "dt",
    "box",
    "box.heat",
    "box.columns",
    "0",
    "1e999",
    "1/0",
    "-1",
    "2*",
    "((((((((",
    "))))",
    "{",
    "}",
    "{}",
    "a.b.c",
    "..",
    "a..b",
    "1.2.3",
    "1e",
    "1e+",
    "sin",
    "sin(",
    "max(1,2)",
    "PI",
    "ß∂√π",
    "\u{0}",
    "/",
    "~",
    "~1",
    "/dev/zero",
    "/dev/stdin",
    "../../../../../../etc/hostname",
    "bases/good.json",
    "float",
];

const KEYS: [&str; 16] = [
    "extends", "file", "cells", "count", "ring", "over", "repeat", "stages", "every", "tuning", "set",
    "values", "length", "a/b", "~0", "type",
];

/// The value at a place counted in depth-first order, and the number of places.
fn place<'a>(value: &'a mut Value, left: &mut usize) -> Option<&'a mut Value> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    match value {
        Value::Array(items) => items.iter_mut().find_map(|item| place(item, left)),
        Value::Object(members) => members.values_mut().find_map(|item| place(item, left)),
        _ => None,
    }
}

fn places(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(places).sum(),
        Value::Object(members) => members.values().map(places).sum(),
        _ => 0,
    }
}

fn leaf(dice: &mut Dice) -> Value {
    match dice.below(6) {
        0 => Value::Null,
        1 => Value::Bool(dice.below(2) == 0),
        2 | 3 => Value::from(*dice.pick(&NUMBERS)),
        _ => Value::from(*dice.pick(&TEXTS)),
    }
}

/// Deletes, doubles, replaces, inserts, renames or swaps something somewhere.
pub fn damage_value(root: &mut Value, dice: &mut Dice) {
    let count = places(root);
    let mut from = dice.below(count);
    let other = place(&mut root.clone(), &mut from).map(|value| value.clone());
    let mut at = dice.below(count);
    let Some(value) = place(root, &mut at) else { return };
    let kind = dice.below(8);
    match (kind, value) {
        (0, Value::Array(items)) if !items.is_empty() => drop(items.remove(dice.below(items.len()))),
        (1, Value::Array(items)) if !items.is_empty() => {
            let item = items[dice.below(items.len())].clone();
            let times = [1, 1, 1, 2, 30][dice.below(5)];
            (0..times).for_each(|_| items.push(item.clone()));
        }
        (2, Value::Array(items)) if !items.is_empty() => {
            let (a, b) = (dice.below(items.len()), dice.below(items.len()));
            items.swap(a, b);
        }
        (3, Value::Array(items)) => items.push(other.unwrap_or_else(|| leaf(dice))),
        (0, Value::Object(members)) if !members.is_empty() => {
            let key = members
                .keys()
                .nth(dice.below(members.len()))
                .cloned()
                .unwrap_or_default();
            members.shift_remove(&key);
        }
        // Renames a key: to that of a neighbour, to a known one, or by a letter.
        (1 | 2, Value::Object(members)) if !members.is_empty() => {
            let number = dice.below(members.len());
            let mut renamed = Map::new();
            for (i, (key, value)) in std::mem::take(members).into_iter().enumerate() {
                let name = match (i == number, dice.below(3)) {
                    (false, _) => key,
                    (true, 0) => format!("{key}x"),
                    (true, 1) => (*dice.pick(&KEYS)).to_string(),
                    _ => key.chars().skip(1).collect(),
                };
                renamed.insert(name, value);
            }
            *members = renamed;
        }
        (3, Value::Object(members)) => {
            let key = *dice.pick(&KEYS);
            members.insert(key.to_string(), other.unwrap_or_else(|| leaf(dice)));
        }
        (4, Value::String(text)) => {
            let cut = (0..=dice.below(text.len() + 1))
                .rev()
                .find(|i| text.is_char_boundary(*i));
            let piece = *dice.pick::<&str>(&TEXTS);
            text.insert_str(cut.unwrap_or(0), piece);
        }
        (4, value) => *value = Value::Array(vec![value.take()]),
        (5, value) => *value = other.unwrap_or(Value::Null),
        (_, value) => *value = leaf(dice),
    }
}

pub fn damage_text(text: &mut Vec<u8>, dice: &mut Dice) {
    let length = text.len();
    let at = dice.below(length + 1);
    let span = |dice: &mut Dice| at.min(length)..(at + 1 + dice.below(40)).min(length).max(at);
    match dice.below(6) {
        0 if length > 0 => text[at.min(length - 1)] ^= 1 << dice.below(8),
        1 => drop(text.drain(span(dice))),
        2 => {
            let part = text[span(dice)].to_vec();
            let to = dice.below(length + 1);
            text.splice(to..to, part);
        }
        3 => drop(text.splice(at..at, [*dice.pick(b"{}[],:\"\\/*-+.eE09 \n\xff\xc3")])),
        4 => drop(text.splice(at..at, dice.pick(&TEXTS).bytes())),
        _ => text.truncate(at),
    }
}
