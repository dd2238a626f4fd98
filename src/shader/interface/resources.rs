//! What shaders know of a resource: its size, where it lies, and conversions between cells and the world.

use crate::particles::live;
use crate::spec::{Kind, ResourceId};

use super::{Generator, line};

impl Generator<'_> {
    /// Constants of one resource, their ids from `first` on.
    pub(super) fn resource(&mut self, id: ResourceId, first: u32) {
        let resource = &self.pipeline.resources[id];
        let name = resource.name.clone();
        let axes = resource.axes();
        let (size, origin, spacing) = (resource.size, resource.origin, resource.spacing);
        let kind = resource.kind.clone();
        for axis in 0..axes {
            let symbol = format!("sg_{name}_n{axis}");
            self.constant(
                first + axis,
                if axes == 1 { "uint" } else { "int" },
                &symbol,
                "1",
                size[axis as usize] as u32,
            );
        }
        if matches!(kind, Kind::Grid | Kind::Heights(_)) {
            for axis in 0..axes {
                let bits = (origin[axis as usize] as f32).to_bits();
                self.constant(
                    first + 3 + axis,
                    "float",
                    &format!("sg_{name}_o{axis}"),
                    "0.0",
                    bits,
                );
            }
            for axis in 0..axes {
                let bits = (spacing[axis as usize] as f32).to_bits();
                self.constant(
                    first + 6 + axis,
                    "float",
                    &format!("sg_{name}_s{axis}"),
                    "1.0",
                    bits,
                );
            }
        }
        // Variables, not constants: vector operations on specialization constants trip older validation layers, and
        // drivers fold these all the same.
        match kind {
            Kind::Grid => {
                line!(
                    self,
                    "ivec3 {name}_cells = ivec3(sg_{name}_n0, sg_{name}_n1, sg_{name}_n2);"
                );
                line!(
                    self,
                    "vec3 {name}_origin = vec3(sg_{name}_o0, sg_{name}_o1, sg_{name}_o2);"
                );
                line!(self, "#define {name}_dx sg_{name}_s0");
                line!(
                    self,
                    "vec3 {name}_position(ivec3 cell) {{ return {name}_origin + (vec3(cell) + 0.5) * {name}_dx; }}"
                );
                line!(
                    self,
                    "vec3 {name}_coordinates(vec3 world) {{ return (world - {name}_origin) / {name}_dx; }}"
                );
                if resource.sparse.is_none() {
                    // As for sparse grids, so that a stage serves both.
                    line!(
                        self,
                        "bool {name}_is_active(ivec3 cell) {{ return all(lessThan(uvec3(cell), uvec3({name}_cells))); }}"
                    );
                }
            }
            Kind::Heights(_) => {
                line!(self, "ivec2 {name}_vertices = ivec2(sg_{name}_n0, sg_{name}_n1);");
                line!(self, "vec2 {name}_origin = vec2(sg_{name}_o0, sg_{name}_o1);");
                line!(self, "vec2 {name}_spacing = vec2(sg_{name}_s0, sg_{name}_s1);");
                line!(
                    self,
                    "vec2 {name}_position(ivec2 vertex) {{ return {name}_origin + vec2(vertex) * {name}_spacing; }}"
                );
                line!(
                    self,
                    "vec2 {name}_coordinates(vec2 world) {{ return (world - {name}_origin) / {name}_spacing; }}"
                );
            }
            Kind::Image => {
                line!(self, "ivec2 {name}_size = ivec2(sg_{name}_n0, sg_{name}_n1);");
            }
            Kind::Particles { .. } if resource.live.is_some() => {
                line!(self, "#define {name}_capacity sg_{name}_n0");
                for (symbol, word) in [("count", live::COUNT), ("born", live::BORN)] {
                    line!(self, "#define {name}_{symbol} sg_p_{name}_live.at[{word}]");
                }
            }
            Kind::Particles { .. } => {
                line!(self, "#define {name}_count sg_{name}_n0");
            }
            Kind::Buffer => {
                line!(self, "#define {name}_length sg_{name}_n0");
            }
        }
    }
}
