mod random;

use super::*;
use proptest::prelude::*;

/// A scope with three names and no functions.
struct Known;

impl Names for Known {
    fn value(&self, name: &Name, at: &Expr) -> Result<Value, Failure> {
        match name.to_string().as_str() {
            "a" | "a.b" => Ok(Value::Number(2.0)),
            "v" => Ok(Value::Vector(vec![1.0, 2.0, 3.0])),
            "spoilt" => Err(None),
            other => Err(Some(Mistake::new(
                &at.range,
                format!("`{other}` is not here"),
                "none",
            ))),
        }
    }
}

fn value(text: &str) -> Value {
    let tree = parse(text).unwrap_or_else(|mistake| panic!("{text}: {}", mistake.message));
    tree.evaluate(&Known)
        .unwrap_or_else(|failure| panic!("{text}: {failure:?}"))
}

#[test]
fn operator_precedence_is_mathematical() {
    for (text, wanted) in [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("8 / 2 / 2", 2.0),
        ("8 - 2 - 2", 4.0),
        ("2 * 6 / 4 * 2", 6.0),
        ("-2 ^ 2", -4.0),
        ("2 ^ -1", 0.5),
        ("2 ^ 3 ^ 2", 512.0),
        ("- - 2", 2.0),
        ("-a + 3", 1.0),
        ("1.5e-3 * 2E3", 3.0),
        (".5 + 1.", 1.5),
        ("PI - π", 0.0),
        ("1 < 2", 1.0),
        ("1 + 1 >= 2 and 3 != 3", 0.0),
        ("not 1 == 2", 1.0),
        ("not 0 or 0", 1.0),
        ("1 or 0 and 0", 1.0),
        ("if(a > 1, 5, spoilt)", 5.0),
        ("if(0, spoilt, a.b)", 2.0),
        ("max(1, max(2, 3))", 3.0),
        ("max(1, 4, 2, 3)", 4.0),
        ("min(7, 5, 6)", 5.0),
        ("2 + ceil(sqrt(3) / 2 * max(2, max(4, min(9, 5))))", 7.0),
        ("floor(2.7) + round(2.5)", 5.0),
        ("length([3, 4])", 5.0),
        ("atan2(0, 1)", 0.0),
    ] {
        assert_eq!(value(text), Value::Number(wanted), "{text}");
    }
}

#[test]
fn printed_trees_have_no_parentheses_that_are_not_needed() {
    for text in [
        "a - 2 - 3",
        "a - (2 - 3)",
        "a * 2 + 3 / a",
        "(a + 2) * 3",
        "a ^ 2 ^ 3",
        "(a ^ 2) ^ 3",
        "a ^ -2",
        "-a ^ 2",
        "(-a) ^ 2",
        "--a",
        "not not a",
        "not a < 2 and 1",
        "not (a and 1)",
        "(a < 2) < 3",
        "a < (2 < 3)",
        "a < 2 or 2 < 3 or 1",
    ] {
        assert_eq!(parse(text).unwrap().to_string(), text);
    }
}

#[test]
fn vector_arithmetic_is_componentwise() {
    for (text, wanted) in [
        ("v * 2", [2.0, 4.0, 6.0]),
        ("1 - v", [0.0, -1.0, -2.0]),
        ("v + [1, a, a ^ 2]", [2.0, 4.0, 7.0]),
        ("-max(v, 2)", [-2.0, -2.0, -3.0]),
        ("if(v > 1, v, v)", [0.0; 3]),
        ("v > 1", [0.0, 1.0, 1.0]),
    ] {
        let tree = parse(text).unwrap();
        match tree.evaluate(&Known) {
            Ok(value) => assert_eq!(value.numbers(), wanted, "{text}"),
            // A condition must be a number.
            Err(failure) => {
                assert!(text.starts_with("if") && failure.unwrap().message.contains("is a vector"))
            }
        }
    }
    let failure = parse("v + [1, 2]").unwrap().evaluate(&Known).unwrap_err();
    assert!(failure.unwrap().message.contains("do not fit together"));
}

#[test]
fn names_parse_into_parts_indices_and_letters() {
    let tree = parse("air[l + 1].u[4, 5, 6].x + grid.{c}_next - f(b)").unwrap();
    let names: Vec<String> = tree.names().iter().map(|name| name.to_string()).collect();
    assert_eq!(names, ["air[l + 1].u[4, 5, 6].x", "l", "grid.{c}_next", "b"]);
    assert_eq!(tree.names()[2].plain().as_deref(), Some("grid.{c}_next"));
    assert_eq!(tree.names()[0].plain(), None);
    assert_eq!(tree.names()[0].parts[1].range, 11..12);
}

