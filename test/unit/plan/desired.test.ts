import t from 'tap';
import type { Verdict } from '../../../src/model/health.ts';
import type { Operation } from '../../../src/model/operation.ts';
import type { OwnedService, Ownership } from '../../../src/model/ownership.ts';
import { type Desired, desired } from '../../../src/plan/desired.ts';
import { diff } from '../../../src/plan/diff.ts';
import { renderOperation } from '../../../src/plan/render.ts';
import { type CompactConfig, type CompactTable, config, health, liveState } from '../../support/compact.ts';

const www = 'tcp 192.0.2.10:80';
const dns = 'udp 192.0.2.53:53';
const nowMs = 1_000_000;

interface Given {
  readonly wish: CompactConfig;
  readonly table?: CompactTable;
  readonly verdicts?: Readonly<Record<string, Verdict>>;
  readonly owned?: Readonly<Record<string, OwnedService>>;
  readonly nowMs?: number;
}

function decide({
  wish,
  table = {},
  verdicts = {},
  owned = {},
  nowMs: at = nowMs,
}: Given): Desired & { plan: string[] } {
  const live = liveState(table);
  const decided = desired({
    config: config(wish),
    health: health(verdicts),
    live,
    owned: new Map(Object.entries(owned)),
    nowMs: at,
  });
  return { ...decided, plan: diff(live, decided.state).map((operation: Operation) => renderOperation(operation)) };
}

const record = (ownership: Ownership): unknown => Object.fromEntries(ownership);

t.test('desired() gives a probed server the weight of its verdict', (t) => {
  const serving = '10.0.0.1:80 nat weight=10 active=3';
  const idle = '10.0.0.1:80 nat weight=0 active=3';
  const cases: [
    verdict: Verdict | undefined,
    onFail: 'weight-zero' | 'remove',
    live: string | undefined,
    weight: number | undefined,
  ][] = [
    ['up', 'weight-zero', undefined, 10],
    ['up', 'weight-zero', idle, 10],
    ['up', 'remove', undefined, 10],
    ['down', 'weight-zero', serving, 0],
    ['down', 'weight-zero', idle, 0],
    ['down', 'weight-zero', undefined, undefined],
    ['down', 'remove', serving, undefined],
    ['down', 'remove', undefined, undefined],
    ['unknown', 'weight-zero', undefined, undefined],
    ['unknown', 'weight-zero', serving, 0],
    [undefined, 'weight-zero', undefined, undefined],
  ];
  for (const [verdict, onFail, live, weight] of cases) {
    const { state } = decide({
      wish: { services: [{ onFail, listen: [www], servers: ['10.0.0.1:80 nat weight=10 probe=a'] }] },
      table: { [www]: live === undefined ? [] : [live] },
      verdicts: verdict === undefined ? {} : { a: verdict },
    });
    const found = state.services.get(www)?.destinations.get('10.0.0.1:80')?.weight;
    t.equal(found, weight, `${verdict ?? 'unheard of'}, ${onFail}, live ${live ?? 'absent'}`);
  }
  t.end();
});

t.test('desired() keeps a disabled server at weight 0, whatever its check says', (t) => {
  for (const verdict of ['up', 'down'] as const) {
    const wish = {
      services: [{ onFail: 'remove' as const, listen: [www], servers: ['10.0.0.1:80 nat disabled probe=a'] }],
    };
    const { plan } = decide({ wish, table: { [www]: ['10.0.0.1:80 nat active=1'] }, verdicts: { a: verdict } });
    t.same(plan, [`${www}: ↓ 10.0.0.1:80 weight 1 → 0`]);
    t.same(decide({ wish, table: { [www]: [] }, verdicts: { a: verdict } }).plan, [], 'and does not add it for that');
  }
  t.end();
});

