import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bundleOfText } from '../../core/descriptor/bundle.ts';
import type { Json } from '../../core/json.ts';
import type { Output } from '../../core/run.ts';
import type { CallOptions } from '../../core/scope.ts';
import { createTestScope } from '../../testing/test-scope.ts';
import { activate } from './load.ts';
import { parse, type AgentSkillDefinition } from './parse.ts';
import { mayEndWithOne } from './run-commands.ts';

const file = '/s/demo/SKILL.md';

function skillWith(body: string, head = ''): AgentSkillDefinition {
  const text = `---\nname: demo\ndescription: d\n${head}---\n${body}`;
  const { definition } = parse(bundleOfText(text, { dir: '/s/demo', file, stem: 'demo', loose: false }));
  return definition ?? assert.fail('it is usable');
}

interface Asked {
  readonly name: string;
  readonly input: Json;
  readonly options: CallOptions | undefined;
}

/** Activates a skill whose commands end in these ways, in order. The last one is repeated. */
async function activated(definition: AgentSkillDefinition, input: Json, ...ends: readonly (Json | Output)[]) {
  const asked: Asked[] = [];
  const scope = createTestScope({
    skill: { name: 'demo', dir: '/s/demo', file },
    workspace: '/w',
    call: (name, given, options) => {
      asked.push({ name, input: given, options });
      const end = ends[Math.min(asked.length, ends.length) - 1] ?? { exitCode: 0, stdout: '', stderr: '' };
      return typeof end === 'object' && end !== null && 'status' in end
        ? (end as Output)
        : { status: 'done', text: '', value: end as Json };
    },
  });
  const { text, commands } = await activate(definition, input, scope).catch((thrown: unknown) => {
    throw Object.assign(thrown as Error, { asked });
  });
  return { text, commands, asked };
}

const printed = (stdout: string, exitCode = 0, stderr = ''): Json => ({ exitCode, stdout, stderr });

