//! Path conditions for people: names of parameters instead of bytes.

use std::collections::HashMap;

use testsmith_solver::term::{Op, Pool, Term, mask, signed};

/// Deeper parts of a term are shown as `…`.
const DEEPEST: u32 = 8;

/// What runs of input bytes are called.
#[derive(Default)]
pub struct Names(HashMap<Term, String>);

impl Names {
    /// From places in the input: first byte, number of bytes, name.
    pub fn new(pool: &mut Pool, parts: &[(usize, usize, String)]) -> Names {
        let mut names = HashMap::new();
        for (start, len, name) in parts {
            if *len == 0 || *len > 16 {
                continue;
            }
            let mut whole = pool.variable(8, *start as u32);
            for index in 1..*len {
                let byte = pool.variable(8, (*start + index) as u32);
                whole = pool.concat(byte, whole);
            }
            names.insert(whole, name.clone());
        }
        Names(names)
    }
}

/// A condition as an expression over the names.
pub fn describe(pool: &Pool, names: &Names, term: Term) -> String {
    show(pool, names, term, 0)
}

fn show(pool: &Pool, names: &Names, term: Term, depth: u32) -> String {
    if let Some(name) = names.0.get(&term) {
        return name.clone();
    }
    let node = pool.node(term);
    if node.op == Op::Var {
        return format!("byte[{}]", node.number);
    }
    if node.op == Op::Const {
        return number(node.number, node.width);
    }
    if depth >= DEEPEST {
        return "…".to_owned();
    }
    let part = |index: usize| {
        show(pool, names, node.args[index].expect("the operand is there"), depth + 1)
    };
    let infix = |symbol: &str| format!("({} {symbol} {})", part(0), part(1));
    match node.op {
        Op::Add => infix("+"),
        Op::Sub => infix("-"),
        Op::Mul => infix("*"),
        Op::UDiv | Op::SDiv => infix("/"),
        Op::URem | Op::SRem => infix("%"),
        Op::And if node.width == 1 => infix("&&"),
        Op::Or if node.width == 1 => infix("||"),
        Op::And => infix("&"),
        Op::Or => infix("|"),
        Op::Xor if pool.constant(node.second()) == Some(mask(node.width)) => {
            negated(pool, names, node.first(), depth)
        }
        Op::Xor => infix("^"),
        Op::Shl => infix("<<"),
        Op::LShr | Op::AShr => infix(">>"),
        Op::Eq => infix("=="),
        Op::Ult | Op::Slt => infix("<"),
        Op::Ule | Op::Sle => infix("<="),
        Op::Ite => format!("(if {} {{ {} }} else {{ {} }})", part(0), part(1), part(2)),
        Op::ZExt | Op::SExt => part(0),
        Op::Extract if is_sign(pool, term) => format!("({} < 0)", part(0)),
        Op::Extract => {
            format!("{}[{}..{}]", part(0), node.number, node.number + u128::from(node.width))
        }
        Op::Concat => format!("({} ++ {})", part(0), part(1)),
        Op::Const | Op::Var => unreachable!("shown above"),
    }
}

fn negated(pool: &Pool, names: &Names, inner: Term, depth: u32) -> String {
    let node = pool.node(inner);
    let part = |index: usize| {
        show(pool, names, node.args[index].expect("the operand is there"), depth + 1)
    };
    match node.op {
        Op::Eq => format!("({} != {})", part(0), part(1)),
        Op::Ult | Op::Slt => format!("({} >= {})", part(0), part(1)),
        Op::Extract if is_sign(pool, inner) => format!("({} >= 0)", part(0)),
        _ => format!("!{}", show(pool, names, inner, depth + 1)),
    }
}

/// Whether the bit is the topmost one of a number, which is set for negative ones.
fn is_sign(pool: &Pool, bit: Term) -> bool {
    let node = pool.node(bit);
    let whole = pool.width(node.first());
    node.width == 1 && node.number == u128::from(whole - 1) && whole > 8
}

/// Numbers near the top of their range are meant as negative ones.
fn number(bits: u128, width: u32) -> String {
    if width > 16 && bits > mask(width) - 0xffff {
        signed(bits, width).to_string()
    } else {
        bits.to_string()
    }
}
