//! The capture plan: which guest memory belongs to a call, and when to copy it.
//!
//! Compiled from the table's description of a call. It keeps the shape of memory and forgets what
//! the values mean, so that whoever follows it, the supervisor or the agent, needs no table.

use table::structs::DEVICE_MAPPER;
use table::{Arg, Call, DataModel, Dir, Kind, Len, Note, Source, Target, Width};

/// The memory to copy for one call.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Before the call runs.
    pub entry: Vec<Fetch>,
    /// After it succeeded.
    pub exit: Vec<Fetch>,
    /// After a signal interrupted it.
    pub interrupted: Vec<Fetch>,
    /// After it failed for another reason.
    pub failed: Vec<Fetch>,
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
    /// So many bytes of header, then `count` bytes of data, at least as many as the header has.
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
    /// The case whose value equals `number & mask`: they are in the order of their values.
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

impl Shape {
    /// Where in the unit around the pointer the last number ends on which it depends.
    fn reach(&self) -> u32 {
        let end = |number: &Number| match number {
            Number::Inside { offset, width } => offset + width.bytes(DataModel::Lp64),
            Number::Register(_) => 0,
        };
        match self {
            Shape::Block { count: Count::Of(number), .. } => end(number),
            Shape::Select { on, cases, default, .. } => {
                let of_cases = cases.iter().map(|(_, shape)| shape.reach()).max().unwrap_or(0);
                end(on).max(of_cases).max(default.reach())
            }
            Shape::IfBits { on, then, .. } => end(on).max(then.reach()),
            _ => 0,
        }
    }
}

/// A pointer inside a unit, or what follows the unit in memory.
#[derive(Clone, Debug)]
pub struct Inside {
    /// Its distance from the unit's start, in bytes.
    pub offset: u32,
    /// The shape itself is there, no pointer to it.
    pub in_place: bool,
    /// What it points to.
    pub shape: Shape,
}

/// What bounds a copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trim {
    /// The user's string limit (`-s`): data. Where there is more, the next byte has to be readable.
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
        /// Size and signedness, one that all data models agree on.
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
    /// The register counts bits: words of the unit's size that hold them.
    WordsOfBits(u8),
    /// The register counts bytes: the pages of 4096 bytes that hold them.
    PagesOfBytes(u8),
}

impl Plan {
    /// The plan of a call by an ABI of this data model.
    pub fn of(call: &Call, model: DataModel) -> Plan {
        let told_after = match call.ret.note {
            Note::After(args) | Note::Beside(args) | Note::Labelled(_, args) => args,
            Note::None | Note::Meaning(..) | Note::MeaningOfRead(..) | Note::MeaningBy { .. } => {
                &[]
            }
        };
        let mut plan = Plan::default();
        let planner = |wanted| Planner { wanted, model };
        planner(Dir::In).fetch(&mut plan.entry, call.args);
        planner(Dir::Out).fetch(&mut plan.exit, call.args);
        planner(Dir::Out).fetch(&mut plan.exit, told_after);
        planner(Dir::Interrupted).fetch(&mut plan.interrupted, call.args);
        planner(Dir::Answered).fetch(&mut plan.failed, call.args);
        plan
    }
}

/// The kernel stores no more bytes of paths and where they begin (`BTRFS_IOC_INO_PATHS`).
const MOST_OF_PATHS: u32 = 4096;

/// What lies behind the struct whose last field is of this kind, at most.
fn behind(kind: &Kind) -> Option<Target> {
    match kind {
        Kind::Following(of, len) => Some(Target::Array(of, *len)),
        Kind::Behind(target) => Some(**target),
        Kind::Brief(kind, _)
        | Kind::Needed(kind)
        | Kind::Written(kind)
        | Kind::IfBits { then: kind, .. }
        | Kind::Select { default: kind, .. } => behind(kind),
        _ => None,
    }
}

/// Compiles what one phase copies.
#[derive(Clone, Copy)]
struct Planner {
    /// What is copied in the phase.
    wanted: Dir,
    model: DataModel,
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

impl Planner {
    /// Adds what is to be copied for these arguments.
    fn fetch(self, phase: &mut Vec<Fetch>, args: &[Arg]) {
        for (place, arg) in args.iter().enumerate() {
            let shape = self.shape_of(&arg.kind, Around::NOTHING);
            if !matches!(shape, Shape::Nothing) {
                phase.push(Fetch { register: arg.register(place) as u8, shape });
            }
        }
    }

