import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { specs as adder, turns as adderTurns } from '../../../test/support/adder-skill.ts';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { block, lastSaid, openGenerator, valueOf } from '../../../test/support/generator-stage.ts';

const specs = { 'specs/index.mjs.md': 'Doubles.' };
const path = 'src/index.mjs';
const good = block(path, 'export const action = (input) => input * 2;');

describe('a repair', { skip: withoutBubblewrap }, () => {
  test('is asked of the faulty file alone if there is one', async () => {
    const broken = block('src/lib/add.mjs', 'export const add = (;');
    await using it = openGenerator(adder, {
      ...adderTurns,
      'src/lib/add.mjs': [broken, adderTurns['src/lib/add.mjs']],
    });
    valueOf(await it.generate());
    assert.deepEqual(it.asked.slice(3), ['src/lib/add.mjs']);
  });

  test('is asked of all files that were made where none is to blame, and may change any of them', async () => {
    const all = 'src/lib/add.mjs, src/lib/text.mjs, src/index.mjs';
    const first = block('src/lib/add.mjs', 'export const sum = (a, b) => a + b;');
    await using it = openGenerator(adder, {
      ...adderTurns,
      'src/lib/add.mjs': first,
      [all]: [adderTurns['src/lib/add.mjs']],
    });
    valueOf(await it.generate());
    assert.deepEqual(it.asked.slice(3), [all]);
    const request = it.stage.model.requests.at(-1);
    assert.match(request === undefined ? '' : lastSaid(request), /export const sum[^]*named 'add'/);
    assert.equal(it.text('src/lib/add.mjs'), 'export const add = (a, b) => a + b;\n');
  });

  test('that needs a second one gets it, in the same conversation', async () => {
    const [one, two] = [block(path, 'const a = ;'), block(path, 'export const b = 1;')];
    await using it = openGenerator(specs, { [path]: [one, two, good] });
    const played = await it.generate();
    assert.equal(played.result.text, '1 file generated.');
    const third = it.stage.model.requests[2];
    assert.deepEqual(
      third?.messages.flatMap(({ role, text }) => (role === 'assistant' ? [text] : [])),
      [one, two],
    );
    assert.deepEqual(played.notes, [
      'Generating src/index.mjs (1 of 1).',
      "Repairing (1 of 2): src/index.mjs:1: Unexpected token ';'",
      'Repairing (2 of 2): src/index.mjs does not export a function named action.',
    ]);
  });

  test('reports handwritten files and does not wait for them', async () => {
    const files = { 'specs/index.md': 'Doubles.', 'src/own.ts': 'export const own: number = "x";\n' };
    const name = 'src/index.ts';
    await using it = openGenerator(files, {
      [name]: block(name, 'export const action = (input: number): number => input * 2;'),
    });
    const played = await it.generate();
    assert.deepEqual(valueOf(played)['checks'], { syntax: 'passed', types: 'passed', tests: 'none' });
    assert.match(played.notes.at(-1) ?? '', /^A handwritten file has a problem: src\/own\.ts:1: /);
  });
});
