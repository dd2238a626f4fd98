//! Random trees and texts.

use super::*;

/// Trees of every kind whose texts can be parsed again.
fn trees() -> impl Strategy<Value = Expr> {
    let of = |kind| Expr { kind, range: 0..0 };
    let part = |text: &str| Part {
        text: text.into(),
        indices: Vec::new(),
        range: 0..0,
    };
    let name = prop_oneof![Just("a"), Just("rate"), Just("{c}_next")].prop_map(move |text| {
        of(Kind::Name(Name {
            parts: vec![part(text), part("x")],
        }))
    });
    let leaf = prop_oneof![
        (0u32..1000).prop_map(move |n| of(Kind::Number(f64::from(n) / 8.0))),
        name
    ];
    leaf.prop_recursive(5, 40, 3, move |inner| {
        let operator = prop_oneof![
            Just(Operator::Or),
            Just(Operator::And),
            Just(Operator::Less),
            Just(Operator::Differs),
            Just(Operator::Add),
            Just(Operator::Subtract),
            Just(Operator::Multiply),
            Just(Operator::Divide),
            Just(Operator::Power),
        ];
        prop_oneof![
            (operator, inner.clone(), inner.clone())
                .prop_map(move |(operator, a, b)| of(Kind::Binary(operator, Box::new([a, b])))),
            inner.clone().prop_map(move |a| of(Kind::Negate(Box::new(a)))),
            inner.clone().prop_map(move |a| of(Kind::Not(Box::new(a)))),
            proptest::collection::vec(inner.clone(), 1..3)
                .prop_map(move |items| of(Kind::Call("max".into(), items))),
            proptest::collection::vec(inner, 0..3).prop_map(move |items| of(Kind::Vector(items))),
        ]
    })
}

fn without_ranges(tree: &Expr) -> Expr {
    let list = |items: &[Expr]| items.iter().map(without_ranges).collect();
    let kind = match &tree.kind {
        Kind::Number(value) => Kind::Number(*value),
        Kind::Name(name) => {
            let mut name = name.clone();
            for part in &mut name.parts {
                part.range = 0..0;
                part.indices
                    .iter_mut()
                    .for_each(|indices| *indices = indices.iter().map(without_ranges).collect());
            }
            Kind::Name(name)
        }
        Kind::Vector(items) => Kind::Vector(list(items)),
        Kind::Call(function, items) => Kind::Call(function.clone(), list(items)),
        Kind::Negate(inner) => Kind::Negate(Box::new(without_ranges(inner))),
        Kind::Not(inner) => Kind::Not(Box::new(without_ranges(inner))),
        Kind::Binary(operator, sides) => Kind::Binary(
            *operator,
            Box::new([without_ranges(&sides[0]), without_ranges(&sides[1])]),
        ),
    };
    Expr { kind, range: 0..0 }
}

/// Parses a text. A tree must survive printing and parsing; a mistake must have a valid range.
fn check_parse(text: &str) {
    match parse(text) {
        Ok(tree) => {
            let again = parse(&tree.to_string());
            let fits = tree.to_string().len() <= 1000;
            assert!(
                !fits || again.map(|again| without_ranges(&again)) == Ok(without_ranges(&tree)),
                "{text}"
            );
            let _ = tree.evaluate(&Known);
        }
        Err(mistake) => assert!(mistake.range.end <= text.len() && text.get(mistake.range.clone()).is_some()),
    }
}

proptest! {
    #[test]
    fn printed_trees_parse_back(tree in trees()) {
        let text = tree.to_string();
        prop_assume!(text.len() < 900);
        match parse(&text) {
            Ok(read) => prop_assert_eq!(without_ranges(&read), tree, "{}", text),
            Err(mistake) => prop_assert!(mistake.message.contains("signs and powers"), "{}: {}", text, mistake.message),
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[-+*/^()\\[\\],.{}a-cx0-9e <>=!&πnotdr]{0,60}") {
        check_parse(&text);
    }
}

/// Parses random sequences of fragments, a million of them in long tests.
#[test]
fn random_texts_parse_or_fail_without_panic() {
    const FRAGMENTS: [&str; 40] = [
        "a",
        "b.c",
        "x",
        "rate",
        "{c}",
        "1",
        "2.5",
        "1e-3",
        "1e",
        ".",
        "..",
        "+",
        "-",
        "*",
        "/",
        "^",
        "**",
        "(",
        ")",
        "[",
        "]",
        ",",
        "<",
        "<=",
        "==",
        "=",
        "!=",
        "and ",
        "or ",
        "not ",
        "if(",
        "max(",
        "sqrt(",
        "π",
        "·",
        "%",
        "{",
        "}",
        " ",
        "\u{1F300}",
    ];
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut random = |most: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % most as u64) as usize
    };
    let is_long = std::env::var_os("SASTRUGI_LONG").is_some();
    for _ in 0..if is_long { 1_000_000 } else { 200_000 } {
        let length = random(24);
        let text: String = (0..length).map(|_| FRAGMENTS[random(FRAGMENTS.len())]).collect();
        check_parse(&text);
    }
}
