import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { describe, test } from 'node:test';
import { skillText, tree, type Tree } from '../../test/support/tree.ts';
import { trustProject } from '../../test/support/trust-project.ts';
import { defaultPorts } from '../config/defaults.ts';
import { builtinFamilies } from '../families/index.ts';
import type { AgentOptions } from './options.ts';
import { BareAgent } from './recursive-skilled-agent.ts';

const needsTool = 'metadata: {skilled: {requires: {bins: [my-tool]}}}\n';

/** Creates an agent that works in `work/`, with its home folder in `home/` and programs in `bin/`. */
function agentIn(files: Tree, options: AgentOptions = {}): BareAgent {
  const ports = defaultPorts({ HOME: files.at('home'), PATH: files.at('bin') });
  return new BareAgent({ startDir: files.at('work'), ...options }, ports);
}

function trust(files: Tree): Promise<void> {
  return trustProject({
    startDir: files.at('work'),
    userFolder: files.at('home/.skilled'),
    home: files.at('home'),
  });
}

function own(agent: BareAgent): readonly string[] {
  return agent.skills
    .list()
    .filter((skill) => skill.source !== 'bundled')
    .map((skill) => `${skill.name} ${skill.source}`);
}

function program(files: Tree, name: string): void {
  chmodSync(files.write(`bin/${name}`, '#!/bin/sh\n'), 0o755);
}

describe('limits in code', () => {
  test('that are not whole numbers are refused, and absent ones keep their default', () => {
    using files = tree({});
    for (const maxDepth of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.throws(() => agentIn(files, { limits: { maxDepth } }), { code: 'usage.bad-input' });
    }
    const limits = { maxDepth: undefined } as unknown as { maxDepth: number };
    assert.equal(agentIn(files, { limits }).limits.maxDepth, 16);
  });
});

describe('what an agent reads', () => {
  const everywhere = {
    'work/.git/HEAD': '',
    'work/skills/here/SKILL.md': skillText('here'),
    'work/agents/helper.md': skillText('helper'),
    'team/shared/SKILL.md': skillText('shared'),
    'home/.agents/skills/mine/SKILL.md': skillText('mine'),
    'work/plugin/package.json': '{"skilled": {"skills": "./s"}}',
    'work/plugin/s/plugged/SKILL.md': skillText('plugged'),
    'work/.skilled/settings.json': '{"plugins": ["./plugin"]}',
  };

  test('the project, and nothing that it was not asked for', async () => {
    using files = tree(everywhere);
    await using agent = await agentIn(files).ready();
    assert.deepEqual(own(agent), ['helper project', 'here project']);
  });

  test('user roots, settings and plugins when asked', async () => {
    using files = tree(everywhere);
    await trust(files);
    await using agent = await agentIn(files, {
      userRoots: true,
      settings: true,
      additionalSkillRoots: ['../team'],
    }).ready();
    assert.deepEqual(own(agent), [
      'helper project',
      'here project',
      'mine user',
      'plugged plugin',
      'shared explicit',
    ]);
  });

  test('with only, the named folders', async () => {
    using files = tree(everywhere);
    const options = { userRoots: true, settings: true, additionalSkillRoots: ['../team'], only: true };
    await using agent = await agentIn(files, options).ready();
    assert.deepEqual(own(agent), ['shared explicit']);
  });

  test('without a start folder, no project and no settings of one', async () => {
    using files = tree({ ...everywhere, 'home/.skilled/settings.json': '{"skills": {"except": ["mine"]}}' });
    const ports = defaultPorts({ HOME: files.at('home') });
    await using agent = await new BareAgent({ userRoots: true, settings: true }, ports).ready();
    assert.deepEqual(own(agent), ['mine user']);
    assert.equal(agent.skills.get('mine')?.status, 'unavailable');
  });

  test('nothing before it is asked', () => {
    using files = tree({ 'work/skills/a/SKILL.md': skillText('a') });
    const agent = agentIn(files);
    files.write('work/skills/b/SKILL.md', skillText('b'));
    assert.deepEqual(own(agent), ['a project', 'b project']);
  });

  test('the internal skills are there from the start', async () => {
    await using agent = await new BareAgent({}, defaultPorts({})).ready();
    const bundled = agent.skills.list().filter((skill) => skill.source === 'bundled' && skill.file === '');
    assert.ok(bundled.length >= 10);
    assert.equal(agent.skills.get('read')?.status, 'ready');
  });
});

