import t from 'tap';
import { renderStatus } from '../../../src/cli/render-status.ts';
import type { StatusReport } from '../../../src/control/status-report.ts';

const nowMs = 10_000_000;
const connections = { active: 3, inactive: 1 };
const report: StatusReport = {
  kernel: { kind: 'linux', release: '6.1.0' },
  config: { files: 1, hash: '0123456789abcdef' },
  reload: null,
  round: { atMs: nowMs, durationMs: 5, troubles: [] },
  services: [
    {
      name: 'www',
      enabled: true,
      listeners: [
        {
          key: 'tcp 192.0.2.1:80',
          scheduler: 'wlc',
          isPresent: true,
          servers: [
            {
              name: 'a',
              destination: '10.0.0.1:80',
              verdict: 'up',
              reason: '200 OK',
              sinceMs: nowMs - 42_000,
              configuredWeight: 10,
              weight: 10,
              connections,
            },
            {
              name: 'b',
              destination: '10.0.0.2:80',
              verdict: 'down',
              reason: 'connection refused',
              sinceMs: nowMs - 7_200_000,
              configuredWeight: 10,
              weight: 0,
              connections: { active: 0, inactive: 0 },
            },
            {
              name: 'c',
              destination: '10.0.0.3:80',
              verdict: 'unknown',
              reason: 'waits for its first passed probe',
              configuredWeight: 10,
              weight: null,
              connections: { active: 0, inactive: 0 },
            },
          ],
        },
      ],
    },
  ],
  foreign: [],
  drift: [],
  degraded: true,
};

t.test('renderStatus() shows a table with weights, ages and reasons', (t) => {
  t.equal(
    renderStatus(report, { color: false, nowMs }),
    [
      'ipvsd: degraded (kernel 6.1.0, configuration 0123456789ab)',
      '',
      'www  tcp 192.0.2.1:80  wlc',
      '  SERVER  HEALTH   WEIGHT  ACTIVE  INACTIVE  SINCE  REASON',
      '  a       up       10      3       1         42s    200 OK',
      '  b       down     0/10    0       0         2h     connection refused',
      '  c       unknown  -/10    0       0         -      waits for its first passed probe',
    ].join('\n'),
  );
  t.end();
});

t.test('renderStatus() says what is not as it should be', (t) => {
  const bad: StatusReport = {
    ...report,
    kernel: { kind: 'memory', release: 'memory' },
    reload: {
      result: 'rejected',
      atMs: nowMs - 5000,
      durationMs: 1,
      problems: [],
      changes: 0,
      waiting: 0,
      failures: ['cannot read x'],
    },
    round: { atMs: 0, durationMs: 0, troubles: ['cannot add tcp 192.0.2.1:80: …'] },
    services: [],
    foreign: ['tcp 203.0.113.9:25'],
    drift: ['+ tcp 192.0.2.1:80'],
  };
  const text = renderStatus(bad, { color: false, nowMs });
  for (const line of [
    'IN-MEMORY KERNEL',
    'last reload: rejected 5s ago',
    'cannot read x',
    'cannot add',
    'not ours',
    'drift',
  ]) {
    t.ok(text.includes(line), line);
  }
  t.end();
});

t.test('renderStatus() colours only when asked to', (t) => {
  t.notOk(renderStatus(report, { color: false, nowMs }).includes('\u001b'));
  t.ok(renderStatus(report, { color: true, nowMs }).includes('\u001b[31mdown'));
  t.end();
});
