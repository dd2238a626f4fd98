//! The panel beside the picture: speed, times of stages, parameters and problems.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use egui::text_edit::TextEditState;
use egui::{Align, CollapsingHeader, Color32, ComboBox, DragValue, Layout, RichText, ScrollArea, Slider, Ui};
use winit::event::WindowEvent;
use winit::keyboard::{Key, NamedKey};
use winit::window::Window;

use sastrugi::screen::Overlay;
use sastrugi::{Effect, Parameter};

use super::command::Command;
use super::details::Details;
use super::keys::Action;

/// Width of the panel, in logical pixels.
const WIDTH: f32 = 320.0;
/// Maximum number of stages in the list of times.
const MAX_STAGES: usize = 12;
const PROBLEM: Color32 = Color32::from_rgb(255, 120, 100);

/// A request from the panel.
pub(super) enum Ask {
    Do(Action),
    Send(Command),
}

pub(super) struct Panel {
    input: egui_winit::State,
    pub open: bool,
    /// Values being edited, not yet confirmed by the simulation.
    edited: BTreeMap<String, Vec<f64>>,
    variant: String,
    /// True while a text or number field has the keyboard focus.
    typing: bool,
    /// Time of the next repaint that egui requested.
    pub again: Option<Instant>,
}

impl Panel {
    pub(super) fn new(window: &Window, open: bool, variant: String) -> Panel {
        let context = egui::Context::default();
        let id = egui::ViewportId::ROOT;
        Panel {
            input: egui_winit::State::new(context, id, window, None, window.theme(), None),
            open,
            edited: BTreeMap::new(),
            variant,
            typing: false,
            again: None,
        }
    }

    /// Width of the panel, pixels; 0 if it is closed.
    pub(super) fn left(&self, window: &Window) -> u32 {
        if self.open {
            (WIDTH * egui_winit::pixels_per_point(self.input.egui_ctx(), window)).round() as u32
        } else {
            0
        }
    }

    /// Handles an event; returns true if the panel consumes it. `pointer` is in pixels from the left side.
    pub(super) fn takes(&mut self, window: &Window, event: &WindowEvent, pointer: f64) -> bool {
        // egui would use tab and space to press buttons, but the window binds them to actions.
        if matches!(event, WindowEvent::KeyboardInput { .. }) && !self.typing {
            return false;
        }
        let response = self.input.on_window_event(window, event);
        if response.repaint && !matches!(event, WindowEvent::RedrawRequested) {
            self.again = Some(Instant::now());
        }
        let context = self.input.egui_ctx();
        let own = match event {
            WindowEvent::KeyboardInput { event, .. } => event.logical_key != Key::Named(NamedKey::F1),
            WindowEvent::Ime(_) => self.typing,
            WindowEvent::CursorMoved { .. }
            | WindowEvent::MouseInput { .. }
            | WindowEvent::MouseWheel { .. } => {
                // egui only knows the pointer position of the last repaint, so compare with the width.
                pointer < f64::from(self.left(window)) || context.wants_pointer_input()
            }
            _ => false,
        };
        self.open && own
    }

    /// Draws the panel; `rate` describes the limit of the frame rate.
    pub(super) fn paint(
        &mut self,
        window: &Window,
        (details, problem): (&Details, &str),
        rate: &str,
    ) -> (Overlay, Vec<Ask>) {
        let input = self.input.take_egui_input(window);
        let context = self.input.egui_ctx().clone();
        let mut asks = Vec::new();
        let (open, variant, edited) = (self.open, &mut self.variant, &mut self.edited);
        if !context.is_using_pointer() && !self.typing {
            edited.clear();
        }
        let output = context.run(input, |context| {
            if open {
                let panel = egui::SidePanel::left("panel").resizable(false).exact_width(WIDTH);
                panel.show(context, |ui| {
                    controls(ui, details, rate, &mut asks);
                    problems(ui, problem);
                    ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
                        parameters(ui, details, edited, &mut asks);
                        saved(ui, variant, &mut asks);
                        stages(ui, details);
                    });
                });
            }
        });
        self.typing = open && edits_text(&context);
        self.input.handle_platform_output(window, output.platform_output);
        let delay = output
            .viewport_output
            .get(&egui::ViewportId::ROOT)
            .map_or(Duration::MAX, |viewport| viewport.repaint_delay);
        self.again = (delay < Duration::from_secs(10)).then(|| Instant::now() + delay);
        let overlay = Overlay {
            shapes: context.tessellate(output.shapes, output.pixels_per_point),
            scale: output.pixels_per_point,
            textures: output.textures_delta,
        };
        (overlay, asks)
    }
}

