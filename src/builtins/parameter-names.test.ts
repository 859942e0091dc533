import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { renamedInput, schemaOf } from '../core/define-skill.ts';
import type { JsonObject } from '../core/json.ts';
import { adopt } from '../families/function/adopt.ts';
import { builtinSkills } from './index.ts';

function accepted(name: string, input: JsonObject): unknown {
  const skill = builtinSkills.find((one) => one.name === name);
  assert.ok(skill !== undefined);
  return adopt(skill)?.accept(input);
}

const cases: readonly (readonly [string, JsonObject, JsonObject])[] = [
  ['read', { path: 'a.txt' }, { file_path: 'a.txt', offset: 1 }],
  ['read', { filePath: 'a.txt', offset: 0 }, { file_path: 'a.txt', offset: 1 }],
  ['read', { absolute_path: '/a.txt' }, { file_path: '/a.txt' }],
  ['write', { path: 'a', contents: 'x' }, { file_path: 'a', content: 'x' }],
  ['edit', { path: 'a', old_str: 'x', new_str: 'y' }, { file_path: 'a', old_string: 'x', new_string: 'y' }],
  ['edit', { file_path: 'a', oldText: 'x', newText: 'y', replaceAll: true }, { replace_all: true }],
  ['edit', { file_path: 'a', edits: [{ old_string: 'x', new_string: 'y' }] }, { old_string: 'x' }],
  [
    'edit',
    { file_path: 'a', old_string: 'x', new_string: 'y', expected_replacements: 2, instruction: 'Do.' },
    { replace_all: true },
  ],
  ['bash', { command: 'ls', timeout: 5000 }, { timeout_ms: 5000 }],
  ['bash', { command: 'ls', timeout: 5 }, { timeout_ms: 5000 }],
  ['bash', { cmd: ['bash', '-lc', 'ls'] }, { command: 'ls' }],
  ['bash', { command: 'ls', run_in_background: true }, { run_in_background: true }],
  ['bash', { command: 'ls', is_background: true }, { run_in_background: true }],
  [
    'grep',
    { pattern: 'x', '-i': true, '-n': false, '-C': 2 },
    { case_insensitive: true, line_numbers: false, context: 2 },
  ],
  ['grep', { pattern: 'x', '-A': 1, '-B': 2, head_limit: 0 }, { after: 1, before: 2, head_limit: 250 }],
  ['grep', { pattern: 'x', type: 'py', directory: 'src' }, { glob: '*.{py,pyi}', path: 'src' }],
  ['glob', { pattern: '*', dir_path: 'src' }, { path: 'src' }],
  ['bash-output', { bash_id: 'c_1' }, { id: 'c_1' }],
  ['bash-kill', { shell_id: 'c_1' }, { id: 'c_1' }],
];

describe('parameters under the names of other programs', () => {
  for (const [name, input, expected] of cases)
    test(`${name} ${JSON.stringify(input)}`, () => {
      assert.partialDeepStrictEqual(accepted(name, input), expected);
    });

  test('are refused if they are given twice or unknown', () => {
    const wrong: readonly (readonly [string, JsonObject])[] = [
      ['read', { path: 'a', file_path: 'b' }],
      ['read', { path: 'a', filename: 'b' }],
      ['bash', { command: 'ls', timeout: 1, timeout_ms: 5 }],
      [
        'edit',
        {
          file_path: 'a',
          edits: [
            { oldText: 'x', newText: 'y' },
            { oldText: 'y', newText: 'z' },
          ],
        },
      ],
      // Hooks see the input after one renaming, so the path must not appear only after another one.
      ['edit', { edits: [{ edits: [{ path: 'a', oldText: 'x', newText: 'y' }] }] }],
      ['bash', { cmd: ['python', '-c', 'x'] }],
    ];
    for (const [name, input] of wrong)
      assert.throws(() => accepted(name, input), { code: 'usage.bad-input' });
  });

  test('are not in the schema that models see', () => {
    for (const skill of builtinSkills) {
      const properties = Object.keys((schemaOf(skill.input)?.['properties'] ?? {}) as object);
      for (const name of properties) {
        const renamed = renamedInput({ codeDefinition: skill }, { [name]: 'x' });
        assert.deepEqual(renamed, { [name]: 'x' }, `${skill.name}.${name}`);
      }
    }
  });
});
