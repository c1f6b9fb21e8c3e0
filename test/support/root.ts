import { resolve } from 'node:path';

/** The project's root, seen from the compiled tests (dist/test/support). */
export const root = resolve(import.meta.dirname, '../../..');
