//! krate = "patricia_tree"
//! buggy = "0.5.0"
//! fixed = "0.5.5"
//! class = "wrong answer"
//! what = "after a removal, iteration leaves out entries that len still counts"
//! sequence = "insert(\"1\"), insert(\"2\"), remove(\"2\"), insert(\"2\"), iter, len"
//! source = "sile/patricia_tree issue 21"
use patricia_tree::PatriciaMap;
#[test]
fn repro() {
    let mut m = PatriciaMap::new();
    m.insert("1", 0);
    m.insert("2", 0);
    m.remove("2");
    m.insert("2", 0);
    assert_eq!(m.iter().count(), m.len());
}
