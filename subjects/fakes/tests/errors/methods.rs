//! Methods that no fake can answer.

use testsmith::{contract_trait, fake, pure};

#[fake]
#[contract_trait]
trait Store {
    #[pure]
    fn all(&self) -> &[u8];
    fn load(&mut self, into: &mut Vec<u8>);
    fn weight(&self) -> f64;
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
    fn at(&self, point: Point) -> bool;
}

fn main() {}
