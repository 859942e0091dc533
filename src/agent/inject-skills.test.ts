import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, done, flowFamily, flowsIn, flowText, type Run } from '../../test/support/kernel.ts';
import { skillText, tree, type Tree } from '../../test/support/tree.ts';
import type { AgentOptions } from './options.ts';
import type { RecursiveSkilledAgent } from '../config/preset.ts';
import { isAgentError } from '../core/error.ts';
import type { Scope } from '../core/scope.ts';
import type { InjectionStyle } from '../core/skill.ts';

interface InjectRequest {
  readonly names: readonly string[];
  readonly how?: InjectionStyle;
  readonly paths?: readonly string[];
}

/** Returns the text that a skill below `skills/asker` receives for its prompt, or the error code. */
function asking(request: InjectRequest, then: (scope: Scope) => Promise<string> = async () => '') {
  return flowFamily({
    async execute(_prepared, _input, scope) {
      try {
        const text = await scope.skills.inject(request.names, request.how ?? 'light', request.paths);
        return done(`${text}${await then(scope)}`);
      } catch (thrown) {
        return done(isAgentError(thrown) ? `${thrown.code}: ${thrown.message}` : String(thrown));
      }
    },
  });
}

async function textOf(
  files: Tree,
  request: InjectRequest,
  more: AgentOptions = {},
  then?: (scope: Scope) => Promise<string>,
) {
  files.write('home/.agents/skills/asker/FLOW.md', flowText('asker', 'x'));
  await using agent: RecursiveSkilledAgent = agentWith(
    {},
    { ...flowsIn(files.at('home'), asking(request, then)), workspace: files.at('home'), ...more },
  );
  return (await agent.run({ skill: 'asker' }).result).text;
}

describe('skills for a prompt', () => {
  test('come in the order of their names, each once, also those no model may choose', async () => {
    using files = tree({
      'home/.agents/skills/tmux/SKILL.md': skillText(
        'tmux',
        'Terminals.',
        'disable-model-invocation: true\n',
      ),
      'home/.agents/skills/group/bash-care/SKILL.md': skillText('bash-care'),
    });
    const text = await textOf(files, { names: ['tmux', 'bash-care', 'tmux'] });
    assert.match(text, /<name>tmux<\/name>[^]*<name>bash-care<\/name>/);
    assert.equal(text.split('<skill>').length, 3);
    assert.match(text, new RegExp(`<location>${files.at('home/.agents/skills/tmux/SKILL.md')}</location>`));
    assert.doesNotMatch(text, /Do it\./);
  });

  test('come whole when that is wanted, and none of their commands runs', async () => {
    using files = tree({
      'home/.agents/skills/tmux/SKILL.md': skillText('tmux').replace(
        'Do it.',
        'Now: !`touch made`\n\nDo $ARGUMENTS.',
      ),
    });
    const text = await textOf(files, { names: ['tmux'], how: 'full' });
    assert.match(text, /<skill name="tmux">[^]*Now: \[not run: touch made\][^]*<\/skill>/);
  });

  test('of a single file have no folder of their own, in any of the ways to their text', async () => {
    using files = tree({
      'home/.agents/skills/loose.md': skillText('loose').replace('Do it.', 'Look in ${CLAUDE_SKILL_DIR}.'),
    });
    const text = await textOf(files, { names: ['loose'], how: 'full' });
    assert.ok(text.includes('Look in ${CLAUDE_SKILL_DIR}.'), text);
  });

  test('that cannot be used are an error that names them', async () => {
    using files = tree({
      'home/.agents/skills/far/SKILL.md': skillText('far', 'Far.', 'metadata: {skilled: {os: [plan9]}}\n'),
    });
    assert.match(await textOf(files, { names: ['nobody'] }), /^skill\.not-found: .*nobody/);
    assert.match(await textOf(files, { names: ['far'] }), /^skill\.unavailable: .*far/);
  });

  test('are looked for in the places of the file first', async () => {
    using files = tree({
      'home/.agents/skills/style/SKILL.md': skillText('style', 'Of all.'),
      'home/.agents/own/style/SKILL.md': skillText('style', 'Its own.'),
      'home/.agents/single/loose.md': skillText('loose', 'A single file.'),
    });
    const paths = ['../../own', '../../single/loose.md', '../../missing'];
    const text = await textOf(files, { names: ['style', 'loose'], paths });
    assert.match(text, /Its own\./);
    assert.doesNotMatch(text, /Of all\./);
    assert.match(text, /A single file\./);
  });

  test('of a project cannot be looked for outside of it', async () => {
    using files = tree({ 'elsewhere/style/SKILL.md': skillText('style') });
    const request = { names: ['style'], paths: ['../../../../elsewhere'] };
    assert.match(await textOf(files, request), /^policy\.denied: /);
  });

  test('can be read by the tools of the skill that got them', async () => {
    using files = tree({
      'elsewhere/style/SKILL.md': skillText('style', 'Style.', 'disable-model-invocation: true\n'),
      'elsewhere/style/references/more.md': 'more of it',
      'elsewhere/other/SKILL.md': skillText('other', 'Other.', 'disable-model-invocation: true\n'),
    });
    const read = async (scope: Scope): Promise<string> => {
      const paths = ['style/references/more.md', 'other/SKILL.md'].map((path) => files.at('elsewhere', path));
      const outputs = await Promise.all(paths.map((file_path) => scope.call('read', { file_path })));
      return outputs.map((output) => (output.status === 'done' ? output.text : output.error.code)).join(' ');
    };
    const roots = { additionalSkillRoots: [files.at('elsewhere')] };
    const text = await textOf(files, { names: ['style'] }, roots, read);
    assert.match(text, /more of it/);
    assert.match(text, /policy\.denied$/);
  });
});

describe('a skill for certain files', () => {
  test('is offered once such a file was touched', async () => {
    using files = tree({
      '.agents/skills/testing/SKILL.md': skillText('testing', 'Tests.', 'paths: ["**/*.test.ts"]\n'),
      'src/a.ts': 'a',
      'src/a.test.ts': 'test',
    });
    const top: Run = async (_input, scope) => {
      const isOffered = (): boolean => scope.skills.callable.some(({ name }) => name === 'testing');
      const offered = [isOffered()];
      for (const file_path of ['src/a.ts', 'src/missing.test.ts', files.at('src/a.test.ts')]) {
        await scope.call('read', { file_path });
        offered.push(isOffered());
      }
      return done(offered.join(' '));
    };
    await using agent = agentWith({ top }, { startDir: files.path, searchUpwards: false });
    assert.equal((await agent.run({ skill: 'top' }).result).text, 'false false false true');
  });
});
