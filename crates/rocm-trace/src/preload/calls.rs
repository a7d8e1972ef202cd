//! The record of a call: written when it begins, completed when it returns.

use crate::raw::{Kind, TEXT_BYTES, words};
use crate::recorder::{self, Record};
use crate::tables::{Field, Function, Id, Type};
use std::ffi::c_char;

/// Words of a record before the arguments.
pub const BEFORE_ARGUMENTS: usize = 6;
/// Most text arguments of a function that are kept.
const TEXTS: usize = 4;

/// Words that a value takes in a record.
pub const fn words_of<T>() -> usize {
    words(size_of::<T>())
}

/// Arguments of this kind that `args` has: those that are texts, or those through which the function gives a value.
pub const fn count(args: &[Field], texts: bool) -> u8 {
    let (mut found, mut index) = (0, 0);
    while index < args.len() {
        found += match args[index].ty {
            Type::Text => texts as u8,
            Type::Out(..) => !texts as u8,
            _ => 0,
        };
        index += 1;
    }
    found
}

/// Appends the bytes of an argument.
#[inline]
pub fn put<T: Copy>(values: &mut [u64], at: &mut usize, value: T) {
    // SAFETY: the wrapper made `values` for all its arguments, each in words of its own.
    unsafe { values.as_mut_ptr().add(*at).cast::<T>().write_unaligned(value) };
    *at += words_of::<T>();
}

/// A call begins.
#[inline]
pub fn enter(id: Id, function: &'static Function, arguments: &[u64]) -> Record {
    recorder::nest(1);
    if !recorder::enabled() {
        return Record::NONE;
    }
    if function.hook.quiet.is_some_and(|quiet| quiet(arguments)) {
        return Record::NONE;
    }
    let outs = usize::from(function.outs);
    let call = if function.texts == 0 {
        recorder::record(Kind::Call, BEFORE_ARGUMENTS + arguments.len() + outs, |record| {
            begin(record, id, arguments);
        })
    } else {
        with_texts(id, function, arguments)
    };
    if let Some(before) = function.hook.before {
        before(arguments);
    }
    call
}

#[inline]
fn begin(record: &mut [u64], id: Id, arguments: &[u64]) {
    record[0] = recorder::now();
    record[2] = u64::from(id.0);
    record[BEFORE_ARGUMENTS - 1..][..arguments.len()].copy_from_slice(arguments);
}

fn with_texts(id: Id, function: &'static Function, arguments: &[u64]) -> Record {
    let mut texts = [(std::ptr::null::<c_char>(), 0); TEXTS];
    let mut found = 0;
    let mut length = BEFORE_ARGUMENTS + arguments.len() + usize::from(function.outs);
    for_each(function.args, arguments, |field, value| {
        if matches!(field.ty, Type::Text) && found < TEXTS {
            let text = value as *const c_char;
            // SAFETY: the function reads a C string there.
            let bytes = if text.is_null() { 0 } else { unsafe { libc::strnlen(text, TEXT_BYTES) } };
            texts[found] = (text, bytes);
            found += 1;
            length += 1 + words(bytes);
        }
    });
    recorder::record(Kind::Call, length, |record| {
        begin(record, id, arguments);
        let mut at = BEFORE_ARGUMENTS - 1 + arguments.len() + usize::from(function.outs);
        for (text, bytes) in &texts[..found] {
            record[at] = *bytes as u64;
            let to = &mut record[at + 1..][..words(*bytes)];
            // SAFETY: so many bytes are before the text's end, and there is room for them.
            unsafe { std::ptr::copy_nonoverlapping(text.cast::<u8>(), to.as_mut_ptr().cast::<u8>(), *bytes) };
            at += 1 + words(*bytes);
        }
    })
}

/// Calls `each` with each argument and its first word.
fn for_each(args: &[Field], arguments: &[u64], mut each: impl FnMut(&Field, u64)) {
    let mut at = 0;
    for field in args {
        each(field, arguments[at]);
        at += words(field.bytes);
    }
}

/// A call has returned what is at `result`.
#[inline]
pub fn leave(call: Record, function: &'static Function, arguments: &[u64], result: *mut u8, bytes: usize) {
    recorder::nest(-1);
    if !recorder::enabled() {
        return;
    }
    let end = recorder::now();
    let mut value = [0; 2];
    // SAFETY: the result is there, and no larger than what functions return in registers or is cut off.
    unsafe { std::ptr::copy_nonoverlapping(result, value.as_mut_ptr().cast::<u8>(), bytes.min(16)) };
    // SAFETY: the record has the words before its arguments.
    unsafe { call.set(4, &value) };
    let failed = matches!(function.result, Some(Type::Enumerator(_) | Type::Named(_))) && value[0] != 0;
    if !failed {
        if function.outs > 0 {
            record_outs(call, function, arguments);
        }
        if let Some(after) = function.hook.after {
            after(arguments, result);
        }
    }
    // SAFETY: as above.
    unsafe { call.set(2, &[end]) };
}

fn record_outs(call: Record, function: &'static Function, arguments: &[u64]) {
    let mut at = BEFORE_ARGUMENTS + arguments.len();
    for_each(function.args, arguments, |field, pointer| {
        if let Type::Out(_, bytes) = field.ty {
            if pointer != 0 {
                let mut value = 0_u64;
                // SAFETY: the function succeeded, and gives a value of this size there.
                unsafe { std::ptr::copy_nonoverlapping(pointer as *const u8, (&raw mut value).cast::<u8>(), bytes) };
                // SAFETY: the record has a word for each such argument.
                unsafe { call.set(at, &[value]) };
            }
            at += 1;
        }
    });
}