describe('commands in the text of a skill', () => {
  test('are called one after another in the order of the text, each under a key of its own', async () => {
    const { text, asked, commands } = await activated(
      skillWith('\nA: !`echo one`\n\n```!\necho two\necho three\n```\n\nB: !`echo four`\n'),
      null,
      printed('1\n'),
      printed('2\n3\n'),
      printed('4\n'),
    );
    assert.equal(text, 'A: 1\n\n2\n3\n\nB: 4');
    assert.deepEqual(
      asked.map(({ name, input, options }) => [name, input, options?.key, options?.asWritten]),
      [
        ['bash', { command: 'echo one', timeout_ms: 60_000 }, 'command-1', true],
        ['bash', { command: 'echo two\necho three\n', timeout_ms: 60_000 }, 'command-2', true],
        ['bash', { command: 'echo four', timeout_ms: 60_000 }, 'command-3', true],
      ],
    );
    assert.deepEqual(commands[0], { command: 'echo one', ran: true, exitCode: 0, output: '1' });
  });

  test('get the arguments as variables too', async () => {
    const { asked } = await activated(skillWith('!`id`', 'arguments: [who]\n'), 'ann "b c"');
    const { environment = {} } = asked[0]?.options?.process ?? {};
    assert.equal(environment['SKILLED_ARG_0'], 'ann');
    assert.equal(environment['SKILLED_ARG_1'], 'b c');
    assert.equal(environment['SKILLED_ARG_WHO'], 'ann');
  });

  test('lose one line end of their output, and what they say on stderr', async () => {
    const { text } = await activated(
      skillWith('[!`x` was printed]: #\n\nx !`x` y\n'),
      null,
      printed('a\n\n', 0, 'warned'),
    );
    assert.match(text, /x a\n y$/);
  });

  test('whose output looks like a command or a placeholder stay text', async () => {
    const said = '!`id` $0 $ARGUMENTS ${SKILLED_SESSION_ID}';
    const { text, asked } = await activated(skillWith('Out: !`x` and $ARGUMENTS[0]'), 'me', printed(said));
    assert.equal(text, `Out: ${said} and me`);
    assert.equal(asked.length, 1);
  });

  test('with an enormous output are cut, with a note', async () => {
    const { text } = await activated(skillWith('!`x`'), null, printed('y'.repeat(200_000)));
    assert.ok(text.length < 100_100);
    assert.match(text, /y\n\[100000 more characters were left out\]$/);
  });

  test('may say no with exit code 1 where that is what they are for', async () => {
    const { text } = await activated(skillWith('Found: !`grep x file`.'), null, printed('', 1));
    assert.equal(text, 'Found: .');
    await assert.rejects(activated(skillWith('!`grep x file`'), null, printed('', 2)), {
      code: 'skill.failed',
    });
  });

  test('that fail end everything, with the command, its line in the file and what it said', async () => {
    const skill = skillWith('\nFirst !`one`\n\nThen !`false two`\n\nLast !`three`\n');
    const failing = activated(skill, null, printed('1'), printed('half', 3, 'It broke.\n'));
    await assert.rejects(
      failing,
      (thrown: { asked: readonly Asked[]; message: string; code: string; details: Json }) => {
        assert.equal(thrown.code, 'skill.failed');
        assert.equal(
          thrown.message,
          'The command `false two` on line 8 of /s/demo/SKILL.md ended with exit code 3: It broke.',
        );
        assert.deepEqual(thrown.details, { command: 'false two', line: 8, exitCode: 3, stderr: 'It broke.' });
        assert.equal(thrown.asked.length, 2);
        return true;
      },
    );
  });

  test('that fail with much on stderr show its end, and how much is missing', async () => {
    const failing = activated(skillWith('!`one`'), null, printed('', 3, `${'x'.repeat(3_000)}The end.`));
    await assert.rejects(failing, ({ details }: { details: { stderr: string } }) => {
      assert.match(details.stderr, /^\[1,008 .*\]\nx+The end\.$/);
      return true;
    });
  });

  test('that a signal ended have failed', async () => {
    const end = { exitCode: null, stdout: '', stderr: '' };
    await assert.rejects(activated(skillWith('!`x`'), null, end), /was ended by a signal/);
  });

  for (const code of ['policy.denied', 'policy.shell-disabled', 'limit.time'] as const) {
    test(`that are stopped with ${code} end everything with that`, async () => {
      const refused: Output = {
        status: 'failed',
        text: 'No.',
        error: { code, message: 'It was not to be.', hint: 'Ask.' },
      };
      await assert.rejects(activated(skillWith('!`rm x`'), null, refused), {
        code,
        message: 'The command `rm x` on line 5 of /s/demo/SKILL.md could not run: It was not to be.',
        hint: 'Ask.',
      });
    });
  }

  test('do not run when anything of the text cannot be rendered', async () => {
    const skill = skillWith('!`echo fine`\n\n!`rm $0`\n');
    const refused = activated(skill, '-rf');
    await assert.rejects(refused, (thrown: { asked: readonly Asked[]; code: string }) => {
      assert.equal(thrown.code, 'usage.bad-input');
      assert.equal(thrown.asked.length, 0);
      return true;
    });
    const { asked } = await activated(skillWith('!`rm $0`', 'allow-dash: true\n'), '-rf');
    assert.deepEqual(asked[0]?.input, { command: "rm '-rf'", timeout_ms: 60_000 });
  });

  test('ask for the shell that the file names, and run in no other', async () => {
    const asking = async (head: string): Promise<unknown> => {
      const { asked } = await activated(skillWith('!`x`', head), null);
      return asked[0]?.options?.process?.environment?.['SKILLED_TOOL_SHELL'];
    };
    assert.equal(await asking(''), undefined);
    assert.equal(await asking('shell: sh\n'), 'sh');
    assert.equal(await asking('shell: bash\n'), 'bash');
    await assert.rejects(asking('shell: powershell\n'), { code: 'sandbox.unavailable' });
    assert.equal((await activated(skillWith('Text.', 'shell: powershell\n'), null)).text, 'Text.');
  });
});

test('a text without commands calls nothing', async () => {
  const { text, asked } = await activated(skillWith('\n\nSay `!` and `!ls`.\n\n'), 'loud');
  assert.equal(text, 'Say `!` and `!ls`.\n\nARGUMENTS: loud');
  assert.deepEqual(asked, []);
});

for (const script of [
  'grep x file',
  '/usr/bin/grep -q x file',
  'rg x',
  'diff a b',
  'cmp a b',
  'test -f x',
  '[ -f x ]',
  '[[ -f x ]]',
  'which nothing',
  'pgrep nobody',
  'cat file | grep x',
  'cd src; grep x file',
  'cd src\ngrep x file\n',
  'false || grep x file',
  'test -f x && grep y x',
  '(cd src; grep x file)',
  '{ grep x file; }',
  '! grep x file',
  'LC_ALL=C grep x file',
  'grep x file 2>/dev/null',
]) {
  test(`exit code 1 of "${script}" is an answer`, () => {
    assert.equal(mayEndWithOne(script), true);
  });
}

for (const script of [
  'false',
  '',
  'grep x file | wc -l',
  'grep x file; false',
  'grep x file && false',
  'cd nowhere && grep x file',
  'grep x file || false',
  'git grep x',
  'mygrep x',
  '$GREP x',
  'if grep x file; then false; fi',
  'grep x file &',
  "grep 'x",
  'echo $(grep x file)',
]) {
  test(`exit code 1 of "${script}" is a failure`, () => {
    assert.equal(mayEndWithOne(script), false);
  });
}
