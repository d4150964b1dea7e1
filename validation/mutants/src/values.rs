//! Constants that take the place of the body of a function, by its return type.

use quote::ToTokens;
use syn::{GenericArgument, PathArguments, ReturnType, Type};

/// Most constants of one function.
const MOST: usize = 12;

/// Expressions of the return type; none where nothing is known of it.
pub fn of_return_type(output: &ReturnType) -> Vec<String> {
    let mut values = match output {
        ReturnType::Default => vec!["()".into()],
        ReturnType::Type(_, t) => of_type(t),
    };
    values.truncate(MOST);
    values
}

fn texts(values: &[&str]) -> Vec<String> {
    values.iter().map(|v| (*v).to_owned()).collect()
}

fn of_type(t: &Type) -> Vec<String> {
    match t {
        Type::Paren(t) => of_type(&t.elem),
        Type::Tuple(t) => t
            .elems
            .iter()
            .map(of_type)
            .fold(texts(&[""]), |rows, next| {
                rows.iter().flat_map(|row| next.iter().map(move |v| format!("{row}{v}, "))).collect()
            })
            .iter()
            .map(|row: &String| format!("({row})"))
            .collect(),
        Type::Array(a) => {
            of_type(&a.elem).iter().map(|v| format!("[{v}; {}]", a.len.to_token_stream())).collect()
        }
        Type::Reference(r) if r.mutability.is_none() => match &*r.elem {
            Type::Slice(s) => {
                let some = of_type(&s.elem).into_iter().map(|v| format!("Vec::leak(vec![{v}])"));
                std::iter::once("Vec::leak(Vec::new())".to_owned()).chain(some).collect()
            }
            Type::Path(p) if p.path.is_ident("str") => texts(&["\"\"", "\"xyzzy\""]),
            _ => of_type(&r.elem).iter().map(|v| format!("Box::leak(Box::new({v}))")).collect(),
        },
        Type::Path(p) => p.path.segments.last().map_or_else(Vec::new, |last| {
            let inner = match &last.arguments {
                PathArguments::AngleBracketed(a) => a.args.iter().find_map(|a| match a {
                    GenericArgument::Type(t) => Some(of_type(t)),
                    _ => None,
                }),
                _ => None,
            };
            of_name(&last.ident.to_string(), &inner.unwrap_or_default())
        }),
        _ => Vec::new(),
    }
}

fn of_name(name: &str, inner: &[String]) -> Vec<String> {
    let around = |open: &str, close: &str| inner.iter().map(|v| format!("{open}{v}{close}")).collect();
    let with = |first: &str, mut rest: Vec<String>| {
        rest.insert(0, first.to_owned());
        rest
    };
    match name {
        "bool" => texts(&["true", "false"]),
        "String" => texts(&["String::new()", "\"xyzzy\".into()"]),
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => texts(&["0", "1"]),
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => texts(&["0", "1", "-1"]),
        "f32" | "f64" => texts(&["0.0", "1.0", "-1.0"]),
        "Option" => with("None", around("Some(", ")")),
        "Result" => around("Ok(", ")"),
        "Vec" => with("vec![]", around("vec![", "]")),
        "Box" | "Arc" | "Rc" => around(&format!("{name}::new("), ")"),
        _ => texts(&["Default::default()"]),
    }
}
