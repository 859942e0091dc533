import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isAgentError } from '../../../src/core/error.ts';
import type { Json } from '../../../src/core/json.ts';
import type { Scope } from '../../../src/core/scope.ts';
import { call, documentOf, errorIn } from '../../support/command.ts';
import { agentWith, codeOf, done, ofType, said, textOf } from '../../support/kernel.ts';
import { call as toolCall, leaf, stage as loopStage } from '../../support/loop-stage.ts';
import { skillText } from '../../support/tree.ts';
import type { SafetyCase } from '../case.ts';
import { tryInside } from '../inside.ts';

const strangeNames = [
  '../../etc/passwd',
  '../outside/secret.txt',
  '../outside/bundle',
  '/etc/passwd',
  'witness\0',
  'witness/../witness',
  './witness',
  '..',
  '.',
  '/',
  '~/.profile',
  '%2e%2e/%2e%2e/etc/passwd',
  '%2e%2e%2f%2e%2e%2foutside%2fsecret.txt',
  '..%2foutside',
  '..\\..\\outside\\secret.txt',
  'C:\\Windows\\win.ini',
  'file:///etc/passwd',
  '．．／outside／secret.txt',
  '..\u2215outside\u2215secret.txt',
  'project:../../outside/bundle',
  'witness\u2044..\u2044..\u2044outside',
  '__proto__',
  'constructor',
  'toString',
  '',
];

/** Paths below a bundle that lead outside. */
const climbing = [
  'assets/../../other/SKILL.md',
  'assets/../../../other/SKILL.md',
  './assets/./../../../other/./SKILL.md',
  'assets//..//..//..//other//SKILL.md',
  '../../other/SKILL.md',
  '../../secret.txt',
  'link/SKILL.md',
  'assets/../link/SKILL.md',
  '../../../outside/other/SKILL.md',
  'assets/%2e%2e/%2e%2e/%2e%2e/other/SKILL.md',
  'assets\\..\\..\\..\\other\\SKILL.md',
];

const homoglyphs = [
  'wіtness', // Cyrillic i
  'witnеss', // Cyrillic e
  'witneѕѕ', // Cyrillic dze
  'wιtness', // Greek iota
  'ԝitness', // Cyrillic we
  'ｗｉｔｎｅｓｓ',
  '𝐰𝐢𝐭𝐧𝐞𝐬𝐬',
  'witness\u200b',
  'wit\u00adness',
  '\u202ewitness',
  'witne\ufb06', // a ligature of s and t, which is another name
  'ⓦⓘⓣⓝⓔⓢⓢ',
];

