//! The name that is nearest to one that does not exist.

/// The candidate that takes the fewest strokes to make of a name; none when it takes too many.
pub(crate) fn nearest<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let folded = name.to_lowercase();
    candidates
        .iter()
        .filter(|candidate| !candidate.starts_with("__"))
        .map(|candidate| {
            (strsim::damerau_levenshtein(&folded, &candidate.to_lowercase()), *candidate)
        })
        .filter(|(distance, candidate)| {
            let length = name.chars().count().max(candidate.chars().count());
            *distance <= (length / 3).max(1) && *distance < length
        })
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn only_what_is_near_is_suggested() {
        let names = ["name", "names", "imageName", "__typename", "id"];
        assert_eq!(nearest("nmae", &names), Some("name"));
        assert_eq!(nearest("NAME", &names), Some("name"));
        assert_eq!(nearest("image_name", &names), Some("imageName"));
        assert_eq!(nearest("it", &names), Some("id"));
        assert_eq!(nearest("price", &names), None);
        assert_eq!(nearest("x", &names), None);
    }
}
