//! The documents are right: every command in them runs and prints what they show. Their reference and
//! its examples: tests/engine/docs.

mod calls;
mod commands;
mod glossary;
mod modules;
#[path = "../common/markdown.rs"]
mod markdown;
