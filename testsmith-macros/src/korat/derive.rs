//! `#[derive(Korat)]`: the twin of a type.
//!
//! For
//! ```ignore
//! #[derive(Korat)]
//! struct Tree { root: Option<Box<Node>>, size: usize }
//! ```
//! the expansion is, leaving out paths,
//! ```ignore
//! struct TreeTwin { root: Lazy<<Option<Box<Node>> as Korat>::Twin>, size: Lazy<usize> }
//! impl TwinType for TreeTwin { .. }   // share, reach and show every field
//! impl Korat for Tree {
//!     type Twin = TreeTwin;
//!     fn choices(builder: &mut Builder) -> Choices<TreeTwin> {
//!         let root = builder.field::<Option<Box<Node>>>("Tree", "root");
//!         let size = builder.field::<usize>("Tree", "size");
//!         Choices::inline(TreeTwin { root, size })
//!     }
//!     fn realize(twin: &TreeTwin, realizer: &mut Realizer) -> Tree {
//!         Tree { root: realizer.field::<Option<Box<Node>>>(&twin.root), .. }
//!     }
//!     ..
//! }
//! ```
//! An enum's twin has the same variants; each is one of the values of a field
//! of that type. An enum without data is its own twin. No unsafe code is ever
//! expanded: what needs it lives in the library.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Field, Fields, Generics, Member, Result, Type};

use super::attributes::{self, FieldAttributes, TypeAttributes};
use super::{tokens_or_errors, twin_name};

pub fn derive(input: TokenStream) -> TokenStream {
    tokens_or_errors(syn::parse2(input).and_then(|input| expand(&input)))
}

fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let context = Context::new(input)?;
    match &input.data {
        Data::Struct(data) => context.structure(&data.fields),
        Data::Enum(data) if data.variants.is_empty() => {
            Err(syn::Error::new(input.ident.span(), "an enum without variants has no values"))
        }
        Data::Enum(data) if data.variants.iter().all(|v| v.fields.is_empty()) => {
            context.names(&data.variants)
        }
        Data::Enum(data) => context.variants(&data.variants),
        Data::Union(data) => Err(syn::Error::new(
            data.union_token.span,
            "a union cannot be enumerated: nothing says which field is live; use an enum",
        )),
    }
}

/// What every part of the expansion needs.
struct Context<'a> {
    input: &'a DeriveInput,
    twin: Ident,
    generics: Generics,
    attributes: TypeAttributes,
}

/// A field, named for the expansion.
struct Part<'a> {
    member: Member,
    binding: Ident,
    name: String,
    field: &'a Field,
    attributes: FieldAttributes,
}

fn parts(fields: &Fields) -> Result<Vec<Part<'_>>> {
    fields.iter().enumerate().map(|(at, field)| Part::new(at, field)).collect()
}

impl<'a> Part<'a> {
    fn new(at: usize, field: &'a Field) -> Result<Self> {
        let attributes = attributes::of_field(&field.attrs)?;
        let (member, name) = match &field.ident {
            Some(ident) => {
                let name = ident.to_string().trim_start_matches("r#").to_owned();
                (Member::Named(ident.clone()), name)
            }
            None => (Member::Unnamed(at.into()), at.to_string()),
        };
        let binding = format_ident!("field_{name}");
        Ok(Part { member, binding, name, field, attributes })
    }

