//! The functions and types of a library, read from its source.
//!
//! Follows the module tree as far as it is written in files; what macros make is
//! not seen. Says nothing about types: whether a function can be called with
//! inputs is for the compiler to judge.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context, Result};
use quote::ToTokens;
use syn::{Attribute, Fields, Generics, ImplItem, Item, ItemImpl, ItemUse, Signature, Visibility};

/// What is known of a library.
#[derive(Default)]
pub struct Source {
    pub functions: Vec<Function>,
    pub types: Vec<TypeItem>,
    /// Whether something is public under another path than that of its definition.
    pub reexports: bool,
}

/// A function or an associated function.
#[derive(Clone)]
pub struct Function {
    pub module: Vec<String>,
    pub owner: Option<Owner>,
    pub signature: Signature,
    pub public: bool,
    /// The imports of its module.
    pub uses: Rc<Vec<ItemUse>>,
}

/// The type of an `impl` block.
#[derive(Clone)]
pub struct Owner {
    pub name: String,
    pub ty: syn::Type,
    pub generics: Generics,
}

/// A struct or enum.
pub struct TypeItem {
    pub name: String,
    pub derives: Vec<String>,
    /// Whether every field can be written from outside.
    pub open: bool,
}

impl Function {
    /// Module, type and name, without the crate's.
    pub fn path(&self) -> Vec<String> {
        let mut path = self.module.clone();
        path.extend(self.owner.as_ref().map(|owner| owner.name.clone()));
        path.push(self.signature.ident.to_string());
        path
    }
}

impl Source {
    /// Reads a library from the file it starts with.
    pub fn read(file: &Path) -> Result<Source> {
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("failed to read {}", file.display()))?;
        let parsed = syn::parse_file(&text).with_context(|| format!("{}", file.display()))?;
        let folder = file.parent().context("a source has a folder")?;
        let mut source = Source::default();
        source.walk(&parsed.items, folder, &[], true);
        Ok(source)
    }

    fn walk(&mut self, items: &[Item], folder: &Path, module: &[String], public: bool) {
        let uses = items.iter().filter_map(|item| match item {
            Item::Use(item) => Some(item.clone()),
            _ => None,
        });
        let uses: Rc<Vec<ItemUse>> = Rc::new(uses.collect());
        self.reexports |= uses.iter().any(|item| is_public(&item.vis));
        for item in items {
            match item {
                Item::Fn(function) => self.functions.push(Function {
                    module: module.to_vec(),
                    owner: None,
                    signature: function.sig.clone(),
                    public: public && is_public(&function.vis),
                    uses: Rc::clone(&uses),
                }),
                Item::Impl(block) => self.block(block, module, public, &uses),
                Item::Struct(item) => self.types.push(TypeItem {
                    name: item.ident.to_string(),
                    derives: derives(&item.attrs),
                    open: is_open(&item.fields),
                }),
                Item::Enum(item) => self.types.push(TypeItem {
                    name: item.ident.to_string(),
                    derives: derives(&item.attrs),
                    open: true,
                }),
                Item::Mod(inner) => {
                    let name = inner.ident.to_string();
                    let public = public && is_public(&inner.vis);
                    let path = [module, std::slice::from_ref(&name)].concat();
                    match &inner.content {
                        Some((_, items)) => self.walk(items, &folder.join(&name), &path, public),
                        None => self.walk_file(&inner.attrs, folder, &path, public),
                    }
                }
                _ => {}
            }
        }
    }

    /// A module in a file of its own; one that is not there is some other platform's.
    fn walk_file(&mut self, attrs: &[Attribute], folder: &Path, module: &[String], public: bool) {
        let name = module.last().expect("a module has a name");
        let named = attrs.iter().find_map(path_attribute).map(|path| folder.join(path));
        let usual = [folder.join(format!("{name}.rs")), folder.join(name).join("mod.rs")];
        for file in named.into_iter().chain(usual) {
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            if let Ok(parsed) = syn::parse_file(&text) {
                self.walk(&parsed.items, &folder.join(name), module, public);
            }
            return;
        }
    }

    fn block(
        &mut self,
        block: &ItemImpl,
        module: &[String],
        public: bool,
        uses: &Rc<Vec<ItemUse>>,
    ) {
        let syn::Type::Path(path) = &*block.self_ty else { return };
        let Some(name) = path.path.segments.last().map(|last| last.ident.to_string()) else {
            return;
        };
        if let Some((_, implemented, _)) = &block.trait_ {
            let implemented = implemented.segments.last().map(|last| last.ident.to_string());
            let found = self.types.iter_mut().find(|item| item.name == name);
            if let (Some(item), Some(implemented)) = (found, implemented) {
                item.derives.push(implemented);
            }
            return;
        }
        for item in &block.items {
            if let ImplItem::Fn(method) = item {
                self.functions.push(Function {
                    module: module.to_vec(),
                    owner: Some(Owner {
                        name: name.clone(),
                        ty: (*block.self_ty).clone(),
                        generics: block.generics.clone(),
                    }),
                    signature: method.sig.clone(),
                    public: public && is_public(&method.vis),
                    uses: Rc::clone(uses),
                });
            }
        }
    }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn is_open(fields: &Fields) -> bool {
    fields.iter().all(|field| is_public(&field.vis))
}

fn path_attribute(attribute: &Attribute) -> Option<PathBuf> {
    let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
    let syn::Expr::Lit(literal) = &pair.value else { return None };
    match &literal.lit {
        syn::Lit::Str(text) if pair.path.is_ident("path") => Some(PathBuf::from(text.value())),
        _ => None,
    }
}

/// The last parts of the derived traits' paths.
fn derives(attributes: &[Attribute]) -> Vec<String> {
    let mut found = vec![];
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("derive")) {
        let _ = attribute.parse_nested_meta(|meta| {
            let last = meta.path.segments.last();
            found.extend(last.map(|segment| segment.ident.to_token_stream().to_string()));
            Ok(())
        });
    }
    found
}
