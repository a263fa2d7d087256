//! Numbers, comparisons, loops, floats and texts.

use super::{Choice, Draft, Template};

pub const TEMPLATES: &[Template] = &[
    ("numbers", arithmetic),
    ("numbers", overflowing),
    ("numbers", divided),
    ("numbers", quotient_and_remainder),
    ("numbers", shifted),
    ("numbers", counted_bits),
    ("numbers", signed),
    ("numbers", wide),
    ("numbers", three_bytes),
    ("comparisons", turned_twice),
    ("comparisons", ranges),
    ("comparisons", ordered),
    ("loops", greatest_divisor),
    ("loops", hailstones),
    ("loops", checksum),
    ("loops", bounded),
    ("loops", searched),
    ("floats", scaled),
    ("floats", compared),
    ("floats", rounded),
    ("floats", special),
    ("texts", valid),
    ("texts", parsed),
    ("texts", printed),
    ("texts", cased),
    ("texts", split),
];

const TWO: &str = "let (x, y) = (input.u8(), input.u8());\n";

fn arithmetic(c: &mut Choice) -> Draft {
    let (a, b) = (c.expression(&["x", "y"], 3), c.rare(&["v", "x"]));
    Draft::new(2, format!("{TWO}let v = {a};\nassert!(!{b});\n0"))
}

fn overflowing(c: &mut Choice) -> Draft {
    let (a, b) = (c.expression(&["x", "y"], 1), c.expression(&["x", "y"], 1));
    let (when, operator) = (c.condition(&["x", "y"], 1), c.one(&["+", "-", "*"]));
    Draft::new(2, format!("{TWO}if {when} {{ return 0 }}\ni64::from(({a}) {operator} ({b}))"))
}

fn divided(c: &mut Choice) -> Draft {
    let (a, b, when) =
        (c.expression(&["x", "y"], 1), c.expression(&["x", "y"], 2), c.condition(&["x", "y"], 1));
    let operator = c.one(&["/", "%"]);
    Draft::new(
        2,
        format!("{TWO}if {when} {{ return 0 }}\ni64::from((({a}) as i8) {operator} (({b}) as i8))"),
    )
}

fn quotient_and_remainder(c: &mut Choice) -> Draft {
    let (ty, bug) = (c.one(&["u8", "i8", "u16", "i32"]), c.bug(&["x", "y"]));
    Draft::new(
        2,
        format!(
            "{TWO}let (a, b) = (x as {ty}, y as {ty});\nif b == 0 || b.wrapping_add(1) == 0 {{ return 0 }}\nassert_eq!((a / b).wrapping_mul(b).wrapping_add(a % b), a.wrapping_add({bug} as {ty}));\n0"
        ),
    )
}

fn shifted(c: &mut Choice) -> Draft {
    let (n, bug) = (c.below(9), c.bug(&["x", "y"]));
    Draft::new(
        2,
        format!(
            "{TWO}let n = u32::from(y) % 9;\nlet a = x.checked_shl(n).unwrap_or(0);\nlet b = (u32::from(x) << n) as u8;\nassert_eq!(a, b.wrapping_add({bug}));\nif n == {n} {{ return i64::from(x >> n) }}\n0"
        ),
    )
}

fn counted_bits(c: &mut Choice) -> Draft {
    let (a, rare) = (c.expression(&["x", "y"], 2), c.rare(&["x", "y"]));
    Draft::new(
        2,
        format!(
            "{TWO}let v = {a};\nlet (mut n, mut w) = (0, v);\nwhile w != 0 {{ w &= w - 1; n += 1 }}\nassert!(n == v.count_ones() && !{rare});\nassert!(v == 0 || v >> v.trailing_zeros() & 1 == 1);\n0"
        ),
    )
}

fn signed(c: &mut Choice) -> Draft {
    let how = c.one(&[
        "a.abs() >= 0",
        "-(-a) == a",
        "a.signum() * a.abs() == a",
        "a.rem_euclid(7) >= 0",
        "a.checked_neg().is_some()",
        "a.pow(2) >= 0",
    ]);
    let (value, when) = (c.expression(&["x", "y"], 1), c.condition(&["x", "y"], 1));
    Draft::new(
        2,
        format!("{TWO}let a = ({value}) as i8;\nif {when} {{ return 0 }}\nassert!({how});\n0"),
    )
}

fn wide(c: &mut Choice) -> Draft {
    let (n, wanted) = (c.next() | 1, c.byte());
    Draft::new(
        2,
        format!(
            "let x = u128::from(input.u16());\nlet high = (x * {n}) >> 60;\nassert!(high as u8 != {wanted} || x % 3 == 1);\n0"
        ),
    )
}

