//! The space of candidates: every object preallocated, every field numbered.
//!
//! Built once per search from a type and a finitization. The builder walks the
//! types, not the values, so recursion ends at the objects of a class, which
//! are built from a work list.

use std::any::TypeId;
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::Korat;
use super::calls::Values;
use super::cell::{Header, Lazy, TwinType, state};
use super::finitize::{Finitization, FinitizeError, MAX_DOMAIN, Plain};
use super::kinds::Place;
use super::memory::Memory;
use super::trail::{Class, Field, NO_CLASS, Needs, Trail};

/// The values a field of type `T` may take.
pub struct Choices<T> {
    pub(crate) values: Vec<T>,
    pub(crate) class: u32,
    pub(crate) first: u32,
    pub(crate) owned: bool,
    pub(crate) terminal: bool,
    pub(crate) needs: Vec<Needs>,
    /// Whether the values have no fields of their own, so that other fields
    /// may have the very same ones.
    pub(crate) reusable: bool,
}

/// The type of a field, the input it belongs to, and its name.
type ListKey = (TypeId, usize, Option<String>);

/// What fields of the same name and type have in common.
#[derive(Clone, Copy)]
struct Domain {
    values: *const (),
    size: u32,
    class: u32,
    first: u32,
    owned: bool,
    terminal: bool,
}

impl<T> Choices<T> {
    /// Values that lead to no further field.
    pub fn plain(values: Vec<T>) -> Self {
        let needs = Vec::new();
        let (class, first) = (NO_CLASS, 0);
        Choices { values, class, first, owned: false, terminal: true, needs, reusable: true }
    }

    /// One value whose parts are fields themselves.
    pub fn inline(value: T) -> Self {
        Choices { terminal: false, reusable: false, ..Choices::plain(vec![value]) }
    }

    /// Several values, some with fields of their own.
    pub fn variants(variants: Vec<(T, Claim)>, terminal: bool) -> Self {
        let (values, claims): (Vec<T>, Vec<Claim>) = variants.into_iter().unzip();
        let mut choices = Choices { terminal, reusable: false, ..Choices::plain(values) };
        if claims.iter().any(|claim| !claim.0.is_empty()) {
            choices.needs = claims.into_iter().map(|claim| claim.0).collect();
        }
        choices
    }
}

/// What a value claims of the classes of objects.
pub struct Claim(Needs);

impl Claim {
    pub(crate) fn none() -> Claim {
        Claim(Needs::new())
    }

    pub(crate) fn is_some(&self) -> bool {
        !self.0.is_empty()
    }

    pub(crate) fn needs(&self) -> &Needs {
        &self.0
    }
}

/// How objects of a class are pointed at. Objects of different families never
/// mix: what a `Box` owns no `Rc` can share.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Family {
    Owned,
    Shared,
    Atomic,
    Raw,
}

/// The objects of one class.
pub(crate) struct Objects {
    pub class: u32,
    pub base: *mut u8,
    pub stride: usize,
    pub count: u32,
}

impl Objects {
    pub(crate) fn addresses(&self) -> impl Iterator<Item = *mut ()> + '_ {
        // The pointer stays inside the allocation made for `count` objects.
        (0..self.count as usize).map(|i| self.base.wrapping_add(i * self.stride).cast())
    }
}

type Fill = fn(&mut Builder, *mut u8, u32);

struct Unbuilt {
    class: u32,
    base: *mut u8,
    fill: Fill,
    region: usize,
}

/// The typed half of a space is the twin at its root; everything else is here.
pub struct Space {
    pub(crate) trail: Box<Trail>,
    /// Keeps headers, value lists and objects alive and in place.
    #[expect(dead_code, reason = "owned here so that the pointers into it stay valid")]
    memory: Vec<Memory>,
    /// The fields in the order of their numbers, for people.
    pub(crate) skeleton: Vec<String>,
    pub(crate) candidates_log2: f64,
    /// The values of plain fields, by the names of their types.
    pub(crate) values: Values,
}

