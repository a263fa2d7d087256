//! The same structures by strategies: each builds a valid value by hand, of the
//! sizes that the exhaustive tests have.

use std::sync::Arc;

use proptest::collection::{btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::Index;
use subject_shapes::{
    BTreeNode, Entry, GenArena, GenEntry, Lru, LruEntry, PriorityStore, RangeMap, Rope,
    RopeChildren, SiblingArena, SiblingNode, Slab, TrieNode, UnionFind,
};

pub fn slab() -> impl Strategy<Value = Slab<bool>> {
    vec(option::of(any::<bool>()), 0..=3)
        .prop_flat_map(|slots| {
            let vacant = (0..slots.len()).filter(|at| slots[*at].is_none()).collect::<Vec<_>>();
            (Just(slots), Just(vacant).prop_shuffle())
        })
        .prop_map(|(slots, vacant)| {
            let (mut next, count) = (slots.len(), slots.len());
            let mut entries: Vec<Entry<bool>> =
                slots.iter().map(|slot| slot.map_or(Entry::Vacant(0), Entry::Occupied)).collect();
            for at in &vacant {
                entries[*at] = Entry::Vacant(next);
                next = *at;
            }
            Slab { entries, len: count - vacant.len(), next }
        })
}

pub fn gen_arena() -> impl Strategy<Value = GenArena> {
    (vec(option::of((0u64..=3, any::<bool>())), 0..=3), 3u64..=4)
        .prop_flat_map(|(slots, generation)| {
            let free = (0..slots.len()).filter(|at| slots[*at].is_none()).collect::<Vec<_>>();
            (Just(slots), Just(free).prop_shuffle(), Just(generation))
        })
        .prop_map(|(slots, free, generation)| {
            let mut free_list_head = None;
            let len = slots.len() - free.len();
            let mut items: Vec<GenEntry> = slots
                .into_iter()
                .map(|slot| match slot {
                    None => GenEntry::Free { next_free: None },
                    Some((generation, value)) => GenEntry::Occupied { generation, value },
                })
                .collect();
            for at in free {
                items[at] = GenEntry::Free { next_free: free_list_head };
                free_list_head = Some(at);
            }
            GenArena { items, generation, free_list_head, len }
        })
}

pub fn lru() -> impl Strategy<Value = Lru> {
    btree_set(0u8..=3, 0..=3)
        .prop_flat_map(|values| {
            let order = (0..values.len() as u16).collect::<Vec<_>>();
            let values: Vec<u8> = values.into_iter().collect();
            (Just(values).prop_shuffle(), Just(order).prop_shuffle())
        })
        .prop_map(|(values, order)| {
            let mut entries: Vec<LruEntry> =
                values.into_iter().map(|val| LruEntry { val, prev: 0, next: 0 }).collect();
            for pair in order.windows(2) {
                entries[usize::from(pair[0])].next = pair[1];
                entries[usize::from(pair[1])].prev = pair[0];
            }
            let (head, tail) = (order.first().copied(), order.last().copied());
            Lru { entries, head: head.unwrap_or(0), tail: tail.unwrap_or(0) }
        })
}

pub fn range_map() -> impl Strategy<Value = RangeMap> {
    vec((0u8..=1, 1u8..=2, any::<bool>()), 0..=3).prop_map(|pieces| {
        let mut map = RangeMap { btm: Default::default() };
        let (mut at, mut last) = (0, None);
        for (gap, length, value) in pieces {
            let gap = if last == Some(value) { 1 } else { gap };
            let start = at + gap;
            at = start + length;
            map.btm.insert(start, (at, value));
            last = Some(value);
        }
        map
    })
}

pub fn union_find() -> impl Strategy<Value = UnionFind> {
    vec((0u8..=3, any::<Index>()), 0..=3).prop_map(|nodes| {
        let rank: Vec<u8> = nodes.iter().map(|(rank, _)| *rank).collect();
        let parent = |(at, (own, choice)): (usize, &(u8, Index))| {
            let higher = (0..rank.len()).filter(|other| rank[*other] > *own);
            let parents: Vec<usize> = higher.chain([at]).collect();
            *choice.get(&parents)
        };
        let parent = nodes.iter().enumerate().map(parent).collect();
        UnionFind { parent, rank }
    })
}

pub fn priority_store() -> impl Strategy<Value = PriorityStore> {
    vec(0u8..=3, 0..=3)
        .prop_flat_map(|map| {
            let order = (0..map.len()).collect::<Vec<_>>();
            (Just(map), Just(order).prop_shuffle())
        })
        .prop_map(|(map, mut heap)| {
            for end in 1..heap.len() {
                let mut at = end;
                while at > 0 && map[heap[at]] > map[heap[(at - 1) / 2]] {
                    heap.swap(at, (at - 1) / 2);
                    at = (at - 1) / 2;
                }
            }
            let size = map.len();
            let mut qp = vec![0; size];
            heap.iter().enumerate().for_each(|(at, index)| qp[*index] = at);
            PriorityStore { map, heap, qp, size }
        })
}

pub fn sibling_arena() -> impl Strategy<Value = SiblingArena> {
    vec(option::of(any::<Index>()), 0..=3).prop_map(|parents| {
        let mut nodes: Vec<SiblingNode> = vec![SiblingNode::default(); parents.len()];
        for (at, parent) in parents.iter().enumerate().skip(1) {
            let Some(parent) = parent.map(|parent| parent.index(at)) else { continue };
            nodes[at].parent = Some(parent);
            match nodes[parent].last_child {
                None => nodes[parent].first_child = Some(at),
                Some(last) => {
                    nodes[last].next_sibling = Some(at);
                    nodes[at].previous_sibling = Some(last);
                }
            }
            nodes[parent].last_child = Some(at);
        }
        SiblingArena { nodes }
    })
}

pub fn btree_node() -> impl Strategy<Value = BTreeNode> {
    vec(0u8..=8, 0..=8).prop_map(|keys| {
        let mut tree = BTreeNode::default();
        keys.into_iter().for_each(|key| tree.insert(key, false));
        tree
    })
}

pub fn rope() -> impl Strategy<Value = Rope> {
    let leaf = prop_oneof![Just("a"), Just("bc")].prop_map(|text| Rope::Leaf(text.to_owned()));
    leaf.prop_recursive(2, 3, 2, |inner| {
        vec(inner, 1..=2).prop_map(|nodes| {
            let info = nodes.iter().map(|node| node.text().len()).collect();
            let nodes = nodes.into_iter().map(Arc::new).collect();
            Rope::Internal(RopeChildren { nodes, info })
        })
    })
}

pub fn trie_node() -> impl Strategy<Value = TrieNode> {
    vec(prop_oneof![Just(""), Just("0"), Just("1"), Just("00"), Just("011"), Just("10")], 0..=3)
        .prop_map(|keys| {
            let (key, children) = (String::new(), [None, None]);
            let mut trie = TrieNode { key, value: None, child_count: 0, children };
            keys.into_iter().for_each(|key| trie.insert(key, 7, false));
            trie
        })
}
