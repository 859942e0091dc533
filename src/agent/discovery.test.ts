import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, type Run } from '../../test/support/kernel.ts';
import { skillText, tree, type Tree } from '../../test/support/tree.ts';
import type { RecursiveSkilledAgent } from '../config/preset.ts';
import type { AgentOptions } from './options.ts';

function openIn(
  files: Tree,
  options: AgentOptions = {},
  skills: Readonly<Record<string, Run>> = {},
): RecursiveSkilledAgent {
  const startDir = files.at('app');
  return agentWith(skills, { startDir, searchUpwards: false, ...options });
}

/** Returns the names of the skills on disk, with their status unless it is `ready`. */
function namesIn(agent: RecursiveSkilledAgent): readonly string[] {
  return agent.skills
    .list()
    .filter(({ source }) => source !== 'bundled')
    .map(({ name, status }) => (status === 'ready' ? name : `${name} (${status})`));
}

async function offeredBy(agent: RecursiveSkilledAgent): Promise<readonly string[]> {
  const { text } = await agent.skills.catalog();
  return [...text.matchAll(/<name>(.*?)<\/name>/g)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'using-skilled');
}

describe('commands of .claude/commands', () => {
  const commands = {
    'app/.claude/commands/deploy.md': 'Deploy to $1.',
    'app/.claude/commands/frontend/test.md': '---\nname: other\nargument-hint: [file]\n---\n\nTest $1.',
    'app/.claude/commands/secret.md': '---\ndisable-model-invocation: true\n---\n\nNot for models.',
    'app/.claude/commands/README.md': 'About these commands.',
  };

  test('are skills named after their paths, with and without frontmatter', async () => {
    using files = tree(commands);
    await using agent = openIn(files);
    assert.deepEqual(namesIn(agent), ['deploy', 'frontend:test', 'secret']);
    assert.equal(agent.skills.resolve('test').name, 'frontend:test');
    assert.deepEqual(agent.skills.diagnostics(), []);
    assert.equal(agent.skills.resolve('deploy').card.description, 'Deploy to $1.');
    assert.equal(agent.render('deploy', { args: 'production' }).text, 'Deploy to production.');
  });

  test('are offered to models unless they forbid it', async () => {
    using files = tree(commands);
    await using agent = openIn(files);
    assert.deepEqual(await offeredBy(agent), ['deploy', 'frontend:test']);
  });

  test('of the user are found in the home folder', async () => {
    using files = tree({ 'home/.claude/commands/mine.md': 'Do mine.', 'app/x': '' });
    const options = { additionalSkillRoots: [files.at('home')], only: true };
    await using agent = openIn(files, options);
    assert.deepEqual(namesIn(agent), ['mine']);
  });

  test('in a folder named after a source do not look like skills of that source', async () => {
    using files = tree({
      'app/.claude/commands/bundled/read.md': 'Read it.',
      'app/.claude/commands/user/deploy.md': 'Deploy.',
    });
    await using agent = openIn(files);
    assert.equal(agent.skills.resolve('bundled:read').source, 'bundled');
    assert.equal(agent.skills.get('user:deploy'), undefined);
    assert.equal(agent.skills.resolve('deploy').source, 'project');
  });
});

test('a folder of commands whose name mixes scripts makes the names of its commands deceptive', async () => {
  using files = tree({ 'app/.claude/commands/\u0430cme/release.md': 'Release it.' });
  await using agent = openIn(files);
  assert.deepEqual(
    agent.skills.diagnostics().map(({ code }) => code),
    ['name.deceptive'],
  );
});

