import t from 'tap';
import { causeOf } from '../../../src/daemon/cause.ts';
import type { Config } from '../../../src/model/config.ts';
import type { EndpointHealth } from '../../../src/model/health.ts';

const config = { services: [] } as unknown as Config;
const before = { config, atMs: 100, isDraining: false, failing: 0 };
const since = (sinceMs: number): ReadonlyMap<string, EndpointHealth> =>
  new Map([['a', { verdict: 'up', probed: true, contradicting: 0, reason: '', sinceMs }]]);

t.test('causeOf() names what of ours has changed since the round before, and calls the rest drift', (t) => {
  t.equal(causeOf(config, since(0), undefined), 'start');
  t.equal(causeOf({ ...config }, since(100), before), 'configuration');
  t.equal(causeOf(config, since(100), before), 'health', 'a verdict that changed while that round ran counts');
  t.equal(causeOf(config, since(99), { ...before, failing: 1 }), 'retry');
  t.equal(causeOf(config, since(99), { ...before, isDraining: true }), 'drain');
  t.equal(causeOf(config, since(99), before), 'drift');
  t.end();
});
