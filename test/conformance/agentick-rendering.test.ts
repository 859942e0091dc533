import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { parseSkill, RecursiveSkilledAgent, type Json } from '../../src/index.ts';
import { render, skill, skillFiles } from './skill-text.ts';
import { load, stage } from './stage.ts';

// Agentick's black-box cases for substitution and shell commands, in their order, and its defects 1 to 4 and
// 7, which do not occur here.

describe('substitute', () => {
  const named = 'arguments: [first, second]\n';
  const rows: readonly [string, { body: string; args?: Json; head?: string; text: string }][] = [
    ['all arguments', { body: 'Use $ARGUMENTS.', args: 'a b', text: 'Use a b.' }],
    ['no arguments are nothing', { body: 'Use [$ARGUMENTS].', text: 'Use [].' }],
    ['words in quotes are one', { body: '$0,$1', args: '"p q" r', text: 'p q,r' }],
    ['both forms of an index', { body: '$ARGUMENTS[0] $0', args: 'k', text: 'k k' }],
    ['an index without an argument stays', { body: '$0 $5', args: 'k', text: 'k $5' }],
    ['keys of an object', { body: '$first and $second', args: { first: 1, second: 'b' }, text: '1 and b' }],
    ['declared names of words', { body: '$first and $second', args: 'a b', head: named, text: 'a and b' }],
    ['an unknown name stays', { body: '$0 $x', args: 'k', text: 'k $x' }],
    ['an unknown variable stays', { body: '$0 ${X}', args: 'k', text: 'k ${X}' }],
    [
      'a key called ARGUMENTS is not all arguments',
      { body: '$ARGUMENTS', args: { ARGUMENTS: 'mine' }, text: '{"ARGUMENTS":"mine"}' },
    ],
  ];
  for (const [row, { body, args, head, text }] of rows) {
    test(row, () => {
      assert.equal(render(body, args, head), text);
    });
  }
});

/** Returns the commands in a body, in order. */
function commandsIn(body: string, args?: Json): readonly string[] {
  const agent = new RecursiveSkilledAgent({ embeddings: false });
  agent.skills.register(parseSkill(skill('subject', body)));
  const { commands } = agent.render('subject', args === undefined ? {} : { args });
  return commands.map(({ command }) => command);
}

describe('shell', () => {
  const commandRows: readonly [string, string, readonly string[]][] = [
    ['at the start of a line', '!`echo a`', ['echo a']],
    ['behind a blank', 'Now: !`echo a`', ['echo a']],
    ['not behind a sign', 'k=!`echo a`', []],
    ['not behind a letter', 'w!`echo a`', []],
    ['not without the mark', 'Use `echo a`.', []],
    ['a block of two lines is one command', '```!\necho a\necho b\n```', ['echo a\necho b']],
    ['both forms in their order', '!`one`\n\n```!\ntwo\n```\n\nThen !`three`', ['one', 'two', 'three']],
  ];
  for (const [row, body, commands] of commandRows) {
    test(row, () => {
      assert.deepEqual(
        commandsIn(body).map((command) => command.trim()),
        commands,
      );
    });
  }

  test('without commands the body stays as it is, and nothing is called', async () => {
    const body = '# Title\n\nText with `code` and *more*.\n\n- one\n- two';
    await using on = stage(skillFiles({ subject: skill('subject', body) }));
    const { result, called } = await load(on, 'subject');
    assert.ok(result.text.includes(body), result.text);
    assert.deepEqual(called, ['subject']);
  });

  // Agentick continues if a command fails. Here, as in Claude Code, the model never receives an incomplete
  // text.
  test('a command that fails is named, with its place', async () => {
    const body = 'First.\n\n!`echo wrong >&2; exit 3`';
    await using on = stage(skillFiles({ subject: skill('subject', body) }));
    const { result } = await load(on, 'subject');
    assert.equal(result.error?.code, 'skill.failed');
    const reported = `${result.error.message} ${JSON.stringify(result.error.details ?? null)}`;
    assert.match(reported, /exit 3/);
    assert.match(reported, /wrong/);
    assert.match(reported, /\b8\b/, 'the line in the file');
  });

  test('without a shell it fails loudly', async () => {
    const settings = { skills: { except: ['bash'] } };
    await using on = stage(skillFiles({ subject: skill('subject', '!`echo a`') }), [], { settings });
    const { result, commands } = await load(on, 'subject');
    assert.equal(result.status, 'failed');
    assert.match(result.error?.message ?? '', /bash/);
    assert.deepEqual(commands, []);
  });

  // Agentick inserts the unquoted argument. Here, it is one word of the command, whatever it contains.
  test('arguments are put into a command before it runs, each as one word', async () => {
    const body = '!`printf "%s|" $0 $1`';
    await using on = stage(skillFiles({ subject: skill('subject', body) }));
    const { result } = await load(on, 'subject', '"a b" c;d');
    assert.ok(result.text.includes('a b|c;d|'), result.text);
  });
});

describe('defects that do not happen', () => {
  test('1: an argument becomes a command', async () => {
    await using on = stage(skillFiles({ subject: skill('subject', '$ARGUMENTS\n\nEnd.') }));
    const { result, commands } = await load(on, 'subject', '!`touch PWNED`');
    assert.deepEqual(commands, []);
    assert.ok(result.text.includes('!`touch PWNED`'));
    assert.ok(!existsSync(on.files.at('PWNED')));
  });

  test('2: an argument is looked at again', () => {
    assert.equal(render('$ARGUMENTS', '$1 secret'), '$1 secret');
  });

  test('3: an index without an argument is half replaced', () => {
    assert.equal(render('$0 $ARGUMENTS[5]', 'only'), 'only $ARGUMENTS[5]');
  });

  test('3: a price is taken for an argument', () => {
    assert.equal(render('$0 costs $1.50', 'Tea'), 'Tea costs $1.50');
    assert.equal(render('$0 costs \\$1.50', 'Tea today'), 'Tea costs $1.50');
  });

  for (const [row, body] of [
    ['an ordinary fence', '```sh\n!`touch PWNED`\n```'],
    ['a longer fence', '````md\n```!\ntouch PWNED\n```\n````'],
    ['double backticks', 'Write `` !`touch PWNED` `` for that.'],
    ['an indented block', 'Text.\n\n    !`touch PWNED`'],
    ['a quotation', '> !`touch PWNED`'],
    ['a comment', '<!--\n!`touch PWNED`\n-->'],
  ] as const) {
    test(`4: an example in ${row} runs`, () => {
      assert.deepEqual(commandsIn(body), []);
      assert.equal(render(body), body);
    });
  }

  test('7: a body that has names gets the arguments a second time', () => {
    assert.equal(render('Do $what.', 'this', 'arguments: [what]\n'), 'Do this.');
  });
});
