import t from 'tap';
import { seeds } from '../../../src/daemon/seed.ts';
import { type Check, probeOf } from '../../../src/model/check.ts';
import type { Config } from '../../../src/model/config.ts';
import { ipip } from '../../../src/model/destination.ts';
import type { EndpointHealth, Verdict } from '../../../src/model/health.ts';
import type { LiveState } from '../../../src/model/state.ts';

const tcp: Check = {
  type: 'tcp',
  options: {},
  intervalMs: 2000,
  intervalDownMs: 2000,
  timeoutMs: 1000,
  rise: 2,
  fall: 3,
};
const target = { address: '10.0.0.1', port: 80 };
const destination = {
  ...target,
  method: 'nat',
  tunnel: ipip,
  weight: 10,
  maxConnections: 0,
  minConnections: 0,
} as const;
const virtual = (port: number) => ({
  id: { protocol: 'tcp', address: '192.0.2.1', port } as const,
  scheduler: 'wlc',
  flags: 0,
  persistenceSeconds: 0,
  persistencePrefix: 32,
  persistenceEngine: '',
});

function config(check: Check, ports = [80]): Config {
  return {
    daemon: {
      controlSocket: '',
      stateDir: '',
      watch: false,
      resyncMs: 1,
      unmanaged: 'keep',
      onStop: 'keep',
      logLevel: 'info',
    },
    services: ports.map((port) => ({
      name: `s${port}`,
      enabled: true,
      drainMs: 0,
      onFail: 'weight-zero',
      listeners: [
        { service: virtual(port), servers: [{ name: 'a', enabled: true, destination, probe: probeOf(check, target) }] },
      ],
    })),
  };
}

/** The kernel's table: each port's weight of the one destination. */
function live(weights: Readonly<Record<number, number>>): LiveState {
  const counters = { activeConnections: 0, inactiveConnections: 0, persistentConnections: 0 };
  return {
    timeouts: { tcpSeconds: 900, tcpFinSeconds: 120, udpSeconds: 300 },
    services: new Map(
      Object.entries(weights).map(([port, weight]) => [
        `tcp 192.0.2.1:${port}`,
        {
          service: virtual(Number(port)),
          destinations: new Map([['10.0.0.1:80', { ...destination, ...counters, weight }]]),
        },
      ]),
    ),
  };
}

const health = (check: Check, verdict: Verdict) =>
  new Map<string, EndpointHealth>([
    [probeOf(check, target).key, { verdict, probed: true, contradicting: 0, reason: '', sinceMs: 0 }],
  ]);

const edited = { ...tcp, fall: 5 };
const cases: readonly [title: string, wanted: Verdict, past: Parameters<typeof seeds>[1], ports?: number[]][] = [
  ['a new server on an empty table is unknown', 'unknown', { health: new Map(), live: live({}) }],
  ['a server with weight in the kernel is adopted as up', 'up', { health: new Map(), live: live({ 80: 7 }) }],
  ['a server at weight 0 in the kernel is adopted as down', 'down', { health: new Map(), live: live({ 80: 0 }) }],
  [
    'a server that comes back while it drains is unknown: its weight 0 is no verdict',
    'unknown',
    {
      health: new Map(),
      owned: new Map([['tcp 192.0.2.1:80', { drainMs: 9, draining: { '10.0.0.1:80': 1 } }]]),
      live: live({ 80: 0 }),
    },
  ],
  [
    'an edited check keeps the verdict down, whatever the weight',
    'down',
    { config: config(edited), health: health(edited, 'down'), live: live({ 80: 7 }) },
  ],
  [
    'an edited check keeps the verdict up',
    'up',
    { config: config(edited), health: health(edited, 'up'), live: live({ 80: 0 }) },
  ],
  [
    'services that share a probe and disagree: serving wins',
    'up',
    { health: new Map(), live: live({ 80: 0, 81: 3 }) },
    [80, 81],
  ],
];

for (const [title, wanted, past, ports] of cases) {
  t.test(`seeds(): ${title}`, (t) => {
    const seed = seeds(config(tcp, ports), past, 5)(probeOf(tcp, target));
    t.match(seed, { verdict: wanted, probed: false, contradicting: 0, sinceMs: 5 });
    t.end();
  });
}
