//! Attributes of groups and datasets.

#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    pub name: String,
    pub value: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Text(String),
    Integer(i64),
    Integers(Vec<i64>),
    Floats(Vec<f64>),
}

impl Attribute {
    pub fn new(name: &str, value: Value) -> Attribute {
        Attribute {
            name: name.to_owned(),
            value,
        }
    }
}
