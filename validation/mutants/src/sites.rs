//! The places of a source file where a mistake can be made, and the mistakes.

use std::ops::Range;

use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Block, Expr, GenericArgument, Signature, UnOp};

use crate::values;

/// Form in which the choice between the source and its mutants is written.
pub enum Form {
    /// The expression, or another one in its place.
    Expression,
    /// A return at the start of a body; the range is empty and lies behind the brace.
    Body,
    /// An arm of a match that is left out; the range is empty and lies behind the pattern.
    Arm,
    /// An arm with a condition that is left out; the range is that of the condition.
    ArmWithGuard,
}

/// A place and the mutants there.
pub struct Site {
    pub form: Form,
    /// Bytes of the source.
    pub range: Range<usize>,
    pub line: usize,
    pub column: usize,
    pub function: String,
    pub mutants: Vec<Alternative>,
}

/// A mutant: in words, and the expression in place of the source.
pub struct Alternative {
    pub change: String,
    pub text: String,
}

/// The sites of a file, and how many operators lie in constants, where nothing can be chosen at run time.
pub struct Found {
    pub sites: Vec<Site>,
    pub constant: usize,
}

/// All sites of a source file, outer ones first.
pub fn find(source: &str) -> syn::Result<Found> {
    let mut finder =
        Finder { found: Found { sites: Vec::new(), constant: 0 }, names: Vec::new(), owner: None };
    finder.visit_file(&syn::parse_file(source)?);
    Ok(finder.found)
}

struct Finder {
    found: Found,
    /// Functions around the current place.
    names: Vec<String>,
    /// Type whose items are visited.
    owner: Option<String>,
}

/// Tokens on one line.
fn text(t: &impl ToTokens) -> String {
    t.to_token_stream().to_string()
}

/// Tokens as a person would write a type.
fn name(t: &impl ToTokens) -> String {
    text(t).replace(' ', "").replace("for", " for ").replace("dyn", "dyn ")
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|a| {
        let of = text(&a.meta);
        of == "test" || of.starts_with("cfg (test")
    })
}

/// Whether a chain of conditions binds names.
fn binds(e: &Expr) -> bool {
    match e {
        Expr::Let(_) => true,
        Expr::Binary(b) if matches!(b.op, BinOp::And(_)) => binds(&b.left) || binds(&b.right),
        _ => false,
    }
}

fn replacements(op: &BinOp) -> &'static [&'static str] {
    match op {
        BinOp::Add(_) => &["-", "*"],
        BinOp::Sub(_) => &["+", "/"],
        BinOp::Mul(_) => &["+", "/"],
        BinOp::Div(_) => &["%", "*"],
        BinOp::Rem(_) => &["/", "+"],
        BinOp::And(_) => &["||"],
        BinOp::Or(_) => &["&&"],
        BinOp::BitXor(_) => &["|", "&"],
        BinOp::BitAnd(_) => &["|", "^"],
        BinOp::BitOr(_) => &["&", "^"],
        BinOp::Shl(_) => &[">>"],
        BinOp::Shr(_) => &["<<"],
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        BinOp::Lt(_) => &["==", ">", "<="],
        BinOp::Gt(_) => &["==", "<", ">="],
        BinOp::Le(_) => &[">"],
        BinOp::Ge(_) => &["<"],
        BinOp::AddAssign(_) => &["-=", "*="],
        BinOp::SubAssign(_) => &["+=", "/="],
        BinOp::MulAssign(_) => &["+=", "/="],
        BinOp::DivAssign(_) => &["%=", "*="],
        BinOp::RemAssign(_) => &["/=", "+="],
        BinOp::BitXorAssign(_) => &["|=", "&="],
        BinOp::BitAndAssign(_) => &["|=", "^="],
        BinOp::BitOrAssign(_) => &["&=", "^="],
        BinOp::ShlAssign(_) => &[">>="],
        BinOp::ShrAssign(_) => &["<<="],
        _ => &[],
    }
}

impl Finder {
    fn add(&mut self, form: Form, range: Range<usize>, at: Span, mutants: Vec<Alternative>) {
        if mutants.is_empty() {
            return;
        }
        let (start, function) = (at.start(), self.names.join("::"));
        let (line, column) = (start.line, start.column + 1);
        self.found.sites.push(Site { form, range, line, column, function, mutants });
    }

