import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { isJsonObject, type Json } from '../../core/json.ts';
import type { RunResult } from '../../core/run.ts';
import type { Policy } from '../../core/policy.ts';
import { codeOf, yesPolicy } from '../../../test/support/kernel.ts';
import { fileStage, skillFile } from '../../../test/support/file-stage.ts';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';

const load = { mode: 'load' } as const;

/** Returns the rendered text of a loaded skill. */
function loadedText({ value, error }: RunResult): Json | undefined {
  assert.equal(error, undefined);
  return isJsonObject(value) ? value['text'] : undefined;
}

describe('commands of a skill in a real shell', { skip: withoutBubblewrap }, () => {
  test('run in the workspace, with arguments as data and the folder of the skill to read', async () => {
    const body = [
      'Here: !`cat note.txt`',
      'Folder: !`cat "$SKILLED_SKILL_DIR/own.txt"`',
      'Said: !`printf "%s|" $0 "$1"`',
      'Again: !`printf %s "$SKILLED_ARG_WHO"`',
    ].join('\n\n');
    await using stage = fileStage({
      'note.txt': 'a note\n',
      x: skillFile('x', body, 'arguments: [who]\n'),
      'skills/x/own.txt': 'of the skill',
    });
    const evil = `'$(touch PWNED); \`id\`' "a b\n; touch PWNED"`;
    const { result, called } = await stage.run('x', evil, load);
    assert.equal(
      loadedText(result),
      'Here: a note\n\nFolder: of the skill\n\n' +
        'Said: $(touch PWNED); `id`|a b\n; touch PWNED|\n\nAgain: $(touch PWNED); `id`',
    );
    assert.deepEqual(called, ['x', 'bash', 'bash', 'bash', 'bash']);
    assert.equal(existsSync(stage.files.at('PWNED')), false);
  });

  test('cannot write to the folder of the skill, and share a private folder', async () => {
    const body =
      'A: !`touch "$SKILLED_SKILL_DIR/x" 2>/dev/null; echo $?; echo kept > "$TMPDIR/k"`\n\nB: !`cat "$TMPDIR/k"`';
    await using stage = fileStage({ x: skillFile('x', body) });
    const { result } = await stage.run('x', undefined, { ...load });
    assert.equal(loadedText(result), 'A: 1\n\nB: kept');
    assert.equal(existsSync(stage.files.at('skills/x/x')), false);
  });

  test('that fail leave nothing, and no model is asked', async () => {
    const body = 'A: !`echo one; touch ran`\n\nB: !`cat nothing.txt`\n\nC: !`touch late`';
    await using stage = fileStage({ x: skillFile('x', body) });
    const { result } = await stage.run('x');
    assert.equal(codeOf(result), 'skill.failed');
    assert.match(
      result.error?.message ?? '',
      /`cat nothing.txt` on line 7 of .*SKILL.md ended with exit code 1: .*nothing.txt/,
    );
    assert.equal(existsSync(stage.files.at('late')), false);
    assert.equal(stage.model.requests.length, 0);
  });

  test('that find nothing do not fail', async () => {
    await using stage = fileStage({ x: skillFile('x', 'Hits: !`grep nothing note.txt`.'), 'note.txt': 'a' });
    const { result } = await stage.run('x');
    assert.equal(result.text, 'Done.', JSON.stringify(result.error));
    assert.equal(stage.model.requests[0]?.messages[0]?.text, 'Hits: .');
  });

  test('pass the same policy as any command', async () => {
    const policy: Policy = {
      decide: ({ skill, caller }) =>
        skill === 'bash' && caller?.skill === 'x'
          ? { decision: 'deny', reason: 'Not here.' }
          : { decision: 'allow' },
    };
    await using stage = fileStage({ x: skillFile('x', 'A: !`touch ran`') }, [], { policy });
    const { result } = await stage.run('x', undefined, load);
    assert.equal(codeOf(result), 'policy.denied');
    assert.match(result.error?.message ?? '', /`touch ran` on line 5/);
    assert.equal(existsSync(stage.files.at('ran')), false);
  });

  test('are not bound by the tools that are for the model', async () => {
    await using stage = fileStage({ x: skillFile('x', 'A: !`echo ran`', 'allowed-tools: Read\n') });
    const { result } = await stage.run('x', undefined, load);
    assert.equal(loadedText(result), 'A: ran');
  });

  test('do not run at all where settings switch them off', async () => {
    await using stage = fileStage({ x: skillFile('x', 'A: !`touch ran`') }, [], {
      settings: { skills: { disableShellExecution: true } },
    });
    const { result } = await stage.run('x', undefined, load);
    assert.equal(codeOf(result), 'policy.shell-disabled');
    assert.equal(existsSync(stage.files.at('ran')), false);
  });

  for (const shell of ['sh', 'bash'] as const) {
    test(`run in ${shell} when the file asks for it`, async () => {
      await using stage = fileStage({
        x: skillFile('x', 'Bash: !`echo "${BASH_VERSION:+yes}"`.', `shell: ${shell}\n`),
      });
      const { result } = await stage.run('x', undefined, load);
      assert.equal(loadedText(result), shell === 'bash' ? 'Bash: yes.' : 'Bash: .');
    });
  }
});

