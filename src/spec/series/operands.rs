//! Operands of series: fields, their components and entries, and single elements.

use super::{FORMS, Measure, measured};
use crate::element::Element;
use crate::expr::{Expr, Failure, Name};
use crate::ir::{FieldId, Measured, MeasuredPart, Reduction};
use crate::problem::Place;
use crate::spec::resolver::Resolver;
use crate::spec::scope::Scope;

/// The whole element, without a component.
const ALL: MeasuredPart = MeasuredPart::Components(0);

/// A field, with the component and the indices that follow its name.
struct Operand {
    field: FieldId,
    part: MeasuredPart,
    indices: Option<Vec<u64>>,
}

/// The number of the component after the name of a field: `.x`, or `.c0.x` of a matrix. A mistake with its remedy if there
/// is none.
pub(in crate::spec) fn component_of(
    element: Element,
    name: &str,
    rest: &[&str],
) -> Result<u32, (String, String)> {
    let columns = element.columns();
    let (letters, count) = match element {
        Element::Rgba8 => ("rgba", 4),
        _ if columns > 1 => ("xyzw", columns),
        _ => ("xyzw", element.components()),
    };
    let letters = &letters[..count.min(4) as usize];
    let letter = |text: &str| match text.len() {
        1 => letters.find(text).map(|position| position as u32),
        _ => None,
    };
    let column = |text: &str| {
        let column = text.strip_prefix('c')?.parse::<u32>().ok()?;
        (column < columns).then_some(column)
    };
    let component = match *rest {
        [one] if columns == 1 => letter(one),
        [first, second] if columns > 1 => column(first)
            .zip(letter(second))
            .map(|(column, row)| column * columns + row),
        _ => None,
    };
    component.ok_or_else(|| {
        let letters: Vec<String> = letters.chars().map(String::from).collect();
        let (letters, last) = (letters.join(", "), columns - 1);
        let help = match columns {
            1 => format!("it has {letters}"),
            _ => format!("it has columns c0 to c{last} with {letters} each, such as {name}.c{last}.x"),
        };
        (format!("`{name}` has no component `{}`", rest.join(".")), help)
    })
}

impl Resolver<'_, '_> {
    /// The field at the beginning of a name, and the parts that follow.
    fn operand(&self, at: &Expr, name: &Name, place: &Place) -> Result<Operand, Failure> {
        let (program, scope) = (self.program, Scope::of(0));
        for left in (1..=name.parts.len()).rev().take(3) {
            let parts = name.parts[..left].to_vec();
            let mut whole = Name { parts };
            let indices = std::mem::take(&mut whole.parts[left - 1].indices);
            let Some(found) = program.field_of(&scope, &whole, place).ok_or(None)? else {
                continue;
            };
            let field = self.field_id(&found).ok_or(None)?;
            let rest: Vec<&str> = name.parts[left..].iter().map(|part| part.text.as_str()).collect();
            let part = self.part_of(at, field, &whole.to_string(), &rest)?;
            let index = |tree: &Expr| {
                let value = program.value_of(&scope, tree, place).ok_or(None)?;
                if value.fract() == 0.0 && value >= 0.0 {
                    return Ok(value as u64);
                }
                let message = format!("`{tree}` is {value}, not an index");
                tree.wrong(message, "indices are whole numbers from 0")
            };
            let indices = match indices.as_slice() {
                [] => None,
                [list] => Some(list.iter().map(index).collect::<Result<Vec<u64>, Failure>>()?),
                _ => return at.wrong(format!("`{at}` has too many indices"), FORMS),
            };
            return Ok(Operand { field, part, indices });
        }
        let message = format!("`{name}` is not a field here");
        let help = "a field is written `<resource>.<channel>`; a buffer has its own name";
        at.unknown(message, help, &name.to_string(), program.field_names(0))
    }

    /// The component after the name of a field: `.x`, or `.c0.x` of a matrix.
    fn part_of(&self, at: &Expr, field: FieldId, name: &str, rest: &[&str]) -> Result<MeasuredPart, Failure> {
        if rest.is_empty() {
            return Ok(ALL);
        }
        match component_of(self.pipeline.fields[field].element, name, rest) {
            Ok(component) => Ok(MeasuredPart::Component(component)),
            Err((message, help)) => at.wrong(message, help),
        }
    }