fn three_bytes(c: &mut Choice) -> Draft {
    let (a, b) = (c.expression(&["x", "y", "z"], 2), c.expression(&["x", "y", "z"], 2));
    let (n, m) = (c.byte(), c.byte());
    Draft::new(3, format!("{TWO}let z = input.u8();\nassert!(!(({a}) == {n} && ({b}) == {m}));\n0"))
}

fn turned_twice(c: &mut Choice) -> Draft {
    let (a, b) = (c.condition(&["x", "y"], 2), c.condition(&["x", "y"], 1));
    let bug = c.rare(&["x", "y"]);
    Draft::new(
        2,
        format!(
            "{TWO}let (p, q) = ({a}, {b});\nlet left = !(p && q);\nlet right = !p || !q;\nif !(left ^ right) {{ assert!(!(!(left == right)) && (p || !{bug})) }} else {{ unreachable!() }}\n0"
        ),
    )
}

fn ranges(c: &mut Choice) -> Draft {
    let (a, b) = (c.below(100), 100 + c.below(100));
    let (v, when) = (c.expression(&["x", "y"], 1), c.rare(&["x", "y"]));
    Draft::new(
        2,
        format!(
            "{TWO}let class = match {v} {{ 0..={a} => 0, v if v > {b} => 2, v if {when} => unreachable!(\"{{v}}\"), _ => 1 }};\nassert!(class < 3);\nclass"
        ),
    )
}

fn ordered(c: &mut Choice) -> Draft {
    let (a, b, rare) =
        (c.expression(&["x", "y"], 1), c.expression(&["x", "y"], 1), c.rare(&["x", "y"]));
    Draft::new(2, format!(
        "{TWO}let (p, q) = (Pair {{ a: {a}, b: x }}, Pair {{ a: {b}, b: y }});\nassert!(!(p < q) == (p >= q) && (p == q) == p.cmp(&q).is_eq() && !{rare});\nassert_eq!(p.max(q).a, p.a.max(q.a));\n0"
    ))
    .items("#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]\nstruct Pair { a: u8, b: u8 }")
}

fn greatest_divisor(c: &mut Choice) -> Draft {
    let rare = c.rare(&["x", "y"]);
    Draft::new(
        2,
        format!(
            "let (x, y) = (input.u8() & 31, input.u8() & 31);\nlet (mut a, mut b) = (x, y);\nwhile b != 0 {{ (a, b) = (b, a % b) }}\nassert!(a == 0 || x % a == 0 && y % a == 0 && !{rare});\n0"
        ),
    )
}

fn hailstones(c: &mut Choice) -> Draft {
    let limit = 15 + c.below(20);
    Draft::new(
        1,
        format!(
            "let x = input.u8() & 15;\nlet (mut n, mut steps) = (u32::from(x) + 1, 0);\nwhile n != 1 {{ n = if n % 2 == 0 {{ n / 2 }} else {{ 3 * n + 1 }}; steps += 1 }}\nassert!(steps < {limit});\n0"
        ),
    )
}

fn checksum(c: &mut Choice) -> Draft {
    let (polynomial, rare) = (c.byte() | 1, c.rare(&["crc"]));
    Draft::new(
        2,
        format!(
            "{TWO}let mut crc = 0u8;\nfor byte in [x, y] {{ crc ^= byte; for _ in 0..8 {{ crc = if crc & 128 != 0 {{ crc << 1 ^ {polynomial} }} else {{ crc << 1 }} }} }}\nassert!(!{rare});\n0"
        ),
    )
}

fn bounded(c: &mut Choice) -> Draft {
    let (n, step, rare) = (5 + c.below(20), 1 + c.below(3), c.rare(&["sum", "x"]));
    Draft::new(
        1,
        format!(
            "let x = input.u8();\nlet mut sum = 0u8;\nfor k in (0..x % {n}).step_by({step}) {{ sum = sum.wrapping_mul(3).wrapping_add(k) }}\nassert!(!{rare});\n0"
        ),
    )
}

fn searched(c: &mut Choice) -> Draft {
    let list: Vec<String> = (0..10).map(|_| c.byte().to_string()).collect();
    let rare = c.rare(&["x"]);
    Draft::new(
        1,
        format!(
            "let x = input.u8();\nlet list = [{}u8];\nlet found = list.iter().position(|v| *v >= x);\nassert_eq!(found.is_none(), list.iter().all(|v| !(*v >= x)) && !{rare});\n0",
            list.join("u8, ")
        ),
    )
}

