//! Unwinding: panics with live destructors that panic, exit, loop or write
//! something down, and panics that are caught.

use super::{Choice, Draft, FRESH, Template};

pub const TEMPLATES: &[Template] = &[
    ("unwinding", destructor_panics),
    ("unwinding", destructor_leaves),
    ("unwinding", destructor_loops),
    ("unwinding", destructor_is_harmless),
    ("unwinding", nothing_to_clean),
    ("unwinding", caught_and_counted),
    ("unwinding", caught_value),
    ("unwinding", caught_text),
    ("unwinding", thrown_again),
    ("unwinding", caught_while_unwinding),
    ("unwinding", knows_it_is_panicking),
    ("unwinding", rest_of_a_list),
    ("unwinding", callback_panics),
    ("unwinding", poisoned),
    ("unwinding", message_panics),
    ("unwinding", twice_in_a_scope),
    ("unwinding", lock_and_static),
    ("unwinding", panics_and_returns),
    ("unwinding", cleanup_decides),
    ("unwinding", aborts),
];

const GUARD: &str = "struct Guard(u8);\nimpl Drop for Guard { fn drop(&mut self) { let x = self.0; if COND { ACT } } }";

fn guard(condition: &str, act: &str) -> String {
    GUARD.replace("COND", condition).replace("ACT", act)
}

fn destructor_panics(c: &mut Choice) -> Draft {
    let (condition, when) = (c.condition(&["x"], 1), c.condition(&["x"], 1));
    let always = c.below(2) == 0;
    let first = if always { "true".to_owned() } else { when };
    Draft::new(1, format!(
        "let x = input.u8();\nlet _g = Guard(x);\nif {first} {{ panic!(\"first\") }}\nstd::mem::forget(_g);\npanic!(\"second\")"
    ))
    .items(guard(&condition, "panic!(\"again\")"))
    .panics()
    .alone()
}

fn destructor_leaves(c: &mut Choice) -> Draft {
    let condition = c.rare(&["x"]);
    let act = c.one(&["std::process::exit(0)", "std::process::exit(3)", "std::process::abort()"]);
    Draft::new(1, "let x = input.u8();\nlet _g = Guard(x);\npanic!(\"{}\", x)".to_owned())
        .items(guard(&condition, act))
        .panics()
        .alone()
}

fn destructor_loops(c: &mut Choice) -> Draft {
    let condition = c.rare(&["x"]);
    Draft::new(1, "let x = input.u8();\nlet _g = Guard(x);\nlet list = [1, 2];\nlet n = list[usize::from(x | 2)];\ni64::from(n)".to_owned())
        .items(guard(&condition, "loop { std::hint::black_box(x); }"))
        .panics()
        .alone()
}

fn destructor_is_harmless(c: &mut Choice) -> Draft {
    let (condition, when) = (c.condition(&["x"], 1), c.rare(&["x"]));
    Draft::new(
        1,
        format!("let x = input.u8();\nlet _g = Guard(x);\nif !{when} {{ panic!(\"{{}}\", x) }}\n0"),
    )
    .items(guard(&condition, "std::hint::black_box(x);"))
    .panics()
    .alone()
}

fn nothing_to_clean(c: &mut Choice) -> Draft {
    let (n, rare) = (c.byte(), c.rare(&["x"]));
    Draft::new(1, format!(
        "let x = input.u8();\nlet text = String::from(\"a text\");\nlet list = vec![text.clone(), text];\nassert!({rare}, \"{n} {{}}\", list.len());\n0"
    ))
    .panics()
}

fn caught_and_counted(c: &mut Choice) -> Draft {
    let (when, bug) = (c.condition(&["x"], 1), c.bug(&["x"]));
    Draft::new(1, format!(
        "let x = input.u8();\nlet notes = RefCell::new(vec![]);\nlet result = catch_unwind(AssertUnwindSafe(|| {{\nlet _a = Note(&notes, 1);\nlet _b = Note(&notes, 2);\nif {when} {{ panic!(\"inside\") }}\nlet _c = Note(&notes, 3);\n5u8\n}}));\n\
         let expected: Vec<u8> = if {when} {{ vec![2, 1 + {bug}] }} else {{ vec![3, 2, 1] }};\nassert_eq!(*notes.borrow(), expected);\nassert_eq!(result.is_err(), {when});\n0"
    ))
    .alone()
}

