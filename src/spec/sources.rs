//! Where particles come from: how many each source gives, which is the size of the set.

use std::path::{Path, PathBuf};

use super::file::{Numbers, ParticlesFile, SourceFile};
use super::program::*;
use super::read::Text;
use super::scope::Scope;
use crate::ir::Origin;
use crate::particles::files::Layout;
use crate::particles::fill::{Body, Fill, brief};
use crate::particles::live::MOST_PARTICLES;
use crate::particles::placing::Placing;
use crate::problem::{Place, Problem};

/// The one key of a source that says what it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SourceKind {
    Mesh,
    Sphere,
    Box,
    File,
}

impl SourceFile {
    /// Its keys with places, for those that are given.
    fn given(&self) -> Vec<(&'static str, &Place)> {
        let numbers = [
            ("sphere", &self.sphere),
            ("scale", &self.scale),
            ("rotate", &self.rotate),
            ("move", &self.shift),
            ("metres_per_pixel", &self.metres_per_pixel),
        ];
        let single = [
            ("radius", &self.radius),
            ("spacing", &self.spacing),
            ("jitter", &self.jitter),
            ("metres_per_level", &self.metres_per_level),
            ("base_level", &self.base_level),
        ];
        let texts = [("mesh", &self.mesh), ("file", &self.file)];
        let mut given: Vec<(&'static str, &Place)> = Vec::new();
        given.extend(
            texts
                .iter()
                .filter_map(|(key, text)| Some((*key, &text.as_ref()?.place))),
        );
        given.extend(
            numbers
                .iter()
                .filter_map(|(key, numbers)| Some((*key, numbers.as_ref()?.place()))),
        );
        given.extend(
            single
                .iter()
                .filter_map(|(key, number)| Some((*key, &number.as_ref()?.place))),
        );
        given.extend(self.corners.as_ref().map(|corners| ("box", &corners.place)));
        given.extend(self.set.iter().next().map(|(_, item)| ("set", &item.key)));
        given
    }
}

impl<'f> Program<'f> {
    /// What a source is; reports one that is nothing or several things, and keys that mean nothing for it.
    pub(super) fn source_kind(&self, file: &SourceFile, of_particles: bool) -> Option<SourceKind> {
        let kinds = [
            (SourceKind::Mesh, "mesh"),
            (SourceKind::Sphere, "sphere"),
            (SourceKind::Box, "box"),
            (SourceKind::File, "file"),
        ];
        let given = file.given();
        let is_given = |key: &str| given.iter().any(|(known, _)| *known == key);
        let mut found = kinds.iter().filter(|(_, key)| is_given(key));
        let (Some((kind, name)), None) = (found.next(), found.next()) else {
            let problem = Problem::at_place(
                file.place.clone(),
                "a source has exactly one of mesh, sphere, box and file",
            );
            self.report(
                problem.help("for example {\"sphere\": [0, 0, 1], \"radius\": 0.2, \"spacing\": 0.01}"),
            );
            return None;
        };
        let is_model = *kind == SourceKind::File && !of_particles;
        let is_solid = *kind != SourceKind::File;
        let has = |key: &str| match key {
            "radius" => *kind == SourceKind::Sphere,
            "spacing" | "jitter" => of_particles && is_solid,
            "set" => of_particles,
            "scale" | "rotate" | "move" => {
                *kind == SourceKind::Mesh || *kind == SourceKind::File && of_particles
            }
            "metres_per_pixel" | "metres_per_level" | "base_level" => is_model,
            key => key == *name,
        };
        let before = self.mistakes();
        for (key, place) in given.iter().filter(|(key, _)| !has(key)) {
            let of = if of_particles { "particles" } else { "a channel" };
            let message = format!("`{key}` means nothing for {of} from a {name}");
            self.report(Problem::at_place((*place).clone(), message).help("remove it"));
        }
        (self.mistakes() == before).then_some(*kind)
    }