describe('settings in code', () => {
  test('decide eligibility, and config paths start from the top of them', async () => {
    using files = tree({
      'work/skills/a/SKILL.md': skillText(
        'a',
        'Does a.',
        'metadata: {skilled: {requires: {config: [skills.entries.a.config.on]}}}\n',
      ),
      'work/skills/b/SKILL.md': skillText(
        'b',
        'Does b.',
        'metadata: {skilled: {requires: {config: [browser.on]}}}\n',
      ),
    });
    const skills = { entries: { a: { config: { on: true } } } };
    await using first = await agentIn(files, { settings: { skills } }).ready();
    assert.equal(first.skills.get('a')?.status, 'ready');
    assert.equal(first.skills.get('b')?.status, 'unavailable');
    await using second = await agentIn(files, {
      settings: { skills, all: { browser: { on: true } } },
    }).ready();
    assert.equal(second.skills.get('b')?.status, 'ready');
  });

  test('a broken settings file is a finding, and the skills are read', async () => {
    using files = tree({
      'work/skills/a/SKILL.md': skillText('a'),
      'work/.skilled/settings.json': '{\n"skills": nope}',
    });
    await using agent = await agentIn(files, { settings: true }).ready();
    assert.deepEqual(own(agent), ['a project']);
    const [issue] = agent.skills.diagnostics().filter(({ code }) => code === 'settings.invalid');
    assert.equal(issue?.file, files.at('work/.skilled/settings.json'));
    assert.equal(issue.line, 2);
  });

  test('limits: options go before settings, settings before defaults', () => {
    using files = tree({
      'work/.skilled/settings.json': '{"limits": {"maxDepth": 3, "descriptorBytes": 9}}',
    });
    const { limits } = agentIn(files, { settings: true, limits: { maxDepth: 2 } });
    assert.deepEqual([limits.maxDepth, limits.descriptorBytes, limits.maxSkillsPerSource], [2, 9, 200_000]);
  });
});

describe('one name in several places', () => {
  const text = (where: string): string => skillText('x', `From ${where}.`);

  test('explicit, project, user: the documented winner, both paths reported, each reached by its source', async () => {
    using files = tree({
      'team/x/SKILL.md': text('team'),
      'work/skills/x/SKILL.md': text('work'),
      'home/.skilled/skills/x/SKILL.md': text('home'),
    });
    await using agent = await agentIn(files, { userRoots: true, additionalSkillRoots: ['../team'] }).ready();
    assert.equal(agent.skills.get('x')?.card.description, 'From team.');
    assert.equal(agent.skills.get('project:x')?.card.description, 'From work.');
    assert.equal(agent.skills.get('user:x')?.card.description, 'From home.');
    const losers = agent.skills.list().filter((skill) => skill.status === 'shadowed');
    assert.deepEqual(
      losers.map((skill) => [skill.file, skill.shadowedBy]),
      [
        [files.at('home/.skilled/skills/x/SKILL.md'), files.at('team/x/SKILL.md')],
        [files.at('work/skills/x/SKILL.md'), files.at('team/x/SKILL.md')],
      ],
    );
  });

  test('the nearer folder, then the order of roots, then the path', async () => {
    using files = tree({
      'work/.git/HEAD': '',
      'work/skills/x/SKILL.md': text('above'),
      'work/pkg/.claude/skills/x/SKILL.md': text('claude'),
      'work/pkg/.agents/skills/b/SKILL.md': text('b'),
      'work/pkg/.agents/skills/a/SKILL.md': text('a'),
    });
    await using agent = await agentIn(files, { startDir: files.at('work/pkg') }).ready();
    assert.equal(agent.skills.get('x')?.card.description, 'From a.');
    for (const issue of agent.skills.diagnostics()) {
      const name = /"(.*)"/.exec(issue.hint ?? '')?.[1] ?? '';
      assert.equal(agent.skills.get(name)?.file, issue.file, name);
    }
    assert.equal(agent.skills.diagnostics().length, 3);
  });

  test('a project skill named like a bundled one does not replace it', async () => {
    using files = tree({
      'work/skills/bash/SKILL.md': skillText('Bash'),
      'work/skills/x/SKILL.md': skillText('ｂａｓｈ'),
    });
    await using agent = await agentIn(files).ready();
    assert.equal(agent.skills.get('bash')?.source, 'bundled');
    assert.equal(agent.skills.list().filter((skill) => skill.status === 'shadowed').length, 2);
    await using open = await agentIn(files, {
      settings: { skills: { allowOverrideBundled: ['bash'] } },
    }).ready();
    assert.equal(open.skills.get('bash')?.file, files.at('work/skills/bash/SKILL.md'));
  });
});

