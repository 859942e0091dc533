import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createValueOracle,
  fillShape,
  hostileValues,
  nest,
  nestings,
  readShapes,
  type FilledShape,
} from '../../test/support/value-oracle.ts';

const shapes = [...readShapes('hostile'), ...readShapes('honest')];

test('the oracle notices a value that becomes an option, several words, a file or a command', async () => {
  using oracle = createValueOracle({ usesReal: false });
  const escapes = [
    ['rm @', '-rf src', 'x="-rf src"; rm $x'],
    ['rm @', 'qa qb', 'x="qa qb"; rm $x'],
    ['rm @', '*', 'x="*"; rm $x'],
    ['git push origin @', ':main', 'git push origin :main'],
    ['curl -d @ x', '@file', 'curl -d @file x'],
    ["awk '{print}' @", 'PATH=.', "awk '{print}' PATH=."],
    ['cat @', '>planted', 'cat f >planted'],
    ['rg x @', '--pre=bad', 'rg x --pre=bad'],
    ['echo @ | xargs rm', '-rf src', 'echo "-rf src" | xargs rm'],
  ].map(([shape = '', value = '', script = '']): FilledShape => ({ shape, value, script }));
  const harmless = [
    ['rm -- @', '-rf src', 'rm -- "-rf src"'],
    ['rg -- @', '--pre=bad', 'rg -- --pre=bad'],
    ['rm -rf @', 'a b', 'rm -rf "a b"'],
  ].map(([shape = '', value = '', script = '']): FilledShape => ({ shape, value, script }));
  assert.deepEqual(
    await oracle.run([...escapes, ...harmless]),
    escapes.map(({ script }) => script),
  );
});

test('a hostile value runs nothing in any command that accepts one', async () => {
  using oracle = createValueOracle({ usesReal: false });
  const scripts: FilledShape[] = [];
  for (const [number, shape] of shapes.entries()) {
    // Each shape by itself, and inside another command.
    for (const nesting of [0, 1 + (number % (nestings.length - 1))]) {
      const nested = nest(shape, nestings[nesting] ?? '');
      for (let tried = 0; tried < 8; tried++) {
        const value = hostileValues[(number + 5 * tried) % hostileValues.length] ?? '';
        const filled = fillShape(nested, value);
        if (filled === undefined) continue;
        scripts.push(filled);
        break;
      }
    }
  }
  assert.deepEqual(await oracle.run(scripts), []);
  assert.ok(scripts.length > 200, `only ${scripts.length} commands accepted a value`);
});
