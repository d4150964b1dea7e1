use std::cell::RefCell;
use std::ops::Range;

use rayon::prelude::*;
use signorini_core::na::Matrix3;
use signorini_core::{
    AddProduct, AffineMap, BlockSink, ContactMap, Evals, Part, Pools, ProblemError, bending, check_blocks,
    check_count, check_finite,
};

use crate::freedom::Freedom;
use crate::vectorized::vectorized;

mod kernels;
mod rows;
mod shares;

use kernels::{Between, Gather, Means, Pairs, Products, Shares, Spread, Sums, Turned, add_to, turned};
use rows::Columns;
pub(crate) use rows::{Lists, NONE, Points, Rows};
use shares::{CONTACTS, NODES, by_blocks, by_contacts, by_rows};

/// Contact velocities of particles from the velocities of nodes: a weight for each node that a particle reaches, and the frame of the contact. A ninth of the memory of dense blocks.
///
/// ```text
/// v_c = Rᵀ (Σ w_i B_i u_i) + b,   B_i: the directions in which node i may move
/// ```
///
/// Products share contacts among threads, and those with the transpose share nodes, each of which adds up its own contacts in their order: no two threads write to the same place, and sums do not depend on how many there are.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeMap {
    starts: Vec<usize>,
    freedoms: Vec<Freedom>,
    /// Starts of groups of nodes, and their end; the group of each node.
    groups: Vec<u32>,
    group_of: Vec<u32>,
    pub(crate) rows: Rows,
    /// Points that contacts move with, by which products go where there are some.
    pub(crate) points: Points,
    /// Contacts of each node.
    columns: Columns,
    room: RefCell<Room>,
    for_products: RefCell<ProductRoom>,
}

/// Room for a vector of each node and of each contact, with a lane to spare, and for matrices.
#[derive(Clone, Debug, Default)]
struct Room {
    nodes: Vec<[f64; 4]>,
    contacts: Vec<[f64; 4]>,
    bends: Vec<[f64; 6]>,
    /// Blocks of the pairs of nodes of a group.
    pairs: Vec<[f64; 6]>,
}

/// Room of products: contacts that bend, their Hessians in world axes, and vectors of nodes and contacts.
#[derive(Clone, Debug, Default)]
struct ProductRoom {
    active: Vec<u32>,
    bends: Vec<[[f64; 4]; 3]>,
    nodes: Vec<[f64; 4]>,
    sums: Vec<[f64; 4]>,
    contacts: Vec<[f64; 4]>,
    /// Velocities of points, and what contacts give them.
    points: [Vec<[f64; 4]>; 2],
}

impl NodeMap {
    /// Starts anew over nodes that may move in these directions, in groups that start at `groups` and end at their end; add rows, then [`NodeMap::finish`].
    pub(crate) fn begin(&mut self, freedoms: impl Iterator<Item = Freedom>, groups: &[u32]) {
        self.groups.clear();
        self.groups.extend_from_slice(groups);
        self.group_of.clear();
        for (group, nodes) in (0..).zip(groups.windows(2)) {
            self.group_of.extend((nodes[0]..nodes[1]).map(|_| group));
        }
        self.freedoms.clear();
        self.freedoms.extend(freedoms);
        self.starts.clear();
        self.starts.push(0);
        let mut end = 0;
        self.starts.extend(self.freedoms.iter().map(|f| {
            end += f.count;
            end
        }));
        self.rows.clear();
        self.points.clear();
    }

    /// Finds the contacts of nodes.
    pub(crate) fn finish(&mut self) {
        self.columns.fit(self.freedoms.len(), &self.rows.nodes);
        if self.points.is_used() {
            self.points.columns.fit(self.freedoms.len(), &self.points.nodes);
        }
        let room = self.room.get_mut();
        room.nodes.resize(self.freedoms.len(), [0.0; 4]);
        room.contacts.resize(self.rows.frames.len(), [0.0; 4]);
    }

    /// (Block, weight) of the nodes of constraint `k`.
    #[inline]
    fn reached(&self, k: usize) -> impl Iterator<Item = (usize, f64)> {
        let Lists { entries, blocks, weights } = &self.rows.nodes;
        let at = entries[k]..entries[k + 1];
        blocks[at.clone()].iter().map(|b| *b as usize).zip(weights[at].iter().copied())
    }

