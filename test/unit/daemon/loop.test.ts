import t from 'tap';
import { Loop } from '../../../src/daemon/loop.ts';

/** A loop whose rounds end when the test says so. */
function controlled(sleepMs = 60_000) {
  const ends: (() => void)[] = [];
  let started = 0;
  const loop = new Loop(async () => {
    const number = ++started;
    await new Promise<void>((resolve) => ends.push(resolve));
    return { sleepMs, number };
  });
  const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  return {
    loop,
    rounds: () => started,
    endRound: async () => {
      ends.shift()?.();
      await turn();
    },
    turn,
  };
}

t.test('a burst of wakes makes one round', async (t) => {
  const { loop, rounds, endRound, turn } = controlled();
  for (let i = 0; i < 100; i++) loop.wake();
  await turn();
  t.equal(rounds(), 1);
  await endRound();
  t.equal(rounds(), 1);
  await loop.stop();
});

t.test('wakes during a round make one more, never two at once', async (t) => {
  const { loop, rounds, endRound, turn } = controlled();
  loop.wake();
  await turn();
  for (let i = 0; i < 100; i++) loop.wake();
  await turn();
  t.equal(rounds(), 1, 'the second waits');
  await endRound();
  t.equal(rounds(), 2);
  await endRound();
  t.equal(rounds(), 2);
  await loop.stop();
});

t.test('round() settles with a round that began after it was asked', async (t) => {
  const { loop, endRound, turn } = controlled();
  loop.wake();
  await turn();
  const asked = loop.round();
  await endRound();
  await endRound();
  t.match(await asked, { number: 2 });
  await loop.stop();
});

t.test('the loop wakes by itself when its sleep is over', async (t) => {
  const { loop, rounds, endRound, turn } = controlled(5);
  loop.wake();
  await turn();
  await endRound();
  await new Promise((resolve) => setTimeout(resolve, 30));
  t.equal(rounds(), 2);
  const stopped = loop.stop();
  await endRound();
  await stopped;
});

t.test('stop() waits for the round that runs and begins no other', async (t) => {
  const { loop, rounds, endRound, turn } = controlled();
  loop.wake();
  await turn();
  loop.wake();
  const stopped = loop.stop();
  loop.wake();
  await endRound();
  await stopped;
  t.equal(rounds(), 1);
});

t.test('busyMs() tells how long the round that runs has taken', async (t) => {
  const { loop, endRound, turn } = controlled();
  t.equal(loop.busyMs(performance.now()), 0);
  loop.wake();
  await turn();
  t.ok(loop.busyMs(performance.now() + 500) >= 500);
  await endRound();
  await loop.stop();
  t.equal(loop.busyMs(performance.now()), 0);
});
