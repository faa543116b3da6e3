//! The capture plan: which guest memory belongs to a call, and when to copy it.
//!
//! Compiled from the table's description of a call. It keeps the shape of memory and forgets what
//! the values mean, so that whoever follows it, the supervisor or the agent, needs no table.

use table::{Arg, Call, Dir, Kind, Len, Note, Source, Target, Width};

/// The memory to copy for one call.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Before the call runs.
    pub entry: Vec<Fetch>,
    /// After it succeeded.
    pub exit: Vec<Fetch>,
    /// After a signal interrupted it.
    pub interrupted: Vec<Fetch>,
}

/// Memory behind the pointer in a register.
#[derive(Clone, Debug)]
pub struct Fetch {
    /// The register: 0 to 5 the arguments, 6 the stack pointer.
    pub register: u8,
    /// What is there.
    pub shape: Shape,
}

/// The shape of memory behind a pointer.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Nothing to copy.
    Nothing,
    /// Bytes up to a NUL.
    Str(Trim),
    /// `count` units of `unit` bytes.
    Block {
        /// How many units.
        count: Count,
        /// Size of a unit, in bytes.
        unit: u32,
        /// What bounds the copy.
        trim: Trim,
        /// Pointers inside each unit that are to be followed.
        inside: Vec<Inside>,
    },
    /// So many bytes of header, then `count` bytes of data.
    Headed {
        /// Size of the header, in bytes.
        header: u32,
        /// How many bytes follow it.
        count: Count,
    },
    /// A NULL-terminated vector of pointers to strings.
    Strings,
    /// As `Strings`, of which only the number is customarily shown.
    Environment,
    /// The first case whose value equals `number & mask`.
    Select {
        /// The number.
        on: Number,
        /// The bits that count.
        mask: u64,
        /// Values and shapes.
        cases: Vec<(u64, Shape)>,
        /// Otherwise.
        default: Box<Shape>,
    },
    /// Only if `number & mask` is not zero.
    IfBits {
        /// The number.
        on: Number,
        /// The bits.
        mask: u64,
        /// The shape then.
        then: Box<Shape>,
    },
}

/// A pointer inside a unit.
#[derive(Clone, Debug)]
pub struct Inside {
    /// Its distance from the unit's start, in bytes.
    pub offset: u32,
    /// What it points to.
    pub shape: Shape,
}

/// What bounds a copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trim {
    /// The user's string limit (`-s`): data.
    Data,
    /// The limit for elements of arrays.
    Elements,
    /// Only the engine's hard limits: paths, structs.
    Whole,
}

/// Where a number is found at the time of the copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    /// In a register.
    Register(u8),
    /// In the unit around the pointer.
    Inside {
        /// Distance from the unit's start, in bytes.
        offset: u32,
        /// Size and signedness.
        width: Width,
    },
}

/// How many units lie behind a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Count {
    /// So many.
    Const(u32),
    /// The number found there.
    Of(Number),
    /// As `Of`, and all elements together no more than the call's result.
    WithinRet(Number),
    /// The call's result.
    Ret,
    /// The 32-bit number that this register points to.
    Deref(u8),
    /// The register counts bits: its 64-bit words.
    WordsOfBits(u8),
    /// The register counts bytes: the pages of 4096 bytes that hold them.
    PagesOfBytes(u8),
}

impl Plan {
    /// The plan of a call.
    pub fn of(call: &Call) -> Plan {
        let told_after = match call.ret.note {
            Note::After(args) => args,
            Note::None | Note::Meaning(..) | Note::MeaningBy { .. } => &[],
        };
        let mut plan = Plan::default();
        fetch(&mut plan.entry, call.args, Dir::In);
        fetch(&mut plan.exit, call.args, Dir::Out);
        fetch(&mut plan.exit, told_after, Dir::Out);
        fetch(&mut plan.interrupted, call.args, Dir::Interrupted);
        plan
    }
}

