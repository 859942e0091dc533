import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { createScriptedModel } from '../../src/testing/index.ts';
import { call, documentOf, errorIn, leaveHome } from '../support/command.ts';
import { tree } from '../support/tree.ts';
import { skill, skillFiles } from './skill-text.ts';
import { load, loading, stage, runSkill, toolNames, toolTexts, userTexts } from './stage.ts';

// Seed 3: the fields that were "captured, not enforced". Each test shows the effect of a field.

leaveHome();

const write = { calls: [{ name: 'write', input: { file_path: 'made.txt', content: 'x' } }] };

describe('who may invoke a skill', () => {
  const files = skillFiles({
    shown: skill('shown'),
    hidden: skill('hidden', 'A hidden body.', 'disable-model-invocation: true\n'),
    quiet: skill('quiet', 'A quiet body.', 'user-invocable: false\n'),
  });

  test('disable-model-invocation: no model sees it or can call it', async () => {
    await using on = stage(files, [loading('hidden'), { calls: [{ name: 'hidden', input: {} }] }, 'Done.']);
    const { called } = await runSkill(on, { skill: 'desk', input: 'Go.' });
    assert.doesNotMatch(JSON.stringify(on.model.requests[0]?.tools), /hidden/);
    assert.deepEqual(called, ['desk']);
    for (const text of toolTexts(on.model.requests[2])) assert.doesNotMatch(text, /A hidden body/);
  });

  test('disable-model-invocation: a person and code can call it', async () => {
    await using on = stage(files, ['Done.']);
    assert.equal(await on.agent.session().skill('hidden'), 'Done.');
  });

  test('user-invocable: a slash command does not reach it, its name does', async () => {
    using folder = tree(files);
    const run = (...args: string[]): ReturnType<typeof call> =>
      call(['run', ...args, '--json', '--offline', '--cwd', folder.path]);
    const [slash, other, named] = [await run('/quiet'), await run('/shown'), await run('--skill', 'quiet')];
    assert.notEqual(errorIn(slash).code, 'model.unavailable');
    assert.match(errorIn(slash).message, /quiet/);
    for (const ended of [other, named])
      assert.equal((documentOf(ended)['error'] as { code: string }).code, 'model.unavailable');
  });

  test('user-invocable: a model can load it', async () => {
    await using on = stage(files, [loading('quiet'), 'Done.']);
    await runSkill(on, { skill: 'desk', input: 'Go.' });
    assert.match(toolTexts(on.model.requests[1])[0] ?? '', /A quiet body/);
  });
});

describe('how its model thinks', () => {
  for (const [row, head, asked] of [
    ['without it the usual one is asked', '', 'fast'],
    ['model: a tier', 'model: plan\n', 'plan'],
    ['model: a word of Claude Code', 'model: opus\n', 'plan'],
    ['model: inherit is the usual one', 'model: inherit\n', 'fast'],
  ] as const) {
    test(row, async () => {
      const models = { fast: createScriptedModel(['Done.']), plan: createScriptedModel(['Done.']) };
      await using on = stage(skillFiles({ subject: skill('subject', 'Do it.', head) }), [], { models });
      await on.agent.session().skill('subject');
      assert.deepEqual(
        [models.fast.requests.length, models.plan.requests.length],
        asked === 'plan' ? [0, 1] : [1, 0],
      );
    });
  }

  test('effort goes with the request', async () => {
    await using on = stage(skillFiles({ subject: skill('subject', 'Do it.', 'effort: high\n') }), ['Done.']);
    await on.agent.session().skill('subject');
    assert.equal(on.model.requests[0]?.effort, 'high');
  });

  for (const [row, head, options, most] of [
    ['maxTicks: ten unless given', '', {}, 10],
    ['maxTicks: what the file says', 'maxTicks: 3\n', {}, 3],
    ['maxTicks: what the caller says goes first', 'maxTicks: 3\n', { maxTicks: 2 }, 2],
  ] as const) {
    test(row, async () => {
      await using on = stage(skillFiles({ subject: skill('subject', 'Do it.', head) }), (_request, turn) => ({
        calls: [{ name: 'glob', input: { pattern: `*${turn}` } }],
      }));
      await assert.rejects(on.agent.session().skill('subject', options), { code: 'limit.steps' });
      assert.equal(on.model.requests.length, most);
    });
  }
});