t.test('a weight of 0 in the file is a drained server, and 0 → 10 applies in place', (t) => {
  const wish = (weight: number): CompactConfig => ({
    services: [{ listen: [www], servers: [`10.0.0.1:80 nat weight=${weight} probe=a`] }],
  });
  const first = decide({ wish: wish(0), table: { [www]: [] }, verdicts: { a: 'up' } });
  t.same(first.plan, [`${www}: + 10.0.0.1:80 method nat, weight 0`]);
  const table = { [www]: ['10.0.0.1:80 nat weight=0'] };
  t.same(decide({ wish: wish(0), table, verdicts: { a: 'up' } }).plan, []);
  t.same(decide({ wish: wish(10), table, verdicts: { a: 'up' } }).plan, [`${www}: ~ 10.0.0.1:80 weight 0 → 10`]);
  t.end();
});

t.test(
  'a reload that changes the weight of a server that is down leaves it at 0, and it comes back with the new one',
  (t) => {
    const wish = { services: [{ listen: [www], servers: ['10.0.0.1:80 nat weight=20 probe=a'] }] };
    const table = { [www]: ['10.0.0.1:80 nat weight=0'] };
    t.same(decide({ wish, table, verdicts: { a: 'down' } }).plan, []);
    t.same(decide({ wish, table, verdicts: { a: 'up' } }).plan, [`${www}: ~ 10.0.0.1:80 weight 0 → 20`]);
    t.end();
  },
);

t.test('a restart leaves a healthy server alone, and takes one left at weight 0 back when its check passes', (t) => {
  const wish = { services: [{ listen: [www], servers: ['10.0.0.1:80 nat weight=10 probe=a'] }] };
  t.same(decide({ wish, table: { [www]: ['10.0.0.1:80 nat weight=10'] }, verdicts: { a: 'up' } }).plan, []);
  const left = { [www]: ['10.0.0.1:80 nat weight=0'] };
  t.same(decide({ wish, table: left, verdicts: { a: 'up' } }).plan, [`${www}: ~ 10.0.0.1:80 weight 0 → 10`]);
  t.end();
});

t.test('a server that is down and leaves the file goes, and does not stay at weight 0', (t) => {
  const wish = { services: [{ listen: [www], servers: [] }] };
  t.same(decide({ wish, table: { [www]: ['10.0.0.1:80 nat weight=0'] } }).plan, [`${www}: - 10.0.0.1:80`]);
  t.end();
});

t.test(
  'a server that leaves the file drains: weight 0, then removed when its connections are gone or its time is over',
  (t) => {
    const wish = { services: [{ drainMs: 60_000, listen: [www], servers: [] }] };
    const first = decide({ wish, table: { [www]: ['10.0.0.1:80 nat weight=5 max=9 active=2'] } });
    t.same(first.plan, [`${www}: ↓ 10.0.0.1:80 weight 5 → 0`], 'all else stays as it is');
    t.same(record(first.owned), { [www]: { drainMs: 60_000, draining: { '10.0.0.1:80': nowMs } } });
    t.equal(first.nextDrainMs, nowMs + 60_000);

    const owned = Object.fromEntries(first.owned);
    const table = { [www]: ['10.0.0.1:80 nat weight=0 max=9 active=1 inactive=1'] };
    const later = decide({ wish, table, owned, nowMs: nowMs + 59_999 });
    t.same(later.plan, []);
    t.same(later.owned, first.owned, 'its start is remembered');
    t.equal(later.nextDrainMs, nowMs + 60_000);

    const over = decide({ wish, table, owned, nowMs: nowMs + 60_000 });
    t.same(over.plan, [`${www}: - 10.0.0.1:80`]);
    t.same(over.owned, first.owned, 'and remembered until the kernel has removed it');
    t.notOk('nextDrainMs' in over);

    const idle = decide({ wish, table: { [www]: ['10.0.0.1:80 nat weight=0 max=9'] }, owned, nowMs: nowMs + 1 });
    t.same(idle.plan, [`${www}: - 10.0.0.1:80`]);
    t.same(record(decide({ wish, table: { [www]: [] }, owned }).owned), { [www]: { drainMs: 60_000, draining: {} } });
    t.end();
  },
);

t.test('a clock that was set back does not prolong a drain beyond its time', (t) => {
  const wish = { services: [{ drainMs: 60_000, listen: [www], servers: [] }] };
  const owned = { [www]: { drainMs: 60_000, draining: { '10.0.0.1:80': nowMs + 3_600_000 } } };
  t.equal(decide({ wish, table: { [www]: ['10.0.0.1:80 nat weight=0 active=1'] }, owned }).nextDrainMs, nowMs + 60_000);
  t.end();
});

