import assert from 'node:assert/strict';
import { cpSync, readdirSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { entry, generatedFiles, specs, turns } from '../../../test/support/adder-skill.ts';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { openGenerator, valueOf } from '../../../test/support/generator-stage.ts';
import { tree, type Tree } from '../../../test/support/tree.ts';
import { isAgentError } from '../../core/error.ts';
import type { Skill } from '../../core/skill.ts';
import { createTestScope } from '../../testing/test-scope.ts';
import { buildOutput, findDirectory } from './generate-code.ts';
import { mirrorCodeGenerator } from './index.ts';

test('what came of a generation says when types could not be checked', () => {
  const plan = { files: [], orphans: ['old.ts'] };
  const checks = { syntax: 'passed', types: 'absent', tests: 'none' } as const;
  assert.equal(buildOutput(plan, checks).text, '1 file removed. Types were not checked.');
  assert.equal(buildOutput(plan, { ...checks, types: 'passed' }).text, '1 file removed.');
  assert.equal(buildOutput().text, 'There is nothing to generate.');
});

/** Creates a workspace with a skill, a file and a link to the outside, and a skill outside. */
function createWorkspace(): Tree {
  const files = tree({ 'work/skills/a/specs/x.md': '', 'work/file': '', 'else/b/specs/x.md': '' });
  symlinkSync(files.at('else/b'), files.at('work/link'));
  return files;
}

function find(
  files: Tree,
  directory: string,
  { depth = 1, readable = [] as readonly string[] } = {},
): string {
  const workspace = files.at('work');
  const skill = { name: 'b', aliases: [], dir: files.at('else/b') } as unknown as Skill;
  try {
    const scope = createTestScope({ workspace, readable, callable: [skill] });
    return findDirectory(directory, { ...scope, run: { ...scope.run, depth } });
  } catch (thrown) {
    return isAgentError(thrown) ? thrown.code : String(thrown);
  }
}

describe('the folder that is meant', () => {
  test('may be any in the workspace, for a person', () => {
    using files = createWorkspace();
    assert.equal(find(files, 'skills/a'), files.at('work/skills/a'));
    assert.equal(find(files, files.at('work/skills/../skills/a/')), files.at('work/skills/a'));
  });

  test('may be that of a skill anywhere', () => {
    using files = createWorkspace();
    assert.equal(find(files, files.at('else/b')), files.at('else/b'));
    assert.equal(find(files, files.at('else')), 'policy.denied');
    assert.equal(find(files, files.at('else/b/specs')), 'policy.denied');
  });

  test('is a folder, and there', () => {
    using files = createWorkspace();
    assert.equal(find(files, 'file'), 'usage.bad-input');
    assert.equal(find(files, 'gone'), 'usage.not-found');
    assert.equal(find(files, 'a\0b'), 'usage.bad-input');
  });

  test('does not lead out of the workspace, by dots or links', () => {
    using files = createWorkspace();
    for (const path of ['..', '../else', '/etc', 'link', 'skills/../../else'])
      assert.equal(find(files, path), 'policy.denied', path);
  });

  test('is one of the skills that it may read, for a skill', () => {
    using files = createWorkspace();
    const own = files.at('work/skills/a');
    assert.equal(find(files, own, { depth: 2, readable: [own] }), own);
    assert.equal(find(files, own, { depth: 2 }), 'policy.denied');
    assert.equal(find(files, `${own}/specs`, { depth: 2, readable: [own] }), 'policy.denied');
    assert.equal(find(files, files.at('else/b'), { depth: 2, readable: [own] }), 'policy.denied');
  });
});

test('only exactly its own folder is the own one of a skill', () => {
  const isOwn = (directory: string): boolean | undefined =>
    mirrorCodeGenerator.isOwn?.({ directory } as never, '/skills/a');
  assert.deepEqual(['/skills/a', '/skills/a/', '/skills/b/../a'].map(isOwn), [true, true, true]);
  assert.deepEqual(['a', '.', '/skills', '/skills/a/b', '/skills/a b', ''].map(isOwn), Array(6).fill(false));
});

describe('a generation', { skip: withoutBubblewrap }, () => {
  test('makes every file of its spec, keeps them with the run and leaves nothing else', async () => {
    await using it = openGenerator({ ...specs, 'notes.txt': 'mine' }, turns);
    const played = await it.generate({ contract: 'Adds two numbers.' });
    assert.deepEqual(valueOf(played), {
      generated: generatedFiles,
      current: [],
      drifted: [],
      removed: [],
      checks: { syntax: 'passed', types: 'none', tests: 'none' },
    });
    assert.equal(played.result.text, '3 files generated.');
    assert.equal(it.text('src/index.mjs'), `${entry}\n`);
    assert.equal(it.text('notes.txt'), 'mine');
    assert.deepEqual(
      Object.keys((JSON.parse(it.text('src/.generated.json') ?? '') as { files: object }).files),
      [...['index.mjs', 'lib/add.mjs', 'lib/text.mjs']],
    );
    const artifacts = played.events.flatMap((event) => (event.type === 'artifact.created' ? [event] : []));
    assert.deepEqual(
      artifacts.map(({ name, mediaType }) => [name, mediaType]),
      generatedFiles.map((name) => [name, 'text/javascript']),
    );
    assert.equal(artifacts.at(-1)?.text, `${entry}\n`);
    assert.deepEqual(
      played.notes,
      generatedFiles.map((name, index) => `Generating ${name} (${index + 1} of 3).`),
    );
    assert.deepEqual(readdirSync(it.stage.files.at('adder')).sort(), ['notes.txt', 'specs', 'src']);
    const around = readdirSync(it.stage.files.at('.generation/adder'));
    assert.deepEqual(
      around.filter((name) => name.startsWith('staging')),
      [],
    );
  });

  test('tells models of the packages in its folder, and of nothing behind a link', async () => {
    await using it = openGenerator({ ...specs, 'node_modules/left-pad/index.js': '' }, turns);
    const { files } = it.stage;
    files.write('private/diary.txt', '');
    symlinkSync(files.at('private'), files.at('adder/node_modules/@me'));
    valueOf(await it.generate());
    const [{ messages } = { messages: [] }] = it.stage.model.requests;
    assert.match(messages[0]?.text ?? '', /Installed packages: left-pad\./);
  });

  test('asks for what is independent at once, and for the rest when it is there', async () => {
    const both = Promise.withResolvers<undefined>();
    const open: string[] = [];
    await using it = openGenerator(specs, turns);
    const { stream } = it.stage.model;
    Object.assign(it.stage.model, {
      async *stream(...given: Parameters<typeof stream>) {
        const name = given[0].messages[0]?.text.split('\n', 1)[0] ?? '';
        if (open.push(name) === 2) both.resolve(undefined);
        await both.promise; // the third is asked only after these two were answered
        yield* stream(...given);
      },
    });
    valueOf(await it.generate());
    assert.deepEqual(open.slice(0, 2).sort(), ['Write src/lib/add.mjs.', 'Write src/lib/text.mjs.']);
    const last = it.stage.model.requests.at(-1)?.messages[0]?.text ?? '';
    assert.match(last, /^Write src\/index\.mjs\.[^]*export const add[^]*export const text/);
  });

  test('of current code asks no model and changes nothing, regardless of its location and age', async () => {
    await using it = openGenerator(specs, turns);
    valueOf(await it.generate());
    const { files } = it.stage;
    cpSync(files.at('adder'), files.at('copy'), { recursive: true });
    const ago = new Date(2001, 1);
    for (const path of readdirSync(files.at('copy'), { recursive: true, encoding: 'utf8' }))
      utimesSync(join(files.at('copy'), path), ago, path.startsWith('specs') ? new Date() : ago);
    for (const directory of ['adder', 'copy']) {
      const again = await it.generate({ directory });
      assert.deepEqual(valueOf(again)['current'], generatedFiles);
      assert.equal(again.result.text, '3 files up to date.');
    }
    assert.equal(it.asked.length, 3);
    assert.deepEqual(
      readdirSync(files.path).filter((name) => name.startsWith('.')),
      ['.generation'],
    );
  });

  test('of a folder without specs has nothing to do', async () => {
    await using it = openGenerator({ 'src/index.mjs': 'export {};\n' }, turns);
    const played = await it.generate();
    assert.deepEqual(valueOf(played), { generated: [], current: [], drifted: [], removed: [] });
    assert.equal(played.result.text, 'There is nothing to generate.');
    assert.deepEqual(readdirSync(it.stage.files.path), ['adder']);
  });
});

describe('a generation of specs that lie in no file', { skip: withoutBubblewrap }, () => {
  const rules = { specs: { 'rules.mjs.md': 'Exports check.' }, entry: 'rules.mjs', exports: ['check'] };
  const code = (name: string): string =>
    `## file: src/rules.mjs\n\`\`\`js\nexport const ${name} = () => 1;\n\`\`\`\n`;

  test('makes code of them, checks what the entry exports and writes no spec into the folder', async () => {
    const said = { 'src/rules.mjs': [code('other'), code('check')] };
    await using it = openGenerator({ 'notes.txt': 'mine' }, said);
    assert.deepEqual(valueOf(await it.generate(rules))['generated'], ['src/rules.mjs']);
    assert.match(it.text('src/rules.mjs') ?? '', /check/);
    assert.match(
      JSON.stringify(it.stage.model.requests[1]),
      /src\/rules\.mjs does not export a function named check/,
    );
    assert.deepEqual(readdirSync(it.stage.files.at('adder')).sort(), ['notes.txt', 'src']);
    assert.deepEqual(valueOf(await it.generate(rules))['current'], ['src/rules.mjs']);
    const others = { ...rules, specs: { 'rules.mjs.md': 'Exports check, in other words.' } };
    assert.deepEqual(valueOf(await it.generate(others))['generated'], ['src/rules.mjs']);
  });
});
