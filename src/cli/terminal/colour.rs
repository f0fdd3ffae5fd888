//! Whether what is printed has colours.

use clap::ValueEnum;

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// If the output is a terminal, unless `NO_COLOR` or `TERM=dumb` says no
    Auto,
    Always,
    Never,
}

/// Sets the colour for all that is printed from here on; `auto` depends on `NO_COLOR`, `TERM=dumb` and pipes.
pub(crate) fn choose_colour(colour: Colour) {
    let choice = match colour {
        Colour::Auto => anstream::ColorChoice::Auto,
        Colour::Always => anstream::ColorChoice::Always,
        Colour::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
}