    fn function(
        &mut self,
        attributes: &[Attribute],
        sig: &Signature,
        block: &Block,
        visit: impl FnOnce(&mut Self),
    ) {
        if is_test(attributes) {
            return;
        }
        if sig.constness.is_some() {
            let mut inside =
                Self { found: Found { sites: Vec::new(), constant: 0 }, names: Vec::new(), owner: None };
            inside.visit_block(block);
            self.found.constant += inside.found.sites.iter().map(|s| s.mutants.len()).sum::<usize>();
            return;
        }
        let own = sig.ident.to_string();
        self.names.push(match self.owner.take() {
            Some(owner) => format!("{owner}::{own}"),
            None => own.clone(),
        });
        let opaque = text(&sig.output).contains("impl ");
        if !block.stmts.is_empty() && own != "default" && !opaque && sig.asyncness.is_none() {
            let body = text(&block.stmts.last());
            let values = values::of_return_type(&sig.output).into_iter().filter(|v| *v != body);
            let of = text(&sig.output);
            let mutants = values
                .map(|v| Alternative { change: format!("body {of} with {v}"), text: format!("return {v}") })
                .collect();
            let behind = block.brace_token.span.open().byte_range().end;
            self.add(Form::Body, behind..behind, sig.ident.span(), mutants);
        }
        visit(self);
        self.names.pop();
    }
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
    fn visit_generic_argument(&mut self, _: &'ast GenericArgument) {}
    fn visit_item_const(&mut self, i: &'ast syn::ItemConst) {
        self.constant(&i.expr);
    }
    fn visit_item_static(&mut self, i: &'ast syn::ItemStatic) {
        self.constant(&i.expr);
    }
    fn visit_impl_item_const(&mut self, i: &'ast syn::ImplItemConst) {
        self.constant(&i.expr);
    }
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_expr_repeat(&mut self, e: &'ast syn::ExprRepeat) {
        self.visit_expr(&e.expr);
    }

    fn visit_item_mod(&mut self, m: &'ast syn::ItemMod) {
        if !is_test(&m.attrs) {
            visit::visit_item_mod(self, m);
        }
    }

    fn visit_item_impl(&mut self, i: &'ast syn::ItemImpl) {
        let of = i.trait_.as_ref().map(|(_, path, _)| name(path));
        if is_test(&i.attrs) || of.as_deref().is_some_and(|t| t.ends_with("Debug") || t.ends_with("Display"))
        {
            return;
        }
        let own = name(&*i.self_ty);
        let owner = of.map_or_else(|| own.clone(), |of| format!("<impl {of} for {own}>"));
        for item in &i.items {
            self.owner = Some(owner.clone());
            self.visit_impl_item(item);
        }
        self.owner = None;
    }

    fn visit_item_trait(&mut self, t: &'ast syn::ItemTrait) {
        for item in &t.items {
            self.owner = Some(t.ident.to_string());
            self.visit_trait_item(item);
        }
        self.owner = None;
    }

    fn visit_item_fn(&mut self, f: &'ast syn::ItemFn) {
        self.function(&f.attrs, &f.sig, &f.block, |s| s.visit_block(&f.block));
    }

    fn visit_impl_item_fn(&mut self, f: &'ast syn::ImplItemFn) {
        self.function(&f.attrs, &f.sig, &f.block, |s| s.visit_block(&f.block));
    }

    fn visit_trait_item_fn(&mut self, f: &'ast syn::TraitItemFn) {
        if let Some(block) = &f.default {
            self.function(&f.attrs, &f.sig, block, |s| s.visit_block(block));
        }
    }

    fn visit_expr_binary(&mut self, e: &'ast syn::ExprBinary) {
        if !(binds(&e.left) || binds(&e.right)) {
            let (op, left, right) = (text(&e.op), text(&e.left), text(&e.right));
            let mutants = replacements(&e.op).iter().map(|other| Alternative {
                change: format!("{op} with {other}"),
                text: format!("({left}) {other} ({right})"),
            });
            self.add(Form::Expression, e.span().byte_range(), e.op.span(), mutants.collect());
        }
        visit::visit_expr_binary(self, e);
    }

    fn visit_expr_unary(&mut self, e: &'ast syn::ExprUnary) {
        if matches!(e.op, UnOp::Neg(_) | UnOp::Not(_)) {
            let change = format!("delete {}", text(&e.op));
            let without = Alternative { change, text: text(&e.expr) };
            self.add(Form::Expression, e.span().byte_range(), e.op.span(), vec![without]);
        }
        visit::visit_expr_unary(self, e);
    }

    fn visit_expr_match(&mut self, e: &'ast syn::ExprMatch) {
        let rest = e.arms.iter().position(|a| matches!(a.pat, syn::Pat::Wild(_)) && a.guard.is_none());
        for arm in e.arms.iter().take(rest.unwrap_or(0)) {
            let out =
                Alternative { change: format!("delete match arm {}", text(&arm.pat)), text: String::new() };
            match &arm.guard {
                Some((_, guard)) => {
                    self.add(Form::ArmWithGuard, guard.span().byte_range(), arm.pat.span(), vec![out]);
                }
                None => {
                    let behind = arm.pat.span().byte_range().end;
                    self.add(Form::Arm, behind..behind, arm.pat.span(), vec![out]);
                }
            }
        }
        for (_, guard) in e.arms.iter().filter_map(|a| a.guard.as_ref()) {
            let mutants = ["true", "false"].map(|v| Alternative {
                change: format!("match guard {} with {v}", text(guard)),
                text: v.to_owned(),
            });
            self.add(Form::Expression, guard.span().byte_range(), guard.span(), mutants.into());
        }
        visit::visit_expr_match(self, e);
    }

    fn visit_expr_struct(&mut self, e: &'ast syn::ExprStruct) {
        if let Some(base) = &e.rest {
            let mutants = e.fields.iter().enumerate().map(|(i, field)| {
                let others = e.fields.iter().enumerate().filter(|(j, _)| *j != i);
                let others: String = others.map(|(_, f)| format!("{}, ", text(f))).collect();
                Alternative {
                    change: format!("delete field {} of {}", text(&field.member), text(&e.path)),
                    text: format!("{} {{ {others}..{} }}", text(&e.path), text(base)),
                }
            });
            self.add(Form::Expression, e.span().byte_range(), e.path.span(), mutants.collect());
        }
        visit::visit_expr_struct(self, e);
    }
}

impl Finder {
    /// Counts the mutants in a constant.
    fn constant(&mut self, e: &Expr) {
        let mut inside =
            Self { found: Found { sites: Vec::new(), constant: 0 }, names: Vec::new(), owner: None };
        inside.visit_expr(e);
        self.found.constant += inside.found.sites.iter().map(|s| s.mutants.len()).sum::<usize>();
    }
}
