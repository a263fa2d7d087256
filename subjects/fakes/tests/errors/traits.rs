//! Traits that have no fake.

use testsmith::{FakeValue, contract_trait, fake};

#[fake]
#[contract_trait]
trait Generic<T> {
    fn get(&self) -> bool;
}

#[fake]
#[contract_trait]
trait Associated {
    type Item;
    fn get(&self) -> bool;
}

#[fake]
#[contract_trait]
trait Constant {
    const LIMIT: usize;
}

#[fake]
trait WithoutContracts {
    fn get(&self) -> bool;
}

#[contract_trait]
#[fake]
trait TooLate {
    fn get(&self) -> bool;
}

trait Plain {
    fn size(&self) -> u8;
}

#[fake]
#[contract_trait]
trait ExtendsPlain: Plain {
    fn get(&self) -> bool;
}

#[fake]
#[contract_trait]
trait Shown: std::fmt::Display + Send {
    fn get(&self) -> bool;
}

#[fake]
#[contract_trait]
trait Taught: Into<u8> {
    fn get(&self) -> bool;
}

#[fake(7)]
#[contract_trait]
trait Arguments {
    fn get(&self) -> bool;
}

#[fake]
struct NoTrait;

#[derive(FakeValue)]
struct NoEnum;

#[derive(FakeValue)]
enum Open<T> {
    One(T),
}

fn main() {}
