//! VTKHDF: image data and poly data with their steps in one HDF5 file.
//!
//! Format: *VTKHDF format specification*, version 2.6, Kitware.

use std::io;

use super::super::super::content::{Column, Compression, Content, Geometry, Scalar};
use super::super::super::hdf::{Attribute, File, Form, Members, Node, Value};
use super::super::super::select::View;
use super::super::descriptor::Rows;
use super::super::fit;
use super::shared::{GHOSTS, Image, active, ghosts, image};

pub(super) const ROWS: Rows = Rows { forms, append };

const VERSION: [i64; 2] = [2, 6];

/// Rows of a chunk of numbers of which each frame has one.
const FRAMES: u64 = 256;

pub(super) fn unfit(content: &Content) -> Option<String> {
    let reason = match content.geometry {
        Geometry::Particles { .. } => fit::points(content, i64::MAX as u64),
        _ => fit::lattice(content),
    };
    // The separator of groups, and that of names in VTK.
    let is_path = |column: &&Column| column.label.contains(['/', '.']);
    reason.or_else(|| {
        let column = content.columns.iter().find(is_path)?;
        let label = &column.label;
        Some(format!(
            "`{label}` contains a `/` or `.`: choose another name with `names`"
        ))
    })
}

fn is_points(content: &Content) -> bool {
    matches!(content.geometry, Geometry::Particles { .. })
}

/// The datasets of a file after those of its fields.
#[derive(PartialEq)]
enum Extra {
    /// The times of the steps.
    Times,
    /// Flags of hidden cells, if the grid is sparse.
    Ghosts,
    /// 0, 1, 2 ... for each step, and 1: the parts.
    Parts,
    Ones,
    /// The first point of each step, and the number of its points.
    Starts,
    Counts,
    /// 0, and four zeros, for each step: the counts of the topologies without cells, and offsets of all.
    Zeros,
    ZeroOffsets,
    /// 0, 1, 2 ... up to the largest number of points: vertices and their offsets.
    Ascending,
    /// Connectivity of no cells.
    Nothing,
}

use Extra::{Ascending, Counts, Ghosts, Nothing, Ones, Parts, Starts, Times, ZeroOffsets, Zeros};

fn extras(content: &Content) -> &'static [Extra] {
    match (is_points(content), &content.active) {
        (true, _) => &[
            Times,
            Parts,
            Ones,
            Starts,
            Counts,
            Zeros,
            ZeroOffsets,
            Ascending,
            Nothing,
        ],
        (false, Some(_)) => &[Times, Ghosts],
        (false, None) => &[Times],
    }
}

/// The properties of the image of a grid.
fn image_of(content: &Content) -> Image {
    let view = View {
        content,
        frame: 0,
        columns: Vec::new(),
        shape: Vec::new(),
        active: None,
        triangles: None,
    };
    image(
        &content.geometry,
        content.shape.len(),
        content.selected(),
        view.lattice(),
    )
}

/// The sides of the values of a grid, the slowest varying first. The file has no axis for a side without thickness.
fn sides(content: &Content) -> Vec<u64> {
    let (image, selected) = (image_of(content), content.selected());
    let axes = (0..3).rev().filter(|axis| image.extent[*axis] > 0);
    let sides: Vec<u64> = axes.map(|axis| selected[axis]).collect();
    if sides.is_empty() { vec![1] } else { sides }
}

fn forms(content: &Content) -> Vec<Form> {
    let deflate = match content.style.compression {
        None | Some(Compression::None) => None,
        Some(Compression::Fast) => Some(1),
        Some(Compression::Best) => Some(9),
    };
    let elements = content.selected()[0].max(1);
    let points = is_points(content);
    let form = |scalar, row: Vec<u64>| Form {
        scalar,
        row,
        is_stack: !points,
        rows: elements,
        deflate,
        attributes: Vec::new(),
    };
    let list = |scalar, row: Vec<u64>, rows| Form {
        is_stack: false,
        rows,
        deflate: None,
        ..form(scalar, row)
    };
    let shown = shown(content);
    let field = |column: &Column| {
        let mut row = if points { Vec::new() } else { sides(content) };
        if column.components > 1 {
            row.push(column.components.into());
        }
        let kinds = shown.iter().filter(|(_, name)| *name == Some(&column.label));
        let text = |name: &str, text: &str| Attribute::new(name, Value::Text(text.to_owned()));
        let kinds = kinds.map(|(kind, _)| text("Attribute", kind));
        let units = column.units.as_ref().map(|units| text("Units", units));
        Form {
            attributes: kinds.chain(units).collect(),
            ..form(column.scalar, row)
        }
    };
    let extra = |extra: &Extra| match extra {
        Times => list(Scalar::F64, Vec::new(), FRAMES),
        Ghosts => form(Scalar::U8, sides(content)),
        Parts | Ones | Starts | Counts | Zeros => list(Scalar::I64, Vec::new(), FRAMES),
        ZeroOffsets => list(Scalar::I64, vec![4], FRAMES),
        Ascending => form(Scalar::I64, Vec::new()),
        Nothing => list(Scalar::I64, Vec::new(), 1),
    };
    let fields = content.columns.iter().map(field);
    fields.chain(extras(content).iter().map(extra)).collect()
}

