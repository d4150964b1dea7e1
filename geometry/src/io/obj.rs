use signorini_core::na::Point3;

use super::polygon::polygon_triangles;
use super::{Refusal, Surface};

/// Reads positions and faces of a Wavefront OBJ file.
pub(super) fn parse(bytes: &[u8]) -> Result<Surface, Refusal> {
    // names may be in any encoding; numbers are ASCII
    let text = String::from_utf8_lossy(bytes);
    let mut vertices: Vec<Point3<f64>> = Vec::new();
    let (mut corners, mut polygons) = (Vec::new(), Vec::new());
    let mut joined = String::new();
    for (i, raw) in text.lines().enumerate() {
        let number = i + 1;
        let bare = raw.split('#').next().unwrap_or_default();
        if let Some(head) = bare.trim_end().strip_suffix('\\') {
            joined.push_str(head);
            joined.push(' ');
            continue;
        }
        joined.push_str(bare);
        let mut words = joined.split_whitespace();
        match words.next() {
            Some("v") => vertices.push(position(words, number)?),
            Some("f") => {
                let first = corners.len();
                for word in words {
                    corners.push(index(word, vertices.len(), number)?);
                }
                // A face of two vertices is a line, which bounds nothing.
                if corners.len() >= first + 3 {
                    polygons.push(first..corners.len());
                }
            }
            Some("curv" | "curv2" | "surf" | "cstype") => {
                return Err(Refusal::line(number, "free-form curves and surfaces are not triangles"));
            }
            Some("mtllib" | "usemtl" | "vt" | "vn" | "vp" | "g" | "o" | "s" | "l" | "p" | "mg") | None => {}
            Some(
                "bevel" | "c_interp" | "d_interp" | "lod" | "shadow_obj" | "trace_obj" | "usemap" | "maplib",
            ) => {}
            Some(word) => {
                let word: String = word.chars().take(40).collect();
                return Err(Refusal::line(number, format!("unknown statement `{word}`")));
            }
        }
        joined.clear();
    }
    if !joined.is_empty() {
        return Err(Refusal::line(text.lines().count(), "the file ends within a continued line"));
    }
    let mut triangles = Vec::new();
    for (i, polygon) in polygons.into_iter().map(|p| &corners[p]).enumerate() {
        // a face may name vertices that come after it
        if let Some(&index) = polygon.iter().find(|v| **v as usize >= vertices.len()) {
            let (index, vertices) = (u64::from(index), vertices.len());
            return Err(Refusal::Defect(crate::MeshDefect::IndexOutOfRange { triangle: i, index, vertices }));
        }
        polygon_triangles(polygon, &vertices, |t| {
            if t[0] != t[1] && t[1] != t[2] && t[2] != t[0] {
                triangles.push(t);
            }
        });
    }
    Ok((vertices, triangles))
}

/// x y z, then nothing, a weight, or a colour of three or four numbers.
fn position<'a>(words: impl Iterator<Item = &'a str>, line: usize) -> Result<Point3<f64>, Refusal> {
    let mut x = [0.0; 8];
    let mut n = 0;
    for word in words {
        if n == x.len() {
            return Err(Refusal::line(line, "a vertex has more than eight numbers"));
        }
        x[n] = word.parse().map_err(|_| Refusal::line(line, format!("`{word}` is not a number")))?;
        n += 1;
    }
    match n {
        4 if x[3] == 0.0 => Err(Refusal::line(line, "the weight of a vertex is zero")),
        4 => Ok(Point3::new(x[0] / x[3], x[1] / x[3], x[2] / x[3])),
        3 | 6 | 7 => Ok(Point3::new(x[0], x[1], x[2])),
        _ => Err(Refusal::line(line, format!("a vertex has {n} numbers; 3, 4, 6 or 7 are allowed"))),
    }
}

/// The vertex part of `v`, `v/vt`, `v//vn` or `v/vt/vn`, from 0. Negative numbers count back from the last vertex.
fn index(word: &str, vertices: usize, line: usize) -> Result<u32, Refusal> {
    let bad = || Refusal::line(line, format!("`{word}` names no vertex (there are {vertices} so far)"));
    let number: i64 = word.split('/').next().unwrap_or_default().parse().map_err(|_| bad())?;
    let from_zero = match number {
        0 => return Err(Refusal::line(line, "a face names vertex 0; OBJ counts from 1")),
        n if n > 0 => n - 1,
        n => (vertices as i64).checked_add(n).filter(|i| *i >= 0).ok_or_else(bad)?,
    };
    u32::try_from(from_zero).map_err(|_| bad())
}
