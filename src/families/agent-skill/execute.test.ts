import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defineSkill } from '../../core/define-skill.ts';
import type { ModelRequest } from '../../core/model.ts';
import { createScriptedModel } from '../../models/scripted.ts';
import { codeOf, done } from '../../../test/support/kernel.ts';
import { skillFile, fileStage } from '../../../test/support/file-stage.ts';

const lastText = ({ messages }: ModelRequest): string => messages.at(-1)?.text ?? '';
const toolNames = ({ tools = [] }: ModelRequest): readonly string[] => tools.map(({ name }) => name);
const read = (path: string) => ({ calls: [{ name: 'read', input: { file_path: path } }] });

describe('a SKILL.md that is run', () => {
  test('is a conversation of its own, which begins with its text and its files', async () => {
    await using stage = fileStage(
      {
        greet: skillFile('greet', '\n# Greet\n\nGreet $ARGUMENTS.\n'),
        'skills/greet/references/tone.md': 'Warm.',
      },
      ['Hello, Ann.'],
    );
    const { result } = await stage.run('greet', 'Ann');
    assert.equal(result.text, 'Hello, Ann.', JSON.stringify(result.error));
    const [asked] = stage.model.requests;
    assert.ok(asked !== undefined && asked.messages.length === 1);
    assert.match(asked.system ?? '', /^You carry out one task/);
    const folder = stage.files.at('skills/greet');
    assert.equal(
      lastText(asked),
      `# Greet\n\nGreet Ann.\n\nFiles of this skill, in ${folder}:\n- references/tone.md\n` +
        'Read one with the `read` tool when it is needed; run scripts with `bash`.',
    );
  });

  test('can read its own files, and none beside them', async () => {
    await using stage = fileStage(
      { greet: skillFile('greet', 'Greet.'), 'skills/greet/tone.md': 'Warm.', 'secret.txt': 'hidden' },
      ({ messages }, turn) => {
        if (turn === 1) return read(stage.files.at('skills/greet/tone.md'));
        return turn === 2
          ? read(stage.files.at('skills/greet/../../../etc/passwd'))
          : (messages.at(-1)?.text ?? '');
      },
      {},
    );
    await stage.run('greet');
    assert.match(lastText(stage.model.requests[1] ?? assert.fail()), /Warm\./);
    assert.match(
      lastText(stage.model.requests[2] ?? assert.fail()),
      /^Error: .*passwd" is outside .*\(policy\.denied\)/,
    );
  });

  test('without a text is asked for what it is for', async () => {
    await using stage = fileStage({ bare: skillFile('bare', '\n') });
    await stage.run('bare');
    assert.equal(lastText(stage.model.requests[0] ?? assert.fail()), 'Does bare.');
  });

  test('has the tools that it allows, and no others', async () => {
    await using stage = fileStage(
      {
        all: skillFile('all', 'Do it.'),
        some: skillFile('some', 'Do it.', 'allowed-tools: Read Grep\n'),
        none: skillFile('none', 'Do it.', 'allowed-tools: []\n'),
        without: skillFile('without', 'Do it.', 'disallowed-tools: Bash\n'),
      },
      () => 'Done.',
    );
    for (const name of ['all', 'some', 'none', 'without']) await stage.run(name);
    const [all = [], some, none, without = []] = stage.model.requests.map(toolNames);
    assert.ok(all.includes('bash') && all.includes('read') && all.includes('skill'));
    assert.deepEqual([...(some ?? [])].sort(), ['grep', 'read']);
    assert.deepEqual(none, []);
    assert.ok(without.includes('read') && !without.includes('bash'));
  });
});

test('a skill with the name of a disallowed tool of another program does not allow that tool', async () => {
  await using stage = fileStage({
    work: skillFile('work', 'Do it.', 'disallowed-tools: shell\n'),
    shell: skillFile('shell', 'Do it.'),
  });
  await stage.run('work');
  const tools = toolNames(stage.model.requests[0] ?? assert.fail());
  assert.ok(tools.includes('read') && !tools.includes('bash'), tools.join());
});

describe('maxTicks', () => {
  const files = {
    usual: skillFile('usual', 'Do it.'),
    short: skillFile('short', 'Do it.', 'maxTicks: 2\n'),
    'a.txt': 'text',
  };
  const script = (_request: ModelRequest, turn: number) => ({
    calls: [{ name: 'read', input: { file_path: 'a.txt', limit: turn } }],
  });
  for (const [what, skill, more, steps] of [
    ['is ten', 'usual', {}, 10],
    ['is what the file says', 'short', {}, 2],
    ['is what the caller wants', 'short', { overrides: { maxTicks: 3 } }, 3],
  ] as const) {
    test(what, async () => {
      await using stage = fileStage(files, script);
      const { result } = await stage.run(skill, 'x', more);
      assert.equal(codeOf(result), 'limit.steps');
      assert.equal(stage.model.requests.length, steps);
    });
  }
});

