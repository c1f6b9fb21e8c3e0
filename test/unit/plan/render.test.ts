import t from 'tap';
import type { Plan } from '../../../src/model/operation.ts';
import { diff } from '../../../src/plan/diff.ts';
import { planToJson } from '../../../src/plan/plan-to-json.ts';
import { renderOperation, renderPlan } from '../../../src/plan/render.ts';
import { liveState } from '../../support/compact.ts';

const www = 'tcp 192.0.2.10:80';
const names = new Map([[www, 'www']]);

/** One operation of each kind. */
const everyKind: Plan = diff(
  liveState({ 'udp 192.0.2.1:53 rr': [], [www]: ['10.0.0.1:80', '10.0.0.2:80', '10.0.0.3:80'] }),
  liveState(
    {
      'fwmark 7 inet6 mh flags=24': [],
      [`${www} sh flags=65`]: ['10.0.0.1:80 nat weight=0', '10.0.0.2:80 tun tunnel=gue port=6080', '10.0.0.4:80'],
    },
    { tcpSeconds: 900, tcpFinSeconds: 60, udpSeconds: 300 },
  ),
);

t.test('renderPlan() shows each operation in a line, by service, and counts them', (t) => {
  t.equal(
    renderPlan(everyKind, { names }),
    `timeouts
  ~ tcp-fin 120 s → 60 s

fwmark 7 inet6
  + virtual service scheduler mh, flags fallback+port

www tcp 192.0.2.10:80
  ~ virtual service scheduler wlc → sh, flags none → persistent+0x40
  ~ 10.0.0.2:80 method nat → tun, tunnel ipip → gue port 6080
  + 10.0.0.4:80 method nat, weight 1
  ↓ 10.0.0.1:80 weight 1 → 0
  - 10.0.0.3:80

udp 192.0.2.1:53
  - virtual service

plan: 2 to add, 3 to change, 1 to drain, 2 to remove`,
  );
  t.end();
});

t.test('renderPlan() says in words that there is nothing to do', (t) => {
  t.equal(renderPlan([]), 'no changes: the kernel matches the configuration');
  t.end();
});

t.test('renderPlan() colours the operations, and only on request', (t) => {
  const drained = everyKind.filter(({ kind }) => kind === 'remove-destination');
  t.match(renderPlan(drained, { color: true }), '  \u001b[31m- 10.0.0.3:80\u001b[39m\n');
  t.notMatch(renderPlan(everyKind), '\u001b');
  t.end();
});

t.test('renderOperation() names the service, where it is known', (t) => {
  const line = everyKind.find(({ kind }) => kind === 'remove-destination');
  t.equal(line && renderOperation(line, names), 'www tcp 192.0.2.10:80: - 10.0.0.3:80');
  t.equal(line && renderOperation(line), 'tcp 192.0.2.10:80: - 10.0.0.3:80');
  t.end();
});

t.test('planToJson() gives machines every attribute before and after, and no connections', (t) => {
  const { summary, operations } = planToJson(everyKind, names);
  t.same(summary, { add: 2, change: 3, drain: 1, remove: 2 });
  t.same(
    operations.find(({ action }) => action === 'drain'),
    {
      action: 'drain',
      kind: 'edit-destination',
      service: 'www',
      virtualService: www,
      destination: '10.0.0.1:80',
      from: {
        method: 'nat',
        tunnel: { type: 'ipip', port: 0, checksum: 'none' },
        weight: 1,
        maxConnections: 0,
        minConnections: 0,
      },
      to: {
        method: 'nat',
        tunnel: { type: 'ipip', port: 0, checksum: 'none' },
        weight: 0,
        maxConnections: 0,
        minConnections: 0,
      },
    },
  );
  t.same(
    operations.map(({ kind, from, to }) => [kind, from !== undefined, to !== undefined]),
    [
      ['set-timeouts', true, true],
      ['add-service', false, true],
      ['edit-service', true, true],
      ['edit-destination', true, true],
      ['add-destination', false, true],
      ['edit-destination', true, true],
      ['remove-destination', true, false],
      ['remove-service', true, false],
    ],
  );
  t.end();
});
