import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createValueOracle,
  hostileValues,
  insertInto,
  nest,
  nestings,
  readShapes,
} from '../../test/support/value-oracle.ts';

const shapes = [...readShapes('hostile'), ...readShapes('honest')];

test('a hostile value runs nothing in any command that accepts one', async () => {
  using oracle = createValueOracle({ usesReal: false });
  const scripts: string[] = [];
  for (const [number, shape] of shapes.entries()) {
    // Each shape alone, and inside one other command.
    for (const nesting of [0, 1 + (number % (nestings.length - 1))]) {
      const nested = nest(shape, nestings[nesting] ?? '');
      for (let tried = 0; tried < 8; tried++) {
        const value = hostileValues[(number + 5 * tried) % hostileValues.length] ?? '';
        const insertion = insertInto(nested, value);
        if (!('script' in insertion)) continue;
        scripts.push(insertion.script);
        break;
      }
    }
  }
  assert.deepEqual(await oracle.run(scripts), []);
  assert.ok(scripts.length > 200, `only ${scripts.length} commands accepted a value`);
});
