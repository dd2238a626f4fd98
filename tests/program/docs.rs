//! The documents are right: every command in them runs and prints what they show. Their reference and
//! its examples: tests/engine/docs.

mod calls;
mod commands;
mod glossary;
#[path = "../common/markdown.rs"]
mod markdown;
mod modules;
mod reliability;
