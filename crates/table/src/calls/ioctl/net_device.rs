//! Network devices: `netdevice(7)`, and what sockets of all kinds take.

use super::*;

const NAME: Kind = reads!(Target::One(&Kind::CharArray(16)));

requests! {
    FIOSETOWN | SIOCSPGRP => reads!(Target::One(&Kind::Pid)),
    FIOGETOWN | SIOCGPGRP => writes!(Target::One(&Kind::Pid)),
    SIOCATMARK | SIOCOUTQNSD | SIOCGIFENCAP => INT_OUT,
    SIOCSIFENCAP => INT_IN,
    SIOCGIFNAME => struct_in_out!(IFREQ_NAME),
    SIOCGIFFLAGS => struct_in_out!(IFREQ_FLAGS),
    SIOCSIFFLAGS => struct_in!(IFREQ_FLAGS_IN),
    SIOCGIFMETRIC => struct_in_out!(IFREQ_METRIC),
    SIOCSIFMETRIC => struct_in!(IFREQ_METRIC_IN),
    SIOCGIFMTU => struct_in_out!(IFREQ_MTU),
    SIOCSIFMTU => struct_in!(IFREQ_MTU_IN),
    SIOCSIFNAME => struct_in!(IFREQ_RENAME),
    SIOCGIFSLAVE => struct_in_out!(IFREQ_SLAVE),
    SIOCSIFSLAVE => struct_in!(IFREQ_SLAVE_IN),
    SIOCGIFINDEX => struct_in_out!(IFREQ_INDEX),
    SIOCGIFTXQLEN => struct_in_out!(IFREQ_QUEUE),
    SIOCSIFTXQLEN => struct_in!(IFREQ_QUEUE_IN),
    SIOCGIFMAP => struct_in_out!(IFREQ_MAP),
    SIOCSIFMAP => struct_in!(IFREQ_MAP_IN),
    SIOCGIFADDR => struct_in_out!(IFREQ_ADDRESS),
    SIOCSIFADDR => struct_in!(IFREQ_ADDRESS_IN),
    SIOCGIFDSTADDR => struct_in_out!(IFREQ_DESTINATION),
    SIOCSIFDSTADDR => struct_in!(IFREQ_DESTINATION_IN),
    SIOCGIFBRDADDR => struct_in_out!(IFREQ_BROADCAST),
    SIOCSIFBRDADDR => struct_in!(IFREQ_BROADCAST_IN),
    SIOCGIFNETMASK => struct_in_out!(IFREQ_NETMASK),
    SIOCSIFNETMASK => struct_in!(IFREQ_NETMASK_IN),
    SIOCGIFHWADDR => struct_in_out!(IFREQ_HARDWARE),
    SIOCSIFHWADDR | SIOCADDMULTI | SIOCDELMULTI | SIOCSIFHWBROADCAST
        => struct_in!(IFREQ_HARDWARE_IN),
    SIOCBRADDBR | SIOCBRDELBR => NAME,
    SIOCBRADDIF | SIOCBRDELIF => struct_in!(IFREQ_BRIDGE),
}
