//! Every shipped pipeline is good, shaders included, without a GPU.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sastrugi::workgroups::DeviceClass;
use serde_json::Value;

use super::common::cache;

pub fn pipelines() -> Vec<PathBuf> {
    let directory = crate::common::simulation::root().join("pipelines");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    paths.sort();
    for more in [
        "tests/data/race/race.json",
        "tests/data/flow/rotation.json",
        "tests/data/flow/thicken.json",
        "benches/peers/mpm.json",
        "benches/peers/plume.json",
        "benches/peers/plume_2d.json",
    ] {
        paths.push(crate::common::simulation::root().join(more));
    }
    paths
}

#[test]
fn shipped_pipelines_resolve_plan_and_compile() {
    assert!(pipelines().len() > 1);
    let cache = cache();
    for path in pipelines() {
        let (pipeline, document) =
            sastrugi::spec::load(&path, &[]).unwrap_or_else(|problems| panic!("{problems}"));
        sastrugi::plan::plan(&pipeline).unwrap();
        let modules = sastrugi::shader::build(&pipeline, DeviceClass::Gpu, &BTreeMap::new(), &cache)
            .unwrap_or_else(|problems| panic!("{}", problems.located(&document.source_map())));
        assert!(
            modules.iter().all(|module| module.kernel.covered),
            "{}",
            path.display()
        );
    }
}

#[test]
fn undeclared_writes_do_not_compile() {
    let path = crate::common::simulation::root().join("tests/data/race/race.json");
    let (mut pipeline, _) = sastrugi::spec::load(&path, &[]).unwrap();
    let mut kernel = pipeline.kernel_of(&pipeline.stages[0]).clone();
    kernel
        .signature
        .fields
        .iter_mut()
        .for_each(|field| field.writes = false);
    (pipeline.stages[0].kernel, _) = pipeline.kernels.insert_full(kernel);
    let problems =
        sastrugi::shader::build(&pipeline, DeviceClass::Gpu, &BTreeMap::new(), &Default::default())
            .unwrap_err();
    assert!(problems.to_string().contains("set_first"), "{problems}");
    assert!(problems.to_string().contains("slow_write.comp:10"), "{problems}");
}

/// Every stage of a file as it is written in a list or defined by name, with bases and changes left where they are.
fn stage_entries(text: &str) -> Vec<Value> {
    /// True if a stage has more keys than its kernel and domain: it deserves a definition.
    fn is_long(stage: &Value) -> bool {
        let members = stage.as_object().into_iter().flatten();
        members
            .filter(|(key, _)| !["stage", "shader", "over", "bind"].contains(&key.as_str()))
            .count()
            > 0
    }
    fn collect(value: &Value, into: &mut Vec<Value>) {
        match value {
            Value::Object(members) => {
                if members.contains_key("stage") && is_long(value) {
                    into.push(value.clone());
                }
                let defined = members.get("stages").and_then(Value::as_object);
                for (name, definition) in defined
                    .into_iter()
                    .flatten()
                    .filter(|(_, stage)| stage.is_object() && stage.get("stages").is_none() && is_long(stage))
                {
                    let mut entry = definition.clone();
                    entry["stage"] = name.as_str().into();
                    into.push(entry);
                }
                members.values().for_each(|value| collect(value, into));
            }
            Value::Array(items) => items.iter().for_each(|item| collect(item, into)),
            _ => {}
        }
    }
    let text = text.replacen("\"extends\"", "\"base\"", 1);
    let document = sastrugi::spec::Document::parse("f.json", &text, Path::new("")).unwrap();
    let mut entries = Vec::new();
    collect(&document.value(), &mut entries);
    entries
}

/// Items that occur more than once.
fn twice<T: PartialEq>(items: &[T]) -> Vec<&T> {
    let numbered = items.iter().enumerate();
    let again = numbered.filter(|(number, item)| items[..*number].contains(item));
    again.map(|(_, item)| item).collect()
}

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                files_below(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

#[test]
fn stage_entries_are_not_duplicated() {
    let root = crate::common::simulation::root().join("pipelines");
    let mut entries = Vec::new();
    for path in files_below(&root) {
        if path.extension().is_some_and(|extension| extension == "json") {
            entries.extend(stage_entries(&std::fs::read_to_string(path).unwrap()));
        }
    }
    assert!(entries.len() > 50, "{}", entries.len());
    let again = twice(&entries);
    assert!(again.is_empty(), "{again:#?}");
    // Control: a definition, and the same in a repeat of another file.
    let copy = r#"{"extends": "a.json", "stages": {"s": {"over": 1, "writes": ["b"]}, "t": {"over": 1}}}"#;
    let other =
        r#"{"step": [{"repeat": "r", "over": 2, "stages": [{"writes": ["b"], "over": 1, "stage": "s"}]}]}"#;
    assert_eq!(
        twice(&[stage_entries(copy), stage_entries(other)].concat()).len(),
        1
    );
}

#[test]
fn shader_files_are_not_duplicated() {
    let root = crate::common::simulation::root().join("shaders");
    let texts: Vec<String> = (files_below(&root).iter())
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    assert!(texts.len() > 100);
    assert!(twice(&texts).is_empty(), "{:#?}", twice(&texts));
}
