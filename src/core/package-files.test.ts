import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, relative } from 'node:path';
import { test } from 'node:test';
import { compileCache } from '../../test/support/compile-cache.ts';
import { sourceFile, sourceUrl } from '../../test/support/source-file.ts';
import { markdownParser, zod, type EntryFiles } from './package-files.ts';

test('a file that is started from sources reads the folders that it imports from', () => {
  const { entry, read } = find('', ['core', 'sandboxes']);
  assert.ok(isAbsolute(entry) && entry.endsWith('isolate/worker.ts') && existsSync(entry));
  const root = dirname(dirname(dirname(dirname(entry))));
  assert.deepEqual(
    read.map((path) => relative(root, path)),
    ['package.json', 'src/core', 'src/sandboxes'],
  );
});

test('a built file reads nothing but itself', () => {
  const entry = '/built/dist/sandboxes/isolate/worker.js';
  assert.deepEqual(find('useBuiltEntries("/built");', ['core']), {
    entry,
    read: ['/built/package.json', entry],
  });
});

// Runs in a separate process, because the process caches the builds.
function find(before: string, folders: readonly string[]): EntryFiles {
  const module = JSON.stringify(sourceFile('src/core/package-files.ts'));
  const call = `entryFiles("sandboxes/isolate/worker", ${JSON.stringify(folders)})`;
  const code = `import { entryFiles, useBuiltEntries } from ${module}; ${before} console.log(JSON.stringify(${call}));`;
  const out = execFileSync(process.execPath, ['--input-type=module', '--eval', code], {
    encoding: 'utf8',
    env: compileCache(),
  });
  return JSON.parse(out) as EntryFiles;
}

/** Runs a module in a new process and returns the packages that it loaded. */
function loadedBy(code: string): readonly string[] {
  const script = `
    import { createRequire, registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    ${code}
    const all = [...loaded, ...Object.keys(createRequire(import.meta.url).cache)];
    console.log(JSON.stringify(['zod', 'markdown-it', 'js-yaml', 'jsonc-parser'].filter((name) => all.some((path) => path.includes('/node_modules/' + name + '/')))));
  `;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  return JSON.parse(output) as string[];
}

const everything = `
  import { readdirSync } from 'node:fs';
  const files = readdirSync('.', { recursive: true });
  for (const file of files) if (/^[a-z0-9-/]+\\.ts$/.test(file)) await import(process.cwd() + '/' + file);
`;
const bundle = importing('bundleOfText, nowhere', 'src/core/descriptor/bundle.ts');
const headed = importing('readHeaded', 'src/core/descriptor/read-descriptor.ts');
const jsonc = importing('parseJsonWithComments', 'src/core/json/jsonc.ts');
const skill = importing('defineSkill', 'src/core/define-skill.ts');

function importing(names: string, file: string): string {
  return `const { ${names} } = await import(${JSON.stringify(sourceUrl(file))});`;
}

test('importing the whole of core loads neither zod nor the parsers of Markdown, of YAML and of JSON with comments', () => {
  assert.deepEqual(loadedBy(everything), []);
});

test('a plain head is read without the parsers of Markdown and YAML, and a block value loads the latter', () => {
  const reading = (head: string): readonly string[] =>
    loadedBy(`${bundle} bundleOfText('---\\n${head}\\n---\\n# T\\n', nowhere).head;`);
  assert.deepEqual(reading('name: x'), []);
  assert.deepEqual(reading('name: >\\n  x'), ['js-yaml']);
});

test('sections load the Markdown parser, and this test can tell', () => {
  assert.deepEqual(
    loadedBy(`${bundle} ${headed} readHeaded(bundleOfText('# T', nowhere), { a: [] }, ['a']);`),
    ['markdown-it'],
  );
});

test('plain JSON is read without the parser of JSON with comments, which a comment loads', () => {
  assert.deepEqual(loadedBy(`${jsonc} parseJsonWithComments('{"a": 1}');`), []);
  assert.deepEqual(loadedBy(`${jsonc} parseJsonWithComments('{"a": 1} // one');`), ['jsonc-parser']);
});

test('a skill defined in code loads no schema library of its own', () => {
  assert.deepEqual(loadedBy(`${skill} defineSkill({ name: 'x', description: 'y', instructions: 'z' });`), []);
});

test('both are loaded once', () => {
  assert.equal(markdownParser(), markdownParser());
  assert.equal(zod(), zod());
  assert.equal(zod().string().parse('a'), 'a');
});
