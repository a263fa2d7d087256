//! The stack of operands.
//!
//! Bounded, so that "there is room" is a condition that contracts can speak of.

use testsmith::{ensures, forall, invariant, model, pure, requires};

/// More operands than this never lie on a stack.
pub const MOST: usize = 64;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[invariant(self.items.len() <= self.limit, "more operands than there is room for")]
#[invariant(self.limit <= MOST && self.limit > 0)]
pub struct Stack {
    items: Vec<i64>,
    limit: usize,
}

#[invariant]
impl Stack {
    /// An empty stack with all the room there can be.
    #[ensures(ret.is_empty(), ret.limit() == MOST)]
    pub fn new() -> Stack {
        Stack { items: Vec::new(), limit: MOST }
    }

    /// An empty stack with room for some operands.
    #[requires(0 < limit && limit <= MOST)]
    #[ensures(ret.is_empty(), ret.limit() == limit)]
    pub fn with_limit(limit: usize) -> Stack {
        Stack { items: Vec::new(), limit }
    }

    /// A stack that holds these, the last on top.
    #[requires(items.len() <= MOST)]
    #[ensures(ret.as_slice() == items)]
    pub fn from_slice(items: &[i64]) -> Stack {
        Stack { items: items.to_vec(), limit: MOST }
    }

    #[model]
    #[pure]
    pub fn m_size(&self) -> usize {
        self.items.len()
    }

    /// How many operands there are.
    #[pure]
    #[ensures(ret == self.m_size())]
    pub fn size(&self) -> usize {
        self.items.len()
    }

    #[pure]
    #[ensures(ret == (self.m_size() == 0))]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    #[pure]
    #[ensures(ret == (self.room() == 0))]
    pub fn is_full(&self) -> bool {
        self.items.len() == self.limit
    }

    /// How many operands there can be.
    #[pure]
    #[ensures(ret >= self.m_size())]
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// How many more operands there can be.
    #[pure]
    #[ensures(ret + self.m_size() == self.limit())]
    pub fn room(&self) -> usize {
        self.limit - self.items.len()
    }

    /// All operands, the top last.
    #[pure]
    #[ensures(ret.len() == self.m_size())]
    pub fn as_slice(&self) -> &[i64] {
        &self.items
    }

    /// The operand on top.
    #[pure]
    #[requires(!self.is_empty(), "there is nothing on the stack")]
    #[ensures(Some(&ret) == self.as_slice().last())]
    pub fn peek(&self) -> i64 {
        self.items[self.items.len() - 1]
    }

    /// The operand below the `depth` topmost ones.
    #[pure]
    #[requires(depth < self.size())]
    #[ensures(depth == 0 -> ret == self.peek())]
    pub fn peek_at(&self, depth: usize) -> i64 {
        self.items[self.items.len() - 1 - depth]
    }

    #[pure]
    #[ensures(ret == self.as_slice().iter().any(|item| *item == value))]
    pub fn contains(&self, value: i64) -> bool {
        self.items.contains(&value)
    }

    /// Puts an operand on top.
    #[requires(!self.is_full(), "the stack is full")]
    #[ensures(self.m_size() == old(self.m_size()) + 1, self.peek() == value)]
    #[ensures(self.items[..old(self.items.len())] == old(self.items)[..])]
    pub fn push(&mut self, value: i64) {
        if cfg!(feature = "bug-01") && value == 0 {
            return;
        }
        self.items.push(value);
    }

    /// Takes the operand on top.
    #[requires(!self.is_empty(), "there is nothing on the stack")]
    #[ensures(ret == old(self.peek()), self.m_size() == old(self.m_size()) - 1)]
    pub fn pop(&mut self) -> i64 {
        let last = self.items.len() - 1;
        self.items.remove(last)
    }

    /// Takes the two operands on top: the lower one first.
    #[requires(self.size() >= 2)]
    #[ensures(ret.1 == old(self.peek()), ret.0 == old(self.peek_at(1)))]
    #[ensures(self.m_size() == old(self.m_size()) - 2)]
    pub fn pop_pair(&mut self) -> (i64, i64) {
        let right = self.pop();
        let left = self.pop();
        (left, right)
    }

    /// Takes this many operands from the top, the lowest first.
    #[requires(count <= self.size())]
    #[ensures(ret.len() == count, self.m_size() == old(self.m_size()) - count)]
    pub fn pop_many(&mut self, count: usize) -> Vec<i64> {
        self.items.split_off(self.items.len() - count)
    }

    /// Replaces the operand on top.
    #[requires(!self.is_empty())]
    #[ensures(self.peek() == value, ret == old(self.peek()), unchanged(self.m_size()))]
    pub fn replace(&mut self, value: i64) -> i64 {
        let before = self.pop();
        self.push(value);
        before
    }

    /// Copies the operand on top.
    #[requires(!self.is_empty() && !self.is_full())]
    #[ensures(self.peek() == self.peek_at(1), self.m_size() == old(self.m_size()) + 1)]
    pub fn duplicate(&mut self) {
        self.push(self.peek());
    }

    /// Exchanges the two operands on top.
    #[requires(self.size() >= 2)]
    #[ensures(self.peek() == old(self.peek_at(1)), self.peek_at(1) == old(self.peek()))]
    #[ensures(unchanged(self.m_size()))]
    pub fn swap(&mut self) {
        let (left, right) = self.pop_pair();
        self.push(right);
        self.push(left);
    }

    /// Brings the lowest of the `count` topmost operands to the top.
    #[requires(0 < count && count <= self.size())]
    #[ensures(self.peek() == old(self.peek_at(count - 1)), unchanged(self.m_size()))]
    pub fn rotate(&mut self, count: usize) {
        let from = self.items.len() - count;
        if cfg!(feature = "bug-02") {
            self.items[from..].rotate_right(1);
        } else {
            self.items[from..].rotate_left(1);
        }
    }

    /// Turns the order of all operands around.
    #[ensures(forall(0..self.size(), |i| self.peek_at(i) == old(self.items.clone())[i]))]
    pub fn reverse(&mut self) {
        self.items.reverse();
    }

    /// Removes this many operands from the top.
    #[requires(count <= self.size())]
    #[ensures(self.m_size() == old(self.m_size()) - count)]
    pub fn discard(&mut self, count: usize) {
        self.items.truncate(self.items.len() - count);
    }

    #[ensures(self.is_empty(), unchanged(self.limit()))]
    pub fn clear(&mut self) {
        self.items.clear();
    }

    /// The sum of all operands, if it fits.
    #[pure]
    #[ensures(self.is_empty() -> ret == Some(0))]
    pub fn sum(&self) -> Option<i64> {
        self.items.iter().try_fold(0_i64, |sum, item| sum.checked_add(*item))
    }

    /// The greatest operand.
    #[pure]
    #[requires(!self.is_empty())]
    #[ensures(self.contains(ret), forall(self.as_slice(), |item| *item <= ret))]
    pub fn greatest(&self) -> i64 {
        self.items.iter().fold(i64::MIN, |greatest, item| greatest.max(*item))
    }

    /// The least operand.
    #[pure]
    #[requires(!self.is_empty())]
    #[ensures(self.contains(ret), forall(self.as_slice(), |item| *item >= ret))]
    pub fn least(&self) -> i64 {
        self.items.iter().fold(i64::MAX, |least, item| least.min(*item))
    }
}

impl Default for Stack {
    fn default() -> Self {
        Stack::new()
    }
}
