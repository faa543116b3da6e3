//! Video devices.

use super::*;
use crate::{flags, structs};

const TYPE: Target = Target::One(&Kind::flags(&flags::VIDEO_TYPE));

/// The kernel says which one it refuses.
const SET_CONTROLS: Kind = Kind::Ptr(
    Dir::Answered,
    &Target::Exchange(
        &Kind::Struct(&structs::VIDEO_CONTROLS_IN),
        &Kind::Struct(&structs::VIDEO_CONTROLS),
    ),
);

requests! {
    VIDIOC_QUERYCAP => struct_out!(VIDEO_DEVICE),
    VIDIOC_ENUM_FMT => struct_in_out!(VIDEO_FORMAT_KNOWN),
    VIDIOC_G_FMT => struct_in_out!(VIDEO_FORMAT_ASKED),
    VIDIOC_S_FMT | VIDIOC_TRY_FMT => exchange!(VIDEO_FORMAT_IN, VIDEO_FORMAT),
    VIDIOC_REQBUFS => struct_in_out!(VIDEO_BUFFERS),
    VIDIOC_CREATE_BUFS => struct_in!(VIDEO_MAKE),
    VIDIOC_QUERYBUF | VIDIOC_QBUF => struct_in_out!(VIDEO_BUFFER),
    VIDIOC_DQBUF => struct_in_out!(VIDEO_BUFFER_TAKEN),
    VIDIOC_G_FBUF => struct_out!(VIDEO_OVERLAY),
    VIDIOC_S_FBUF => struct_in!(VIDEO_OVERLAY),
    VIDIOC_STREAMON | VIDIOC_STREAMOFF => Kind::Ptr(Dir::In, &TYPE),
    VIDIOC_G_PARM => struct_in_out!(VIDEO_STREAM_ASKED),
    VIDIOC_S_PARM => exchange!(VIDEO_STREAM_IN, VIDEO_STREAM),
    VIDIOC_G_STD => writes!(Target::One(&Kind::HEX64)),
    VIDIOC_S_STD => HEX64_IN,
    VIDIOC_ENUMSTD => struct_in_out!(VIDEO_STANDARD),
    VIDIOC_ENUMINPUT => struct_in_out!(VIDEO_INPUT),
    VIDIOC_G_INPUT => UINT_OUT,
    VIDIOC_S_INPUT => UINT_IN,
    VIDIOC_G_CTRL => struct_in_out!(VIDEO_CONTROL),
    VIDIOC_S_CTRL => struct_in_out!(VIDEO_CONTROL_IN),
    VIDIOC_G_TUNER => struct_in_out!(VIDEO_TUNER_ASKED),
    VIDIOC_S_TUNER => exchange!(VIDEO_TUNER_IN, VIDEO_TUNER),
    VIDIOC_QUERYCTRL => struct_in_out!(VIDEO_CONTROL_KNOWN),
    VIDIOC_QUERY_EXT_CTRL => struct_in_out!(VIDEO_CONTROL_KNOWN2),
    VIDIOC_G_CROP => struct_in_out!(VIDEO_CROP),
    VIDIOC_S_CROP => struct_in!(VIDEO_CROP_IN),
    VIDIOC_CROPCAP => struct_in_out!(VIDEO_CROPS),
    VIDIOC_ENUM_FRAMESIZES => struct_in_out!(VIDEO_SIZE),
    VIDIOC_ENUM_FRAMEINTERVALS => struct_in_out!(VIDEO_INTERVAL),
    VIDIOC_G_EXT_CTRLS => struct_in_out!(VIDEO_CONTROLS_ASKED),
    VIDIOC_S_EXT_CTRLS | VIDIOC_TRY_EXT_CTRLS => SET_CONTROLS,
}
