//! Memory: aliases, slices, boxes, counted references, computed indices,
//! addresses looked at, and the order of drops.

use super::{Choice, Draft, Template};

pub const TEMPLATES: &[Template] = &[
    ("memory", indexed_array),
    ("memory", written_and_read),
    ("memory", halves),
    ("memory", slices),
    ("memory", linked),
    ("memory", counted),
    ("memory", shared_cells),
    ("memory", moved),
    ("memory", raw_pointers),
    ("memory", deque),
    ("memory", sorted_and_searched),
    ("memory", out_of_bounds),
    ("memory", uninitialised),
    ("memory", grown),
    ("addresses", masked),
    ("addresses", compared),
    ("addresses", in_another_order),
    ("addresses", moved_by_reserve),
    ("addresses", printed_address),
    ("addresses", distance),
    ("addresses", within_one_object),
    ("addresses", owed_alignment),
    ("addresses", hashed_address),
    ("addresses", stack_address),
    ("drops", order_of_locals),
    ("drops", order_of_fields),
    ("drops", moved_out),
    ("drops", replaced),
    ("drops", forgotten),
];

fn indexed_array(c: &mut Choice) -> Draft {
    let table: Vec<String> = (0..8).map(|_| c.byte().to_string()).collect();
    let (index, rare) = (c.expression(&["x", "y"], 2), c.rare(&["v", "x"]));
    Draft::new(
        2,
        format!(
            "let (x, y) = (input.u8(), input.u8());\nlet table = [{}u8];\nlet v = table[usize::from({index}) % 8];\nassert!(!{rare});\n0",
            table.join("u8, ")
        ),
    )
}

fn written_and_read(c: &mut Choice) -> Draft {
    let (at, look, value) =
        (c.expression(&["x"], 1), c.expression(&["y"], 1), c.expression(&["x", "y"], 2));
    let (bug, n) = (c.bug(&["x", "y"]), 3 + c.below(6));
    Draft::new(
        2,
        format!(
            "let (x, y) = (input.u8(), input.u8());\nlet mut list = vec![7u8; {n}];\nlet (at, look) = (usize::from({at}) % {n}, usize::from({look}) % {n});\n\
         list[at] = {value};\nlet expected = if at == look {{ {value} }} else {{ 7 }};\nassert_eq!(list[look], expected.wrapping_add({bug}));\n0"
        ),
    )
}

fn halves(c: &mut Choice) -> Draft {
    let (value, rare, middle) =
        (c.expression(&["x", "y"], 2), c.rare(&["x", "list[0]"]), 1 + c.below(4));
    Draft::new(
        2,
        format!(
            "let (x, y) = (input.u8(), input.u8());\nlet mut list = [1u8, 2, 3, 4, 5, 6];\nlet (a, b) = list.split_at_mut({middle});\n\
         let at = usize::from(y) % a.len();\na[at] = {value};\nb[0] = a[0];\nstd::mem::swap(&mut a[0], &mut b[1]);\nassert!(!{rare});\n0"
        ),
    )
}

fn slices(c: &mut Choice) -> Draft {
    let (from, to) = (c.expression(&["x", "y"], 1), c.expression(&["y"], 1));
    let (call, bug) = (
        c.one(&["rotate_left(1)", "reverse()", "swap(0, 1)", "fill(9)", "copy_within(1.., 0)"]),
        c.bug(&["x", "y"]),
    );
    Draft::new(
        2,
        format!(
            "let (x, y) = (input.u8(), input.u8());\nlet mut list = [3u8, 1, 4, x, 5, y, 2];\nlet (from, to) = (usize::from({from}) % 5, usize::from({to}) % 8);\n\
         let Some(part) = list.get_mut(from..to) else {{ return 0 }};\nif part.len() < 2 {{ return 1 }}\nlet before = part.to_vec();\npart.{call};\n\
         let mut copy = before.clone();\ncopy.{call};\nassert_eq!(copy[0], part[0].wrapping_add({bug}));\nassert_eq!(copy.len(), part.len());\n0"
        ),
    )
}

