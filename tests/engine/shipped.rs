//! Every shipped pipeline is good, shaders included, without a GPU.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn pipelines() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("pipelines");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    paths.sort();
    for more in ["tests/data/race/race.json", "benches/peers/mpm.json"] {
        paths.push(Path::new(env!("CARGO_MANIFEST_DIR")).join(more));
    }
    paths
}

#[test]
fn every_pipeline_resolves_plans_and_compiles() {
    assert!(pipelines().len() > 1);
    for path in pipelines() {
        let (pipeline, document) =
            sastrugi::spec::load(&path, &[]).unwrap_or_else(|problems| panic!("{problems}"));
        sastrugi::plan::plan(&pipeline).unwrap();
        let modules = sastrugi::shader::build(&pipeline, &BTreeMap::new(), &Default::default())
            .unwrap_or_else(|problems| panic!("{}", problems.located(&document)));
        assert!(
            modules.iter().all(|module| module.kernel.covered),
            "{}",
            path.display()
        );
    }
}

#[test]
fn a_shader_that_writes_what_its_stage_does_not_declare_does_not_compile() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/race/race.json");
    let (mut pipeline, _) = sastrugi::spec::load(&path, &[]).unwrap();
    let mut kernel = pipeline.kernel_of(&pipeline.stages[0]).clone();
    kernel
        .signature
        .fields
        .iter_mut()
        .for_each(|field| field.writes = false);
    (pipeline.stages[0].kernel, _) = pipeline.kernels.insert_full(kernel);
    let problems = sastrugi::shader::build(&pipeline, &BTreeMap::new(), &Default::default()).unwrap_err();
    assert!(problems.to_string().contains("set_first"), "{problems}");
    assert!(problems.to_string().contains("slow_write.comp:10"), "{problems}");
}
