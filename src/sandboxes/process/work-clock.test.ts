import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { startWorkingTime } from './work-clock.ts';

test('the time in which something is waited for does not count', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  mock.method(performance, 'now', () => now);
  t.after(() => mock.restoreAll());
  const pass = (milliseconds: number): void => {
    now += milliseconds;
    t.mock.timers.tick(milliseconds);
  };
  let ends = 0;
  const time = startWorkingTime(100, () => (ends += 1));
  pass(60);
  time.pause();
  time.pause();
  pass(1000);
  time.go();
  pass(1000);
  time.go();
  pass(39);
  assert.equal(ends, 0);
  pass(1);
  assert.equal(ends, 1);

  const stopped = startWorkingTime(100, () => (ends += 1));
  stopped.pause();
  stopped.stop();
  stopped.go();
  pass(1000);
  assert.equal(ends, 1);
});