for (const watch of [false, true]) {
  describe(watch ? 'a watching agent' : 'an agent', () => {
    test('looks programs up again on reload, and only then', async () => {
      using files = tree({ 'work/skills/a/SKILL.md': skillText('a', 'Does a.', needsTool) });
      await using agent = await agentIn(files, { watch }).ready();
      const reported: string[] = [];
      agent.skills.subscribe((_, { updated }) => reported.push(...updated));
      assert.deepEqual(
        agent.skills.get('a')?.missing?.map(({ name }) => name),
        ['my-tool'],
      );
      program(files, 'my-tool');
      agent.skills.refresh();
      assert.equal(agent.skills.get('a')?.status, 'unavailable');
      await agent.reload();
      assert.equal(agent.skills.get('a')?.status, 'ready');
      assert.deepEqual(reported, ['a']);
      const { version } = agent.skills;
      await agent.reload();
      assert.equal(agent.skills.version, version);
    });

    test('reads settings and files again on reload', async () => {
      using files = tree({ 'work/skills/a/SKILL.md': skillText('a'), 'work/.skilled/settings.json': '{}' });
      await using agent = await agentIn(files, { watch, settings: true }).ready();
      assert.equal(agent.skills.get('a')?.status, 'ready');
      files.write('work/.skilled/settings.json', '{"skills": {"except": ["a"]}, "plugins": ["./plugin"]}');
      files.write('work/plugin/package.json', '{"skilled": {"skills": "."}}');
      files.write('work/plugin/p/SKILL.md', skillText('p'));
      files.write('work/skills/b/SKILL.md', skillText('b'));
      await trust(files);
      await agent.reload();
      assert.equal(agent.skills.get('a')?.status, 'unavailable');
      assert.deepEqual(own(agent), ['a project', 'b project', 'p plugin']);
    });

    test('loads a folder and keeps it', async () => {
      using files = tree({ 'work/skills/a/SKILL.md': skillText('a'), 'team/b/SKILL.md': skillText('b') });
      await using agent = await agentIn(files, { watch }).ready();
      const loaded = await agent.skills.loadDir('../team');
      assert.deepEqual(
        loaded.map((skill) => skill.name),
        ['b'],
      );
      assert.equal(agent.roots()[0]?.path, files.at('team'));
      files.write('team/c/SKILL.md', skillText('c'));
      await agent.reload();
      assert.deepEqual(own(agent), ['a project', 'b explicit', 'c explicit']);
    });
  });
}

test('a folder that was loaded is watched as well', async () => {
  using files = tree({ 'work/skills/a/SKILL.md': skillText('a'), 'team/b/SKILL.md': skillText('b') });
  await using agent = await agentIn(files, { watch: true }).ready();
  await agent.skills.loadDir(files.at('team'));
  const added = new Promise<readonly string[]>((resolve) => {
    agent.skills.subscribe((_, change) => {
      resolve(change.added);
    });
  });
  files.write('team/c/SKILL.md', skillText('c'));
  assert.deepEqual(await added, ['c']);
});

test('a shut down agent can still be read, and shut down again', async () => {
  using files = tree({ 'work/skills/a/SKILL.md': skillText('a') });
  const agent = await agentIn(files, { watch: true }).ready();
  await agent.shutdown();
  await agent.shutdown();
  assert.deepEqual(own(agent), ['a project']);
});

test('two families of one id are refused', () => {
  const families = [...builtinFamilies, builtinFamilies[0]!];
  assert.throws(() => new BareAgent({ families }, defaultPorts({})), {
    code: 'usage.bad-input',
    message: /agent-skill/,
  });
});

test('a machine without a home folder is not an obstacle', async () => {
  using files = tree({ 'work/skills/a/SKILL.md': skillText('a') });
  const { home: _, cacheFolder: __, ...ports } = defaultPorts({});
  const options = { startDir: files.at('work'), userRoots: true, cache: true };
  await using agent = await new BareAgent(options, ports).ready();
  assert.deepEqual(own(agent), ['a project']);
});