fn caught_value(c: &mut Choice) -> Draft {
    let (when, bug) = (c.condition(&["x"], 1), c.bug(&["x"]));
    Draft::new(1, format!(
        "let x = input.u8();\nlet result = catch_unwind(|| {{ if {when} {{ panic_any(x) }}\nx / 2 }});\nmatch result {{\nOk(half) => assert_eq!(half, x >> 1),\nErr(payload) => assert_eq!(*payload.downcast_ref::<u8>().unwrap(), x.wrapping_add({bug})),\n}}\n0"
    ))
    .alone()
}

fn caught_text(c: &mut Choice) -> Draft {
    let (n, bug) = (c.byte(), c.bug(&["x"]));
    let text = c.one(&["{x}", "value {x}", "{x:02x}", "{:?}"]);
    let argument = if text == "{:?}" { ", x" } else { "" };
    Draft::new(1, format!(
        "let x = input.u8() & 31;\nlet result = catch_unwind(|| {{ if x != {n} {{ panic!(\"{text}\"{argument}) }} }});\nlet Err(payload) = result else {{ return 0 }};\nlet found = payload.downcast_ref::<String>().unwrap();\nlet x = x + {bug};\nassert_eq!(*found, format!(\"{text}\"{argument}));\n0"
    ))
    .alone()
}

fn thrown_again(c: &mut Choice) -> Draft {
    let (when, rare) = (c.condition(&["x"], 1), c.rare(&["x"]));
    Draft::new(1, format!(
        "let x = input.u8();\nlet result = catch_unwind(|| {{\nlet inner = catch_unwind(|| {{ if {when} {{ panic_any(7u8) }} }});\nif let Err(payload) = inner {{ resume_unwind(payload) }}\n}});\n\
         assert_eq!(result.is_err(), {when});\nif let Err(payload) = result {{ assert!(payload.is::<u8>() && !{rare}) }}\n0"
    ))
    .alone()
}

fn caught_while_unwinding(c: &mut Choice) -> Draft {
    let (when, rare) = (c.condition(&["x"], 1), c.rare(&["x"]));
    Draft::new(1, format!("let x = input.u8();\nlet _g = Guard(x);\nassert!({rare});\n0"))
        .items(guard(&when, "let _ = catch_unwind(|| panic!(\"inner\"));"))
        .panics()
        .alone()
}

fn knows_it_is_panicking(c: &mut Choice) -> Draft {
    let (when, act) = (
        c.condition(&["x"], 1),
        c.one(&["panic!(\"only then\")", "std::process::abort()", "std::hint::black_box(());"]),
    );
    Draft::new(1, format!("let x = input.u8();\nlet _g = Guard(x);\nif {when} {{ return 1 }}\n0"))
        .items(guard("std::thread::panicking()", act))
        .alone()
}

fn rest_of_a_list(c: &mut Choice) -> Draft {
    let (bad, bug) = (c.condition(&["x"], 1), c.bug(&["x"]));
    Draft::new(1, format!(
        "let x = input.u8();\nlet seen = Cell::new(0u8);\nlet result = catch_unwind(AssertUnwindSafe(|| {{ let list = vec![Part(&seen, 0), Part(&seen, x), Part(&seen, 0)]; drop(list) }}));\nlet expected = 3 - {bug};\nassert_eq!(seen.get(), expected);\nassert!(result.is_ok() || x != 0);\n0"
    ))
    .items(format!("struct Part<'a>(&'a Cell<u8>, u8);\nimpl Drop for Part<'_> {{ fn drop(&mut self) {{ self.0.set(self.0.get() + 1); let x = self.1; if x != 0 && {bad} {{ panic!(\"dropped\") }} }} }}"))
    .alone()
}

fn callback_panics(c: &mut Choice) -> Draft {
    let (bad, bug) = (c.condition(&["*v", "x"], 1), c.bug(&["x"]));
    let call = c.one(&[
        "list.retain(|v| { assert!(!BAD); true })",
        "list.sort_by(|v, w| { assert!(!BAD); v.cmp(w) })",
        "list.iter().for_each(|v| assert!(!BAD))",
        "list.dedup_by(|v, w| { assert!(!BAD); v == w })",
    ]);
    let call = call.replace("BAD", &bad);
    Draft::new(1, format!(
        "let x = input.u8();\nlet mut list = vec![3u8, x, 1];\nlet result = catch_unwind(AssertUnwindSafe(|| {{ {call} }}));\nlet sum: u32 = list.iter().map(|v| u32::from(*v)).sum();\nlet whole = u32::from(x) + 4;\nassert!(result.is_err() || sum == whole + u32::from({bug}) || sum + 3 == whole || sum + 1 == whole);\n0"
    ))
    .alone()
}