/// Adds what is to be copied for these arguments in this phase.
fn fetch(phase: &mut Vec<Fetch>, args: &[Arg], wanted: Dir) {
    for (place, arg) in args.iter().enumerate() {
        let shape = shape_of(&arg.kind, wanted, Around::NOTHING);
        if !matches!(shape, Shape::Nothing) {
            phase.push(Fetch { register: arg.register(place) as u8, shape });
        }
    }
}

/// The struct around a pointer, in which lengths and selectors are found.
#[derive(Clone, Copy)]
struct Around<'t> {
    fields: &'t [table::Field],
    /// Where the struct begins in its unit, in bytes.
    base: u32,
}

impl Around<'_> {
    /// No struct: a register.
    const NOTHING: Around<'static> = Around { fields: &[], base: 0 };
}

/// What to follow, in this phase, if a value of this kind sits in a register or in a struct.
fn shape_of(kind: &Kind, wanted: Dir, around: Around<'_>) -> Shape {
    match kind {
        Kind::Ptr(dir, target) => {
            let shape = pointee(target, wanted, around);
            // `readv`'s vector is read by the kernel, what its elements point to is written: to
            // follow the elements after the call, the vector is copied once more.
            let leads_on = matches!(&shape, Shape::Block { inside, .. } if !inside.is_empty());
            let both = *dir == Dir::InOut && wanted != Dir::Interrupted;
            if *dir == wanted || both || leads_on { shape } else { Shape::Nothing }
        }
        Kind::Select { on, mask, cases, default } => {
            let cases: Vec<_> = cases
                .iter()
                .map(|(value, kind)| (*value, shape_of(kind, wanted, around)))
                .collect();
            let default = shape_of(default, wanted, around);
            let nothing = |shape: &Shape| matches!(shape, Shape::Nothing);
            if nothing(&default) && cases.iter().all(|(_, shape)| nothing(shape)) {
                return Shape::Nothing;
            }
            let on = number(*on, around);
            Shape::Select { on, mask: *mask, cases, default: Box::new(default) }
        }
        Kind::IfBits { on, mask, then } => match shape_of(then, wanted, around) {
            Shape::Nothing => Shape::Nothing,
            shape => {
                let on = number(*on, around);
                Shape::IfBits { on, mask: *mask, then: Box::new(shape) }
            }
        },
        _ => Shape::Nothing,
    }
}

fn pointee(target: &Target, wanted: Dir, around: Around<'_>) -> Shape {
    let bytes =
        |len, trim| Shape::Block { count: count(len, around), unit: 1, trim, inside: Vec::new() };
    match target {
        Target::Path => Shape::Str(Trim::Whole),
        Target::CStr => Shape::Str(Trim::Data),
        Target::Bytes(len) | Target::HexBytes(len) => bytes(*len, Trim::Data),
        Target::Message(len) => Shape::Headed { header: 8, count: count(*len, around) },
        Target::One(kind) => Shape::Block {
            count: Count::Const(1),
            unit: kind.size(),
            trim: Trim::Whole,
            inside: inside(kind, wanted, 0),
        },
        Target::Array(kind, len) => Shape::Block {
            count: count(*len, around),
            unit: kind.size(),
            trim: Trim::Elements,
            inside: inside(kind, wanted, 0),
        },
        Target::Strings => Shape::Strings,
        Target::Environment => Shape::Environment,
        Target::IntOrBytes(len)
        | Target::SockAddr(len)
        | Target::Control(len)
        | Target::Dirents(len)
        | Target::BitSetBytes(len) => bytes(*len, Trim::Whole),
        Target::SigInfo => Shape::Block {
            count: Count::Const(1),
            unit: size_of::<crate::SigInfo>() as u32,
            trim: Trim::Whole,
            inside: Vec::new(),
        },
        Target::BitSet(len) => Shape::Block {
            count: count(*len, around),
            unit: 8,
            trim: Trim::Whole,
            inside: Vec::new(),
        },
    }
}

