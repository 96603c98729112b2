//! Generates a few of 220 operations.

#[path = "../published-rest/src/synthetic_description.rs"]
mod synthetic_description;

fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-changed=../published-rest/src/synthetic_description.rs");
    let out = std::path::PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    // Written by this project, as in `published-rest`: its operations differ only in their names.
    let file = out.join("shop.json");
    std::fs::write(&file, synthetic_description::description().to_string())?;
    podqueue_codegen::Build::new()
        .rest(file)
        .only(["listOrders", "updateOrder", "GET /orders/{id}", "watchOrder"])
        .run();
    Ok(())
}
