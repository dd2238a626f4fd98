//! Height fields: lattices of vertices that start from an elevation model.

use crate::element::Element;
use crate::heights;
use crate::ir::*;
use crate::problem::Problem;
use crate::problem::pointer_part;
use crate::spec::resolver::Resolver;

impl Resolver<'_> {
    pub(in crate::spec) fn heights(&mut self) {
        for (name, field) in &self.file.heights {
            let pointer = format!("/heights/{}", pointer_part(name));
            let path = self
                .document
                .directory_of(&format!("{pointer}/image"))
                .join(&field.image);
            let header = match heights::examine(&path) {
                Ok(header) => Some(header),
                Err(cause) => {
                    self.problems.push(
                        Problem::new(format!("{pointer}/image"), format!("{}: {cause}", path.display()))
                            .help("name a grey PNG, a GeoTIFF or an ESRI ASCII grid; the path is relative to the pipeline file"),
                    );
                    None
                }
            };
            let pixels = header.as_ref().map(|header| header.size);
            let silent = |what: &str, key: &str| {
                let message = format!("`{}` does not say {what}", field.image);
                Problem::new(pointer.clone(), message).help(format!("add `{key}`"))
            };
            let known = match &field.vertices {
                Some(vertices) => self.sizes(vertices, &format!("{pointer}/vertices")),
                None => pixels.map(|[width, height]| [width, height, 1]),
            };
            let size = known.unwrap_or([2, 2, 1]);
            if size[0] < 2 || size[1] < 2 {
                self.problems.push(
                    Problem::new(
                        format!("{pointer}/vertices"),
                        "a height field has at least 2 x 2 vertices",
                    )
                    .help("choose larger numbers, or remove `vertices` for one per pixel"),
                );
            }
            let of_file = header.as_ref().and_then(|header| header.metres_per_pixel);
            if field.metres_per_pixel.is_none() && header.is_some() && of_file.is_none() {
                let what = "how far its pixels are apart";
                self.problems.push(silent(what, "metres_per_pixel"));
            }
            let mut spacing = [1.0; 3];
            for axis in 0..2 {
                let metres = match &field.metres_per_pixel {
                    Some(metres) => {
                        self.positive(&metres[axis], &format!("{pointer}/metres_per_pixel/{axis}"))
                    }
                    None => of_file.map(|metres| metres[axis]),
                };
                let known = match (metres, pixels, known) {
                    (Some(metres), Some(pixels), Some(size)) => {
                        Some(metres * (pixels[axis] - 1) as f64 / (size[axis] - 1).max(1) as f64)
                    }
                    _ => None,
                };
                spacing[axis] = known.unwrap_or(1.0);
                self.define(format!("{name}.{}", ["dx", "dy"][axis]), known);
            }
            let origin = self.vector(
                field.origin.as_ref().map_or(&[], |origin| origin),
                &format!("{pointer}/origin"),
            );
            let metres_per_level = match &field.metres_per_level {
                Some(metres) => self.number(metres, &format!("{pointer}/metres_per_level")),
                None => {
                    let of_file = header.as_ref().and_then(|header| header.metres_per_level);
                    if header.is_some() && of_file.is_none() {
                        self.problems
                            .push(silent("how high a level is", "metres_per_level"));
                    }
                    of_file
                }
            };
            let base_level = match &field.base_level {
                Some(level) => self
                    .number(level, &format!("{pointer}/base_level"))
                    .unwrap_or(0.0),
                None => 0.0,
            };
            let image = HeightImage {
                path,
                metres_per_level: metres_per_level.unwrap_or(1.0),
                base_level,
            };
            let resource = Resource {
                name: name.clone(),
                size,
                kind: Kind::Lattice(Lattice {
                    form: &HEIGHTS,
                    origin,
                    spacing,
                    sparse: None,
                    level: None,
                }),
            };
            let id = self.resource(resource, known.is_some());
            self.channels(id, &field.channels, &format!("{pointer}/channels"), 1);
            let target = self.field_ids.get(&format!("{name}.{}", field.into)).copied();
            match target.filter(|id| self.pipeline.fields[*id].is(Element::Float)) {
                Some(target) => {
                    if !matches!(self.pipeline.fields[target].start, Start::Background) {
                        let at = format!("{pointer}/channels/{}/values", pointer_part(&field.into));
                        let message = format!("`{}` starts from the image", field.into);
                        let problem = Problem::on_key(at, message);
                        self.problems
                            .push(problem.help("remove `values`, or name another channel in `into`"));
                    }
                    let field = &mut self.pipeline.fields[target];
                    field.given = true;
                    field.start = Start::Heights(image);
                }
                None => {
                    let message = format!("`{}` is not a float channel of `{name}`", field.into);
                    let problem = Problem::new(format!("{pointer}/into"), message);
                    self.problems.push(match target {
                        Some(_) => problem.help("heights are in metres: change its type to float"),
                        None => problem
                            .help("name one of the `channels`")
                            .suggest(&field.into, field.channels.keys().map(String::as_str)),
                    });
                }
            }
        }
    }
}
