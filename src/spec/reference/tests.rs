use super::*;

const MODULE: &str = r#"{
  // Heat that spreads (docs/modules.md):
  //     dT/dt = rate laplace(T)
  // by an explicit step.
  "title": "Diffusion",
  "use": {"pressure": {"module": "modules/pressure_solver.json", "parameters": {"rtol": 1e-4}}},
  // Shown nowhere: a comment describes the entry below it.
  "exports": ["spread", "hottest", "box.next", "warm", "pressure"],
  "parameters": {
    // Of the material,
    // in cells and steps.
    "rate": {"value": 0.1, "unit": "1/step", "range": [0, "1 / 6"], "help": "a larger rate is unstable"},
    "walls": {"value": "closed", "words": ["closed", "cold"]},
    // The heat source.
    "source": {
      // W; m
      "power": "2 * rate", "at": [0, 0,
        1],
      "shape": {"radius": 1e-3}
    }
  },
  "roles": {
    // The room.
    "box": {
      // K
      "cells": {"heat": "float", "wind": {"type": "vec3", "at": "face_x", "optional": true, "background": 0},
        // 1 for walls | 0 for air
        "solid": "uint"},
      "adds": {"next": "float", "old": {"type": "float", "at": "centre", "if": "has(box.wind)"}}
    },
    "colliders": {"buffer": "vec4", "optional": true}
  },
  "buffers": {
    // K, after `spread`.
    "hottest": {"type": "float", "background": 0}
  },
  "stages": {
    // One step of the equation.
    "spread": {"shader": "diffusion/spread.comp", "over": "box"},
    "warm": ["spread"]
  },
  "step": ["spread", {"swap": ["box.heat", "box.next"]}]
}
"#;

const SECTION: &str = r"## diffusion

Diffusion.

Heat that spreads ([modules](modules.md)):

    dT/dt = rate laplace(T)

by an explicit step.

`pressure` is an instance of [pressure_solver](#pressure_solver) with `rtol` = `1e-4`. Lists: `step`.

| export | kind | meaning |
|---|---|---|
| `spread` | stage | One step of the equation. |
| `hottest` | buffer of float | K, after `spread`. |
| `box.next` | channel of float |  |
| `warm` | group |  |
| `pressure` | instance |  |

| role or channel | type | at | needed | meaning |
|---|---|---|---|---|
| `box` | cells |  | yes | The room. K |
| `box.heat` | float |  | yes |  |
| `box.wind` | vec3 | face_x | optional | `background`: `0` |
| `box.solid` | uint |  | yes | 1 for walls \| 0 for air |
| `colliders` | buffer of vec4 |  | optional |  |

Added to `box`: `next` (float), `old` (float at centre if `has(box.wind)`).

| parameter | default | unit | range or words | meaning |
|---|---|---|---|---|
| `rate` | `0.1` | 1/step | `0` to `1 / 6` | Of the material, in cells and steps. Outside the range: a larger rate is unstable |
| `walls` | `closed` |  | `closed`, `cold` |  |
| `source` |  |  |  | The heat source. |
| `source.power` | `2 * rate` |  |  | `power`, `at`: W; m |
| `source.at` | `[0, 0, 1]` |  |  |  |
| `source.shape.radius` | `1e-3` |  |  |  |
";

#[test]
fn section_has_all_entries_with_their_comments() {
    assert_eq!(of("diffusion", MODULE).unwrap(), SECTION);
}

#[test]
fn section_of_a_variant_has_its_changes_with_merged_values() {
    let text = r#"{
  // In a plane.
  "extends": "flow.json",
  "parameters": {"sides": {"low": {"value": ["open", "closed", "closed"]}}, "motion": null},
  "roles": {"grid": {"cells": {"w": null, "u": {"background": 0}}, "adds": {"w_rate": null, "u_rate": {"if": 1}, "v_rate": {"if": 0}}}}
}"#;
    let expected = r"## plane

In a plane.

Extends [flow](#flow); this section has additions and changes. Lists: `step`.

| role or channel | type | at | needed | meaning |
|---|---|---|---|---|
| `grid` | cells |  | yes |  |
| `grid.w` |  |  | no longer |  |
| `grid.u` | float | face_x | yes | `background`: `0` |

Added to `grid`: no `w_rate`, `u_rate` (float at face_x), no `v_rate`.

| parameter | default | range or words |
|---|---|---|
| `sides.low` | `[open, closed, closed]` | `closed`, `open`, `periodic` |
| `motion` | removed |  |
";
    assert_eq!(of("plane", text).unwrap().replace('"', ""), expected);
}

#[test]
fn invalid_text_is_reported() {
    let problems = of("broken", "{\n  \"title\" \"x\"\n}").unwrap_err();
    assert!(
        problems.to_string().contains("modules/broken.json:2"),
        "{problems}"
    );
}
