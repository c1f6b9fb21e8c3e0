import { resolve } from 'node:path';

/** The project's root, seen from the compiled lab (dist/lab). */
export const root = resolve(import.meta.dirname, '../..');
