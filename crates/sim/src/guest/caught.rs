//! Panics of guests: code from outside may fail, and the run then ends with its words.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// True while this thread is inside a guest.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// The place of the latest panic inside a guest.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

static HOOK: Once = Once::new();

/// Calls into a guest. A panic is not printed; it becomes an error with message and place.
pub(super) fn caught<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    HOOK.call_once(note_places);
    INSIDE.set(true);
    // The guest is dropped after a panic: nothing reads what the panic has left half done.
    let result = catch_unwind(AssertUnwindSafe(call));
    INSIDE.set(false);
    result.map_err(|payload| {
        let place = PLACE.with_borrow(Clone::clone);
        format!("it panicked at {place}: {}", message(&*payload))
    })
}

/// Notes the place of each panic inside a guest, and leaves all other panics to the hook before.
fn note_places() {
    let before = take_hook();
    set_hook(Box::new(move |info| {
        if !INSIDE.get() {
            return before(info);
        }
        let place = info.location().map_or_else(|| "an unknown place".to_owned(), short);
        PLACE.set(place);
    }));
}

/// The file below the directory of the package, and the line: the same on every machine.
fn short(location: &std::panic::Location<'_>) -> String {
    let file = location.file();
    let packages = file.find("/registry/src/").map(|at| at + "/registry/src/".len());
    let below = packages.and_then(|at| file[at..].split_once('/')).map_or(file, |(_, rest)| rest);
    format!("{below}:{}", location.line())
}

fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
