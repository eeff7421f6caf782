//! The errors of rustc for mistakes in derives. The mistakes are beside this package's manifest.
