//! AQL packets, rings and doorbells.
