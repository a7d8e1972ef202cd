//! Levels of support for requests and packets.

/// How a request or a packet is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// As the driver does.
    Full,
    /// With the difference that the text names.
    Partial(&'static str),
    /// Fails as on a driver or device without the feature, for the reason that the text names.
    Refused(&'static str),
}
