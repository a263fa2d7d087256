//! Branches whose ways meet again: with writes, calls, panics and early ends in them.
//!
//! Every template draws a small program of statements, so that ways meet at
//! once, late, inside loops, or never.

use super::{Choice, Draft, Template};

pub const TEMPLATES: &[Template] = &[
    ("meeting", statements),
    ("meeting", statements),
    ("meeting", with_early_ends),
    ("meeting", with_panics),
    ("meeting", in_a_loop),
    ("meeting", by_calls),
    ("meeting", by_switches),
    ("meeting", of_lengths_and_places),
    ("meeting", of_a_parser),
    ("meeting", of_values_that_are_dropped),
    ("meeting", of_a_static),
];

const STATE: &str = "let (x, y) = (input.u8(), input.u8());\nlet (mut a, mut b, mut c) = (x, y, 0u8);\nlet mut t = [x, 1, 2, y];\n";
const NAMES: &[&str] = &["a", "b", "c", "x", "y"];

/// What may stand in a way beside assignments.
#[derive(Copy, Clone, Default)]
struct Allowed {
    ends: bool,
    panics: bool,
}

/// A statement that may branch, down to a depth.
fn statement(c: &mut Choice, depth: u32, allowed: Allowed) -> String {
    let simple = depth == 0 || c.below(4) == 0;
    if simple {
        let value = c.expression(NAMES, 1);
        let target = c.one(&["a", "b", "c"]);
        return match c.below(8) {
            0 if allowed.ends => format!("return i64::from({value});"),
            1 if allowed.panics => format!("{target} = ({value}) + {};", c.byte() & 15),
            2 if allowed.panics => format!("{target} = t[usize::from(({value}) & 7)];"),
            3 => format!("t[{}] = {value};", c.below(4)),
            4 => format!("{target} = t[{}];", c.below(4)),
            5 => format!("t[usize::from(({value}) & 3)] ^= 1;"),
            _ => format!("{target} = {value};"),
        };
    }
    let condition = c.condition(NAMES, 1);
    let then = block(c, depth - 1, allowed);
    match c.below(3) {
        0 => format!("if {condition} {{ {then} }}"),
        1 => {
            let other = block(c, depth - 1, allowed);
            format!("if {condition} {{ {then} }} else {{ {other} }}")
        }
        _ => {
            let (second, other) = (c.condition(NAMES, 1), block(c, depth - 1, allowed));
            let operator = c.one(&["&&", "||"]);
            format!("if {condition} {operator} {second} {{ {then} }} else {{ {other} }}")
        }
    }
}

fn block(c: &mut Choice, depth: u32, allowed: Allowed) -> String {
    let count = 1 + c.below(2);
    (0..count).map(|_| statement(c, depth, allowed)).collect::<Vec<_>>().join(" ")
}

fn verdict(c: &mut Choice) -> String {
    let names = ["a", "b", "c", "t[0]", "t[2]"];
    format!("assert!(!({} && {}));\ni64::from(a ^ b ^ c)", c.rare(&names), c.condition(&names, 1))
}

fn statements(c: &mut Choice) -> Draft {
    let (first, second) = (block(c, 3, Allowed::default()), block(c, 2, Allowed::default()));
    let verdict = verdict(c);
    Draft::new(2, format!("{STATE}{first}\n{second}\n{verdict}"))
}

fn with_early_ends(c: &mut Choice) -> Draft {
    let allowed = Allowed { ends: true, panics: false };
    let (first, second) = (block(c, 3, allowed), block(c, 3, allowed));
    let verdict = verdict(c);
    Draft::new(2, format!("{STATE}{first}\n{second}\n{verdict}"))
}

fn with_panics(c: &mut Choice) -> Draft {
    let when = c.condition(&["x", "y"], 1);
    let body = block(c, 3, Allowed { ends: true, panics: true });
    Draft::new(2, format!("{STATE}if {when} {{ return 0 }}\n{body}\ni64::from(a ^ b ^ c)"))
}

fn in_a_loop(c: &mut Choice) -> Draft {
    let (body, rounds) = (block(c, 2, Allowed::default()), 2 + c.below(3));
    let end = match c.below(3) {
        0 => format!("if {} {{ break }}", c.condition(NAMES, 1)),
        1 => format!("if {} {{ continue }}", c.condition(NAMES, 1)),
        _ => String::new(),
    };
    let (after, verdict) = (block(c, 1, Allowed::default()), verdict(c));
    Draft::new(
        2,
        format!(
            "{STATE}for i in 0..{rounds}u8 {{ {end} {body} a = a.wrapping_add(i); }}\n{after}\n{verdict}"
        ),
    )
}

