use super::conversion::{FLOOR, NMAX, NMIN, TRUNC};
use super::*;

const FLOAT: u32 = 1;
const UINT: u32 = 2;
const INT: u32 = 3;
const MAIN: u32 = 4;
const STAGE: u32 = 5;
const SET: u32 = 6;

fn add(words: &mut Vec<u32>, opcode: u16, operands: &[u32]) {
    push(words, opcode, operands);
}

/// A module up to its functions, with the argument block {float, uint, clock} and the clock {float, uint}: 20 is the push
/// constant, 21 the type of pointers to the block, 22 to the clock, 23 to floats, 30 to 32 the numbers 0 to 2.
fn module(read_only: bool) -> Vec<u32> {
    let mut words = vec![0x0723_0203, SPIRV_1_4, 0, 1000, 0];
    let w = &mut words;
    let name: Vec<u32> = b"GLSL.std.450\0\0\0\0"
        .chunks(4)
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect();
    add(w, op::EXT_INST_IMPORT, &[&[SET], &name[..]].concat());
    add(w, op::MEMORY_MODEL, &[5348, 1]);
    add(w, op::ENTRY_POINT, &[5, MAIN, 0x6e69_616d, 0, 20]);
    for (block, members) in [(10, 3), (11, 2)] {
        for member in 0..members {
            if read_only {
                add(w, op::MEMBER_DECORATE, &[block, member, 24]);
            }
        }
    }
    add(w, op::TYPE_FLOAT, &[FLOAT, 32]);
    add(w, op::TYPE_INT, &[UINT, 32, 0]);
    add(w, op::TYPE_INT, &[INT, 32, 1]);
    add(w, op::TYPE_STRUCT, &[11, FLOAT, UINT]);
    add(w, op::TYPE_POINTER, &[22, 5349, 11]);
    add(w, op::TYPE_STRUCT, &[10, FLOAT, UINT, 22]);
    add(w, op::TYPE_POINTER, &[21, 5349, 10]);
    add(w, op::TYPE_STRUCT, &[12, 21]);
    add(w, op::TYPE_POINTER, &[13, 9, 12]);
    add(w, op::TYPE_POINTER, &[14, 9, 21]);
    add(w, op::TYPE_POINTER, &[15, 5349, 22]);
    add(w, op::TYPE_POINTER, &[23, 5349, FLOAT]);
    for number in 0..3 {
        add(w, op::CONSTANT, &[INT, 30 + number, number]);
    }
    add(w, op::VARIABLE, &[13, 20, 9]);
    words
}

/// Loads of the float of the block and of that of the clock in a function, and of a member whose number is `index`.
fn with_loads(read_only: bool, index: u32) -> Vec<u32> {
    let mut words = module(read_only);
    let w = &mut words;
    add(w, op::FUNCTION, &[7, STAGE, 0, 8]);
    add(w, op::LABEL, &[100]);
    add(w, op::ACCESS_CHAIN, &[14, 101, 20, 30]);
    add(w, op::LOAD, &[21, 102, 101]);
    add(w, op::ACCESS_CHAIN, &[23, 103, 102, index]);
    add(w, op::LOAD, &[FLOAT, 104, 103, 2, 4]);
    add(w, op::ACCESS_CHAIN, &[15, 105, 102, 32]);
    add(w, op::LOAD, &[22, 106, 105, 2, 8]);
    add(w, op::ACCESS_CHAIN, &[23, 107, 106, 30]);
    add(w, op::LOAD, &[FLOAT, 108, 107, 2, 4]);
    add(w, op::FUNCTION_END, &[]);
    add(w, op::FUNCTION, &[7, MAIN, 0, 8]);
    add(w, op::LABEL, &[200]);
    add(w, op::FUNCTION_CALL, &[7, 201, STAGE]);
    add(w, op::FUNCTION_END, &[]);
    words
}

/// The pointers that loads 104 and 108 read in the adapted module.
fn sources(words: &[u32]) -> [u32; 2] {
    [104, 108].map(|id| {
        let loads = instructions(words).filter(|(opcode, _)| *opcode == op::LOAD);
        loads
            .filter(|(_, operands)| operands[1] == id)
            .map(|(_, operands)| operands[2])
            .next()
            .unwrap()
    })
}