/// True if the widget with the keyboard focus edits a text. A slider keeps the focus after a drag, but edits none.
fn edits_text(context: &egui::Context) -> bool {
    let focused = context.memory(|memory| memory.focused());
    focused.is_some_and(|id| TextEditState::load(context, id).is_some())
}

fn controls(ui: &mut Ui, details: &Details, rate: &str, asks: &mut Vec<Ask>) {
    ui.add_space(4.0);
    ui.strong(&details.title);
    ui.label(format!(
        "frame {}, step {}, {:.4} s",
        details.frame, details.step, details.time
    ));
    ui.label(if details.paused {
        "paused".to_string()
    } else {
        format!("{:.1} steps/s", details.pace)
    });
    ui.horizontal_wrapped(|ui| {
        let mut button = |text: &str, action: Action, help: &str| {
            if ui.button(text).on_hover_text(help).clicked() {
                asks.push(Ask::Do(action));
            }
        };
        let (pause, record) = (
            if details.paused { "go on" } else { "pause" },
            if details.recording {
                "stop recording"
            } else {
                "record"
            },
        );
        button(pause, Action::Pause, "space");
        button("step", Action::Step, "one frame, then pause (.)");
        button(
            "restart",
            Action::Restart,
            "with the changed files and values (r)",
        );
        button("picture", Action::Screenshot, "write the picture as PNG (p)");
        button(record, Action::Record, "write the outputs of all frames (o)");
    });
    ui.horizontal(|ui| {
        if ui.button("-").on_hover_text("slower (-)").clicked() {
            asks.push(Ask::Do(Action::Slower));
        }
        if ui.button("+").on_hover_text("faster (+)").clicked() {
            asks.push(Ask::Do(Action::Faster));
        }
        ui.label(rate);
    });
    if details.images.len() > 1 {
        let name = details.images.get(details.shown).map_or("", String::as_str);
        ComboBox::from_label("image")
            .selected_text(name)
            .show_ui(ui, |ui| {
                for (number, name) in details.images.iter().enumerate() {
                    if ui.selectable_label(number == details.shown, name).clicked() {
                        asks.push(Ask::Send(Command::ShowPicture(number)));
                    }
                }
            });
    }
    ui.separator();
}

fn problems(ui: &mut Ui, problem: &str) {
    if !problem.is_empty() {
        ScrollArea::vertical()
            .id_salt("problem")
            .max_height(160.0)
            .show(ui, |ui| ui.colored_label(PROBLEM, problem.trim_end()));
        ui.separator();
    }
}

/// Parameters in groups: first those of the pipeline, then those of each instance of a module.
fn parameters(ui: &mut Ui, details: &Details, edited: &mut BTreeMap<String, Vec<f64>>, asks: &mut Vec<Ask>) {
    let mut groups: Vec<(&str, Vec<&Parameter>)> = vec![("", Vec::new())];
    for parameter in details.parameters.iter() {
        let group = parameter.name.split_once('.').map_or("", |(group, _)| group);
        match groups.iter_mut().find(|(name, _)| *name == group) {
            Some((_, members)) => members.push(parameter),
            None => groups.push((group, vec![parameter])),
        }
    }
    for (group, members) in groups.iter().filter(|(_, members)| !members.is_empty()) {
        let ranged = members.iter().any(|parameter| parameter.range.is_some());
        let title = if group.is_empty() { "parameters" } else { group };
        CollapsingHeader::new(title)
            .default_open(group.is_empty() || ranged)
            .show(ui, |ui| {
                for parameter in members {
                    row(ui, (group, parameter), details, edited, asks);
                }
            });
    }
}