    /// Whether most contacts are in a part: all nodes are then gone through.
    fn is_most(&self, part: Part<'_>) -> bool {
        2 * part.constraints.len() > self.rows.frames.len()
    }

    /// B_i u_i of all nodes, with a lane to spare.
    fn set_field(&self, u: &[f64], field: &mut [[f64; 4]]) {
        let Self { starts, freedoms, .. } = self;
        let share = |(i, nodes): (usize, &mut [[f64; 4]])| {
            for (node, b) in nodes.iter_mut().zip(NODES * i..) {
                let own = &u[starts[b]..starts[b + 1]];
                let v = match own.as_chunks::<3>().0 {
                    [whole] => (*whole).into(),
                    _ => freedoms[b].whole(own),
                };
                *node = [v.x, v.y, v.z, 0.0];
            }
        };
        if field.len() <= NODES {
            return share((0, field));
        }
        field.par_chunks_mut(NODES).enumerate().for_each(share);
    }

    /// Σ w_i B_i u_i in the frame of each contact of `part`, added to `out`.
    fn add_sums(&self, part: Part<'_>, u: &[f64], out: &mut [f64]) {
        let Self { rows, .. } = self;
        let mut room = self.room.borrow_mut();
        self.set_field(u, &mut room.nodes);
        let field = &*room.nodes;
        by_rows(part.constraints, 0, out, &|constraints, first, out| {
            vectorized(Sums { rows, constraints, field, first, out });
        });
    }

    /// Adds vectors of all nodes to their unknowns.
    fn add_field(&self, field: &[[f64; 4]], g: &mut [f64]) {
        let Self { starts, freedoms, .. } = self;
        for (b, sum) in field.iter().enumerate() {
            add_to(&mut g[starts[b]..starts[b + 1]], &freedoms[b], sum);
        }
    }

    /// Adds Σ w x_k of the lists that each node is in to its unknowns.
    fn gather(&self, columns: &Columns, x: &[[f64; 4]], g: &mut [f64]) {
        let Self { starts, freedoms, .. } = self;
        by_blocks(0..freedoms.len(), starts, g, &|blocks, g| {
            vectorized(Gather { columns, starts, freedoms, x, blocks, g });
        });
    }

    /// Adds to y the products with the Hessians of contacts that bend, which the room has.
    fn add_product(&self, room: &mut ProductRoom, x: &[f64], y: &mut [f64]) {
        let Self { rows, points, columns, .. } = self;
        let ProductRoom { active, bends, nodes, sums, contacts, points: [velocities, forces] } = room;
        self.set_field(x, nodes);
        let nodes = &*nodes;
        // Sums of a node go through its contacts or points in the order in which these come, on one thread and on many.
        let together = active.len() <= CONTACTS || rayon::current_num_threads() == 1;
        if together {
            sums.fill([0.0; 4]);
        }
        if points.is_used() {
            let lists = &points.nodes;
            let means = |(i, out): (usize, &mut [[f64; 4]])| {
                vectorized(Means { lists, nodes, first: CONTACTS * i, out });
            };
            match together {
                true => velocities.chunks_mut(CONTACTS).enumerate().for_each(means),
                false => velocities.par_chunks_mut(CONTACTS).enumerate().for_each(means),
            }
            forces.fill([0.0; 4]);
            let (parts, velocities) = (&points.parts, &*velocities);
            vectorized(Between { active, bends, parts, velocities, forces: &mut *forces });
            if !together {
                return self.gather(&points.columns, forces, y);
            }
            vectorized(Shares { lists, x: forces, sums: &mut *sums });
        } else if together {
            vectorized(Products { rows, active, bends, nodes, sums: &mut *sums });
        } else {
            by_contacts((active, bends), 0, contacts, &|(active, bends), first, out| {
                vectorized(Turned { rows, active, bends, nodes, first, out });
            });
            return self.gather(columns, contacts, y);
        }
        self.add_field(sums, y);
    }

    /// R G Rᵀ with the Hessian G of constraint `k`; None where it is zero.
    #[inline]
    fn curvature(&self, k: usize, pools: &Pools, evals: &Evals) -> Option<Matrix3<f64>> {
        bend(&self.rows.frames[k], &evals.hess[pools.hess_start(k)..][..9])
    }

