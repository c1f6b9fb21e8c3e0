import type { CheckType } from '../model/check-type.ts';
import type { Config, DaemonSettings, Service } from '../model/config.ts';
import type { Timeouts } from '../model/timeouts.ts';
import { type Defaults, applyDefaults } from './apply-defaults.ts';
import { daemonSchema } from './daemon-schema.ts';
import { duplicateListeners } from './duplicate-listeners.ts';
import { type ExpandedService, expandService } from './expand-service.ts';
import type { TableSchemas } from './file-schema.ts';
import type { z } from 'zod';
import { type Finding, errorAt, warningAt } from './finding.ts';
import { Memo } from './memo.ts';
import type { Entry, Merged } from './merge-documents.ts';
import {
  type NamedCheck,
  type NamedPool,
  type References,
  ServiceScope,
  areCurrent,
  timingFindings,
} from './service-scope.ts';
import { resolveCheck } from './resolve-check.ts';
import { sharedServiceShape } from './service-schema.ts';
import type { Table } from './table.ts';
import { type Validated, validate } from './validate.ts';

const noTable: Table = {};

/** A configuration built from valid and invalid tables alike; only without errors among the findings it is to be used. */
export interface Built {
  readonly config: Config;
  readonly findings: readonly Finding[];
}

interface ServiceResult {
  /** Kept without the scope, which would keep all names of its time. */
  readonly references: References;
  readonly expanded?: ExpandedService;
  readonly findings: readonly Finding[];
}

/** Builds configurations from merged files, and remembers what came of each table, so that unchanged ones cost nothing. */
export class ConfigBuilder {
  readonly #types: ReadonlyMap<string, CheckType>;
  readonly #schemas: TableSchemas;
  readonly #checks = new Memo<NamedCheck>();
  readonly #pools = new Memo<NamedPool>();
  readonly #services = new Memo<ServiceResult>();

  constructor(types: ReadonlyMap<string, CheckType>, schemas: TableSchemas) {
    this.#types = types;
    this.#schemas = schemas;
  }

  /** @param pause - lets other work go on when it has waited long enough; called between services */
  async build(merged: Merged, pause: () => Promise<void> | undefined): Promise<Built> {
    const findings: Finding[] = [...merged.findings];
    const keep = <Value>(validated: Validated<Value>): Value | undefined => {
      findings.push(...(validated.findings ?? []));
      return validated.value;
    };
    const daemon = keep(validateEntry(daemonSchema, merged.daemon)) ?? daemonSchema.parse({});
    const timeouts = merged.timeouts && keep(validateEntry(this.#schemas.timeouts, merged.timeouts));
    const defaults = this.#defaults(merged, keep);
    const checks = mapEntries(merged.check, (entry, name) => this.#check(name, entry, defaults));
    const pools = mapEntries(merged.pool, (entry) => this.#pool(entry, defaults));
    for (const { findings: found } of [...checks.values(), ...pools.values()]) findings.push(...found);

    const results: ServiceResult[] = [];
    for (const [name, entry] of merged.service) {
      results.push(this.#service(name, entry, defaults, checks, pools));
      await pause();
    }
    for (const result of results) findings.push(...result.findings, ...(result.expanded?.findings ?? []));
    const expanded = results.flatMap((result) => result.expanded ?? []);
    await duplicateListeners(expanded, findings, pause);
    findings.push(...unused(merged, results));
    return {
      config: configOf(
        daemon,
        timeouts,
        expanded.map(({ service }) => service),
      ),
      findings,
    };
  }

  #defaults({ defaults: entry }: Merged, keep: (validated: Validated<unknown>) => unknown): Defaults {
    const valid = keep(validateEntry(this.#schemas.defaults, entry)) !== undefined;
    const shared = Object.keys(sharedServiceShape(this.#schemas.check));
    return applyDefaults(valid && entry ? entry.raw : noTable, shared, this.#types);
  }

  #check(name: string, { raw, place }: Entry, defaults: Defaults): NamedCheck {
    return this.#checks.get(raw, [place.file, defaults.identity], () => {
      if (name === 'none') return { findings: [errorAt(place, 'the name "none" stands for no check')] };
      const { value, findings = [] } = validate(this.#schemas.check, defaults.check(raw), place);
      return {
        findings: value ? timingFindings(value, place) : findings,
        ...(value && { check: resolveCheck(value) }),
      };
    });
  }

  #pool({ raw, place }: Entry, defaults: Defaults): NamedPool {
    return this.#pools.get(raw, [place.file, defaults.identity], () => {
      const { value, findings = [] } = validate(this.#schemas.pool, defaults.pool(raw), place);
      return { place, findings, ...(value && { keys: value }) };
    });
  }

  #service(
    name: string,
    { raw, place }: Entry,
    defaults: Defaults,
    checks: ReadonlyMap<string, NamedCheck>,
    pools: ReadonlyMap<string, NamedPool>,
  ): ServiceResult {
    const dependencies = [place.file, defaults.identity];
    const stillTrue = ({ references }: ServiceResult): boolean => areCurrent(references, checks, pools);
    return this.#services.get(
      raw,
      dependencies,
      () => {
        const scope = new ServiceScope(checks, pools);
        const { value, findings = [] } = validate(this.#schemas.service, defaults.service(raw), place);
        if (!value) return { references: scope.references, findings };
        return { references: scope.references, findings, expanded: expandService(name, value, raw, place, scope) };
      },
      stillTrue,
    );
  }
}

function validateEntry<Value>(schema: z.ZodType<Value>, entry: Entry | undefined): Validated<Value | undefined> {
  return entry ? validate(schema, entry.raw, entry.place) : { value: undefined };
}

function mapEntries<Value>(
  entries: ReadonlyMap<string, Entry>,
  map: (entry: Entry, name: string) => Value,
): Map<string, Value> {
  return new Map([...entries].map(([name, entry]) => [name, map(entry, name)]));
}

/** Pools and checks that nothing refers to: allowed, but often a typing error. */
function unused(merged: Merged, results: readonly ServiceResult[]): Finding[] {
  const usedChecks = new Set(results.flatMap(({ references }) => [...references.checks.keys()]));
  const usedPools = new Set(results.flatMap(({ references }) => [...references.pools.keys()]));
  const among = (entries: ReadonlyMap<string, Entry>, used: ReadonlySet<string>, what: string): Finding[] =>
    [...entries]
      .filter(([name]) => !used.has(name))
      .map(([, { place }]) => warningAt(place, `no service uses this ${what}`));
  return [...among(merged.check, usedChecks, 'check'), ...among(merged.pool, usedPools, 'pool')];
}

function configOf(
  daemon: z.output<typeof daemonSchema>,
  timeouts: z.output<TableSchemas['timeouts']> | undefined,
  services: readonly Service[],
): Config {
  return {
    daemon: daemonSettings(daemon),
    ...(timeouts && { timeouts: timeoutsOf(timeouts) }),
    services,
  };
}

function timeoutsOf({ tcp, tcp_fin: tcpFin, udp }: z.output<TableSchemas['timeouts']>): Timeouts {
  return { tcpSeconds: tcp, tcpFinSeconds: tcpFin, udpSeconds: udp };
}

function daemonSettings(keys: z.output<typeof daemonSchema>): DaemonSettings {
  return {
    controlSocket: keys.control_socket,
    ...(keys.http && { http: keys.http }),
    stateDir: keys.state_dir,
    watch: keys.watch,
    resyncMs: keys.resync,
    unmanaged: keys.unmanaged,
    onStop: keys.on_stop,
    logLevel: keys.log_level,
  };
}
