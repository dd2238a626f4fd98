//! The parts of a pipeline file that modules bring too.

/// The lists of entries; those of a module are groups of what uses it.
pub(super) const LISTS: [&str; 3] = ["init", "step", "frame"];

/// Sections of resources, and the kinds of role that they can fill.
pub(super) const SECTIONS: [(&str, &str); 6] = [
    ("grids", "grid"),
    ("heights", "heights"),
    ("particles", "particles"),
    ("images", "image"),
    ("tables", "table"),
    ("buffers", "buffer"),
];
