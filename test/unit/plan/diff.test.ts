import t from 'tap';
import type { Operation } from '../../../src/model/operation.ts';
import type { State } from '../../../src/model/state.ts';
import { diff } from '../../../src/plan/diff.ts';
import { renderOperation } from '../../../src/plan/render.ts';
import { type CompactTable, liveState } from '../../support/compact.ts';

const www = 'tcp 192.0.2.10:80';

function planOf(from: CompactTable, to: CompactTable): string[] {
  return diff(liveState(from), liveState(to)).map((operation: Operation) => renderOperation(operation));
}

t.test('diff() edits every attribute in place, with one operation each', (t) => {
  const service = 'tcp 192.0.2.10:80 wlc';
  const services = [
    'tcp 192.0.2.10:80 rr',
    'tcp 192.0.2.10:80 wlc flags=1',
    'tcp 192.0.2.10:80 wlc persistence=300',
    'tcp 192.0.2.10:80 wlc prefix=24',
    'tcp 192.0.2.10:80 wlc engine=sip',
  ];
  for (const wanted of services) {
    const plan = diff(liveState({ [service]: ['10.0.0.1:80'] }), liveState({ [wanted]: ['10.0.0.1:80'] }));
    t.same(
      plan.map(({ kind }) => kind),
      ['edit-service'],
      wanted,
    );
  }
  const destinations = [
    '10.0.0.1:80 dr',
    '10.0.0.1:80 tun',
    '10.0.0.1:80 nat weight=2',
    '10.0.0.1:80 nat max=10',
    '10.0.0.1:80 nat min=10',
  ];
  for (const wanted of destinations) {
    const plan = diff(liveState({ [service]: ['10.0.0.1:80 nat'] }), liveState({ [service]: [wanted] }));
    t.same(
      plan.map(({ kind }) => kind),
      ['edit-destination'],
      wanted,
    );
  }
  t.end();
});

t.test('diff() makes before it breaks', (t) => {
  const from = {
    'tcp 192.0.2.9:80 rr': ['10.0.0.9:80'],
    [www]: ['10.0.0.1:80 nat weight=5', '10.0.0.2:80 nat weight=1', '10.0.0.3:80', '10.0.0.4:80 nat'],
  };
  const to = {
    'tcp 192.0.2.20:80 rr': ['10.0.0.9:80'],
    [`${www} rr`]: ['10.0.0.1:80 nat weight=0', '10.0.0.2:80 nat weight=2', '10.0.0.4:80 dr', '10.0.0.5:80'],
  };
  t.same(planOf(from, to), [
    'tcp 192.0.2.20:80: + virtual service scheduler rr',
    'tcp 192.0.2.20:80: + 10.0.0.9:80 method nat, weight 1',
    `${www}: ~ virtual service scheduler wlc → rr`,
    `${www}: ~ 10.0.0.2:80 weight 1 → 2`,
    `${www}: ~ 10.0.0.4:80 method nat → dr`,
    `${www}: + 10.0.0.5:80 method nat, weight 1`,
    `${www}: ↓ 10.0.0.1:80 weight 5 → 0`,
    `${www}: - 10.0.0.3:80`,
    'tcp 192.0.2.9:80: - virtual service',
  ]);
  t.end();
});

t.test('diff() replaces all servers without a moment without one', (t) => {
  t.same(planOf({ [www]: ['10.0.0.1:80', '10.0.0.2:80'] }, { [www]: ['10.0.0.3:80', '10.0.0.4:80'] }), [
    `${www}: + 10.0.0.3:80 method nat, weight 1`,
    `${www}: + 10.0.0.4:80 method nat, weight 1`,
    `${www}: - 10.0.0.1:80`,
    `${www}: - 10.0.0.2:80`,
  ]);
  t.end();
});

t.test('diff() takes "local" for the configured method, and still edits the rest', (t) => {
  for (const method of ['nat', 'dr', 'tun']) {
    t.same(planOf({ [www]: ['127.0.0.1:80 local'] }, { [www]: [`127.0.0.1:80 ${method}`] }), [], method);
  }
  t.equal(planOf({ [www]: ['127.0.0.1:80 local'] }, { [www]: ['127.0.0.1:80 nat weight=2'] }).length, 1);
  t.equal(planOf({ [www]: ['127.0.0.1:80 nat'] }, { [www]: ['127.0.0.1:80 local'] }).length, 1, 'not the other way');
  t.end();
});

t.test('diff() compares the tunnel of tunnels alone: the kernel knows none of the others', (t) => {
  const plan = (method: string): string[] =>
    planOf({ [www]: [`10.0.0.1:80 ${method}`] }, { [www]: [`10.0.0.1:80 ${method} tunnel=gue port=6080`] });
  t.same(plan('tun'), [`${www}: ~ 10.0.0.1:80 tunnel ipip → gue port 6080`]);
  t.same([plan('nat'), plan('dr')], [[], []]);
  t.end();
});

t.test('diff() leaves timeouts alone that one side does not know', (t) => {
  const none: State = { services: new Map() };
  t.same(diff(none, liveState({})), []);
  t.same(diff(liveState({}), none), []);
  t.end();
});
