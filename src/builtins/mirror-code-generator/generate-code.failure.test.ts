import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { digestFolder } from '../../files/digest.ts';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { block, failureOf, openGenerator, valueOf } from '../../../test/support/generator-stage.ts';

const specs = { 'specs/index.mjs.md': 'Doubles.' };
const path = 'src/index.mjs';
const good = block(path, 'export const action = (input) => input * 2;');
const broken = block(path, 'export const action = ;');

describe('a generation that fails', { skip: withoutBubblewrap }, () => {
  test('keeps the old code, is remembered, and is tried again when an input changes or somebody insists', async () => {
    const turns = [good, broken, broken, broken, broken, broken, broken, good];
    await using it = openGenerator(specs, (_request, turn) => turns[turn - 1] ?? good);
    valueOf(await it.generate());
    it.stage.files.write('adder/specs/index.mjs.md', 'Trebles.');
    const before = digestFolder(it.stage.files.at('adder'));

    const failure = failureOf(await it.generate());
    assert.equal(failure.code, 'skill.failed');
    assert.equal(failure.message, "src/index.mjs:1: Unexpected token ';'");
    assert.deepEqual(failure.details, { faults: [{ file: path, line: 1, message: "Unexpected token ';'" }] });
    assert.equal(digestFolder(it.stage.files.at('adder')), before);
    assert.equal(it.asked.length, 4);

    assert.deepEqual(failureOf(await it.generate()), failure);
    assert.equal(it.asked.length, 4);
    failureOf(await it.generate({ force: true }));
    assert.equal(it.asked.length, 7);
    assert.equal(digestFolder(it.stage.files.at('adder')), before);

    it.stage.files.write('adder/specs/index.mjs.md', 'Trebles well.');
    assert.deepEqual(valueOf(await it.generate())['generated'], [path]);
    assert.equal(it.asked.length, 8);
    assert.ok(!existsSync(it.stage.files.at('.generation/adder/failure.json')));
  });

  test('keeps what was written with the run, so that its faults can be looked up', async () => {
    await using it = openGenerator(specs, (_request, turn) =>
      turn === 1 ? good : turn < 5 ? broken : 'No.',
    );
    valueOf(await it.generate());
    const listArtifacts = async (): Promise<readonly string[]> => {
      const { events } = await it.generate();
      return events.flatMap((event) => (event.type === 'artifact.created' ? [event.text] : []));
    };
    it.stage.files.write('adder/specs/index.mjs.md', 'Trebles.');
    assert.deepEqual(await listArtifacts(), ['export const action = ;\n']);
    it.stage.files.write('adder/specs/index.mjs.md', 'Trebles, really.');
    assert.deepEqual(await listArtifacts(), [], 'the old code was not written by it');
  });

  test('because no answer can be used is remembered too', async () => {
    await using it = openGenerator(specs, { [path]: 'I would rather not.' });
    assert.match(failureOf(await it.generate()).message, /^src\/index\.mjs: The answer contains no file/);
    assert.equal(it.asked.length, 3);
    failureOf(await it.generate());
    assert.equal(it.asked.length, 3);
    assert.equal(it.text(path), undefined);
  });

  test('is forgotten when what was tried is no longer wanted', async () => {
    await using it = openGenerator(specs, (_request, turn) => (turn === 1 ? good : broken));
    valueOf(await it.generate());
    it.stage.files.write('adder/specs/index.mjs.md', 'Trebles.');
    failureOf(await it.generate());
    it.stage.files.write('adder/specs/index.mjs.md', 'Doubles.');
    assert.equal((await it.generate()).result.text, '1 file up to date.');
    assert.ok(!existsSync(it.stage.files.at('.generation/adder/failure.json')));
  });

  for (const [reason, code] of [
    ['refused', 'model.refused'],
    ['length', 'model.length'],
  ] as const) {
    test(`by ${code} is not paid for again by itself`, async () => {
      await using it = openGenerator(specs, (_request, turn) =>
        turn === 1 ? { text: '```', reason } : good,
      );
      for (let time = 0; time < 2; time++) assert.equal(failureOf(await it.generate()).code, code);
      assert.equal(it.asked.length, 1);
      valueOf(await it.generate({ force: true }));
    });
  }

  test('because of its specs names the spec, and asks no model', async () => {
    const files = {
      'specs/a.mjs.md': '# A\n\n## Dependencies\n\n- b.mjs\n',
      'specs/b.mjs.md': '# B\n\n## Dependencies\n\n- a.mjs\n',
    };
    await using it = openGenerator(files, {});
    const { code, message } = failureOf(await it.generate());
    assert.equal(code, 'skill.invalid');
    assert.match(message, /^specs\/[ab]\.mjs\.md/);
    assert.deepEqual(it.asked, []);
    assert.ok(!existsSync(it.stage.files.at('.generation')));
  });
});

describe('trouble that passes', { skip: withoutBubblewrap }, () => {
  for (const [what, reply, code] of [
    ['an outage', { error: { code: 'model.failed', message: 'Down.' }, reason: 'error' }, 'model.failed'],
    ['a bad key', { error: { code: 'model.denied', message: 'No.' }, reason: 'error' }, 'model.denied'],
  ] as const) {
    test(`such as ${what} is reported and not remembered`, async () => {
      await using it = openGenerator(specs, (_request, turn) => (turn === 1 ? reply : good));
      assert.equal(failureOf(await it.generate()).code, code);
      assert.ok(!existsSync(it.stage.files.at('.generation/adder/failure.json')));
      assert.equal(it.text(path), undefined);
      valueOf(await it.generate());
    });
  }

  test('such as no model at all is reported and not remembered', async () => {
    await using it = openGenerator(specs, {}, { models: { model: () => undefined } });
    assert.equal(failureOf(await it.generate()).code, 'model.unavailable');
    assert.ok(!existsSync(it.stage.files.at('.generation/adder/failure.json')));
  });

  test('such as a place that cannot be written is reported and not remembered', async () => {
    await using it = openGenerator({ ...specs, 'src/own.mjs': '' }, (_request, turn) => {
      if (turn === 1) mkdirSync(copied());
      return good;
    });
    const folder = it.stage.files.at('.generation/adder');
    const copied = (): string =>
      `${folder}/${readdirSync(folder).find((name) => name.startsWith('staging-')) ?? ''}/copy/${path}`;
    const { code, message } = failureOf(await it.generate());
    assert.match(message, /src\/index\.mjs/);
    assert.ok(!existsSync(it.stage.files.at('.generation/adder/failure.json')), code);
    valueOf(await it.generate());
  });

  test('in one of several files calls the others off', async () => {
    const files = { 'specs/a.mjs.md': 'A.', 'specs/b.mjs.md': 'B.' };
    await using it = openGenerator(files, {
      'src/a.mjs': { error: { code: 'model.denied', message: 'No key.' }, reason: 'error' },
      'src/b.mjs': { text: 'One moment', hang: true },
    });
    assert.equal(failureOf(await it.generate()).message, 'No key.');
    assert.equal(it.text('src/a.mjs'), undefined);
  });
});
