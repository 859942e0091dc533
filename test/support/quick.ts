import assert from 'node:assert/strict';

/** Runs something that takes milliseconds, and fails when it takes so long that it must be of the wrong order. */
export function withinSeconds<Result>(seconds: number, what: string, run: () => Result): Result {
  const started = performance.now();
  const result = run();
  const took = (performance.now() - started) / 1000;
  assert.ok(took < seconds, `${JSON.stringify(what)} took ${took.toFixed(1)} s`);
  return result;
}
