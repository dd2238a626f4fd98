//! `sastrugi show`: the text of what comes with the program.

use sastrugi::shipped::{self, module_reference};
use sastrugi::{Problem, Problems};

/// Prints the text of a pipeline, a module or a kernel that comes with the program, or the reference of a module.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  sastrugi show flip_dam                       a pipeline, see `sastrugi list`
  sastrugi show modules/liquid                 a module
  sastrugi show liquid --markdown              what the module does, its exports, roles and parameters
  sastrugi show modules --markdown             the same of all modules: docs/module-reference.md
  sastrugi show flow/advect.comp               a kernel, or a file that kernels include")]
pub(super) struct Arguments {
    #[arg(value_name = "NAME")]
    name: String,
    /// Prints the reference of a module as Markdown, or of all with the name `modules`.
    #[arg(long)]
    markdown: bool,
}

/// The name of all modules.
const MODULES: &str = "modules";

pub(super) fn main(arguments: &Arguments) -> u8 {
    let name = arguments.name.strip_suffix(".json").unwrap_or(&arguments.name);
    let found = if arguments.markdown {
        markdown(name)
    } else {
        shipped::text(name).ok_or_else(|| unknown(name).into())
    };
    super::print_or_complain(found)
}

/// The problem that nothing has this name.
fn unknown(name: &str) -> Problem {
    let modules = shipped::modules();
    let modules = modules.iter().map(|module| format!("modules/{}", module.name));
    let pipelines = shipped::pipelines();
    let known: Vec<String> = pipelines
        .iter()
        .map(|pipeline| pipeline.name.to_string())
        .chain(modules)
        .chain(shipped::kernels())
        .collect();
    let message = format!("nothing called `{name}` comes with the program");
    let problem = Problem::without_place(message).help("`sastrugi list` lists pipelines and modules");
    problem.suggest(name, known.iter().map(String::as_str))
}

/// The reference of a module, or the page about all.
fn markdown(name: &str) -> Result<String, Problems> {
    if name == MODULES {
        return page();
    }
    let stem = name.strip_prefix("modules/").unwrap_or(name);
    module_reference(stem).unwrap_or_else(|| {
        if shipped::text(name).is_some() {
            let message = format!("`{name}` is not a module: only modules have a reference");
            let help = "`sastrugi list` lists the modules";
            return Err(Problem::without_place(message).help(help).into());
        }
        let modules = shipped::modules();
        let message = format!("no module called `{name}` comes with the program");
        let problem = Problem::without_place(message);
        Err(problem
            .suggest(stem, modules.iter().map(|module| module.name))
            .into())
    })
}

/// The contents of `docs/module-reference.md`.
fn page() -> Result<String, Problems> {
    let modules = shipped::modules();
    let mut page = String::from(INTRODUCTION);
    for module in &modules {
        page.push_str(&format!("| [{0}](#{0}) | {1} |\n", module.name, module.title));
    }
    for module in &modules {
        let section = module_reference(module.name).transpose()?;
        page.push_str(&format!("\n{}", section.unwrap_or_default()));
    }
    Ok(page)
}

const INTRODUCTION: &str = "\
# Module reference

`sastrugi show modules --markdown` prints this page from the files of the modules; `sastrugi show NAME --markdown` prints
one section. [Groups and modules](modules.md#a-module) explains instances, exports and roles.

- A module that extends another one also has the roles and parameters of its base. Its list of exports replaces that of
  the base.
- A channel that is needed belongs to the instance if the resource of the pipeline lacks it.
- Added channels are private unless they are exported, as is everything else in a module.
- Meanings are comments of the file. If a comment describes several entries, it begins with their names.

| module | content |
|---|---|
";