/// The pointers inside a value of this kind that begins so far into its unit.
fn inside(kind: &Kind, wanted: Dir, base: u32) -> Vec<Inside> {
    let Kind::Struct(layout) = kind else {
        return match shape_of(kind, wanted, Around::NOTHING) {
            Shape::Nothing => Vec::new(),
            shape => vec![Inside { offset: base, shape }],
        };
    };
    let around = Around { fields: layout.fields, base };
    let of_field = |field: &table::Field| match &field.kind {
        nested @ Kind::Struct(_) => inside(nested, wanted, base + field.offset),
        kind => match shape_of(kind, wanted, around) {
            Shape::Nothing => Vec::new(),
            shape => vec![Inside { offset: base + field.offset, shape }],
        },
    };
    layout.fields.iter().flat_map(of_field).collect()
}

fn number(source: Source, around: Around<'_>) -> Number {
    match source {
        Source::Arg(register) => Number::Register(register),
        Source::Field(index) => sibling(index, around),
    }
}

fn count(len: Len, around: Around<'_>) -> Count {
    match len {
        Len::Const(count) => Count::Const(count),
        Len::Arg(register) => Count::Of(Number::Register(register)),
        Len::ArgWithinRet(register) => Count::WithinRet(Number::Register(register)),
        Len::Ret => Count::Ret,
        Len::Deref(register) => Count::Deref(register),
        Len::Field(index) => Count::Of(sibling(index, around)),
        Len::FieldWithinRet(index) => Count::WithinRet(sibling(index, around)),
        Len::BitsOfArg(register) => Count::WordsOfBits(register),
        Len::PagesOfArg(register) => Count::PagesOfBytes(register),
    }
}

fn sibling(index: u8, around: Around<'_>) -> Number {
    let field = &around.fields[usize::from(index)];
    let width = match field.kind {
        Kind::Int(width, _) | Kind::Flags(width, _) => width,
        _ if field.kind.size() == 8 => Width::U64,
        _ => Width::S32,
    };
    Number::Inside { offset: around.base + field.offset, width }
}

#[cfg(test)]
mod tests {
    use super::*;
    use table::{Base, Layout, field};

    static VECTOR: Layout = Layout {
        name: "iovec",
        size: 16,
        fields: &[
            field("iov_base", 0, Kind::Ptr(Dir::Out, &Target::Bytes(Len::FieldWithinRet(1)))),
            field("iov_len", 8, Kind::Int(Width::U64, Base::Dec)),
        ],
    };
    const ELEMENT: Kind = Kind::Struct(&VECTOR);
    static ELEMENTS: Target = Target::Array(&ELEMENT, Len::Arg(2));

    #[test]
    fn a_vector_that_the_kernel_reads_is_followed_to_the_buffers_that_it_writes() {
        let vector = Kind::Ptr(Dir::In, &ELEMENTS);
        let before = shape_of(&vector, Dir::In, Around::NOTHING);
        let after = shape_of(&vector, Dir::Out, Around::NOTHING);
        let Shape::Block { count, unit: 16, inside, .. } = &after else {
            panic!("{after:?}");
        };
        assert_eq!(*count, Count::Of(Number::Register(2)));
        let [Inside { offset: 0, shape: Shape::Block { count, trim: Trim::Data, .. } }] =
            inside.as_slice()
        else {
            panic!("{inside:?}");
        };
        let length = Number::Inside { offset: 8, width: Width::U64 };
        assert_eq!(*count, Count::WithinRet(length));
        assert!(matches!(&before, Shape::Block { inside, .. } if inside.is_empty()));
    }

    #[test]
    fn pointers_in_a_struct_within_a_struct_count_from_the_unit() {
        static OUTER: Layout =
            Layout { name: "outer", size: 24, fields: &[field("in", 8, ELEMENT)] };
        let inside = inside(&Kind::Struct(&OUTER), Dir::Out, 0);
        let [Inside { offset: 8, shape: Shape::Block { count, .. } }] = inside.as_slice() else {
            panic!("{inside:?}");
        };
        let length = Number::Inside { offset: 16, width: Width::U64 };
        assert_eq!(*count, Count::WithinRet(length));
    }
}
