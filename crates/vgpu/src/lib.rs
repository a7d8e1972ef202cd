//! A software MI100.
