//! Fields of channels: type, location, border, bounds and values.

use super::file::{BorderFile, Pair};
use super::ir_ids::Ids;
use super::program::*;
use super::scope::Scope;
use crate::element::{Element, Scalar};
use crate::ir::*;

/// The mistake of an `rgba8` channel outside pixels, and its remedy.
pub(super) const RGBA8: &str = "`rgba8` is only for channels of pixels";
pub(super) const RGBA8_HELP: &str = "use uint, or vec4";

impl<'f> Program<'f> {
    pub(super) fn add_channels(
        &self,
        pipeline: &mut Pipeline,
        decl: DeclId,
        id: ResourceId,
        ring: u32,
        ids: &mut Ids,
    ) {
        for number in self.decls[decl].channels.borrow().iter() {
            let channel = &self.channels[*number];
            if channel.is_used.get()
                && let Some(field) = self.field_of_channel(pipeline, channel, id, ring)
            {
                ids.add_field(pipeline, *number, field);
            }
        }
    }

    pub(super) fn field_of_channel(
        &self,
        pipeline: &Pipeline,
        channel: &Channel<'f>,
        id: ResourceId,
        ring: u32,
    ) -> Option<Field> {
        let resource = &pipeline.resources[id];
        let element = channel.element;
        if element == Element::Rgba8 && !resource.form().is_some_and(|form| form.colours) {
            return self.refuse(channel.key, RGBA8, RGBA8_HELP);
        }
        let count = self.entries(channel)?;
        let stated = channel.property(|full| full.background.as_ref());
        let background = match stated {
            Some((number, scope)) => self.value_of_channel(channel, number, scope),
            None => Some(0.0),
        };
        let bounds = match channel.property(|full| full.bounds.as_ref()) {
            Some((pair, scope)) => Some(self.bounds(pair, element, scope)?),
            None => None,
        };
        let (at, border) = self.location(channel, resource)?;
        let has_opposite = !matches!(
            element.scalar(),
            Scalar::Uint | Scalar::Uint8 | Scalar::Uint16 | Scalar::Uint64
        ) && element != Element::Rgba8;
        let negates =
            border.is_some_and(|border| border.axes_with(Border::Antisymmetric, 3).next().is_some());
        if negates && !has_opposite {
            let message = format!("values of type {} have no opposite", element.name());
            return self.refuse(
                channel.key,
                message,
                "write `symmetric`, or choose a type with a sign",
            );
        }
        let values = channel.property(|full| full.values.as_ref().map(|_| full.pointer.clone()));
        let mut field = Field {
            name: channel.full.clone(),
            resource: id,
            element,
            count,
            background: background?,
            given: stated.is_some() || values.is_some(),
            bounds,
            start: Start::Background,
            ring,
            home: Home::Device,
            at,
            border,
            pointer: values.map_or(channel.pointer.clone(), |(pointer, _)| pointer),
        };
        field.start = self.with(Effect::Restart, || self.start(pipeline, channel, &field))?;
        Some(field)
    }

    /// The location of the values of a channel in their cells, and its border.
    pub(super) fn location(
        &self,
        channel: &Channel<'f>,
        resource: &Resource,
    ) -> Option<(Option<Location>, Option<Borders>)> {
        let at = channel.property(|full| full.at).map(|(at, _)| at);
        let border = channel
            .property(|full| full.border.as_ref())
            .map(|(border, _)| border);
        let words = match border {
            Some(BorderFile::Each(words)) => Some(words.len()),
            _ => None,
        };
        let (name, axes) = (&resource.name, resource.axes() as usize);
        let (message, help) = match (at, words) {
            (Some(_), _) if !resource.is_grid() => (
                format!("`{name}` is not a grid of cells, so its values have no location in cells"),
                format!("remove `at`: there is one value for each {}", resource.element_name()),
            ),
            (Some(Location::Face(axis)), _) if axis >= axes => (
                format!("`{name}` is a 2-D grid, which has no faces across z"),
                "write face_x, face_y, node or centre".to_string(),
            ),
            (Some(stated @ (Location::Face(_) | Location::Node)), _) if resource.sparse().is_some() => (
                format!("blocks of sparse grids contain cells only, not values at {}", stated.key()),
                "remove `at` and store the face or corner at the low end of cell i in cell i; one more cell along each axis stores the last ones"
                    .to_string(),
            ),
            _ if border.is_some() && axes < 2 => (
                format!("`{name}` is a list, and lists cannot have a border"),
                "remove `border`: it is for grids".to_string(),
            ),
            (_, Some(words)) if words != axes => (
                format!("`{name}` has {axes} axes, but the list has {words} words"),
                "write one word for each axis, x first, or one word for all, without a list".to_string(),
            ),
            _ => return Some((at, border.and_then(BorderFile::borders))),
        };
        self.refuse(channel.key, message, help)
    }

    /// Bounds of a field's values.
    pub(super) fn bounds(&self, pair: &Pair, element: Element, scope: InstanceId) -> Option<[f64; 2]> {
        let bounds = self.with(Effect::Restart, || self.pair(&Scope::of(scope), pair, true))?;
        let name = element.name();
        if !element.is_measurable() {
            let message = format!("values of type {name} cannot be watched");
            return self.refuse(&pair.place, message, "remove `bounds`, or use int or uint");
        }
        if element == Element::Rgba8 {
            let message = "values of type rgba8 are always colours from 0 to 1";
            return self.refuse(&pair.place, message, "remove `bounds`");
        }
        if bounds
            .iter()
            .any(|bound| element.component_bits(*bound).is_none())
        {
            let [least, most] = bounds;
            let numbers = if element.scalar().is_float() {
                "numbers"
            } else {
                "whole numbers"
            };
            let message = format!("{least} and {most} are not values of type {name}");
            return self.refuse(
                &pair.place,
                message,
                format!("write {numbers} in the range of the type"),
            );
        }
        Some(bounds)
    }
}
