//! What the sources say beside the contracts: constants, and pure functions whose body is
//! one expression. A file that cannot be parsed says nothing.

use quote::ToTokens;
use std::path::{Path, PathBuf};
use syn::{Block, ImplItem, Item, Stmt, TraitItem, Type};

/// Folders below the sources that are looked into, one in the other.
const MAX_DEPTH: usize = 16;

#[derive(Default)]
pub(super) struct Definitions {
    /// The type that it belongs to, if any, its name, its type and its value.
    pub(super) constants: Vec<(String, String, Type, String)>,
    /// The type and the trait that it belongs to, if any, its name and its body.
    pub(super) bodies: Vec<Body>,
}

pub(super) struct Body {
    pub(super) of: String,
    pub(super) trait_: String,
    pub(super) name: String,
    pub(super) text: String,
}

impl Definitions {
    pub(super) fn read(sources: &Path) -> Definitions {
        let mut definitions = Definitions::default();
        let mut files = vec![];
        list(sources, &mut files, 0);
        files.sort();
        for file in files {
            let text = std::fs::read_to_string(file).unwrap_or_default();
            if let Ok(file) = syn::parse_file(&text) {
                definitions.take(&file.items);
            }
        }
        definitions
    }

    fn take(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Mod(module) => {
                    self.take(module.content.as_ref().map_or(&[][..], |(_, items)| items));
                }
                Item::Const(it) => self.constant("", &it.ident, &it.ty, &it.expr),
                Item::Fn(it) => self.body("", "", &it.sig.ident, &it.block),
                Item::Trait(it) => {
                    for item in &it.items {
                        if let TraitItem::Fn(function) = item
                            && let Some(block) = &function.default
                        {
                            self.body("", &it.ident.to_string(), &function.sig.ident, block);
                        }
                    }
                }
                Item::Impl(it) => self.take_impl(it),
                _ => {}
            }
        }
    }

    fn take_impl(&mut self, it: &syn::ItemImpl) {
        let Type::Path(of) = &*it.self_ty else { return };
        let last = |path: &syn::Path| path.segments.last().map(|last| last.ident.to_string());
        let of = last(&of.path).unwrap_or_default();
        let trait_ = it.trait_.as_ref().and_then(|(_, path, _)| last(path)).unwrap_or_default();
        for item in &it.items {
            match item {
                ImplItem::Const(it) => self.constant(&of, &it.ident, &it.ty, &it.expr),
                ImplItem::Fn(it) => self.body(&of, &trait_, &it.sig.ident, &it.block),
                _ => {}
            }
        }
    }

    fn constant(&mut self, of: &str, name: &syn::Ident, ty: &Type, expr: &syn::Expr) {
        let text = expr.to_token_stream().to_string();
        // A constant may speak of the type that it belongs to.
        let text = text.replace("Self ::", &format!("{of} ::"));
        self.constants.push((of.to_owned(), name.to_string(), ty.clone(), text));
    }

    /// Only what is one expression, after `let`s at most.
    fn body(&mut self, of: &str, trait_: &str, name: &syn::Ident, block: &Block) {
        let Some((Stmt::Expr(_, None), before)) = block.stmts.split_last() else { return };
        if before.iter().any(|statement| !matches!(statement, Stmt::Local(_))) {
            return;
        }
        self.bodies.push(Body {
            of: of.to_owned(),
            trait_: trait_.to_owned(),
            name: name.to_string(),
            text: block.to_token_stream().to_string(),
        });
    }
}

fn list(folder: &Path, files: &mut Vec<PathBuf>, depth: usize) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() && depth < MAX_DEPTH {
            list(&path, files, depth + 1);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}
