import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { cpSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { sourceFile } from '../../test/support/source-file.ts';
import { tree } from '../../test/support/tree.ts';
import { isAgentError } from '../core/error.ts';
import type { Embedder } from '../core/model/sources.ts';
import { nearness, quantise } from '../skills/rank/vectors.ts';
import { createThreadEmbedder, openMiniLm } from './embedder.ts';

describe('minilm', () => {
  const model = openMiniLm();
  assert.ok(model, 'The optional packages are not installed.');
  after(() => model.close());

  /** Runs code in a separate process, waits until it exits by itself, and returns its output. */
  function outputOf(code: string, file = sourceFile('src/models/embedder.ts')): string {
    const program = `import { openMiniLm } from '${pathToFileURL(file).href}';\n${code}`;
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
      cpSync(sourceFile(`src/${folder}`), empty.at('src', folder), { recursive: true });
    cpSync(sourceFile('node_modules/js-yaml'), empty.at('node_modules/js-yaml'), { recursive: true }); // core needs it
    assert.equal(outputOf('console.log(openMiniLm())', empty.at('src/models/embedder.ts')), 'undefined');
  });
});

describe('thread embedder', () => {
  /** Answers each text with its position among all texts of this thread, and its length. */
  const counting = `
  import { parentPort } from 'node:worker_threads';
  let count = 0;
  parentPort.on('message', async (text) => {
    if (text === 'throw') throw new Error('it broke');
    if (text === 'exit') process.exit(0);
    if (text === 'wide') return parentPort.postMessage(new Float32Array(3));
    if (text === 'never') return;
    await new Promise((done) => setTimeout(done, 5));
    count += 1;
    parentPort.postMessage(new Float32Array([count, text.length]));
  });
`;

  interface Opened extends AsyncDisposable {
    readonly embedder: Embedder;
  }

  function open(code = counting): Opened {
    const folder = tree({ 'worker.mjs': code });
    const entry = folder.at('worker.mjs');
    const embedder = createThreadEmbedder({ name: 'test', dimensions: 2, maxCharacters: 10, entry });
    const alive = setInterval(() => undefined, 1000); // background work does not keep this process alive
    return {
      embedder,
      async [Symbol.asyncDispose]() {
        await embedder.close();
        clearInterval(alive);
        folder[Symbol.dispose]();
      },
    };
  }

  const positions = (vectors: readonly Float32Array[]): (number | undefined)[] => vectors.map(([at]) => at);
  const withCode = (code: string, message: RegExp) => (thrown: unknown) =>
    isAgentError(thrown) && thrown.code === code && message.test(thrown.message) && thrown.hint !== undefined;
  const broken = withCode('model.unavailable', /test cannot be used/);

  test('texts are answered in order, cut to what the model reads', async () => {
    await using opened = open();
    const vectors = await opened.embedder.embed(['', 'abc', 'x'.repeat(50)]);
    assert.deepEqual(
      vectors.map((vector) => [...vector]),
      [
        [1, 0],
        [2, 3],
        [3, 10],
      ],
    );
    assert.deepEqual(await opened.embedder.embed([]), []);
  });

  test('an urgent text waits only for the text that is in flight', async () => {
    await using opened = open();
    const first = opened.embedder.embed(['a', 'b', 'c']);
    const second = opened.embedder.embed(['d']);
    const urgent = opened.embedder.embed(['u', 'v'], { urgent: true });
    const [one, two, three] = await Promise.all([first, second, urgent]);
    assert.deepEqual([one, two, three].map(positions), [[1, 4, 5], [6], [2, 3]]);
  });

  test('close rejects what waits and what comes later, and may be called twice', async () => {
    await using opened = open();
    const waiting = [opened.embedder.embed(['a', 'b']), opened.embedder.embed(['c'], { urgent: true })];
    const closed = waiting.map((promise) =>
      assert.rejects(promise, withCode('model.unavailable', /test has been closed/)),
    );
    await Promise.all([opened.embedder.close(), opened.embedder.close(), ...closed]);
    await assert.rejects(opened.embedder.embed(['d']), withCode('model.unavailable', /test has been closed/));
  });

  test('a signal takes one call out of the queue and leaves the others', async () => {
    await using opened = open();
    const stop = new AbortController();
    const inFlight = opened.embedder.embed(['a', 'b'], { signal: stop.signal });
    const waiting = opened.embedder.embed(['c'], { signal: stop.signal, urgent: true });
    const other = opened.embedder.embed(['d']);
    stop.abort(new Error('enough'));
    const isAborted = withCode('model.aborted', /caller aborted/);
    await Promise.all([assert.rejects(inFlight, isAborted), assert.rejects(waiting, isAborted)]);
    assert.deepEqual(positions(await other), [2]);
    await assert.rejects(opened.embedder.embed(['e'], { signal: stop.signal }), isAborted);
    assert.deepEqual(positions(await opened.embedder.embed(['f'])), [3]);
  });

  test('a signal that is used for many calls collects no listeners', async () => {
    await using opened = open();
    const { signal } = new AbortController();
    for (let call = 0; call < 3; call += 1) await opened.embedder.embed(['a'], { signal });
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  for (const way of ['throw', 'exit', 'wide']) {
    test(`a thread that fails (${way}) rejects all that waits; a fresh one gets one more chance`, async () => {
      await using opened = open();
      const { embedder } = opened;
      const lost = [embedder.embed(['a', way, 'b']), embedder.embed(['c'])];
      const outcomes = await Promise.allSettled(lost);
      const reasons = outcomes.map((outcome): unknown => 'reason' in outcome && outcome.reason);
      assert.ok(broken(reasons[0]));
      assert.equal(reasons[0], reasons[1]);

      assert.deepEqual(positions(await embedder.embed(['a'])), [1]);
      await assert.rejects(embedder.embed([way]), broken);
      await assert.rejects(embedder.embed(['a'], { urgent: true }), broken);
    });
  }

  test('a thread that cannot be loaded is reported with the reason', async () => {
    await using opened = open("import 'no-such-package';");
    await assert.rejects(
      opened.embedder.embed(['a']),
      withCode('model.unavailable', /Cannot find package 'no-such-package'/),
    );
  });

  test('close ends a thread that never answers', async () => {
    await using opened = open();
    const never = assert.rejects(
      opened.embedder.embed(['never'], { urgent: true }),
      withCode('model.unavailable', /closed/),
    );
    await opened.embedder.close();
    await never;
  });
});