#[test]
fn parse_errors_give_position_and_remedy() {
    for (text, message, help, range) in [
        ("2 * rate $", "`$` has no meaning", "may use", 9..10),
        ("rate;", "`;` has no meaning", "may use", 4..5),
        ("50%", "`%` has no meaning", "no remainder", 2..3),
        ("a = b", "`=` has no meaning", "==", 2..3),
        ("!a", "`!` has no meaning", "write not", 0..1),
        ("a && b", "`&` has no meaning", "write and", 2..3),
        ("a ? 1 : 2", "`?` has no meaning", "if(", 2..3),
        ("−1", "`−` has no meaning", "minus sign", 0..3),
        ("2·3", "`·` has no meaning", "write *", 1..3),
        ("{a", "`{` has no meaning", "letter of a loop", 0..2),
        (" ", "it is empty", "write a number", 0..1),
        ("1 2", "an operator is missing between", "", 2..3),
        ("1/30 s", "a number cannot have a unit", "", 5..6),
        ("(1 2)", "an operator is missing between", "", 3..4),
        ("(1", "a parenthesis is not closed", "", 0..1),
        ("1)", "a closing parenthesis has no opening one", "", 1..2),
        ("a[1", "a bracket is not closed", "", 1..2),
        ("(1]", "a closing bracket has no opening one", "", 2..3),
        ("2 *", "a value is missing at its end", "", 0..3),
        ("2 * * 3", "a value is missing before `*`", "", 4..5),
        ("* 3", "a value is missing before `*`", "", 0..1),
        ("max(1, )", "a value is missing before `)`", "", 7..8),
        ("and 1", "a value is missing before `and`", "", 0..3),
        ("1, 2", "a comma is only allowed", "", 1..2),
        ("(1, 2)", "a comma is only allowed", "", 2..3),
        ("2 ** 3", "write a power with ^", "", 2..4),
        ("2(3)", "an operator is missing before the parenthesis", "", 1..2),
        (
            "1 < 2 < 3",
            "comparisons cannot be chained",
            "a < b and b < c",
            6..7,
        ),
        ("1.2.3", "`1.2.3` is not a number", "", 0..5),
        ("1e400", "`1e400` is not a number", "", 0..5),
        ("a.", "a name is missing after the dot", "", 1..2),
    ] {
        let mistake = parse(text).expect_err(text);
        assert!(mistake.message.contains(message), "{text}: {}", mistake.message);
        assert!(mistake.help.contains(help), "{text}: {}", mistake.help);
        assert_eq!(mistake.range, range, "{text}");
    }
    for (text, message) in [
        ("foo(2)", "there is no function `foo`"),
        ("min(1)", "`min` takes two or more values, not 1"),
        ("sqrt()", "`sqrt` has no arguments"),
        ("sqrt(1, 2)", "`sqrt` takes one value, not 2"),
        ("atan2(1, 2, 3)", "`atan2` takes two values, not 3"),
        ("if(1, 2)", "`if` takes a condition and two values, not 2"),
        ("sqrt([1, v])", "`v` is a vector"),
        ("b", "`b` is not here"),
    ] {
        let failure = parse(text).unwrap().evaluate(&Known).unwrap_err();
        assert!(
            failure.as_ref().unwrap().message.contains(message),
            "{text}: {failure:?}"
        );
    }
    // A mistake that follows from a reported one is not reported again.
    assert_eq!(parse("spoilt + 1").unwrap().evaluate(&Known), Err(None));
}

#[test]
fn long_and_deep_expressions_are_refused() {
    let long = format!("1{}", " + 1".repeat(20_000));
    assert!(
        parse(&long)
            .unwrap_err()
            .message
            .contains("at most 1000 characters")
    );
    let deep = format!("{}1{}", "(".repeat(400), ")".repeat(400));
    assert!(parse(&deep).unwrap_err().message.contains("brackets are open"));
    for text in [
        "-".repeat(900) + "1",
        "2^".repeat(400) + "1",
        "not ".repeat(240) + "1",
    ] {
        assert!(
            parse(&text).unwrap_err().message.contains("signs and powers"),
            "{text}"
        );
    }
    // Control: an expression just below the limit has a value.
    assert_eq!(value(&format!("1{}", "+1".repeat(199))), Value::Number(200.0));
    assert_eq!(
        value(&format!("{}1{}", "(".repeat(50), ")".repeat(50))),
        Value::Number(1.0)
    );
}

#[test]
fn compiled_formulas_equal_tree_evaluation() {
    let variables = ["x", "y"];
    for text in [
        "x + 2 * y",
        "if(x < y, x ^ 2, -y)",
        "max(x, y, 1) - a",
        "not (x > 1 and y > 1)",
        "abs(x - y)",
    ] {
        let tree = parse(text).unwrap();
        let mut meaning = |part: &Expr| {
            let name = part.to_string();
            match variables.iter().position(|variable| *variable == name) {
                Some(number) => Ok(Meaning::Variable(number)),
                None => part.number(&Known).map(Meaning::Known),
            }
        };
        let formula = Formula::new(text, &tree, &mut meaning).unwrap();
        assert!(!formula.is_constant());
        let mut stack = Vec::new();
        for [x, y] in [[0.0, 1.0], [2.0, 1.5], [-3.0, 4.0]] {
            struct Given(f64, f64);
            impl Names for Given {
                fn value(&self, name: &Name, at: &Expr) -> Result<Value, Failure> {
                    match name.to_string().as_str() {
                        "x" => Ok(Value::Number(self.0)),
                        "y" => Ok(Value::Number(self.1)),
                        _ => Known.value(name, at),
                    }
                }
            }
            let wanted = tree.number(&Given(x, y)).unwrap();
            assert_eq!(formula.value(&[x, y], &mut stack), wanted, "{text} at {x}, {y}");
        }
    }
}
