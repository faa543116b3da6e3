//! Clocks: the real-time clock (`rtc(4)`), and those of networks (PTP).

use super::*;
use crate::{flags, structs};

const PARAMETER: Kind = Kind::Ptr(
    Dir::InOut,
    &Target::Answer(&Kind::Struct(&structs::RTC_PARAM), &Kind::Struct(&structs::RTC_PARAM_FOUND)),
);

requests! {
    RTC_AIE_ON | RTC_AIE_OFF | RTC_UIE_ON | RTC_UIE_OFF | RTC_PIE_ON | RTC_PIE_OFF | RTC_WIE_ON
        | RTC_WIE_OFF | RTC_VL_CLR => Kind::Absent,
    RTC_ALM_READ | RTC_RD_TIME => struct_out!(RTC_TIME),
    RTC_ALM_SET | RTC_SET_TIME => struct_in!(RTC_TIME),
    RTC_IRQP_READ | RTC_EPOCH_READ => ULONG_OUT,
    RTC_IRQP_SET | RTC_EPOCH_SET => Kind::ULONG,
    RTC_WKALM_RD => struct_out!(RTC_WAKE_ALARM),
    RTC_WKALM_SET => struct_in!(RTC_WAKE_ALARM),
    RTC_PLL_GET => struct_out!(RTC_PLL),
    RTC_PLL_SET => struct_in!(RTC_PLL),
    RTC_VL_READ => writes!(Target::One(&Kind::flags(&flags::RTC_VOLTAGE))),
    RTC_PARAM_GET => PARAMETER,
    RTC_PARAM_SET => struct_in!(RTC_PARAM_IN),
    PTP_EXTTS_REQUEST => struct_in!(PTP_EXTERNAL),
    PTP_EXTTS_REQUEST2 => struct_in!(PTP_EXTERNAL2),
    PTP_PEROUT_REQUEST => struct_in!(PTP_SIGNAL),
    PTP_PEROUT_REQUEST2 => struct_in!(PTP_SIGNAL2),
    PTP_PIN_GETFUNC => struct_in_out!(PTP_PIN),
    PTP_PIN_GETFUNC2 => struct_in_out!(PTP_PIN2),
    PTP_PIN_SETFUNC => struct_in!(PTP_PIN_IN),
    PTP_PIN_SETFUNC2 => struct_in!(PTP_PIN_IN2),
    PTP_SYS_OFFSET | PTP_SYS_OFFSET2 => struct_in_out!(PTP_OFFSET),
    PTP_SYS_OFFSET_EXTENDED | PTP_SYS_OFFSET_EXTENDED2 => struct_in_out!(PTP_OFFSET_EXTENDED),
    PTP_SYS_OFFSET_PRECISE | PTP_SYS_OFFSET_PRECISE2 => struct_out!(PTP_OFFSET_PRECISE),
    PTP_CLOCK_GETCAPS | PTP_CLOCK_GETCAPS2 => struct_out!(PTP_CAPABILITIES),
}