fn linked(c: &mut Choice) -> Draft {
    let (a, b, bug) =
        (c.expression(&["x", "y"], 2), c.expression(&["x", "y"], 2), c.bug(&["x", "y"]));
    Draft::new(2, format!(
        "let (x, y) = (input.u8(), input.u8());\nlet mut list = None;\nfor value in [x, y, {a}, {b}] {{ list = Some(Box::new(Node {{ value, next: list }})) }}\n\
         let mut turned = None;\nwhile let Some(mut node) = list {{ list = node.next.take(); node.next = turned; turned = Some(node) }}\n\
         let first = turned.as_ref().unwrap();\nassert_eq!(first.value, x.wrapping_add({bug}));\nassert_eq!(first.next.as_ref().unwrap().value, y);\n0"
    ))
    .items("struct Node { value: u8, next: Option<Box<Node>> }")
}

fn counted(c: &mut Choice) -> Draft {
    let (keep, weak, rare) =
        (c.condition(&["x", "y"], 1), c.condition(&["x", "y"], 1), c.rare(&["x", "y"]));
    Draft::new(
        2,
        format!(
            "let (x, y) = (input.u8(), input.u8());\nlet a = Rc::new(Cell::new(x));\nlet b = Rc::clone(&a);\nlet w = Rc::downgrade(&a);\n\
         let kept = if {keep} {{ Some(b) }} else {{ drop(b); None }};\nif {weak} {{ drop(a) }} else {{ a.set(y); std::mem::drop(a) }}\n\
         assert_eq!(w.upgrade().is_some(), kept.is_some() && !{rare});\nif let Some(k) = kept {{ assert_eq!(Rc::strong_count(&k), 1); }}\n0"
        ),
    )
}

fn shared_cells(c: &mut Choice) -> Draft {
    let (first, rare) = (c.condition(&["x", "y"], 1), c.rare(&["x", "y"]));
    Draft::new(
        2,
        format!(
            "let (x, y) = (input.u8(), input.u8());\nlet shared = RefCell::new(vec![x]);\nlet guard = if {first} {{ Some(shared.borrow_mut()) }} else {{ None }};\n\
         if guard.is_none() || {rare} {{ shared.borrow_mut().push(y) }}\ndrop(guard);\nlet sum: u32 = shared.borrow().iter().map(|v| u32::from(*v)).sum();\n\
         assert!(sum >= u32::from(x));\n0"
        ),
    )
}

fn moved(c: &mut Choice) -> Draft {
    let (when, value, bug) =
        (c.condition(&["x", "y"], 1), c.expression(&["x", "y"], 2), c.bug(&["x", "y"]));
    Draft::new(
        2,
        format!(
            "let (x, y) = (input.u8(), input.u8());\nlet mut a = Some(vec![x, y]);\nlet mut b = vec![{value}];\nif {when} {{ b = a.take().unwrap() }} else {{ std::mem::swap(&mut b, a.as_mut().unwrap()) }}\n\
         b.insert(1, 5);\nlet third = *b.last().unwrap();\nassert_eq!(third, y.wrapping_add({bug}));\nassert!(a.is_none() || a.unwrap().len() == 1);\n0"
        ),
    )
}

fn raw_pointers(c: &mut Choice) -> Draft {
    let (at, value, bug) =
        (c.expression(&["x"], 1), c.expression(&["x", "y"], 2), c.bug(&["x", "y"]));
    Draft::new(
        2,
        format!(
            "let (x, y) = (input.u8(), input.u8());\nlet mut list = [0u16; 5];\nlet start = list.as_mut_ptr();\nlet at = usize::from({at}) % 5;\n\
         unsafe {{ start.add(at).write(u16::from({value})); assert_eq!(start.add(at).offset_from(start), at as isize); }}\n\
         let sum: u16 = list.iter().sum();\nassert_eq!(sum, u16::from({value}) + u16::from({bug}));\n0"
        ),
    )
}

