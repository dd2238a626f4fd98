//! The documents are right: every command in them runs and prints what they show, every example is good, and the
//! reference is what the program prints.

#[path = "docs/commands.rs"]
mod commands;
#[path = "docs/markdown.rs"]
mod markdown;
#[path = "docs/reference.rs"]
mod reference;
