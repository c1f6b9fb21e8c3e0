import { endianness } from 'node:os';

/** Whether netlink's host-endian integers are little-endian on this machine. */
export const littleEndian = endianness() === 'LE';