fn row(
    ui: &mut Ui,
    (group, parameter): (&str, &Parameter),
    details: &Details,
    edited: &mut BTreeMap<String, Vec<f64>>,
    asks: &mut Vec<Ask>,
) {
    let name = &parameter.name;
    let short = name
        .strip_prefix(group)
        .map_or(name.as_str(), |rest| rest.trim_start_matches('.'));
    let mut values = edited.get(name).unwrap_or(&parameter.values).clone();
    let label = if details.changed.contains(name) {
        RichText::new(short).strong()
    } else {
        RichText::new(short)
    };
    ui.horizontal(|ui| {
        ui.label(label).on_hover_text(name);
        match parameter.effect {
            Effect::Restart => {
                ui.weak("restart")
                    .on_hover_text("it changes sizes: press R after a change");
            }
            Effect::Rebuild => {
                ui.weak("rebuild")
                    .on_hover_text("stages are compiled anew; the state stays");
            }
            Effect::None | Effect::Argument | Effect::Value => {}
        }
        // The layout fills from the right, so add the last component first.
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let mut changed = false;
            for value in values.iter_mut().rev() {
                changed |= number(ui, value, parameter);
            }
            if changed {
                let text = value_text(&values);
                edited.insert(name.clone(), values);
                asks.push(Ask::Send(Command::Change(vec![(name.clone(), text)])));
            }
        });
    });
}

/// A number or a vector in the syntax of `--set`.
fn value_text(values: &[f64]) -> String {
    match values {
        [one] => format!("{one}"),
        all => format!("{all:?}"),
    }
}

/// A slider for a parameter with a range, otherwise a number field. Returns true if the value changed.
fn number(ui: &mut Ui, value: &mut f64, parameter: &Parameter) -> bool {
    let whole = parameter.values.iter().all(|value| value.fract() == 0.0)
        && parameter
            .range
            .is_none_or(|range| range.iter().all(|end| end.fract() == 0.0) && range[1] - range[0] > 5.0);
    match parameter.range {
        Some([least, most]) => {
            let slider = Slider::new(value, least..=most).clamping(egui::SliderClamping::Never);
            let slider = if whole { slider.step_by(1.0) } else { slider };
            ui.add(slider.custom_formatter(|value, _| short(value))).changed()
        }
        None => {
            let speed = if whole {
                0.1
            } else {
                (value.abs() * 0.01).max(1e-6)
            };
            let field = DragValue::new(value).speed(speed);
            ui.add(field.custom_formatter(|value, _| short(value))).changed()
        }
    }
}

/// At most six significant digits, without trailing zeros.
fn short(value: f64) -> String {
    let digits = 5 - value.abs().max(1e-9).log10().floor() as i32;
    let text = format!("{value:.*}", digits.clamp(0, 9) as usize);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        text
    }
}

fn saved(ui: &mut Ui, variant: &mut String, asks: &mut Vec<Ask>) {
    ui.separator();
    ui.horizontal(|ui| {
        let width = ui.available_width() - 60.0;
        ui.add(egui::TextEdit::singleline(variant).desired_width(width));
        if ui
            .button("save")
            .on_hover_text("write the changed parameters as a file that extends this one")
            .clicked()
        {
            asks.push(Ask::Send(Command::SaveAs(variant.clone())));
        }
    });
}

fn stages(ui: &mut Ui, details: &Details) {
    ui.separator();
    CollapsingHeader::new("time of stages")
        .default_open(true)
        .show(ui, |ui| {
            let all: f64 = details.stages.iter().map(|(_, time)| time).sum();
            for (name, time) in details.stages.iter().take(MAX_STAGES) {
                ui.horizontal(|ui| {
                    ui.label(name);
                    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                        ui.monospace(format!("{time:8.3} ms {:3.0} %", 100.0 * time / all.max(1e-9)));
                    });
                });
            }
            if details.stages.is_empty() {
                ui.weak("not measured yet");
            }
        });
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn panel_numbers_are_short() {
        let texts = [0.0, 40.0, 0.1, 1.0 / 3.0, 123456.7, 1e9, -2.5].map(short);
        assert_eq!(
            texts,
            ["0", "40", "0.1", "0.333333", "123457", "1000000000", "-2.5"]
        );
    }
}
