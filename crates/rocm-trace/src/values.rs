//! Converts recorded values to JSON by their types.

use crate::tables::{Field, Layout, Names, Type};
use serde_json::{Map, Value};

/// Names with values.
pub type Object = Map<String, Value>;

/// An address or bit pattern as text, because many JSON readers would lose bits of a number.
pub fn address(value: u64) -> Value {
    Value::String(format!("{value:#x}"))
}

/// A number, as text if JSON readers would lose bits of it.
pub fn number(value: u64) -> Value {
    const EXACT: u64 = 1 << 53;
    if value <= EXACT { Value::from(value) } else { address(value) }
}

/// Bytes as hexadecimal digits in memory order.
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        _ = write!(text, "{byte:02x}");
        text
    })
}

/// The first `bytes` bytes of `words`.
pub fn bytes_of(words: &[u64], bytes: usize) -> Vec<u8> {
    let mut all: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    all.truncate(bytes);
    all
}

/// A text of a record: the number of its bytes, then the bytes.
pub fn text(words: &[u64]) -> Option<String> {
    let (bytes, text) = words.split_first()?;
    let bytes = usize::try_from(*bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes_of(text.get(..crate::raw::words(bytes))?, bytes)).into_owned())
}

/// The unsigned number in up to 8 bytes.
fn unsigned(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    let length = bytes.len().min(8);
    word[..length].copy_from_slice(&bytes[..length]);
    u64::from_le_bytes(word)
}

fn signed(bytes: &[u8]) -> i64 {
    let unused = 64 - 8 * bytes.len().clamp(1, 8) as u32;
    (unsigned(bytes) as i64) << unused >> unused
}

fn name_of(names: Names, bytes: &[u8]) -> Option<&'static str> {
    let mask = u64::MAX >> (64 - 8 * bytes.len().clamp(1, 8) as u32);
    let value = unsigned(bytes);
    names.iter().find(|(number, _)| number & mask == value).map(|(_, name)| *name)
}

fn flags(names: Names, bytes: &[u8]) -> Value {
    let value = unsigned(bytes);
    let mut left = value;
    let mut found: Vec<String> = Vec::new();
    for (number, name) in names {
        if number.is_power_of_two() && left & number != 0 {
            found.push((*name).to_owned());
            left &= !number;
        }
    }
    if left != 0 || value == 0 {
        found.push(format!("{left:#x}"));
    }
    Value::String(found.join("|"))
}

/// The value that occupies `bytes`.
pub fn value(ty: &Type, bytes: &[u8]) -> Value {
    match ty {
        Type::Unsigned => number(unsigned(bytes)),
        Type::Signed => Value::from(signed(bytes)),
        Type::Float => match bytes.len() {
            4 => Value::from(f32::from_bits(unsigned(bytes) as u32)),
            _ => Value::from(f64::from_bits(unsigned(bytes))),
        },
        Type::Address | Type::Text | Type::Out(..) => address(unsigned(bytes)),
        Type::Enumerator(name) => match name(unsigned(bytes)) {
            Some(name) => Value::from(name),
            None => Value::from(signed(bytes)),
        },
        Type::Named(names) => match name_of(names, bytes) {
            Some(name) => Value::from(name),
            None => Value::from(signed(bytes)),
        },
        Type::Flags(names) => flags(names, bytes),
        Type::Record(layout) => Value::Object(record(layout, bytes)),
        Type::Bytes => Value::String(hex(bytes)),
    }
}

/// The fields of a structure, as far as `bytes` contains them: other versions have shorter structures.
pub fn record(layout: &Layout, bytes: &[u8]) -> Object {
    let field = |field: &Field| {
        let value = value(&field.ty, bytes.get(field.offset..field.offset + field.bytes)?);
        Some((field.name.to_owned(), value))
    };
    layout.fields.iter().filter_map(field).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: Names = &[(1, "ONE"), (2, "TWO"), (-5_i64 as u64, "MINUS_FIVE")];

    #[test]
    fn numbers_by_size_sign_and_name() {
        let show = |ty: Type, bytes: &[u8]| value(&ty, bytes).to_string();
        assert_eq!(show(Type::Unsigned, &[0xff, 0xff]), "65535");
        assert_eq!(show(Type::Signed, &[0xfe, 0xff, 0xff, 0xff]), "-2");
        assert_eq!(show(Type::Unsigned, &[0xff; 8]), "\"0xffffffffffffffff\"");
        assert_eq!(show(Type::Named(NAMES), &(-5_i32).to_le_bytes()), "\"MINUS_FIVE\"");
        assert_eq!(show(Type::Named(NAMES), &7_i32.to_le_bytes()), "7");
        assert_eq!(show(Type::Flags(NAMES), &3_u64.to_le_bytes()), "\"ONE|TWO\"");
        assert_eq!(show(Type::Flags(NAMES), &0x12_u64.to_le_bytes()), "\"TWO|0x10\"");
        assert_eq!(show(Type::Flags(NAMES), &0_u64.to_le_bytes()), "\"0x0\"");
        assert_eq!(show(Type::Float, &2.5_f32.to_le_bytes()), "2.5");
    }

    #[test]
    fn a_shorter_structure_has_fewer_fields() {
        const LAYOUT: Layout = Layout {
            fields: &[
                Field { name: "a", ty: Type::Unsigned, offset: 0, bytes: 4 },
                Field { name: "b", ty: Type::Address, offset: 8, bytes: 8 },
            ],
        };
        assert_eq!(Value::Object(record(&LAYOUT, &[1, 0, 0, 0, 0, 0, 0, 0, 2])).to_string(), r#"{"a":1}"#);
    }
}
