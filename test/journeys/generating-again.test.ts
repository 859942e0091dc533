import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { RunResult } from '../../src/core/run.ts';
import { createScriptedModel, type ScriptedModel } from '../../src/models/scripted.ts';
import { withoutBubblewrap } from '../support/bubblewrap.ts';
import { call, documentOf, leaveHome } from '../support/command.ts';
import { changedSpec, invoiceFiles } from '../support/invoice-files.ts';
import { invoiceAgent, invoiceTurn } from '../support/invoice-stage.ts';
import { tree, type Tree } from '../support/tree.ts';

leaveHome();

const skill = 'invoice-total';
const input = { lines: '2 x 3.10\n1 x 6.15' };

describe('code that was made once', { skip: withoutBubblewrap }, () => {
  test('is used without a model wherever the project goes and whatever its times say', async () => {
    using folder = tree(invoiceFiles('mjs'));
    const model = createScriptedModel(invoiceTurn);
    assert.deepEqual((await use(folder.path, model)).value, { total: 12.35 });
    assert.equal(model.requests.length, 3);

    using other = tree();
    cpSync(folder.path, other.path, { recursive: true });
    for (const [part, moment] of [
      ['', '2026-01-01'],
      ['', '1980-01-01'],
      ['/specs/', '2099-01-01'],
      ['/src/', '1999-01-01'],
      ['/src/', '2099-06-01'],
    ] as const) {
      for (const directory of [folder.path, other.path]) {
        const files = filesIn(directory).filter((file) => file.includes(part));
        for (const file of files) utimesSync(file, new Date(moment), new Date(moment));
      }
      assert.deepEqual((await use(other.path, model)).value, { total: 12.35 }, `${part}, ${moment}`);
    }
    assert.deepEqual((await use(folder.path, model)).value, { total: 12.35 });
    assert.equal(model.requests.length, 3);
  });

  test('is made again where a spec changed, and what depends on it, and nothing else', async () => {
    using folder = tree(invoiceFiles('mjs'));
    const model = createScriptedModel(invoiceTurn);
    await use(folder.path, model);
    const lines = readFileSync(folder.at('skills/invoice-total/src/parse-lines.mjs'), 'utf8');
    folder.write(...changedSpec('mjs'));
    assert.deepEqual((await use(folder.path, model)).value, { total: 12 });
    assert.deepEqual(asked(model).slice(3), ['src/round-money.mjs', 'src/index.mjs']);
    assert.equal(readFileSync(folder.at('skills/invoice-total/src/parse-lines.mjs'), 'utf8'), lines);
    assert.deepEqual(left(folder), []);
  });
});

describe('a generation that failed twice', { skip: withoutBubblewrap }, () => {
  test('keeps the old code, is reported everywhere, and is not tried again by later callers', async () => {
    using folder = tree({ '.git/HEAD': '', ...invoiceFiles('mjs') });
    const good = createScriptedModel(invoiceTurn);
    await use(folder.path, good);
    const before = codeIn(folder);

    folder.write(...changedSpec('mjs'));
    const bad = createScriptedModel((request) => {
      const isMeant = JSON.stringify(request).includes('Write src/round-money.mjs.');
      return isMeant ? '```js\nexport const = 1;\n```\n' : invoiceTurn(request);
    });
    for (let start = 0; start < 3; start += 1) {
      const { value, notes } = await use(folder.path, bad);
      assert.deepEqual(value, { total: 12.35 });
      assert.match(
        notes.join('\n'),
        /^Older code is used because "invoice-total" .*: src\/round-money\.mjs:1/,
      );
      assert.deepEqual(codeIn(folder), before);
      await checkReported(folder);
    }
    const once = ['src/round-money.mjs', 'src/index.mjs'];
    assert.deepEqual(asked(bad), [...once, 'src/round-money.mjs', 'src/round-money.mjs'], 'and two repairs');

    const [path, text] = changedSpec('mjs');
    folder.write(path, `${text}\nHalves go up.\n`);
    assert.deepEqual((await use(folder.path, good)).value, { total: 12 });
    const { code, out } = await call(['list', '--json', '--cwd', folder.path]);
    assert.equal(code, 0);
    assert.doesNotMatch(out, /"failed"/);
    assert.deepEqual(left(folder), []);
  });
});

/** Runs the skill as a new process that has only the disk, and returns the result. */
async function use(path: string, models: ScriptedModel): Promise<RunResult & { readonly notes: string[] }> {
  await using agent = invoiceAgent(path, { models });
  const result = await agent.run({ skill, input }).result;
  assert.equal(result.status, 'done', JSON.stringify(result.error));
  const events = await agent.runs.events(result.runId);
  const notes = events.flatMap((event) => (event.type === 'note.added' ? [event.message] : []));
  return { ...result, notes };
}

/** Checks that the failure is reported everywhere. */
async function checkReported(folder: Tree): Promise<void> {
  const where = ['--cwd', folder.path];
  const list = await call(['list', ...where]);
  assert.match(list.out, /invoice-total .*generation failed/);
  const show = await call(['show', skill, ...where]);
  assert.match(show.out, /^Code: generation failed$/m);
  assert.match(show.out, /src\/round-money\.mjs:1.*skilled build invoice-total/);
  const shown = documentOf(await call(['show', skill, '--json', ...where]))['skill'];
  assert.equal((shown as { readonly made: { readonly status: string } }).made.status, 'failed');
  const doctor = await call(['doctor', ...where]);
  assert.match(doctor.out, /invoice-total.*src\/round-money\.mjs:1/);
  assert.equal(doctor.code, 3);
}

/** Returns the files that a model was asked for, in order. A request for several files counts as one. */
function asked({ requests }: ScriptedModel): readonly string[] {
  return requests.map(({ messages }) => /^Write (.+)\.$/m.exec(messages[0]?.text ?? '')?.[1] ?? '');
}

function filesIn(path: string): readonly string[] {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

function codeIn(folder: Tree): Readonly<Record<string, string>> {
  const files = filesIn(folder.at('skills/invoice-total/src'));
  return Object.fromEntries(files.map((file) => [file, readFileSync(file, 'utf8')]));
}

/** Returns the files that generations left next to the skill, except the lock, which the next one reuses. */
function left(folder: Tree): readonly string[] {
  const directory = folder.at('skills/.generation/invoice-total');
  return existsSync(directory) ? readdirSync(directory).filter((name) => !name.startsWith('lock')) : [];
}