/// Builds a space.
pub struct Builder<'a> {
    finitization: &'a Finitization,
    pub(super) trail: Box<Trail>,
    pub(super) memory: Vec<Memory>,
    /// Value lists that fields of the same name and type share.
    lists: HashMap<ListKey, Domain>,
    classes: HashMap<(TypeId, Family, usize), u32>,
    /// Which input of several is being built: inputs share no objects.
    region: usize,
    objects: Vec<(*mut u8, usize)>,
    unbuilt: Vec<Unbuilt>,
    /// The types of the fields that are being built, outermost first.
    around: Vec<TypeId>,
    claims: Vec<Needs>,
    path: Vec<String>,
    defaults: Vec<(String, Vec<Plain>)>,
    lengths: Vec<(String, (usize, usize))>,
    counts: HashMap<String, usize>,
    pub(super) arenas: Vec<(String, u32, u32)>,
    pub(super) index_of: Option<String>,
    cells: u32,
    known: Vec<String>,
    values: Values,
    errors: Vec<FinitizeError>,
}

impl Space {
    /// Preallocates the candidates of `T` and returns the root twin.
    pub(crate) fn build<T: Korat>(
        finitization: &Finitization,
    ) -> Result<(Space, Lazy<T::Twin>), FinitizeError> {
        let mut builder = Builder {
            finitization,
            trail: Box::new(Trail::new()),
            memory: Vec::new(),
            lists: HashMap::new(),
            classes: HashMap::new(),
            region: 0,
            objects: Vec::new(),
            unbuilt: Vec::new(),
            around: Vec::new(),
            claims: vec![Needs::new()],
            path: Vec::new(),
            defaults: Vec::new(),
            lengths: Vec::new(),
            counts: HashMap::new(),
            arenas: Vec::new(),
            index_of: None,
            cells: 0,
            known: Vec::new(),
            values: Values::new(),
            errors: Vec::new(),
        };
        let built = catch_unwind(AssertUnwindSafe(|| {
            let root = builder.cell::<T>();
            builder.trail.inner.get_mut().root_cells = builder.cells;
            builder.build_objects();
            root
        }));
        let root = built.map_err(|payload| match payload.downcast::<FinitizeError>() {
            Ok(refused) => *refused,
            Err(payload) => resume_unwind(payload),
        })?;
        let space = builder.finish()?;
        Ok((space, root))
    }
}

