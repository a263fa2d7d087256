//! Methods that no fake can answer.

use testsmith::{contract_trait, fake, pure};

#[fake]
#[contract_trait]
trait Store {
    #[pure]
    fn all(&self) -> &[&str];
    fn load(&mut self, into: &mut Vec<u8>);
    fn index(&self) -> std::collections::HashMap<String, u8>;
    fn draw(&mut self, on: &dyn std::fmt::Debug);
    fn twin(&self) -> Self where Self: Sized;
    fn open(name: &str) -> bool;
    fn each<F: Fn(u8)>(&self, f: F);
    async fn wait(&self) -> bool;
    fn shared(self: std::rc::Rc<Self>) -> bool;
    fn provided(&self) -> Vec<u8> {
        vec![]
    }
}

struct Point;

#[fake]
#[contract_trait]
trait Map {
    #[pure]
    fn at(&self, point: Point) -> bool;
    fn go(&mut self, to: &Point);
}

fn main() {}
