import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRule } from './rule.ts';

test('a rule is a tool, or a tool and what is meant of it', () => {
  assert.deepEqual(parseRule('Bash'), { tool: 'Bash' });
  assert.deepEqual(parseRule(' Bash( git add * ) '), { tool: 'Bash', spec: 'git add *' });
  assert.deepEqual(parseRule('Bash(echo (a) b)'), { tool: 'Bash', spec: 'echo (a) b' });
  assert.deepEqual(parseRule('Skill(my skill)'), { tool: 'Skill', spec: 'my skill' });
  assert.deepEqual(parseRule('mcp__server__*'), { tool: 'mcp__server__*' });
  assert.deepEqual(parseRule('server.*'), { tool: 'server.*' });
  assert.deepEqual(parseRule('*'), { tool: '*' });
});

test('a star between the brackets means the whole tool', () => {
  for (const text of ['Bash(*)', 'Bash( * )']) assert.deepEqual(parseRule(text), { tool: 'Bash' });
});

test('what is no rule is none', () => {
  const garbage = [
    '',
    ' ',
    '()',
    '(x)',
    'Bash(',
    'Bash)',
    'Bash()',
    'Bash( )',
    'Bash (x)',
    'Bash(x) y',
    'Bash:*',
  ];
  const more = ['a b', 'Bash(a\nb)', 'Bash(a\0)', 'Bash\nRead', '-', '.', 'Bäsh', 'Bash,Read', '{}'];
  for (const text of [...garbage, ...more]) assert.equal(parseRule(text), undefined, JSON.stringify(text));
});
