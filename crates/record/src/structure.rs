//! Structs → nodes.

use table::{Base, Kind, Layout, Len, Special, Target};

use crate::place::{Around, Place, field_place};
use crate::walk::Walk;
use crate::{Fraction, Node, Value, special};

impl<'a> Walk<'a> {
    /// Appends a struct whose bytes are these.
    pub(crate) fn structure(
        &mut self,
        node: Node<'a>,
        layout: &Layout,
        bytes: &'a [u8],
        before: Option<&'a [u8]>,
    ) {
        let around = Around { fields: layout.fields, bytes, before, model: self.model };
        self.parent(node, Value::Struct, |walk| walk.fields(&around));
    }

    /// Appends the fields of a struct.
    pub(crate) fn fields(&mut self, around: &Around<'a>) {
        let is_filled =
            |field: &&table::Field| matches!(field.kind, Kind::Special(Special::Filled));
        if let Some(field) = around.fields.iter().find(is_filled) {
            self.filled = around.place(field).u32().into();
        }
        if around.fields.iter().any(|field| is_address(&field.kind)) {
            self.peer = Some(0);
        }
        for (index, field) in around.fields.iter().enumerate() {
            let node = Node { name: field.name, verbose: field.verbose, ..Node::default() };
            let place = around.place(field);
            let before = around.before.map(|before| field_place(field, before, around.model));
            let kind = match before {
                Some(_) => self.resolve(&field.kind, around).unwrap_or(&field.kind),
                None => &field.kind,
            };
            match (before, kind) {
                (Some(before), Kind::Replaced(kind, retold)) => {
                    self.replaced(node, kind, *retold, [before, place]);
                }
                (Some(before), Kind::Supplied(kind))
                    if before.number(field.width(around.model)) == 0 =>
                {
                    self.kind(node, kind, place, around);
                }
                (Some(_), Kind::Supplied(_)) => {}
                (Some(before), Kind::Struct(inner)) => {
                    let [before, bytes] = [before, place].map(|place| {
                        place.bytes(inner.size(around.model) as usize).unwrap_or_default()
                    });
                    self.structure(node, inner, bytes, Some(before));
                }
                (Some(before), kind) if is_address_length(around, index) => {
                    self.changed(node, kind, [before, place]);
                }
                _ => self.kind(node, &field.kind, place, around),
            }
        }
    }

    /// Appends a point in time.
    pub(crate) fn instant(
        &mut self,
        node: Node<'a>,
        layout: &Layout,
        unit: table::Fraction,
        bytes: &'a [u8],
    ) {
        let around = Around { fields: layout.fields, bytes, before: None, model: self.model };
        let [seconds, fraction] = [0, 1].map(|index| around.place(&layout.fields[index]));
        let special = match layout.fields[1].kind {
            Kind::Special(special) => special::value(special, fraction, &around),
            _ => Value::Absent,
        };
        let fraction = Place::Register(around.number(1));
        if let Value::Name(number, name) = special {
            let named = |place: usize| Node { name: layout.fields[place].name, ..Node::default() };
            return self.parent(node, Value::Instead(number, name), |walk| {
                walk.leaf(named(0), Value::Signed(seconds.i64()));
                walk.leaf(named(1), Value::Unsigned(fraction.u64(), Base::Dec));
            });
        }
        let digits = match unit {
            table::Fraction::Micros => 6,
            table::Fraction::Nanos | table::Fraction::DeviceNanos => 9,
        };
        let value = match u32::try_from(fraction.u64()) {
            Ok(value) if value < 10_u32.pow(digits.into()) => {
                let fraction = Fraction { value, digits };
                match unit {
                    table::Fraction::DeviceNanos => Value::Reading(seconds.i64(), fraction),
                    _ => Value::Instant(seconds.i64(), fraction),
                }
            }
            // The call refuses it.
            _ => Value::Struct,
        };
        self.parent(node, value, |walk| walk.fields(&around));
    }
}

/// Whether it leads to a socket address.
fn is_address(kind: &Kind) -> bool {
    matches!(kind, Kind::Ptr(_, Target::SockAddr(_)))
}

/// Whether the field of this index is the length of a socket address beside it.
pub(crate) fn is_address_length(around: &Around<'_>, index: usize) -> bool {
    around.fields.iter().any(|field| match &field.kind {
        Kind::Ptr(_, Target::SockAddr(Len::Field(length))) => usize::from(*length) == index,
        _ => false,
    })
}
