//! `sastrugi devices`: what is here, what would be chosen, what is refused and why.

pub fn main() -> u8 {
    match crate::gpu::devices() {
        Ok(devices) => {
            let texts: Vec<String> = devices.iter().map(ToString::to_string).collect();
            super::print(&format!("{}\n", texts.join("\n")));
            0
        }
        Err(error) => {
            eprintln!("error: {error}");
            1
        }
    }
}
