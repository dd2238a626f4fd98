//! The XML of VTK's files, and the arrays behind it: as in memory ("appended raw"), or in blocks that zlib compresses.

use std::borrow::Cow;
use std::io::{self, Write};

use flate2::{Compression as Effort, write::ZlibEncoder};

use super::super::super::content::{Column, Compression, Scalar};
use super::super::super::select::{Values, View};
use super::super::descriptor::Section;

/// Bytes of a block that is compressed alone, as VTK has them.
const BLOCK: usize = 1 << 15;

/// The end of a file, after its arrays.
const END: &[u8] = b"\n  </AppendedData>\n</VTKFile>\n";

/// An array of the appended data: the attributes of its tag, and its contents in the file.
pub(super) struct Appended<'a> {
    attributes: String,
    units: Option<&'a str>,
    numbers: Numbers<'a>,
    /// The bytes of the blocks before they are compressed; `None` if they are not.
    length: Option<usize>,
    /// The lengths of the compressed blocks.
    blocks: Vec<u64>,
}

enum Numbers<'a> {
    Of(Cow<'a, [u8]>),
    /// The numbers of a column, by its index, and how many there are. They are written to the file separately.
    Column(usize, usize),
    /// This number of 64-bit integers: the first, and more at equal distances.
    Counting {
        first: i64,
        distance: i64,
        count: usize,
    },
}

impl Numbers<'_> {
    fn len(&self) -> usize {
        match self {
            Numbers::Of(bytes) => bytes.len(),
            Numbers::Column(_, length) => *length,
            Numbers::Counting { count, .. } => 8 * count,
        }
    }

    /// The bytes in blocks, without a copy of all of them.
    fn blocks(&self) -> Box<dyn Iterator<Item = Cow<'_, [u8]>> + '_> {
        match self {
            Numbers::Of(bytes) => Box::new(bytes.chunks(BLOCK).map(Cow::Borrowed)),
            Numbers::Column(..) => Box::new(std::iter::empty()),
            Numbers::Counting {
                first,
                distance,
                count,
            } => {
                let (first, distance, count, step) = (*first, *distance, *count, BLOCK / 8);
                Box::new((0..count).step_by(step).map(move |start| {
                    let numbers = start..count.min(start + step);
                    numbers
                        .flat_map(|number| (first + distance * number as i64).to_ne_bytes())
                        .collect()
                }))
            }
        }
    }
}