fn by_calls(c: &mut Choice) -> Draft {
    let names = ["p", "q"];
    let (when, inner) = (c.condition(&names, 1), c.condition(&names, 1));
    let (one, two, three) =
        (c.expression(&names, 2), c.expression(&names, 1), c.expression(&names, 1));
    let items = format!(
        "fn f(p: u8, q: u8) -> Option<u8> {{ if {when} {{ None }} else {{ Some({one}) }} }}\nfn g(p: u8, q: &mut u8) -> Result<u8, u16> {{ let r = *q; *q = {{ let q = r; {two} }}; let q = r; if {inner} {{ Ok({three}) }} else {{ Err(u16::from(p) * 2) }} }}"
    );
    let (condition, verdict) = (c.condition(NAMES, 1), verdict(c));
    let last = c.one(&[
        "g(b, &mut a).map_or_else(|e| e as u8, |v| v)",
        "match g(b, &mut a) { Ok(v) => v, Err(e) => return i64::from(e) }",
    ]);
    Draft::new(
        2,
        format!(
            "{STATE}if {condition} {{ c = f(a, b).unwrap_or(7); }} else if let Some(v) = f(b, a) {{ b = v; }}\na = {last};\n{verdict}"
        ),
    )
    .items(items)
}

fn by_switches(c: &mut Choice) -> Draft {
    let mut arms = String::new();
    for _ in 0..2 + c.below(4) {
        let (low, more) = (c.byte(), c.below(40));
        let ends = c.below(4) == 0;
        let body = block(c, 1, Allowed { ends, panics: false });
        let high = u64::from(low) + more;
        let pattern = match c.below(3) {
            0 => format!("{low} | {}", c.byte()),
            _ => format!("{low}..={}", high.min(255)),
        };
        arms += &format!("{pattern} => {{ {body} }}\n");
    }
    let (subject, rest, verdict) =
        (c.expression(&["x", "y"], 1), block(c, 1, Allowed::default()), verdict(c));
    Draft::new(2, format!("{STATE}match {subject} {{ {arms} _ => {{ {rest} }} }}\n{verdict}"))
}

fn of_lengths_and_places(c: &mut Choice) -> Draft {
    let (first, second) = (c.condition(&["x", "y"], 1), c.condition(&["x", "y"], 1));
    let (value, bug) = (c.expression(&["x", "y"], 1), c.bug(&["x", "y"]));
    Draft::new(
        2,
        format!(
            "{STATE}let mut v = vec![a];\nlet mut at = 0;\nif {first} {{ v.push(b); at += 1; }}\nif {second} {{ v.push(1); v[at] = {value}; at = v.len() - 1; }}\nlet r = if x < y {{ &mut a }} else {{ &mut b }};\n*r = 9;\nc = if x < y {{ a }} else {{ b }};\nassert_eq!(c, 9u8.wrapping_add({bug}));\nassert!(at < v.len());\ni64::from(v[at] ^ t[1])"
        ),
    )
}

fn of_a_parser(c: &mut Choice) -> Draft {
    let (limit, bug) = (c.below(200) + 30, c.bug(&["x", "y"]));
    let items = "fn digit(byte: u8) -> Option<u8> { match byte { b'0'..=b'9' => Some(byte - b'0'), b'a'..=b'f' => Some(byte - b'a' + 10), b'A'..=b'F' => Some(byte - b'A' + 10), _ => None } }";
    let end = c.one(&["return -1", "break", "continue"]);
    Draft::new(
        2,
        format!(
            "{STATE}let mut n = {bug};\nfor byte in [x, y] {{ let Some(d) = digit(byte) else {{ {end} }}; n = n * 16 + d; }}\nassert!(u64::from(n) != {limit});\na = n; b = 0; c = t[1]; t[0] = b;\ni64::from(a ^ b ^ c ^ t[0])"
        ),
    )
    .items(items)
}

fn of_values_that_are_dropped(c: &mut Choice) -> Draft {
    let (first, second, bug) =
        (c.condition(&["x", "y"], 1), c.condition(&["x", "y"], 1), c.bug(&["x", "y"]));
    let items = "struct Adds<'a>(&'a std::cell::Cell<u8>, u8);\nimpl Drop for Adds<'_> { fn drop(&mut self) { self.0.set(self.0.get().wrapping_add(self.1)) } }";
    Draft::new(
        2,
        format!(
            "{STATE}let sum = std::cell::Cell::new(0u8);\nlet mut kept = None;\nif {first} {{ let _one = Adds(&sum, 1); a ^= 1; }} else {{ kept = Some(Adds(&sum, 2)); }}\nif {second} {{ kept = None; }}\nlet before = sum.get();\ndrop(kept);\nb = before; c = t[1]; t[0] = c;\nassert!(sum.get() <= 2u8.wrapping_sub({bug}));\ni64::from(a ^ b ^ c ^ sum.get())"
        ),
    )
    .items(items)
}

fn of_a_static(c: &mut Choice) -> Draft {
    // Both sides of both have inputs: it is written on some and read as found on others.
    let (first, second) = (format!("x < {}", 1 + c.below(254)), format!("y > {}", c.below(255)));
    let (n, value) = (c.byte(), c.expression(&["x", "y"], 1));
    let items = "static SEEN: std::sync::atomic::AtomicU8 = std::sync::atomic::AtomicU8::new(3);";
    Draft::new(
        2,
        format!(
            "use std::sync::atomic::Ordering::Relaxed;\n{STATE}if {first} {{ SEEN.store({value}, Relaxed); a = 1; }} else {{ b = 2; }}\nif {second} {{ c = SEEN.load(Relaxed); }}\nt[0] = c;\nassert!(t[0] != {n});\ni64::from(a ^ b ^ c)"
        ),
    )
    .items(items)
    .depends(super::FRESH)
    .alone()
}
