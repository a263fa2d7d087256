//! Hashing: tables with keys of the program's own, hashes used as numbers, and
//! everything that shows the order of a table.

use super::{Choice, Draft, Template};

pub const TEMPLATES: &[Template] = &[
    ("tables", like_a_tree),
    ("tables", keys_of_its_own),
    ("tables", entries),
    ("tables", removed_and_kept),
    ("tables", equal_sets),
    ("tables", summed),
    ("tables", collected_and_sorted),
    ("tables", subsets),
    ("tables", one_element),
    ("tables", grown_table),
    ("tables", dropped_plainly),
    ("tables", own_hasher),
    ("hashes", first_of_the_iteration),
    ("hashes", order_of_drops),
    ("hashes", order_of_clearing),
    ("hashes", order_of_clones),
    ("hashes", drained),
    ("hashes", retained),
    ("hashes", shown),
    ("hashes", as_a_number),
    ("hashes", equality_that_hashes),
    ("hashes", fixed_keys_as_number),
    ("hashes", two_tables_alike),
    ("hashes", hash_with_effects),
    ("hashes", equal_hashes),
    ("hashes", indexed_by_hash),
];

fn like_a_tree(c: &mut Choice) -> Draft {
    let (a, b, bug) =
        (c.expression(&["x", "y"], 1), c.expression(&["x", "y"], 1), c.bug(&["x", "y"]));
    Draft::new(
        2,
        format!(
            "let (x, y) = (input.u8(), input.u8());\nlet (mut map, mut tree) = (HashMap::new(), BTreeMap::new());\nfor (k, v) in [(x, 1u8), (y, 2), ({a}, 3)] {{ assert_eq!(map.insert(k, v), tree.insert(k, v)) }}\n\
         let k = {b};\nassert_eq!(map.get(&k).copied(), tree.get(&k).map(|v| *v + {bug}));\nassert_eq!(map.len(), tree.len());\n0"
        ),
    )
}

const KEY: &str = "#[derive(Clone, Debug)]\nstruct Key(u8);\nimpl PartialEq for Key { fn eq(&self, other: &Key) -> bool { FORM(self.0) == FORM(other.0) } }\nimpl Eq for Key {}\nimpl Hash for Key { fn hash<H: Hasher>(&self, state: &mut H) { state.write_u8(FORM(self.0)) } }\nfn FORM(x: u8) -> u8 { WHAT }";

fn keys_of_its_own(c: &mut Choice) -> Draft {
    let (form, bug) = (c.expression(&["x"], 1), c.bug(&["x", "y"]));
    Draft::new(2, format!(
        "let (x, y) = (input.u8(), input.u8());\nlet mut set = HashSet::new();\nset.insert(Key(x));\nset.insert(Key(y));\nlet expected = 1 + usize::from(form(x) != form(y)) + usize::from({bug});\nassert_eq!(set.len(), expected);\nassert!(set.contains(&Key(x)));\n0"
    ))
    .items(KEY.replace("FORM", "form").replace("WHAT", &form))
}

fn entries(c: &mut Choice) -> Draft {
    let bug = c.bug(&["x", "y"]);
    Draft::new(
        2,
        format!(
            "let (x, y) = (input.u8(), input.u8());\nlet mut map: HashMap<u8, u32> = HashMap::new();\nfor k in [x, y, x] {{ *map.entry(k).or_default() += 1 }}\nassert_eq!(map[&x], if x == y {{ 3 }} else {{ 2 }} + u32::from({bug}));\n0"
        ),
    )
}

fn removed_and_kept(c: &mut Choice) -> Draft {
    let (k, bug) = (c.expression(&["x", "y"], 1), c.bug(&["x", "y"]));
    Draft::new(
        2,
        format!(
            "let (x, y) = (input.u8(), input.u8());\nlet mut map: HashMap<u8, &str> = [(x, \"a\"), (y, \"b\")].into();\nlet k = {k};\nlet gone = map.remove(&k);\nassert_eq!(gone.is_some(), k == x || k == y);\nassert!(!map.contains_key(&k));\nassert_eq!(map.len() + usize::from(gone.is_some()), 1 + usize::from(x != y) + usize::from({bug}));\n0"
        ),
    )
}