    /// What the sources of a set give. Each is looked at, also after a mistake in one before it.
    pub(super) fn begun(&self, decl: DeclId, set: &'f ParticlesFile) -> Option<&Vec<Begun<'f>>> {
        let found = &self.decls[decl];
        let from = set.from.as_ref()?;
        found.begun.get(|| {
            let Some(first) = from.first() else {
                let problem = Problem::at_place(set.place.clone(), "`from` is empty");
                self.report(problem.help("add a source, or remove `from`"));
                return None;
            };
            let scope = Scope::of(found.instance);
            let begun: Vec<Option<Begun>> = from.iter().map(|source| self.begin(&scope, source)).collect();
            let begun: Vec<Begun> = begun.into_iter().collect::<Option<_>>()?;
            let total: u64 = begun.iter().map(|begun| begun.count).sum();
            if total > u64::from(u32::MAX) {
                let message = format!("{total} particles are more than 2^32 - 1");
                self.report(Problem::at_place(first.place.clone(), message).help("choose larger spacings"));
                return None;
            }
            Some(begun)
        })
    }

    fn begin(&self, scope: &Scope, file: &'f SourceFile) -> Option<Begun<'f>> {
        let kind = self.source_kind(file, true)?;
        match kind {
            SourceKind::File => self.points(scope, file),
            kind => {
                let body = self.body(scope, file, kind)?;
                self.on_lattice(scope, file, body)
            }
        }
    }

    /// A solid.
    pub(super) fn body(&self, scope: &Scope, file: &SourceFile, kind: SourceKind) -> Option<Body> {
        match kind {
            SourceKind::Mesh => {
                let placing = self.placing(scope, file);
                let path = path_of(file.mesh.as_ref()?);
                Some(Body::Mesh {
                    path,
                    placing: placing?,
                })
            }
            SourceKind::Sphere => {
                let centre = self.coordinates(scope, file.sphere.as_ref()?, "the centre of a sphere", 3);
                let Some(radius) = &file.radius else {
                    let problem = Problem::at_place(file.place.clone(), "a sphere requires a `radius`");
                    self.report(problem.help("add \"radius\": in m"));
                    return None;
                };
                let radius = self.positive(scope, radius);
                Some(Body::Sphere {
                    centre: centre?,
                    radius: radius?,
                })
            }
            _ => self.corners(scope, file.corners.as_ref()?, 3).map(Body::Box),
        }
    }

    /// The corners of a box along so many axes; the rest of three is unbounded.
    pub(super) fn corners(
        &self,
        scope: &Scope,
        file: &super::file::Corners,
        axes: usize,
    ) -> Option<[[f64; 3]; 2]> {
        let [min, max] = file
            .corners
            .each_ref()
            .map(|corner| self.coordinates(scope, corner, "a corner of a box", axes));
        let (min, max) = (min?, max?);
        if (0..axes).any(|axis| min[axis] > max[axis]) {
            let message = format!(
                "the second corner {:?} is below the first {:?}",
                &max[..axes],
                &min[..axes]
            );
            let problem = Problem::at_place(file.place.clone(), message);
            self.report(
                problem.help("the first corner has the smallest coordinates, the second the largest"),
            );
            return None;
        }
        Some([min, max])
    }

    fn on_lattice(&self, scope: &Scope, file: &'f SourceFile, body: Body) -> Option<Begun<'f>> {
        let Some(spacing_file) = &file.spacing else {
            let problem = Problem::at_place(file.place.clone(), "particles in a solid require a `spacing`");
            self.report(problem.help("add \"spacing\": the distance of neighbours in m"));
            return None;
        };
        let spacing = self.positive(scope, spacing_file);
        let jitter = match &file.jitter {
            None => Some(0.0),
            Some(jitter) => self.number(scope, jitter).filter(|value| {
                let is_part = (0.0..=1.0).contains(value);
                if !is_part {
                    let message = format!("{value} is not a fraction of the spacing");
                    let problem = Problem::at_place(jitter.place.clone(), message);
                    self.report(problem.help("write a number from 0 to 1"));
                }
                is_part
            }),
        };
        let solid = body.solid().map_err(|cause| {
            let path = if let Body::Mesh { path, .. } = &body {
                path.as_path()
            } else {
                Path::new("")
            };
            let place = file.mesh.as_ref().map_or(&file.place, |mesh| &mesh.place);
            self.in_file(
                place,
                path,
                &cause,
                "name a closed mesh; the path is relative to the pipeline file",
            );
        });
        let (spacing, jitter, solid) = (spacing?, jitter?, solid.ok()?);
        match Fill::new(&solid, spacing) {
            Ok(fill) => {
                let count = fill.count();
                Some(Begun {
                    file,
                    origin: Origin::Filled {
                        body,
                        spacing,
                        jitter,
                    },
                    count,
                    layout: None,
                })
            }
            Err(cause) => {
                let message = format!("with a spacing of {} m, {cause}", brief(spacing));
                let problem = Problem::at_place(spacing_file.place.clone(), message);
                self.report(problem.help("change the spacing or the size of the solid"));
                None
            }
        }
    }

    fn points(&self, scope: &Scope, file: &'f SourceFile) -> Option<Begun<'f>> {
        let placing = self.placing(scope, file);
        let text = file.file.as_ref()?;
        let path = path_of(text);
        match Layout::of(&path).and_then(|layout| Ok((layout.points()?, layout))) {
            Ok((count, layout)) => {
                let origin = Origin::Points {
                    path,
                    placing: placing?,
                    fields: Vec::new(),
                };
                Some(Begun {
                    file,
                    origin,
                    count,
                    layout: Some(layout),
                })
            }
            Err(cause) => {
                let help = "name a file of points; the path is relative to the pipeline file";
                self.in_file(&text.place, &path, &cause, help);
                None
            }
        }
    }

    pub(super) fn in_file(&self, place: &Place, path: &Path, cause: &str, help: &str) {
        self.report(Problem::at_place(place.clone(), format!("{}: {cause}", path.display())).help(help));
    }

    fn placing(&self, scope: &Scope, file: &SourceFile) -> Option<Placing> {
        let vector = |numbers: &Option<Numbers>, of: &str, default: f64, one_for_all: bool| match numbers {
            None => Some([default; 3]),
            Some(numbers) => match self.numbers(scope, numbers)?[..] {
                [x] if one_for_all => Some([x; 3]),
                _ => self.coordinates(scope, numbers, of, 3),
            },
        };
        let scale = vector(&file.scale, "a scale", 1.0, true);
        let rotate = vector(&file.rotate, "a rotation", 0.0, false);
        let shift = vector(&file.shift, "a position", 0.0, false);
        let (scale, rotate, shift) = (scale?, rotate?, shift?);
        if let Some(numbers) = file.scale.as_ref().filter(|_| scale.contains(&0.0)) {
            let problem = Problem::at_place(numbers.place().clone(), "the scale must not be 0");
            self.report(problem.help("write another number"));
            return None;
        }
        Some(Placing::new(scale, rotate, shift))
    }

    /// The most particles of a set.
    pub(super) fn size_of_set(&self, decl: DeclId, set: &'f ParticlesFile) -> Option<Size> {
        let scope = Scope::of(self.decls[decl].instance);
        if let (Some(_), Some(count)) = (&set.from, &set.count) {
            let message =
                "`count` and `from` exclude each other: the sources determine the number of particles";
            let help = "remove `count`; if it comes from the base file, write \"count\": null";
            self.report(Problem::at_place(count.place.clone(), message).help(help));
        }
        let most = match (&set.capacity, &set.from, &set.count) {
            (Some(capacity), ..) => self.count(&scope, capacity, 1, MOST_PARTICLES)?,
            (None, Some(_), _) => self.begun(decl, set)?.iter().map(|begun| begun.count).sum(),
            (None, None, Some(count)) => self.count(&scope, count, 1, u64::from(u32::MAX))?,
            (None, None, None) => {
                let problem = Problem::at_place(
                    set.place.clone(),
                    "a set requires a `count`, a `capacity`, or both",
                );
                let help = "add \"count\": the number of particles; or \"capacity\", if it changes";
                self.report(problem.help(help));
                return None;
            }
        };
        Some(Size {
            elements: [most, 1, 1],
            axes: 1,
        })
    }

    /// The particles of a dynamic set at the start.
    pub(super) fn initial_count(&self, decl: DeclId, set: &'f ParticlesFile) -> Option<u32> {
        let most = self.size(decl)?.elements[0];
        let (count, place) = match (&set.from, &set.count) {
            (Some(from), _) => {
                let place = from.first().map_or(&set.place, |source| &source.place);
                (
                    self.begun(decl, set)?.iter().map(|begun| begun.count).sum(),
                    place,
                )
            }
            (None, Some(count)) => {
                let scope = Scope::of(self.decls[decl].instance);
                (
                    self.with(Effect::Restart, || {
                        self.count(&scope, count, 0, u64::from(u32::MAX))
                    })?,
                    &count.place,
                )
            }
            (None, None) => return Some(0),
        };
        if count > most {
            let message = format!("{count} particles exceed the capacity of {most}");
            self.report(
                Problem::at_place(place.clone(), message).help("raise `capacity`, or start with fewer"),
            );
            return None;
        }
        Some(count as u32)
    }
}

/// A path that is written in a file, from the directory of that file.
pub(super) fn path_of(text: &Text) -> PathBuf {
    text.place.source.directory.join(&text.text)
}