fn poisoned(c: &mut Choice) -> Draft {
    let (when, rare) = (c.condition(&["x"], 1), c.rare(&["x"]));
    Draft::new(1, format!(
        "let x = input.u8();\nlet shared = Mutex::new(x);\nlet _ = catch_unwind(AssertUnwindSafe(|| {{ let mut guard = shared.lock().unwrap(); *guard = guard.wrapping_add(1); if {when} {{ panic!(\"held\") }} }}));\n\
         assert_eq!(shared.is_poisoned(), ({when}) || {rare});\n0"
    ))
    .alone()
}

fn message_panics(c: &mut Choice) -> Draft {
    let condition = c.rare(&["x"]);
    let act = c.one(&["panic!(\"shown\")", "std::process::exit(0)", "std::hint::black_box(());"]);
    Draft::new(1, "let x = input.u8();\npanic!(\"{}\", Shown(x))".to_owned())
        .items(format!("struct Shown(u8);\nimpl std::fmt::Display for Shown {{ fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {{ let x = self.0; if {condition} {{ {act} }} f.write_str(\"it\") }} }}"))
        .panics()
        .alone()
}

fn twice_in_a_scope(c: &mut Choice) -> Draft {
    let (a, b) = (c.condition(&["x"], 1), c.condition(&["x"], 1));
    Draft::new(1, "let x = input.u8();\nlet _g = Guard(x);\nlet _h = Other(x);\nif x > 250 { panic!(\"above\") }\n0".to_owned())
        .items(guard(&a, "panic!(\"one\")") + &guard(&b, "panic!(\"two\")").replace("Guard", "Other"))
        .panics()
        .alone()
}

fn lock_and_static(c: &mut Choice) -> Draft {
    let (when, bug) = (c.condition(&["x"], 1), c.bug(&["x"]));
    Draft::new(1, format!(
        "let x = input.u8();\nlet _ = catch_unwind(|| {{ let _g = Guard(x); if {when} {{ panic!(\"inside\") }} }});\nassert_eq!(COUNT.load(Ordering::Relaxed), 1 + {bug});\n0"
    ))
    .items("static COUNT: AtomicU8 = AtomicU8::new(0);\n".to_owned() + &guard("true", "COUNT.fetch_add(1, Ordering::Relaxed);"))
    .alone()
    .depends(FRESH)
}

fn panics_and_returns(c: &mut Choice) -> Draft {
    let (when, n) = (c.condition(&["x", "y"], 2), c.byte());
    Draft::new(
        2,
        format!(
            "let (x, y) = (input.u8(), input.u8());\nlet list = vec![x, y];\nlet total = || -> Option<u8> {{ list[0].checked_add(list[1])?.checked_mul(3) }};\nmatch total() {{\nSome(v) if v == {n} && {when} => unreachable!(),\nSome(v) => i64::from(v),\nNone => -1,\n}}"
        ),
    )
}

fn cleanup_decides(c: &mut Choice) -> Draft {
    let (when, bug) = (c.condition(&["x"], 1), c.bug(&["x"]));
    Draft::new(1, format!(
        "let x = input.u8();\nlet cell = Cell::new(0u8);\nlet _ = catch_unwind(AssertUnwindSafe(|| {{ let _s = Set(&cell, x); let v = [1u8, 2, 3]; v[usize::from(x)] }}));\nlet expected = if {when} {{ x }} else {{ !x }};\nassert_eq!(cell.get(), expected.wrapping_add({bug}));\n0"
    ))
    .items(format!("struct Set<'a>(&'a Cell<u8>, u8);\nimpl Drop for Set<'_> {{ fn drop(&mut self) {{ let x = self.1; self.0.set(if {when} {{ x }} else {{ !x }}) }} }}"))
    .alone()
}

fn aborts(c: &mut Choice) -> Draft {
    let (when, act) = (
        c.rare(&["x"]),
        c.one(&[
            "std::process::abort()",
            "std::process::exit(0)",
            "std::process::exit(1)",
            "panic!()",
        ]),
    );
    Draft::new(1, format!("let x = input.u8();\nif {when} {{ {act} }}\n0")).alone()
}