describe('a plugin', () => {
  const plugin = {
    'p/.claude-plugin/plugin.json': '{"name": "acme"}',
    'p/skills/release/SKILL.md': skillText('release').replace(
      'Do it.',
      'Run ${CLAUDE_PLUGIN_ROOT}/a.sh and {baseDir}/b.sh, not ${baseDir}.',
    ),
    'p/commands/db/reset.md': 'Reset $1 with ${CLAUDE_PLUGIN_ROOT}/reset.sh.',
    'p/agents/reviewer.md': skillText('reviewer'),
    'app/.agents/skills/release/SKILL.md': skillText('release'),
  };

  test('has its name before those of its skills, so that no skill of the project is shadowed', async () => {
    using files = tree(plugin);
    await using agent = openIn(files, { plugins: [files.at('p')] });
    assert.deepEqual(namesIn(agent), ['acme:db:reset', 'acme:release', 'acme:reviewer', 'release']);
    assert.equal(agent.skills.resolve('release').source, 'project');
    assert.equal(agent.skills.resolve('acme:release').source, 'plugin');
    assert.equal(agent.skills.resolve('plugin:acme:release').name, 'acme:release');
    assert.equal(agent.skills.resolve('reviewer').name, 'acme:reviewer');
    assert.deepEqual(agent.skills.diagnostics(), []);
  });

  test('has its folder and those of its skills filled in', async () => {
    using files = tree(plugin);
    await using agent = openIn(files, { plugins: [files.at('p')] });
    const { text } = agent.render('acme:release');
    const skill = files.at('p/skills/release');
    assert.equal(text, `# release\n\nRun ${files.at('p')}/a.sh and ${skill}/b.sh, not \${baseDir}.`);
    assert.equal(
      agent.render('acme:db:reset', { args: 'all' }).text,
      `Reset all with ${files.at('p')}/reset.sh.`,
    );
  });

  test('given as a folder of skills is read as well', async () => {
    using files = tree(plugin);
    await using agent = openIn(files, { additionalSkillRoots: [files.at('p')], only: true });
    assert.deepEqual(namesIn(agent), ['acme:db:reset', 'acme:release', 'acme:reviewer']);
    assert.ok(agent.skills.list().every(({ source }) => source === 'explicit' || source === 'bundled'));
  });
});

describe('skills nested in the bundle of another skill', () => {
  const nested = {
    'app/.agents/skills/office/SKILL.md': skillText('office'),
    'app/.agents/skills/office/parts/pdf/SKILL.md': skillText('pdf'),
    'app/.agents/skills/office/parts/pdf/forms/SKILL.md': skillText('forms'),
    'app/.agents/skills/office/notes/hidden.md': skillText('hidden'),
  };

  test('are found by the name of their parent, and only by it', async () => {
    using files = tree(nested);
    await using agent = openIn(files);
    assert.deepEqual(namesIn(agent), ['office']);
    assert.equal(agent.skills.get('pdf'), undefined);
    assert.equal(agent.skills.get('office:hidden'), undefined);
    assert.equal(
      agent.skills.resolve('office:pdf').file,
      files.at('app/.agents/skills/office/parts/pdf/SKILL.md'),
    );
    assert.equal(agent.skills.resolve('project:office:pdf').name, 'office:pdf');
    assert.equal(agent.skills.resolve('office:pdf:forms').name, 'office:pdf:forms');
    assert.equal(agent.render('office:pdf').text, '# pdf\n\nDo it.');
    assert.throws(() => agent.skills.resolve('office:pdff'), { code: 'skill.not-found' });
  });

  test('are disabled with their parent', async () => {
    using files = tree(nested);
    const entries = { office: { enabled: false } };
    await using agent = openIn(files, { settings: { skills: { entries } } });
    assert.equal(agent.skills.get('office')?.status, 'unavailable');
    assert.equal(agent.skills.get('office:pdf'), undefined);
  });

  test('are callable once their parent is loaded, not before', async () => {
    using files = tree(nested);
    const seen: (readonly string[])[] = [];
    const main: Run = async (_input, scope) => {
      const look = (): void => {
        seen.push(scope.skills.callable.map(({ name }) => name).filter((name) => name.startsWith('office')));
      };
      look();
      await scope.call('office', null, { mode: 'load' });
      look();
      const { text } = await scope.skills.catalog({ loadable: true });
      assert.match(text, /<name>office:pdf<\/name>/);
      return scope.call('office:pdf', null, { mode: 'load' });
    };
    await using agent = openIn(files, {}, { main });
    const { status, text } = await agent.run({ skill: 'main' }).result;
    assert.equal(status, 'done', text);
    assert.match(text, /<skill name="office:pdf"/);
    assert.deepEqual(seen, [['office'], ['office', 'office:pdf']]);
  });
});
