//! Expressions with variables, compiled so that they can be evaluated many times.

use super::evaluate::{apply, unknown_function};
use super::functions::{Function, IF, LENGTH, constant, function};
use super::{Expr, Failure, Kind, Name, Operator};

/// An expression with variables: a program for a stack of numbers.
#[derive(Debug, Clone)]
pub struct Formula {
    text: String,
    program: Vec<Instruction>,
}

#[derive(Debug, Clone, Copy)]
enum Instruction {
    Push(f64),
    Load(usize),
    One(fn(f64) -> f64),
    Two(fn(f64, f64) -> f64),
    Operator(Operator),
    /// Takes a condition and two values.
    Choose,
}

/// The meaning of a name or a call in a formula.
pub enum Meaning {
    Known(f64),
    /// The number of a variable.
    Variable(usize),
}

impl Formula {
    /// Compiles an expression of numbers. `meaning` is called for each name, and for each call of a function that is
    /// not in the table of functions.
    pub fn new(
        text: &str,
        tree: &Expr,
        meaning: &mut dyn FnMut(&Expr) -> Result<Meaning, Failure>,
    ) -> Result<Formula, Failure> {
        let mut program = Vec::new();
        compile(tree, meaning, &mut program)?;
        Ok(Formula {
            text: text.to_string(),
            program,
        })
    }

    /// The formula that consists of one variable.
    pub fn variable(number: usize) -> Formula {
        Formula {
            text: String::new(),
            program: vec![Instruction::Load(number)],
        }
    }

    /// True if the formula consists of one variable.
    pub fn is_variable(&self) -> bool {
        matches!(self.program[..], [Instruction::Load(_)])
    }

    /// The text of the expression as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// True if the formula contains no variable.
    pub fn is_constant(&self) -> bool {
        !self
            .program
            .iter()
            .any(|step| matches!(step, Instruction::Load(_)))
    }

    /// The value for these variables. A missing variable is NaN. `stack` is reused memory.
    pub fn value(&self, variables: &[f64], stack: &mut Vec<f64>) -> f64 {
        stack.clear();
        let take = |stack: &mut Vec<f64>| stack.pop().unwrap_or(f64::NAN);
        for step in &self.program {
            let result = match *step {
                Instruction::Push(value) => value,
                Instruction::Load(number) => variables.get(number).copied().unwrap_or(f64::NAN),
                Instruction::One(function) => function(take(stack)),
                Instruction::Two(function) => {
                    let b = take(stack);
                    function(take(stack), b)
                }
                Instruction::Operator(operator) => {
                    let b = take(stack);
                    apply(operator, take(stack), b)
                }
                Instruction::Choose => {
                    let (otherwise, then) = (take(stack), take(stack));
                    if take(stack) != 0.0 { then } else { otherwise }
                }
            };
            stack.push(result);
        }
        take(stack)
    }
}

type Ask<'a> = dyn FnMut(&Expr) -> Result<Meaning, Failure> + 'a;

fn compile(tree: &Expr, ask: &mut Ask, program: &mut Vec<Instruction>) -> Result<(), Failure> {
    match &tree.kind {
        Kind::Number(value) => program.push(Instruction::Push(*value)),
        Kind::Name(name) => match name_constant(name) {
            Some(value) => program.push(Instruction::Push(value)),
            None => program.push(instruction(ask(tree)?)),
        },
        Kind::Vector(_) => {
            let message = "a vector, but a number is required";
            return tree.wrong(message, "write one expression for each component");
        }
        Kind::Negate(inner) => {
            compile(inner, ask, program)?;
            program.push(Instruction::One(|a| -a));
        }
        Kind::Not(inner) => {
            compile(inner, ask, program)?;
            program.push(Instruction::One(|a| f64::from(u8::from(a == 0.0))));
        }
        Kind::Binary(operator, sides) => {
            compile(&sides[0], ask, program)?;
            compile(&sides[1], ask, program)?;
            program.push(Instruction::Operator(*operator));
        }
        Kind::Call(name, arguments) => match (function(name), &arguments[..]) {
            (Some(Function::One(function)), [argument]) => {
                compile(argument, ask, program)?;
                program.push(Instruction::One(function));
            }
            (Some(Function::Two(function, _)), [first, rest @ ..]) if !rest.is_empty() => {
                compile(first, ask, program)?;
                for next in rest {
                    compile(next, ask, program)?;
                    program.push(Instruction::Two(function));
                }
            }
            (None, [condition, then, otherwise]) if name == IF => {
                for part in [condition, then, otherwise] {
                    compile(part, ask, program)?;
                }
                program.push(Instruction::Choose);
            }
            (None, _) if name != IF && name != LENGTH => program.push(instruction(ask(tree)?)),
            (Some(Function::Two(..)), [_]) => program.push(instruction(ask(tree)?)),
            _ => return Err(unknown_function(name, tree, None)),
        },
    }
    Ok(())
}

fn instruction(meaning: Meaning) -> Instruction {
    match meaning {
        Meaning::Known(value) => Instruction::Push(value),
        Meaning::Variable(number) => Instruction::Load(number),
    }
}

fn name_constant(name: &Name) -> Option<f64> {
    name.plain().as_deref().and_then(constant)
}
