use std::collections::HashMap;

use signorini_core::na::Point3;
use signorini_geometry::TriangleMesh;

use crate::error::{MpmError, value};

/// The triangles of a cell of a lattice with corners at (0, 0), (1, 0), (1, 1), (0, 1), counter-clockwise; the diagonal turns from cell to cell.
fn cut(corners: [u32; 4], odd: bool) -> [[u32; 3]; 2] {
    let [a, b, c, d] = corners;
    if odd { [[a, b, d], [b, c, d]] } else { [[a, b, c], [a, c, d]] }
}

fn mesh(vertices: Vec<Point3<f64>>, triangles: Vec<[u32; 3]>) -> Result<TriangleMesh, MpmError> {
    TriangleMesh::new(vertices, triangles).map_err(|e| MpmError::Cloth {
        what: format!("a mesh that cannot be: {e}"),
        remedy: "take other lengths and numbers of cells",
    })
}

/// A rectangular sheet of lengths \[m\] about the origin of the plane z = 0, seen from above counter-clockwise, cut into cells with alternating diagonals.
///
/// # Errors
/// [`MpmError`] for lengths or numbers of cells that are not positive.
pub fn sheet(lengths: [f64; 2], cells: [usize; 2]) -> Result<TriangleMesh, MpmError> {
    for (l, n) in lengths.iter().zip(cells) {
        value("sheet: a length", *l, *l > 0.0, "m > 0")?;
        value("sheet: a number of cells", n as f64, (1..=10_000).contains(&n), "1 to 10 000")?;
    }
    let number = |i: usize, j: usize| ((cells[1] + 1) * i + j) as u32;
    let at = |axis: usize, i: usize| lengths[axis] * (i as f64 / cells[axis] as f64 - 0.5);
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..=cells[0] {
        for j in 0..=cells[1] {
            vertices.push(Point3::new(at(0, i), at(1, j), 0.0));
            if i < cells[0] && j < cells[1] {
                let corners = [number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)];
                triangles.extend(cut(corners, (i + j) % 2 == 1));
            }
        }
    }
    mesh(vertices, triangles)
}

/// Half the width of the body and of the neck, height of the body, length and width of a sleeve \[m\].
const BODY: f64 = 0.27;
const NECK: f64 = 0.1;
const HEIGHT: f64 = 0.68;
const SLEEVE: f64 = 0.15;
const ARMHOLE: f64 = 0.22;
/// Fall of shoulders.
const FALL: f64 = 0.25;

/// A T-shirt of adult size that lies flat, made up: hem at y = 0, shoulders at y = 0.68 m, x across, two layers an edge apart along z, closed at sides, sleeves and shoulders, open at waist, sleeves and neck. A stand-in for meshes of
/// real shirts; edges are about `edge` \[m\] long, diagonals √2 of that. 4 000 vertices have edges of 15 mm; scale it for others.
///
/// # Errors
/// [`MpmError::Value`] for edges that are not positive, or too long for a neck.
pub fn shirt(edge: f64) -> Result<TriangleMesh, MpmError> {
    value("shirt: the edge", edge, edge > 1e-3 && edge <= 0.5 * NECK, "m from 0.001 to 0.05")?;
    let count = |length: f64| (length / edge).round() as i32;
    let (body, neck, top, sleeve) = (count(BODY), count(NECK), count(HEIGHT), count(BODY + SLEEVE));
    let low = top - count(ARMHOLE);
    // Cells by their lower left corner.
    let has = |i: i32, j: i32| {
        let i = if i < 0 { -1 - i } else { i };
        (0..top).contains(&j) && (i < body || (i < sleeve && j >= low))
    };
    // Both layers share a point where they are sewn: on the outline, but not within an opening.
    let sewn = |i: i32, j: i32| {
        let inside = has(i, j) && has(i - 1, j) && has(i, j - 1) && has(i - 1, j - 1);
        let waist = j == 0 && i.abs() < body;
        let cuff = i.abs() == sleeve && low < j && j < top;
        let collar = j == top && i.abs() < neck;
        !(inside || waist || cuff || collar)
    };
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let mut numbers: HashMap<(i32, i32, bool), u32> = HashMap::new();
    let mut number = |i: i32, j: i32, front: bool| {
        let sewn = sewn(i, j);
        *numbers.entry((i, j, front && !sewn)).or_insert_with(|| {
            let (x, y) = (edge * f64::from(i), edge * f64::from(j));
            // Shoulders fall beside the neck; the hem stays.
            let fall = FALL * (x.abs() - NECK).max(0.0) * f64::from(j) / f64::from(top);
            let side = if sewn { 0.0 } else { edge * if front { 0.5 } else { -0.5 } };
            vertices.push(Point3::new(x, y - fall, side));
            vertices.len() as u32 - 1
        })
    };
    for i in -sleeve..sleeve {
        for j in (0..top).filter(|j| has(i, *j)) {
            for front in [false, true] {
                let corners = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(a, b)| number(i + a, j + b, front));
                let turn = |t: [u32; 3]| if front { t } else { [t[0], t[2], t[1]] };
                triangles.extend(cut(corners, (i + j) % 2 != 0).map(turn));
            }
        }
    }
    mesh(vertices, triangles)
}
