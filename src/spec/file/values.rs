//! Values that occur in many sections of a pipeline file.

use serde_json::{Value, json};

use crate::element::Element;
use crate::expr::{self, Expr, Kind, Mistake, Name};
use crate::problem::{Place, Problem};
use crate::spec::definitions::{Definitions, alternatives, words_schema};
use crate::spec::node::{Content, Node};
use crate::spec::read::{Read, Reader};

/// A number or an expression. `tree` is `None` after a reported mistake.
#[derive(Debug, Clone)]
pub struct Number {
    pub place: Place,
    pub tree: Option<Expr>,
}

/// One number or expression, which may be a vector, or a list of them.
#[derive(Debug, Clone)]
pub enum Numbers {
    One(Number),
    Many(Place, Vec<Number>),
}

/// The name of a field, a resource or another part of a pipeline. `name` is `None` after a reported mistake.
#[derive(Debug, Clone)]
pub struct Reference {
    pub place: Place,
    pub name: Option<Name>,
}

impl Reference {
    /// Parses a name at `place`.
    pub fn parsed(text: &str, place: &Place) -> Reference {
        let tree = expr::parse(text).ok();
        let name = tree.and_then(|tree| tree.as_name().cloned());
        let place = place.clone();
        Reference { place, name }
    }

    /// The text of the name, empty after a mistake.
    pub fn text(&self) -> String {
        self.name.as_ref().map(Name::to_string).unwrap_or_default()
    }
}

impl Numbers {
    pub fn place(&self) -> &Place {
        match self {
            Numbers::One(number) => &number.place,
            Numbers::Many(place, _) => place,
        }
    }

    /// The place of one of the numbers.
    pub fn place_of(&self, number: usize) -> &Place {
        self.items().get(number).map_or(self.place(), |item| &item.place)
    }

    pub fn items(&self) -> &[Number] {
        match self {
            Numbers::One(number) => std::slice::from_ref(number),
            Numbers::Many(_, items) => items,
        }
    }
}

impl Number {
    /// A number that is not part of a file; `place` is used for messages.
    pub fn new(place: &Place, tree: Expr) -> Number {
        let (place, tree) = (place.clone(), Some(tree));
        Number { place, tree }
    }

    /// True if the value is this word. `None` after a reported mistake.
    pub fn is_word(&self, word: &str) -> Option<bool> {
        let name = self.tree.as_ref()?.as_name();
        Some(name.is_some_and(|name| name.to_string() == word))
    }
}

/// Maximum number of characters of an expression in a message.
const MAX_SHOWN: usize = 60;

/// The problem of a mistake in an expression at `place`.
pub fn problem_of(mistake: Mistake, place: &Place) -> Problem {
    let problem = Problem::at_place(place.part(&mistake.range), mistake.message).help(mistake.help);
    if mistake.known.is_empty() {
        problem
    } else {
        problem.suggest(&mistake.written, mistake.known.iter().map(String::as_str))
    }
}

/// Parses an expression. Reports its mistake.
fn parse(text: &str, place: &Place, reader: &mut Reader) -> Option<Expr> {
    let parsed = expr::parse(text).map_err(|mistake| {
        let shown: String = match text.char_indices().nth(MAX_SHOWN) {
            Some((end, _)) => format!("{}...", &text[..end]),
            None => text.to_string(),
        };
        let message = format!("`{shown}` is not a valid expression: {}", mistake.message);
        reader.report(problem_of(Mistake { message, ..mistake }, place));
    });
    parsed.ok()
}

const FORM: &str = "write a number, or an expression in quotes such as \"2 * wind.speed\"";

impl Read for Number {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let place = node.place.clone();
        let tree = match &node.content {
            Content::Scalar(Value::Number(number)) => {
                Some(Expr::new(Kind::Number(number.as_f64().unwrap_or(f64::NAN))))
            }
            Content::Scalar(Value::String(text)) => parse(text, &place, reader),
            _ => reader.expected(node, "a number or an expression", FORM),
        };
        Some(Number { place, tree })
    }

    fn schema(definitions: &mut Definitions) -> Value {
        let about =
            "A number, or an expression in quotes over parameters and sizes, such as `\"2 * wind.speed\"`.";
        alternatives(definitions, "Number", about, |_| {
            vec![json!({"type": "number"}), json!({"type": "string"})]
        })
    }
}

