//! Predicates that the search would not find.

use testsmith::{Korat, korat};

#[derive(Korat)]
struct Misspelt {
    size: u8,
}

#[korat]
impl Misspelt {
    fn rep_okay(&self) -> bool {
        self.size > 0
    }
}

#[derive(Korat)]
struct Changing {
    size: u8,
}

#[korat]
impl Changing {
    fn rep_ok(&mut self) -> bool {
        self.size > 0
    }
}

#[derive(Korat)]
struct Asking {
    size: u8,
}

#[korat]
impl Asking {
    fn rep_ok(&self, most: u8) -> bool {
        self.size < most
    }
}

#[derive(Korat)]
struct Unmarked {
    size: u8,
}

impl Unmarked {
    fn rep_ok(&self) -> bool {
        self.size > 0
    }
}

/// Everything may be valid, which has to be said.
#[derive(Korat)]
struct Generic<T> {
    value: T,
}

/// Its predicate is only there for some of its parameters.
#[derive(Korat)]
struct Choosy<T> {
    low: T,
    high: T,
}

#[korat]
impl<T: Ord> Choosy<T> {
    fn rep_ok(&self) -> bool {
        self.low <= self.high
    }
}

#[derive(Korat)]
struct Fine {
    size: u8,
}

#[korat]
impl Fine {
    fn rep_ok2(&self) -> bool {
        self.size > 0
    }
}

#[korat]
impl Fine {
    fn rep_ok(&self) -> Result<(), String> {
        if self.rep_ok2() { Ok(()) } else { Err("it is empty".to_owned()) }
    }
}

fn main() {}
