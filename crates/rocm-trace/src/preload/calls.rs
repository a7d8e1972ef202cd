//! The record of a call: written when it begins, completed when it returns.

use crate::clock;
use crate::raw::{Kind, TEXT_BYTES, words};
use crate::recorder::{self, Record};
use crate::tables::{Field, Function, Id, Type};
use std::ffi::c_char;

/// Index of the function's result in a record, after the times; the arguments follow.
pub const RESULT: usize = 3;
/// Most text arguments of a function that are kept.
const TEXTS: usize = 4;

/// Words that a value takes in a record.
pub const fn words_of<T>() -> usize {
    words(size_of::<T>())
}

/// Most words of a result that are kept: no function of the headers returns more.
const RESULT_WORDS: usize = 3;

/// Words that a function's result takes in a record.
pub const fn results_of<T>() -> u8 {
    assert!(words_of::<T>() <= RESULT_WORDS);
    words_of::<T>() as u8
}

/// The number of arguments of this kind in `args`: texts, or pointers through which the function returns a value.
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

/// A call begins. Not inlined, as [`leave`]: there are many wrappers, and of a function of its own the processor has
/// the code at hand. There is one for each number of words, whose copy is a few moves.
#[inline(never)]
pub fn enter<const N: usize>(id: Id, function: &'static Function, arguments: &[u64; N]) -> Record {
    if !recorder::enabled() {
        return Record::NONE;
    }
    recorder::nest(1);
    let now = clock::now();
    let call = if function.texts == 0 {
        let behind = RESULT + usize::from(function.results);
        recorder::record(Kind::Call, id.0, behind + N + usize::from(function.outs), |record| {
            record[0] = now;
            record[behind - 1..][..N].copy_from_slice(arguments);
        })
    } else {
        with_texts(id, function, arguments, now)
    };
    if let Some(before) = function.hook.before {
        before(arguments, now);
    }
    call
}

fn with_texts(id: Id, function: &'static Function, arguments: &[u64], now: u64) -> Record {
    let mut texts = [(std::ptr::null::<c_char>(), 0); TEXTS];
    let mut found = 0;
    let behind = RESULT + usize::from(function.results);
    let mut length = behind + arguments.len() + usize::from(function.outs);
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
    recorder::record(Kind::Call, id.0, length, |record| {
        record[0] = now;
        record[behind - 1..][..arguments.len()].copy_from_slice(arguments);
        let mut at = behind - 1 + arguments.len() + usize::from(function.outs);
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

/// Completes the record of a call that has returned; the result is at `result`.
#[inline(never)]
pub fn leave<T>(call: Record, function: &'static Function, arguments: &[u64], result: *mut T) {
    if !recorder::enabled() {
        return;
    }
    recorder::nest(-1);
    let end = clock::now();
    // The same in all functions that report by their result: what is 0 is a success.
    let reports = matches!(function.result, Some(Type::Enumerator(_) | Type::Named(_))) && size_of::<T>() == 4;
    // SAFETY: the result is there, and has 4 bytes.
    let failed = reports && unsafe { result.cast::<u32>().read() } != 0;
    if call.is_ours() {
        let mut value = [0_u64; RESULT_WORDS];
        let words = words_of::<T>();
        // SAFETY: the result is there; the record has so many words for it before its arguments.
        unsafe {
            std::ptr::copy_nonoverlapping(result.cast::<u8>(), value.as_mut_ptr().cast(), size_of::<T>());
            call.set(RESULT, &value[..words]);
        }
        if function.outs > 0 && !failed {
            record_outs(call, function, arguments);
        }
    }
    if let Some(after) = function.hook.after
        && !failed
    {
        after(arguments, result.cast());
    }
    if call.is_ours() {
        // SAFETY: it is a record of a call.
        unsafe { call.set_end(end) };
    }
}

fn record_outs(call: Record, function: &'static Function, arguments: &[u64]) {
    let mut at = RESULT + usize::from(function.results) + arguments.len();
    for_each(function.args, arguments, |field, pointer| {
        if let Type::Out(_, bytes) = field.ty {
            if pointer != 0 {
                let mut value = 0_u64;
                // SAFETY: the function succeeded, and gives a value of this size there.
                unsafe { std::ptr::copy_nonoverlapping(pointer as *const u8, (&raw mut value).cast::<u8>(), bytes) };
                // SAFETY: the caller saw that it is ours; the record has a word for each such argument.
                unsafe { call.set(at, &[value]) };
            }
            at += 1;
        }
    });
}
