fn main() {
    podqueue_codegen::queries("queries");
}
