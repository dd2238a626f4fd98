//! The recipes of docs/applications.md, run in the programs that they are for.

use super::guests::guests;
use super::*;

/// The blocks of Python in a text: the package that each is for, and its lines.
fn blocks(text: &str) -> Vec<(String, String)> {
    let parts = text.split("\n```python ").skip(1);
    let block = |part: &str| {
        let (package, rest) = part.split_once('\n').unwrap();
        let (code, _) = rest.split_once("\n```").unwrap();
        (package.to_owned(), code.to_owned())
    };
    parts.map(block).collect()
}

#[test]
fn recipes_work_where_possible() {
    let Some(run) = guests(&[]) else { return };
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("out")).unwrap();
    std::os::unix::fs::symlink(run.path(), directory.path().join("out/my")).unwrap();
    let text = fs::read_to_string(Path::new(crate::ROOT).join("docs/applications.md")).unwrap();
    let recipes = blocks(&text);
    assert_eq!(recipes.len(), 8);
    let elsewhere = tempfile::tempdir().unwrap();
    for (package, code) in recipes {
        let python = match package.as_str() {
            "bpy" => python_with("bpy", "SASTRUGI_BLENDER_PYTHON"),
            "pxr" => python_with("pxr", "SASTRUGI_USD_PYTHON"),
            package => has_module(package).then(|| PYTHON.to_owned()),
        };
        let Some(python) = python else { continue };
        let work = |directory: &Path| {
            Command::new(&python)
                .args(["-c", &code])
                .current_dir(directory)
                .output()
                .unwrap()
        };
        let output = work(directory.path());
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{code}\n{error}");
        assert!(!output.stdout.is_empty(), "{code}");
        let output = work(elsewhere.path());
        assert!(!output.status.success(), "control: without the files\n{code}");
    }
}