describe('what it takes and gives', () => {
  const schema = '{type: object, properties: {n: {type: integer}}, required: [n]}';

  test('input: what does not fit is refused before the model is asked', async () => {
    await using on = stage(skillFiles({ subject: skill('subject', 'Count.', `input: ${schema}\n`) }), [
      'Done.',
    ]);
    await assert.rejects(on.agent.session().skill('subject', { args: { n: 'x' } }), {
      code: 'usage.bad-input',
    });
    assert.equal(on.model.requests.length, 0);
    assert.equal(await on.agent.session().skill('subject', { args: { n: 3 } }), 'Done.');
  });

  test('output: its model must return such a value', async () => {
    const submit = (n: number | string): object => ({ calls: [{ name: 'submit', input: { n } }] });
    await using on = stage(skillFiles({ subject: skill('subject', 'Count.', `output: ${schema}\n`) }), [
      submit('three'),
      submit(3),
    ]);
    assert.deepEqual(await on.agent.session().skill('subject'), { n: 3 });
  });
});

describe('where it runs', () => {
  const helper = '---\nname: helper\ndescription: Helps.\n---\n\nI am the helper.\n';

  test('context: fork works on its own, with nothing of the conversation', async () => {
    const files = skillFiles({ apart: skill('apart', 'Count the files.', 'context: fork\n') });
    await using on = stage(files, [loading('apart'), 'Three.', 'There are three.']);
    const { result } = await runSkill(on, { skill: 'desk', input: 'A private matter.' });
    assert.equal(result.text, 'There are three.');
    assert.match(userTexts(on.model.requests[1])[0] ?? '', /Count the files\./);
    assert.doesNotMatch(JSON.stringify(on.model.requests[1]?.messages), /private matter/);
    const [shown = ''] = toolTexts(on.model.requests[2]);
    assert.match(shown, /Three\./);
    assert.doesNotMatch(shown, /Count the files/);
  });

  test('agent: the subagent of that name does it, with the body as its task', async () => {
    const head = 'context: fork\nagent: helper\n';
    const files = {
      ...skillFiles({ apart: skill('apart', 'Count $0.', head) }),
      '.agents/agents/helper.md': helper,
    };
    await using on = stage(files, ['Three.']);
    const { called } = await runSkill(on, { skill: 'apart', input: 'apples' });
    assert.deepEqual(called, ['apart', 'helper']);
    assert.match(on.model.requests[0]?.system ?? '', /I am the helper\./);
    assert.match(userTexts(on.model.requests[0])[0] ?? '', /Count apples\./);
  });

  test('agent: one that is not there is an error before the model is asked', async () => {
    const files = skillFiles({ apart: skill('apart', '!`touch PWNED`', 'context: fork\nagent: nobody\n') });
    await using on = stage(files, ['Three.']);
    const { result, commands } = await runSkill(on, { skill: 'apart' });
    assert.equal(result.error?.code, 'skill.not-found');
    assert.deepEqual([on.model.requests.length, commands], [0, []]);
  });

  test('background: the conversation continues, and learns of the result', async () => {
    const files = skillFiles({ apart: skill('apart', 'Count.', 'context: fork\nbackground: true\n') });
    await using on = stage(files, (request) => {
      if (userTexts(request)[0]?.includes('Count.') === true) return 'It is three.';
      if (toolTexts(request).length === 0) return loading('apart');
      return JSON.stringify(request.messages).includes('It is three.') ? 'Three, then.' : 'I wait.';
    });
    const { result } = await runSkill(on, { skill: 'desk', input: 'Go.' });
    assert.equal(result.text, 'Three, then.');
  });
});

/** Returns frontmatter with a hook that runs a command. */
const hook = (moment: string, command: string, matcher = 'Write'): string =>
  `hooks:\n  ${moment}:\n    - matcher: ${matcher}\n      hooks:\n        - type: command\n          command: ${JSON.stringify(command)}\n`;

