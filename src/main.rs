//! The program `queens`.

fn main() {
    let mut args = std::env::args().skip(1);
    let n: usize = args.next().unwrap().parse().unwrap();
    let isa: queens::Isa = args.next().unwrap().parse().unwrap();
    let engine: Option<queens::EngineKind> = args.next().map(|name| name.parse().unwrap());
    let size = queens::Size::new(n).unwrap();
    let begun = std::time::Instant::now();
    println!("{}", queens::Request::solutions(size).isa(isa).engine(engine).threads(1).count().unwrap().count);
    eprintln!("{:?}", begun.elapsed());
}