describe('hooks of a skill in a real shell', { skip: withoutBubblewrap }, () => {
  const guard = `#!/bin/sh
input=$(cat)
case "$input" in *'"hook_event_name":"PreToolUse"'*secret*) echo 'Not that file.' >&2; exit 2;; esac
echo "$SKILLED_HOOK_EVENT $SKILLED_TOOL_NAME" >> hooks.log
`;
  const head = [
    'hooks:',
    '  PreToolUse:',
    '    - matcher: Write|Edit',
    '      hooks: [{type: command, command: \'sh "${CLAUDE_SKILL_DIR}/guard.sh"\'}]',
    '  after: {matcher: Write, command: "echo Formatted. >&2; exit 2"}',
    '  stop: {command: "test -f b.txt || { echo Write b.txt too. >&2; exit 2; }"}',
    '',
  ].join('\n');
  const write = (file_path: string) => ({ calls: [{ name: 'write', input: { file_path, content: 'x' } }] });
  const files = { x: skillFile('x', 'Write files.', head), 'skills/x/guard.sh': guard };

  test('keep calls from happening, add to results and make the model continue', async () => {
    await using stage = fileStage(files, [
      write('secret.txt'),
      write('a.txt'),
      'Done.',
      write('b.txt'),
      'Really done.',
    ]);
    const { result } = await stage.run('x');
    assert.equal(result.text, 'Really done.', JSON.stringify(result.error));
    const received = stage.model.requests.map(({ messages }) => messages.at(-1)?.text ?? '');
    assert.match(received[1] ?? '', /^Error: Not that file\./);
    assert.match(received[2] ?? '', /Formatted\.$/);
    assert.match(received[3] ?? '', /Write b\.txt too\./);
    assert.equal(existsSync(stage.files.at('secret.txt')), false);
    assert.equal(readFileSync(stage.files.at('hooks.log'), 'utf8'), 'before Write\nbefore Write\n');
  });

  test('do the same in a conversation that loaded the skill', async () => {
    await using stage = fileStage(
      { ...files, outer: skillFile('outer', 'Use the skill x.') },
      [{ calls: [{ name: 'skill', input: { name: 'x' } }] }, write('secret.txt'), write('b.txt'), 'Done.'],
      { policy: yesPolicy },
    );
    const { result } = await stage.run('outer');
    assert.equal(result.text, 'Done.', JSON.stringify(result.error));
    const received = stage.model.requests.map(({ messages }) => messages.at(-1)?.text ?? '');
    assert.match(received[1] ?? '', /<skill name="x" dir="/);
    assert.match(received[2] ?? '', /^Error: Not that file\./);
    assert.match(received[3] ?? '', /Formatted\.$/);
    assert.equal(existsSync(stage.files.at('secret.txt')), false);
  });
});

test(
  'a command that waits for a person runs once, after the answer',
  { skip: withoutBubblewrap },
  async () => {
    const policy: Policy = {
      decide: ({ skill }) =>
        skill === 'bash'
          ? { decision: 'ask', reason: 'It has an effect.', rule: 'Bash(echo *)' }
          : { decision: 'allow' },
    };
    const body = 'First: !`echo one >> log; echo 1`\n\nThen: !`echo two >> log; echo 2`';
    await using stage = fileStage({ x: skillFile('x', body) }, ['Done.'], { policy });
    const { result } = await stage.run('x');
    assert.equal(result.question?.asks?.skill, 'bash', JSON.stringify(result.error));
    assert.equal(existsSync(stage.files.at('log')), false);
    await stage.agent.runs.approve(result.runId, result.question.id, { allow: 'run' });
    const { text } = await stage.agent.runs.resume(result.runId).result;
    assert.equal(text, 'Done.');
    assert.equal(readFileSync(stage.files.at('log'), 'utf8'), 'one\ntwo\n');
    assert.equal(stage.model.requests[0]?.messages[0]?.text, 'First: 1\n\nThen: 2');
  },
);