    /// Hands w B_aᵀ H B_b to a sink.
    fn add_block(&self, h: &Matrix3<f64>, a: usize, b: usize, w: f64, out: &mut dyn BlockSink) {
        let (from, to) = (&self.freedoms[a], &self.freedoms[b]);
        if from.count == 3 && to.count == 3 {
            return out.add(a, b, (w * h).as_slice());
        }
        let block = w * from.basis().transpose() * h * to.basis();
        out.add(a, b, block.as_slice());
    }
}

/// R G Rᵀ; None where it is zero.
#[inline]
fn bend(r: &Matrix3<f64>, hess: &[f64]) -> Option<Matrix3<f64>> {
    let some = hess.iter().any(|x| *x != 0.0);
    some.then(|| r * Matrix3::from_column_slice(hess) * r.transpose())
}

/// Rows of the constraints of `part`.
fn rows(part: Part<'_>) -> impl Iterator<Item = Range<usize>> {
    part.constraints.iter().map(|&k| 3 * k as usize..3 * k as usize + 3)
}

impl ContactMap for NodeMap {
    fn blocks_of(&self, k: usize) -> &[u32] {
        let Lists { entries, blocks, .. } = &self.rows.nodes;
        &blocks[entries[k]..entries[k + 1]]
    }
    fn velocity(&self, part: Part<'_>, v: &[f64], v_c: &mut [f64]) {
        rows(part).for_each(|at| v_c[at.clone()].copy_from_slice(&self.rows.bias[at]));
        self.add_sums(part, v, v_c);
    }
    fn apply_linear(&self, part: Part<'_>, dv: &[f64], dv_c: &mut [f64]) {
        rows(part).for_each(|at| dv_c[at].fill(0.0));
        self.add_sums(part, dv, dv_c);
    }
    fn add_gradient(&self, part: Part<'_>, _: &Pools, evals: &Evals, g: &mut [f64]) {
        let Self { rows, columns, .. } = self;
        let mut room = self.room.borrow_mut();
        let room = &mut *room;
        if !self.is_most(part) {
            let field = &mut room.nodes;
            field.fill([0.0; 4]);
            vectorized(Spread { rows, part, grad: &evals.grad, field: &mut *field });
            return self.add_field(field, g);
        }
        let x = &mut room.contacts;
        x.fill([0.0; 4]);
        for &k in part.constraints {
            let k = k as usize;
            if let Some(world) = turned(&rows.frames[k], &evals.grad[3 * k..3 * k + 3]) {
                x[k] = world;
            }
        }
        self.gather(columns, x, g);
    }
    fn add_hessian(&self, part: Part<'_>, pools: &Pools, evals: &Evals, h: &mut dyn BlockSink) {
        for &k in part.constraints {
            let k = k as usize;
            let Some(own) = self.curvature(k, pools, evals) else { continue };
            for (i, (a, w)) in self.reached(k).enumerate() {
                self.reached(k).take(i + 1).for_each(|(b, x)| self.add_block(&own, a, b, w * x, h));
            }
        }
    }
    fn groups(&self) -> Option<&[u32]> {
        Some(&self.groups)
    }
    fn with_product(
        &self,
        part: Part<'_>,
        pools: &Pools,
        evals: &Evals,
        work: &mut dyn FnMut(AddProduct<'_>),
    ) {
        let room = &mut *self.for_products.borrow_mut();
        room.active.clear();
        room.active.extend(bending(part, pools, evals));
        room.bends.clear();
        room.bends.extend(room.active.iter().map(|&k| {
            let h = &evals.hess[pools.hess_start(k as usize)..][..9];
            let r = &self.rows.frames[k as usize];
            let m = r * Matrix3::from_column_slice(h) * r.transpose();
            [0, 1, 2].map(|j| [m[(0, j)], m[(1, j)], m[(2, j)], 0.0])
        }));
        let [velocities, forces] = &mut room.points;
        for (list, count) in [
            (&mut room.nodes, self.freedoms.len()),
            (&mut room.sums, self.freedoms.len()),
            (&mut room.contacts, self.rows.frames.len()),
            (velocities, self.points.nodes.len()),
            (forces, self.points.nodes.len()),
        ] {
            list.clear();
            list.resize(count, [0.0; 4]);
        }
        work(&mut |x, y| self.add_product(room, x, y));
    }
    fn add_block_diagonal(&self, part: Part<'_>, pools: &Pools, evals: &Evals, h: &mut dyn BlockSink) {
        if !self.is_most(part) {
            for &k in part.constraints {
                let k = k as usize;
                let Some(own) = self.curvature(k, pools, evals) else { continue };
                for (i, (a, w)) in self.reached(k).enumerate() {
                    let beside = |(b, _): &(usize, f64)| self.group_of[a] == self.group_of[*b];
                    self.reached(k)
                        .take(i + 1)
                        .filter(beside)
                        .for_each(|(b, x)| self.add_block(&own, a, b, w * x, h));
                }
            }
            return;
        }
        let Room { bends, pairs: sums, .. } = &mut *self.room.borrow_mut();
        bends.clear();
        bends.resize(self.rows.frames.len(), [0.0; 6]);
        for &k in part.constraints {
            let k = k as usize;
            if let Some(m) = self.curvature(k, pools, evals) {
                bends[k] = [m[(0, 0)], m[(1, 0)], m[(2, 0)], m[(1, 1)], m[(2, 1)], m[(2, 2)]];
            }
        }
        for group in self.groups.windows(2) {
            let (first, count) = (group[0] as usize, (group[1] - group[0]) as usize);
            sums.clear();
            sums.resize(count * (count + 1) / 2, [0.0; 6]);
            vectorized(Pairs { columns: &self.columns, first, count, bends, sums });
            let pairs = (0..count).flat_map(|a| (0..=a).map(move |b| (first + a, first + b)));
            for ((a, b), [xx, xy, xz, yy, yz, zz]) in pairs.zip(&*sums) {
                let sum = Matrix3::new(*xx, *xy, *xz, *xy, *yy, *yz, *xz, *yz, *zz);
                self.add_block(&sum, a, b, 1.0, h);
            }
        }
    }
}

impl AffineMap for NodeMap {
    fn check_fit(&self, starts: &[usize], pools: &Pools) -> Result<(), ProblemError> {
        check_blocks(starts, &self.starts)?;
        check_count("constraints of the map", pools.constraint_count(), self.rows.frames.len())?;
        for k in 0..self.rows.frames.len() {
            check_count("rows of a constraint", pools.rows(k).1, 3)?;
        }
        check_finite("weights of nodes", &self.rows.nodes.weights)?;
        check_finite("surface velocity", &self.rows.bias)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use signorini_core::na::{DMatrix, Vector3};
    use signorini_core::{ContactGeometry, ContactMaterial, ContactSeed, ContactSide, FrozenMap};

    use super::*;
    use crate::{Border, Wall};

    /// Sums up blocks of a symmetric matrix.
    struct Dense<'a>(&'a [usize], DMatrix<f64>);

