import assert from 'node:assert/strict';

const patience = 5; // a machine may be busy: these are guards against hanging, not benchmarks

/** What some work gives; fails when it takes several times as long as it may. */
export async function within<Value>(
  milliseconds: number,
  work: () => Value | Promise<Value>,
): Promise<Value> {
  const begin = performance.now();
  const value = await work();
  const taken = performance.now() - begin;
  assert.ok(taken < milliseconds * patience, `it took ${taken.toFixed(0)} ms`);
  return value;
}
