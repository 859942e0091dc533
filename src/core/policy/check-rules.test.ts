import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { builtinSkills } from '../../builtins/index.ts';
import { tree } from '../../../test/support/tree.ts';
import { RecursiveSkilledAgent } from '../../config/preset.ts';
import { readSettings } from '../../config/read/settings.ts';
import { builtInTools, checkRules, faultOfRule } from './check-rules.ts';
import { defineSkill } from '../define-skill.ts';
import type { Skill } from '../skill.ts';

test('the words of the built-in tools are those that rules can name them by', () => {
  const names = builtinSkills.flatMap(({ name, permission = '' }) => [name, permission]);
  const lower = (list: readonly string[]): readonly string[] => [
    ...new Set(list.map((name) => name.toLowerCase())),
  ];
  assert.deepEqual(lower(builtInTools).toSorted(), lower(names).toSorted());
});

describe('what a rule that forbids may be', () => {
  const right = ['Read', 'bash(rm *)', 'find-skills', 'Web*', '*', 'Skill', 'Skill(any)', 'skill(team/*)'];
  const ofServers = ['mcp__files__read', 'mcp__files__*', 'mcp__*', 'MCP__a__b', 'files.read', 'files.*'];
  for (const rule of [...right, ...ofServers])
    test(`${rule} is one`, () => {
      assert.equal(faultOfRule(rule), undefined);
    });

  const wrong: readonly (readonly [rule: unknown, near: readonly string[], hint: RegExp])[] = [
    ['Bsh(rm *)', ['Bash'], /Did you mean "Bash"/],
    ['delete-file', [], /write Skill\(delete-file\)/],
    ['Skills(x)', ['Skill'], /Did you mean "Skill"/],
    ['Web-Fetch', ['WebFetch'], /Did you mean "WebFetch"/],
    ['Bsx*', [], /^Known tools: Read, /],
    ['mcp__files', [], /mcp__files__\*/],
    ['mcp__files__', [], /mcp__files__\*/],
    ['Bash()', ['Bash'], /such as/],
    ['Bash(', ['Bash'], /such as/],
    ['Skill()', ['Skill'], /such as/],
    ['Read[x]', ['Read'], /such as/],
    ['Bash(a)(b', ['Bash'], /such as/],
    ['Bash (rm)', ['Bash'], /such as/],
    ['', [], /such as/],
    [7, [], /such as/],
    [null, [], /such as/],
    [undefined, [], /such as/],
  ];
  for (const [rule, near, hint] of wrong)
    test(`${String(rule)} is none`, () => {
      const fault = faultOfRule(rule);
      assert.ok(
        near.every((name) => fault?.near.includes(name)),
        JSON.stringify(fault),
      );
      assert.match(fault?.hint ?? '', hint);
    });
});