    impl BlockSink for Dense<'_> {
        fn add(&mut self, row: usize, col: usize, block: &[f64]) {
            let (r, c) = (self.0[row]..self.0[row + 1], self.0[col]..self.0[col + 1]);
            let block = DMatrix::from_column_slice(r.len(), c.len(), block);
            let mut own = self.1.view_mut((r.start, c.start), (r.len(), c.len()));
            own += &block;
            if row != col {
                let mut mirrored = self.1.view_mut((c.start, r.start), (c.len(), r.len()));
                mirrored += block.transpose();
            }
        }
    }

    fn dense(starts: &[usize], fill: impl FnOnce(&mut dyn BlockSink)) -> DMatrix<f64> {
        let n = starts[starts.len() - 1];
        let mut out = Dense(starts, DMatrix::zeros(n, n));
        fill(&mut out);
        out.1
    }

    /// Nodes, of which each has 3, 2 or 1 directions left.
    fn freedom(kind: u8, tilt: &Vector3<f64>) -> Freedom {
        let wall = |normal: Vector3<f64>| Wall {
            normal: normal.normalize(),
            point: Vector3::zeros(),
            border: Border::Slip,
        };
        let walls = [wall(Vector3::z() + 0.3 * tilt), wall(Vector3::x() - 0.2 * tilt)];
        Freedom::at(&Vector3::zeros(), 1.0, &walls[..usize::from(kind)])
    }

