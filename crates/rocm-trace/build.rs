//! Embeds the recorder's library into the program.

fn main() {
    bundled_preload::link("rocm_trace");
}
