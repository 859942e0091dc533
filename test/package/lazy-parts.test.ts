import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../support/command-process.ts';
import { installedPackage } from '../support/installed.ts';
import { skillText, tree, type Tree } from '../support/tree.ts';
import { tableText } from '../support/written-table.ts';

// Lists each file that the process loads, whether it is imported or required.
const recorder = `
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) appendFileSync(process.env.LOADED_FILES, url + '\\n');
    return next(url, context);
  },
});
`;

const family = 'src/families/table/';
const greeting = { 'skills/greet/SKILL.md': skillText('greet', 'Greets everybody.') };
const withTable = {
  ...greeting,
  'skills/tools/tskill.md': tableText({ id: 'Primary Key', name: '' }).replace(/^# .*$/m, '# Tools Skill'),
};

describe('the code of the table family', { concurrency: 2 }, () => {
  test('is loaded only up to its entry when the project has no table', async () => {
    for (const args of [['list'], ['run', '/read', '--args-json', '{"file_path":"skills/greet/SKILL.md"}']]) {
      const sources = await loadedSources(greeting, args);
      assert.deepEqual(sources.filter(isOfFamily), [`${family}index.ts`], args.join(' '));
      assert.ok(sources.includes('src/families/orchestrator/index.ts'), 'the recorder sees other families');
    }
  });

  test('is not loaded by a prompt that finds its skill', async () => {
    const script = '```sop\n@last final_answer "Printed."\n```';
    const sheet = `# Day Sheet\n\n## Description\nPrints the day sheet.\n\n## Script\n${script}\n`;
    const sources = await loadedSources({ ...greeting, 'skills/day-sheet/oskill.md': sheet }, [
      'run',
      'print the day sheet',
    ]);
    assert.ok(sources.includes('src/run/routing/route.ts'), 'the prompt was routed');
    assert.deepEqual(sources.filter(isOfFamily), [`${family}index.ts`]);
  });

  test('is loaded to list a table, without the part that runs requests', async () => {
    const sources = await loadedSources(withTable, ['list']);
    for (const name of ['index.ts', 'family.ts', 'descriptor/parse.ts'])
      assert.ok(sources.includes(family + name), name);
    for (const name of ['run-table.ts', 'schema/open-schema.ts', 'transfer/import-records.ts'])
      assert.ok(!sources.includes(family + name), name);
  });

  test('is loaded to run a table', async () => {
    const sources = await loadedSources(withTable, ['run', '/tools', 'count']);
    for (const name of ['family.ts', 'run-table.ts', 'schema/open-schema.ts'])
      assert.ok(sources.includes(family + name), name);
  });
});

function isOfFamily(source: string): boolean {
  return source.startsWith(family);
}

/** Returns the sources whose code a command of the installed package loads. */
async function loadedSources(
  skills: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<readonly string[]> {
  using files: Tree = tree({ ...skills, '.git/HEAD': '', 'recorder.mjs': recorder });
  const loaded = files.at('loaded.txt');
  const env = {
    HOME: files.at('home'),
    PATH: '/usr/bin:/bin',
    NODE_OPTIONS: `--import=${files.at('recorder.mjs')}`,
    LOADED_FILES: loaded,
  };
  const ended = await runCommand([...args, '-q'], { cwd: files.path, env });
  assert.equal(ended.code, 0, ended.err);
  const dist = path.join(installedPackage, 'dist');
  const own = [...new Set(readFileSync(loaded, 'utf8').trim().split('\n'))]
    .map((url) => fileURLToPath(url))
    .filter((file) => file.startsWith(dist) && file.endsWith('.js'));
  assert.ok(own.length > 10, 'the recorder sees the files of the package');
  // The build writes the name of each source above its code.
  const texts = own.map((file) => readFileSync(file, 'utf8'));
  return texts.flatMap((text) =>
    [...text.matchAll(/^ *\/\/ (src\/\S+\.ts)$/gm)].map(([, name = '']) => name),
  );
}