    proptest! {
        /// Products by way of points are those of contacts that have the means of the points' nodes, on one thread and on more.
        #[test]
        fn property_products_by_points_are_those_of_contacts(
            kinds in prop::collection::vec((0u8..3, prop::array::uniform3(-1.0..1.0f64)), 4..9),
            points in prop::collection::vec(prop::collection::vec(0.01..1.0f64, 9), 2..5),
            contacts in prop::collection::vec((prop::array::uniform3(-1.0..1.0f64), prop::array::uniform3((0usize..5, 0.0..1.0f64)), 1usize..4), 1..6),
            many in any::<bool>(),
            v in prop::collection::vec(-1.0..1.0f64, 27),
        ) {
            let freedoms: Vec<Freedom> = kinds.iter().map(|(k, t)| freedom(*k, &Vector3::from(*t))).collect();
            let groups: Vec<u32> = (0..=freedoms.len() as u32).collect();
            let [mut own, mut by_points] = [NodeMap::default(), NodeMap::default()];
            // Points of fewer nodes than 27, of which the last one cannot move.
            let block: Vec<u32> = (0..freedoms.len() as u32).chain([NONE]).collect();
            let reaches = |p: usize| std::array::from_fn(|n| {
                let reached = n < block.len() && !(n + p).is_multiple_of(3);
                if reached { (n as u32, points[p].get(n).copied().unwrap_or(0.5)) } else { (0, 0.0) }
            });
            let count = if many { 2 * CONTACTS + 7 } else { contacts.len() };
            let all: Vec<_> = (0..count).map(|k| &contacts[k % contacts.len()]).collect();
            let parts = |(_, parts, used): &(_, [(usize, f64); 3], usize)| {
                std::array::from_fn(|i| if i < *used { ((parts[i].0 % points.len()) as u32, parts[i].1) } else { (0, 0.0) })
            };
            for map in [&mut own, &mut by_points] {
                map.begin(freedoms.iter().copied(), &groups);
                for contact in &all {
                    let mut weights = vec![0.0; block.len()];
                    for (p, w) in parts(contact) {
                        reaches(p as usize).into_iter().for_each(|(n, x)| weights[n as usize] += w * x);
                    }
                    (0..).zip(&weights[..freedoms.len()]).for_each(|(b, w)| map.rows.nodes.reach(b, *w));
                    let n = Vector3::from(contact.0) + Vector3::new(0.0, 0.0, 1.5);
                    map.rows.end(&ContactGeometry::frame(&n.normalize()), &(0.1 * n));
                }
            }
            by_points.points.fill(all.iter().map(|c| parts(c)), &block, reaches);
            own.finish();
            by_points.finish();
            let seed = ContactSeed { preload: 0.0, dt: 1e-3, gap: -1e-3, velocity: Vector3::zeros(), material: ContactMaterial::default(), sides: [ContactSide::default(); 2], curvature: None };
            let law = signorini_laws::contact_pool("lagged").unwrap();
            let pools = Pools::new(vec![crate::seeded(&*law, vec![seed; count]).unwrap()]);
            let (nodes, constraints): (Vec<u32>, Vec<u32>) = ((0..freedoms.len() as u32).collect(), (0..count as u32).collect());
            let part = Part { blocks: &nodes, constraints: &constraints };
            let v = &v[..own.starts[freedoms.len()]];
            let mut v_c = vec![0.0; 3 * count];
            own.velocity(part, v, &mut v_c);
            let mut evals = Evals::default();
            pools.size_evals(&mut evals);
            pools.eval(part, &v_c, &mut evals);
            let product = |map: &NodeMap, threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                // Rooms are not shared: a copy moves into the pool.
                let (map, pools, evals, mut out) = (map.clone(), &pools, &evals, vec![0.5; v.len()]);
                pool.install(move || {
                    map.with_product(part, pools, evals, &mut |add| add(v, &mut out));
                    out
                })
            };
            let [plain, one, two] = [product(&own, 1), product(&by_points, 1), product(&by_points, 2)];
            let size = plain.iter().fold(1.0, |a: f64, x| a.max(x.abs()));
            prop_assert!(plain.iter().zip(&one).all(|(a, b)| (a - b).abs() <= 1e-12 * size), "{plain:?} {one:?}");
            prop_assert!(one == two);
        }

