//! Decoding never panics, and a decoded packet encodes to the same bytes.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: [u8; 64]| {
    if let Ok(packet) = aql::Packet::from_bytes(&bytes) {
        assert_eq!(packet.to_bytes(), bytes);
        assert_eq!(packet.decode().map(aql::Packet::from), Ok(packet));
    }
});
