//! Times each engine on one thread, and compares its count with OEIS A000170: `cargo bench --bench engines`.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use queens::{EngineKind, Request, Size, oeis};

fn engines(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("count");
    group.sample_size(10);
    for engine in EngineKind::ALL {
        for n in [engine.quick() - 1, engine.quick()] {
            let expected = oeis::QUEENS.term(n).expect("the term is published");
            let request = Request::solutions(Size::new(n).unwrap()).engine(engine).threads(1);
            group.bench_function(BenchmarkId::new(engine.name(), n), |bencher| {
                bencher.iter(|| assert_eq!(request.count().unwrap().count, expected));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, engines);
criterion_main!(benches);