describe('what it hooks into a conversation', () => {
  test('before a call: it can keep the call from happening', async () => {
    const head = hook('PreToolUse', 'echo "Not in this house." >&2; exit 2');
    const files = skillFiles({ guard: skill('guard', 'Watch.', head) });
    await using on = stage(files, [loading('guard'), write, 'Done.']);
    await runSkill(on, { skill: 'desk', input: 'Go.' });
    assert.match(toolTexts(on.model.requests[2])[1] ?? '', /Not in this house\./);
    assert.ok(!existsSync(on.files.at('made.txt')));
  });

  test('a hook for another tool says nothing to it', async () => {
    const files = skillFiles({ guard: skill('guard', 'Watch.', hook('PreToolUse', 'exit 2', 'Bash')) });
    await using on = stage(files, [loading('guard'), write, 'Done.']);
    await runSkill(on, { skill: 'desk', input: 'Go.' });
    assert.ok(existsSync(on.files.at('made.txt')));
  });

  test('after a call: its word is added to the result', async () => {
    const files = skillFiles({
      guard: skill('guard', 'Watch.', hook('PostToolUse', 'echo "Mind the format." >&2; exit 2')),
    });
    await using on = stage(files, [loading('guard'), write, 'Done.']);
    await runSkill(on, { skill: 'desk', input: 'Go.' });
    assert.match(toolTexts(on.model.requests[2])[1] ?? '', /Created[^]*Mind the format\./);
  });

  test('before the end: it makes the model continue', async () => {
    const command = 'if test -e made.txt; then exit 0; fi; echo "Write made.txt first." >&2; exit 2';
    const files = skillFiles({ guard: skill('guard', 'Watch.', hook('Stop', command, '"*"')) });
    await using on = stage(files, [loading('guard'), 'Done?', write, 'Done.']);
    const { result } = await runSkill(on, { skill: 'desk', input: 'Go.' });
    assert.equal(result.text, 'Done.');
    assert.match(userTexts(on.model.requests[2]).at(-1) ?? '', /Write made\.txt first\./);
  });
});

describe('when it is offered, and its shell', () => {
  test('paths: it is offered when such a file was touched', async () => {
    const files = {
      ...skillFiles({ styles: skill('styles', 'Mind the styles.', 'paths: "*.css"\n') }),
      'main.css': 'a {}\n',
    };
    const read = { calls: [{ name: 'read', input: { file_path: 'main.css' } }] };
    await using on = stage(files, [read, loading('styles'), 'Done.']);
    await runSkill(on, { skill: 'desk', input: 'Go.' });
    const offered = on.model.requests.map(({ tools }) => JSON.stringify(tools).includes('Does styles.'));
    assert.deepEqual(offered, [false, true, true]);
    assert.match(toolTexts(on.model.requests[2])[1] ?? '', /Mind the styles\./);
  });

  test('shell: powershell is an error before any command', async () => {
    const files = skillFiles({ subject: skill('subject', '!`echo a`', 'shell: powershell\n') });
    await using on = stage(files);
    const { result, commands } = await load(on, 'subject');
    assert.deepEqual([result.error?.code, commands], ['sandbox.unavailable', []]);
  });

  test('shell: bash is what runs without it', async () => {
    const body = '!`echo "${BASH_VERSION:+bash}"`';
    await using on = stage(skillFiles({ subject: skill('subject', body, 'shell: bash\n') }));
    assert.match((await load(on, 'subject')).result.text, /^bash$/m);
  });

  for (const [row, settings] of [
    ['disableSkillShellExecution', '{"disableSkillShellExecution": true}'],
    ['skills.disableShellExecution', '{"skills": {"disableShellExecution": true}}'],
  ] as const) {
    test(`${row} refuses every command, with an error`, async () => {
      const files = { ...skillFiles({ subject: skill('subject', '!`touch PWNED`') }) };
      await using on = stage({ ...files, '.skilled/settings.json': settings }, [], { settings: true });
      const { result, commands } = await load(on, 'subject');
      assert.deepEqual([result.error?.code, commands], ['policy.shell-disabled', []]);
    });
  }
});

describe('what may be used while it is active', () => {
  test('disallowed-tools are gone, and refused', async () => {
    const files = skillFiles({ calm: skill('calm', 'Read only.', 'disallowed-tools: Write\n') });
    await using on = stage(files, [loading('calm'), write, 'Done.']);
    await runSkill(on, { skill: 'desk', input: 'Go.' });
    assert.deepEqual(
      on.model.requests.map((request) => toolNames(request).includes('write')),
      [true, false, false],
    );
    assert.ok(!existsSync(on.files.at('made.txt')));
  });

  test('enforce-tools: nothing but its allowed tools', async () => {
    const head = 'allowed-tools: Read\nenforce-tools: true\n';
    await using on = stage(skillFiles({ calm: skill('calm', 'Read only.', head) }), [
      loading('calm'),
      write,
      'Done.',
    ]);
    await runSkill(on, { skill: 'desk', input: 'Go.' });
    assert.ok(!toolNames(on.model.requests[1]).includes('write'));
    assert.ok(toolNames(on.model.requests[1]).includes('read'));
    assert.ok(!existsSync(on.files.at('made.txt')));
  });
});
