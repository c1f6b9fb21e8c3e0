/** Constants of include/uapi/linux/netlink.h and genetlink.h, in the kernel's spelling. */

/** Socket domain and protocols. */
export const AF_NETLINK = 16;
export const NETLINK_GENERIC = 16;

/** Sizes of `struct nlmsghdr`, `struct genlmsghdr` and `struct nlattr`, and what everything is aligned to. */
export const NLMSG_HDRLEN = 16;
export const GENL_HDRLEN = 4;
export const NLA_HDRLEN = 4;
export const NLMSG_ALIGNTO = 4;

/** Message types below the families'. */
export const NLMSG_NOOP = 1;
export const NLMSG_ERROR = 2;
export const NLMSG_DONE = 3;
export const NLMSG_OVERRUN = 4;

/** Message flags. */
export const NLM_F_REQUEST = 0x1;
export const NLM_F_ACK = 0x4;
export const NLM_F_DUMP_INTR = 0x10;
export const NLM_F_DUMP = 0x300;
export const NLM_F_CAPPED = 0x100;
export const NLM_F_ACK_TLVS = 0x200;

/** Attribute type: the flag of nests, and what is left without flags. */
export const NLA_F_NESTED = 0x8000;
export const NLA_TYPE_MASK = 0x3fff;

/** Attributes of an extended acknowledgement. */
export const NLMSGERR_ATTR_MSG = 1;
