import type { Address } from '../model/address.ts';
import type { Check } from '../model/check.ts';
import type { CheckKeys } from './check-schema.ts';

/** A check, and the target that it probes instead of the server's. */
export interface ResolvedCheck {
  readonly check: Check;
  readonly address?: Address;
  readonly port?: number;
}

/** The check that a block stands for. */
export function resolveCheck(keys: CheckKeys): ResolvedCheck {
  const { type, interval, interval_down = interval, timeout, rise, fall, address, port, ...options } = keys;
  const check = { type, intervalMs: interval, intervalDownMs: interval_down, timeoutMs: timeout, rise, fall, options };
  return { check, ...(address !== undefined && { address }), ...(port !== undefined && { port }) };
}
