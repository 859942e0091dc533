import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { block, lastSaid, openGenerator, valueOf } from '../../../test/support/generator-stage.ts';

const specs = { 'specs/index.mjs.md': 'Doubles.' };
const path = 'src/index.mjs';
const good = block(path, 'export const action = (input) => input * 2;');

/**
 * Returns the repair request to a model that first gives this answer and then a correct one. The generation
 * must succeed.
 */
async function repairOf(
  first: string,
  {
    files = specs,
    name = path,
    then = good,
  }: { files?: Record<string, string>; name?: string; then?: string } = {},
): Promise<string> {
  await using it = openGenerator(files, { [name]: [first, then] });
  const played = await it.generate();
  assert.deepEqual(valueOf(played)['generated'], [name]);
  assert.deepEqual(it.asked, [name, name]);
  assert.ok(
    played.notes.some((note) => note.startsWith('Repairing (1 of 2): ')),
    played.notes.join(),
  );
  const [, second] = it.stage.model.requests;
  assert.deepEqual(
    second?.messages.map(({ role }) => role),
    ['user', 'assistant', 'user'],
  );
  assert.equal(second.messages[1]?.text, first);
  assert.ok(then.includes(it.text(name) ?? 'nothing'));
  return lastSaid(second);
}

describe('what a model gets wrong goes back to it', { skip: withoutBubblewrap }, () => {
  test('a fault in the syntax, with its line', async () => {
    assert.match(
      await repairOf(block(path, 'export const a = 1;\nconst b = ;')),
      /src\/index\.mjs:2: Unexpected token/,
    );
  });

  test('a fault in the types', async () => {
    const name = 'src/index.ts';
    const then = block(name, 'export const action = (input: number): number => input * 2;');
    const first = block(name, 'export const action = (input: number): string => input * 2;');
    const said = await repairOf(first, { files: { 'specs/index.md': 'Doubles.' }, name, then });
    assert.match(said, /src\/index\.ts:1: Type 'number' is not assignable to type 'string'/);
  });

  test('an export that is missing', async () => {
    assert.match(
      await repairOf(block(path, 'export const act = 1;')),
      /does not export a function named action/,
    );
  });

  test('a file that cannot be loaded', async () => {
    const first = block(path, "import './gone.mjs';\nexport const action = () => 1;");
    assert.match(
      await repairOf(first),
      /could not be loaded: Error \[ERR_MODULE_NOT_FOUND\]: Cannot find module 'src\/gone\.mjs'/,
    );
  });

  test('a test that fails', async () => {
    const files = {
      ...specs,
      'tests/double.test.mjs': [
        "import assert from 'node:assert/strict';",
        "import { test } from 'node:test';",
        "import { action } from '../src/index.mjs';",
        "test('doubles', () => assert.equal(action(4), 8));",
      ].join('\n'),
    };
    const said = await repairOf(block(path, 'export const action = (input) => input ** 2;'), { files });
    assert.match(said, /The tests failed \(tests\/double\.test\.mjs:4: doubles\):[^]*16 !== 8/);
  });

  test('an answer without a block', async () => {
    assert.match(await repairOf('export const action = (input) => input * 2;'), /no file in a fenced block/);
  });

  test('a file that was not asked for, of which nothing is written', async () => {
    const first = `${good}\n${block('../outside.mjs', 'export {};')}`;
    assert.match(await repairOf(first), /\.\.\/outside\.mjs was not requested/);
  });
});
