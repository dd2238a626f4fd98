//! The style of an output: precision, range, compression and what else its format has.

use super::super::file::{ColormapFile, CompressionFile, OutputFile, PrecisionFile, formats_with};
use super::super::resolver::Resolver;
use crate::output::{Colormap, Compression, Format, Setting, Style};
use crate::problem::Problem;

impl Resolver<'_> {
    pub(super) fn style(&mut self, file: &OutputFile, format: Format, pointer: &str) -> Option<Style> {
        let before = self.problems.list.len();
        let name = format.extension();
        let mut only = |key: &str, is_given: bool, has_it: &dyn Fn(Format) -> bool| {
            if is_given && !has_it(format) {
                let problem = Problem::on_key(format!("{pointer}/{key}"), format!("{name} has no `{key}`"));
                let formats = formats_with("", has_it);
                self.problems
                    .push(problem.help(format!("`{key}` is only for {formats}: remove it")));
            }
        };
        let half = file.precision == Some(PrecisionFile::Half);
        only("precision", half, &|format| format.has(Setting::Precision));
        only("bits", file.bits.is_some(), &|format| format.has(Setting::Bits));
        only("range", file.range.is_some(), &|format| {
            format.has(Setting::Range)
        });
        only("colormap", file.colormap.is_some(), &|format| {
            format.has(Setting::Colormap)
        });
        only("compression", file.compression.is_some(), &|format| {
            format.descriptor().compression.is_some()
        });
        only("rate", file.rate.is_some(), &|format| format.has(Setting::Rate));
        let bits = file.bits.unwrap_or(8);
        if !matches!(bits, 8 | 16) {
            let problem = Problem::new(
                format!("{pointer}/bits"),
                format!("a PNG has 8 or 16 bits, not {bits}"),
            );
            self.problems.push(problem.help("choose one of them"));
        }
        let mut style = Style {
            half,
            bits,
            colormap: file.colormap.map(|colormap| match colormap {
                ColormapFile::Viridis => Colormap::Viridis,
                ColormapFile::Diverging => Colormap::Diverging,
            }),
            compression: file.compression.map(|compression| match compression {
                CompressionFile::None => Compression::None,
                CompressionFile::Fast => Compression::Fast,
                CompressionFile::Best => Compression::Best,
            }),
            ..Style::default()
        };
        if let Some([black, white]) = &file.range {
            let black = self.number(black, &format!("{pointer}/range/0"));
            let white = self.number(white, &format!("{pointer}/range/1"));
            style.range = Some([black?, white?]);
        }
        if let Some(rate) = &file.rate {
            let at = format!("{pointer}/rate");
            style.rate = self.number(rate, &at)?;
            if !(0.01..=1000.0).contains(&style.rate) {
                let message = format!("{} frames per second are outside 0.01 to 1000", style.rate);
                self.problems
                    .push(Problem::new(at, message).help("common rates are 24 and 30"));
            }
        }
        (self.problems.list.len() == before).then_some(style)
    }
}
