//! Relations between two objects, and objects that others make.

use testsmith::{ensures, invariant, pure, requires};

#[derive(Clone, PartialEq, Eq, Debug)]
#[invariant(self.total >= 0)]
pub struct Account {
    owner: u32,
    total: i64,
    cheques: u32,
}

#[invariant]
impl Account {
    #[requires(owner > 0)]
    #[ensures(ret.owner() == owner, ret.total() == 0, ret.cheques() == 0)]
    pub fn new(owner: u32) -> Account {
        Account { owner, total: 0, cheques: 0 }
    }

    #[pure]
    pub fn owner(&self) -> u32 {
        self.owner
    }

    #[pure]
    #[ensures(ret >= 0)]
    pub fn total(&self) -> i64 {
        self.total
    }

    /// How many cheques were written.
    #[pure]
    pub fn cheques(&self) -> u32 {
        self.cheques
    }

    #[requires(0 < amount && amount <= 10_000 && self.total() < 1 << 40)]
    #[ensures(self.total() == old(self.total()) + amount)]
    #[ensures(unchanged(self.owner(), self.cheques()))]
    pub fn deposit(&mut self, amount: i64) {
        self.total += amount;
    }

    /// Writes a cheque for some of what there is.
    #[requires(100 <= amount && amount <= self.total() && self.cheques() < 1000)]
    #[ensures(self.total() == old(self.total()) - amount, unchanged(self.owner()))]
    #[ensures(self.cheques() == old(self.cheques()) + 1)]
    #[ensures(ret.drawer() == self.owner(), ret.amount() == amount, ret.serial() == self.cheques())]
    pub fn write(&mut self, amount: i64) -> Cheque {
        self.total -= amount;
        self.cheques += 1;
        Cheque { drawer: self.owner, amount, serial: self.cheques }
    }

    /// Goal: the third cheque of another account, for half of what is here.
    #[requires(cheque.serial() == 3 && cheque.drawer() != self.owner())]
    #[requires(cheque.amount() * 2 == self.total() && cheque.amount() % 1000 == 777)]
    #[ensures(ret == 40)]
    pub fn halved_by(&self, cheque: &Cheque) -> u8 {
        40
    }

    /// Goal: a cheque of this account, for a little more than is left.
    #[requires(cheque.drawer() == self.owner() && cheque.amount() == self.total() + 37)]
    #[requires(self.total() > 5000)]
    #[ensures(ret == 41)]
    pub fn short_of(&self, cheque: &Cheque) -> u8 {
        41
    }
}

/// What only an account can write.
#[derive(Clone, PartialEq, Eq, Debug)]
#[invariant(self.amount >= 100 && self.serial > 0)]
pub struct Cheque {
    drawer: u32,
    amount: i64,
    serial: u32,
}

impl Cheque {
    #[pure]
    pub fn drawer(&self) -> u32 {
        self.drawer
    }

    #[pure]
    #[ensures(ret >= 100)]
    pub fn amount(&self) -> i64 {
        self.amount
    }

    #[pure]
    #[ensures(ret > 0)]
    pub fn serial(&self) -> u32 {
        self.serial
    }
}

/// Goal: one account holds a thousand more than another that holds much.
#[requires(a.total() == b.total() + 1000 && b.total() > 15_000)]
#[ensures(ret == 42)]
pub fn ahead(a: &Account, b: &Account) -> u8 {
    42
}

/// Goal: two owners with neighbouring numbers hold a fixed sum together.
#[requires(a.owner() > 1000 && b.owner() > a.owner() && b.owner() - a.owner() == 1)]
#[requires(a.total() + b.total() == 9999 && a.total() > 0)]
#[ensures(ret == 43)]
pub fn together(a: &Account, b: &Account) -> u8 {
    43
}

/// Goal: two cheques of one drawer, the later one for three times as much.
#[requires(first.drawer() == second.drawer() && second.serial() == first.serial() + 2)]
#[requires(second.amount() == first.amount() * 3 && first.amount() > 100)]
#[ensures(ret == 44)]
pub fn risen(first: &Cheque, second: &Cheque) -> u8 {
    44
}

/// Goal: three accounts that hold the same, each of another owner.
#[requires(a.total() == b.total() && b.total() == c.total() && c.total() > 12_345)]
#[requires(a.owner() < b.owner() && b.owner() < c.owner() && c.owner() - a.owner() == 2)]
#[ensures(ret == 45)]
pub fn level(a: &Account, b: &Account, c: &Account) -> u8 {
    45
}
