import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { tree, type Tree } from '../../test/support/tree.ts';
import type { Json } from '../core/json.ts';
import { parseRule, ruleAgainst, rulesCover, type Act, type Rule } from '../core/policy/rules.ts';
import { adopt } from '../families/function/adopt.ts';
import { builtinSkills } from './index.ts';

/**
 * Creates a workspace with a link `alias` to `private`, and in `notes` a link `up` to the top and a link
 * `escape` to a file.
 */
function linkedFiles(): Tree {
  const files = tree({ 'private/key.txt': '', 'important.txt': '', 'src/a.ts': '', 'notes/a.md': '' });
  symlinkSync('../important.txt', files.at('notes/escape'));
  symlinkSync('..', files.at('notes/up'));
  symlinkSync('private', files.at('alias'));
  return files;
}

const rulesOf = (rule: string): readonly Rule[] => [parseRule(rule)].filter((parsed) => parsed !== undefined);

function actOf(skill: string, input: Json, workspace: string): Act {
  const definition = builtinSkills.find(({ name }) => name === skill);
  const permission = definition && adopt(definition)?.permission;
  assert.ok(permission !== undefined);
  return { skill, aliases: [], permission, input, workspace };
}

const changes = [
  ['Read', (file_path: string) => ({ file_path })],
  ['Write', (file_path: string) => ({ file_path, content: '' })],
  ['Edit', (file_path: string) => ({ file_path, old_string: 'a', new_string: 'b' })],
] as const;

for (const [label, inputOf] of changes) {
  const skill = label.toLowerCase();

  describe(`a rule with a path, for ${skill}`, () => {
    test('allows what is really in the folder, and nothing that a link there leads to', () => {
      using files = linkedFiles();
      const isAllowed = (path: string): boolean =>
        rulesCover(rulesOf(`${label}(notes/**)`), actOf(skill, inputOf(path), files.path));
      for (const path of [
        'notes/a.md',
        'notes/new/b.md',
        files.at('notes/a.md'),
        'notes/up/notes/a.md',
        './notes/../notes/a.md',
      ])
        assert.equal(isAllowed(path), true, path);
      for (const path of ['notes/escape', 'notes/up/important.txt', 'notes/up/new', 'important.txt'])
        assert.equal(isAllowed(path), false, path);
    });

    test('forbids the folder under every name, and the name itself', () => {
      using files = linkedFiles();
      const isForbidden = (rule: string, path: string): boolean =>
        ruleAgainst(rulesOf(rule), actOf(skill, inputOf(path), files.path)) !== undefined;
      for (const path of ['private/key.txt', 'alias/key.txt', 'notes/up/private/key.txt', 'alias/new'])
        assert.equal(isForbidden(`${label}(private/**)`, path), true, path);
      assert.equal(isForbidden(`${label}(alias/**)`, 'alias/key.txt'), true);
      assert.equal(isForbidden(`${label}(private/**)`, 'src/a.ts'), false);
    });

    test('holds in a workspace that is given by a link', () => {
      using files = linkedFiles();
      mkdirSync(files.at('far'));
      symlinkSync('..', files.at('far/workspace'));
      const act = (path: string): Act => actOf(skill, inputOf(path), files.at('far/workspace'));
      assert.equal(rulesCover(rulesOf(`${label}(notes/**)`), act('notes/a.md')), true);
      assert.equal(rulesCover(rulesOf(`${label}(notes/**)`), act('notes/escape')), false);
      assert.ok(ruleAgainst(rulesOf(`${label}(private/**)`), act('alias/key.txt')));
    });
  });
}

const searches = [
  ['Glob', (path: string | undefined) => ({ pattern: '**', ...(path && { path }) })],
  ['Grep', (path: string | undefined) => ({ pattern: 'x', ...(path && { path }) })],
] as const;

for (const [label, inputOf] of searches) {
  const skill = label.toLowerCase();

  describe(`a rule with a path, for ${skill}`, () => {
    test('forbids searches that could come upon what it means, and no others', () => {
      using files = linkedFiles();
      const isForbidden = (rule: string, path?: string): boolean =>
        ruleAgainst(rulesOf(rule), actOf(skill, inputOf(path), files.path)) !== undefined;
      for (const path of [undefined, '.', 'private', 'alias', 'notes/up', files.path])
        assert.equal(isForbidden(`${label}(private/**)`, path), true, path);
      for (const path of ['src', 'notes', files.at('src')])
        assert.equal(isForbidden(`${label}(private/**)`, path), false, path);
      assert.equal(isForbidden(`${label}(*.pem)`, 'src'), true);
      assert.equal(isForbidden(`${label}(src/*.ts)`, 'src'), true);
    });

    test('allows a search when all of it is really in what it means', () => {
      using files = linkedFiles();
      const isAllowed = (path?: string): boolean =>
        rulesCover(rulesOf(`${label}(notes/**)`), actOf(skill, inputOf(path), files.path));
      assert.equal(isAllowed('notes'), true);
      assert.equal(isAllowed('notes/up/notes'), true);
      for (const path of [undefined, '.', 'notes/up', 'notes/up/private', 'src'])
        assert.equal(isAllowed(path), false, path);
    });
  });
}

test('a rule for glob is held against the folders in front of the first wildcard of its pattern', () => {
  using files = linkedFiles();
  const isForbidden = (pattern: string): boolean =>
    ruleAgainst(rulesOf('Glob(private/**)'), actOf('glob', { pattern }, files.path)) !== undefined;
  for (const pattern of ['src/**', 'src/*.ts', './src/*']) assert.equal(isForbidden(pattern), false, pattern);
  for (const pattern of ['private/*', 'alias/*', '{src,private}/*', 'p*/*', '**/key*'])
    assert.equal(isForbidden(pattern), true, pattern);
});

test('a rule for grep is held against a file when that is all that is searched', () => {
  using files = linkedFiles();
  symlinkSync('private/key.txt', files.at('key'));
  const isForbidden = (path: string): boolean =>
    ruleAgainst(rulesOf('Grep(*.txt)'), actOf('grep', { pattern: 'x', path }, files.path)) !== undefined;
  assert.equal(isForbidden('src/a.ts'), false);
  for (const path of ['private/key.txt', 'alias/key.txt', 'key', 'src'])
    assert.equal(isForbidden(path), true);
});
