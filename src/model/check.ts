/** When a check probes and when its verdict changes. */
export interface CheckTiming {
  /** Time from one probe's start to the next one's while the endpoint is up, in milliseconds. */
  readonly intervalMs: number;
  /** The same while it is down. */
  readonly intervalDownMs: number;
  /** Deadline of a whole attempt, in milliseconds. */
  readonly timeoutMs: number;
  /** Passed probes in a row that bring an endpoint back. */
  readonly rise: number;
  /** Failed probes in a row that take it out. */
  readonly fall: number;
}

/** A health check as configured, with its defaults filled in. Its options belong to its type. */
export interface Check extends CheckTiming {
  readonly type: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** What a check is run against. */
export interface Target {
  readonly address: string;
  readonly port: number;
}

/** Identity of what is probed: type, options, timing and target. Equal keys share one probe and one verdict. */
export type ProbeKey = string;

/** A check bound to a target. */
export interface Probe {
  readonly key: ProbeKey;
  readonly check: Check;
  readonly target: Target;
}

/** The outcome of one probe; a reason in words when it failed, or a remark when it passed. */
export interface ProbeResult {
  readonly passed: boolean;
  readonly reason: string;
  readonly durationMs: number;
}

/** The probe of a check against a target. */
export function probeOf(check: Check, target: Target): Probe {
  return { key: `${check.type} ${target.address} ${target.port} ${textOf(check)}`, check, target };
}

/** Texts of checks, each made once: one check may have a hundred thousand targets. */
const texts = new WeakMap<Check, string>();

function textOf(check: Check): string {
  const known = texts.get(check);
  if (known !== undefined) return known;
  const text = JSON.stringify(check);
  texts.set(check, text);
  return text;
}