/// The columns of a file that are data of points or cells, with their numbers.
fn data(content: &Content) -> impl Iterator<Item = (usize, &Column)> + Clone {
    let position = match content.geometry {
        Geometry::Particles { position } => position,
        _ => None,
    };
    let columns = content.columns.iter().enumerate();
    columns.filter(move |(number, _)| Some(*number) != position)
}

/// The arrays that a program shows at first.
fn shown(content: &Content) -> [(&'static str, Option<&str>); 2] {
    active(data(content).map(|(_, column)| column))
}

fn append(view: &View, file: &mut File) -> io::Result<Members> {
    let fields = view.columns.len();
    let count = view.elements() as u64;
    // The times have a row for each step, and the fields of points one for each point of all steps.
    let (steps, start) = (file.rows(fields), file.rows(0));
    for (number, values) in view.columns.iter().enumerate() {
        file.append(number, &values.bytes)?;
    }
    for (number, extra) in (fields..).zip(extras(view.content)) {
        let numbers: Vec<u64> = match extra {
            Times => {
                file.append(number, &view.time().to_ne_bytes())?;
                continue;
            }
            Ghosts => {
                let hidden = image_of(view.content).hidden();
                file.append(number, &ghosts(view, hidden).unwrap_or_default())?;
                continue;
            }
            Parts => vec![steps],
            Ones => vec![1],
            Starts => vec![start],
            Counts => vec![count],
            Zeros => vec![0],
            ZeroOffsets => vec![0; 4],
            Ascending => (file.rows(number)..=count).collect(),
            Nothing => Vec::new(),
        };
        let bytes: Vec<u8> = numbers.into_iter().flat_map(u64::to_ne_bytes).collect();
        file.append(number, &bytes)?;
    }
    Ok(vec![("VTKHDF".to_owned(), tree(view.content, steps + 1))])
}

/// The root of VTK's data after a number of steps.
fn tree(content: &Content, steps: u64) -> Node {
    let columns = content.columns.len();
    let extra = |wanted: &Extra| {
        let place = extras(content).iter().position(|extra| extra == wanted);
        Node::Dataset(columns + place.unwrap_or(0))
    };
    let group = |attributes, members: Vec<(&str, Node)>| {
        let members = members.into_iter().map(|(name, node)| (name.to_owned(), node));
        Node::Group(attributes, members.collect())
    };
    let text = |text: &str| Value::Text(text.to_owned());
    let shown = shown(content).into_iter();
    let shown = shown.filter_map(|(kind, name)| Some(Attribute::new(kind, text(name?))));
    let mut fields: Vec<(&str, Node)> = data(content)
        .map(|(number, column)| (column.label.as_str(), Node::Dataset(number)))
        .collect();
    let counted = Attribute::new("NSteps", Value::Integer(steps as i64));
    let mut attributes = vec![Attribute::new("Version", Value::Integers(VERSION.to_vec()))];
    let mut times = vec![("Values", extra(&Times))];
    let Geometry::Particles { position } = content.geometry else {
        if content.active.is_some() {
            fields.push((GHOSTS, extra(&Ghosts)));
        }
        let image = image_of(content);
        attributes.extend(image_attributes(content, &image));
        let members = vec![
            (image.data, group(shown.collect(), fields)),
            ("Steps", group(vec![counted], times)),
        ];
        return group(attributes, members);
    };
    attributes.push(Attribute::new("Type", text("PolyData")));
    times.extend([
        ("PartOffsets", extra(&Parts)),
        ("NumberOfParts", extra(&Ones)),
        ("PointOffsets", extra(&Starts)),
        ("CellOffsets", extra(&ZeroOffsets)),
        ("ConnectivityIdOffsets", extra(&ZeroOffsets)),
    ]);
    let cells = |count: &Extra, connectivity: &Extra| {
        let members = vec![
            ("NumberOfCells", extra(count)),
            ("NumberOfConnectivityIds", extra(count)),
            ("Offsets", extra(&Ascending)),
            ("Connectivity", extra(connectivity)),
        ];
        group(Vec::new(), members)
    };
    let members = vec![
        ("NumberOfPoints", extra(&Counts)),
        ("Points", Node::Dataset(position.unwrap_or(0))),
        // A vertex for each point, so that it is drawn.
        ("Vertices", cells(&Counts, &Ascending)),
        ("Lines", cells(&Zeros, &Nothing)),
        ("Polygons", cells(&Zeros, &Nothing)),
        ("Strips", cells(&Zeros, &Nothing)),
        ("PointData", group(shown.collect(), fields)),
        ("Steps", group(vec![counted], times)),
    ];
    group(attributes, members)
}

fn image_attributes(content: &Content, image: &Image) -> [Attribute; 5] {
    let spacing = match content.geometry {
        Geometry::Cells { spacing, .. } | Geometry::Vertices { spacing, .. } => spacing,
        _ => [1.0; 3],
    };
    let stride = content.selection.stride as f64;
    let extent = image.extent.iter().flat_map(|side| [0, *side as i64]);
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    [
        Attribute::new("Type", Value::Text("ImageData".to_owned())),
        Attribute::new("WholeExtent", Value::Integers(extent.collect())),
        Attribute::new("Origin", Value::Floats(image.origin.to_vec())),
        Attribute::new(
            "Spacing",
            Value::Floats(spacing.map(|distance| distance * stride).to_vec()),
        ),
        Attribute::new("Direction", Value::Floats(axes.concat())),
    ]
}
