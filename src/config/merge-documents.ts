import { describeValue } from './describe-value.ts';
import { type Finding, type Place, errorAt } from './finding.ts';
import { nameForm, namePattern } from './server-schema.ts';
import { type Table, isTable } from './table.ts';
import { unknownKey } from './validate.ts';

/** A parsed file. */
export interface Document {
  readonly file: string;
  readonly value: Table;
}

/** A table of some file, not yet validated. */
export interface Entry {
  readonly raw: Table;
  readonly place: Place;
}

const single = ['daemon', 'defaults', 'timeouts'] as const;
const named = ['check', 'pool', 'service'] as const;

/** All files together: one of each single table, and one space of names for each kind of named table. */
export type Merged = Partial<Record<(typeof single)[number], Entry>> &
  Record<(typeof named)[number], Map<string, Entry>> & { readonly findings: readonly Finding[] };

/**
 * Puts the files' tables together; a table that stands twice is a finding that shows both places.
 * @param pause - lets other work go on
 */
export async function mergeDocuments(
  documents: readonly Document[],
  pause: () => Promise<void> | undefined,
): Promise<Merged> {
  const findings: Finding[] = [];
  const merged: Merged = { check: new Map(), pool: new Map(), service: new Map(), findings };
  for (const { file, value } of documents) {
    await pause();
    for (const [key, raw] of Object.entries(value)) {
      const place = { file, path: [key] };
      if (key === 'include') continue;
      if (isOneOf(single, key)) addSingle(merged, key, raw, place, findings);
      else if (isOneOf(named, key)) addNamed(merged[key], raw, place, findings);
      else findings.push(unknownKey(place, ['include', ...single, ...named]));
    }
  }
  return merged;
}

function isOneOf<Word extends string>(words: readonly Word[], text: string): text is Word {
  return (words as readonly string[]).includes(text);
}

function addSingle(
  merged: Merged,
  key: (typeof single)[number],
  raw: unknown,
  place: Place,
  findings: Finding[],
): void {
  const first = merged[key]?.place;
  if (first) findings.push(errorAt(place, `[${key}] is defined twice`, first));
  else if (isTable(raw)) merged[key] = { raw, place };
  else findings.push(errorAt(place, `wrong value (found ${describeValue(raw)}, expected a table)`));
}

function addNamed(entries: Map<string, Entry>, raw: unknown, parent: Place, findings: Finding[]): void {
  if (!isTable(raw)) {
    findings.push(errorAt(parent, `wrong value (found ${describeValue(raw)}, expected tables with a name)`));
    return;
  }
  for (const [name, value] of Object.entries(raw)) {
    const place = { file: parent.file, path: [...parent.path, name] };
    const first = entries.get(name)?.place;
    if (!namePattern.test(name))
      findings.push(errorAt(place, `wrong name (found ${describeValue(name)}, expected ${nameForm})`));
    else if (first) findings.push(errorAt(place, 'is defined twice', first));
    else if (isTable(value)) entries.set(name, { raw: value, place });
    else findings.push(errorAt(place, `wrong value (found ${describeValue(value)}, expected a table)`));
  }
}