#[test]
fn arguments_and_clock_are_loaded_at_the_start() {
    let adapted = adapt(&with_loads(true, 30));
    let all: Vec<(u16, &[u32])> = instructions(&adapted).collect();
    let main = all
        .iter()
        .position(|(opcode, operands)| *opcode == op::FUNCTION && operands[1] == MAIN)
        .unwrap();
    let stored: Vec<u32> = all[main..]
        .iter()
        .filter(|(opcode, _)| *opcode == op::STORE)
        .map(|(_, o)| o[0])
        .collect();
    assert_eq!(sources(&adapted).to_vec(), stored);
    let call = all
        .iter()
        .position(|(opcode, _)| *opcode == op::FUNCTION_CALL)
        .unwrap();
    assert!(all[call..].iter().all(|(opcode, _)| *opcode != op::STORE));
    let listed = all
        .iter()
        .find(|(opcode, _)| *opcode == op::ENTRY_POINT)
        .unwrap()
        .1;
    assert_eq!(listed[5..], stored[..]);
}

#[test]
fn other_loads_stay() {
    // A number that is not constant.
    let [first, second] = sources(&adapt(&with_loads(true, 99)));
    assert_eq!(first, 103);
    assert_ne!(second, 107);
    // Blocks that kernels may write.
    assert_eq!(sources(&adapt(&with_loads(false, 30))), [103, 107]);
}

/// The bits of the result of a conversion of a number, by the instructions of the adapted module.
fn converted(opcode: u16, to: u32, number: f32) -> u32 {
    let mut words = module(true);
    add(&mut words, op::CONSTANT, &[FLOAT, 40, number.to_bits()]);
    add(&mut words, op::FUNCTION, &[7, MAIN, 0, 8]);
    add(&mut words, op::LABEL, &[100]);
    add(&mut words, op::COPY_OBJECT, &[FLOAT, 101, 40]);
    add(&mut words, opcode, &[to, 102, 101]);
    add(&mut words, op::FUNCTION_END, &[]);
    let mut values: HashMap<u32, u32> = HashMap::new();
    for (opcode, operands) in instructions(&adapt(&words)) {
        let of = |at: usize| values[&operands[at]];
        let float = |at: usize| f32::from_bits(of(at));
        let value = match opcode {
            op::CONSTANT => operands[2],
            op::COPY_OBJECT | op::BITCAST => of(2),
            op::EXT_INST => match operands[3] {
                NMAX => float(4).max(float(5)).to_bits(),
                NMIN => float(4).min(float(5)).to_bits(),
                TRUNC => float(4).trunc().to_bits(),
                FLOOR => float(4).floor().to_bits(),
                other => panic!("instruction {other}"),
            },
            op::FLOAT_MULTIPLY => (float(2) * float(3)).to_bits(),
            op::FLOAT_SUBTRACT => (float(2) - float(3)).to_bits(),
            op::FLOAT_ADD => (float(2) + float(3)).to_bits(),
            op::SHIFT_LEFT => of(2) << of(3),
            op::INT_SUBTRACT => of(2).wrapping_sub(of(3)),
            op::INT_ADD => of(2).wrapping_add(of(3)),
            op::CONVERT_F_TO_S | op::CONVERT_F_TO_U => panic!("the conversion is still there"),
            _ => continue,
        };
        values.insert(operands[1], value);
    }
    values[&102]
}

#[test]
fn conversions_are_exact() {
    let mut bits = 12345u32;
    for k in 0..20_000u32 {
        bits = bits.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let number = match k {
            0..200 => (k as f32 - 100.0) * 0.5,
            200..400 => 65536.0 + (k as f32 - 300.0) * 0.25,
            400..600 => 16_777_216.0 * (k as f32 - 500.0),
            600 => f32::NAN,
            _ => f32::from_bits(bits),
        };
        for (opcode, to) in [(op::CONVERT_F_TO_S, INT), (op::CONVERT_F_TO_U, UINT)] {
            assert!(!number.is_nan() || converted(opcode, to, number) == 0);
        }
        if number.abs() < 2_147_483_648.0 {
            assert_eq!(
                converted(op::CONVERT_F_TO_S, INT, number) as i32,
                number as i32,
                "{number}"
            );
        }
        if (0.0..4_294_967_296.0).contains(&number) || number < 0.0 {
            assert_eq!(
                converted(op::CONVERT_F_TO_U, UINT, number),
                number as u32,
                "{number}"
            );
        }
    }
    assert_eq!(
        converted(op::CONVERT_F_TO_S, INT, f32::NEG_INFINITY) as i32,
        i32::MIN
    );
    assert_eq!(converted(op::CONVERT_F_TO_S, INT, f32::INFINITY), 0x7fff_ff80);
    assert_eq!(converted(op::CONVERT_F_TO_U, UINT, f32::INFINITY), 0xffff_ff00);
}
