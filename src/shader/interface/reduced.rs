//! Reductions in the interface: the functions with which elements contribute values, and the code in `main` for them.

use crate::element::{Element, Scalar};
use crate::ir::{LocalReduction, Operation};

use super::{Generator, line};

/// The minimum and the maximum of two floats. If one is NaN, the result is NaN, so that it is not lost.
const ORDER: &str = "\
bool sg_is_nan(float value) { return (floatBitsToUint(value) & 0x7fffffffu) > 0x7f800000u; }
float sg_min(float a, float b) { return sg_is_nan(a) ? a : sg_is_nan(b) || b < a ? b : a; }
float sg_max(float a, float b) { return sg_is_nan(a) ? a : sg_is_nan(b) || b > a ? b : a; }
int sg_min(int a, int b) { return min(a, b); }
int sg_max(int a, int b) { return max(a, b); }
uint sg_min(uint a, uint b) { return min(a, b); }
uint sg_max(uint a, uint b) { return max(a, b); }
";

impl Generator<'_> {
    /// Variables with the values of an element, and the functions that change and store them.
    pub(super) fn reduced(&mut self) {
        let signature = self.signature;
        if signature.reduces.is_empty() {
            return;
        }
        line!(self, "#ifdef OWN_MAIN");
        line!(self, "#error \"stages with `reduces` must not define main()\"");
        line!(self, "#endif");
        if signature.reduces.iter().any(|result| is_order(result.operation)) {
            self.text.push_str(ORDER);
        }
        let element = |result: &LocalReduction| signature.fields[result.values].element;
        for result in &signature.reduces {
            let (name, element) = (&result.name, element(result));
            let kind = element.glsl();
            line!(self, "{kind} sg_v_{name};");
            match result.operation {
                Operation::Sum => line!(self, "void sum_{name}({kind} value) {{ sg_v_{name} += value; }}"),
                Operation::Count => {
                    line!(
                        self,
                        "void count_{name}(bool counts) {{ if (counts) sg_v_{name}++; }}"
                    );
                }
                Operation::Min | Operation::Max => {
                    let function = result.operation.name();
                    let value = by_component(element, |component| {
                        format!("sg_{function}(sg_v_{name}{component}, value{component})")
                    });
                    line!(
                        self,
                        "void {function}_{name}({kind} value) {{ sg_v_{name} = {value}; }}"
                    );
                }
            }
        }
        line!(
            self,
            "// Before an element has given anything, and what it has given in the end."
        );
        line!(self, "void sg_open() {{");
        for result in &signature.reduces {
            let element = element(result);
            line!(
                self,
                "    sg_v_{} = {};",
                result.name,
                identity(result.operation, element)
            );
        }
        line!(self, "}}");
        line!(self, "void sg_keep(uint64_t k) {{");
        for result in &signature.reduces {
            let values = self.wide_element(&signature.fields[result.values], true, "k");
            line!(self, "    {values} = sg_v_{};", result.name);
        }
        line!(self, "}}");
    }

    /// The call of the stage function for an element, with its index and its number.
    pub(super) fn call(&self, index: &str, number: &str) -> String {
        let call = self.marked_call(index, number);
        if self.signature.reduces.is_empty() {
            call
        } else {
            format!("{{ sg_open(); {call} sg_keep({number}); }}")
        }
    }
}

fn is_order(operation: Operation) -> bool {
    matches!(operation, Operation::Min | Operation::Max)
}

/// An expression for each component, put together.
fn by_component(element: Element, expression: impl Fn(&str) -> String) -> String {
    match element.components() {
        1 => expression(""),
        count => {
            let components = [".x", ".y", ".z", ".w"].iter().take(count as usize);
            let components: Vec<String> = components.map(|component| expression(component)).collect();
            format!("{}({})", element.glsl(), components.join(", "))
        }
    }
}

fn identity(operation: Operation, element: Element) -> String {
    let bits = operation.identity(element.scalar());
    let value = match element.scalar() {
        Scalar::Float => format!("uintBitsToFloat({bits}u)"),
        Scalar::Int => format!("int({bits}u)"),
        _ => format!("{bits}u"),
    };
    format!("{}({value})", element.glsl())
}