impl<'a> Appended<'a> {
    pub fn of(values: &'a Values, name: &str) -> Appended<'a> {
        Appended::named(values.column, name, Numbers::Of(Cow::Borrowed(&values.bytes)))
    }

    /// A column of a view, as a section of its own.
    pub fn column(view: &'a View, number: usize) -> Appended<'a> {
        let column = view.columns[number].column;
        let numbers = Numbers::Column(number, view.elements() * column.file_bytes() as usize);
        Appended::named(column, &column.label, numbers)
    }

    fn named(column: &'a Column, name: &str, numbers: Numbers<'a>) -> Appended<'a> {
        let kind = match column.scalar {
            Scalar::F16 | Scalar::F32 => "Float32",
            Scalar::F64 => "Float64",
            Scalar::I8 => "Int8",
            Scalar::I16 => "Int16",
            Scalar::I32 => "Int32",
            Scalar::I64 => "Int64",
            Scalar::U16 => "UInt16",
            Scalar::U32 => "UInt32",
            Scalar::U64 => "UInt64",
            Scalar::U8 | Scalar::Colour => "UInt8",
        };
        let (name, components) = (escaped(name), column.components);
        let attributes = format!(r#"type="{kind}" Name="{name}" NumberOfComponents="{components}""#);
        Appended {
            units: column.units.as_deref(),
            ..Appended::raw(attributes, numbers)
        }
    }

    /// Ascending 64-bit integers: the first, and more at equal distances.
    pub fn counting(name: &str, [first, distance]: [i64; 2], count: usize) -> Appended<'a> {
        let numbers = Numbers::Counting {
            first,
            distance,
            count,
        };
        Appended::raw(format!(r#"type="Int64" Name="{name}""#), numbers)
    }

    /// 64-bit integers.
    pub fn integers(name: &str, numbers: impl Iterator<Item = i64>) -> Appended<'a> {
        let bytes: Vec<u8> = numbers.flat_map(i64::to_ne_bytes).collect();
        Appended::raw(
            format!(r#"type="Int64" Name="{name}""#),
            Numbers::Of(bytes.into()),
        )
    }

    /// One byte per element.
    pub fn flags(name: &str, flags: Vec<u8>) -> Appended<'a> {
        Appended::raw(
            format!(r#"type="UInt8" Name="{name}""#),
            Numbers::Of(flags.into()),
        )
    }

    fn raw(attributes: String, numbers: Numbers<'a>) -> Appended<'a> {
        Appended {
            attributes,
            units: None,
            numbers,
            length: None,
            blocks: Vec::new(),
        }
    }

    /// Compresses it in blocks.
    fn compress(&mut self, effort: Effort) -> io::Result<()> {
        let mut packed = Vec::new();
        for block in self.numbers.blocks() {
            let before = packed.len();
            let mut encoder = ZlibEncoder::new(&mut packed, effort);
            encoder.write_all(&block)?;
            encoder.finish()?;
            self.blocks.push((packed.len() - before) as u64);
        }
        self.length = Some(self.numbers.len());
        self.numbers = Numbers::Of(packed.into());
        Ok(())
    }

    /// The bytes before the numbers.
    fn head(&self) -> Vec<u8> {
        self.header().into_iter().flat_map(u64::to_ne_bytes).collect()
    }

    /// The numbers before the bytes: their length, or the number of blocks, the length of a block, the length of the last
    /// one if it is shorter, and the lengths of the compressed blocks.
    fn header(&self) -> Vec<u64> {
        match self.length {
            None => vec![self.numbers.len() as u64],
            Some(length) => {
                let counts = [self.blocks.len(), BLOCK, length % BLOCK].map(|count| count as u64);
                [&counts[..], &self.blocks].concat()
            }
        }
    }
}

/// The XML of a file, and the arrays behind it.
pub(super) struct File<'a> {
    xml: String,
    depth: usize,
    arrays: Vec<Appended<'a>>,
    /// The length of the arrays so far.
    appended: u64,
    effort: Option<Effort>,
}

impl<'a> File<'a> {
    pub fn new(kind: &str, compression: Option<Compression>) -> File<'a> {
        let order = if cfg!(target_endian = "little") {
            "LittleEndian"
        } else {
            "BigEndian"
        };
        let effort = match compression {
            None | Some(Compression::None) => None,
            Some(Compression::Fast) => Some(Effort::fast()),
            Some(Compression::Best) => Some(Effort::best()),
        };
        let compressor = match effort {
            Some(_) => r#" compressor="vtkZLibDataCompressor""#,
            None => "",
        };
        let mut file = File {
            xml: "<?xml version=\"1.0\"?>\n".to_owned(),
            depth: 0,
            arrays: Vec::new(),
            appended: 0,
            effort,
        };
        file.open(&format!(
            r#"<VTKFile type="{kind}" version="1.0" byte_order="{order}" header_type="UInt64"{compressor}>"#
        ));
        file
    }

    pub fn line(&mut self, line: &str) {
        self.xml.extend(std::iter::repeat_n("  ", self.depth));
        self.xml.push_str(line);
        self.xml.push('\n');
    }

    pub fn open(&mut self, tag: &str) {
        self.line(tag);
        self.depth += 1;
    }

    pub fn close(&mut self, name: &str) {
        self.depth -= 1;
        self.line(&format!("</{name}>"));
    }

    /// The time of the data, s, where VTK looks for it.
    pub fn time(&mut self, seconds: f64) {
        self.open("<FieldData>");
        self.line(&format!(
            r#"<DataArray type="Float64" Name="TimeValue" NumberOfTuples="1" format="ascii">{seconds}</DataArray>"#
        ));
        self.close("FieldData");
    }

    /// Lists arrays in a tag, whose attributes name the active ones.
    pub fn arrays(&mut self, tag: &str, active: &str, arrays: Vec<Appended<'a>>) -> io::Result<()> {
        self.open(&format!("<{tag}{active}>"));
        for mut array in arrays {
            if let Some(effort) = self.effort {
                array.compress(effort)?;
            }
            let (attributes, offset) = (&array.attributes, self.appended);
            let tag = format!(r#"<DataArray {attributes} format="appended" offset="{offset}""#);
            match array.units {
                None => self.line(&format!("{tag}/>")),
                Some(units) => {
                    let units = escaped(units);
                    self.open(&format!("{tag}>"));
                    self.line(&format!(
                        r#"<InformationKey name="UNITS_LABEL" location="vtkDataArray">{units}</InformationKey>"#
                    ));
                    self.close("DataArray");
                }
            }
            self.appended += 8 * array.header().len() as u64 + array.numbers.len() as u64;
            self.arrays.push(array);
        }
        self.close(tag);
        Ok(())
    }

    /// The XML alone.
    pub fn text(mut self) -> String {
        self.close("VTKFile");
        self.xml
    }

    /// Writes the XML and the arrays, none of which is a column, in the order in which they were listed.
    pub fn finish(mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self.start())?;
        for array in &self.arrays {
            out.write_all(&array.head())?;
            array
                .numbers
                .blocks()
                .try_for_each(|block| out.write_all(&block))?;
        }
        out.write_all(END)
    }

    /// The file in sections.
    pub fn sections(mut self) -> Vec<Section> {
        let mut sections = vec![Section::Bytes(self.start())];
        for array in self.arrays {
            sections.push(Section::Bytes(array.head()));
            sections.push(match array.numbers {
                Numbers::Column(number, _) => Section::Column(number),
                Numbers::Of(bytes) => Section::Bytes(bytes.into_owned()),
                counting => Section::Bytes(counting.blocks().flat_map(Cow::into_owned).collect()),
            });
        }
        sections.push(Section::Bytes(END.to_vec()));
        sections
    }

    /// The XML, up to the arrays.
    fn start(&mut self) -> Vec<u8> {
        self.line(r#"<AppendedData encoding="raw">"#);
        let mut bytes = std::mem::take(&mut self.xml).into_bytes();
        bytes.push(b'_');
        bytes
    }
}

pub(super) fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}
