import type { z } from 'zod';
import type { Path } from './finding.ts';

/** The keys that a schema knows at a path, through optional values, lists and every branch of a union. */
export function knownKeys(schema: z.core.$ZodType, path: Path): readonly string[] {
  const def = (schema as z.core.$ZodTypes)._zod.def;
  switch (def.type) {
    case 'object':
      return keysBelow(def.shape, path);
    case 'array':
      return knownKeys(def.element, path.slice(1));
    case 'union':
      return def.options.flatMap((option) => knownKeys(option, path));
    case 'optional':
    case 'default':
    case 'prefault':
      return knownKeys(def.innerType, path);
    case 'pipe':
      return knownKeys(def.in, path);
    default:
      return [];
  }
}

function keysBelow(shape: Readonly<Record<string, z.core.$ZodType>>, path: Path): readonly string[] {
  const [key, ...rest] = path;
  if (key === undefined) return Object.keys(shape);
  const inner = shape[key];
  return inner ? knownKeys(inner, rest) : [];
}
