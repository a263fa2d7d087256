//! What lies outside the input: statics that outlive a run, the environment,
//! the arguments, the time.

use super::{Choice, Draft, FRESH, Template};

pub const TEMPLATES: &[Template] = &[
    ("statics", counter),
    ("statics", local_of_the_thread),
    ("statics", set_once),
    ("statics", lazily),
    ("statics", behind_a_lock),
    ("statics", mutable),
    ("statics", constant_table),
    ("statics", written_first),
    ("world", arguments),
    ("world", environment),
    ("world", time),
    ("world", processor),
    ("world", process),
];

fn counter(c: &mut Choice) -> Draft {
    let (when, bug) = (c.condition(&["x"], 1), c.bug(&["x"]));
    Draft::new(1, format!(
        "let x = input.u8();\nif {when} {{ COUNT.fetch_add(1, Ordering::Relaxed); }}\nlet seen = COUNT.fetch_add(1, Ordering::Relaxed);\nassert!(seen <= 1 - {bug});\n0"
    ))
    .items("static COUNT: AtomicU8 = AtomicU8::new(0);")
    .alone()
    .depends(FRESH)
}

fn local_of_the_thread(c: &mut Choice) -> Draft {
    let bug = c.bug(&["x"]);
    Draft::new(1, format!(
        "let x = input.u8();\nLIST.with(|list| list.borrow_mut().push(x));\nassert_eq!(LIST.with(|list| list.borrow().len()), 1 + usize::from({bug}));\n0"
    ))
    .items("thread_local! { static LIST: RefCell<Vec<u8>> = const { RefCell::new(vec![]) }; }")
    .alone()
    .depends(FRESH)
}

fn set_once(c: &mut Choice) -> Draft {
    let (bug, a) = (c.bug(&["x"]), c.expression(&["x"], 1));
    Draft::new(1, format!(
        "let x = input.u8();\nlet value = *ONCE.get_or_init(|| {a});\nassert_eq!(value, ({a}).wrapping_add({bug}));\n0"
    ))
    .items("static ONCE: OnceLock<u8> = OnceLock::new();")
    .alone()
    .depends(FRESH)
}

fn lazily(c: &mut Choice) -> Draft {
    let (n, rare) = (c.byte(), c.rare(&["x"]));
    Draft::new(
        1,
        format!("let x = input.u8();\nassert!(TABLE[usize::from(x) % 4] >= {n} && !{rare});\n0"),
    )
    .items(format!("static TABLE: LazyLock<Vec<u8>> = LazyLock::new(|| vec![{n}, 255, {n}, 254]);"))
    .alone()
    .depends(FRESH)
}

fn behind_a_lock(c: &mut Choice) -> Draft {
    let (n, bug) = (1 + c.below(5), c.bug(&["x"]));
    Draft::new(1, format!(
        "let x = input.u8();\nfor k in 0..{n} {{ LIST.lock().unwrap().push(x ^ k) }}\nassert_eq!(LIST.lock().unwrap().len(), {n} + usize::from({bug}));\n0"
    ))
    .items("static LIST: Mutex<Vec<u8>> = Mutex::new(vec![]);")
    .alone()
    .depends(FRESH)
}

fn mutable(c: &mut Choice) -> Draft {
    let (at, rare) = (c.expression(&["x"], 1), c.rare(&["x"]));
    Draft::new(1, format!(
        "let x = input.u8();\nlet at = usize::from({at}) % 4;\nunsafe {{ let before = TABLE[at]; TABLE[at] = before.wrapping_add(x); assert!(TABLE[at] == x.wrapping_add(9) && !{rare}); }}\n0"
    ))
    .items("static mut TABLE: [u8; 4] = [9; 4];")
    .alone()
    .depends(FRESH)
}

fn constant_table(c: &mut Choice) -> Draft {
    let list: Vec<String> = (0..16).map(|_| c.byte().to_string()).collect();
    let rare = c.rare(&["v", "x"]);
    Draft::new(
        1,
        format!("let x = input.u8();\nlet v = TABLE[usize::from(x >> 4)];\nassert!(!{rare});\n0"),
    )
    .items(format!("static TABLE: [u8; 16] = [{}];", list.join(", ")))
}

fn written_first(c: &mut Choice) -> Draft {
    let bug = c.bug(&["x"]);
    Draft::new(1, format!(
        "let x = input.u8();\nSCRATCH.store(x, Ordering::Relaxed);\nSCRATCH.fetch_xor(255, Ordering::Relaxed);\nassert_eq!(SCRATCH.load(Ordering::Relaxed), (!x).wrapping_add({bug}));\n0"
    ))
    .items("static SCRATCH: AtomicU8 = AtomicU8::new(0);")
}

fn arguments(c: &mut Choice) -> Draft {
    let how = c.one(&[
        "std::env::args().count() < 3",
        "std::env::args().next().is_none()",
        "std::env::args_os().len() == 0",
        "std::env::args().nth(1).is_none()",
    ]);
    Draft::new(1, format!("let x = input.u8();\nassert!({how} || x > 255 - 1 && {how});\n0"))
        .depends(&["no-arguments"])
}

fn environment(c: &mut Choice) -> Draft {
    let how = c.one(&[
        "std::env::var(\"PATH\").is_err()",
        "std::env::var_os(\"HOME\").is_none()",
        "std::env::vars().count() == 0",
        "std::env::current_dir().is_ok()",
    ]);
    Draft::new(1, format!("let x = input.u8();\nassert!({how});\n0"))
        .depends(&["empty-environment"])
}

fn time(c: &mut Choice) -> Draft {
    let how = c.one(&[
        "std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs() % 2 == 0",
        "std::time::Instant::now().elapsed().as_nanos() > 100",
        "{ let t = std::time::Instant::now(); t.elapsed().as_millis() == 0 }",
    ]);
    Draft::new(1, format!("let x = input.u8();\nassert!({how});\n0")).depends(&["clock"])
}

fn processor(c: &mut Choice) -> Draft {
    let feature = c.one(&["avx2", "sse4.2", "bmi2", "avx512f"]);
    Draft::new(1, format!(
        "let x = input.u8();\n#[cfg(target_arch = \"x86_64\")]\nassert!(!std::arch::is_x86_feature_detected!(\"{feature}\"));\n0"
    ))
    .depends(&["plain-cpu"])
}

fn process(c: &mut Choice) -> Draft {
    let how = c.one(&[
        "std::process::id() % 4 == 0",
        "std::thread::available_parallelism().is_ok_and(|n| n.get() > 100)",
        "std::path::Path::new(\"/nowhere\").exists()",
        "std::thread::current().name().is_none()",
    ]);
    Draft::new(1, format!("let x = input.u8();\nassert!(!({how}));\n0")).depends(&[])
}
