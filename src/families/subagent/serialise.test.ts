import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { bundleOfText, nowhere } from '../../core/descriptor/bundle.ts';
import { isAgentError } from '../../core/error.ts';
import { anyCharacter } from '../../testing/garbage.ts';
import type { SubagentSettings } from './settings.ts';
import { serialiseSubagent } from './serialise.ts';
import { readSettings } from './settings.ts';

const fixtures = ['shell-ops', 'reviewer'].map((name) =>
  readFileSync(new URL(`fixtures/${name}.md`, import.meta.url), 'utf8'),
);
const [shellOps = '', reviewer = ''] = fixtures;

test('files of every style come back byte for byte', () => {
  for (const text of fixtures) assert.equal(serialiseSubagent(text, {}), text);
});

test('any text at all comes back unchanged without changes', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '---',
      '---\n',
      '---js\n',
      '\r\n',
      '\n',
      '\ufeff',
      'tools:',
      'skill: ',
      '  - ',
      '|+',
      '"',
      '#',
    ),
    fc.string({ unit: anyCharacter, maxLength: 8 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      assert.equal(serialiseSubagent(pieces.join(''), {}), pieces.join(''));
    }),
    { numRuns: 300 },
  );
});

test('setting what is already there changes nothing, whatever its spelling', () => {
  assert.equal(
    serialiseSubagent(shellOps, { tools: ['read', 'grep', 'glob', 'bash'], skillInjection: 'light' }),
    shellOps,
  );
  assert.equal(
    serialiseSubagent(reviewer, { name: 'reviewer', maxSubagentDepth: 0, model: undefined }),
    reviewer,
  );
});

test('an edit changes the line of its key and nothing else', () => {
  assert.equal(
    serialiseSubagent(shellOps, { tools: ['read'] }),
    shellOps.replace('tools: read, grep, find, ls, bash', 'tools: read'),
  );
  assert.equal(
    serialiseSubagent(reviewer, { name: 'critic', defaultContext: 'fresh' }),
    reviewer.replace('"reviewer"', 'critic').replace('default-context: fork', 'default-context: fresh'),
  );
});

test('a block list stays a block list and a flow list a flow list', () => {
  assert.equal(
    serialiseSubagent(reviewer, { tools: ['Read', 'glob', 'a: b'] }),
    reviewer.replace('- Read   # only reading\r\n    - Grep', '- Read\r\n    - glob\r\n    - "a: b"'),
  );
  assert.equal(
    serialiseSubagent('---\ntools: [a]\n---\n', { tools: ['b', 'c'] }),
    '---\ntools: [b, c]\n---\n',
  );
  assert.equal(serialiseSubagent('---\ntools: [a]\n---\n', { tools: [] }), '---\ntools: []\n---\n');
  assert.equal(serialiseSubagent('---\ntools:\n- a\n- b\n---\n', { tools: [] }), '---\ntools: []\n---\n');
});

test('a missing key is added at the end of the head', () => {
  assert.equal(
    serialiseSubagent(reviewer, { model: 'small' }),
    reviewer.replace('fork\r\n---', 'fork\r\nmodel: small\r\n---'),
  );
  assert.equal(serialiseSubagent('---\nname: a', { model: 'small' }), '---\nname: a\nmodel: small');
  assert.equal(serialiseSubagent('---\n---', { model: 'small' }), '---\nmodel: small\n---');
  assert.equal(serialiseSubagent('  \nBody', { model: 'small' }), '---\nmodel: small\n---\n  \nBody');
});

test('a key set to undefined goes with all its lines and spellings', () => {
  const without = serialiseSubagent(reviewer, { description: undefined, tools: undefined });
  assert.equal(
    without,
    reviewer.replace(/description: >-\r\n.*\r\n.*wrong\.\r\n/, '').replace(/tools:\r\n.*\r\n.*Grep\r\n/, ''),
  );
  assert.equal(
    serialiseSubagent('---\nskills: a\n# why\nskill: b\nskills: c\n---\n', { skills: undefined }),
    '---\n# why\n---\n',
  );
});

test('the effective one of skill and skills is edited', () => {
  assert.equal(serialiseSubagent('---\nskill: b\n---\n', { skills: ['c'] }), '---\nskill: c\n---\n');
  assert.equal(
    serialiseSubagent('---\nskills: a\nskill: b\n---\n', { skills: ['c'] }),
    '---\nskills: a\nskill: c\n---\n',
  );
});

test('skillInjection is written only when it is not the default', () => {
  assert.equal(
    serialiseSubagent(shellOps, { skillInjection: 'full' }),
    shellOps.replace('skillInjection: light\n', ''),
  );
  assert.equal(serialiseSubagent('---\nname: a\n---\n', { skillInjection: 'full' }), '---\nname: a\n---\n');
  assert.equal(
    serialiseSubagent('---\nname: a\n---\n', { skillInjection: 'light' }),
    '---\nname: a\nskillInjection: light\n---\n',
  );
  const written = '---\nskillInjection: full\nmodel: a\n---\n';
  assert.equal(serialiseSubagent(written, { model: 'b' }), written.replace('model: a', 'model: b'));
});

test('every field that a file can have is written and read back', () => {
  const every: Required<SubagentSettings> = {
    name: 'worker',
    package: 'review',
    aliases: ['helper', 'second name'],
    description: 'Works: hard.',
    tools: ['read', 'Bash(git add *)'],
    excludeTools: ['write'],
    skills: ['My Skill', 'tmux'],
    skillPath: ['./own skills'],
    skillInjection: 'light',
    systemPromptMode: 'append',
    inheritProjectContext: true,
    inheritSkills: false,
    model: 'plan',
    fallbackModels: ['a/b', 'fast'],
    thinking: 'high',
    maxSubagentDepth: 0,
    timeoutMs: 1000,
    defaultContext: 'fork',
    output: 'out/report.md',
  };
  const text = serialiseSubagent('---\n# kept\n---\nBody.\n', every);
  const { settings } = readSettings(bundleOfText(text, nowhere), []);
  assert.deepEqual(settings, every);
  assert.equal(serialiseSubagent(text, every), text);
  const none = Object.fromEntries(Object.keys(every).map((key) => [key, undefined]));
  assert.equal(serialiseSubagent(text, none), '---\n# kept\n---\nBody.\n');
});

test('a head that cannot be edited line by line is refused, never damaged', () => {
  const refused = (text: string): void =>
    assert.throws(
      () => serialiseSubagent(text, { model: 'x' }),
      (thrown) => isAgentError(thrown),
    );
  refused('---\n{name: a, description: b}\n---\n');
  refused('---\n? model\n: y\n---\n');
  refused('---js\nname: a\n---\n');
  assert.throws(() => serialiseSubagent(shellOps, { timeoutMs: -1 }), { code: 'usage.bad-input' });
});
