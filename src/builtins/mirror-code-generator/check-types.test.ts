import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { openChecks } from '../../../test/support/check-stage.ts';
import { sourceFile } from '../../../test/support/source-file.ts';
import { printFault } from './check-programs.ts';
import { checkTypes, findCompiler, readCompilerOutput, type Compiler } from './check-types.ts';

const minute = 60_000;

function compiler(): Compiler {
  const found = findCompiler();
  assert.ok(found !== undefined);
  return found;
}

const files = {
  'src/good.ts': [
    "import { readFile } from 'node:fs/promises';",
    "import type { CodeScope, Json, Output } from 'skilled';",
    "import untyped from 'untyped';",
    "import { half } from './half.mjs';",
    "import value from './value.json' with { type: 'json' };",
    'export async function action(input: { readonly name: string }, scope: CodeScope): Promise<Json> {',
    "  const output: Output = await scope.call('other', { name: input.name });",
    "  if (output.status === 'failed') throw new Error(output.error.message);",
    "  scope.note('Found.', output.value);",
    '  scope.signal.throwIfAborted();',
    '  void [untyped, half(2), await readFile(new URL(import.meta.url)), value.a];',
    "  return scope.model('Say it.', { schema: { type: 'object' } });",
    '}',
    'await 1;',
  ].join('\n'),
  'src/half.mjs': 'export const half = (x) => x / 2;\n',
  'src/value.json': '{"a": 1}',
  'src/bad.ts': [
    "import type { CodeScope } from 'skilled';",
    "import { Value } from './value.ts';",
    'export const one: number = "one";',
    'export const ask = (scope: CodeScope) => scope.delete("all");',
    'export const take: (value: Value) => { readonly a: 1 } = (value) => ({ a: value });',
    'document.title = "x";',
  ].join('\n'),
  'src/value.ts': 'export interface Value { readonly a: string }\n',
  'node_modules/untyped/package.json': '{"name": "untyped", "main": "index.js"}',
  'node_modules/untyped/index.js': 'module.exports = 1;\n',
};

describe('types', { skip: withoutBubblewrap }, () => {
  test('that are right and wrong are distinguished, by strict rules and with the scope of an action', async () => {
    await using stage = await openChecks(files);
    const faults = await checkTypes(
      stage.context,
      compiler(),
      ['src/bad.ts', 'src/good.ts', 'src/value.ts'],
      minute,
    );
    assert.deepEqual([...new Set(faults.map(({ file }) => file))], ['src/bad.ts']);
    assert.deepEqual(
      faults.map(({ line }) => line),
      [2, 3, 4, 5, 6],
      faults.map(printFault).join('\n'),
    );
  });

  test('are reported as unchecked if the compiler does not work', async () => {
    await using stage = await openChecks({ 'src/a.ts': '', 'tsc.mjs': "throw new Error('broken');" });
    const broken = { ...compiler(), file: stage.files.at('tsc.mjs') };
    const [fault] = await checkTypes(stage.context, broken, ['src/a.ts'], minute);
    assert.match(fault?.message ?? '', /^The types could not be checked: [^]*broken/);
  });
});

test('what a compiler prints is read with its explanations, without packages that have no types', () => {
  const output = [
    "src/a.ts(1,2): error TS2322: Type 'A' is not assignable to type 'B'.",
    '  Because of this.',
    "src/a.ts(2,2): error TS7016: Could not find a declaration file for module 'x'.",
    '  Try npm.',
    'src/lib/b (1).ts(30,1): error TS1: No.',
    'Found 3 errors.',
  ].join('\r\n');
  assert.deepEqual(readCompilerOutput(output), [
    { file: 'src/a.ts', line: 1, message: "Type 'A' is not assignable to type 'B'.\n  Because of this." },
    { file: 'src/lib/b (1).ts', line: 30, message: 'No.' },
  ]);
});

test('a compiler needs TypeScript and the types of Node', () => {
  const { folders, file, types } = compiler();
  assert.ok(folders.some((folder) => file.startsWith(folder)));
  assert.ok(folders.some((folder) => folder.startsWith(types)));
  for (const missing of ['typescript', '@types/node']) {
    const resolve = (name: string): string => {
      if (name.startsWith(missing)) throw new Error(`There is no ${name}.`);
      return `${folders.find((folder) => folder.endsWith(name.replace('/package.json', ''))) ?? ''}/package.json`;
    };
    assert.equal(findCompiler(resolve), undefined);
  }
});

test(
  'the scope that generated code is checked with is the one that it gets',
  { skip: withoutBubblewrap },
  async () => {
    await using stage = await openChecks({
      ...filesImportedBy('src/core/code.ts'),
      'src/both.ts': [
        "import type { CodeScope as Declared } from 'skilled';",
        "import type { CodeScope as Real } from './core/code.ts';",
        'type Same<A, B> = [keyof A, keyof B] extends [keyof B, keyof A] ? true : false;',
        'export const hasSameNames: Same<Declared, Real> = true;',
        'export const toReal = (scope: Declared): Omit<Real, "call"> => scope;',
        'export const toDeclared = (scope: Real): Declared => scope;',
      ].join('\n'),
    });
    const compiler = findCompiler();
    assert.ok(compiler !== undefined);
    const faults = await checkTypes(stage.context, compiler, ['src/both.ts'], 60_000);
    assert.deepEqual(faults.map(printFault), []);
  },
);

/** Returns a source file and all its imports, keyed by path. */
function filesImportedBy(path: string, found: Record<string, string> = {}): Readonly<Record<string, string>> {
  if (found[path] !== undefined) return found;
  found[path] = readFileSync(sourceFile(path), 'utf8');
  for (const [, specifier = ''] of found[path].matchAll(/ from '(\.[^']+)';$/gm))
    filesImportedBy(posix.join(posix.dirname(path), specifier), found);
  return found;
}