fn equal_sets(c: &mut Choice) -> Draft {
    let (a, rare) = (c.expression(&["x", "y"], 1), c.rare(&["x", "y"]));
    Draft::new(
        2,
        format!(
            "let (x, y) = (input.u8(), input.u8());\nlet a: HashSet<u8> = [x, y].into();\nlet b: HashSet<u8> = [y, {a}].into();\nlet same = b.contains(&x) && b.len() == a.len();\nassert_eq!(a == b, same || {rare});\n0"
        ),
    )
}

fn summed(c: &mut Choice) -> Draft {
    let how = c.one(&[
        "set.iter().map(|v| u32::from(*v)).sum::<u32>()",
        "set.iter().fold(0, |sum, v| sum + u32::from(*v))",
        "set.into_iter().map(u32::from).sum::<u32>()",
    ]);
    let bug = c.bug(&["x", "y"]);
    Draft::new(
        2,
        format!(
            "let (x, y) = (input.u8(), input.u8());\nlet set: HashSet<u8> = [x, y].into();\nlet sum = {how};\nlet expected = u32::from(x) + if x == y {{ 0 }} else {{ u32::from(y) }};\nassert_eq!(sum, expected + u32::from({bug}));\n0"
        ),
    )
}

fn collected_and_sorted(c: &mut Choice) -> Draft {
    let bug = c.bug(&["x", "y"]);
    Draft::new(
        2,
        format!(
            "let (x, y) = (input.u8(), input.u8());\nlet map: HashMap<u8, u8> = [(x, 1), (y, 2)].into();\nlet mut keys: Vec<u8> = map.keys().copied().collect();\nkeys.sort();\nlet mut expected = vec![x, y];\nexpected.sort();\nexpected.dedup();\nassert_eq!(keys.len(), expected.len());\nassert_eq!(keys[0], expected[0].wrapping_add({bug}));\n0"
        ),
    )
}

fn subsets(c: &mut Choice) -> Draft {
    let (how, rare) = (
        c.one(&[
            "a.is_subset(&b)",
            "b.is_superset(&a)",
            "a.iter().all(|v| b.contains(v))",
            "a.difference(&b).next().is_none()",
        ]),
        c.rare(&["x", "y"]),
    );
    Draft::new(
        2,
        format!(
            "let (x, y) = (input.u8(), input.u8());\nlet a: HashSet<u8> = [x, y].into();\nlet b: HashSet<u8> = [x, 7].into();\nassert_eq!({how}, y == x || y == 7 || {rare});\n0"
        ),
    )
}

fn one_element(c: &mut Choice) -> Draft {
    let bug = c.bug(&["x"]);
    Draft::new(
        1,
        format!(
            "let x = input.u8();\nlet set: HashSet<u8> = [x, x].into();\nfor v in &set {{ assert_eq!(*v, x.wrapping_add({bug})) }}\nlet copy = set.clone();\nassert!(copy == set && set.into_iter().eq([x]));\n0"
        ),
    )
}

fn grown_table(c: &mut Choice) -> Draft {
    let (n, bug) = (4 + c.below(6), c.bug(&["x"]));
    Draft::new(
        1,
        format!(
            "let x = input.u8();\nlet mut map = HashMap::new();\nfor k in 0..{n}u8 {{ map.insert(k, k); }}\nmap.insert(x, 99);\nassert_eq!(map.len(), {n} + usize::from(x >= {n}) + usize::from({bug}));\nassert_eq!(map[&x], 99);\n0"
        ),
    )
}

fn dropped_plainly(c: &mut Choice) -> Draft {
    let bug = c.bug(&["x", "y"]);
    Draft::new(
        2,
        format!(
            "let (x, y) = (input.u8() & 15, input.u8() & 15);\nlet mut map: HashMap<u8, String> = HashMap::new();\nmap.insert(x, \"one\".to_string());\nmap.insert(y, \"two\".to_string());\nlet copy = map.clone();\nassert_eq!(copy[&y], \"two\");\nmap.clear();\nassert!(map.is_empty() && copy.len() == 1 + usize::from(x != y) + usize::from({bug}));\n0"
        ),
    )
}

const SIMPLE: &str = "#[derive(Default, Clone)]\nstruct Simple(u64);\nimpl Hasher for Simple { fn finish(&self) -> u64 { self.0 } fn write(&mut self, bytes: &[u8]) { for b in bytes { self.0 = self.0.wrapping_mul(31).wrapping_add(u64::from(*b)) } } }";

