//! Variants and what they carry.

use testsmith::{ensures, pure, requires};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    Idle,
    Armed { code: u16, tries: u8 },
    Fired(Result<u32, u8>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trigger {
    state: State,
}

impl Trigger {
    #[ensures(ret.state() == State::Idle)]
    pub fn new() -> Trigger {
        Trigger { state: State::Idle }
    }

    #[pure]
    pub fn state(&self) -> State {
        self.state
    }

    #[requires(matches!(self.state(), State::Idle) && code > 1000)]
    #[ensures(self.state() == State::Armed { code, tries: 0 })]
    pub fn arm(&mut self, code: u16) {
        self.state = State::Armed { code, tries: 0 };
    }

    /// A guess that is not the code but ends in the same two digits.
    #[requires(matches!(
        self.state(),
        State::Armed { code, tries } if tries < 5 && guess != code && guess % 100 == code % 100
    ))]
    #[ensures(matches!(
        (old(self.state()), self.state()),
        (State::Armed { code: before, tries }, State::Armed { code, tries: now })
            if code == before && now == tries + 1
    ))]
    pub fn guess(&mut self, guess: u16) {
        if let State::Armed { tries, .. } = &mut self.state {
            *tries += 1;
        }
    }

    #[requires(matches!(self.state(), State::Armed { code, .. } if code == right))]
    #[ensures(self.state() == State::Fired(Ok(power)))]
    pub fn fire(&mut self, right: u16, power: u32) {
        self.state = State::Fired(Ok(power));
    }

    #[requires(matches!(self.state(), State::Armed { code, .. } if code != wrong))]
    #[ensures(self.state() == State::Fired(Err((wrong % 200) as u8)))]
    pub fn misfire(&mut self, wrong: u16) {
        self.state = State::Fired(Err((wrong % 200) as u8));
    }

    /// Goal: armed with a fixed code, after a guess.
    #[requires(matches!(self.state(), State::Armed { code, tries } if code == 4711 && tries == 1))]
    #[ensures(ret == 27)]
    pub fn armed(&self) -> u8 {
        27
    }

    /// Goal: armed with a code of some form, and guessed at three times.
    #[requires(matches!(self.state(), State::Armed { code, tries: 3 } if code % 1000 == 777))]
    #[ensures(ret == 28)]
    pub fn guessed_at(&self) -> u8 {
        28
    }

    /// Goal: fired with a fixed power.
    #[requires(self.state() == State::Fired(Ok(90_210)))]
    #[ensures(ret == 29)]
    pub fn fired(&self) -> u8 {
        29
    }

    /// Goal: misfired with a number that is given as well, in other words.
    #[requires(matches!(self.state(), State::Fired(Err(n)) if u32::from(n) * 1_000_003 == proof))]
    #[requires(proof > 100_000_000)]
    #[ensures(ret == 30)]
    pub fn misfired(&self, proof: u32) -> u8 {
        30
    }
}

impl Default for Trigger {
    fn default() -> Self {
        Trigger::new()
    }
}

/// Two places that may be empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Drawer {
    left: Option<u32>,
    right: Option<u32>,
}

impl Drawer {
    #[ensures(ret.left() == None, ret.right() == None)]
    pub fn new() -> Drawer {
        Drawer::default()
    }

    #[pure]
    pub fn left(&self) -> Option<u32> {
        self.left
    }

    #[pure]
    pub fn right(&self) -> Option<u32> {
        self.right
    }

    #[requires(self.left().is_none())]
    #[ensures(self.left() == Some(item), unchanged(self.right()))]
    pub fn fill(&mut self, item: u32) {
        self.left = Some(item);
    }

    #[requires(self.left().is_some())]
    #[ensures(self.right() == old(self.left()), self.left() == None)]
    pub fn slide(&mut self) {
        self.right = self.left.take();
    }

    /// Goal: both places are filled, and differ by a million.
    #[requires(self.left().is_some() && self.right().is_some())]
    #[requires(self.left().unwrap() > 3_000_000)]
    #[requires(self.left().unwrap() - 1_000_000 == self.right().unwrap())]
    #[ensures(ret == 31)]
    pub fn both(&self) -> u8 {
        31
    }
}

/// Goal: a number inside of two wrappings.
#[requires(matches!(value, Some(Ok(n)) if n ^ 0x0ff0 == 54_321))]
#[ensures(ret == 32)]
pub fn wrapped(value: Option<Result<u16, char>>) -> u8 {
    32
}
