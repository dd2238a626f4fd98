//! Errors of the library as exceptions of the package.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use sastrugi::{Error, ErrorKind, Problems, Value};

/// The exception for an error: `sastrugi._errors` has the classes. Its text is that of the command line.
pub fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let kind = match error.kind() {
        ErrorKind::Input => "input",
        ErrorKind::Misuse => "misuse",
        ErrorKind::NoDevice => "no device",
        ErrorKind::UnknownDevice => "unknown device",
        ErrorKind::Device => "device",
        ErrorKind::Lost => "lost",
        ErrorKind::Timeout => "timeout",
        ErrorKind::Fault => "fault",
        ErrorKind::BadValue => "bad value",
        ErrorKind::Unfinished => "unfinished",
        ErrorKind::Full => "full",
        ErrorKind::Output => "output",
        ErrorKind::Rank => "rank",
        _ => "failed",
    };
    match error.problems() {
        Some(problems) => of_problems(py, problems),
        None => made(py, kind, &error.to_string(), &Value::Null),
    }
}

/// The exception for mistakes in a pipeline.
pub fn of_problems(py: Python<'_>, problems: &Problems) -> PyErr {
    made(
        py,
        "input",
        &sastrugi_cli::render(problems, false),
        &problems.json(),
    )
}

/// An exception of some kind.
pub fn of_kind(py: Python<'_>, kind: &str, text: &str) -> PyErr {
    made(py, kind, text, &Value::Null)
}

fn made(py: Python<'_>, kind: &str, text: &str, problems: &Value) -> PyErr {
    let made = || -> PyResult<PyErr> {
        let problems = to_python(py, problems)?;
        let make = py.import("sastrugi._errors")?.getattr("make")?;
        Ok(PyErr::from_value(make.call1((kind, text, problems))?))
    };
    made().unwrap_or_else(|_| PyRuntimeError::new_err(text.to_string()))
}

/// A JSON value as Python's own.
fn to_python(py: Python<'_>, value: &Value) -> PyResult<Py<PyAny>> {
    match value {
        Value::Null => Ok(py.None()),
        value => {
            let text = value.to_string();
            py.import("json")?
                .getattr("loads")?
                .call1((text,))?
                .into_py_any(py)
        }
    }
}
