//! Clocks: the real-time clock (`rtc(4)`), and those of networks (PTP).

use super::*;
use crate::flags;

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
    RTC_PARAM_GET => exchange!(RTC_PARAM, RTC_PARAM_FOUND),
    RTC_PARAM_SET => struct_in!(RTC_PARAM_IN),
    PTP_EXTTS_REQUEST | PTP_EXTTS_REQUEST2 => struct_in!(PTP_EXTERNAL),
    PTP_PIN_SETFUNC | PTP_PIN_SETFUNC2 => struct_in!(PTP_PIN_IN),
    PTP_CLOCK_GETCAPS | PTP_CLOCK_GETCAPS2 => struct_out!(PTP_CAPABILITIES),
}