    /// How the field is shown, given how its value is: what tells slots of an
    /// arena from other elements and indexes from other numbers.
    fn shown(&self, value: TokenStream) -> TokenStream {
        let name = &self.name;
        match &self.attributes.index {
            Some(arena) => quote!(::testsmith::korat::Shown::index(#arena, #value)),
            None if self.attributes.arena => {
                quote!(::testsmith::korat::Shown::arena(#name, #value))
            }
            None => value,
        }
    }

    /// The expression that builds the field's cell.
    fn build(&self, owner: &str) -> Result<TokenStream> {
        let (ty, name) = (&self.field.ty, &self.name);
        let span = ty.span();
        let built = if self.attributes.arena {
            let element = vec_element(ty)?;
            quote_spanned!(span=> builder.arena_field::<#element>(#owner, #name))
        } else if let Some(arena) = &self.attributes.index {
            quote_spanned!(span=> builder.index_field::<#ty>(#owner, #name, #arena))
        } else if let Some(values) = &self.attributes.values {
            quote_spanned!(span=> {
                #[allow(unused_variables)]
                let scope: i64 = builder.scope();
                let values = ::std::iter::IntoIterator::into_iter(#values)
                    .map(::std::convert::Into::<::testsmith::korat::Plain>::into)
                    .collect();
                builder.field_with::<#ty>(#owner, #name, values)
            })
        } else {
            quote_spanned!(span=> builder.field::<#ty>(#owner, #name))
        };
        Ok(match &self.attributes.len {
            None => built,
            Some(len) => quote_spanned!(span=> {
                #[allow(unused_variables)]
                let scope: i64 = builder.scope();
                builder.with_len(#owner, #name, #len, |builder| #built)
            }),
        })
    }
}

/// The element type of a field marked as an arena.
fn vec_element(ty: &Type) -> Result<&Type> {
    if let Type::Path(path) = ty
        && let Some(last) = path.path.segments.last()
        && last.ident == "Vec"
        && let syn::PathArguments::AngleBracketed(arguments) = &last.arguments
        && let Some(syn::GenericArgument::Type(element)) = arguments.args.first()
    {
        return Ok(element);
    }
    Err(syn::Error::new(ty.span(), "an arena is a `Vec<..>` field"))
}

impl<'a> Context<'a> {
    fn new(input: &'a DeriveInput) -> Result<Self> {
        let mut generics = input.generics.clone();
        if let Some(lifetime) = generics.lifetimes().next() {
            let text = "a type that borrows cannot be enumerated; use Box, Rc or an index";
            return Err(syn::Error::new(lifetime.span(), text));
        }
        for parameter in generics.type_params_mut() {
            parameter.bounds.push(syn::parse_quote!(::testsmith::korat::Korat));
            parameter.default = None;
        }
        let twin = twin_name(&input.ident);
        let attributes = attributes::of_type(&input.attrs)?;
        Ok(Context { input, twin, generics, attributes })
    }

    fn lazy(&self, ty: &Type) -> TokenStream {
        quote_spanned! {ty.span()=>
            ::testsmith::korat::Lazy<<#ty as ::testsmith::korat::Korat>::Twin>
        }
    }

    fn structure(&self, fields: &Fields) -> Result<TokenStream> {
        let (name, vis, twin) = (&self.input.ident, &self.input.vis, &self.twin);
        let (_, _, where_clause) = self.generics.split_for_impl();
        let generics = &self.generics;
        let body = self.twin_fields(fields, true);
        let declaration = match fields {
            Fields::Named(_) => quote!(#vis struct #twin #generics #where_clause { #body }),
            Fields::Unnamed(_) => quote!(#vis struct #twin #generics (#body) #where_clause;),
            Fields::Unit => quote!(#vis struct #twin;),
        };
        let parts = parts(fields)?;
        let owner = name.to_string();
        let (build, bindings) = self.build(&parts, &owner)?;
        let members: Vec<&Member> = parts.iter().map(|part| &part.member).collect();
        let types: Vec<&Type> = parts.iter().map(|part| &part.field.ty).collect();
        let names: Vec<&String> = parts.iter().map(|part| &part.name).collect();
        // An arena is walked last: the index fields say how much of it is used.
        let (last, first): (Vec<&Part>, Vec<&Part>) =
            parts.iter().partition(|part| part.attributes.arena);
        let walk: Vec<&Member> = first.iter().chain(&last).map(|part| &part.member).collect();
        let show = parts.iter().zip(&members).map(|(part, member)| {
            part.shown(quote!(::testsmith::korat::TwinType::show(&self.#member, shower)))
        });
        let show_real = parts.iter().zip(&members).map(|(part, member)| {
            part.shown(quote!(::testsmith::korat::Korat::show_real(&self.#member, shower)))
        });
        let twin_type = self.twin_type(
            true,
            quote!(#twin { #(#members: ::testsmith::korat::TwinType::share(&self.#members)),* }),
            quote!(#(reach.cell(&self.#walk);)*),
            record(&owner, &names, show),
        );
        let korat = self.korat(
            quote!(#build ::testsmith::korat::Choices::inline(#twin { #(#members: #bindings),* })),
            quote!(#name { #(#members: realizer.field::<#types>(&twin.#members)),* }),
            record(&owner, &names, show_real),
            Inside { deep: all_deep(&types, members.iter().map(|m| quote!(&twin.#m))), types },
        );
        Ok(quote! {
            #[doc(hidden)]
            #declaration
            #twin_type
            #korat
        })
    }

    fn twin_fields(&self, fields: &Fields, visible: bool) -> TokenStream {
        let field = |field: &Field| {
            let lazy = self.lazy(&field.ty);
            let vis = visible.then_some(&field.vis);
            let name = field.ident.iter();
            quote!(#vis #(#name:)* #lazy,)
        };
        fields.iter().map(field).collect()
    }

    /// Statements that build all cells, arenas first, and the bindings.
    fn build(&self, parts: &[Part], owner: &str) -> Result<(TokenStream, Vec<Ident>)> {
        let mut statements = TokenStream::new();
        for arenas in [true, false] {
            for part in parts.iter().filter(|part| part.attributes.arena == arenas) {
                let (binding, build) = (&part.binding, part.build(owner)?);
                statements.extend(quote!(let #binding = #build;));
            }
        }
        if parts.iter().any(|part| part.attributes.arena) {
            statements = quote! {
                let arenas = builder.arenas();
                #statements
                builder.close_arenas(arenas);
            };
        }
        Ok((statements, parts.iter().map(|part| part.binding.clone()).collect()))
    }

    /// An enum without data: its own twin.
    fn names(
        &self,
        variants: &syn::punctuated::Punctuated<syn::Variant, syn::Token![,]>,
    ) -> Result<TokenStream> {
        let (name, vis, twin) = (&self.input.ident, &self.input.vis, &self.twin);
        let idents: Vec<&Ident> = variants.iter().map(|variant| &variant.ident).collect();
        let shown: Vec<String> = idents.iter().map(|ident| format!("{name}::{ident}")).collect();
        let same = quote!(match self { #(#name::#idents => #name::#idents),* });
        let same_twin = quote!(match twin { #(#name::#idents => #name::#idents),* });
        let show = quote!(match self {
            #(#name::#idents => ::testsmith::korat::Shown::Atom(#shown.to_owned())),*
        });
        let twin_type = self.twin_type_for(name, false, same, TokenStream::new(), show);
        let choices = quote!(::testsmith::korat::Choices::plain(::std::vec![#(#name::#idents),*]));
        let korat = self.korat(
            choices,
            same_twin,
            quote!(::testsmith::korat::TwinType::show(self, shower)),
            Inside { deep: quote!(true), types: Vec::new() },
        );
        Ok(quote! {
            #[doc(hidden)]
            #[allow(dead_code)]
            #vis type #twin = #name;
            #twin_type
            #korat
        })
    }

    fn variants(
        &self,
        variants: &syn::punctuated::Punctuated<syn::Variant, syn::Token![,]>,
    ) -> Result<TokenStream> {
        let (vis, twin) = (&self.input.vis, &self.twin);
        let generics = &self.generics;
        let (_, _, where_clause) = self.generics.split_for_impl();
        let mut arms = Arms::default();
        for variant in variants {
            self.variant(variant, &mut arms)?;
        }
        let Arms { declarations, values, share, reach, show, realize, show_real, deep } = arms;
        let fields = variants.iter().flat_map(|variant| &variant.fields);
        let twin_type = self.twin_type(
            false,
            quote!(match self { #share }),
            quote!(match self { #reach }),
            quote!(match self { #show }),
        );
        let korat = self.korat(
            quote!(::testsmith::korat::Choices::variants(::std::vec![#values], false)),
            quote!(match twin { #realize }),
            quote!(match self { #show_real }),
            Inside {
                deep: quote!(match twin { #deep }),
                types: fields.map(|field| &field.ty).collect(),
            },
        );
        Ok(quote! {
            #[doc(hidden)]
            #vis enum #twin #generics #where_clause { #declarations }
            #twin_type
            #korat
        })
    }

    fn variant(&self, variant: &syn::Variant, arms: &mut Arms) -> Result<()> {
        let (name, twin, ident) = (&self.input.ident, &self.twin, &variant.ident);
        let body = self.twin_fields(&variant.fields, false);
        arms.declarations.extend(match &variant.fields {
            Fields::Named(_) => quote!(#ident { #body },),
            Fields::Unnamed(_) => quote!(#ident(#body),),
            Fields::Unit => quote!(#ident,),
        });
        let parts = parts(&variant.fields)?;
        let owner = format!("{name}::{ident}");
        let (build, bindings) = self.build(&parts, &owner)?;
        let members: Vec<&Member> = parts.iter().map(|part| &part.member).collect();
        let types: Vec<&Type> = parts.iter().map(|part| &part.field.ty).collect();
        let names: Vec<&String> = parts.iter().map(|part| &part.name).collect();
        let pattern = quote!(#twin::#ident { #(#members: #bindings),* });
        arms.values.extend(quote!(builder.variant(|builder| { #build #pattern }),));
        arms.share.extend(quote! {
            #pattern => #twin::#ident {
                #(#members: ::testsmith::korat::TwinType::share(#bindings)),*
            },
        });
        arms.reach.extend(quote!(#pattern => { #(reach.cell(#bindings);)* }));
        let shown = parts.iter().map(|part| {
            let binding = &part.binding;
            part.shown(quote!(::testsmith::korat::TwinType::show(#binding, shower)))
        });
        let shown = record(&owner, &names, shown);
        arms.show.extend(quote!(#pattern => #shown,));
        let shown = parts.iter().map(|part| {
            let binding = &part.binding;
            part.shown(quote!(::testsmith::korat::Korat::show_real(#binding, shower)))
        });
        let shown = record(&owner, &names, shown);
        arms.show_real.extend(quote!(#name::#ident { #(#members: #bindings),* } => #shown,));
        let deep = all_deep(&types, bindings.iter().map(|binding| quote!(#binding)));
        arms.deep.extend(quote!(#pattern => #deep,));
        arms.realize.extend(quote! {
            #pattern => #name::#ident { #(#members: realizer.field::<#types>(#bindings)),* },
        });
        Ok(())
    }

    fn twin_type(
        &self,
        inline: bool,
        share: TokenStream,
        reach: TokenStream,
        show: TokenStream,
    ) -> TokenStream {
        self.twin_type_for(&self.twin, inline, share, reach, show)
    }

    fn twin_type_for(
        &self,
        twin: &Ident,
        inline: bool,
        share: TokenStream,
        reach: TokenStream,
        show: TokenStream,
    ) -> TokenStream {
        let (impl_generics, arguments, where_clause) = self.generics.split_for_impl();
        quote! {
            #[automatically_derived]
            impl #impl_generics ::testsmith::korat::TwinType for #twin #arguments #where_clause {
                const INLINE: bool = #inline;

                fn share(&self) -> Self {
                    #share
                }

                #[allow(unused_variables)]
                fn reach(&self, reach: &mut ::testsmith::korat::Reach) {
                    #reach
                }

                #[allow(unused_variables)]
                fn show(
                    &self,
                    shower: &mut ::testsmith::korat::Shower,
                ) -> ::testsmith::korat::Shown {
                    #show
                }
            }
        }
    }

    /// How the type is asked whether it is valid.
    fn predicate(&self, inside: &Inside) -> Predicate {
        let korat = quote!(::testsmith::korat);
        let span = Span::call_site().located_at(self.input.ident.span());
        if self.attributes.unconstrained {
            let constraint = quote!(#korat::Constraint::Unwanted);
            return Predicate { twin_check: quote!(true), real_check: quote!(true), constraint };
        }
        // A generic type's `rep_ok` may have bounds that are not known here;
        // falling back to "anything goes" would then hide it without a word.
        if self.generics.type_params().next().is_some() {
            return Predicate {
                twin_check: quote_spanned!(span=> #korat::twin::Answer::answer(twin.rep_ok())),
                real_check: quote_spanned!(span=> #korat::twin::Answer::answer(self.rep_ok())),
                constraint: quote!(#korat::Constraint::Own),
            };
        }
        let import = quote!(
            #[allow(unused_imports)]
            use #korat::twin::{Answer as _, AnythingGoes as _};
        );
        let probe = quote_spanned! {span=>
            #korat::twin::Probe::<Self, _, _>::new::<<Self as #korat::Korat>::Twin>(
                |twin| twin.rep_ok(),
                |real| real.rep_ok(),
            )
            .constraint()
        };
        // Nothing can be wrong with a type that has nothing in it.
        let constraint = if inside.types.is_empty() {
            quote!({ #import match #probe {
                #korat::Constraint::Absent => #korat::Constraint::Unwanted,
                own => own,
            }})
        } else {
            quote!({ #import #probe })
        };
        Predicate {
            twin_check: quote!(#import twin.rep_ok().answer()),
            real_check: quote!(#import self.rep_ok().answer()),
            constraint,
        }
    }

    fn korat(
        &self,
        choices: TokenStream,
        realize: TokenStream,
        show_real: TokenStream,
        inside: Inside,
    ) -> TokenStream {
        let (name, twin) = (&self.input.ident, &self.twin);
        let (impl_generics, arguments, where_clause) = self.generics.split_for_impl();
        let text = Literal::string(&name.to_string());
        let declare = self.attributes.objects.as_ref().map(|objects| {
            quote! {
                fn declare(builder: &mut ::testsmith::korat::Builder) {
                    #[allow(unused_variables)]
                    let scope: i64 = builder.scope();
                    builder.count_objects(#text, #objects);
                }
            }
        });
        let Predicate { twin_check, real_check, constraint } = self.predicate(&inside);
        let Inside { deep, types } = inside;
        quote! {
            #[automatically_derived]
            impl #impl_generics ::testsmith::korat::Korat for #name #arguments #where_clause {
                type Twin = #twin #arguments;

                fn class_name() -> ::std::string::String {
                    #text.to_owned()
                }

                #declare

                #[allow(unused_variables)]
                fn choices(
                    builder: &mut ::testsmith::korat::Builder,
                ) -> ::testsmith::korat::Choices<Self::Twin> {
                    #choices
                }

                #[allow(unused_variables)]
                fn realize(
                    twin: &Self::Twin,
                    realizer: &mut ::testsmith::korat::Realizer,
                ) -> Self {
                    #realize
                }

                #[allow(unused_variables)]
                fn twin_rep_ok(twin: &Self::Twin) -> bool {
                    #twin_check
                }

                #[allow(unused_variables)]
                fn twin_deep_ok(
                    twin: &Self::Twin,
                    deep: &mut ::testsmith::korat::Deep,
                ) -> bool {
                    deep.value::<Self>(twin, |deep| #deep)
                }

                fn types(types: &mut ::testsmith::korat::Types) {
                    types.derived::<Self>(#constraint, |types| { #(types.field::<#types>();)* });
                }

                fn real_rep_ok(&self) -> bool {
                    #real_check
                }

                #[allow(unused_variables)]
                fn show_real(
                    &self,
                    shower: &mut ::testsmith::korat::Shower,
                ) -> ::testsmith::korat::Shown {
                    #show_real
                }
            }
        }
    }
}

/// What the type knows of the predicates inside it.
struct Inside<'a> {
    /// Asks all fields.
    deep: TokenStream,
    types: Vec<&'a Type>,
}

/// The calls of `rep_ok`, and what is known of it.
struct Predicate {
    twin_check: TokenStream,
    real_check: TokenStream,
    constraint: TokenStream,
}

/// Whether the predicates behind all fields hold.
fn all_deep(types: &[&Type], cells: impl Iterator<Item = TokenStream>) -> TokenStream {
    quote!(true #(&& deep.field::<#types>(#cells))*)
}

/// The expression that shows a struct or variant by its fields.
fn record(owner: &str, names: &[&String], shown: impl Iterator<Item = TokenStream>) -> TokenStream {
    quote! {
        ::testsmith::korat::Shown::record(#owner, ::std::vec![#((#names, #shown)),*])
    }
}

/// The match arms of an enum's twin, one per variant in each.
#[derive(Default)]
struct Arms {
    declarations: TokenStream,
    values: TokenStream,
    share: TokenStream,
    reach: TokenStream,
    show: TokenStream,
    realize: TokenStream,
    show_real: TokenStream,
    deep: TokenStream,
}
