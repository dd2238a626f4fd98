//! docs/validation.md as numbers: what a run measures must be what the page has.

use super::Row;

pub const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/validation.md");

/// Numbers of the page have three digits.
const ROUNDING: f64 = 0.006;

/// A row of a table of the page.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    pub what: String,
    pub measured: f64,
    pub bound: f64,
}

/// The page, as far as it has numbers.
#[derive(Debug)]
pub struct Page {
    /// The device that it was measured on.
    pub device: String,
    /// Rows by title.
    pub tables: Vec<(String, Vec<Recorded>)>,
}

impl Page {
    pub fn read() -> Page {
        Page::parse(&std::fs::read_to_string(PATH).unwrap())
    }

    pub fn parse(text: &str) -> Page {
        let device = text.lines().find_map(|line| line.strip_prefix("Device: "));
        let device = device.expect("the device").trim_end_matches('.').to_string();
        let mut tables: Vec<(String, Vec<Recorded>)> = Vec::new();
        for line in text.lines() {
            if let Some(title) = line.strip_prefix("### ") {
                tables.push((title.to_string(), Vec::new()));
            } else if let (Some(row), Some((_, rows))) = (recorded(line), tables.last_mut()) {
                rows.push(row);
            }
        }
        Page { device, tables }
    }

    pub fn table(&self, title: &str) -> Option<&[Recorded]> {
        let found = self.tables.iter().find(|(name, _)| name == title);
        found.map(|(_, rows)| rows.as_slice())
    }

    /// Differences between the table of a title and rows measured on `device`. Other devices round otherwise:
    /// only their bounds are compared.
    pub fn differences(&self, title: &str, rows: &[Row], device: &str) -> Vec<String> {
        let Some(table) = self.table(title) else {
            return vec![format!("no table `{title}`")];
        };
        if table.len() != rows.len() {
            return vec![format!("{title}: {} rows, {} measured", table.len(), rows.len())];
        }
        let same = |page: f64, found: f64| (page - found).abs() <= ROUNDING * found.abs();
        let mut differences = Vec::new();
        for (page, row) in table.iter().zip(rows) {
            let numbers = [
                ("bound", page.bound, row.bound),
                ("value", page.measured, row.measured),
            ];
            let compared = if device == self.device { 2 } else { 1 };
            for (name, page, found) in &numbers[..compared] {
                if !same(*page, *found) {
                    differences.push(format!("{title}: {}: {name} {page}, measured {found}", row.what));
                }
            }
            if device == self.device && page.what != row.what {
                differences.push(format!("{title}: `{}`, measured `{}`", page.what, row.what));
            }
        }
        differences
    }
}

/// A line of a table: `| what | value | bound | reason |`.
fn recorded(line: &str) -> Option<Recorded> {
    let cells = line.strip_prefix("| ")?.strip_suffix(" |")?;
    let mut cells = cells.rsplitn(4, " | ");
    let (_reason, bound, measured, what) = (cells.next()?, cells.next()?, cells.next()?, cells.next()?);
    Some(Recorded {
        what: what.replace("\\|", "|"),
        measured: measured.parse().ok()?,
        bound: bound.parse().ok()?,
    })
}

#[test]
fn control_page_differences_are_found() {
    let page = Page::parse(
        "# Page\n\nDevice: a.\n\n### Fall\n\n| measured | value | bound | reason |\n|---|---|---|---|\n\
         | largest \\|v\\| | 2.79e-6 | 1.00e-2 | 5 |\n| others | 0 | 3 | 1 |\n",
    );
    let rows = |v, bound| {
        [
            Row::new("largest |v|", v, bound, ""),
            Row::new("others", 0.0, 3.0, ""),
        ]
    };
    let count = |title, rows: &[Row], device| page.differences(title, rows, device).len();
    assert_eq!(count("Fall", &rows(2.794e-6, 1e-2), "a"), 0);
    assert_eq!(count("Fall", &rows(2.83e-6, 1e-2), "a"), 1);
    assert_eq!(count("Fall", &rows(2.83e-6, 1e-2), "b"), 0);
    assert_eq!(count("Fall", &rows(2.79e-6, 2e-2), "b"), 1);
    assert_eq!(count("Fall", &rows(f64::NAN, 1e-2), "a"), 1);
    assert_eq!(count("Fall", &rows(2.79e-6, 1e-2)[..1], "a"), 1);
    assert_eq!(count("Rise", &rows(2.79e-6, 1e-2), "a"), 1);
}
