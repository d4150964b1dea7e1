use signorini_core::na::{Matrix3, SMatrix, Vector3};
use signorini_core::{BlockSink, ProblemError};
use signorini_mpm::{Border, Freedom, Gathered, MpmSystem, Stiffness, Weights};

use crate::sparse::SparseInertia;

/// Particles whose 27 nodes are the same, and the unknown blocks among these nodes.
pub(crate) struct Cell {
    particles: Vec<usize>,
    /// Place among the 27, unknown block; ascending by block.
    nodes: Vec<(usize, usize)>,
    /// The blocks alone.
    pub blocks: Vec<u32>,
}

/// Groups particles by cell; `block` is the unknown block of each node.
pub(crate) fn cells(g: &Gathered<'_>, block: &[Option<usize>]) -> Vec<Cell> {
    let base = |p: usize| Weights::at(&g.particles.x[p], g.grid.spacing()).base;
    let mut order: Vec<([i32; 3], usize)> = (0..g.particles.len()).map(|p| (base(p), p)).collect();
    order.sort_unstable();
    let same = order.chunk_by(|a, b| a.0 == b.0);
    let cell = |list: &[([i32; 3], usize)]| {
        let first = list[0].1;
        let reached = g.grid.nodes(first, &g.particles.x[first]);
        let mut nodes: Vec<(usize, usize)> =
            reached.enumerate().filter_map(|(n, (node, ..))| Some((n, block[node]?))).collect();
        nodes.sort_unstable_by_key(|n| n.1);
        let blocks = nodes.iter().map(|n| n.1 as u32).collect();
        Cell { particles: list.iter().map(|l| l.1).collect(), nodes, blocks }
    };
    same.map(cell).collect()
}

/// Strains sym(e gᵀ) for each axis e, as columns whose products are those of the tensors.
fn strain_columns(gradient: &Vector3<f64>) -> SMatrix<f64, 6, 3> {
    let column = |axis: usize| {
        let mut d = Matrix3::zeros();
        d.set_row(axis, &(0.5 * gradient.transpose()));
        Stiffness::strain(&(d + d.transpose()))
    };
    SMatrix::from_columns(&[column(0), column(1), column(2)])
}

/// The stiffness of each particle's material, or which material has none.
pub(crate) fn stiffnesses(material: &MpmSystem, g: &Gathered<'_>) -> Result<Vec<Stiffness>, ProblemError> {
    if material.walls().iter().any(|w| matches!(w.border, Border::Rubbing { .. })) {
        return Err(ProblemError::Unsupported(
            "a step of points and bodies together leaves out the friction of walls; let them slip, make them obstacles, or couple asynchronously".into(),
        ));
    }
    let of = |p: usize| {
        let m = material.material(g.particles, p);
        if let Some(m) = m.filter(|m| m.viscosity() != [0.0; 2]) {
            return Err(ProblemError::Unsupported(format!(
                "a step implicit in the stress leaves out the viscosity of the material '{}'; give it none, or couple asynchronously",
                m.name()
            )));
        }
        m.and_then(|m| m.stiffness(&g.particles.f[p])).ok_or_else(|| {
            ProblemError::Unsupported(format!(
                "a step implicit in the stress does not know the stiffness of {}; give it one (Material::stiffness), or couple asynchronously",
                m.map_or("cloth".to_owned(), |m| format!("the material '{}'", m.name()))
            ))
        })
    };
    (0..g.particles.len()).map(of).collect()
}

/// Adds δt² times the stiffness of the particles, over the directions in which nodes may move.
///
/// ```text
/// δt² Σ V Eᵀ C E,   E v = D = sym Σ v_i g_iᵀ,   g_i = (4/h²) w_i (x_i − x)
/// ```
pub(crate) fn add_stiffness(
    g: &Gathered<'_>,
    stiffness: &[Stiffness],
    cells: &[Cell],
    free: &[Option<Freedom>],
    dt: f64,
    out: &mut SparseInertia,
) {
    let scale = 4.0 / (g.grid.spacing() * g.grid.spacing());
    let mut sums: Vec<SMatrix<f64, 3, 3>> = Vec::new();
    let mut columns: Vec<(SMatrix<f64, 6, 3>, SMatrix<f64, 6, 3>)> = Vec::new();
    for cell in cells {
        sums.clear();
        sums.resize(cell.nodes.len() * (cell.nodes.len() + 1) / 2, Matrix3::zeros());
        for &p in &cell.particles {
            let volume = g.particles.volume[p] * g.particles.factor[p];
            let tangent = dt * dt * volume * stiffness[p].0;
            let weights = Weights::at(&g.particles.x[p], g.grid.spacing());
            columns.clear();
            let all: Vec<_> = weights.nodes().collect();
            columns.extend(cell.nodes.iter().map(|(n, _)| {
                let (_, w, r) = &all[*n];
                let e = strain_columns(&(scale * *w * r));
                (e, tangent * e)
            }));
            let mut k = 0;
            for (i, (e, _)) in columns.iter().enumerate() {
                for (_, stress) in &columns[..=i] {
                    sums[k] += e.transpose() * stress;
                    k += 1;
                }
            }
        }
        let mut k = 0;
        for (i, (_, row)) in cell.nodes.iter().enumerate() {
            for (_, col) in &cell.nodes[..=i] {
                if let (Some(a), Some(b)) = (&free[*row], &free[*col]) {
                    if a.count == 3 && b.count == 3 {
                        out.add(*row, *col, sums[k].as_slice());
                    } else {
                        let projected = a.basis().transpose() * sums[k] * b.basis();
                        out.add(*row, *col, projected.as_slice());
                    }
                }
                k += 1;
            }
        }
    }
}
