import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { specs, turns } from '../../../test/support/adder-skill.ts';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { block, openGenerator, valueOf } from '../../../test/support/generator-stage.ts';

describe('a generation after others', { skip: withoutBubblewrap }, () => {
  test('after a change makes the changed file again and what depends on it, with the code that was there', async () => {
    await using it = openGenerator(specs, turns);
    valueOf(await it.generate());
    it.stage.files.write('adder/specs/lib/add.mjs.md', '# Add\n\nThe sum, rounded.\n');
    const value = valueOf(await it.generate());
    assert.deepEqual(value['generated'], ['src/lib/add.mjs', 'src/index.mjs']);
    assert.deepEqual(value['current'], ['src/lib/text.mjs']);
    assert.deepEqual(it.asked.slice(3), ['src/lib/add.mjs', 'src/index.mjs']);
    assert.match(it.stage.model.requests[3]?.messages[0]?.text ?? '', /rounded[^]*current file[^]*a \+ b/);
    it.stage.files.write('adder/specs/index.mjs.md', `${specs['specs/index.mjs.md']}\nMore.\n`);
    assert.deepEqual(valueOf(await it.generate())['generated'], ['src/index.mjs']);
  });

  test('of another promise makes everything again; without one the last one counts', async () => {
    await using it = openGenerator(specs, turns);
    valueOf(await it.generate({ contract: 'Adds.' }));
    assert.equal((await it.generate()).result.text, '3 files up to date.');
    assert.equal((await it.generate({ contract: 'Adds numbers.' })).result.text, '3 files generated.');
  });

  test('leaves alone what a person changed or wrote, and says so, until it is told to', async () => {
    await using it = openGenerator({ ...specs, 'src/lib/text.mjs': 'export const text = String;\n' }, turns);
    const value = valueOf(await it.generate());
    assert.deepEqual(value['drifted'], ['src/lib/text.mjs']);
    it.stage.files.write('adder/src/lib/add.mjs', 'export const add = (a, b) => a - b;\n');
    it.stage.files.write('adder/specs/lib/add.mjs.md', 'Another sum.\n');
    const again = await it.generate();
    assert.deepEqual(valueOf(again)['drifted'], ['src/lib/add.mjs', 'src/lib/text.mjs']);
    assert.equal(again.result.text, '1 file generated, 2 changed by hand and left unchanged.');
    assert.equal(it.text('src/lib/add.mjs'), 'export const add = (a, b) => a - b;\n');
    assert.equal(it.text('src/lib/text.mjs'), 'export const text = String;\n');
    assert.equal((await it.generate({ force: true })).result.text, '3 files generated.');
    assert.equal(it.text('src/lib/add.mjs'), 'export const add = (a, b) => a + b;\n');
  });

  test('removes the code of a deleted spec', async () => {
    await using it = openGenerator(
      { ...specs, 'specs/extra.mjs.md': 'Extra.' },
      {
        ...turns,
        'src/extra.mjs': block('src/extra.mjs', 'export const extra = 1;'),
      },
    );
    valueOf(await it.generate());
    it.stage.files.write('adder/src/own.mjs', 'export {};\n');
    await it.stage.run('bash', { command: 'rm adder/specs/extra.mjs.md' });
    const played = await it.generate();
    assert.deepEqual(valueOf(played)['removed'], ['src/extra.mjs']);
    assert.equal(played.result.text, '3 files up to date, 1 removed.');
    assert.equal(it.text('src/extra.mjs'), undefined);
    assert.equal(it.text('src/own.mjs'), 'export {};\n');
    assert.equal(it.asked.length, 4);
  });

  test('of very many files asks for some of them together, within the steps that a frame has', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `n${String(index).padStart(2, '0')}`);
    const many = Object.fromEntries(names.map((name) => [`specs/${name}.mjs.md`, `Gives "${name}".`]));
    await using it = openGenerator(many, ({ messages }) =>
      [...(messages[0]?.text.split('\n', 1)[0] ?? '').matchAll(/src\/(n\d\d)\.mjs/g)]
        .map(([path, name = '']) => block(path, `export const ${name} = 1;`))
        .join('\n'),
    );
    assert.equal((await it.generate()).result.text, '30 files generated.');
    assert.equal(it.asked.length, 10);
    assert.equal(it.text('src/n29.mjs'), 'export const n29 = 1;\n');
  });
});
