/** Constants of include/uapi/linux/ip_vs.h, in the kernel's spelling. */

export const IPVS_GENL_NAME = 'IPVS';
export const IPVS_GENL_VERSION = 1;

export const IPVS_CMD_NEW_SERVICE = 1;
export const IPVS_CMD_SET_SERVICE = 2;
export const IPVS_CMD_DEL_SERVICE = 3;
export const IPVS_CMD_GET_SERVICE = 4;
export const IPVS_CMD_NEW_DEST = 5;
export const IPVS_CMD_SET_DEST = 6;
export const IPVS_CMD_DEL_DEST = 7;
export const IPVS_CMD_GET_DEST = 8;
export const IPVS_CMD_SET_CONFIG = 12;
export const IPVS_CMD_GET_CONFIG = 13;
export const IPVS_CMD_GET_INFO = 15;

/** Attributes of a command. */
export const IPVS_CMD_ATTR_SERVICE = 1;
export const IPVS_CMD_ATTR_DEST = 2;
export const IPVS_CMD_ATTR_TIMEOUT_TCP = 4;
export const IPVS_CMD_ATTR_TIMEOUT_TCP_FIN = 5;
export const IPVS_CMD_ATTR_TIMEOUT_UDP = 6;

/** Attributes of the answer to `IPVS_CMD_GET_INFO`. */
export const IPVS_INFO_ATTR_VERSION = 1;
export const IPVS_INFO_ATTR_CONN_TAB_SIZE = 2;

/** Attributes of a virtual service. */
export const IPVS_SVC_ATTR_AF = 1;
export const IPVS_SVC_ATTR_PROTOCOL = 2;
export const IPVS_SVC_ATTR_ADDR = 3;
export const IPVS_SVC_ATTR_PORT = 4;
export const IPVS_SVC_ATTR_FWMARK = 5;
export const IPVS_SVC_ATTR_SCHED_NAME = 6;
export const IPVS_SVC_ATTR_FLAGS = 7;
export const IPVS_SVC_ATTR_TIMEOUT = 8;
export const IPVS_SVC_ATTR_NETMASK = 9;
export const IPVS_SVC_ATTR_PE_NAME = 11;
export const IPVS_SVC_ATTR_STATS64 = 12;

/** Attributes of a destination. */
export const IPVS_DEST_ATTR_ADDR = 1;
export const IPVS_DEST_ATTR_PORT = 2;
export const IPVS_DEST_ATTR_FWD_METHOD = 3;
export const IPVS_DEST_ATTR_WEIGHT = 4;
export const IPVS_DEST_ATTR_U_THRESH = 5;
export const IPVS_DEST_ATTR_L_THRESH = 6;
export const IPVS_DEST_ATTR_ACTIVE_CONNS = 7;
export const IPVS_DEST_ATTR_INACT_CONNS = 8;
export const IPVS_DEST_ATTR_PERSIST_CONNS = 9;
export const IPVS_DEST_ATTR_ADDR_FAMILY = 11;
export const IPVS_DEST_ATTR_STATS64 = 12;
export const IPVS_DEST_ATTR_TUN_TYPE = 13;
export const IPVS_DEST_ATTR_TUN_PORT = 14;
export const IPVS_DEST_ATTR_TUN_FLAGS = 15;

/** Attributes of statistics. */
export const IPVS_STATS_ATTR_CONNS = 1;
export const IPVS_STATS_ATTR_INPKTS = 2;
export const IPVS_STATS_ATTR_OUTPKTS = 3;
export const IPVS_STATS_ATTR_INBYTES = 4;
export const IPVS_STATS_ATTR_OUTBYTES = 5;
export const IPVS_STATS_ATTR_CPS = 6;
export const IPVS_STATS_ATTR_INPPS = 7;
export const IPVS_STATS_ATTR_OUTPPS = 8;
export const IPVS_STATS_ATTR_INBPS = 9;
export const IPVS_STATS_ATTR_OUTBPS = 10;

/** The bits of a forwarding method in `IP_VS_CONN_F_*`. */
export const IP_VS_CONN_F_FWD_MASK = 0x7;
