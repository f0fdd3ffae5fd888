//! How many of the checks of `queens verify` are done, and which take too long.

use queens::{EngineKind, Method, Size, oeis};

use crate::cli::long_run::Status;
use crate::cli::terminal::messages;

/// While one of so many checks runs: which one, after so many, and what share of it is done.
pub(super) fn step(title: &str, (done, all): (usize, usize), share: f64) -> Status {
    Status {
        title: title.to_owned(),
        share: Some((done as f64 + share) / all as f64),
        fields: vec![format!("{done} of {all} checks")],
        ..Status::default()
    }
}

/// An engine takes about a second for its quick size, and grows with the number of solutions.
fn seconds(size: Size, method: Method) -> f64 {
    let term = |n: usize| oeis::QUEENS.term(n).unwrap_or(1).max(1) as f64;
    term(size.get()) / term(method.engine.info().quick)
}

/// Says what is left out because nobody has named an engine for it, and what takes longer than anybody waits for.
pub(super) fn tell_limits(sizes: &[Size], methods: &[Vec<Method>], named: &[EngineKind], cores: usize) {
    if let Some(text) = left_out(sizes, methods).filter(|_| named.is_empty()) {
        messages::note(&text);
    }
    if let Some(text) = very_long(sizes, methods, cores) {
        messages::warning(&text);
    }
}

fn left_out(sizes: &[Size], methods: &[Vec<Method>]) -> Option<String> {
    let mut idle = sizes.iter().zip(methods).filter(|(_, methods)| methods.is_empty()).map(|(size, _)| size);
    let first = idle.next()?;
    let last = idle.next_back().unwrap_or(first);
    Some(format!("N = {first} to {last}: every engine takes long; name the one to verify with --engine"))
}

fn very_long(sizes: &[Size], methods: &[Vec<Method>], cores: usize) -> Option<String> {
    /// Of so many seconds, which are about ten times too many for large boards.
    const LONG: f64 = 6000.0;
    let largest = sizes.iter().zip(methods).rev();
    let mut each = largest.flat_map(|(&size, methods)| methods.iter().map(move |&method| (size, method)));
    let (size, method) = each.find(|&(size, method)| seconds(size, method) > LONG * cores as f64)?;
    let engine = method.engine;
    Some(format!("N = {size} by {engine} takes very long; 'queens estimate {size}' tells how long"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::verify::Engines;

    fn methods(sizes: &[Size], named: &[EngineKind]) -> Vec<Vec<Method>> {
        let engines = Engines { named: named.to_vec(), beyond: 3, isas: Vec::new() };
        sizes.iter().map(|size| engines.methods(*size).unwrap()).collect()
    }

    #[test]
    fn the_share_grows_check_by_check() {
        let Status { title, share, left, fields, .. } = step("N = 8, join", (3, 8), 0.5);
        assert_eq!((title.as_str(), share, fields), ("N = 8, join", Some(0.4375), vec!["3 of 8 checks".to_owned()]));
        assert!(left.is_none());
    }

    #[test]
    fn what_takes_very_long_is_told_before() {
        let sizes: Vec<Size> = Size::all().filter(|size| (10..=27).contains(&size.get())).collect();
        let all = methods(&sizes, &[]);
        assert_eq!(
            left_out(&sizes, &all).unwrap(),
            "N = 21 to 27: every engine takes long; name the one to verify with --engine"
        );
        assert_eq!((left_out(&sizes[..8], &all[..8]), very_long(&sizes, &all, 2)), (None, None));
        let join = methods(&sizes, &[EngineKind::Join]);
        assert_eq!(
            very_long(&sizes, &join, 2).unwrap(),
            "N = 27 by join takes very long; 'queens estimate 27' tells how long"
        );
        // N = 20 takes seconds, N = 22 half an hour of one core.
        assert_eq!(very_long(&sizes[..11], &join[..11], 1), None);
        assert!(very_long(&sizes[..13], &join[..13], 1).is_some());
    }
}
