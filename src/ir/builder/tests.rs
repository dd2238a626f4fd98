use std::path::Path;

use crate::ir::{LocalShape, Signature};
use crate::spec::{self, Document};

/// The signature of stage `warm`.
fn signature(stage: &str) -> Signature {
    let text = format!(
        r#"{{"run": {{"dt": 1}},
            "grids": {{
                "g": {{"cells": [64, 40, 24], "cell_size": 1, "sparse": {{}},
                    "channels": {{"heat": "float", "list": {{"type": "uint", "background": 0}}}}}},
                "box": {{"cells": [9, 7, 5], "cell_size": 1, "channels": {{"heat": "float"}}}}}},
            "step": [{{"stage": "warm", {stage}}}, {{"update_grid": "g"}}]}}"#
    );
    let document = Document::parse("t.json", &text, Path::new("")).unwrap();
    let (pipeline, _) = spec::from_document("t", &document, &Default::default()).unwrap();
    let stage = pipeline.stages.iter().find(|stage| stage.name == "warm").unwrap();
    pipeline.kernel_of(stage).signature.clone()
}

/// The name of the field that a kernel takes for the list of active blocks of grid `g`.
fn list_of_blocks(signature: &Signature) -> Option<&str> {
    let grid = signature.resources.iter().find(|resource| resource.name == "g");
    let LocalShape::Lattice {
        pages: Some(pages), ..
    } = &grid.unwrap().shape
    else {
        return None;
    };
    let field = &signature.fields[pages.list?];
    Some(&signature.resources[field.resource].name)
}

#[test]
fn a_channel_with_the_name_of_a_page_field_is_no_page_field() {
    let outside = signature(r#""over": "box", "reads": ["g.list"], "writes": ["box.heat"]"#);
    assert_eq!(list_of_blocks(&outside), None);
    let inside = signature(r#""over": "g", "reads": ["g.list"], "writes": ["g.heat"]"#);
    assert_eq!(list_of_blocks(&inside), Some("g_list"));
}