    /// What to follow if a value of this kind sits in a register or in a struct.
    fn shape_of(self, kind: &Kind, around: Around<'_>) -> Shape {
        match kind {
            Kind::Ptr(dir, target) => {
                let shape = self.pointee(target, around);
                // `readv`'s vector is read by the kernel, what its elements point to is written:
                // to follow the elements after the call, the vector is copied once more.
                let leads_on = matches!(&shape, Shape::Block { inside, .. } if !inside.is_empty());
                let both = match dir {
                    Dir::InOut | Dir::Refilled => matches!(self.wanted, Dir::In | Dir::Out),
                    Dir::Answered => self.wanted != Dir::Interrupted,
                    _ => false,
                };
                let leads_on = leads_on && self.wanted != Dir::Answered;
                if *dir == self.wanted || both || leads_on { shape } else { Shape::Nothing }
            }
            Kind::Written(kind)
            | Kind::Brief(kind, _)
            // What is there afterwards is at the same place.
            | Kind::Exchanged(_, kind)
            | Kind::Needed(kind)
            | Kind::Replaced(kind, _)
            | Kind::Along(kind) => self.shape_of(kind, around),
            Kind::Select { on, mask, cases, default } => {
                let of = |kind| self.shape_of(kind, around);
                let cases = cases.iter().map(|(value, kind)| (*value, of(kind)));
                self.select((*on, *mask), cases.collect(), of(default), around)
            }
            Kind::IfBits { on, mask, then } => match self.shape_of(then, around) {
                Shape::Nothing => Shape::Nothing,
                shape => {
                    let on = self.number(*on, around);
                    Shape::IfBits { on, mask: *mask, then: Box::new(shape) }
                }
            },
            _ => Shape::Nothing,
        }
    }

    fn pointee(self, target: &Target, around: Around<'_>) -> Shape {
        let block = |count, unit, trim| Shape::Block { count, unit, trim, inside: Vec::new() };
        let bytes = |len, trim| block(self.count(len, around), 1, trim);
        match target {
            Target::Path => Shape::Str(Trim::Whole),
            Target::CStr | Target::ShortStr(_) => Shape::Str(Trim::Data),
            Target::Bytes(len) | Target::Terminated(len) | Target::HexBytes(len) => {
                bytes(*len, Trim::Data)
            }
            Target::IntOrBytes(Len::Arg(register)) => Shape::Select {
                on: Number::Register(*register),
                mask: u32::MAX.into(),
                cases: vec![(4, block(Count::Const(4), 1, Trim::Whole))],
                default: Box::new(bytes(Len::Arg(*register), Trim::Data)),
            },
            Target::IntOrBytes(len) => bytes(*len, Trim::Whole),
            Target::Message(len) => {
                Shape::Headed { header: self.model.word(), count: self.count(*len, around) }
            }
            Target::One(kind) | Target::Bare(kind) | Target::Fitting(kind, ..) => self.one(kind),
            Target::Exchange(asked, answered)
            | Target::Answer(asked, answered)
            | Target::Exact(asked, answered, _) => {
                let size = |kind: &Kind| kind.size(self.model);
                let kind = if self.wanted == Dir::In { asked } else { answered };
                Shape::Block {
                    count: Count::Const(1),
                    unit: size(asked).max(size(answered)),
                    trim: Trim::Whole,
                    inside: self.inside(kind, 0),
                }
            }
            Target::Extensible(layout, len, _) => self.extensible(layout, *len, around),
            Target::Sized(layout, len, _) => self.sized(layout, self.count(*len, around)),
            Target::SelfSized(layout, ..) | Target::Capabilities(layout, _) => Shape::Block {
                count: Count::Const(1),
                unit: layout.size(self.model),
                trim: Trim::Whole,
                inside: self.inside(&Kind::Struct(layout), 0),
            },
            Target::OneOf(layouts, _) => self.one_of(layouts),
            Target::Buffers(layout, len, _) => self.list(&Kind::Struct(layout), *len, around),
            Target::Array(kind, len) => self.list(kind, *len, around),
            Target::InFull(target) => self.pointee(target, around),
            Target::Strings => Shape::Strings,
            Target::Environment => Shape::Environment,
            Target::Packed(_, len)
            | Target::SockAddr(len)
            | Target::Control(len)
            | Target::Dirents(len)
            | Target::OldDirents(len)
            | Target::NamedBits(_, len)
            | Target::Opaque(len, _)
            | Target::SearchItems(len, _)
            | Target::BitSetBytes(len) => bytes(*len, Trim::Whole),
            Target::SigSet(len, least) => self.signal_set(*len, *least, around),
            Target::BitSet(len) => block(self.count(*len, around), self.model.word(), Trim::Whole),
            Target::Offsets(_) => block(Count::Const(MOST_OF_PATHS), 1, Trim::Whole),
            Target::DeviceMapper(_) => self.device_mapper(),
        }
    }

