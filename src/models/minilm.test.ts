import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, test } from 'node:test';
import { tree } from '../../test/support/tree.ts';
import { nearness, quantise } from '../skills/rank/embeddings.ts';
import { openMiniLm } from './minilm.ts';

const model = openMiniLm();
assert.ok(model, 'The optional packages are not installed.');
after(() => model.close());

/** What a program of its own prints before it ends by itself. */
function outputOf(code: string, source = import.meta.dirname): string {
  const minilm = pathToFileURL(join(source, 'minilm.ts')).href;
  const program = `import { openMiniLm } from '${minilm}';\n${code}`;
  return execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
    timeout: 60_000,
  }).trim();
}

const product = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, number, index) => sum + number * (b[index] ?? 0), 0);

test('similar sentences are nearer than others, in vectors of unit length and in quantised ones', async () => {
  const texts = [
    'Extract the text of a PDF file.',
    'Read what a PDF document says.',
    'Bake a loaf of bread.',
  ];
  const vectors = await model.embed([...texts, '', 'x'.repeat(10_000)], { urgent: true });
  for (const vector of vectors) {
    assert.equal(vector.length, model.dimensions);
    assert.ok(Math.abs(product(vector, vector) - 1) < 1e-5);
  }
  const [a, b, c] = vectors;
  assert.ok(a && b && c);
  assert.ok(product(a, b) > product(a, c) + 0.3);
  for (const [left, right] of [[a, b] as const, [a, c] as const, [b, c] as const]) {
    assert.ok(Math.abs(nearness(quantise(left), quantise(right)) - product(left, right)) < 0.005);
  }
});

test('the same text has the same vector', async () => {
  const [one, two] = await model.embed(['List files.', 'List files.'], { urgent: true });
  assert.deepEqual(one, two);
});

test('a process whose texts are not urgent ends by itself', () => {
  const code = `
    const model = openMiniLm();
    model.embed(Array(1000).fill('a long text '.repeat(100))).then(() => console.log('answered'));
    model.embed(['now'], { urgent: true }).then(() => console.log('urgent'));
  `;
  assert.equal(outputOf(code), 'urgent');
});

test('without its packages there is no model, and nothing is loaded', () => {
  using empty = tree({ 'package.json': '{ "name": "skilled", "type": "module" }' });
  for (const folder of ['core', 'models'])
    cpSync(join(import.meta.dirname, '..', folder), empty.at('src', folder), { recursive: true });
  assert.equal(outputOf('console.log(openMiniLm())', empty.at('src', 'models')), 'undefined');
});
