//! Requests to the device mapper: which fields of the struct that all of them have count, and what is
//! behind it.

/// What of a request counts. The struct's other fields are as they happen to be.
#[derive(Clone, Copy, Debug)]
pub struct MapperRequest {
    /// It is about a device: its number, its name and its identifier.
    pub has_device: bool,
    /// What else is asked.
    pub given: Given,
    /// Whether the device's state is answered: its targets, who has it open, its events.
    pub tells_state: bool,
    /// What the kernel reads behind the struct.
    pub reads: Payload,
    /// What it writes there.
    pub writes: Payload,
}

/// What is asked besides the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Given {
    /// Nothing.
    Nothing,
    /// How many targets there are.
    Targets,
    /// An event's number.
    Event,
    /// The same, unless the device is to be suspended.
    EventIfResumed,
}

/// What is behind the struct.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Payload {
    /// Nothing.
    Nothing,
    /// Targets, each with where the next one is: counted from itself.
    Targets,
    /// Targets with their states; where the next one is counts from where the first one is.
    States,
    /// Names of devices.
    Names,
    /// Kinds of targets.
    Versions,
    /// Devices on which this one depends.
    Dependencies,
    /// A message to a target.
    Message,
    /// A string.
    Text,
    /// A string, if the flags say so.
    Reply,
}
