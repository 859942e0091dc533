import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bundleOfText } from '../../core/descriptor/bundle.ts';
import { isJsonObject, type Json } from '../../core/json.ts';
import type { Output } from '../../core/run.ts';
import type { CallOptions } from '../../core/scope.ts';
import { createTestScope } from '../../testing/test-scope.ts';
import { parse } from './parse.ts';
import { hook, hookCommand, objectionIn } from './run-hooks.ts';

const context = { session: 's1', skillDir: '/skills/x', projectDir: '/work/my project' };

test('a hook names folders and session by the variables of any of the tools', () => {
  assert.deepEqual(
    hookCommand('"${CLAUDE_SKILL_DIR}"/check.sh $SKILLED_SESSION_ID ${AGENTICK_SKILL_DIR}', context),
    {
      command: '"/skills/x"/check.sh s1 /skills/x',
      environment: {},
    },
  );
});

test('a folder that a shell could misread is a variable of the process', () => {
  assert.deepEqual(hookCommand('cat "$CLAUDE_PROJECT_DIR/notes.md"', context), {
    command: 'cat "${SKILLED_HOOK_PROJECT_DIR}/notes.md"',
    environment: { SKILLED_HOOK_PROJECT_DIR: '/work/my project' },
  });
  const evil = { ...context, skillDir: '/skills/$(touch x)' };
  assert.equal(hookCommand('$SKILLED_SKILL_DIR/a', evil).command, '${SKILLED_HOOK_SKILL_DIR}/a');
});

test('other variables are for the shell', () => {
  for (const command of [
    'echo $HOME ${CLAUDE_OTHER} $SKILLED_TOOL_NAME',
    'echo $CLAUDE_SKILL_DIRS',
    'echo 1',
  ]) {
    assert.deepEqual(hookCommand(command, context), { command, environment: {} });
  }
});

const file = '/s/demo/SKILL.md';

interface Asked {
  readonly command: Json | undefined;
  readonly milliseconds: Json | undefined;
  readonly options: CallOptions | undefined;
}

/** Returns the answers of the hooks to events, and their calls. Each hook ends as `end` specifies. */
async function runEvents(head: string, events: readonly Json[], end: (command: string) => Json | Output) {
  const text = `---\nname: demo\ndescription: d\n${head}\n---\nText.\n`;
  const { definition } = parse(bundleOfText(text, { dir: '/s/demo', file, stem: 'demo', loose: false }));
  assert.ok(definition !== undefined);
  const asked: Asked[] = [];
  const notes: string[] = [];
  const scope = createTestScope({
    skill: { name: 'demo', dir: '/s/demo', file },
    workspace: '/w',
    note: (message) => notes.push(message),
    call: (name, input, options) => {
      assert.equal(name, 'bash');
      const { command, timeout_ms: milliseconds } = isJsonObject(input) ? input : {};
      asked.push({ command, milliseconds, options });
      const ended = end(typeof command === 'string' ? command : '');
      return isJsonObject(ended) && 'exitCode' in ended
        ? { status: 'done', text: '', value: ended }
        : (ended as Output);
    },
  });
  const outputs: Output[] = [];
  for (const event of events) outputs.push(await hook(definition, event, scope));
  return { outputs, asked, notes, commands: asked.map(({ command }) => command) };
}

const fine = (): Json => ({ exitCode: 0, stdout: '', stderr: '' });
const write = { moment: 'before', tool: 'Write', input: { file_path: 'a.txt' } };

