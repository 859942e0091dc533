import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { installedPackage } from '../support/installed.ts';
import { root } from '../support/pages.ts';
import { tree } from '../support/tree.ts';

test('the declarations hold for the strictest user, who has installed nothing else', async () => {
  using project = tree({ 'package.json': '{ "type": "module" }', 'use.ts': use });
  mkdirSync(project.at('node_modules'));
  symlinkSync(path.join(root, 'node_modules', 'zod'), project.at('node_modules', 'zod'));
  symlinkSync(installedPackage, project.at('node_modules', 'skilled'));
  const resolve = createRequire(path.join(installedPackage, 'package.json'));
  for (const name of ['@types/json-schema', '@ai-sdk/provider', 'ai'])
    assert.throws(() => resolve.resolve(`${name}/package.json`), name);
  assert.ok(existsSync(path.join(root, 'node_modules', '@ai-sdk', 'provider')), 'they are of this project');
  const ended = await promisify(execFile)(process.execPath, [compiler, ...strictest, 'use.ts'], {
    cwd: project.path,
  }).catch((thrown: unknown) => thrown as { readonly stdout: string });
  assert.equal(ended.stdout, '');
});

test('the declarations contain no type that turns checks off', () => {
  for (const file of ['index.d.ts', 'testing.d.ts']) {
    const text = readFileSync(path.join(installedPackage, 'dist', file), 'utf8');
    const code = text.replace(/\/\*[^]*?\*\/|\/\/.*/g, '');
    assert.deepEqual(code.match(/.*[:<|&,(]\s*any\b(?!['"]).*/g) ?? [], [], file);
  }
});

const use = `
  import { z } from 'zod';
  import * as library from 'skilled';
  import * as testing from 'skilled/testing';

  export const kept: readonly object[] = [library, testing];
  // @ts-expect-error the names are known
  void library.noSuchName;
  // @ts-expect-error the names are known
  void testing.noSuchName;

  const models = { code: testing.createScriptedModel(['Done.']) };
  await using agent = new library.RecursiveSkilledAgent({ startDir: '.', models });
  const { status, text } = await agent.run({ skill: 'read', input: { file_path: 'package.json' } }).result;
  export const said: readonly [library.RunStatus, string] = [status, text];

  const helper = library.createAgent({
    models,
    instructions: 'Help.',
    tools: {
      add: {
        description: 'Adds.',
        input: z.object({ a: z.number() }),
        needsApproval: ({ a }) => a > 1,
        run: ({ a }) => a + 1,
      },
      foreign: { inputSchema: z.object({}), execute: () => 1 },
    },
  });
  const rim = library.defineSkill({
    name: 'rim',
    description: 'Returns a plain value.',
    input: z.object({ size: z.number() }),
    run: async ({ size }) => ({ half: size / 2, made: new Date() }),
  });
  const { half, made } = await helper.session().skill(rim, { args: { size: 4 } });
  export const plain: readonly [number, string] = [half, made];
  const { loaves } = await helper.session().prompt('Two.', { result: z.object({ loaves: z.number() }) });
  export const count: number = loaves;
  for await (const event of helper.stream('Go.').events)
    if (event.type === 'frame.started') export_(event.skill, event.depth);
  function export_(_skill: string, _depth: number): void {}
  export const body: Response = library.toResponse(helper.stream('Go.'), { format: 'ui-messages' });
  // @ts-expect-error a number is no text
  void helper.session().skill(rim, { args: { size: '4' } });
  // @ts-expect-error an input is JSON
  void agent.run({ skill: 'read', input: () => undefined });
`;

// Without skipLibCheck, because the package's own declarations must be checked too.
const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const strictest = [
  ...['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'],
  ...['--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024,esnext.disposable', '--ignoreConfig'],
  ...['--types', 'node', '--typeRoots', path.join(root, 'node_modules', '@types')],
];
