//! `json`: one object a line.

use std::io::Write;

use super::source::Entry;
use super::{Format, list};

pub(super) struct Json;

impl Format for Json {
    // The objects are of numbers and digits only, so there is nothing to escape.
    fn entry(&mut self, out: &mut Vec<u8>, entry: &Entry) {
        // Writing to a vector cannot fail.
        let _ = match entry.number {
            Some(number) => write!(out, "{{\"number\":{number}"),
            None => write!(out, "{{\"number\":null"),
        };
        let _ = write!(out, ",\"placement\":\"{}\",\"rows\":[", entry.placement);
        list::rows(out, entry.placement);
        out.push(b']');
        if let Some(size) = entry.class_size {
            let _ = write!(out, ",\"class_size\":{size}");
        }
        out.extend_from_slice(b"}\n");
    }
}
