use signorini_core::na::Point3;

use super::{Refusal, Surface};

const HEADER: usize = 84;
const FACET: usize = 50;

/// Reads an STL file, three vertices for each facet. Binary files may start with `solid`, so the length decides: it must
/// fit the facet count exactly.
pub(super) fn parse(bytes: &[u8]) -> Result<Surface, Refusal> {
    let count = bytes.get(80..HEADER).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    let length = count.map(|n| HEADER as u64 + FACET as u64 * u64::from(n));
    if length == Some(bytes.len() as u64) {
        return Ok(binary(&bytes[HEADER..]));
    }
    let looks_ascii = bytes.trim_ascii_start().get(..5).is_some_and(|b| b.eq_ignore_ascii_case(b"solid"));
    if looks_ascii && std::str::from_utf8(bytes).is_ok() {
        return ascii(&String::from_utf8_lossy(bytes));
    }
    let reason = match (count, length) {
        (Some(count), Some(length)) => {
            format!(
                "a binary STL with {count} facets has {length} bytes; neither that nor ASCII (`solid ...`)"
            )
        }
        _ => "neither a binary STL (84 bytes and more) nor ASCII (`solid ...`)".to_owned(),
    };
    Err(Refusal::Syntax { place: format!("{} bytes", bytes.len()), reason })
}

fn binary(facets: &[u8]) -> Surface {
    let mut vertices = Vec::with_capacity(facets.len() / FACET * 3);
    for facet in facets.chunks_exact(FACET) {
        // normal (12 bytes), three vertices (36), attribute (2)
        for corner in facet[12..48].chunks_exact(12) {
            let x = |k: usize| {
                f64::from(f32::from_le_bytes([corner[k], corner[k + 1], corner[k + 2], corner[k + 3]]))
            };
            vertices.push(Point3::new(x(0), x(4), x(8)));
        }
    }
    let triangles = corners(vertices.len());
    (vertices, triangles)
}

fn corners(vertices: usize) -> Vec<[u32; 3]> {
    (0..(vertices / 3) as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect()
}

/// One or more `solid ... endsolid`, keywords in any case.
fn ascii(text: &str) -> Result<Surface, Refusal> {
    let mut vertices = Vec::new();
    let mut state = State::Outside;
    let mut last = 0;
    for (i, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else { continue };
        last = i + 1;
        let keyword = first.to_ascii_lowercase();
        state = match (state, keyword.as_str()) {
            (State::Outside, "solid") => State::Solid,
            (State::Solid, "endsolid") => State::Outside,
            (State::Solid, "facet") => State::Facet,
            (State::Facet, "outer") => State::Loop(0),
            (State::Loop(n), "vertex") if n < 3 => {
                vertices.push(vertex(words, last)?);
                State::Loop(n + 1)
            }
            (State::Loop(3), "endloop") => State::LoopEnd,
            (State::LoopEnd, "endfacet") => State::Solid,
            (state, _) => {
                let word: String = first.chars().take(40).collect();
                return Err(Refusal::line(last, format!("`{word}` where {} is due", state.due())));
            }
        };
    }
    if state != State::Outside {
        return Err(Refusal::line(last, format!("the file ends where {} is due", state.due())));
    }
    let triangles = corners(vertices.len());
    Ok((vertices, triangles))
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Outside,
    Solid,
    Facet,
    Loop(u8),
    LoopEnd,
}

impl State {
    fn due(self) -> &'static str {
        match self {
            State::Outside => "`solid`",
            State::Solid => "`facet` or `endsolid`",
            State::Facet => "`outer loop`",
            State::Loop(3) => "`endloop`",
            State::Loop(_) => "`vertex`",
            State::LoopEnd => "`endfacet`",
        }
    }
}

fn vertex<'a>(words: impl Iterator<Item = &'a str>, line: usize) -> Result<Point3<f64>, Refusal> {
    let mut x = [0.0; 3];
    let mut n = 0;
    for word in words {
        if n == 3 {
            return Err(Refusal::line(line, "a vertex has more than three numbers"));
        }
        x[n] = word.parse().map_err(|_| Refusal::line(line, format!("`{word}` is not a number")))?;
        n += 1;
    }
    if n < 3 {
        return Err(Refusal::line(line, format!("a vertex has {n} numbers, but needs three")));
    }
    Ok(Point3::from(x))
}
