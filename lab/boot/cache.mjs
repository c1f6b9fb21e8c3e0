import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where unpacked kernels, initramfs images and remembered outcomes live; made on first use. */
export const cache = process.env.IPVSD_LAB_CACHE ?? join(homedir(), '.cache/ipvsd-lab');
mkdirSync(cache, { recursive: true });
