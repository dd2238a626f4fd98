//! Sources of outputs: one field, several fields of a resource, or a whole resource.

use super::file::*;
use super::lookup::AtLevel;
use super::resolver::Resolver;
use super::scope::Scope;
use super::series::component_of;
use crate::expr::Name;
use crate::ir::*;
use crate::problem::Place;

/// The source of an output, looked up.
pub(super) struct Source {
    pub resource: ResourceId,
    pub fields: Vec<FieldId>,
    pub kind: SourceKind,
    /// A single component of the field.
    pub component: Option<u32>,
    /// The text in the file, and its place.
    pub text: String,
    pub place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SourceKind {
    /// One field.
    Field,
    /// Several fields of a resource.
    Listed,
    /// All fields of a resource.
    Whole,
}

impl Resolver<'_, '_> {
    /// Looks up the source of an output.
    pub(super) fn source(&self, file: &SourcesFile) -> Option<Source> {
        match file {
            SourcesFile::One(reference) => self.one_source(reference),
            SourcesFile::Many(place, list) => self.listed_source(place, list),
        }
    }

    fn one_source(&self, reference: &Reference) -> Option<Source> {
        let (scope, program) = (Scope::of(0), self.program);
        let name = reference.name.as_ref()?;
        let (text, place) = (name.to_string(), reference.place.clone());
        if let Some(found) = program.field_of(&scope, name, &place)? {
            let field = self.field_id(&found)?;
            let (resource, fields) = (self.pipeline.fields[field].resource, vec![field]);
            let kind = SourceKind::Field;
            return Some(Source {
                resource,
                fields,
                kind,
                component: None,
                text,
                place,
            });
        }
        if let Some((field, component)) = self.component_source(&scope, name, &place)? {
            return Some(Source {
                resource: self.pipeline.fields[field].resource,
                fields: vec![field],
                kind: SourceKind::Field,
                component: Some(component),
                text,
                place,
            });
        }
        let Some(found) = program.resource_of(&scope, name, &place)? else {
            return program.fail(program.no_field(0, &text, &place));
        };
        let AtLevel { id, level } = found.at?;
        let resource = self.ids.resource(AtLevel { id, level })?;
        let channels = program.decls[id].channels.borrow();
        let own = channels
            .iter()
            .filter(|id| program.channels[**id].added_by.is_none());
        let fields = own
            .filter_map(|id| self.ids.field(AtLevel { id: *id, level }))
            .collect();
        let kind = SourceKind::Whole;
        Some(Source {
            resource,
            fields,
            kind,
            component: None,
            text,
            place,
        })
    }

    /// A field and the number of one of its components, such as `pond.q.x`. The outer `None` follows a reported mistake.
    fn component_source(&self, scope: &Scope, name: &Name, place: &Place) -> Option<Option<(FieldId, u32)>> {
        // A matrix has two parts more: `.c0.x`.
        for left in (1..name.parts.len()).rev().take(2) {
            let whole = Name {
                parts: name.parts[..left].to_vec(),
            };
            let Some(found) = self.program.field_of(scope, &whole, place)? else {
                continue;
            };
            let id = self.field_id(&found)?;
            let field = &self.pipeline.fields[id];
            let rest: Vec<&str> = name.parts[left..].iter().map(|part| part.text.as_str()).collect();
            if field.count.is_some() {
                let message = format!("`{whole}` contains arrays: they are only written with all components");
                return self.program.refuse(place, message, format!("write {whole}"));
            }
            return match component_of(field.element, &whole.to_string(), &rest) {
                Ok(component) => Some(Some((id, component))),
                Err((message, help)) => self.program.refuse(place, message, help),
            };
        }
        Some(None)
    }

    fn listed_source(&self, place: &Place, list: &[Reference]) -> Option<Source> {
        let (program, pipeline) = (self.program, &self.pipeline);
        let mut fields: Vec<FieldId> = Vec::new();
        for reference in list {
            let field = self.field(&Scope::of(0), reference)?;
            let (name, at) = (reference.text(), &reference.place);
            if fields.contains(&field) {
                return program.refuse(at, format!("`{name}` is listed twice"), "list it once");
            }
            let is_other =
                |first: &FieldId| pipeline.fields[*first].resource != pipeline.fields[field].resource;
            if fields.first().is_some_and(is_other) {
                let message = format!("`{name}` does not belong to the resource of the fields before it");
                return program.refuse(at, message, "write one output for each resource");
            }
            fields.push(field);
        }
        let Some(first) = fields.first() else {
            let message = "an output without fields would be empty";
            return program.refuse(place, message, "list fields, or name the whole resource");
        };
        let resource = pipeline.fields[*first].resource;
        let names = fields.iter().map(|field| pipeline.fields[*field].name.as_str());
        let text = names.collect::<Vec<_>>().join(", ");
        let (kind, place) = (SourceKind::Listed, place.clone());
        Some(Source {
            resource,
            fields,
            kind,
            component: None,
            text,
            place,
        })
    }

    /// The fields with the same location: all of them, or the fields at cell centres if a whole resource has some.
    pub(super) fn of_one_location(&self, fields: Vec<FieldId>, source: &Source) -> Option<Vec<FieldId>> {
        // A border `repeat` changes the number of values at the same location.
        let places = |field: &FieldId| {
            (
                self.pipeline.fields[*field].location(),
                self.pipeline.size_of(*field),
            )
        };
        let first = fields.first()?;
        let Some(other) = fields.iter().find(|field| places(field) != places(first)) else {
            return Some(fields);
        };
        if source.kind == SourceKind::Whole {
            let centred = |field: &&FieldId| places(field).0 == Location::Centre;
            let wanted = places(fields.iter().find(centred).unwrap_or(first));
            return Some(
                fields
                    .into_iter()
                    .filter(|field| places(field) == wanted)
                    .collect(),
            );
        }
        let [one, two] = [first, other].map(|field| &self.pipeline.fields[*field].name);
        let [(here, size), (there, other_size)] = [first, other].map(places);
        let axes = self.pipeline.resources[source.resource].axes() as usize;
        let message = if here == there {
            let (size, other_size) = (&size[..axes], &other_size[..axes]);
            format!(
                "`{one}` has {size:?} values along the axes, `{two}` has {other_size:?}: the border of only one repeats"
            )
        } else {
            let (here, there) = (here.key(), there.key());
            format!("the location of `{one}` is {here}, that of `{two}` is {there}")
        };
        let help = "write one output for each: the values of a file must have the same location. Three fields at face_x, \
                    face_y and face_z become one grid as vdb with \"class\": \"staggered\"";
        self.program.refuse(&source.place, message, help)
    }
}
