//! The kinds of graphs as plain data, to be compared with the models.

use super::super::{Kind, Node as PlainNode, World, grammar};
use super::{Arena, Boxed, BoxedNode, Raw, RawNode, Shared, SharedNode, Slot, WeakNode, WithWeak};
use crate::program::{self, Clause, Grammar};
use crate::{Subject, evaluate};

/// A real graph being written down as plain data: the addresses of its nodes,
/// in the order in which they were found.
#[derive(Default)]
struct Writer {
    addresses: Vec<*const ()>,
    nodes: Vec<PlainNode>,
}

impl Writer {
    /// The number of a node, which is written the first time.
    fn node<N>(
        &mut self,
        node: Option<&N>,
        write: fn(&N, &mut Writer) -> PlainNode,
    ) -> Option<usize> {
        let node = node?;
        let address = std::ptr::from_ref(node).cast();
        if let Some(at) = self.addresses.iter().position(|known| *known == address) {
            return Some(at);
        }
        let at = self.addresses.len();
        self.addresses.push(address);
        self.nodes.push(PlainNode::default());
        self.nodes[at] = write(node, self);
        Some(at)
    }

    fn finish(self, first: Option<usize>, last: Option<usize>, size: u8, kind: Kind) -> World {
        let world = World { first, last, size, nodes: self.nodes };
        world.canonical(kind).expect("what was found is a structure")
    }
}

impl SharedNode {
    fn write(&self, writer: &mut Writer) -> PlainNode {
        let left = writer.node(self.left.as_deref(), SharedNode::write);
        let right = writer.node(self.right.as_deref(), SharedNode::write);
        PlainNode { left, right, key: self.key }
    }
}

impl WeakNode {
    fn write(&self, writer: &mut Writer) -> PlainNode {
        let left = writer.node(self.left.as_deref(), WeakNode::write);
        let right = writer.node(self.right.upgrade().as_deref(), WeakNode::write);
        PlainNode { left, right, key: self.key }
    }
}

impl RawNode {
    fn write(&self, writer: &mut Writer) -> PlainNode {
        // SAFETY: the pointers of a graph point at its own nodes.
        let left = writer.node(unsafe { self.left.as_ref() }, RawNode::write);
        // SAFETY: as above.
        let right = self.right.map(|right| unsafe { &*right.as_ptr() });
        let right = writer.node(right, RawNode::write);
        PlainNode { left, right, key: self.key }
    }
}

impl BoxedNode {
    fn write(&self, writer: &mut Writer) -> PlainNode {
        let left = writer.node(self.left.as_deref(), BoxedNode::write);
        let right = writer.node(self.right.as_deref(), BoxedNode::write);
        PlainNode { left, right, key: self.key }
    }
}

macro_rules! subject {
    ($graph:ident, $name:literal, $kind:expr, $arena:literal, |$it:ident| $model:expr) => {
        impl Subject for $graph {
            type Model = World;

            const NAME: &'static str = $name;

            fn grammar() -> Grammar {
                grammar($arena)
            }

            fn model(&self) -> World {
                let $it = self;
                $model
            }

            fn all_models(scope: usize) -> Vec<World> {
                World::all(scope, $kind)
            }

            fn valid(model: &World, program: &[Clause]) -> bool {
                evaluate::all(program, |clause| model.clause(clause, $kind))
            }

            fn start(program: &[Clause]) {
                program::start(program);
            }
        }
    };
}

subject!(Shared, "shared", Kind::Shared, false, |it| {
    let mut writer = Writer::default();
    let first = writer.node(it.first.as_deref(), SharedNode::write);
    let last = writer.node(it.last.as_deref(), SharedNode::write);
    writer.finish(first, last, it.size, Kind::Shared)
});

subject!(WithWeak, "weak", Kind::Weak, false, |it| {
    let mut writer = Writer::default();
    let first = writer.node(it.first.as_deref(), WeakNode::write);
    let last = writer.node(it.last.upgrade().as_deref(), WeakNode::write);
    writer.finish(first, last, it.size, Kind::Weak)
});

subject!(Raw, "raw", Kind::Shared, false, |it| {
    let mut writer = Writer::default();
    // SAFETY: the pointers of a graph point at its own nodes.
    let first = writer.node(unsafe { it.first.as_ref() }, RawNode::write);
    // SAFETY: as above.
    let last = it.last.map(|last| unsafe { &*last.as_ptr() });
    let last = writer.node(last, RawNode::write);
    writer.finish(first, last, it.size, Kind::Shared)
});

subject!(Boxed, "boxed", Kind::Owned, false, |it| {
    let mut writer = Writer::default();
    let first = writer.node(it.first.as_deref(), BoxedNode::write);
    let last = writer.node(it.last.as_deref(), BoxedNode::write);
    writer.finish(first, last, it.size, Kind::Owned)
});

subject!(Arena, "arena", Kind::Shared, true, |it| {
    let slot = |slot: &Slot| PlainNode { left: slot.left, right: slot.right, key: slot.key };
    let nodes = it.slots.iter().map(slot).collect::<Vec<_>>();
    let count = nodes.len();
    let world = World { first: it.first, last: it.last, size: it.size, nodes };
    let world = world.canonical(Kind::Shared).expect("what was found is a structure");
    assert_eq!(world.nodes.len(), count, "every slot of an arena is reached");
    world
});