fn scaled(c: &mut Choice) -> Draft {
    let (factor, bound) = (c.below(2000) as f64 / 64.0, c.below(4000));
    Draft::new(
        1,
        format!(
            "let x = input.u8();\nlet v = f32::from(x) * {factor:?} - 3.5;\nassert!(v < {bound} as f32 && v + 3.5 >= 0.0);\n0"
        ),
    )
}

fn compared(c: &mut Choice) -> Draft {
    let (a, b) = (c.below(200), c.below(200));
    Draft::new(
        2,
        format!(
            "{TWO}let (a, b) = (f64::from(x) / 4.0, f64::from(y) - 0.5);\nassert!(!(a < b) == (a >= b));\nassert!(a != {a}.25 || b != {b}.5);\n0"
        ),
    )
}

fn rounded(c: &mut Choice) -> Draft {
    let how = c.one(&["floor", "ceil", "round", "trunc", "round_ties_even"]);
    let (d, wanted) = (1 + c.below(15), c.below(40));
    Draft::new(
        1,
        format!(
            "let x = input.u8();\nlet v = (f32::from(x) / {d}.0).{how}();\nassert!(v as u8 != {wanted} || v == {wanted}.0);\nassert!(v as u32 != {wanted});\n0"
        ),
    )
}

fn special(c: &mut Choice) -> Draft {
    let how = c.one(&[
        "v == v",
        "v.is_nan() || v + 0.0 == v",
        "!(v < 0.0) || v.is_sign_negative()",
        "v.abs() >= 0.0",
        "v * 1.0 == v || v != v",
    ]);
    Draft::new(
        2,
        format!("let v = f32::from_bits(u32::from(input.u16()) << 16);\nassert!({how});\n0"),
    )
}

fn valid(c: &mut Choice) -> Draft {
    let n = 1 + c.below(2);
    Draft::new(
        2,
        format!(
            "let bytes: [u8; 2] = input.take();\nlet Ok(text) = std::str::from_utf8(&bytes) else {{ return 0 }};\nassert!(text.chars().count() >= {n});\nassert!(text.char_indices().all(|(at, _)| text.is_char_boundary(at)));\n0"
        ),
    )
}

fn parsed(c: &mut Choice) -> Draft {
    let (ty, wanted) = (c.one(&["u8", "i8", "i32"]), c.below(120));
    Draft::new(
        2,
        format!(
            "let bytes: [u8; 2] = input.take();\nlet Ok(text) = std::str::from_utf8(&bytes) else {{ return 0 }};\nmatch text.parse::<{ty}>() {{ Ok(v) => assert!(v != {wanted}), Err(_) => assert!(!text.bytes().all(|b| b.is_ascii_digit())) }}\n0"
        ),
    )
}

fn printed(c: &mut Choice) -> Draft {
    let (form, bug) = (c.one(&["{}", "{:3}", "{:02x}", "{:#b}", "{:+}"]), c.bug(&["x"]));
    Draft::new(
        1,
        format!(
            "let x = input.u8();\nlet text = format!(\"{form}\", x);\nlet trimmed = text.trim().trim_start_matches('+');\nlet radix = match \"{form}\" {{ \"{{:02x}}\" => 16, \"{{:#b}}\" => 2, _ => 10 }};\nassert_eq!(u8::from_str_radix(trimmed.trim_start_matches(\"0b\"), radix), Ok(x.wrapping_add({bug})));\n0"
        ),
    )
}

fn cased(c: &mut Choice) -> Draft {
    let (how, rare) = (c.one(&["to_ascii_uppercase", "to_ascii_lowercase"]), c.rare(&["x"]));
    Draft::new(
        1,
        format!(
            "let x = input.u8();\nlet v = char::from(x).{how}();\nassert!(v.is_ascii_alphabetic() == x.is_ascii_alphabetic() && !{rare});\nassert_eq!(v.eq_ignore_ascii_case(&char::from(x)), true);\n0"
        ),
    )
}

fn split(c: &mut Choice) -> Draft {
    let n = 1 + c.below(3);
    Draft::new(
        2,
        format!(
            "let bytes: [u8; 2] = input.take();\nlet Ok(text) = std::str::from_utf8(&bytes) else {{ return 0 }};\nlet parts: Vec<&str> = text.split(',').collect();\nassert!(parts.len() == 1 + text.matches(',').count());\nassert_eq!(parts.join(\",\"), text);\nassert!(parts.len() <= {n});\n0"
        ),
    )
}
