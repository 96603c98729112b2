#[path = "src/synthetic_description.rs"]
mod synthetic_description;

fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-changed=src/synthetic_description.rs");
    let out = std::path::PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    // A description like this one would be a file in `openapi/`. It is generated here, because
    // its 220 operations differ only in their names.
    let file = out.join("shop.json");
    std::fs::write(&file, synthetic_description::description().to_string())?;
    podqueue_codegen::Build::new().rest(file).run();
    Ok(())
}
