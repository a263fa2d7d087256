//! Quicksort by the last element.

/// Sorts in place.
pub fn quicksort(list: &mut [i32]) {
    let Some(last) = list.len().checked_sub(1).filter(|last| *last > 0) else { return };
    let mut boundary = 0;
    for index in 0..last {
        if list[index] <= list[last] {
            list.swap(index, boundary);
            boundary += 1;
        }
    }
    list.swap(boundary, last);
    let (low, high) = list.split_at_mut(boundary);
    quicksort(low);
    quicksort(&mut high[1..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use testsmith::{assume, put};

    fn distinct(list: &[i32]) -> bool {
        (1..list.len()).all(|index| !list[..index].contains(&list[index]))
    }

    // The paper counts 24, 120 and 720 cases: the orders of distinct numbers. Deciding
    // that they are distinct comes first here, so that the paths are the same.
    #[put]
    fn four_distinct_numbers_are_sorted(mut list: [i32; 4]) {
        assume!(distinct(&list));
        quicksort(&mut list);
        assert!(list.is_sorted());
    }

    #[put]
    fn five_distinct_numbers_are_sorted(mut list: [i32; 5]) {
        assume!(distinct(&list));
        quicksort(&mut list);
        assert!(list.is_sorted());
    }

    #[put]
    fn four_numbers_are_sorted_and_none_is_lost(mut list: [i32; 4], x: i32) {
        let before = list.iter().filter(|y| **y == x).count();
        quicksort(&mut list);
        assert!(list.is_sorted());
        assert_eq!(list.iter().filter(|y| **y == x).count(), before);
    }
}

/// Longer ones, for the bench.
#[cfg(test)]
mod large {
    use super::*;
    use testsmith::{assume, put};

    #[put]
    fn six_distinct_numbers_are_sorted(mut list: [i32; 6]) {
        assume!((1..6).all(|index| !list[..index].contains(&list[index])));
        quicksort(&mut list);
        assert!(list.is_sorted());
    }
}
