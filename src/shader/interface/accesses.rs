//! The accesses of a kernel, as comments above its interface.

use crate::ir::Signature;

/// A line for each field: how the kernel accesses it, and how far from its own element.
pub fn accesses(signature: &Signature) -> String {
    let mut text = String::from("// What the kernel accesses, and how far from its own element:\n");
    for field in &signature.fields {
        let access = match (field.reads, field.writes) {
            (true, true) => "reads and writes",
            (false, true) => "writes",
            _ => "reads",
        };
        text += &format!("//   {access} {}: {}", field.name, field.reach.all);
        if field.writes && field.reads && field.reach.writes != field.reach.all {
            text += &format!("; writes {}", field.reach.writes);
        }
        text += match field.alternation {
            None => "\n",
            Some(_) => "; its entries alternate\n",
        };
    }
    text
}
