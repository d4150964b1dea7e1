//! Groups of links that do not collide with those of other groups.

use std::collections::BTreeMap;

use super::Reader;
use crate::xml::{Element, Read, did_you_mean};
use crate::{BodyId, SceneError};

/// `drake:collision_filter_group`.
pub(crate) struct Group<'e> {
    pub(crate) element: &'e Element,
    pub(crate) name: String,
    pub(crate) members: Vec<BodyId>,
    /// Groups whose members are members, too.
    pub(crate) included: Vec<(&'e Element, String)>,
    pub(crate) ignored: Vec<(&'e Element, String)>,
}

impl<T> Reader<'_, T> {
    /// Reads a group. `keys`: names of the values that state a member and a group; `body`: the body of a member.
    pub(crate) fn read_filter_group<'e>(
        &mut self,
        e: &'e Element,
        name: String,
        keys: (&'static str, &'static str),
        body: impl Fn(&mut Self, &Element) -> Read<BodyId>,
    ) -> Read<Group<'e>> {
        const CHILDREN: [&str; 3] =
            ["drake:member", "drake:member_group", "drake:ignored_collision_filter_group"];
        let mut group =
            Group { element: e, name, members: Vec::new(), included: Vec::new(), ignored: Vec::new() };
        for c in &e.children {
            c.no_children()?;
            match c.name.as_str() {
                "member" => {
                    c.required(keys.0)?;
                    group.members.push(body(self, c)?);
                }
                "member_group" => group.included.push((c, c.required(keys.1)?.to_owned())),
                "ignored_collision_filter_group" => {
                    group.ignored.push((c, c.required(keys.1)?.to_owned()));
                }
                _ => return Err(e.unknown_child(c, &CHILDREN)),
            }
            c.finish()?;
        }
        if e.nonempty("ignore").is_some() {
            return Err(e.unsupported_at(
                "ignore",
                "the attribute 'ignore'",
                "remove it, or remove the group",
            ));
        }
        e.finish()?;
        Ok(group)
    }

    /// Excludes the pairs of all groups.
    pub(crate) fn apply_filter_groups(&mut self, groups: &[Group<'_>]) -> Read<()> {
        for pair in pairs(groups)? {
            if !self.scene.excludes.contains(&pair) {
                self.scene.excludes.push(pair);
            }
        }
        Ok(())
    }
}

/// Pairs of bodies that do not collide, each once.
pub(crate) fn pairs(groups: &[Group<'_>]) -> Read<Vec<(BodyId, BodyId)>> {
    let mut index: BTreeMap<&str, usize> = BTreeMap::new();
    for (i, g) in groups.iter().enumerate() {
        if index.insert(&g.name, i).is_some() {
            return Err(g.element.invalid_at(
                "name",
                format!("group '{}' is defined twice", g.name),
                "rename one of them",
            ));
        }
    }
    let find = |e: &Element, name: &str| {
        index.get(name).copied().ok_or_else(|| -> SceneError {
            let known: Vec<&str> = index.keys().copied().collect();
            e.invalid(
                format!("group '{name}' does not exist"),
                format!("name a group of the file{}", did_you_mean(name, &known)),
            )
        })
    };
    let mut members: Vec<Vec<BodyId>> = groups.iter().map(|g| g.members.clone()).collect();
    for (i, g) in groups.iter().enumerate() {
        // Groups below a group, each once.
        let (mut seen, mut stack) = (vec![false; groups.len()], Vec::new());
        seen[i] = true;
        stack.push(g);
        while let Some(top) = stack.pop() {
            for (e, name) in &top.included {
                let k = find(e, name)?;
                if !std::mem::replace(&mut seen[k], true) {
                    members[i].extend(&groups[k].members);
                    stack.push(&groups[k]);
                }
            }
        }
    }
    let mut out = std::collections::BTreeSet::new();
    for (i, g) in groups.iter().enumerate() {
        for (e, name) in &g.ignored {
            let k = find(e, name)?;
            for &a in &members[i] {
                out.extend(members[k].iter().filter(|b| **b != a).map(|&b| (a.min(b), a.max(b))));
            }
        }
    }
    Ok(out.into_iter().collect())
}
