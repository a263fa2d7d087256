//! Programs that panic, and what their clean-up code does about it.
#![allow(clippy::all)]

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any, resume_unwind};
use std::sync::Mutex;

mod harness;
use harness::Input;

/// Does something when it is dropped.
struct OnDrop<F: FnMut()>(F);
impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) { (self.0)() }
}

struct Shown(u8);
impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        assert!(self.0 != 7);
        f.write_str("shown")
    }
}

programs! {
    panics_again(input) {
        let x = input.u8();
        let _guard = OnDrop(|| assert!(x != 77));
        panic!("first")
    }
    exits(input) {
        let x = input.u8();
        let _guard = OnDrop(|| if x == 78 { std::process::exit(0) });
        panic!("first")
    }
    loops(input) {
        let x = input.u8();
        let _guard = OnDrop(|| while x == 79 { std::hint::black_box(x); });
        panic!("first")
    }
    cleans_up(input) {
        let x = input.u8();
        let counter = Cell::new(x);
        let _guard = OnDrop(|| counter.set(counter.get() / 2));
        let list = vec![String::from("one"), String::from("two")];
        panic!("{}", list.len())
    }
    message_panics(input) {
        panic!("{}", Shown(input.u8()))
    }
    caught(input) {
        let a = input.u8();
        let result = catch_unwind(|| assert!(a != 9));
        assert!(result.is_ok() == (a != 9));
        0
    }
    caught_text(input) {
        let a = input.u8() & 15;
        let payload = catch_unwind(|| panic!("a is {a}")).unwrap_err();
        assert!(payload.downcast_ref::<String>().unwrap() != "a is 11");
        0
    }
    caught_payload(input) {
        let a = input.u8();
        let payload = catch_unwind(|| panic_any(a)).unwrap_err();
        let again = catch_unwind(AssertUnwindSafe(|| resume_unwind(payload))).unwrap_err();
        assert!(*again.downcast_ref::<u8>().unwrap() == a);
        0
    }
    caught_inside(input) {
        let x = input.u8();
        let inner = Cell::new(0);
        let result = catch_unwind(AssertUnwindSafe(|| {
            let _guard = OnDrop(|| {
                let caught = catch_unwind(|| assert!(x != 5));
                inner.set(1 + u8::from(caught.is_err()) + 4 * u8::from(std::thread::panicking()));
            });
            panic!("outer")
        }));
        assert!(result.is_err() && inner.get() == if x == 5 { 6 } else { 5 });
        0
    }
    poisoned(input) {
        let x = input.u8();
        let shared = Mutex::new(x);
        let _ = catch_unwind(AssertUnwindSafe(|| {
            let guard = shared.lock().unwrap();
            assert!(*guard < 200);
        }));
        assert!(shared.is_poisoned() == (x >= 200));
        0
    }
    rest_is_dropped(input) {
        let x = input.u8();
        let dropped = Cell::new(0);
        let part = |bad: bool| OnDrop(move || {
            if bad { panic!("in the middle") }
        });
        let result = catch_unwind(AssertUnwindSafe(|| {
            let counted = OnDrop(|| dropped.set(dropped.get() + 1));
            let list = (part(false), part(x == 3), counted);
            drop(list);
        }));
        assert!(dropped.get() == 1 && result.is_err() == (x == 3));
        0
    }
}
