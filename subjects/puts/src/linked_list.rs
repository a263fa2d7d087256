//! A singly linked list.

/// The list: nothing, or a value with the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedList {
    value: i32,
    tail: Option<Box<LinkedList>>,
}

impl LinkedList {
    /// A list of the values, first one first.
    pub fn from_values(values: &[i32]) -> Option<Box<LinkedList>> {
        let mut list = None;
        for value in values.iter().rev() {
            list = Some(Box::new(LinkedList { value: *value, tail: list }));
        }
        list
    }

    pub fn contains(list: Option<&LinkedList>, wanted: i32) -> bool {
        let mut next = list;
        while let Some(node) = next {
            if node.value == wanted {
                return true;
            }
            next = node.tail.as_deref();
        }
        false
    }

    pub fn len(list: Option<&LinkedList>) -> usize {
        let mut count = 0;
        let mut next = list;
        while let Some(node) = next {
            count += 1;
            next = node.tail.as_deref();
        }
        count
    }

    /// Takes the first occurrence of a value out, if there is one.
    pub fn remove(mut list: Option<Box<LinkedList>>, wanted: i32) -> Option<Box<LinkedList>> {
        if list.as_ref().is_some_and(|node| node.value == wanted) {
            return list.and_then(|node| node.tail);
        }
        let mut next = list.as_mut();
        while let Some(node) = next {
            if cfg!(feature = "seeded") {
                node.tail.as_ref().expect("the last node has a tail");
            }
            if node.tail.as_ref().is_some_and(|tail| tail.value == wanted) {
                node.tail = node.tail.take().and_then(|tail| tail.tail);
                break;
            }
            next = node.tail.as_mut();
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testsmith::put;

    // The third violation of the paper: a robustness test that asserts nothing.
    #[put(len = 10)]
    fn removing_never_panics(values: Vec<i32>, x: i32) {
        LinkedList::remove(LinkedList::from_values(&values), x);
    }

    #[put(len = 10)]
    fn removing_takes_at_most_one_away(values: Vec<i32>, x: i32) {
        let list = LinkedList::remove(LinkedList::from_values(&values), x);
        let expected = values.len() - usize::from(values.contains(&x));
        assert_eq!(LinkedList::len(list.as_deref()), expected);
    }

    #[put(len = 10)]
    fn a_list_contains_what_it_was_made_of(values: Vec<i32>, x: i32) {
        let list = LinkedList::from_values(&values);
        assert_eq!(LinkedList::contains(list.as_deref(), x), values.contains(&x));
    }
}
