import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { markdownParser, zod } from './load-on-use.ts';

/** Runs a module in a fresh process and tells which packages it had loaded by the end. */
function loadedBy(code: string): readonly string[] {
  const script = `
    import { createRequire, registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    ${code}
    const all = [...loaded, ...Object.keys(createRequire(import.meta.url).cache)];
    console.log(JSON.stringify(['zod', 'markdown-it', 'js-yaml'].filter((name) => all.some((path) => path.includes('/node_modules/' + name + '/')))));
  `;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  return JSON.parse(output) as string[];
}

const everything = `
  import { readdirSync } from 'node:fs';
  for (const file of readdirSync('.')) if (/^[a-z0-9-]+\\.ts$/.test(file)) await import(process.cwd() + '/' + file);
`;
const bundle = "const { bundleOfText, nowhere } = await import(process.cwd() + '/bundle.ts');";
const headed = "const { readHeaded } = await import(process.cwd() + '/headed.ts');";
const skill = "const { defineSkill } = await import(process.cwd() + '/define-skill.ts');";

test('importing the whole of core loads neither zod nor the Markdown parser', () => {
  assert.deepEqual(loadedBy(everything), ['js-yaml']);
});

test('a plain head is read without the Markdown parser', () => {
  assert.deepEqual(loadedBy(`${bundle} bundleOfText('---\\nname: x\\n---\\n# T\\n', nowhere).body;`), [
    'js-yaml',
  ]);
});

test('sections load the Markdown parser, and this test can tell', () => {
  assert.deepEqual(
    loadedBy(`${bundle} ${headed} readHeaded(bundleOfText('# T', nowhere), { a: [] }, ['a']);`),
    ['markdown-it', 'js-yaml'],
  );
});

test('a skill made in code loads no schema library of its own', () => {
  assert.deepEqual(loadedBy(`${skill} defineSkill({ name: 'x', description: 'y', instructions: 'z' });`), []);
});

test('both are loaded once', () => {
  assert.equal(markdownParser(), markdownParser());
  assert.equal(zod(), zod());
  assert.equal(zod().string().parse('a'), 'a');
});