impl Read for Numbers {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.content {
            Content::Array(_) => Some(Numbers::Many(node.place.clone(), Vec::read(node, reader)?)),
            Content::Object(_) => reader.expected(node, "a number, an expression or a list of these", FORM),
            _ => Number::read(node, reader).map(Numbers::One),
        }
    }

    fn schema(definitions: &mut Definitions) -> Value {
        let about = "One number or expression, or a list of them. An expression may be a vector, such as `\"2 * wind.to\"`.";
        alternatives(definitions, "Numbers", about, |definitions| {
            vec![Number::schema(definitions), Vec::<Number>::schema(definitions)]
        })
    }
}

impl Read for Reference {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let place = node.place.clone();
        let Some(text) = node.text() else {
            reader.expected::<()>(node, "a name", "write it in double quotes");
            return Some(Reference { place, name: None });
        };
        let name = parse(text, &place, reader).and_then(|tree| match tree.kind {
            Kind::Name(name) => Some(name),
            _ => {
                let message = format!("`{text}` is not a name");
                reader.refuse(
                    &place,
                    message,
                    "write one such as \"air\", \"air.u\" or \"air[1].u\"",
                )
            }
        });
        Some(Reference { place, name })
    }

    fn schema(_: &mut Definitions) -> Value {
        json!({"type": "string"})
    }
}

/// A name, or `null` for none.
impl Read for Option<Reference> {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.content {
            Content::Scalar(Value::Null) => Some(None),
            _ => Reference::read(node, reader).map(Some),
        }
    }

    fn schema(_: &mut Definitions) -> Value {
        json!({"type": ["string", "null"]})
    }
}

impl Read for Element {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let Some(text) = node.text() else {
            return reader.expected(node, "a type", "write one such as \"float\", in double quotes");
        };
        let found = Element::ALL.iter().find(|element| element.name() == text);
        if found.is_none() {
            let problem = Problem::at_place(node.place.clone(), format!("`{text}` is not a type"));
            reader.report(problem.suggest(text, Element::ALL.iter().map(|element| element.name())));
        }
        found.copied()
    }

    fn schema(definitions: &mut Definitions) -> Value {
        let about = "Type of one element, stored without padding (scalar layout). Matrices are stored column by column. \
                     `half`, `hvec2` to `hvec4` and the 8- and 16-bit integers take 2 or 1 bytes a component; shaders read \
                     and write them as `float`, `vec2` to `vec4`, `int` and `uint`. `rgba8` packs four 8-bit values into 4 \
                     bytes.";
        let names: Vec<&str> = Element::ALL.iter().map(|element| element.name()).collect();
        words_schema(definitions, "Element type", about, &names)
    }
}

/// A pair of numbers, such as the ends of a range.
#[derive(Debug, Clone)]
pub struct Pair {
    pub place: Place,
    pub numbers: [Number; 2],
}

impl Read for Pair {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        const FORM: &str = "write [smaller, larger]";
        let message = |count| format!("two numbers are required, not {count}");
        let numbers = two(node, reader, ("a list of two numbers", FORM), message)?;
        let place = node.place.clone();
        Some(Pair { place, numbers })
    }

    fn schema(definitions: &mut Definitions) -> Value {
        schema_of_two::<Number>(definitions)
    }
}

/// A box with sides along the axes: the corner with the smallest coordinates, then the corner with the largest.
#[derive(Debug, Clone)]
pub struct Corners {
    pub place: Place,
    pub corners: [Numbers; 2],
}

impl Read for Corners {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        const FORM: &str = "write [[x, y, z], [x, y, z]]: the smallest coordinates, then the largest";
        let message = |count| format!("a box has two corners, not {count}");
        let corners = two(node, reader, ("the two corners of a box", FORM), message)?;
        let place = node.place.clone();
        Some(Corners { place, corners })
    }

    fn schema(definitions: &mut Definitions) -> Value {
        schema_of_two::<Numbers>(definitions)
    }
}

/// Reads a list of two items.
fn two<T: Read>(
    node: &Node,
    reader: &mut Reader,
    (wanted, form): (&str, &str),
    message: impl Fn(usize) -> String,
) -> Option<[T; 2]> {
    let Content::Array(_) = &node.content else {
        return reader.expected(node, wanted, form);
    };
    let items: Vec<T> = Read::read(node, reader)?;
    let count = items.len();
    let two = items.try_into().ok();
    two.or_else(|| reader.refuse(&node.place, message(count), form))
}

fn schema_of_two<T: Read>(definitions: &mut Definitions) -> Value {
    let item = T::schema(definitions);
    json!({"type": "array", "items": item, "minItems": 2, "maxItems": 2})
}
