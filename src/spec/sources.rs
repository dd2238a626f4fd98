//! Particle sources. Their numbers of particles determine the size of the set.

use std::path::{Path, PathBuf};

use super::evaluate::all;
use super::file::{Corners, Numbers, ParticlesFile, SourceFile};
use super::program::*;
use super::read::Text;
use super::scope::Scope;
use super::shipped;
use crate::ir::ParticleOrigin;
use crate::particles::files::Layout;
use crate::particles::fill::{Body, Fill, brief};
use crate::particles::live::MAX_PARTICLES;
use crate::particles::placing::Placing;
use crate::problem::Place;

/// The kind of a source, which exactly one key states.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SourceKind {
    Mesh,
    Sphere,
    Box,
    Polygon,
    File,
}

impl SourceFile {
    /// The keys of the source that are present, with their places.
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
        let texts = [
            ("mesh", &self.mesh),
            ("polygon", &self.polygon),
            ("file", &self.file),
        ];
        let texts = texts
            .iter()
            .filter_map(|(key, text)| Some((*key, &text.as_ref()?.place)));
        let numbers = numbers
            .iter()
            .filter_map(|(key, numbers)| Some((*key, numbers.as_ref()?.place())));
        let single = single
            .iter()
            .filter_map(|(key, number)| Some((*key, &number.as_ref()?.place)));
        let corners = self.corners.iter().map(|corners| ("box", &corners.place));
        let set = self.set.iter().take(1).map(|(_, item)| ("set", &item.key));
        texts
            .chain(numbers)
            .chain(single)
            .chain(corners)
            .chain(set)
            .collect()
    }
}

impl<'f> Program<'f> {
    /// The kind of a source. Reports a source without a kind or with several, and keys that do not apply to its kind.
    pub(super) fn source_kind(&self, file: &SourceFile, of_particles: bool) -> Option<SourceKind> {
        let kinds = [
            (SourceKind::Mesh, "mesh"),
            (SourceKind::Sphere, "sphere"),
            (SourceKind::Box, "box"),
            (SourceKind::Polygon, "polygon"),
            (SourceKind::File, "file"),
        ];
        let given = file.given();
        let is_given = |key: &str| given.iter().any(|(known, _)| *known == key);
        let mut found = kinds.iter().filter(|(_, key)| is_given(key));
        let (Some((kind, name)), None) = (found.next(), found.next()) else {
            let message = "a source has exactly one of mesh, sphere, box, polygon and file";
            let help = "for example {\"sphere\": [0, 0, 1], \"radius\": 0.2, \"spacing\": 0.01}";
            return self.refuse(&file.place, message, help);
        };
        let is_file = *kind == SourceKind::File;
        let has = |key: &str| match key {
            "radius" => *kind == SourceKind::Sphere,
            "spacing" | "jitter" => of_particles && !is_file,
            "set" => of_particles,
            "polygon" => *kind == SourceKind::Polygon && !of_particles,
            "scale" | "rotate" | "move" => *kind == SourceKind::Mesh || is_file && of_particles,
            "metres_per_pixel" | "metres_per_level" | "base_level" => is_file && !of_particles,
            key => key == *name,
        };
        let before = self.mistakes();
        for (key, place) in given.iter().filter(|(key, _)| !has(key)) {
            let of = if of_particles { "particles" } else { "a channel" };
            let message = format!("`{key}` does not apply to {of} from a {name}");
            self.wrong(place, message, "remove it");
        }
        (self.mistakes() == before).then_some(*kind)
    }