fn deque(c: &mut Choice) -> Draft {
    let (front, bug) = (c.condition(&["x", "y"], 1), c.bug(&["x", "y"]));
    let turn = c.below(4);
    Draft::new(
        2,
        format!(
            "let (x, y) = (input.u8(), input.u8());\nlet mut q: VecDeque<u8> = [1, 2, 3].into();\nif {front} {{ q.push_front(x) }} else {{ q.push_back(x) }}\nq.rotate_left({turn});\nq.rotate_right({turn});\nq.push_back(y);\n\
         let v: Vec<u8> = q.into_iter().collect();\nlet mut w = vec![1, 2, 3];\nif {front} {{ w.insert(0, x) }} else {{ w.push(x) }}\nw.push(y.wrapping_add({bug}));\nassert_eq!(v, w);\n0"
        ),
    )
}

fn sorted_and_searched(c: &mut Choice) -> Draft {
    let (third, rare) = (c.expression(&["x", "y"], 1), c.rare(&["x", "y"]));
    let sort =
        c.one(&["sort()", "sort_unstable()", "sort_by(|a, b| a.cmp(b))", "sort_by_key(|a| *a)"]);
    Draft::new(
        2,
        format!(
            "let (x, y) = (input.u8(), input.u8());\nlet mut list = vec![x, y, {third}];\nlist.{sort};\nassert!(list.is_sorted());\nassert!(list.binary_search(&x).is_ok() && !{rare});\nlist.dedup();\nassert!(list.windows(2).all(|w| w[0] < w[1]));\n0"
        ),
    )
}

fn out_of_bounds(c: &mut Choice) -> Draft {
    let (at, when, n) =
        (c.expression(&["x", "y"], 2), c.condition(&["x", "y"], 1), 200 + c.below(60));
    Draft::new(
        2,
        format!(
            "let (x, y) = (input.u8(), input.u8());\nlet list = vec![1u8; {n}];\nif {when} {{ return i64::from(list[usize::from({at})]) }}\n0"
        ),
    )
}

fn uninitialised(c: &mut Choice) -> Draft {
    let (value, rare) = (c.expression(&["x"], 2), c.rare(&["v"]));
    Draft::new(
        1,
        format!(
            "let x = input.u8();\nlet mut list: [MaybeUninit<u8>; 4] = [const {{ MaybeUninit::uninit() }}; 4];\nlet at = usize::from(x & 3);\nlist[at].write({value});\nlet v = unsafe {{ list[at].assume_init() }};\nassert!(!{rare});\n0"
        ),
    )
}

fn grown(c: &mut Choice) -> Draft {
    let (n, bug) = (1 + c.below(6), c.bug(&["x", "y"]));
    Draft::new(
        2,
        format!(
            "let (x, y) = (input.u8(), input.u8());\nlet mut list = Vec::with_capacity({n});\nfor k in 0..(x & 7) {{ list.push(y.wrapping_add(k)) }}\nlist.shrink_to_fit();\nlist.extend_from_slice(&[1, 2]);\n\
         assert_eq!(list.len(), usize::from((x & 7) + 2 + {bug}));\nassert!(x & 7 == 0 || list[0] == y);\n0"
        ),
    )
}

fn masked(c: &mut Choice) -> Draft {
    let (mask, value) = (c.one(&["0xfff", "0x3f0", "0xff8", "0xf00000"]), 1 + c.below(9));
    Draft::new(1, format!(
        "let b = Box::new(input.u8());\nlet address = &raw const *b as usize;\nassert!(address & {mask} != {value} << 4);\n0"
    ))
    .depends(&[])
}

