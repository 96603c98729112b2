#[path = "src/describe.rs"]
mod describe;

fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-changed=src/describe.rs");
    let out = std::path::PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    // A description like this one would be a file in `openapi/`. It is generated here, because
    // its 220 operations differ only in their names.
    let file = out.join("shop.json");
    std::fs::write(&file, describe::description().to_string())?;
    podqueue_codegen::Build::new().rest(file).run();
    Ok(())
}