        /// Weights and frames agree with dense blocks w Rᵀ B: velocities, gradients, Hessians and their diagonal blocks.
        #[test]
        fn property_a_node_map_is_the_frozen_map_of_its_blocks(
            kinds in prop::collection::vec((0u8..3, prop::array::uniform3(-1.0..1.0f64)), 4..9),
            contacts in prop::collection::vec((prop::array::uniform3(-1.0..1.0f64), prop::collection::vec(0.01..1.0f64, 9)), 1..6),
            v in prop::collection::vec(-1.0..1.0f64, 27),
        ) {
            let freedoms: Vec<Freedom> = kinds.iter().map(|(k, t)| freedom(*k, &Vector3::from(*t))).collect();
            let mut map = NodeMap::default();
            // Groups of three and of one.
            let last = freedoms.len() as u32;
            let groups: Vec<u32> = (0..last).filter(|b| b % 4 == 0 || b % 4 == 3).chain([last]).collect();
            map.begin(freedoms.iter().copied(), &groups);
            let starts = map.starts.clone();
            let mut blocks = FrozenMap::new(&starts);
            let mut seeds = Vec::new();
            for (k, (n, weights)) in contacts.iter().enumerate() {
                let n = Vector3::from(*n) + Vector3::new(0.0, 0.0, 1.5);
                let (frame, bias) = (ContactGeometry::frame(&n.normalize()), 0.1 * n);
                // Some nodes, not the same for all.
                let reached: Vec<(u32, f64)> = (0..freedoms.len()).filter(|b| (b + k) % 4 != 0).map(|b| (b as u32, weights[b])).collect();
                reached.iter().for_each(|(b, w)| map.rows.nodes.reach(*b, *w));
                map.rows.end(&frame, &bias);
                blocks.push_constraint(bias.as_slice());
                for (b, w) in &reached {
                    let own = *w * frame.transpose() * freedoms[*b as usize].basis();
                    blocks.push_block(*b as usize).copy_from_slice(own.as_slice());
                }
                seeds.push(ContactSeed { preload: 0.0, dt: 1e-3, gap: -1e-3, velocity: Vector3::zeros(), material: ContactMaterial::default(), sides: [ContactSide::default(); 2], curvature: None, });
            }
            map.finish();
            let law = signorini_laws::contact_pool("lagged").unwrap();
            let pools = Pools::new(vec![crate::seeded(&*law, seeds).unwrap()]);
            map.check_fit(&starts, &pools).unwrap();
            let (nodes, all): (Vec<u32>, Vec<u32>) = ((0..freedoms.len() as u32).collect(), (0..contacts.len() as u32).collect());
            let part = Part { blocks: &nodes, constraints: &all };
            let v = &v[..starts[freedoms.len()]];
            let (mut a, mut b) = (vec![0.0; 3 * contacts.len()], vec![0.0; 3 * contacts.len()]);
            map.velocity(part, v, &mut a);
            blocks.velocity(part, v, &mut b);
            let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-12 * (1.0 + a.abs()));
            prop_assert!(near(&a, &b));
            let mut evals = Evals::default();
            pools.size_evals(&mut evals);
            pools.eval(part, &a, &mut evals);
            map.apply_linear(part, v, &mut a);
            blocks.apply_linear(part, v, &mut b);
            prop_assert!(near(&a, &b));
            let (mut a, mut b) = (vec![0.5; v.len()], vec![0.5; v.len()]);
            map.add_gradient(part, &pools, &evals, &mut a);
            blocks.add_gradient(part, &pools, &evals, &mut b);
            prop_assert!(near(&a, &b));
            let (mut a, mut b) = (vec![0.5; v.len()], vec![0.5; v.len()]);
            map.with_product(part, &pools, &evals, &mut |add| add(v, &mut a));
            blocks.with_product(part, &pools, &evals, &mut |add| add(v, &mut b));
            prop_assert!(near(&a, &b));
            prop_assert!(!map.points.is_used());
            let whole = dense(&starts, |h| blocks.add_hessian(part, &pools, &evals, h));
            let found = dense(&starts, |h| map.add_hessian(part, &pools, &evals, h));
            prop_assert!((&found - &whole).amax() <= 1e-12 * whole.amax(), "{found} {whole}");
            prop_assert!(whole.amax() > 0.0);
            // Most contacts, and fewer.
            for some in [&all[..], &all[..1]] {
                let part = Part { constraints: some, ..part };
                let whole = dense(&starts, |h| blocks.add_hessian(part, &pools, &evals, h));
                let found = dense(&starts, |h| map.add_block_diagonal(part, &pools, &evals, h));
                let group = |i: usize| groups.partition_point(|g| starts[*g as usize] <= i);
                let expected = DMatrix::from_fn(whole.nrows(), whole.ncols(), |i, j| if group(i) == group(j) { whole[(i, j)] } else { 0.0 });
                prop_assert!((&found - &expected).amax() <= 1e-12 * whole.amax(), "{found} {expected}");
            }
        }
    }
}
