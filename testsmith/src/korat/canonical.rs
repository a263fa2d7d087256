//! The canonical form of a structure: the same for isomorphic structures,
//! different for all others.
//!
//! A structure is written down from its root. An object or the slot of an
//! arena is written where it is first reached and numbered in that order;
//! after that its number stands for it. Nothing is left of addresses, of the
//! places of slots in their arena, or of the order in which the arena is kept.

use std::collections::HashMap;

use super::show::Shown;

impl Shown {
    /// The canonical form, or `None` if the value is no structure that the
    /// search enumerates: an index that points outside of its arena, or a slot
    /// that no index reaches.
    pub fn canonical(&self) -> Option<Shown> {
        let mut walk = Walk::default();
        walk.collect(self);
        let canonical = walk.write(self)?;
        let slots: usize = walk.arenas.iter().map(|(_, slots)| slots.len()).sum();
        (walk.reached == slots).then_some(canonical)
    }
}

/// What has a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    /// An object, by the number under which it is shown.
    Object(usize),
    /// A slot: the arena, by the order in which it was met, and the index.
    Slot(usize, usize),
}

#[derive(Default)]
struct Walk<'a> {
    objects: HashMap<usize, (&'static str, &'a Shown)>,
    arenas: Vec<(&'static str, &'a [Shown])>,
    /// The arenas of the structures around, innermost last.
    open: Vec<usize>,
    numbers: HashMap<Place, usize>,
    written: Vec<Place>,
    reached: usize,
}

impl<'a> Walk<'a> {
    /// Finds all objects, wherever they are shown.
    fn collect(&mut self, shown: &'a Shown) {
        if let Shown::Object { number, maker, inside } = shown {
            self.objects.insert(*number, (maker, inside));
        }
        for (_, part) in shown.children() {
            self.collect(part);
        }
    }

    fn number(&mut self, place: Place) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(place).or_insert(next)
    }

    /// Writes what is at a place, the first time; its number after that.
    fn at(&mut self, place: Place, maker: &'static str, inside: &'a Shown) -> Option<Shown> {
        let number = self.number(place);
        if self.written.contains(&place) {
            return Some(Shown::Link(number));
        }
        self.written.push(place);
        Some(Shown::Object { number, maker, inside: Box::new(self.write(inside)?) })
    }

    fn write(&mut self, shown: &'a Shown) -> Option<Shown> {
        Some(match shown {
            Shown::Atom(_) | Shown::Nothing => shown.clone(),
            Shown::Some(inside) => Shown::Some(Box::new(self.write(inside)?)),
            Shown::Wrapped(maker, inside) => Shown::Wrapped(maker, Box::new(self.write(inside)?)),
            Shown::Record { name, fields } => self.record(name, fields)?,
            Shown::Call { name, parts } => {
                let outside = self.open_arenas(parts.iter());
                let parts = self.list(parts)?;
                self.open.truncate(outside);
                Shown::Call { name: name.clone(), parts }
            }
            Shown::Tuple(parts) => Shown::Tuple(self.list(parts)?),
            Shown::Sequence(parts) => Shown::Sequence(self.list(parts)?),
            Shown::Array(parts) => Shown::Array(self.list(parts)?),
            // Its slots are written where indexes reach them.
            Shown::Arena { name, .. } => Shown::Arena { name, slots: Vec::new() },
            Shown::Object { number, .. } | Shown::Link(number) => {
                let (maker, inside) = self.objects[number];
                self.at(Place::Object(*number), maker, inside)?
            }
            Shown::Weak(number) => Shown::Weak(self.number(Place::Object(*number))),
            Shown::Index { arena, at } => self.index(arena, at)?,
        })
    }

    fn list(&mut self, parts: &'a [Shown]) -> Option<Vec<Shown>> {
        parts.iter().map(|part| self.write(part)).collect()
    }

    fn record(&mut self, name: &str, fields: &'a [(String, Shown)]) -> Option<Shown> {
        let outside = self.open_arenas(fields.iter().map(|(_, value)| value));
        let mut written = Vec::with_capacity(fields.len());
        for (field, value) in fields {
            written.push((field.clone(), self.write(value)?));
        }
        self.open.truncate(outside);
        Some(Shown::Record { name: name.to_owned(), fields: written })
    }

    /// Opens the arenas among the fields of a structure; returns how many were
    /// open before.
    fn open_arenas(&mut self, fields: impl Iterator<Item = &'a Shown>) -> usize {
        let outside = self.open.len();
        for field in fields {
            if let Shown::Arena { name, slots } = field {
                self.open.push(self.arenas.len());
                self.arenas.push((name, slots));
            }
        }
        outside
    }

    fn index(&mut self, name: &str, at: &'a Shown) -> Option<Shown> {
        match at {
            Shown::Some(inside) => Some(Shown::Some(Box::new(self.index(name, inside)?))),
            Shown::Atom(text) => {
                let open = self.open.iter().rev();
                let arena = open.copied().find(|arena| self.arenas[*arena].0 == name)?;
                let at: usize = text.parse().ok()?;
                let slot = self.arenas[arena].1.get(at)?;
                let place = Place::Slot(arena, at);
                self.reached += usize::from(!self.written.contains(&place));
                self.at(place, "slot", slot)
            }
            other => self.write(other),
        }
    }
}
