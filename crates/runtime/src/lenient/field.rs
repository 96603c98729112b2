//! Field: a value without its type, so that an object is read, written, compared and printed by one
//! function for all types.

use std::any::Any;
use std::fmt;

use super::codec::Lenient;
use super::node::Node;

/// Type-erased field of an object.
pub trait Field: fmt::Debug {
    /// [`Lenient::write`].
    fn node(&self) -> Node<'_>;

    /// [`Lenient::is_empty`].
    fn is_absent(&self) -> bool;

    /// Returns true if another field has the same type and value.
    fn equals(&self, other: &dyn Field) -> bool;

    /// The field with its type.
    fn any(&self) -> &dyn Any;
}

impl<T: Lenient> Field for T {
    fn node(&self) -> Node<'_> {
        self.write()
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }

    fn equals(&self, other: &dyn Field) -> bool {
        other.any().downcast_ref() == Some(self)
    }

    fn any(&self) -> &dyn Any {
        self
    }
}