describe('the hooks of a loaded skill', () => {
  test('run when their moment and their matcher mean the event', async () => {
    const head =
      'hooks: {before: [{matcher: Write, command: one}, {matcher: Bash, command: two}, three], after: four}';
    assert.deepEqual((await runEvents(head, [write], fine)).commands, ['one', 'three']);
    assert.deepEqual((await runEvents(head, [{ ...write, moment: 'after', text: 'ok' }], fine)).commands, [
      'four',
    ]);
    assert.deepEqual((await runEvents(head, [{ moment: 'stop', text: 'Done.' }], fine)).commands, []);
  });

  test('learn of the moment by variables, and by JSON on their stdin', async () => {
    const { asked } = await runEvents('hooks: {before: {command: one, timeout: 5}}', [write], fine);
    const { options, milliseconds } = asked[0] ?? assert.fail('it ran');
    assert.equal(milliseconds, 5_000);
    assert.equal(options?.asWritten, true);
    assert.deepEqual(options.process?.environment, {
      SKILLED_HOOK_EVENT: 'before',
      SKILLED_TOOL_NAME: 'Write',
      SKILLED_TOOL_INPUT: '{"file_path":"a.txt"}',
    });
    assert.deepEqual(JSON.parse(options.process?.stdin ?? ''), {
      session_id: 'default',
      cwd: '/w',
      hook_event_name: 'PreToolUse',
      tool_name: 'Write',
      tool_input: { file_path: 'a.txt' },
    });
  });

  test('learn what a call came to, and what the model said last', async () => {
    const events = [
      { moment: 'after', tool: 'Bash', input: { command: 'ls' }, text: 'a b' },
      { moment: 'stop', text: 'All done.' },
    ];
    const { asked } = await runEvents('hooks: {after: one, stop: two}', events, fine);
    const [after, stop] = asked.map(({ options }) => JSON.parse(options?.process?.stdin ?? '') as Json);
    assert.deepEqual([isJsonObject(after) && after['tool_response']], ['a b']);
    assert.deepEqual(stop, {
      session_id: 'default',
      cwd: '/w',
      hook_event_name: 'Stop',
      last_assistant_message: 'All done.',
    });
  });

  test('get an input that is too long for a variable on stdin alone', async () => {
    const long = { ...write, input: { content: 'x'.repeat(200_000) } };
    const { asked } = await runEvents('hooks: {before: one}', [long], fine);
    const { environment, stdin } = asked[0]?.options?.process ?? {};
    assert.ok(environment !== undefined && !('SKILLED_TOOL_INPUT' in environment));
    assert.ok((stdin ?? '').length > 200_000);
  });

  test('object together', async () => {
    const { outputs } = await runEvents('hooks: {before: [one, two, three]}', [write], (command) =>
      command === 'two' ? fine() : { exitCode: 2, stdout: '', stderr: `${command} says no` },
    );
    const text = 'one says no\nthree says no';
    assert.deepEqual(outputs, [{ status: 'done', text, value: { objection: text } }]);
  });

  test('that have nothing against it give an empty verdict', async () => {
    const { outputs } = await runEvents('hooks: {before: one}', [write], fine);
    assert.deepEqual(outputs, [{ status: 'done', text: '', value: {} }]);
  });

  test('that break are noted and keep nothing from happening', async () => {
    const { outputs, notes } = await runEvents('hooks: {before: one}', [write], () => ({
      exitCode: 1,
      stdout: '',
      stderr: 'oops',
    }));
    assert.deepEqual(outputs, [{ status: 'done', text: '', value: {} }]);
    assert.deepEqual(notes, ['A hook of "demo" ended with exit code 1: oops']);
  });

  test('that may not run, or not to their end, are a failure', async () => {
    const denied = (): Output => ({
      status: 'failed',
      text: 'No.',
      error: { code: 'policy.denied', message: 'No.' },
    });
    const { outputs } = await runEvents('hooks: {before: one}', [write], denied);
    assert.equal(outputs[0]?.status === 'failed' && outputs[0].error.code, 'policy.denied');
  });

  test('that are for once run once in a run', async () => {
    const head = 'hooks: {before: [{command: one, once: true}, two]}';
    const { commands } = await runEvents(head, [write, write, write], fine);
    assert.deepEqual(commands, ['one', 'two', 'two', 'two']);
  });
});

const ended = (exitCode: number | null, stdout = '', stderr = '') => ({ exitCode, stdout, stderr });
const saying = (value: unknown) => ended(0, `${JSON.stringify(value)}\n`);

describe('a hook', () => {
  test('that succeeds and says nothing, or words, has nothing against it', () => {
    for (const end of [
      ended(0),
      ended(0, 'Fine.'),
      ended(0, '', 'warning'),
      ended(0, '{not json'),
      saying({}),
    ]) {
      assert.deepEqual(objectionIn('before', end), {});
    }
  });

  test('objects with exit code 2, and says why on stderr', () => {
    assert.deepEqual(objectionIn('before', ended(2, 'no', ' Not on Fridays.\n')), {
      objection: 'Not on Fridays.',
    });
    assert.match(objectionIn('stop', ended(2)).objection ?? '', /objection/);
  });

  test('that fails otherwise is only noted', () => {
    assert.deepEqual(objectionIn('before', ended(1, '', 'oops')), { note: 'ended with exit code 1: oops' });
    assert.match(objectionIn('after', ended(null)).note ?? '', /ended by a signal/);
  });

  for (const [what, said, objection] of [
    ['a block', { decision: 'block', reason: 'Too big.' }, 'Too big.'],
    ['a denial', specific({ permissionDecision: 'deny', permissionDecisionReason: 'No.' }), 'No.'],
    [
      'a wish to have a person asked',
      specific({ permissionDecision: 'ask', permissionDecisionReason: 'Sure?' }),
      'Sure?',
    ],
    ['an end', { continue: false, stopReason: 'Enough.' }, 'Enough.'],
  ] as const) {
    test(`objects with ${what} in JSON`, () => {
      assert.deepEqual(objectionIn('before', saying(said)), { objection });
    });
  }

  test('cannot allow anything', () => {
    assert.deepEqual(objectionIn('before', saying(specific({ permissionDecision: 'allow' }))), {});
  });

  test('can add to a result, and to nothing else', () => {
    const said = saying(specific({ additionalContext: 'It was formatted.' }));
    assert.deepEqual(objectionIn('after', said), { objection: 'It was formatted.' });
    assert.deepEqual(objectionIn('before', said), {});
  });
});

function specific(hookSpecificOutput: unknown): unknown {
  return { hookSpecificOutput };
}