    /// `struct dm_ioctl`, and all that it says that there is: it is told once more from its first
    /// byte on.
    fn device_mapper(self) -> Shape {
        let size = DEVICE_MAPPER.size(self.model);
        let around = Around { fields: DEVICE_MAPPER.fields, base: 0 };
        let block = |count, unit, inside| Shape::Block { count, unit, trim: Trim::Whole, inside };
        let whole = block(Count::Of(self.sibling(1, around)), 1, Vec::new());
        let inside = vec![Inside { offset: 0, in_place: true, shape: whole }];
        block(Count::Const(1), size, inside)
    }

    /// One value, and what it leads to.
    fn one(self, kind: &Kind) -> Shape {
        let inside = self.inside(kind, 0);
        let unit = kind.size(self.model);
        Shape::Block { count: Count::Const(1), unit, trim: Trim::Whole, inside }
    }

    /// So many values, and what they lead to.
    fn list(self, kind: &Kind, len: Len, around: Around<'_>) -> Shape {
        let inside = self.inside(kind, 0);
        let (count, unit) = (self.count(len, around), kind.size(self.model));
        Shape::Block { count, unit, trim: Trim::Elements, inside }
    }

    /// A struct whose first four bytes say which of these it is.
    fn one_of(self, layouts: &[(u64, &'static table::Layout)]) -> Shape {
        let of_layout = |layout: &'static table::Layout| self.one(&Kind::Struct(layout));
        let mut cases: Vec<_> =
            layouts.iter().map(|(number, layout)| (*number, of_layout(layout))).collect();
        cases.sort_by_key(|(number, _)| *number);
        let on = Number::Inside { offset: 0, width: Width::U32 };
        let default = Box::new(Shape::Nothing);
        let which = Shape::Select { on, mask: u64::MAX, cases, default };
        let inside = vec![Inside { offset: 0, in_place: true, shape: which }];
        Shape::Block { count: Count::Const(1), unit: 4, trim: Trim::Whole, inside }
    }

    /// A set of signals, where it has one of the sizes that it may have.
    fn signal_set(self, len: Len, least: u32, around: Around<'_>) -> Shape {
        let Count::Of(on) = self.count(len, around) else { return Shape::Nothing };
        let least = if least == 0 { self.model.word() } else { least };
        let of_size = |size: u32| {
            let count = Count::Const(size);
            let set = Shape::Block { count, unit: 1, trim: Trim::Whole, inside: Vec::new() };
            (u64::from(size), set)
        };
        let cases = (least..=8).map(of_size).collect();
        Shape::Select { on, mask: u64::MAX, cases, default: Box::new(Shape::Nothing) }
    }

    /// A struct that grows: as much as is known of it and, where the kernel reads a struct of
    /// another size, what follows. That is more than there is; what is too much is not looked at.
    fn extensible(self, layout: &'static table::Layout, len: Len, around: Around<'_>) -> Shape {
        let size = layout.size(self.model);
        let inside = self.inside(&Kind::Struct(layout), 0);
        let known =
            |inside| Shape::Block { count: Count::Const(1), unit: size, trim: Trim::Whole, inside };
        let (Dir::In, Len::Arg(register)) = (self.wanted, len) else { return known(inside) };
        let count = self.count(len, around);
        let rest = Shape::Block { count, unit: 1, trim: Trim::Whole, inside: Vec::new() };
        let mut with_rest = inside.clone();
        with_rest.push(Inside { offset: size, in_place: true, shape: rest });
        Shape::Select {
            on: Number::Register(register),
            mask: u64::MAX,
            cases: vec![(size.into(), known(inside))],
            default: Box::new(known(with_rest)),
        }
    }

    /// A struct of which some bytes are there, and what the pointers in these lead to: of each the bytes up
    /// to its end are looked at by themselves, as there may be no more. Where the struct around the pointer
    /// says how many there are, as many are copied as are known.
    fn sized(self, layout: &'static table::Layout, count: Count) -> Shape {
        if let Count::Of(Number::Inside { .. }) = count {
            return self.one(&Kind::Struct(layout));
        }
        let block = |count, unit, inside| Shape::Block { count, unit, trim: Trim::Whole, inside };
        let in_place = |shape| Inside { offset: 0, in_place: true, shape };
        let pointers = self.inside(&Kind::Struct(layout), 0).into_iter().map(|pointer| {
            let end = pointer.offset + self.model.word();
            let unit = end.max(pointer.shape.reach());
            in_place(block(Count::Const(1), unit, vec![pointer]))
        });
        let whole = in_place(block(count, 1, Vec::new()));
        // A first byte of which nothing but its place counts.
        block(Count::Const(1), 1, [whole].into_iter().chain(pointers).collect())
    }

    /// The pointers inside a value of this kind that begins so far into its unit.
    fn inside(self, kind: &Kind, base: u32) -> Vec<Inside> {
        let Kind::Struct(layout) = kind else {
            return match self.shape_of(kind, Around::NOTHING) {
                Shape::Nothing => Vec::new(),
                shape => vec![Inside { offset: base, in_place: false, shape }],
            };
        };
        let around = Around { fields: layout.fields, base };
        let of_field = |field: &table::Field| {
            let offset = base + field.offset(self.model);
            match &field.kind {
                nested @ Kind::Struct(_) => self.inside(nested, offset),
                Kind::Written(nested @ Kind::Struct(_)) => self.inside(nested, offset),
                kind if self.wanted != Dir::Interrupted
                    && let Some(target) = behind(kind) =>
                {
                    let offset = base + layout.size(self.model);
                    let shape = self.pointee(&target, around);
                    vec![Inside { offset, in_place: true, shape }]
                }
                kind => {
                    let pointer = (false, self.shape_of(kind, around));
                    let here = (true, self.in_place(kind, around));
                    let some = |(_, shape): &(bool, Shape)| !matches!(shape, Shape::Nothing);
                    let all = [pointer, here].into_iter().filter(some);
                    all.map(|(in_place, shape)| Inside { offset, in_place, shape }).collect()
                }
            }
        };
        layout.fields.iter().flat_map(of_field).collect()
    }

    /// What to follow in a struct within a struct that is there by a number.
    fn in_place(self, kind: &Kind, around: Around<'_>) -> Shape {
        match kind {
            Kind::Struct(_) => match self.one(kind) {
                Shape::Block { inside, .. } if inside.is_empty() => Shape::Nothing,
                shape => shape,
            },
            Kind::Written(kind) => self.in_place(kind, around),
            Kind::Select { on, mask, cases, default } => {
                let of = |kind| self.in_place(kind, around);
                let cases = cases.iter().map(|(value, kind)| (*value, of(kind)));
                self.select((*on, *mask), cases.collect(), of(default), around)
            }
            _ => Shape::Nothing,
        }
    }

    /// What is followed by a number. Where nothing is, as in most cases of `ioctl`, they are not even
    /// listed.
    fn select(
        self,
        (on, mask): (Source, u64),
        mut cases: Vec<(u64, Shape)>,
        default: Shape,
        around: Around<'_>,
    ) -> Shape {
        if matches!(default, Shape::Nothing) {
            cases.retain(|(_, shape)| !matches!(shape, Shape::Nothing));
            if cases.is_empty() {
                return Shape::Nothing;
            }
        }
        cases.sort_by_key(|(value, _)| *value);
        Shape::Select { on: self.number(on, around), mask, cases, default: Box::new(default) }
    }

    fn number(self, source: Source, around: Around<'_>) -> Number {
        match source {
            Source::Arg(register) => Number::Register(register),
            Source::Field(index) => self.sibling(index, around),
        }
    }

    fn count(self, len: Len, around: Around<'_>) -> Count {
        match len {
            Len::Const(count) => Count::Const(count),
            // More than there is, where the upper bits say so: it is not looked at.
            Len::Arg(register)
            | Len::IntArg(register)
            | Len::ArgOrFilled(register, _)
            | Len::DoneOfArg(register) => Count::Of(Number::Register(register)),
            Len::ArgWithinRet(register) => Count::WithinRet(Number::Register(register)),
            Len::Ret => Count::Ret,
            Len::Deref(register) => Count::Deref(register),
            // Of data, of which the user's limit bounds the copy.
            Len::DerefAt(..) | Len::TimesField(..) | Len::Font(..) => Count::Const(u32::MAX),
            Len::Field(index) | Len::FieldWithin(index) => Count::Of(self.sibling(index, around)),
            Len::FieldWithinRet(index) => Count::WithinRet(self.sibling(index, around)),
            // More than there is, or only of what is in a struct, which is copied as a whole.
            Len::TurnsOfField(index) | Len::GroupsOfField(index, _) | Len::FieldLess(index, _) => {
                Count::Of(self.sibling(index, around))
            }
            Len::BitsOfArg(register) | Len::NodesOfArg(register) => Count::WordsOfBits(register),
            Len::PagesOfArg(register) => Count::PagesOfBytes(register),
        }
    }

    fn sibling(self, index: u8, around: Around<'_>) -> Number {
        let field = &around.fields[usize::from(index)];
        let offset = around.base + field.offset(self.model);
        Number::Inside { offset, width: field.width(self.model) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use table::{Layout, field};

    static VECTOR: Layout = Layout {
        name: "iovec",
        size: [16, 8],
        fields: &[
            field("iov_base", 0, Kind::Ptr(Dir::Out, &Target::Bytes(Len::FieldWithinRet(1))))
                .ilp32(0, 4),
            field("iov_len", 8, Kind::ULONG).ilp32(4, 4),
        ],
    };
    const ELEMENT: Kind = Kind::Struct(&VECTOR);
    static ELEMENTS: Target = Target::Array(&ELEMENT, Len::Arg(2));

    #[test]
    fn a_vector_that_the_kernel_reads_is_followed_to_the_buffers_that_it_writes() {
        let vector = Kind::Ptr(Dir::In, &ELEMENTS);
        let planner = |wanted| Planner { wanted, model: DataModel::Lp64 };
        let before = planner(Dir::In).shape_of(&vector, Around::NOTHING);
        let after = planner(Dir::Out).shape_of(&vector, Around::NOTHING);
        let Shape::Block { count, unit: 16, inside, .. } = &after else {
            panic!("{after:?}");
        };
        assert_eq!(*count, Count::Of(Number::Register(2)));
        let [
            Inside {
                offset: 0,
                in_place: false,
                shape: Shape::Block { count, trim: Trim::Data, .. },
            },
        ] = inside.as_slice()
        else {
            panic!("{inside:?}");
        };
        let length = Number::Inside { offset: 8, width: Width::U64 };
        assert_eq!(*count, Count::WithinRet(length));
        assert!(matches!(&before, Shape::Block { inside, .. } if inside.is_empty()));
    }

    #[test]
    fn pointers_in_a_struct_within_a_struct_count_from_the_unit() {
        static OUTER: Layout = Layout {
            name: "outer",
            size: [24, 12],
            fields: &[field("in", 8, ELEMENT).ilp32(4, 8)],
        };
        let found = |model| {
            let planner = Planner { wanted: Dir::Out, model };
            match planner.inside(&Kind::Struct(&OUTER), 0).as_slice() {
                [Inside { offset, shape: Shape::Block { count, .. }, .. }] => (*offset, *count),
                inside => panic!("{inside:?}"),
            }
        };
        let length = |offset, width| Count::WithinRet(Number::Inside { offset, width });
        assert_eq!(found(DataModel::Lp64), (8, length(16, Width::U64)));
        assert_eq!(found(DataModel::Ilp32), (4, length(8, Width::U32)));
    }
}
