//! Random lists of stages, and their pipelines.

use super::*;

pub const BUFFERS: usize = 6;
pub const ATTRIBUTES: usize = 3;

#[derive(Debug, Clone)]
pub struct RandomStage {
    pub reads: Vec<usize>,
    pub writes: Vec<usize>,
    pub every: u32,
}

pub fn stages(most: usize, most_every: u32) -> impl Strategy<Value = Vec<RandomStage>> {
    let fields = || proptest::collection::vec(0..BUFFERS + ATTRIBUTES, 0..4);
    let every = prop_oneof![6 => Just(1), 1 => 1..=most_every];
    let stage = (fields(), fields(), every).prop_map(|(mut reads, mut writes, every)| {
        for list in [&mut reads, &mut writes] {
            list.sort_unstable();
            list.dedup();
        }
        RandomStage { reads, writes, every }
    });
    proptest::collection::vec(stage, 1..=most)
}

fn field_name(number: usize) -> String {
    match number.checked_sub(BUFFERS) {
        None => format!("b{number}"),
        Some(attribute) => format!("p{attribute}.x"),
    }
}

fn list_text(list: &[RandomStage], prefix: &str) -> String {
    let names = |fields: &[usize]| {
        let quoted: Vec<String> = fields
            .iter()
            .map(|field| format!("\"{}\"", field_name(*field)))
            .collect();
        quoted.join(",")
    };
    let stages: Vec<String> = (list.iter().enumerate())
        .map(|(number, stage)| {
            let (reads, writes) = (names(&stage.reads), names(&stage.writes));
            let every = stage.every;
            format!(
                r#"{{"stage":"{prefix}{number}","over":9,"reads":[{reads}],"writes":[{writes}],"every":{every}}}"#
            )
        })
        .collect();
    stages.join(",\n")
}

/// A pipeline file of buffers and of particle sets with rings of 1 to 3, through the same door as any other.
pub fn pipeline(init: &[RandomStage], step: &[RandomStage], outputs: &[usize]) -> Pipeline {
    let mut text = String::from("{\"run\":{\"dt\":1},\n\"buffers\":{");
    for number in 0..BUFFERS {
        let comma = if number > 0 { "," } else { "" };
        write!(
            text,
            r#"{comma}"b{number}":{{"type":"float","length":9,"background":1}}"#
        )
        .unwrap();
    }
    text.push_str("},\n\"particles\":{");
    for number in 0..ATTRIBUTES {
        let comma = if number > 0 { "," } else { "" };
        let ring = number + 1;
        let attribute = r#"{"x":{"type":"float","background":1}}"#;
        write!(
            text,
            r#"{comma}"p{number}":{{"count":9,"ring":{ring},"attributes":{attribute}}}"#
        )
        .unwrap();
    }
    let outputs: Vec<String> = (outputs.iter().enumerate())
        .map(|(number, field)| format!(r#""o{number}":{{"source":"{}"}}"#, field_name(*field)))
        .collect();
    write!(
        text,
        "}},\n\"init\":[{}],\n\"step\":[{}],\n\"outputs\":{{{}}}}}",
        list_text(init, "i"),
        list_text(step, "s"),
        outputs.join(",")
    )
    .unwrap();
    let document = Document::parse("random.json", &text, Path::new("")).unwrap();
    let resolved = spec::from_document("random", &document, &Default::default());
    resolved.unwrap_or_else(|problems| panic!("{problems}\n{text}")).0
}

/// A list of stages with swaps; some of the stages are in a repeat with `while`.
#[derive(Debug, Clone)]
pub struct RandomList {
    stages: Vec<RandomStage>,
    /// After which stage two buffers change places.
    swaps: Vec<(usize, usize, usize)>,
    /// The first stage of a repeat, its numbers of stages and iterations, and true if it contains another repeat.
    repeat: (usize, usize, usize, bool),
}

pub fn lists() -> impl Strategy<Value = RandomList> {
    let swap = (0usize..12, 0..BUFFERS, 0..BUFFERS);
    let repeat = (0usize..12, 0usize..5, 1usize..40, any::<bool>());
    let parts = (stages(12, 3), proptest::collection::vec(swap, 0..4), repeat);
    parts.prop_map(|(stages, swaps, repeat)| RandomList {
        stages,
        swaps,
        repeat,
    })
}

/// The pipeline of a list, whose repeat looks at buffer 5.
pub fn pipeline_of(list: &RandomList, outputs: &[usize]) -> Pipeline {
    let (first, count, turns, nested) = list.repeat;
    let texts = list_text(&list.stages, "s");
    let texts: Vec<&str> = texts.split(",\n").collect();
    let mut entries: Vec<String> = Vec::new();
    let mut inner: Vec<String> = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        let in_repeat = (first..first + count).contains(&number);
        if in_repeat { &mut inner } else { &mut entries }.push(text.to_string());
        for (_, a, b) in list
            .swaps
            .iter()
            .filter(|(after, a, b)| *after == number && a != b && !in_repeat)
        {
            entries.push(format!(r#"{{"swap":["b{a}","b{b}"]}}"#));
        }
        if number + 1 == (first + count).min(texts.len()) && !inner.is_empty() {
            let stages = if nested {
                format!(
                    r#"{{"repeat":"inner","over":2,"while":"other","stages":[{}]}}"#,
                    inner.join(",")
                )
            } else {
                inner.join(",")
            };
            entries.push(format!(
                r#"{{"repeat":"turn","over":{turns},"while":"going","stages":[{stages},
                {{"stage":"decide","over":1,"writes":["going","other"]}}]}}"#
            ));
        }
    }
    let empty = pipeline(&[], &[], outputs);
    let mut document = empty.document.clone();
    document["step"] = serde_json::from_str(&format!("[{}]", entries.join(","))).unwrap();
    for name in ["going", "other"] {
        document["buffers"][name] = serde_json::json!({"type": "uint", "length": 1, "background": 1});
    }
    let text = document.to_string();
    let document = Document::parse("random.json", &text, Path::new("")).unwrap();
    let resolved = spec::from_document("random", &document, &Default::default());
    resolved.unwrap_or_else(|problems| panic!("{problems}\n{text}")).0
}