fn compared(c: &mut Choice) -> Draft {
    let how = c.one(&[
        "(a as *const u8) as usize as u64 != u64::from(x)",
        "(a as usize) % 4096 != usize::from(x)",
        "a.addr().count_ones() != 63 - u32::from(x & 1)",
        "(a as usize) >> 12 != 0x7fff_0000_0 + usize::from(x)",
    ]);
    Draft::new(1, format!(
        "let x = input.u8();\nlet list = vec![x, 2];\nlet a = list.as_ptr();\nassert!({how});\n0"
    ))
    .depends(&[])
}

fn in_another_order(c: &mut Choice) -> Draft {
    let how = c.one(&[
        "a < b",
        "(a as usize) < b as usize",
        "a.cmp(&b).is_lt()",
        "std::cmp::min(a, b) == a",
        "(b as usize).wrapping_sub(a as usize) < 1 << 63",
    ]);
    Draft::new(1, format!(
        "let (first, second) = (Box::new(input.u8()), Box::new(1u8));\nlet (a, b) = (&raw const *first, &raw const *second);\nassert!({how});\n0"
    ))
    .depends(&[])
}

fn moved_by_reserve(c: &mut Choice) -> Draft {
    let how = c.one(&["reserve(100)", "push(1)", "extend([1; 40])", "shrink_to_fit()"]);
    let same = c.one(&["!=", "=="]);
    Draft::new(1, format!(
        "let x = input.u8();\nlet mut list = Vec::with_capacity(4);\nlist.extend([x, 2, 3, 4]);\n{}let before = list.as_ptr() as usize;\nlist.{how};\nassert!(before {same} list.as_ptr() as usize);\n0",
        if how.starts_with("shrink") { "list.reserve_exact(60);\n" } else { "" }
    ))
    .depends(&[])
}

fn printed_address(c: &mut Choice) -> Draft {
    let digit = c.one(&["\"9\"", "\"ab\"", "\"77\"", "\"c0\""]);
    Draft::new(1, format!(
        "let b = Box::new(input.u8());\nlet text = format!(\"{{:p}}\", b);\nassert!(!text.contains({digit}));\n0"
    ))
    .depends(&[])
}

fn distance(c: &mut Choice) -> Draft {
    let n = 16 * (1 + c.below(8));
    Draft::new(1, format!(
        "let (a, b) = (Box::new(input.u8()), Box::new(2u64));\nlet (a, b) = (&raw const *a as usize, &raw const *b as usize);\nassert!(a.abs_diff(b) != {n});\n0"
    ))
    .depends(&[])
}

fn within_one_object(c: &mut Choice) -> Draft {
    let (at, bug) = (c.expression(&["x"], 1), c.bug(&["x"]));
    Draft::new(
        1,
        format!(
            "let x = input.u8();\nlet list = [1u32, 2, 3, 4, 5, 6, 7, 8];\nlet at = usize::from({at}) % 8;\nlet (start, here) = (list.as_ptr() as usize, &raw const list[at] as usize);\n\
         assert_eq!((here - start) / 4, at + usize::from({bug}));\nassert!(here >= start && &raw const list[0] <= &raw const list[at]);\n0"
        ),
    )
}

fn owed_alignment(c: &mut Choice) -> Draft {
    let (ty, align) = [("u64", 8), ("u32", 4), ("u16", 2), ("u128", 16)][c.below(4) as usize];
    let rare = c.rare(&["x"]);
    Draft::new(
        1,
        format!(
            "let x = input.u8();\nlet list = vec![{ty}::from(x), 2];\nlet address = list.as_ptr() as usize;\nassert!(address % {align} == 0 && address & {align} - 1 == 0 && !{rare});\nassert!(list.as_ptr().is_aligned());\n0"
        ),
    )
}

fn hashed_address(c: &mut Choice) -> Draft {
    let n = 2 + c.below(30);
    Draft::new(1, format!(
        "let b = Box::new(input.u8());\nlet mut sum = 0usize;\nfor part in (&raw const *b as usize).to_le_bytes() {{ sum = sum * 31 + usize::from(part) }}\nassert!(sum % {n} != 1);\n0"
    ))
    .depends(&[])
}