fn own_hasher(c: &mut Choice) -> Draft {
    let (k, rare) = (c.byte(), c.rare(&["x"]));
    Draft::new(1, format!(
        "let x = input.u8() & 7;\nlet mut set: HashSet<u8, BuildHasherDefault<Simple>> = HashSet::default();\nset.insert({k});\nset.insert(x);\nlet first = *set.iter().next().unwrap();\nassert!(first == x || first == {k});\nassert!(!{rare});\n0"
    ))
    .items(SIMPLE)
}

fn first_of_the_iteration(c: &mut Choice) -> Draft {
    let how = c.one(&[
        "set.iter().next() == Some(&1)",
        "set.iter().position(|v| *v == 1) == Some(0)",
        "set.iter().copied().last() == Some(1)",
        "set.iter().zip(0u8..).any(|(v, n)| *v == n)",
        "set.iter().fold(0u32, |n, v| n * 10 + u32::from(*v)) > 20",
    ]);
    Draft::new(1, format!("let x = input.u8() | 2;\nlet set: HashSet<u8> = [1, x].into();\nassert!(({how}) == ({how}) && {how});\n0"))
        .depends(&[])
}

fn order_of_drops(c: &mut Choice) -> Draft {
    let keys = 2 + c.below(3);
    Draft::new(1, format!(
        "let x = input.u8();\nlet notes = RefCell::new(vec![]);\nlet mut map = HashMap::new();\nfor k in 0..{keys}u8 {{ map.insert(k.wrapping_add(x), Note(&notes, k)); }}\ndrop(map);\nassert_eq!(notes.borrow()[0], 0);\n0"
    ))
    .depends(&[])
}

fn order_of_clearing(c: &mut Choice) -> Draft {
    let last = c.below(2);
    Draft::new(1, format!(
        "let x = input.u8();\nlet notes = RefCell::new(vec![]);\nlet mut map = HashMap::new();\nmap.insert(x, Note(&notes, 0));\nmap.insert(!x, Note(&notes, 1));\nmap.clear();\nlet seen = notes.borrow().clone();\nassert_eq!(seen[1], {last});\n0"
    ))
    .depends(&[])
}

fn order_of_clones(c: &mut Choice) -> Draft {
    let first = c.below(2);
    Draft::new(1, format!(
        "let x = input.u8();\nlet notes = RefCell::new(vec![]);\nlet mut map = HashMap::new();\nmap.insert(x, Copied(&notes, 0));\nmap.insert(!x, Copied(&notes, 1));\nlet other = map.clone();\nassert_eq!(notes.borrow()[0], {first});\nassert_eq!(other.len(), 2);\n0"
    ))
    .items("struct Copied<'a>(&'a RefCell<Vec<u8>>, u8);\nimpl Clone for Copied<'_> { fn clone(&self) -> Self { self.0.borrow_mut().push(self.1); Copied(self.0, self.1) } }")
    .depends(&[])
}

fn drained(c: &mut Choice) -> Draft {
    let how = c.one(&[
        "map.drain().next()",
        "map.into_iter().next()",
        "map.extract_if(|_, _| true).next()",
    ]);
    Draft::new(1, format!(
        "let x = input.u8();\nlet mut map: HashMap<u8, u8> = [(x, 1), (!x, 2)].into();\nlet first = {how};\nassert!(first == Some((x, 1)));\n0"
    ))
    .depends(&[])
}

fn retained(c: &mut Choice) -> Draft {
    let n = 1 + c.below(2);
    Draft::new(1, format!(
        "let x = input.u8();\nlet mut map: HashMap<u8, u8> = [(x, 1), (!x, 2)].into();\nlet mut left = 1;\nmap.retain(|_, _| {{ left -= 1; left >= 0 }});\nassert!(map.into_values().next() == Some({n}));\n0"
    ))
    .depends(&[])
}

fn shown(c: &mut Choice) -> Draft {
    let text = c.one(&["{1, 2}", "{2, 1}"]);
    Draft::new(1, format!(
        "let x = input.u8() & 1;\nlet set: HashSet<u8> = [1 + x, 2 - x].into();\nassert_eq!(format!(\"{{set:?}}\"), \"{}\");\n0",
        text
    ))
    .depends(&[])
}

