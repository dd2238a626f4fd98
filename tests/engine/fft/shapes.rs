//! Axes, arrays and components, and what every transform has in common.

use serde_json::json;

use super::*;
