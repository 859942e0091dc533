import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { call } from '../../support/command.ts';
import { skillText } from '../../support/tree.ts';
import type { Attempt } from '../attempts/attempt.ts';
import type { SafetyCase } from '../case.ts';
import { settled } from '../../support/deadline.ts';
import { tryInside } from '../inside.ts';
import type { Stage } from '../stage.ts';

/** Creates links in the workspace, from paths to targets. */
function link(stage: Stage, links: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(links).map(([path, target]) => {
    mkdirSync(dirname(stage.at(path)), { recursive: true });
    symlinkSync(target, stage.at(path));
    return stage.at(path);
  });
}

/**
 * Checks that a model with the text of a skill can read the files in its folder, but not the targets of its
 * links.
 */
async function readInside(stage: Stage): Promise<void> {
  const paths = [
    'references/passwd',
    'assets/secret.txt',
    'scripts/passwd',
    'top/etc/hostname',
    'chain/secret.txt',
  ];
  const read = (path: string): Attempt => ({ name: 'read', input: { file_path: path } });
  const dir = stage.at('own/open');
  const attempts = [
    read(`${dir}/notes/style.md`),
    ...paths.flatMap((path) => [
      read(`${dir}/${path}`),
      read(`own/open/${path}`),
      read(`${dir}/notes/../${path}`),
    ]),
    { name: 'glob', input: { pattern: '**/passwd', path: dir } },
    { name: 'grep', input: { pattern: '.', path: `${dir}/references`, output_mode: 'content' } },
  ];
  for (const { entryPoint, result, events, text, replies } of await tryInside(stage, 'open', attempts, {
    additionalSkillRoots: [stage.at('own')],
  })) {
    assert.equal(result.text, 'Done.', `${entryPoint}: ${JSON.stringify(result)}`);
    assert.match(text, /notes\/style\.md/, entryPoint);
    assert.doesNotMatch(text, /passwd|secret\.txt|hostname/, entryPoint);
    assert.equal(replies.length, attempts.length, entryPoint);
    assert.match(replies[0] ?? '', /in plain words/, entryPoint);
    for (const [index, reply] of replies.slice(1, -2).entries())
      assert.match(reply, /denied|outside/i, `${entryPoint}, ${index}`);
    assert.doesNotMatch(JSON.stringify([result, events]), /canary|root:x/, entryPoint);
  }
}

