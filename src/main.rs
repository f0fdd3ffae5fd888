//! The program `queens`.

fn main() {
    // The self-check of a skeleton: the new program grows in src/cli.
    println!("{}", queens::count(14).expect("a small board"));
}