    /// The operand of a reduction: a field of numbers, a component, an entry of an array, or the length of vectors.
    pub(super) fn reduction_of(
        &self,
        at: &Expr,
        is_length: bool,
        function: &str,
        place: &Place,
    ) -> Result<Measured, Failure> {
        let Some(name) = at.as_name() else {
            return at.wrong(format!("`{at}` is not a field"), FORMS);
        };
        let Operand { field, part, indices } = self.operand(at, name, place)?;
        let found = &self.pipeline.fields[field];
        let entry = match (indices.as_deref(), found.count) {
            (None, _) => None,
            (Some(_), None) => {
                let message = format!("`{}` does not contain arrays, which have entries", found.name);
                return at.wrong(message, "remove the brackets: the function includes all elements");
            }
            (Some([entry]), Some(count)) if *entry < u64::from(count) => Some(*entry as u32),
            (Some(_), Some(count)) => {
                let message = format!("`{at}`: `{}` has {count} entries", found.name);
                return at.wrong(message, format!("they are numbered from 0 to {}", count - 1));
            }
        };
        if is_length {
            let element = found.element;
            let is_vector = (2..=4).contains(&element.components()) && element.scalar().is_float();
            if part != ALL || !is_vector || element == Element::Rgba8 {
                let message = format!("`{at}` has no length: only float vectors have one");
                return at.wrong(message, format!("write {function}({at})"));
            }
            let length = measured(field, MeasuredPart::Length);
            return Ok(Measured { entry, ..length });
        }
        let single = measured(field, self.single(at, field, part, function)?);
        Ok(Measured { entry, ..single })
    }

    /// A part with one number per element. The mistake suggests such a part.
    fn single(
        &self,
        at: &Expr,
        field: FieldId,
        part: MeasuredPart,
        function: &str,
    ) -> Result<MeasuredPart, Failure> {
        let element = self.pipeline.fields[field].element;
        if !element.is_measurable() {
            let message = format!("`{at}` contains {}, which series do not support", element.name());
            let help = "write the values to a field of type int, uint, float or double";
            return at.wrong(message, help);
        }
        let MeasuredPart::Components(_) = part else {
            return Ok(part);
        };
        if element == Element::Rgba8 {
            let help = format!("choose one, such as {function}({at}.r)");
            return at.wrong(format!("`{at}` has four components"), help);
        }
        let help = match (element.columns() > 1, element.components() > 1) {
            (true, _) => format!("choose one by its column and row, such as {function}({at}.c0.x)"),
            (false, true) if element.scalar().is_float() => {
                format!("choose one, such as {function}({at}.x), or {function}(length({at}))")
            }
            (false, true) => format!("choose one, such as {function}({at}.x)"),
            (false, false) => return Ok(MeasuredPart::Component(0)),
        };
        at.wrong(format!("`{at}` has {} components", element.components()), help)
    }

    /// `counters[3]`, `wind[0].x`, `air.u[4, 5, 6]`.
    pub(super) fn element(&self, at: &Expr, name: &Name, place: &Place) -> Result<Measure, Failure> {
        let Operand { field, part, indices } = self.operand(at, name, place)?;
        let Some(mut indices) = indices else {
            return at.wrong(format!("`{at}` is not a single value"), FORMS);
        };
        let found = &self.pipeline.fields[field];
        let part = match part {
            MeasuredPart::Components(_) if found.element.components() > 1 => {
                let message = format!("`{at}` has {} components", found.element.components());
                let component = if found.element.columns() > 1 { "c0.x" } else { "x" };
                return at.wrong(message, format!("choose one, such as {at}.{component}"));
            }
            _ => self.single(at, field, part, "max")?,
        };
        let [nx, ny, nz] = self.pipeline.size_of(field);
        let mut size = [nx, ny, nz][..self.pipeline.resource_of(field).axes() as usize].to_vec();
        // The entry of an array follows the indices of the element.
        size.extend(found.count.map(u64::from));
        let is_inside =
            indices.len() == size.len() && indices.iter().zip(&size).all(|(index, size)| index < size);
        if !is_inside {
            let last: Vec<String> = size.iter().map(|size| (size - 1).to_string()).collect();
            let help = format!("its indices are whole numbers up to [{}]", last.join(", "));
            return at.wrong(format!("`{at}` is not an element of `{}`", found.name), help);
        }
        let entry = found.count.and_then(|_| indices.pop()).map(|entry| entry as u32);
        let strides = [1, nx, nx * ny];
        let only = Some(
            indices
                .iter()
                .zip(strides)
                .map(|(index, stride)| index * stride)
                .sum(),
        );
        let one = measured(field, part);
        Ok(Measure::Of(Measured { entry, only, ..one }, Reduction::Value))
    }
}