/** The search for skills, and the effect of links on it. */
export const linkCases: readonly SafetyCase[] = [
  {
    id: 'P11',
    what: 'a descriptor that is a link to the outside is skipped',
    async run(stage) {
      const linked = link(stage, {
        'skills/absolute/SKILL.md': join(stage.outside, 'SKILL.md'),
        'skills/relative/SKILL.md': '../../../outside/SKILL.md',
        'skills/chain/SKILL.md': 'hop',
        'skills/chain/hop': '../../../outside/SKILL.md',
        'skills/system/SKILL.md': '/etc/passwd',
        'skills/endless/SKILL.md': '/dev/zero',
        'skills/variables/SKILL.md': '/proc/self/environ',
        'skills/loose.md': '../../outside/SKILL.md',
        'agents/loose.md': '../../outside/SKILL.md',
      }).filter((path) => !path.endsWith('hop'));
      const hard = stage.at('skills/hard/SKILL.md');
      mkdirSync(dirname(hard), { recursive: true });
      linkSync(stage.write('elsewhere.md', skillText('stranger', 'canary')), hard);
      const pipe = stage.at('skills/pipe/SKILL.md');
      mkdirSync(dirname(pipe), { recursive: true });
      execFileSync('mkfifo', [pipe]);
      stage.settle();
      await using agent = stage.agent();
      const names = agent.skills.list().filter(({ status }) => status !== 'invalid');
      assert.deepEqual(
        names.filter(({ source }) => source === 'project').map(({ name }) => name),
        ['witness'],
      );
      assert.equal(agent.skills.get('stranger'), undefined);
      assert.ok(!JSON.stringify(agent.skills.list()).includes('canary'));
      return { issues: agent.skills.diagnostics(), files: [...linked, hard] };
    },
  },
  {
    id: 'P12',
    what: 'a bundle that is a link to the outside is skipped',
    async run(stage) {
      const linked = link(stage, {
        'skills/absolute': join(stage.outside, 'bundle'),
        'skills/relative': '../../outside/bundle',
        'skills/group': '../../outside',
        'skills/deep/er/bundle': '../../../../outside/bundle',
        'skills/chain': 'deep/er/bundle',
        'skills/through': '../skills/../../outside/bundle',
        'skills/process': '/proc/self/cwd',
        'skills/top': '/',
        '.claude/skills/other-root': '../../../outside/bundle',
        'agents/group': '../../outside',
      });
      stage.settle();
      await using agent = stage.agent();
      assert.equal(agent.skills.get('stray'), undefined);
      assert.equal(agent.skills.get('stranger'), undefined);
      assert.ok(!JSON.stringify(agent.skills.list()).includes('canary'));
      return { issues: agent.skills.diagnostics(), files: linked };
    },
  },
  {
    id: 'P13',
    what: 'a link in a bundle does not expose a folder outside',
    async run(stage) {
      stage.write('skills/curious/SKILL.md', skillText('curious'));
      link(stage, {
        'skills/curious/references': join(stage.outside, 'etc'),
        'skills/curious/assets': '../../../outside',
        'skills/curious/scripts': '/etc',
        'skills/curious/top': '/',
        'own/open/references': join(stage.outside, 'etc'),
        'own/open/assets': '../../../outside',
        'own/open/scripts': '/etc',
        'own/open/top': '/',
        'own/open/chain': 'assets',
      });
      stage.write('own/open/SKILL.md', skillText('open'));
      stage.write('own/open/notes/style.md', 'in plain words');
      stage.settle();
      await using agent = stage.agent();
      const ask = async (skill: string, input: Record<string, string>): Promise<string> => {
        const { text, value, error } = await agent.run({ skill, input }).result;
        const all = JSON.stringify([text, value, error]);
        assert.doesNotMatch(all, /canary|root:/, `${skill} ${JSON.stringify(input)}`);
        return error?.code ?? text;
      };
      for (const path of ['references/passwd', 'assets/secret.txt', 'scripts/passwd', 'top/etc/hostname'])
        for (const from of ['skills/curious', stage.at('skills/curious')])
          assert.equal(await ask('read', { file_path: `${from}/${path}` }), 'policy.denied', path);
      for (const path of ['.', 'skills/curious'])
        for (const pattern of ['**', '**/passwd', '*/*', 'skills/*/references/*', 'references/*'])
          assert.doesNotMatch(await ask('glob', { pattern, path }), /passwd|secret/, pattern);
      assert.equal(await ask('glob', { pattern: '*', path: 'skills/curious/references' }), 'policy.denied');
      for (const pattern of ['canary', 'root', '.'])
        await ask('grep', { pattern, path: 'skills', output_mode: 'content' });
      assert.equal(await ask('grep', { pattern: '.', path: 'skills/curious/assets' }), 'policy.denied');
      for (const args of [
        ['show', 'curious'],
        ['validate', stage.at('skills/curious')],
        ['list', '--json'],
      ]) {
        const { out, err } = await call([...args, '--cwd', stage.workspace]);
        assert.doesNotMatch(out + err, /canary|root:x/, args.join(' '));
      }
      assert.equal(agent.skills.digestNow(agent.skills.resolve('curious')), undefined, 'cannot be trusted');
      await readInside(stage);
      return undefined;
    },
  },
  {
    id: 'P14',
    what: 'a scan ends despite a loop of links, and the other skills load',
    async run(stage) {
      const many = Array.from({ length: 12 }, (_, index) => [`skills/many/up-${index}`, '..'] as const);
      const chain = Array.from(
        { length: 60 },
        (_, index) => [`skills/hop-${index}`, `hop-${index + 1}`] as const,
      );
      link(stage, {
        'skills/self': '.',
        'skills/me': 'me',
        'skills/up/and/up': '../..',
        'skills/ping': 'pong',
        'skills/pong': 'ping',
        'skills/one/to-two': '../two',
        'skills/two/to-one': '../one',
        'skills/root': '../skills',
        'skills/workspace': '..',
        '.agents/skills/back': '../../skills',
        'skills/forth': '../.agents/skills',
        'skills/looped/SKILL.md': 'SKILL.md',
        ...Object.fromEntries([...many, ...chain]),
      });
      stage.write('skills/one/deep/SKILL.md', skillText('deep'));
      stage.settle();
      const agent = await settled(stage.agent().ready(), 'the look at the skills');
      assert.deepEqual(
        agent.skills.list().flatMap(({ name, source }) => (source === 'project' ? [name] : [])),
        ['deep', 'witness'],
      );
      assert.equal(agent.skills.get('deep')?.status, 'ready');
      await agent.shutdown();
      return undefined;
    },
  },
  {
    id: 'P26',
    what: 'a descriptor below a bundle is not a separate skill',
    async run(stage) {
      stage.write('skills/outer/SKILL.md', skillText('outer'));
      for (const inner of [
        'inner',
        'references/inner',
        'a/b/c/inner',
        '.agents/skills/inner',
        'skills/inner',
      ])
        stage.write(`skills/outer/${inner}/SKILL.md`, skillText('inner'));
      stage.write('skills/outer/other/cskill.md', '# other\n\n## Description\n\nOther.\n');
      stage.write('skills/outer/agents/helper.md', skillText('helper'));
      link(stage, { 'skills/outer/inside': 'inner' });
      stage.settle();
      await using agent = stage.agent();
      const names = agent.skills.list().flatMap(({ name, source }) => (source === 'project' ? [name] : []));
      assert.deepEqual(names, ['outer', 'witness']);
      for (const name of ['inner', 'other', 'helper', 'outer/inner'])
        assert.equal(agent.skills.get(name), undefined, name);
      return undefined;
    },
  },
];
