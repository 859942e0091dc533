import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { schemaOf } from '../core/define-skill.ts';
import { isJsonObject } from '../core/json.ts';
import { builtinSkills } from './index.ts';
import { createTestScope } from '../testing/test-scope.ts';
import { sourceUrl } from '../../test/support/source-file.ts';

const inputFields: Readonly<Record<string, readonly string[]>> = {
  'mirror-code-generator': ['directory', 'contract', 'exports', 'entry', 'specs', 'force'],
  read: ['file_path', 'offset', 'limit'],
  write: ['file_path', 'content'],
  edit: ['file_path', 'old_string', 'new_string', 'replace_all'],
  glob: ['pattern', 'path'],
  grep: [
    ...['pattern', 'path', 'glob', 'output_mode', 'case_insensitive', 'line_numbers'],
    ...['before', 'after', 'context', 'multiline', 'head_limit'],
  ],
  bash: ['command', 'timeout_ms', 'description', 'run_in_background'],
  'bash-output': ['id', 'wait_ms'],
  'bash-kill': ['id'],
  webfetch: ['url', 'prompt'],
  'ask-user': ['question', 'options'],
  todo: ['items'],
  'find-skills': ['query', 'limit'],
  'run-sop': ['script', 'input', 'maxCommands', 'name'],
};

test('every built-in is listed once, the generator first', () => {
  assert.deepEqual(
    builtinSkills.map((skill) => skill.name),
    Object.keys(inputFields),
  );
  assert.equal(new Set(builtinSkills.map((skill) => skill.permission)).size, builtinSkills.length);
});

for (const skill of builtinSkills) {
  test(`${skill.name} has a description, a permission label and a typed input`, () => {
    assert.ok(skill.description.length <= 1024);
    assert.match(skill.permission ?? '', /^[A-Z][A-Za-z]+$/);
    const schema = schemaOf(skill.input);
    assert.ok(isJsonObject(schema) && isJsonObject(schema['properties']));
    assert.equal(schema['type'], 'object');
    assert.equal(schema['additionalProperties'], false);
    assert.deepEqual(Object.keys(schema['properties']), inputFields[skill.name]);
    for (const [name, field] of Object.entries(schema['properties'])) {
      assert.ok(isJsonObject(field) && typeof field['description'] === 'string', `${name} is not described`);
    }
  });
}

test('only what must be given is required', () => {
  const required = builtinSkills.map((skill) => [skill.name, schemaOf(skill.input)?.['required']]);
  assert.deepEqual(Object.fromEntries(required), {
    'mirror-code-generator': ['directory'],
    read: ['file_path'],
    write: ['file_path', 'content'],
    edit: ['file_path', 'old_string', 'new_string'],
    glob: ['pattern'],
    grep: ['pattern'],
    bash: ['command'],
    'bash-output': undefined,
    'bash-kill': ['id'],
    webfetch: ['url'],
    'ask-user': ['question'],
    todo: undefined,
    'find-skills': ['query'],
    'run-sop': ['script'],
  });
});

test('importing the list does not load zod, asking for a schema does', async () => {
  const program = `
    import { registerHooks } from 'node:module';
    const seen = [];
    registerHooks({ resolve: (name, context, next) => (seen.push(name), next(name, context)) });
    const loaded = () => seen.some((name) => /^zod(?:\\/|$)/.test(name));
    const { builtinSkills } = await import(${JSON.stringify(sourceUrl('src/builtins/index.ts'))});
    const before = loaded();
    builtinSkills[0].input();
    process.stdout.write(JSON.stringify({ before, after: loaded() }));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  assert.deepEqual(JSON.parse(stdout), { before: false, after: true });
});

test('ask-user gives what the person answers', async () => {
  const asked: unknown[] = [];
  const scope = createTestScope({ answer: (question) => (asked.push(question), 'Ann') });
  const input = { question: 'Who?', options: ['Ann', 'Bob'] };
  const output = await builtinSkills.find(({ name }) => name === 'ask-user')?.run?.(input as never, scope);
  assert.deepEqual(output, { status: 'done', text: 'Ann', value: 'Ann' });
  assert.deepEqual(asked, [{ text: 'Who?', options: ['Ann', 'Bob'] }]);
});
