//! Groups of nodes that contact couples most.

use crate::freedom::Freedom;

/// Most nodes of a group.
pub(crate) const MOST: usize = 4;

/// The way that nodes are sorted into groups, kept from step to step.
#[derive(Default)]
pub(crate) struct Grouping {
    /// Axis, place across it, place along it, number in the list.
    lines: Vec<([i32; 4], usize)>,
    /// The numbers of the nodes of each group, ascending.
    groups: Vec<[usize; MOST]>,
    ungrouped: Vec<(u32, Freedom)>,
}

impl Grouping {
    /// Sorts nodes, their freedom, so that groups follow each other, and writes the starts of groups, and their end.
    ///
    /// Contacts of a surface that is nearly flat lie at one height across it: their weights are w_ab = n_a t_b with one n, across the surface, for all of them. Their Hessian couples the nodes of a line across the surface by n nᵀ, whose rank is one: beside its diagonal its eigenvalues are 3, 0 and 0, where the inverse of the whole block has one alone. Lines beside each other are coupled less, as splines overlap: (2/15)² at least of their sum.
    /// A group has the nodes of a line along the axis that the normals of their contacts, `votes`, are nearest to.
    pub(crate) fn sort(
        &mut self,
        nodes: &mut Vec<(u32, Freedom)>,
        votes: impl Fn(usize) -> [f32; 3],
        place: impl Fn(usize) -> [i32; 3],
        starts: &mut Vec<u32>,
    ) {
        let Self { lines, groups, ungrouped } = self;
        lines.clear();
        lines.extend(nodes.iter().enumerate().map(|(i, (node, _))| {
            let (p, votes) = (place(*node as usize), votes(*node as usize));
            let axis = (0..3).fold(0, |best, a| if votes[a] > votes[best] { a } else { best });
            ([axis as i32, p[(axis + 1) % 3], p[(axis + 2) % 3], p[axis]], i)
        }));
        lines.sort_unstable();
        groups.clear();
        let follows =
            |a: &([i32; 4], usize), b: &([i32; 4], usize)| a.0[..3] == b.0[..3] && a.0[3] + 1 == b.0[3];
        for line in lines.chunk_by(follows) {
            for part in line.chunks(line.len().div_ceil(line.len().div_ceil(MOST))) {
                let mut group = [usize::MAX; MOST];
                group.iter_mut().zip(part).for_each(|(own, (_, i))| *own = *i);
                group.sort_unstable();
                groups.push(group);
            }
        }
        // Those of one size follow each other: a preconditioner works on several side by side.
        let size = |group: &[usize; MOST]| group.iter().take_while(|i| **i != usize::MAX).count();
        groups.sort_unstable_by_key(|group| (size(group), *group));
        ungrouped.clone_from(nodes);
        nodes.clear();
        starts.clear();
        starts.push(0);
        for group in groups {
            nodes.extend(group[..size(group)].iter().map(|i| ungrouped[*i]));
            starts.push(nodes.len() as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Every node is in one group, and groups are parts of lines along the axis of their votes.
        #[test]
        fn property_groups_are_parts_of_lines(
            found in prop::collection::hash_map(prop::array::uniform3(-3i32..4), prop::array::uniform3(0.0f32..1.0), 1..80),
        ) {
            let mut all: Vec<([i32; 3], [f32; 3])> = found.into_iter().collect();
            all.sort_by_key(|n| n.0);
            let mut nodes: Vec<(u32, Freedom)> = (0..all.len() as u32).map(|n| (n, Freedom::WHOLE)).collect();
            let mut starts = vec![7];
            Grouping::default().sort(&mut nodes, |n| all[n].1, |n| all[n].0, &mut starts);
            let mut numbers: Vec<u32> = nodes.iter().map(|n| n.0).collect();
            let axis = |n: u32| {
                let votes = all[n as usize].1;
                (0..3).fold(0, |best, a| if votes[a] > votes[best] { a } else { best })
            };
            prop_assert_eq!((starts[0], starts[starts.len() - 1] as usize), (0, nodes.len()));
            for w in starts.windows(2) {
                let own = &numbers[w[0] as usize..w[1] as usize];
                prop_assert!((1..=MOST).contains(&own.len()));
                let a = axis(own[0]);
                let mut along: Vec<i32> = own.iter().map(|n| all[*n as usize].0[a]).collect();
                along.sort_unstable();
                prop_assert!(along.windows(2).all(|w| w[0] + 1 == w[1]));
                for n in own {
                    let (p, q) = (all[*n as usize].0, all[own[0] as usize].0);
                    prop_assert!(axis(*n) == a && (0..3).all(|b| b == a || p[b] == q[b]));
                }
            }
            numbers.sort_unstable();
            prop_assert!(numbers.iter().copied().eq(0..all.len() as u32));
        }
    }
}
