//! A red-black tree with insertion, search, and the least element.

/// A tree: nothing, or a node.
pub type Tree = Option<Box<Node>>;

/// A node with a colour.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(test, derive(testsmith::Input))]
pub struct Node {
    left: Tree,
    right: Tree,
    red: bool,
    key: i32,
}

fn is_red(tree: &Tree) -> bool {
    tree.as_ref().is_some_and(|node| node.red)
}

/// Whether a key is in the tree.
pub fn contains(tree: &Tree, key: i32) -> bool {
    let mut next = tree;
    while let Some(node) = next {
        if key == node.key {
            return true;
        }
        next = if key < node.key { &node.left } else { &node.right };
    }
    false
}

/// The least key.
pub fn least(tree: &Tree) -> Option<i32> {
    let mut next = tree.as_ref()?;
    while let Some(left) = &next.left {
        next = left;
    }
    Some(next.key)
}

/// Adds a key, if it is not there.
pub fn insert(tree: &mut Tree, key: i32) {
    insert_below(tree, key);
    if let Some(root) = tree {
        root.red = false;
    }
}

fn insert_below(tree: &mut Tree, key: i32) {
    let Some(node) = tree else {
        *tree = Some(Box::new(Node { left: None, right: None, red: true, key }));
        return;
    };
    if key == node.key {
        return;
    }
    if key < node.key {
        insert_below(&mut node.left, key);
    } else {
        insert_below(&mut node.right, key);
    }
    balance(tree);
}

/// A black node with a red child that has a red child becomes a red one with two black ones.
fn balance(tree: &mut Tree) {
    let Some(node) = tree else { return };
    if node.red {
        return;
    }
    let side = |child: &Tree| match child {
        Some(child) if child.red && is_red(&child.left) => Some(true),
        Some(child) if child.red && is_red(&child.right) => Some(false),
        _ => None,
    };
    if let Some(outer) = side(&node.left) {
        if !outer {
            rotate_left(&mut node.left);
        }
        rotate_right(tree);
        recolour(tree);
    } else if let Some(inner) = side(&node.right) {
        if inner {
            rotate_right(&mut node.right);
        }
        rotate_left(tree);
        recolour(tree);
    }
}

fn rotate_right(tree: &mut Tree) {
    if let Some(mut node) = tree.take() {
        match node.left.take() {
            Some(mut up) => {
                node.left = up.right.take();
                up.right = Some(node);
                *tree = Some(up);
            }
            None => *tree = Some(node),
        }
    }
}

fn rotate_left(tree: &mut Tree) {
    if let Some(mut node) = tree.take() {
        match node.right.take() {
            Some(mut up) => {
                node.right = up.left.take();
                up.left = Some(node);
                *tree = Some(up);
            }
            None => *tree = Some(node),
        }
    }
}

fn recolour(tree: &mut Tree) {
    if let Some(node) = tree {
        node.red = true;
        for child in [&mut node.left, &mut node.right].into_iter().flatten() {
            child.red = false;
        }
    }
}

/// How many nodes.
pub fn size(tree: &Tree) -> usize {
    tree.as_ref().map_or(0, |node| 1 + size(&node.left) + size(&node.right))
}

/// The number of black nodes on every way down, if it is the same and no red node has a
/// red child.
fn black_height(tree: &Tree) -> Option<usize> {
    let Some(node) = tree else { return Some(0) };
    let (left, right) = (black_height(&node.left)?, black_height(&node.right)?);
    if left != right || node.red && (is_red(&node.left) || is_red(&node.right)) {
        return None;
    }
    Some(left + usize::from(!node.red))
}

fn keys(tree: &Tree, list: &mut Vec<i32>) {
    if let Some(node) = tree {
        keys(&node.left, list);
        list.push(node.key);
        keys(&node.right, list);
    }
}

/// Whether a tree is a red-black tree.
pub fn rep_ok(tree: &Tree) -> bool {
    let mut list = vec![];
    keys(tree, &mut list);
    !is_red(tree) && black_height(tree).is_some() && list.windows(2).all(|pair| pair[0] < pair[1])
}

/// At most seven nodes before an insertion, eight after it, as in the paper.
#[cfg(test)]
mod tests {
    use super::*;
    use testsmith::{assume, put};

    #[put(depth = 3)]
    fn insertion_keeps_small_trees_red_black(mut tree: Tree, key: i32) {
        assume!(rep_ok(&tree));
        let before = size(&tree);
        let present = contains(&tree, key);
        insert(&mut tree, key);
        assert!(rep_ok(&tree));
        assert_eq!(size(&tree), before + usize::from(!present));
        assert!(contains(&tree, key));
    }
}

/// The sizes of the paper, for the bench.
#[cfg(test)]
mod large {
    use super::*;
    use testsmith::{assume, put};

    #[put(depth = 4, cases = 16)]
    fn insertion_keeps_trees_red_black(mut tree: Tree, key: i32) {
        assume!(size(&tree) <= 7 && rep_ok(&tree));
        insert(&mut tree, key);
        assert!(size(&tree) <= 8 && rep_ok(&tree));
    }

    #[put(depth = 4, cases = 16)]
    fn search_finds_what_the_keys_list(tree: Tree, key: i32) {
        assume!(size(&tree) <= 7 && rep_ok(&tree));
        let mut list = vec![];
        keys(&tree, &mut list);
        assert_eq!(contains(&tree, key), list.contains(&key));
    }

    #[put(depth = 4, cases = 16)]
    fn the_least_key_comes_first(tree: Tree) {
        assume!(size(&tree) <= 7 && rep_ok(&tree));
        let mut list = vec![];
        keys(&tree, &mut list);
        assert_eq!(least(&tree), list.first().copied());
    }
}