    /// The sources of a set. A mistake in one does not prevent checks of the others.
    pub(super) fn particle_sources(
        &self,
        decl: DeclId,
        set: &'f ParticlesFile,
    ) -> Option<&Vec<CheckedSource<'f>>> {
        let found = &self.decls[decl];
        let from = set.from.as_ref()?;
        found.particle_sources.get(|| {
            let Some(first) = from.first() else {
                return self.refuse(&set.place, "`from` is empty", "add a source, or remove `from`");
            };
            let scope = Scope::of(found.instance);
            let sources = all(from.iter().map(|source| self.particle_source(&scope, source)))?;
            let total: u64 = sources.iter().map(|source| source.count).sum();
            if total > u64::from(u32::MAX) {
                let message = format!("{total} particles are more than 2^32 - 1");
                return self.refuse(&first.place, message, "choose larger spacings");
            }
            Some(sources)
        })
    }

    fn particle_source(&self, scope: &Scope, file: &'f SourceFile) -> Option<CheckedSource<'f>> {
        let kind = self.source_kind(file, true)?;
        match kind {
            SourceKind::File => self.points(scope, file),
            kind => {
                let body = self.body(scope, file, kind)?;
                self.on_lattice(scope, file, body)
            }
        }
    }

    /// The solid of a source.
    pub(super) fn body(&self, scope: &Scope, file: &SourceFile, kind: SourceKind) -> Option<Body> {
        match kind {
            SourceKind::Mesh => {
                let placing = self.placing(scope, file);
                let (path, placing) = (path_of(file.mesh.as_ref()?), placing?);
                Some(Body::Mesh { path, placing })
            }
            SourceKind::Sphere => {
                let centre = self.coordinates(scope, file.sphere.as_ref()?, "the centre of a sphere", 3);
                let Some(radius) = &file.radius else {
                    let message = "a sphere requires a `radius`";
                    return self.refuse(&file.place, message, "add \"radius\": in m");
                };
                let radius = self.positive(scope, radius);
                let (centre, radius) = (centre?, radius?);
                Some(Body::Sphere { centre, radius })
            }
            _ => self.corners(scope, file.corners.as_ref()?, 3).map(Body::Box),
        }
    }

    /// The corners of a box along `axes` axes. Further axes are unbounded.
    pub(super) fn corners(&self, scope: &Scope, file: &Corners, axes: usize) -> Option<[[f64; 3]; 2]> {
        let corner = |corner: &Numbers| self.coordinates(scope, corner, "a corner of a box", axes);
        let [min, max] = file.corners.each_ref().map(corner);
        let (min, max) = (min?, max?);
        if (0..axes).any(|axis| min[axis] > max[axis]) {
            let (first, second) = (&min[..axes], &max[..axes]);
            let message = format!("the second corner {second:?} is below the first {first:?}");
            let help = "the first corner has the smallest coordinates, the second the largest";
            return self.refuse(&file.place, message, help);
        }
        Some([min, max])
    }

    fn on_lattice(&self, scope: &Scope, file: &'f SourceFile, body: Body) -> Option<CheckedSource<'f>> {
        let Some(spacing_file) = &file.spacing else {
            let message = "particles in a solid require a `spacing`";
            let help = "add \"spacing\": the distance of neighbours in m";
            return self.refuse(&file.place, message, help);
        };
        let spacing = self.positive(scope, spacing_file);
        let jitter = match &file.jitter {
            None => Some(0.0),
            Some(jitter) => self.number(scope, jitter).and_then(|value| {
                let message = || format!("{value} is not a fraction of the spacing");
                match value {
                    0.0..=1.0 => Some(value),
                    _ => self.refuse(&jitter.place, message(), "write a number from 0 to 1"),
                }
            }),
        };
        let solid = body.solid().map_err(|cause| {
            let path = match &body {
                Body::Mesh { path, .. } => path.as_path(),
                _ => Path::new(""),
            };
            let place = file.mesh.as_ref().map_or(&file.place, |mesh| &mesh.place);
            let help = "name a closed mesh; the path is relative to the pipeline file";
            self.report_file(place, path, &cause, help);
        });
        let (spacing, jitter, solid) = (spacing?, jitter?, solid.ok()?);
        let count = match Fill::new(&solid, spacing) {
            Ok(fill) => fill.count(),
            Err(cause) => {
                let message = format!("with a spacing of {} m, {cause}", brief(spacing));
                let help = "change the spacing or the size of the solid";
                return self.refuse(&spacing_file.place, message, help);
            }
        };
        let (origin, layout) = (
            ParticleOrigin::Filled {
                body,
                spacing,
                jitter,
            },
            None,
        );
        Some(CheckedSource {
            file,
            origin,
            count,
            layout,
        })
    }

    fn points(&self, scope: &Scope, file: &'f SourceFile) -> Option<CheckedSource<'f>> {
        let placing = self.placing(scope, file);
        let text = file.file.as_ref()?;
        let path = path_of(text);
        let found = Layout::of(&path).and_then(|layout| Ok((layout.points()?, layout)));
        let found = found.map_err(|cause| {
            let help = "name a file of points; the path is relative to the pipeline file";
            self.report_file(&text.place, &path, &cause, help);
        });
        let ((count, layout), placing, fields) = (found.ok()?, placing?, Vec::new());
        let (origin, layout) = (
            ParticleOrigin::Points {
                path,
                placing,
                fields,
            },
            Some(layout),
        );
        Some(CheckedSource {
            file,
            origin,
            count,
            layout,
        })
    }

    pub(super) fn report_file(&self, place: &Place, path: &Path, cause: &str, help: &str) {
        self.wrong(place, format!("{}: {cause}", path.display()), help);
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
            let message = "the scale must not be 0";
            return self.refuse(numbers.place(), message, "write another number");
        }
        Some(Placing::new(scale, rotate, shift))
    }

    /// The number of particles of a set, or its capacity.
    pub(super) fn size_of_set(&self, decl: DeclId, set: &'f ParticlesFile) -> Option<Size> {
        let scope = Scope::of(self.decls[decl].instance);
        if let (Some(_), Some(count)) = (&set.from, &set.count) {
            let message =
                "`count` and `from` exclude each other: the sources determine the number of particles";
            let help = "remove `count`; if it comes from the base file, write \"count\": null";
            self.wrong(&count.place, message, help);
        }
        let most = match (&set.capacity, &set.from, &set.count) {
            (Some(capacity), ..) => self.count(&scope, capacity, 1, MAX_PARTICLES)?,
            (None, Some(_), _) => self.total(decl, set)?,
            (None, None, Some(count)) => self.count(&scope, count, 1, u64::from(u32::MAX))?,
            (None, None, None) => {
                let message = "a set requires a `count`, a `capacity`, or both";
                let help = "add \"count\": the number of particles; or \"capacity\", if it changes";
                return self.refuse(&set.place, message, help);
            }
        };
        Some(Size::list(most))
    }

    /// The total number of particles of the sources of a set.
    fn total(&self, decl: DeclId, set: &'f ParticlesFile) -> Option<u64> {
        let sources = self.particle_sources(decl, set)?.iter();
        Some(sources.map(|source| source.count).sum())
    }

    /// The initial number of particles of a dynamic set.
    pub(super) fn initial_count(&self, decl: DeclId, set: &'f ParticlesFile) -> Option<u32> {
        let most = self.size(decl)?.elements[0];
        let (count, place) = match (&set.from, &set.count) {
            (Some(from), _) => {
                let place = from.first().map_or(&set.place, |source| &source.place);
                (self.total(decl, set)?, place)
            }
            (None, Some(count)) => {
                let (scope, most) = (Scope::of(self.decls[decl].instance), u64::from(u32::MAX));
                let value = self.with(Effect::Restart, || self.count(&scope, count, 0, most));
                (value?, &count.place)
            }
            (None, None) => return Some(0),
        };
        if count > most {
            let message = format!("{count} particles exceed the capacity of {most}");
            return self.refuse(place, message, "raise `capacity`, or start with fewer");
        }
        Some(count as u32)
    }
}

/// A path in a file, relative to the directory of that file, or else an asset of the program.
pub(super) fn path_of(text: &Text) -> PathBuf {
    let path = text.place.source.directory.join(&text.text);
    if path.exists() {
        return path;
    }
    shipped::asset(&text.text).unwrap_or(path)
}
