//! Image name: the part of a reference to a container image by which the local service chooses the
//! workers of an endpoint.

/// The name of an image, without registry, tag and digest: `echo` of `registry.example/team/echo:1`.
pub(super) fn name(image: &str) -> &str {
    let image = image.split('@').next().unwrap_or_default();
    let last = image.rsplit('/').next().unwrap_or_default();
    last.split(':').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn registry_tag_and_digest_are_left_out() {
        for image in ["echo", "echo:1", "a.example:5000/team/echo:1@sha256:ab", "a/echo@sha256:1"] {
            assert_eq!(name(image), "echo", "{image}");
        }
        assert_eq!(name(""), "");
    }
}
