//! What a pipeline reads from a person at the window.

use schemars::JsonSchema;
use serde::Deserialize;

use super::values::Named;

/// Parameters that the window sets before each frame. A run without a window leaves them as they are.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Input")]
pub(crate) struct InputFile {
    /// What the pointer does over the picture.
    ///
    /// - Default: the pipeline does not read it
    /// - Example: `{"at": "brush.at", "moved": "brush.moved", "left": "brush.held"}`
    #[serde(default)]
    pub pointer: PointerFile,
    /// Parameters by key: 1 while the key is held, otherwise 0. A key is a letter, a digit, or `up`, `down`, `left`,
    /// `right`. It then has no other meaning in the window.
    ///
    /// - Default: none
    /// - Example: `{"b": "wind.gust"}`
    #[serde(default)]
    pub keys: Named<String>,
}

/// Parameters for the pointer. With `left`, the left button no longer turns the camera; the right one does.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Pointer")]
pub(crate) struct PointerFile {
    /// A vector of two: where the pointer is in the picture, from (0, 0) at the lower left corner to (1, 1).
    ///
    /// - Default: not read
    /// - Example: `"brush.at"`
    #[serde(default)]
    pub at: Option<String>,
    /// A vector of two: how far the pointer has moved since the frame before, in the same unit.
    ///
    /// - Default: not read
    /// - Example: `"brush.moved"`
    #[serde(default)]
    pub moved: Option<String>,
    /// A vector of three: the place in the scene that the pointer is over, metres. It is found from `depth` and the first
    /// camera of `parameters`, whose `fov` is its vertical angle in degrees. Over what is as far as the depth says or
    /// farther than 1e9 m, it keeps its value.
    ///
    /// - Default: not read
    /// - Example: `"brush.place"`
    #[serde(default)]
    pub scene: Option<String>,
    /// For `scene`, a channel of type `float` of an image: the distance from the camera's eye to what the pixel shows, along
    /// the ray through the pixel's centre, metres.
    ///
    /// - Default: none
    /// - Example: `"draw_view.depth"`
    #[serde(default)]
    pub depth: Option<String>,
    /// A number: 1 while the left button is held, otherwise 0.
    ///
    /// - Default: not read
    /// - Example: `"brush.held"`
    #[serde(default)]
    pub left: Option<String>,
    /// The same for the right button.
    ///
    /// - Default: not read
    /// - Example: `"brush.held"`
    #[serde(default)]
    pub right: Option<String>,
}

impl InputFile {
    /// Every parameter that the window sets, with its place below `input` and the number of its components.
    pub(crate) fn parameters(&self) -> Vec<([&str; 2], &str, usize)> {
        let pointer = &self.pointer;
        let of_pointer = [
            ("at", &pointer.at, 2),
            ("moved", &pointer.moved, 2),
            ("scene", &pointer.scene, 3),
            ("left", &pointer.left, 1),
            ("right", &pointer.right, 1),
        ];
        let of_pointer = of_pointer
            .into_iter()
            .filter_map(|(key, name, size)| Some((["pointer", key], name.as_deref()?, size)));
        let of_keys = self
            .keys
            .iter()
            .map(|(key, name)| (["keys", key.as_str()], name.as_str(), 1));
        of_pointer.chain(of_keys).collect()
    }
}
