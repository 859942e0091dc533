import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { skillText, tree } from '../../test/support/tree.ts';
import { builtinFamilies } from '../families/index.ts';
import { defaultSkillLimits } from '../skills/limits.ts';
import { validatePaths } from './validate.ts';

const lenient = { families: builtinFamilies, limits: defaultSkillLimits, strict: false };

describe('a fault is reported once', () => {
  const cases: Readonly<Record<string, readonly [text: string, ...issues: string[]]>> = {
    'a name with several faults': [skillText('My__Skill'), 'standard.name:2'],
    'a missing name': ['---\ndescription: x\n---\nDo it.\n', 'standard.name:undefined'],
    'a missing description': ['---\nname: a\n---\nDo it.\n', 'standard.description:undefined'],
    'a long description': [skillText('a', 'x'.repeat(1100)), 'standard.description:3'],
    'a description that is a list': [skillText('a', '[x]'), 'standard.description:3'],
    'metadata that is text': [skillText('a', 'x', 'metadata: x\n'), 'standard.metadata:4'],
    'metadata that is not YAML': [
      skillText('a', 'x', 'metadata: {\nlicense: MIT\n'),
      'frontmatter.repaired:4',
    ],
    'a misspelt name': ['---\nName: a\ndescription: x\n---\nDo it.\n', 'standard.field:2'],
    'no frontmatter': ['# A\n\nDo it.\n', 'standard.frontmatter:1'],
    'an empty file': ['', 'descriptor.empty:1'],
  };
  for (const [what, [text, ...expected]] of Object.entries(cases))
    test(what, () => {
      using files = tree({ 'a/SKILL.md': text });
      const [result] = validatePaths([files.at('a')], lenient);
      assert.deepEqual(
        result?.issues.map(({ code: found, line }) => `${found}:${line}`),
        expected,
      );
    });
});