impl Builder<'_> {
    /// The scope of the finitization, for expressions in attributes.
    pub fn scope(&self) -> i64 {
        self.finitization.scope as i64
    }

    /// A cell for a field of type `T` with the domain of the current path.
    pub fn cell<T: Korat>(&mut self) -> Lazy<T::Twin> {
        let id = TypeId::of::<T>();
        if self.around.contains(&id) {
            return self.forward::<T>();
        }
        // An index leads into the arena of the structure around it.
        let key = (id, self.region, self.path.last().cloned());
        let shared = self.index_of.is_none().then(|| self.lists.get(&key).copied()).flatten();
        if let Some(domain) = shared {
            return self.place(domain, Vec::new());
        }
        self.around.push(id);
        let choices = T::choices(self);
        self.around.pop();
        let reusable = choices.reusable && choices.needs.is_empty() && self.index_of.is_none();
        if T::Twin::INLINE || !reusable {
            return self.install(choices);
        }
        let (domain, needs) = self.domain(choices);
        self.lists.insert(key, domain);
        self.place(domain, needs)
    }

    /// A cell for a type that contains itself without a pointer.
    fn forward<T: Korat>(&mut self) -> Lazy<T::Twin> {
        let choices = Box::<T>::choices(self);
        let inside = self.install(choices);
        // A box is a place and nothing else.
        let inside = Lazy::<Place>::new(inside.header.get(), inside.values.get().cast());
        let header = Header::new(u32::MAX, 1, NO_CLASS, 0, std::ptr::null());
        header.state.set(state::FORWARD);
        let header: *const Header = self.keep(vec![header]);
        Lazy::forwarding(self.keep(vec![inside]), header)
    }

    /// A named field of a named type.
    pub fn field<T: Korat>(&mut self, owner: &str, field: &str) -> Lazy<T::Twin> {
        let name = format!("{owner}.{field}");
        self.named(name, |builder| builder.cell::<T>())
    }

    /// A field whose attribute names its values.
    pub fn field_with<T: Korat>(
        &mut self,
        owner: &str,
        field: &str,
        values: impl FnOnce(i64) -> Vec<Plain>,
    ) -> Lazy<T::Twin> {
        let name = format!("{owner}.{field}");
        // The list may be long, and there already for another object.
        if self.lists.contains_key(&(TypeId::of::<T>(), self.region, Some(name.clone()))) {
            return self.field::<T>(owner, field);
        }
        self.defaults.push((name, values(self.scope())));
        let cell = self.field::<T>(owner, field);
        self.defaults.pop();
        cell
    }

    /// Runs `build` with the lengths that an attribute gives to a vector.
    pub fn with_len<R>(
        &mut self,
        owner: &str,
        field: &str,
        lengths: std::ops::RangeInclusive<i64>,
        build: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let bounds = ((*lengths.start()).max(0) as usize, (*lengths.end()).max(0) as usize);
        self.lengths.push((format!("{owner}.{field}"), bounds));
        let result = build(self);
        self.lengths.pop();
        result
    }

    /// The number of objects an attribute gives to a type.
    pub fn count_objects(&mut self, class: &str, count: i64) {
        self.counts.insert(class.to_owned(), count.max(0) as usize);
    }

    pub(crate) fn named<R>(&mut self, name: String, build: impl FnOnce(&mut Self) -> R) -> R {
        if !self.known.contains(&name) {
            self.known.push(name.clone());
        }
        self.path.push(name);
        let result = build(self);
        self.path.pop();
        result
    }

    /// Runs `build` for one of several inputs of a test.
    pub(crate) fn input<R>(&mut self, at: usize, build: impl FnOnce(&mut Self) -> R) -> R {
        if !self.path.is_empty() || self.region != 0 {
            return build(self);
        }
        self.region = at + 1;
        let result = build(self);
        self.region = 0;
        result
    }

    /// A part of a field, with the field's domain unless it has its own.
    pub(crate) fn inherit<R>(
        &mut self,
        name: String,
        domain: Option<Vec<Plain>>,
        build: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let inherited = domain.is_some();
        self.defaults.extend(domain.map(|values| (name.clone(), values)));
        let result = self.named(name, build);
        if inherited {
            self.defaults.pop();
        }
        result
    }

    pub(crate) fn name(&self) -> String {
        self.path.last().cloned().unwrap_or_else(|| "input".to_owned())
    }

    /// Builds one variant of an enum and notes what it claims.
    pub fn variant<T>(&mut self, build: impl FnOnce(&mut Self) -> T) -> (T, Claim) {
        self.claims.push(Needs::new());
        let value = build(self);
        (value, Claim(self.claims.pop().expect("pushed above")))
    }

    /// Adds to the current claims.
    pub(crate) fn claim(&mut self, class: u32, count: u32) {
        let needs = self.claims.last_mut().expect("the root's claims are always there");
        match needs.iter_mut().find(|(c, _)| *c == class) {
            Some((_, n)) => *n += count,
            None => needs.push((class, count)),
        }
    }

    /// The claim of a vector of `len` elements that claim `each`.
    pub(crate) fn repeat(each: &Claim, len: usize) -> Claim {
        Claim(each.0.iter().map(|&(class, count)| (class, count * len as u32)).collect())
    }

    /// The domain that the finitization or an attribute gives to this path.
    pub(crate) fn given(&self) -> Option<Vec<Plain>> {
        let name = self.path.last()?;
        let exception = self.finitization.domains.get(name);
        let default = || self.defaults.iter().rev().find(|(n, _)| n == name).map(|(_, v)| v);
        exception.or_else(default).cloned()
    }

    /// The lengths of the vector at this path.
    pub(crate) fn length_bounds(&self) -> (usize, usize) {
        let name = self.name();
        let exception = self.finitization.lengths.get(&name).copied();
        let default = || self.lengths.iter().rev().find(|(n, _)| *n == name).map(|(_, v)| *v);
        exception.or_else(default).unwrap_or((0, self.finitization.scope))
    }

    pub(crate) fn is_non_null(&self) -> bool {
        self.path.last().is_some_and(|name| self.finitization.non_null.contains(name))
    }

    /// Notes values of a plain type, for calls that take such arguments.
    pub(crate) fn note_values(&mut self, ty: &'static str, values: &[Plain]) {
        let known = self.values.entry(ty).or_default();
        let seen: HashSet<&Plain> = known.iter().collect();
        let new = values.iter().filter(|value| !seen.contains(value)).cloned();
        let new: Vec<Plain> = new.collect();
        known.extend(new);
    }

    pub(crate) fn fail(&mut self, error: FinitizeError) {
        self.errors.push(error);
    }

    pub(crate) fn install<T: TwinType>(&mut self, choices: Choices<T>) -> Lazy<T> {
        if T::INLINE && choices.values.len() == 1 {
            return Lazy::new(std::ptr::null(), self.keep(choices.values));
        }
        let (domain, needs) = self.domain(choices);
        self.place(domain, needs)
    }

    /// Keeps the values that a field may take.
    fn domain<T: TwinType>(&mut self, choices: Choices<T>) -> (Domain, Vec<Needs>) {
        let name = self.name();
        let Choices { values, class, first, owned, terminal, needs, .. } = choices;
        // A mandatory box without objects makes what contains it unaffordable,
        // which is an error only if that is the root.
        if values.is_empty() && !(owned && first == 0) {
            match class {
                NO_CLASS => self.fail(FinitizeError::EmptyDomain { field: name.clone() }),
                class => {
                    let class = self.trail.inner.get_mut().classes[class as usize].name.clone();
                    self.fail(FinitizeError::NoObjects { field: name.clone(), class });
                }
            }
        }
        if values.len() > MAX_DOMAIN {
            self.fail(FinitizeError::HugeDomain { field: name, size: values.len() });
        }
        let size = values.len() as u32;
        let values: *const () = self.keep(values).cast();
        (Domain { values, size, class, first, owned, terminal }, needs)
    }

    /// Makes the cell of a field that takes these values.
    fn place<T: TwinType>(&mut self, domain: Domain, needs: Vec<Needs>) -> Lazy<T> {
        let Domain { values, size, class, first, owned, terminal } = domain;
        if owned && first == 0 {
            self.claim(class, 1);
        }
        let fixed = size == 1 && class == NO_CLASS && needs.is_empty();
        self.cells += u32::from(!fixed);
        let trail: *const Trail = &*self.trail;
        let count = self.trail.inner.get_mut().fields.len();
        let header = Header::new(count as u32, size, class, first, trail);
        if fixed {
            header.state.set(state::SEEN);
        }
        let header: *const Header = self.keep(vec![header]);
        let (name, terminal) = (self.name(), terminal && !owned);
        let field = Field { header, name, owned, terminal, needs };
        self.trail.inner.get_mut().fields.push(field);
        Lazy::new(header, values.cast())
    }

    /// The objects of `T` that pointers of one family share.
    pub(crate) fn objects<T: Korat>(&mut self, family: Family) -> Objects {
        let key = (TypeId::of::<T>(), family, self.region);
        if let Some(&class) = self.classes.get(&key) {
            let (base, stride) = self.objects[class as usize];
            let count = self.trail.inner.get_mut().classes[class as usize].count;
            return Objects { class, base, stride, count };
        }
        let count = self.count_of::<T>();
        let class = self.add_class(T::class_name(), count);
        self.classes.insert(key, class);
        let bare = T::Twin::INLINE && size_of::<T::Twin>() == 0;
        let (base, stride): (*mut u8, usize) = if bare {
            // Objects without contents still need addresses that tell them apart.
            (self.reserve::<u128>(count).cast(), size_of::<u128>())
        } else if T::Twin::INLINE {
            (self.reserve::<T::Twin>(count).cast(), size_of::<T::Twin>())
        } else {
            (self.reserve::<Lazy<T::Twin>>(count).cast(), size_of::<Lazy<T::Twin>>())
        };
        self.objects.push((base, stride));
        let region = self.region;
        self.unbuilt.push(Unbuilt { class, base, fill: fill::<T>, region });
        Objects { class, base, stride, count }
    }

    /// How many objects of `T` there may be.
    pub(crate) fn count_of<T: Korat>(&mut self) -> u32 {
        T::declare(self);
        let name = T::class_name();
        let count = self.finitization.objects.get(&name).or_else(|| self.counts.get(&name));
        let count = count.copied().unwrap_or(self.finitization.scope);
        self.bound_objects(&name, count)
    }

    /// An arena's class has no pointers to its objects.
    pub(crate) fn objects_placeholder(&mut self) {
        self.objects.push((std::ptr::null_mut(), 0));
    }

    pub(crate) fn add_class(&mut self, name: String, count: u32) -> u32 {
        if !self.known.contains(&name) {
            self.known.push(name.clone());
        }
        let classes = &mut self.trail.inner.get_mut().classes;
        classes.push(Class {
            name,
            count,
            high: -1,
            pending: 0,
            needs: Needs::new(),
            cells: 0,
            length: None,
        });
        classes.len() as u32 - 1
    }

    fn build_objects(&mut self) {
        while let Some(Unbuilt { class, base, fill, region }) = self.unbuilt.pop() {
            self.region = region;
            self.around.clear();
            let count = self.trail.inner.get_mut().classes[class as usize].count;
            self.in_class(class, |builder| fill(builder, base, count));
        }
    }

    /// Builds the objects of a class and notes how many fields each has and
    /// what each claims.
    pub(crate) fn in_class<R>(&mut self, class: u32, build: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::take(&mut self.cells);
        self.claims.push(Needs::new());
        let path = std::mem::take(&mut self.path);
        let result = build(self);
        self.path = path;
        let needs = self.claims.pop().expect("pushed above");
        let entry = &mut self.trail.inner.get_mut().classes[class as usize];
        let count = entry.count.max(1);
        entry.cells = self.cells / count;
        entry.needs = needs.into_iter().map(|(class, n)| (class, n / count)).collect();
        self.cells = outer;
        result
    }

    fn finish(mut self) -> Result<Space, FinitizeError> {
        let needs = self.claims.pop().expect("the root's claims");
        let inner = self.trail.inner.get_mut();
        for (class, needed) in needs {
            let class = &mut inner.classes[class as usize];
            class.pending = needed;
            if needed > class.count {
                let (name, count) = (class.name.clone(), class.count);
                self.errors.push(FinitizeError::TooFewObjects { class: name, count, needed });
            }
        }
        for name in self.finitization.names() {
            if !self.known.contains(name) {
                let (name, known) = (name.clone(), self.known.clone());
                self.errors.push(FinitizeError::UnknownName { name, known });
            }
        }
        if let Some(error) = self.errors.into_iter().next() {
            return Err(error);
        }
        for at in 0..inner.fields.len() {
            let class = inner.header(at as u32).class;
            if class != NO_CLASS {
                let bare = inner.classes[class as usize].cells == 0;
                inner.fields[at].terminal &= bare;
            }
        }
        let line = |(at, field): (usize, &Field)| {
            let header = inner.header(at as u32);
            if header.class == NO_CLASS {
                return format!("{}: {} values", field.name, header.size);
            }
            let class = &inner.classes[header.class as usize];
            let null = if header.first > 0 { "none or " } else { "" };
            let how = if field.owned { "a fresh one of" } else { "any of" };
            format!("{}: {null}{how} {} {}", field.name, class.count, class.name)
        };
        let skeleton = inner.fields.iter().enumerate().map(line).collect();
        let sizes = (0..inner.fields.len()).map(|at| inner.header(at as u32).size);
        let candidates_log2 = sizes.map(|size| f64::from(size).log2()).sum();
        let Builder { trail, memory, values, .. } = self;
        Ok(Space { trail, memory, skeleton, candidates_log2, values })
    }

    pub(crate) fn note_weak(&mut self) {
        self.trail.inner.get_mut().has_weak = true;
    }

    pub(crate) fn uncounted<R>(&mut self, build: impl FnOnce(&mut Self) -> R) -> R {
        let before = self.cells;
        let result = build(self);
        self.cells = before;
        result
    }
}

fn fill<T: Korat>(builder: &mut Builder, base: *mut u8, count: u32) {
    let before = builder.fields();
    for i in 0..count as usize {
        if i == 1 {
            builder.bound_copies(before, count as usize);
        }
        let cell = builder.cell::<T>();
        if T::Twin::INLINE {
            let value = cell.peek().share();
            // SAFETY: `reserve` made room for `count` twins at `base`.
            unsafe { base.cast::<T::Twin>().add(i).write(value) };
        } else {
            // SAFETY: `reserve` made room for `count` cells at `base`.
            unsafe { base.cast::<Lazy<T::Twin>>().add(i).write(cell) };
        }
    }
}
