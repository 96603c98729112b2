//! Parameters of paths that have another name on the other side of a comparison.
//!
//! Their names are not sent, and a generated call takes them in the order of the path.

use crate::outline::{Item, Kind, Outline};

/// Gives the parameters of the paths of an outline the names that they have in the old one.
pub(crate) fn align(old: &Outline, new: &mut Outline) {
    let missing = |(path, item): &(&String, &Item), there: &Outline| {
        // Without an operationId, the path is what the call is named after.
        item.kind == Kind::Operation && !item.of.is_empty() && !there.items.contains_key(*path)
    };
    let gone = old.items.iter().filter(|it| missing(it, new));
    let renamed: Vec<_> = gone
        .filter_map(|(path, _)| {
            let mut added = new.items.iter().filter(|it| missing(it, old));
            let (now, _) = added.find(|(now, _)| is_same(path, now))?;
            Some((now.clone(), path.clone()))
        })
        .collect();
    for (now, before) in renamed {
        let names = taken_apart(&now).1.into_iter().zip(taken_apart(&before).1);
        let names: Vec<_> = names
            .map(|(now, before)| (format!(" (path {now})"), format!(" (path {before})")))
            .collect();
        let moved = |path: &str| {
            let rest = path.strip_prefix(&now).filter(|it| it.is_empty() || it.starts_with(' '))?;
            let name = names.iter().find_map(|(now, before)| {
                Some(format!("{before}{}", rest.strip_prefix(now.as_str())?))
            });
            Some(format!("{before}{}", name.as_deref().unwrap_or(rest)))
        };
        let items = std::mem::take(&mut new.items).into_iter();
        new.items = items
            .map(|(path, mut item)| {
                item.part_of = item.part_of.map(|it| moved(&it).unwrap_or(it));
                (moved(&path).unwrap_or(path), item)
            })
            .collect();
    }
}

/// Whether two paths differ in the names of parameters only, none of which has moved.
fn is_same(old: &str, new: &str) -> bool {
    let ((old, before), (new, now)) = (taken_apart(old), taken_apart(new));
    let place = |names: &[&str], name: &str| names.iter().position(|it| *it == name);
    let stays = |(before_name, name): (&&str, &&str)| {
        let (at, was) = (place(&now, name), place(&before, before_name));
        at == was && place(&before, name).is_none_or(|it| Some(it) == at)
    };
    old == new && before.iter().zip(&now).all(stays)
}

/// A path without the names of its parameters, and these.
fn taken_apart(path: &str) -> (String, Vec<&str>) {
    let (mut rest, mut names) = (path, Vec::new());
    let mut bare = String::new();
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else { break };
        bare.extend([before, "{}"]);
        names.push(name);
        rest = after;
    }
    (bare + rest, names)
}