fn stack_address(c: &mut Choice) -> Draft {
    let how = c.one(&["a > b", "a & 0x3f0 != 0x120", "(a ^ b) & 0x40 == 0", "a % 4096 < 4000"]);
    Draft::new(1, format!(
        "let (first, second) = (input.u8(), 2u8);\nlet (a, b) = (&raw const first as usize, &raw const second as usize);\nassert!({how});\n0"
    ))
    .depends(&[])
}

fn order_of_locals(c: &mut Choice) -> Draft {
    let (when, bug) = (c.condition(&["x"], 1), c.bug(&["x"]));
    Draft::new(
        1,
        format!(
            "let x = input.u8();\nlet notes = RefCell::new(vec![]);\n{{\nlet _a = Note(&notes, 1);\nlet b = Note(&notes, 2);\nlet _ = Note(&notes, 3);\nif {when} {{ drop(b) }}\nlet _c = Note(&notes, 4);\n}}\n\
         let expected = if {when} {{ [3, 2, 4, 1 + {bug}] }} else {{ [3, 4, 2, 1] }};\nassert_eq!(*notes.borrow(), expected);\n0"
        ),
    )
}

fn order_of_fields(c: &mut Choice) -> Draft {
    let (n, bug) = (c.below(3), c.bug(&["x"]));
    Draft::new(
        1,
        format!(
            "let x = input.u8();\nlet notes = RefCell::new(vec![]);\nlet pair = (Note(&notes, 1), vec![Note(&notes, 2), Note(&notes, x), Note(&notes, 4)], Box::new(Note(&notes, 5)));\ndrop(pair);\n\
         assert_eq!(notes.borrow()[{n}], [1, 2, x.wrapping_add({bug})][{n}]);\nassert_eq!(notes.borrow().len(), 5);\n0"
        ),
    )
}

fn moved_out(c: &mut Choice) -> Draft {
    let (when, rare) = (c.condition(&["x", "y"], 1), c.rare(&["x", "y"]));
    Draft::new(
        2,
        format!(
            "let (x, y) = (input.u8(), input.u8());\nlet notes = RefCell::new(vec![]);\nlet mut list = vec![Note(&notes, x), Note(&notes, y)];\nlet last = if {when} {{ list.pop() }} else {{ None }};\nlist.truncate(1);\n\
         let so_far = notes.borrow().len();\nassert_eq!(so_far, usize::from(last.is_none()));\ndrop(list);\nassert_eq!(notes.borrow().last().copied(), Some(x));\ndrop(last);\nassert!(!{rare} || notes.borrow()[0] == y);\n0"
        ),
    )
}

fn replaced(c: &mut Choice) -> Draft {
    let (n, bug) = (1 + c.below(4), c.bug(&["x"]));
    Draft::new(
        1,
        format!(
            "let x = input.u8();\nlet notes = RefCell::new(vec![]);\nlet mut slot = Note(&notes, 0);\nfor k in 1..=(x % {n}) {{ slot = Note(&notes, k) }}\ndrop(slot);\nlet expected: Vec<u8> = (0..=(x % {n}) + {bug}).collect();\nassert_eq!(*notes.borrow(), expected);\n0"
        ),
    )
}

fn forgotten(c: &mut Choice) -> Draft {
    let (when, rare) = (c.condition(&["x"], 1), c.rare(&["x"]));
    Draft::new(
        1,
        format!(
            "let x = input.u8();\nlet notes = RefCell::new(vec![]);\nlet a = Note(&notes, 1);\nif {when} {{ std::mem::forget(a) }} else {{ drop(a) }}\nlet b = ManuallyDrop::new(Note(&notes, 2));\nassert_eq!(notes.borrow().is_empty(), ({when}) && !{rare});\n0"
        ),
    )
}
