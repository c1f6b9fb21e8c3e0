import { join } from 'node:path';

/** The project's folder: this file runs as dist/bench/root.js. */
export const root = join(import.meta.dirname, '../..');