fn as_a_number(c: &mut Choice) -> Draft {
    let how = c.one(&[
        "hash % 16 != 5",
        "hash >> 60 != 3",
        "hash as u8 != 9",
        "hash.count_ones() != 20",
        "hash & 7 < 7",
    ]);
    Draft::new(
        1,
        format!(
            "let x = input.u8();\nlet hash = RandomState::new().hash_one(x);\nassert!({how});\n0"
        ),
    )
    .depends(&[])
}

fn equality_that_hashes(c: &mut Choice) -> Draft {
    let bits = 1 + c.below(7);
    Draft::new(2, "let (x, y) = (input.u8(), input.u8());\nlet mut set = HashSet::new();\nset.insert(Odd(x));\nset.insert(Odd(y));\nassert!(set.len() == 1);\n0".to_owned())
        .items(format!(
            "struct Odd(u8);\nimpl PartialEq for Odd {{ fn eq(&self, other: &Odd) -> bool {{ let state = RandomState::new(); state.hash_one(self.0) & {bits} == state.hash_one(other.0) & {bits} || self.0 < other.0 }} }}\nimpl Eq for Odd {{}}\nimpl Hash for Odd {{ fn hash<H: Hasher>(&self, state: &mut H) {{ state.write_u8(0) }} }}"
        ))
        .depends(&[])
}

fn fixed_keys_as_number(c: &mut Choice) -> Draft {
    // Its keys are fixed, so the truth is known; the model may not answer all the same.
    let (modulus, wanted) = (2 + c.below(300), c.below(2));
    Draft::new(
        1,
        format!(
            "let x = input.u8();\nlet mut hasher = DefaultHasher::new();\nx.hash(&mut hasher);\nassert!(hasher.finish() % {modulus} != {wanted});\n0"
        ),
    )
}

fn two_tables_alike(c: &mut Choice) -> Draft {
    let capacity = 20 + c.below(100);
    Draft::new(1, format!(
        "let x = input.u8();\nlet state = RandomState::new();\nlet mut a = HashSet::with_hasher(state.clone());\nlet mut b = HashSet::with_capacity_and_hasher({capacity}, state);\nfor k in [x, !x, x ^ 85] {{ a.insert(k); }}\nfor k in [x ^ 85, !x, x] {{ b.insert(k); }}\nassert!(a.iter().eq(b.iter()));\n0"
    ))
    .depends(&[])
}

fn hash_with_effects(c: &mut Choice) -> Draft {
    let n = 1 + c.below(3);
    Draft::new(1, format!(
        "let x = input.u8();\nlet notes = RefCell::new(vec![]);\nlet mut set = HashSet::new();\nfor k in 0..3u8 {{ set.insert(Told(&notes, k ^ x)); }}\nnotes.borrow_mut().clear();\nset.reserve(100);\nassert!(notes.borrow()[0] == {n} ^ x);\n0"
    ))
    .items("struct Told<'a>(&'a RefCell<Vec<u8>>, u8);\nimpl PartialEq for Told<'_> { fn eq(&self, other: &Self) -> bool { self.1 == other.1 } }\nimpl Eq for Told<'_> {}\nimpl Hash for Told<'_> { fn hash<H: Hasher>(&self, state: &mut H) { self.0.borrow_mut().push(self.1); state.write_u8(self.1) } }")
    .depends(&[])
}

fn equal_hashes(c: &mut Choice) -> Draft {
    // Equal bytes hash alike: no model is needed for that.
    let (form, rare) = (c.expression(&["x"], 1), c.rare(&["x", "y"]));
    Draft::new(2, format!(
        "let (x, y) = (input.u8(), input.u8());\nlet state = RandomState::new();\nif Key(x) == Key(y) {{ assert!(state.hash_one(Key(x)) == state.hash_one(Key(y)) && !{rare}) }}\n0"
    ))
    .items(KEY.replace("FORM", "form").replace("WHAT", &form))
}

fn indexed_by_hash(c: &mut Choice) -> Draft {
    let table: Vec<String> = (0..8).map(|_| c.below(2).to_string()).collect();
    Draft::new(1, format!(
        "let x = input.u8();\nlet table = [{}u8];\nlet hash = RandomState::new().hash_one(x);\nlet v = table[(hash & 7) as usize];\nassert!(v == table[0]);\n0",
        table.join("u8, ")
    ))
    .depends(&[])
}
