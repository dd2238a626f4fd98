//! Files of series: columns of numbers.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use sastrugi::Problem;

/// The first columns of every series.
const FIRST: [&str; 3] = ["frame", "step", "time"];

/// A series that was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Table {
    pub step: Vec<f64>,
    /// Seconds.
    pub time: Vec<f64>,
    columns: Vec<(String, Vec<f64>)>,
}

impl Table {
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    /// The values of a column, NaN where there is none.
    pub(super) fn column(&self, wanted: &str) -> Option<&[f64]> {
        let found = self.columns.iter().find(|(name, _)| name == wanted);
        found.map(|(_, values)| values.as_slice())
    }

    /// The last lines of tables with equal columns, each at an `x` instead of step and time.
    pub(super) fn of_last_lines(tables: &[(f64, &Table)]) -> Table {
        let names = tables.first().into_iter().flat_map(|(_, table)| table.names());
        let last = |name: &str| {
            let values = tables
                .iter()
                .map(|(_, table)| table.column(name)?.last().copied());
            values.map(|value| value.unwrap_or(f64::NAN)).collect()
        };
        let x: Vec<f64> = tables.iter().map(|(x, _)| *x).collect();
        Table {
            step: x.clone(),
            time: x,
            columns: names.map(|name| (name.to_string(), last(name))).collect(),
        }
    }

    fn with_columns(names: impl Iterator<Item = String>) -> Table {
        Table {
            columns: names.map(|name| (name, Vec::new())).collect(),
            ..Table::default()
        }
    }

    /// Adds a line; returns false if its number of values differs from the header's.
    fn push(&mut self, values: &[f64]) -> bool {
        let [_, step, time, values @ ..] = values else {
            return false;
        };
        if values.len() != self.columns.len() {
            return false;
        }
        self.step.push(*step);
        self.time.push(*time);
        for ((_, column), value) in self.columns.iter_mut().zip(values) {
            column.push(*value);
        }
        true
    }
}

/// The series in a file; `None` if the file is something else, such as particles in CSV.
pub(super) fn read(path: &Path) -> Result<Option<Table>, Problem> {
    let name = path.display();
    let unread = |error| Problem::without_place(format!("cannot read {name}: {error}"));
    // A device or a pipe may be endless, or block on opening.
    if std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        let message = format!("cannot read {name}: it is not a regular file");
        return Err(Problem::without_place(message));
    }
    let mut file = File::open(path).map_err(unread)?;
    // Files of other kinds may be large: read only the beginning.
    let mut text = Vec::new();
    file.by_ref().take(64).read_to_end(&mut text).map_err(unread)?;
    if !text.starts_with(b"frame,step,time") && !text.starts_with(b"{\"frame\"") {
        return Ok(None);
    }
    file.read_to_end(&mut text).map_err(unread)?;
    let text = String::from_utf8_lossy(&text);
    // A running simulation may have written only a part of the last line.
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let parsed = if path.extension().is_some_and(|end| end == "jsonl") {
        of_json(whole)
    } else {
        of_csv(whole)
    };
    parsed.map_err(|(line, cause)| {
        let problem = Problem::without_place(format!("{name}:{line}: {cause}"));
        problem.help("series are written by an output with `values`; run it again if the file was changed")
    })
}

/// The number of a line, and its mistake.
pub(super) type Wrong = (usize, String);

pub(super) fn of_csv(text: &str) -> Result<Option<Table>, Wrong> {
    let mut lines = text.lines().enumerate();
    let header: Vec<&str> = lines
        .next()
        .map_or(Vec::new(), |(_, line)| line.split(',').collect());
    let Some(names) = header.strip_prefix(&FIRST) else {
        return Ok(None);
    };
    let mut table = Table::with_columns(names.iter().map(|name| name.to_string()));
    for (number, line) in lines {
        let wrong = |cause| (number + 1, cause);
        let value = |text: &str| text.parse().map_err(|_| format!("`{text}` is not a number"));
        let values: Result<Vec<f64>, String> = line.split(',').map(value).collect();
        let values = values.map_err(wrong)?;
        if !table.push(&values) {
            let cause = format!("{} values below {} columns", values.len(), header.len());
            return Err(wrong(cause));
        }
    }
    Ok(Some(table))
}

fn of_json(text: &str) -> Result<Option<Table>, Wrong> {
    let mut table: Option<Table> = None;
    for (number, line) in text.lines().enumerate() {
        let wrong = |cause: &str| (number + 1, cause.to_string());
        let object: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(line).map_err(|error| wrong(&not_json(&error)))?;
        if number == 0 && !FIRST.iter().all(|name| object.contains_key(*name)) {
            return Ok(None);
        }
        let names = object.keys().skip(FIRST.len()).cloned();
        let table = table.get_or_insert_with(|| Table::with_columns(names));
        let same = object.keys().skip(FIRST.len()).eq(table.names());
        let value = |value: &serde_json::Value| value.as_f64().unwrap_or(f64::NAN);
        let values: Vec<f64> = object.values().map(value).collect();
        if !same || !table.push(&values) {
            return Err(wrong("its keys are not those of the first line"));
        }
    }
    Ok(table)
}

/// The mistake in a line, whose number is that of the file.
fn not_json(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let cause = text.split(" at line ").next().unwrap_or_default();
    format!("not a JSON object: {cause} in column {}", error.column())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_and_json_series_parse_alike() {
        let csv = of_csv("frame,step,time,snow,fast\n0,0,0,12,nan\n1,2,0.5,13,1e3")
            .unwrap()
            .unwrap();
        let json = "{\"frame\": 0, \"step\": 0, \"time\": 0, \"snow\": 12, \"fast\": null}\n\
                    {\"frame\": 1, \"step\": 2, \"time\": 0.5, \"snow\": 13, \"fast\": 1e3}";
        let json = of_json(json).unwrap().unwrap();
        assert_eq!(csv.names().collect::<Vec<_>>(), ["snow", "fast"]);
        assert_eq!(csv.time, [0.0, 0.5]);
        assert_eq!(csv.column("snow"), Some(&[12.0, 13.0][..]));
        assert_eq!(json.column("snow"), csv.column("snow"));
        for table in [&csv, &json] {
            let fast = table.column("fast").unwrap();
            assert!(fast[0].is_nan() && fast[1] == 1000.0);
        }
        assert_eq!(csv.column("slow"), None);
    }

    #[test]
    fn foreign_files_are_not_series_and_bad_lines_are_named() {
        assert_eq!(of_csv("x,y,z\n1,2,3"), Ok(None));
        assert_eq!(of_csv(""), Ok(None));
        assert_eq!(of_json("{\"a\": 1}"), Ok(None));
        assert_eq!(of_csv("frame,step,time,a\n0,0,0,1\n1,2").unwrap_err().0, 3);
        assert_eq!(
            of_csv("frame,step,time,a\n0,0,0,x").unwrap_err(),
            (2, "`x` is not a number".into())
        );
        let lines = "{\"frame\": 0, \"step\": 0, \"time\": 0}\r\n{\"frame\": 1, zz}\r\n";
        let (line, cause) = of_json(lines).unwrap_err();
        assert_eq!(
            (line, cause),
            (2, "not a JSON object: key must be a string in column 14".into())
        );
        assert_eq!(
            of_csv("frame,step,time,a\r\n0,0,0,1\r\n1,1,1,x\r\n")
                .unwrap_err()
                .0,
            3
        );
    }
}