t.test('servers are removed at once where nothing can finish: UDP, one-packet, and a drain time of 0', (t) => {
  const udp = 'udp 192.0.2.53:53 rr';
  const marked = 'fwmark 7 inet rr flags=4';
  const row = ['10.0.0.1:53 nat active=0 inactive=5'];
  t.same(decide({ wish: { services: [{ listen: [udp] }] }, table: { [udp]: row } }).plan, [`${dns}: - 10.0.0.1:53`]);
  t.same(decide({ wish: { services: [{ listen: [marked] }] }, table: { [marked]: row } }).plan, [
    'fwmark 7 inet: - 10.0.0.1:53',
  ]);
  const wish = { services: [{ drainMs: 0, listen: [www] }] };
  t.same(decide({ wish, table: { [www]: ['10.0.0.1:80 nat active=5'] } }).plan, [`${www}: - 10.0.0.1:80`]);
  t.end();
});

t.test('a server that comes back while it drains is edited, not deleted and added', (t) => {
  const wish = { services: [{ listen: [www], servers: ['10.0.0.1:80 nat weight=5'] }] };
  const owned = { [www]: { drainMs: 60_000, draining: { '10.0.0.1:80': nowMs - 1 } } };
  const { plan, owned: after } = decide({ wish, table: { [www]: ['10.0.0.1:80 nat weight=0 active=2'] }, owned });
  t.same(plan, [`${www}: ~ 10.0.0.1:80 weight 0 → 5`]);
  t.same(record(after), { [www]: { drainMs: 60_000, draining: {} } });
  t.end();
});

t.test('while all new servers wait for their first probe, those who leave go on serving', (t) => {
  const wish = { services: [{ listen: [www], servers: ['10.0.0.2:80 nat probe=b', '10.0.0.3:80 nat probe=c'] }] };
  const table = { [www]: ['10.0.0.1:80 nat active=1'] };
  const waiting = decide({ wish, table, verdicts: { b: 'down' } });
  t.same(waiting.plan, []);
  t.same(record(waiting.owned), { [www]: { drainMs: 60_000, draining: {} } }, 'their time does not run yet');
  t.same(decide({ wish, table, verdicts: { b: 'down', c: 'up' } }).plan, [
    `${www}: + 10.0.0.3:80 method nat, weight 1`,
    `${www}: ↓ 10.0.0.1:80 weight 1 → 0`,
  ]);
  const disabled = { services: [{ listen: [www], servers: ['10.0.0.2:80 nat probe=b disabled'] }] };
  t.same(
    decide({ wish: disabled, table }).plan,
    [`${www}: ↓ 10.0.0.1:80 weight 1 → 0`],
    'a disabled one is not awaited',
  );
  t.same(decide({ wish, table, verdicts: { b: 'down', c: 'down' } }).plan, [`${www}: ↓ 10.0.0.1:80 weight 1 → 0`]);
  t.end();
});

t.test('a service that leaves the file drains, is removed with its last connection, and is then forgotten', (t) => {
  const owned = { [www]: { drainMs: 30_000, draining: {} } };
  const first = decide({ wish: {}, table: { [www]: ['10.0.0.1:80 nat active=1', '10.0.0.2:80 nat'] }, owned });
  t.same(first.plan, [`${www}: ↓ 10.0.0.1:80 weight 1 → 0`, `${www}: ↓ 10.0.0.2:80 weight 1 → 0`]);
  const second = decide({
    wish: {},
    table: { [www]: ['10.0.0.1:80 nat weight=0 active=1', '10.0.0.2:80 nat weight=0'] },
    owned,
  });
  t.same(second.plan, [`${www}: - 10.0.0.2:80`], 'an idle one goes when it gets no new connections any more');
  t.equal(first.nextDrainMs, nowMs + 30_000, 'the drain time is that of the block that has gone');
  const last = decide({ wish: {}, table: { [www]: ['10.0.0.1:80 nat weight=0'] }, owned });
  t.same(last.plan, [`${www}: - virtual service`]);
  t.ok(last.owned.has(www), 'ours until the kernel has it no more');
  t.equal(decide({ wish: {}, owned }).owned.size, 0);
  t.end();
});

