import { didYouMean } from './did-you-mean.ts';
import type { Scope } from './expand-service.ts';
import { type Finding, type Place, below, errorAt, warningAt } from './finding.ts';
import { type ResolvedCheck, resolveCheck } from './resolve-check.ts';
import type { CheckKeys } from './check-schema.ts';
import type { ServerKeys } from './server-schema.ts';
import type { PoolKeys } from './service-schema.ts';

/** A `[check.NAME]`; without a check when it is not valid. */
export interface NamedCheck {
  readonly check?: ResolvedCheck;
  readonly findings: readonly Finding[];
}

/** A `[pool.NAME]`; without keys when it is not valid. */
export interface NamedPool {
  readonly place: Place;
  readonly keys?: PoolKeys;
  readonly findings: readonly Finding[];
}

type Names<Value> = ReadonlyMap<string, Value>;

/** What a service referred to by name, whether there is such a thing or not. */
export interface References {
  readonly checks: Map<string, NamedCheck | undefined>;
  readonly pools: Map<string, NamedPool | undefined>;
}

/** Whether everything referred to is still the same. */
export function areCurrent(references: References, checks: Names<NamedCheck>, pools: Names<NamedPool>): boolean {
  return same(references.checks, checks) && same(references.pools, pools);
}

/** The names that a service may refer to, with a memory of those that it did refer to. */
export class ServiceScope implements Scope {
  readonly #checks: Names<NamedCheck>;
  readonly #pools: Names<NamedPool>;
  readonly references: References = { checks: new Map(), pools: new Map() };

  constructor(checks: Names<NamedCheck>, pools: Names<NamedPool>) {
    this.#checks = checks;
    this.#pools = pools;
  }

  check(key: ServerKeys['check'], place: Place, findings: Finding[]): ResolvedCheck | undefined {
    if (key === undefined || key === 'none') return undefined;
    if (typeof key !== 'string') {
      findings.push(...timingFindings(key, place));
      return resolveCheck(key);
    }
    const named = this.#checks.get(key);
    this.references.checks.set(key, named);
    if (!named) findings.push(unknownName('check', key, place, this.#checks.keys()));
    return named?.check;
  }

  pool(
    name: string,
    place: Place,
    findings: Finding[],
  ): { readonly keys: PoolKeys; readonly place: Place } | undefined {
    const named = this.#pools.get(name);
    this.references.pools.set(name, named);
    if (!named) findings.push(unknownName('pool', name, place, this.#pools.keys()));
    return named?.keys && { keys: named.keys, place: named.place };
  }
}

function same<Value>(used: ReadonlyMap<string, Value | undefined>, now: Names<Value>): boolean {
  for (const [name, value] of used) if (now.get(name) !== value) return false;
  return true;
}

function unknownName(kind: string, name: string, place: Place, known: Iterable<string>): Finding {
  return errorAt(place, `there is no [${kind}.${name}]${didYouMean(name, known)}`);
}

/** A warning about a deadline that outlasts the interval: the next probe then waits for it. */
export function timingFindings({ timeout, interval }: CheckKeys, place: Place): readonly Finding[] {
  const message = `is longer than the interval (found ${timeout} ms, expected at most ${interval} ms): probes will be late`;
  return timeout > interval ? [warningAt(below(place, 'timeout'), message)] : [];
}