describe('rules of the constructor', () => {
  test('that deny or ask and cannot mean anything are refused; those that allow must have the form of a rule', () => {
    const make = (permissions: object): unknown => new RecursiveSkilledAgent({ permissions });
    for (const kind of ['deny', 'ask'])
      for (const rule of ['delete-file', 'Bsh(rm *)', 'Bash(', 7])
        assert.throws(() => make({ [kind]: ['Read', rule] }), {
          code: 'usage.bad-input',
          details: {
            key: `permissions.${kind}.1`,
            rule: String(rule),
            near: [...(faultOfRule(rule)?.near ?? [])],
          },
        });
    assert.throws(() => make({ allow: ['Bash('] }), { code: 'usage.bad-input' });
    make({ allow: ['Raed'] });
  });

  test('may name tools of the program itself, and what is not registered is a diagnostic', async () => {
    const permissions = { deny: ['Deploy(prod)', 'Skill(delete-fiel)'], tools: ['Deploy'] };
    await using agent = new RecursiveSkilledAgent({ permissions, only: true, embeddings: false });
    const unmatched = (): unknown =>
      agent.skills.diagnostics().flatMap(({ code, details }) => (code === 'rule.unmatched' ? [details] : []));
    const skill = { kind: 'deny', rule: 'Skill(delete-fiel)', near: [] };
    assert.deepEqual(unmatched(), [{ kind: 'deny', rule: 'Deploy(prod)', near: [] }, skill]);
    const run = () => ({ status: 'done', text: 'done' }) as const;
    agent.skills.register(defineSkill({ name: 'ship', description: 'Ships.', permission: 'Deploy', run }));
    agent.skills.register(defineSkill({ name: 'delete-file', description: 'Deletes.', run }));
    assert.deepEqual(unmatched(), [{ ...skill, near: ['delete-file'] }]);
  });

  test('a rule of a settings file that matches nothing is reported with its file and line', async () => {
    using files = tree({
      'home/settings.json':
        '{"permissions": {\n"allow": ["Skill(delete-fiel)"],\n"ask": ["Edit"],\n"deny": [\n"Bash(rm *)",\n"Skill(delete-fiel)"]}}',
      'work/.skilled/settings.json': '{\n"permissions": {"ask": ["Skill(delete-fiel)"]}}',
    });
    const { settings } = readSettings({ startDir: files.at('work'), userFolder: files.at('home') });
    const found = checkRules(settings.permissions ?? {}, {
      skills: [],
      servers: [],
      positions: settings.rulePositions,
    });
    assert.deepEqual(
      found
        .filter(({ details }) => details?.['rule'] === 'Skill(delete-fiel)')
        .map(({ file, line }) => [file, line]),
      [
        [files.at('home/settings.json'), 6],
        [files.at('work/.skilled/settings.json'), 2],
      ],
    );
    await using agent = new RecursiveSkilledAgent({
      settings,
      only: true,
      embeddings: false,
    });
    const [issue] = agent.skills.diagnostics().filter(({ code }) => code === 'rule.unmatched');
    assert.deepEqual([issue?.file, issue?.line], [files.at('home/settings.json'), 6]);
  });
});

describe('a rule about the assistant by its name in release 0.1', () => {
  const here = { skills: [], servers: [] };
  const found = (rule: string, more: Partial<Parameters<typeof checkRules>[1]> = {}): unknown =>
    checkRules({ deny: [rule] }, { ...here, ...more }).map(({ level, code, details }) => [
      level,
      code,
      details,
    ]);
  const renamed = (rule: string, current = 'Skill((assistant))'): unknown => [
    ['warning', 'settings.renamed', { rule, current }],
  ];

  test('is reported with the current name', () => {
    assert.deepEqual(found('Skill((ad-hoc))'), renamed('Skill((ad-hoc))'));
    assert.deepEqual(found('skill( (ad-hoc) )'), renamed('skill( (ad-hoc) )', 'skill((assistant))'));
    assert.deepEqual(found('Skill(ad-hoc)'), renamed('Skill(ad-hoc)'));
    for (const current of ['Skill((assistant))', 'Skill', 'Skill(*)', 'Skill(ad*)'])
      assert.deepEqual(found(current), [], current);
  });

  test('is a rule about a skill if there is one with that name', () => {
    const skills = [{ name: 'ad-hoc', aliases: [], card: {} }] as unknown as readonly Skill[];
    assert.deepEqual(found('Skill(ad-hoc)', { skills }), []);
  });

  test('is reported once for each of its lines, whatever it does', async () => {
    using files = tree({
      'home/settings.json':
        '{"permissions": {\n"allow": ["Skill((ad-hoc))"],\n"ask": ["Edit"],\n"deny": ["Skill((ad-hoc))"]}}',
      'work/.skilled/settings.json': '{\n"permissions": {"deny": ["Skill((ad-hoc))"]}}',
    });
    const { settings } = readSettings({ startDir: files.at('work'), userFolder: files.at('home') });
    await using agent = new RecursiveSkilledAgent({ settings, only: true, embeddings: false });
    const issues = agent.skills.diagnostics().filter(({ code }) => code === 'settings.renamed');
    assert.deepEqual(
      issues.map(({ file, line }) => [file, line]).toSorted(),
      [
        [files.at('home/settings.json'), 2],
        [files.at('home/settings.json'), 4],
        [files.at('work/.skilled/settings.json'), 2],
      ].toSorted(),
    );
  });
});