t.test('a disabled service drains with its own drain time, also when nothing was recorded', (t) => {
  const wish = { services: [{ enabled: false, drainMs: 7000, listen: [www], servers: ['10.0.0.1:80 nat'] }] };
  const { plan, nextDrainMs } = decide({ wish, table: { [www]: ['10.0.0.1:80 nat active=1'] } });
  t.same(plan, [`${www}: ↓ 10.0.0.1:80 weight 1 → 0`]);
  t.equal(nextDrainMs, nowMs + 7000);
  t.same(decide({ wish }).plan, [], 'and is not made');
  t.equal(decide({ wish }).owned.size, 0);
  t.end();
});

t.test('a foreign service is kept as it is, or drained and removed when unmanaged = "remove"', (t) => {
  const table = { 'tcp 203.0.113.9:25 rr': ['10.0.9.1:25 dr weight=3 active=1'] };
  const kept = decide({ wish: {}, table });
  t.same([kept.plan, kept.owned.size], [[], 0]);
  const removed = decide({ wish: { unmanaged: 'remove' }, table });
  t.same(removed.plan, ['tcp 203.0.113.9:25: ↓ 10.0.9.1:25 weight 3 → 0']);
  t.ok(removed.owned.has('tcp 203.0.113.9:25'), 'its drain is remembered');
  t.end();
});

t.test('after kill -9 and an edit of the file, the own service that is left behind goes', (t) => {
  const owned = { [www]: { drainMs: 60_000, draining: {} } };
  const table = (weight: number) => ({
    [www]: [`10.0.0.1:80 nat weight=${weight}`],
    'tcp 203.0.113.9:25 rr': ['10.0.9.1:25 dr'],
  });
  t.same(decide({ wish: {}, table: table(1), owned }).plan, [`${www}: ↓ 10.0.0.1:80 weight 1 → 0`]);
  t.same(decide({ wish: {}, table: table(0), owned }).plan, [`${www}: - virtual service`]);
  t.end();
});

t.test('one member of a group of addresses is exchanged: one service is added with all servers, one goes', (t) => {
  const servers = ['10.0.0.1:80 nat', '10.0.0.2:80 nat'];
  const row = ['10.0.0.1:80 nat', '10.0.0.2:80 nat'];
  const listen = [www, 'tcp 192.0.2.11:80', 'tcp 192.0.2.13:80'];
  const table = { [www]: row, 'tcp 192.0.2.11:80': row, 'tcp 192.0.2.12:80': row };
  const owned = { 'tcp 192.0.2.12:80': { drainMs: 0, draining: {} } };
  t.same(decide({ wish: { services: [{ listen, servers }] }, table, owned }).plan, [
    'tcp 192.0.2.13:80: + virtual service scheduler wlc',
    'tcp 192.0.2.13:80: + 10.0.0.1:80 method nat, weight 1',
    'tcp 192.0.2.13:80: + 10.0.0.2:80 method nat, weight 1',
    'tcp 192.0.2.12:80: - virtual service',
  ]);
  t.end();
});

t.test('what another program did is repaired: exactly the changes that it made', (t) => {
  const servers = ['10.0.0.1:80 nat weight=2', '10.0.0.2:80 nat weight=2'];
  const wish = { services: [{ listen: [www, 'tcp 192.0.2.11:80'], servers }] };
  t.same(decide({ wish, table: { [www]: ['10.0.0.1:80 nat weight=1'] } }).plan.length, 2 + 3);
  t.end();
});

t.test('the timeouts take effect alone, and are left alone when they are not in the file', (t) => {
  const timeouts = { tcpSeconds: 600, tcpFinSeconds: 120, udpSeconds: 300 };
  t.same(decide({ wish: { timeouts } }).plan, ['timeouts: ~ tcp 900 s → 600 s']);
  t.same(decide({ wish: {} }).plan, []);
  t.end();
});
