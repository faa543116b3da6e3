//! Netfilter's subsystems: the upper byte of a message's type, and what the lower byte says in each.

use crate::{FlagSet, flags};

/// Names of the subsystems.
pub static SUBSYSTEMS: &FlagSet = &flags::NETFILTER_SUBSYSTEM;

/// Names of the messages of each subsystem, by its number.
static MESSAGES: [&FlagSet; 13] = [
    &flags::NETFILTER_BATCH,
    &flags::NETFILTER_CONNECTIONS,
    &flags::NETFILTER_EXPECTED,
    &flags::NETFILTER_QUEUE,
    &flags::NETFILTER_LOG,
    &flags::NETFILTER_FINGERPRINT,
    &flags::NETFILTER_SETS,
    &flags::NETFILTER_ACCOUNTING,
    &flags::NETFILTER_TIMEOUT,
    &flags::NETFILTER_HELPER,
    &flags::NETFILTER_TABLES,
    &flags::NETFILTER_COMPATIBLE,
    &flags::NETFILTER_HOOK,
];

/// Names of a subsystem's messages; of an unknown subsystem, none.
pub fn subsystem(number: u8) -> &'static FlagSet {
    MESSAGES.get(usize::from(number)).copied().unwrap_or(&flags::NETFILTER_BATCH)
}
