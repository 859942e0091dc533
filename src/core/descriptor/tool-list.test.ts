import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolBound } from '../skill.ts';
import { bundleOfText } from './bundle.ts';
import { readHeaded } from './read-descriptor.ts';
import { readToolBound } from './tool-list.ts';

function read(text: string): { readonly bound: ToolBound | undefined; readonly codes: readonly string[] } {
  const bundle = bundleOfText(text, { dir: '/s/demo', file: '/s/demo/x.md', stem: 'demo', loose: false });
  const headed = readHeaded(bundle, { description: [], 'allowed-tools': [] }, ['description']);
  const bound = readToolBound(headed, bundle, 'allowed-tools');
  return { bound, codes: headed.issues.map(({ code, line }) => `${code}:${line}`) };
}

const withSection = (section: string): string => `# a\n\n## Description\n\nDoes a.\n\n${section}`;

test('a list of tools is a section of bullets or words, each with its line', () => {
  const section = '## Allowed Tools\n\n- Read\n- `Bash(git add *)`, Skill(x)\n\n1. files.read_*\n';
  assert.deepEqual(read(withSection(section)), {
    bound: {
      rules: ['Read', 'Bash(git add *)', 'Skill(x)', 'mcp__files__read_*'],
      lines: [9, 10, 10, 12],
      line: 7,
    },
    codes: [],
  });
});

test('a list of tools is a field of the frontmatter', () => {
  const head = '---\ndescription: a\nallowed-tools: Read Bash(sh ${SKILLED_SKILL_DIR}/x *)\n---\n';
  assert.deepEqual(read(head).bound, {
    rules: ['Read', 'Bash(sh /s/demo/x *)'],
    lines: [3, 3],
    line: 3,
  });
  const block = '---\ndescription: a\nallowed-tools:\n  - Read\n  - Bash(\n  # Edit\n  - "Edit"\n---\n';
  assert.deepEqual(read(block), {
    bound: { rules: ['Read', 'Edit'], lines: [4, 7], line: 3 },
    codes: ['field.tool-rule:5'],
  });
});

test('an absent list sets no bound, and an empty one allows nothing', () => {
  assert.equal(read(withSection('')).bound, undefined);
  for (const text of ['', '<!-- none -->', '-'])
    assert.deepEqual(read(withSection(`## Allowed Tools\n\n${text}\n`)).bound?.rules, []);
});

test('an entry that is not a rule is an error on its line and allows nothing', () => {
  const { bound, codes } = read(withSection('## Allowed Tools\n\n- Read\n- Bash(\n- !!\n'));
  assert.deepEqual(bound?.rules, ['Read']);
  assert.deepEqual(codes, ['field.tool-rule:10', 'field.tool-rule:11']);
});

test('a list of very many entries is read at once', () => {
  const { codes } = read(`---\nname: x\nallowed-tools: ${'! '.repeat(20_000)}\n---\n`);
  assert.ok(codes.includes('field.tool-rule:3'));
});
