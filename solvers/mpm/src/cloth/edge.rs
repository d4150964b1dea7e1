/// An edge of triangles, which corners and edges of bodies meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    /// Particles at its ends, ascending.
    pub ends: [u32; 2],
    /// The first two triangles that have it, ascending; one of them twice at a rim.
    pub triangles: [u32; 2],
}

impl Edge {
    /// The edges of triangles, ascending by their ends; and for each triangle the one beyond each of its edges, those from a corner to the next, itself at a rim.
    pub(super) fn all(triangles: &[[u32; 3]]) -> (Vec<Self>, Vec<[u32; 3]>) {
        let mut sides: Vec<([u32; 2], u32, usize)> = Vec::with_capacity(3 * triangles.len());
        for (t, corners) in (0..).zip(triangles) {
            for k in 0..3 {
                let [a, b] = [corners[k], corners[(k + 1) % 3]];
                sides.push(([a.min(b), a.max(b)], t, k));
            }
        }
        sides.sort_unstable();
        let mut beside: Vec<[u32; 3]> = (0..triangles.len() as u32).map(|t| [t; 3]).collect();
        let mut out = Vec::new();
        for at_edge in sides.chunk_by(|a, b| a.0 == b.0) {
            let (ends, first, k) = at_edge[0];
            let mut other = first;
            if let Some((_, second, l)) = at_edge.get(1) {
                other = *second;
                beside[first as usize][k] = other;
                beside[other as usize][*l] = first;
            }
            out.push(Self { ends, triangles: [first, other] });
        }
        (out, beside)
    }
}
