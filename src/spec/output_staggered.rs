//! Three fields on the faces of cells across x, y and z, which an output of the class `staggered` writes as one grid of
//! vectors.

use super::file::OutputFile;
use super::output_sources::{Source, SourceKind};
use super::resolver::Resolver;
use crate::ir::*;
use crate::output::{Content, Scalar, VolumeClass};

/// The name of the grid by convention.
pub(super) const VELOCITY: &str = "vel";

/// The three fields, and their elements along the axes.
pub(super) struct Staggered {
    pub fields: [FieldId; 3],
    sides: [[u64; 3]; 3],
}

impl Staggered {
    /// Elements along the axes that have room for all three fields: those of the cells, and one more where an axis has a
    /// last face.
    pub fn size(&self) -> [u64; 3] {
        let largest = |axis: usize| self.sides.iter().map(|sides| sides[axis]).max();
        std::array::from_fn(|axis| largest(axis).unwrap_or(1))
    }
}

impl Resolver<'_, '_> {
    /// The fields of an output of the class `staggered` that are at face_x, face_y and face_z; the source then is the first
    /// one, which stands for all of them in messages and keys.
    pub(super) fn staggered(&self, file: &OutputFile, source: &mut Source) -> Option<Staggered> {
        let fields: [FieldId; 3] = source.fields.clone().try_into().ok()?;
        let is_one = file.class == Some(VolumeClass::Staggered) && source.kind == SourceKind::Listed;
        let on_faces = |axis: usize| self.pipeline.fields[fields[axis]].location() == Location::Face(axis);
        if !is_one || !(0..3).all(on_faces) {
            return None;
        }
        source.kind = SourceKind::Field;
        source.fields.truncate(1);
        let sides = fields.map(|field| self.pipeline.size_of(field));
        Some(Staggered { fields, sides })
    }

    /// Makes the columns of three fields one of vectors.
    pub(super) fn merge_columns(
        &self,
        content: &mut Content,
        staggered: &Staggered,
        source: &Source,
    ) -> Option<()> {
        let types = staggered.fields.map(|field| {
            let field = &self.pipeline.fields[field];
            (field.element, field.count)
        });
        let column = &content.columns[0];
        let is_float = column.components == 1 && column.scalar == Scalar::F32;
        if types.iter().any(|one| *one != types[0]) || !is_float {
            let message = format!("`{}` are not the components of vectors", source.text);
            let help = "list three fields of one type, float or half, at face_x, face_y and face_z";
            return self.program.refuse(&source.place, message, help);
        }
        content.columns.truncate(1);
        content.columns[0].components = 3;
        content.staggered = Some(staggered.sides);
        Some(())
    }
}