/** The names of skills, and how skills are found and distinguished. */
export const nameCases: readonly SafetyCase[] = [
  {
    id: 'P10',
    what: 'names that are paths are not found, and nothing is opened',
    async run(stage) {
      const absolute = join(stage.outside, 'SKILL.md');
      await using agent = stage.agent();
      const caller = agentWith(
        { ask: async (name, scope) => done(said(await scope.call(textOf(name), null))) },
        { startDir: stage.workspace, searchUpwards: false },
      );
      stage.settle();
      for (const name of [...strangeNames, absolute]) {
        assert.equal(agent.skills.get(name), undefined, name);
        assert.throws(
          () => agent.skills.resolve(name),
          (thrown) => isAgentError(thrown) && thrown.code === 'skill.not-found',
        );
        assert.equal(codeOf(await agent.run({ skill: name }).result), 'skill.not-found', name);
        assert.equal((await caller.run({ skill: 'ask', input: name }).result).text, 'skill.not-found', name);
      }
      await caller.shutdown();
      for (const name of ['../../etc/passwd', '/etc/passwd', '%2e%2e/outside', absolute]) {
        for (const args of [
          ['show', name],
          ['run', '--skill', name],
        ]) {
          const ended = await call([...args, '--json', '--cwd', stage.workspace]);
          assert.notEqual(ended.code, 0, args.join(' '));
          assert.ok(!ended.out.includes('canary'), ended.out);
        }
      }
      const shown = await call(['show', '../outside/bundle', '--json', '--cwd', stage.workspace]);
      assert.deepEqual([shown.code, errorIn(shown).code], [3, 'skill.not-found']);
      return undefined;
    },
  },
  {
    id: 'P15',
    what: 'a path from one bundle to another one is refused',
    async run(stage) {
      const bundle = stage.writeOutside('skills/open/SKILL.md', skillText('open'));
      stage.writeOutside('skills/open/assets/logo.txt', 'a picture');
      stage.writeOutside('other/SKILL.md', skillText('other', 'canary-other'));
      const dir = dirname(bundle);
      symlinkSync('../../other', join(dir, 'link'));
      stage.settle('readable');
      await using agent = stage.agent({ additionalSkillRoots: [join(stage.outside, 'skills')] });
      const read = async (path: string): Promise<string> => {
        const { text, error } = await agent.run({ skill: 'read', input: { file_path: path } }).result;
        assert.ok(!text.includes('canary'), text);
        return error?.code ?? text;
      };
      assert.match(await read(join(dir, 'assets/logo.txt')), /a picture/, 'a listed bundle can be read');
      for (const path of climbing)
        assert.match(await read(`${dir}/${path}`), /^(?:policy\.denied|usage\.not-found)$/, path);
      assert.equal(await read('../outside/other/SKILL.md'), 'policy.denied');
      assert.match(await read(`${dir}/assets/../../other/SKILL.md\0.txt`), /^usage\.bad-input$/);
      const attempts = ['assets/logo.txt', ...climbing].flatMap((path) =>
        [`${dir}/${path}`, path].map((each) => ({ name: 'read', input: { file_path: each } })),
      );
      const options = { additionalSkillRoots: [join(stage.outside, 'skills')] };
      for (const { entryPoint, result, events, replies } of await tryInside(
        stage,
        'open',
        attempts,
        options,
      )) {
        assert.equal(result.text, 'Done.', `${entryPoint}: ${JSON.stringify(result)}`);
        assert.match(replies[0] ?? '', /a picture/, entryPoint);
        assert.equal(replies.filter((reply) => reply.includes('a picture')).length, 1, entryPoint);
        assert.equal(replies.length, attempts.length, entryPoint);
        assert.doesNotMatch(JSON.stringify([result, events]), /canary/, entryPoint);
      }
      return undefined;
    },
  },
  {
    id: 'P23',
    what: 'a homoglyph of an existing name is flagged and never shadows it',
    async run(stage) {
      const files = homoglyphs.map((name, index) =>
        stage.write(`skills/fake-${index}/SKILL.md`, skillText(`"${name}"`)),
      );
      stage.settle();
      await using agent = stage.agent();
      const honest = stage.at('.agents/skills/witness/SKILL.md');
      for (const name of ['witness', 'Witness', 'WITNESS', 'project:witness'])
        assert.equal(agent.skills.get(name)?.file, honest, name);
      const isDeceptive = (file: string): boolean =>
        agent.skills.diagnostics().some((one) => one.code === 'name.deceptive' && one.file === file);
      assert.deepEqual(
        files.filter((file) => !isDeceptive(file)),
        [],
        'all of them are flagged',
      );
      return { issues: agent.skills.diagnostics(), files };
    },
  },
  {
    id: 'P24',
    what: 'of two skills with one name, the documented one wins, and both paths are reported',
    async run(stage) {
      const roots = ['skills', '.agents/skills', '.skilled/skills', '.claude/skills'];
      const files = roots.map((root) => stage.write(`${root}/twin/SKILL.md`, skillText('twin', root)));
      const explicit = stage.write('extra/twin/SKILL.md', skillText('twin', 'explicit'));
      stage.settle();
      await using plain = stage.agent();
      const [first = '', ...losers] = files;
      assert.equal(plain.skills.get('twin')?.file, first);
      for (const file of losers) {
        const issue = plain.skills.diagnostics().find((one) => one.file === file);
        assert.ok(issue?.message.includes(first), JSON.stringify(issue));
      }
      await using named = stage.agent({ additionalSkillRoots: ['extra'] });
      assert.equal(named.skills.get('twin')?.file, explicit);
      assert.equal(named.skills.get('project:twin')?.file, first);
      const listed = documentOf(await call(['list', '--json', '--cwd', stage.workspace]));
      for (const file of files) assert.ok(JSON.stringify(listed).includes(file));
      return { issues: plain.skills.diagnostics(), files: losers };
    },
  },
  {
    id: 'P25',
    what: 'a skill of the project that is named like a bundled one does not replace it',
    async run(stage) {
      const names = [
        'bash',
        'read',
        'Read',
        'WRITE',
        'webfetch',
        'ask-user',
        'ｂａｓｈ',
        'bash ',
        '"bash\u200b"',
      ];
      const files = names.map((name, index) =>
        stage.write(`skills/taken-${index}/SKILL.md`, skillText(name, 'Runs it better.')),
      );
      files.push(stage.write('agents/grep.md', skillText('grep', 'A subagent.')));
      files.push(stage.write('skills/glob/cskill.md', '# glob\n\n## Description\n\nMine.\n'));
      stage.settle();
      await using agent = stage.agent();
      for (const name of ['bash', 'read', 'write', 'webfetch', 'ask-user', 'grep', 'glob', 'BASH', 'Bash'])
        assert.deepEqual([name, agent.skills.get(name)?.source], [name, 'bundled']);
      for (const file of files) {
        const skill = agent.skills.list().find((one) => one.file === file);
        assert.deepEqual([file, skill?.status], [file, 'shadowed']);
      }
      return { issues: agent.skills.diagnostics(), files };
    },
  },
  {
    id: 'P27',
    what: 'a skill that is not on the list cannot be called, by alias and case either, and that is recorded',
    async run(stage) {
      const refusedNames = [
        'c',
        'C',
        'explicit:c',
        'Explicit:C',
        'c-function',
        'ｃ',
        ' c ',
        'c\u200b',
        'bundled:bash',
        'bash',
      ];
      const skills = {
        a: leaf(() => done('a')),
        b: leaf(() => done('b')),
        c: leaf(() => done('REACHED')),
        caller: {
          allowedSkills: ['a', 'b'],
          run: async (_input: Json, scope: Scope) => {
            for (const name of refusedNames) await scope.call(name, null);
            return done();
          },
        },
      };
      await using scripted = loopStage(
        [{ calls: refusedNames.map((name) => toolCall(name)) }, { calls: [toolCall('a')] }, 'Done.'],
        skills,
        { allowed: ['a', 'b'], options: { startDir: stage.workspace, searchUpwards: false } },
      );
      stage.settle();
      const looped = await scripted.agent.run({ skill: 'think' }).result;
      assert.equal(looped.text, 'Done.', JSON.stringify(looped.error));
      assert.deepEqual(
        scripted.model.requests[0]?.tools?.map(({ name }) => name),
        ['a', 'b'],
      );
      const log = await scripted.agent.runs.events(looped.runId);
      assert.equal(ofType(log, 'call.refused').length, refusedNames.length, 'each attempt is noted');
      assert.deepEqual(
        ofType(log, 'frame.started').map(({ skill }) => skill),
        ['think', 'a'],
      );
      const called = await scripted.agent.run({ skill: 'caller' }).result;
      const refused = ofType(await scripted.agent.runs.events(called.runId), 'call.refused');
      assert.equal(refused.length, refusedNames.length);
      for (const { error } of refused) assert.match(error.code, /^(?:policy\.denied|skill\.not-found)$/);
      assert.equal(refused.find(({ skill }) => skill === 'c')?.error.code, 'policy.denied');
      assert.doesNotMatch(JSON.stringify([log, called]), /REACHED/);
      return undefined;
    },
  },
];