describe('model and effort', () => {
  for (const [written, overrides, tier] of [
    ['', {}, 'standard'],
    ['model: inherit\n', {}, 'standard'],
    ['model: fast\n', {}, 'fast'],
    ['model: haiku\n', {}, 'fast'],
    ['model: Opus\n', {}, 'plan'],
    ['model: sonnet\n', {}, 'standard'],
    ['model: fast\n', { model: 'plan' }, 'plan'],
  ] as const) {
    test(`${JSON.stringify(written)} with ${JSON.stringify(overrides)} asks ${tier}`, async () => {
      const asked: string[] = [];
      const named = (name: string) =>
        createScriptedModel(() => {
          asked.push(name);
          return 'Done.';
        });
      await using stage = fileStage({ x: skillFile('x', 'Do it.', written) }, [], {
        models: { standard: named('standard'), fast: named('fast'), plan: named('plan') },
        tierConfig: { execution: 'standard' },
      });
      const { result } = await stage.run('x', 'go', { overrides });
      assert.equal(result.text, 'Done.', JSON.stringify(result.error));
      assert.deepEqual(asked, [tier]);
    });
  }

  test('a size of another provider is noted', async () => {
    await using stage = fileStage({ x: skillFile('x', 'Do it.', 'model: opus\n') });
    assert.deepEqual((await stage.run('x')).notes, ['The model "opus" was mapped to the tier "plan".']);
  });

  test('effort reaches the model, and that of the caller goes before', async () => {
    await using stage = fileStage({ x: skillFile('x', 'Do it.', 'effort: low\n') }, () => 'Done.');
    await stage.run('x', 'a');
    await stage.run('x', 'b', { overrides: { effort: 'high' } });
    assert.deepEqual(
      stage.model.requests.map(({ effort }) => effort),
      ['low', 'high'],
    );
  });
});

describe('input and output', () => {
  const head =
    'arguments: [number]\n' +
    'input: {type: object, properties: {number: {type: integer}}, required: [number]}\n' +
    'output: {type: object, properties: {fix: {type: boolean}}, required: [fix]}\n';
  const files = { triage: skillFile('triage', 'Look into $number.', head) };
  const submit = (input: { readonly [key: string]: boolean | string }) => ({
    calls: [{ name: 'submit', input }],
  });

  test('bad arguments are refused before any model is asked', async () => {
    await using stage = fileStage(files);
    for (const input of ['many', 'one two', { number: 'x' }]) {
      assert.equal(codeOf((await stage.run('triage', input)).result), 'usage.bad-input');
    }
    assert.equal(stage.model.requests.length, 0);
  });

  test('words become the declared arguments, and the value comes from submit', async () => {
    await using stage = fileStage(files, [submit({ fix: 'yes' }), submit({ fix: true })]);
    const { result } = await stage.run('triage', '17');
    assert.deepEqual(result.value, { fix: true }, JSON.stringify(result.error));
    assert.equal(stage.model.requests[0]?.messages[0]?.text, 'Look into 17.');
    assert.match(lastText(stage.model.requests[1] ?? assert.fail()), /fix must be a boolean, not a string/);
  });

  test('a caller may want another value', async () => {
    await using stage = fileStage(files, [submit({ why: 'old' })]);
    const overrides = {
      result: { type: 'object', properties: { why: { type: 'string' } }, required: ['why'] },
    };
    assert.deepEqual((await stage.run('triage', '17', { overrides })).result.value, { why: 'old' });
  });

  test('words alone are not a value', async () => {
    await using stage = fileStage(files, () => 'I think so.');
    const { result } = await stage.run('triage', '17', { overrides: { maxTicks: 3 } });
    assert.equal(codeOf(result), 'skill.no-result');
  });
});

describe('agent', () => {
  const asks = (agent: string): string =>
    skillFile('x', 'Write $ARGUMENTS.\n\nNow: !`date`\n', `agent: ${agent}\nmodel: fast\nmaxTicks: 4\n`);
  const writer = (received: unknown[]) =>
    defineSkill({
      name: 'writer',
      description: 'Writes.',
      run: (input, scope) => {
        received.push(input, scope.request.overrides);
        return done('Written.', { pages: 2 });
      },
    });

  test('does the work with the rendered text, and its output is that of the skill', async () => {
    const received: unknown[] = [];
    await using stage = fileStage({ x: asks('Writer').replace('\n\nNow: !`date`', '') });
    stage.agent.skills.register(writer(received));
    const { result, called } = await stage.run('x', 'a book');
    assert.equal(result.text, 'Written.', JSON.stringify(result.error));
    assert.deepEqual(result.value, { pages: 2 });
    assert.deepEqual(called, ['x', 'writer']);
    assert.deepEqual(received, ['Write a book.', { maxTicks: 4, model: 'fast' }]);
    assert.equal(stage.model.requests.length, 0);
  });

  test('that is not there is an error before any model and any command', async () => {
    await using stage = fileStage({ x: asks('writr') });
    stage.agent.skills.register(writer([]));
    const { result, called } = await stage.run('x', 'a book');
    assert.equal(codeOf(result), 'skill.not-found');
    assert.match(result.error?.message ?? '', /"x" names the agent "writr"/);
    assert.deepEqual(called, ['x']);
    assert.equal(stage.model.requests.length, 0);
  });

  test('general-purpose is the skill itself', async () => {
    await using stage = fileStage({ x: skillFile('x', 'Do it.', 'agent: general-purpose\n') });
    assert.equal((await stage.run('x')).result.text, 'Done.');
  });
});

test('without a model no command of a text runs', async () => {
  await using stage = fileStage({ x: skillFile('x', 'Now: !`touch made`\n') }, [], {
    offline: true,
    models: {},
  });
  const { result, called } = await stage.run('x');
  assert.equal(codeOf(result), 'model.unavailable');
  assert.deepEqual(called, ['x']);
});

test('a skill defined in code runs like a file', async () => {
  await using stage = fileStage({}, ['Done.']);
  stage.agent.skills.register(
    defineSkill({
      name: 'made',
      description: 'Is made.',
      instructions: 'Do $ARGUMENTS.',
      maxTicks: 1,
      allowedTools: [],
    }),
  );
  const { result } = await stage.run('made', 'this');
  assert.equal(result.text, 'Done.', JSON.stringify(result.error));
  assert.equal(lastText(stage.model.requests[0] ?? assert.fail()), 'Do this.');
});
