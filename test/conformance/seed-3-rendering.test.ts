import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../../src/index.ts';
import { render, skill, skillFiles } from './skill-text.ts';
import { load, stage } from './stage.ts';

// Seed 3: the table of substitutions, the fallback, and dynamic context, row by row.

describe('substitution', () => {
  const names = 'arguments: [issueNumber, team]\n';
  const rows: readonly [string, { body: string; args: Json; head?: string; text: string }][] = [
    ['$ARGUMENTS of an object is JSON', { body: '$ARGUMENTS', args: { issue: 42 }, text: '{"issue":42}' }],
    ['$ARGUMENTS of a text is the text', { body: '$ARGUMENTS', args: 'a "b c"', text: 'a "b c"' }],
    ['$ARGUMENTS[N] counts words from zero', { body: '$ARGUMENTS[1]', args: 'a "b c"', text: 'b c' }],
    ['$N counts words from zero', { body: '$0-$1', args: 'a "b c"', text: 'a-b c' }],
    [
      '$N of an object goes by the declared names',
      { body: '$0-$1', args: { team: 'sea', issueNumber: 42 }, head: names, text: '42-sea' },
    ],
    [
      '$ARGUMENTS[N] of an object goes by the declared names',
      { body: '$ARGUMENTS[0]', args: { team: 'sea', issueNumber: 42 }, head: names, text: '42' },
    ],
    [
      '$name of declared names',
      { body: 'Issue $issueNumber of $team.', args: '42 sea', head: names, text: 'Issue 42 of sea.' },
    ],
    [
      '$name of the keys of an object',
      { body: 'Issue $issueNumber.', args: { issueNumber: 42 }, text: 'Issue 42.' },
    ],
    [
      '${AGENTICK_SESSION_ID} is the session',
      { body: '${AGENTICK_SESSION_ID} $0', args: 'k', text: 'mine k' },
    ],
    [
      'our own name and that of Claude Code mean the same',
      { body: '${SKILLED_SESSION_ID} ${CLAUDE_SESSION_ID} $0', args: 'k', text: 'mine mine k' },
    ],
  ];
  for (const [row, { body, args, head, text }] of rows) {
    test(row, () => {
      assert.equal(render(body, args, head), text);
    });
  }

  test('${AGENTICK_SKILL_DIR} is the folder of the skill', async () => {
    const body = 'See ${AGENTICK_SKILL_DIR}/templates/standard.md and ${SKILLED_SKILL_DIR}.';
    await using on = stage(skillFiles({ subject: skill('subject', body) }));
    const dir = on.files.at('.agents/skills/subject');
    assert.equal(on.agent.render('subject', {}).text.trim(), `See ${dir}/templates/standard.md and ${dir}.`);
  });
});

describe('the fallback', () => {
  const rows: readonly [string, string, Json | undefined, string][] = [
    ['is added when the body uses no argument', 'Do it.', 'a b', 'Do it.\n\nARGUMENTS: a b'],
    ['has JSON for an object', 'Do it.', { n: 1 }, 'Do it.\n\nARGUMENTS: {"n":1}'],
    ['is not added when the body uses them', 'Do $0.', 'a b', 'Do a.'],
    ['is not added without arguments', 'Do it.', undefined, 'Do it.'],
    // The seed recognises only $ARGUMENTS and indexes, so a body that uses a name would also get the
    // arguments appended.
    ['is not added when a name was used', 'Do $n.', { n: 1 }, 'Do 1.'],
  ];
  for (const [row, body, args, text] of rows) {
    test(row, () => {
      assert.equal(render(body, args), text);
    });
  }
});

describe('dynamic context', () => {
  test('the inline form: the output is where the command was', async () => {
    const body = '## Current changes\n\n!`echo two files`\n\nLook at them.';
    await using on = stage(skillFiles({ subject: skill('subject', body) }));
    const { result } = await load(on, 'subject');
    assert.ok(result.text.includes('## Current changes\n\ntwo files\n\nLook at them.'), result.text);
  });

  test('the block form: all lines are one script', async () => {
    const body = '## Environment\n\n```!\nword=one\necho $word and two\n```\n\nEnd.';
    await using on = stage(skillFiles({ subject: skill('subject', body) }));
    const { result, commands } = await load(on, 'subject');
    assert.ok(result.text.includes('## Environment\n\none and two\n\nEnd.'), result.text);
    assert.equal(commands.length, 1);
  });

  test('1: arguments are in place before a command runs', async () => {
    const body = '!`grep -c -- $pattern notes.txt`';
    await using on = stage({
      ...skillFiles({ subject: skill('subject', body, 'arguments: [pattern]\n') }),
      'notes.txt': 'one\ntwo\none\n',
    });
    const { result } = await load(on, 'subject', 'one');
    assert.match(result.text, /^2$/m);
  });

  test('2: commands run one after the other, in the order of the text', async () => {
    const body = '!`echo 1 >> order.txt`\n\n!`echo 2 >> order.txt`\n\n!`cat order.txt`';
    await using on = stage(skillFiles({ subject: skill('subject', body) }));
    const { result, commands } = await load(on, 'subject');
    assert.match(result.text, /1\n2/, JSON.stringify(result.error));
    assert.equal(commands.length, 3);
  });

  test('2: commands of one activation share a private temporary folder', async () => {
    const body = '!`echo kept > $TMPDIR/note`\n\n!`cat $TMPDIR/note`';
    await using on = stage(skillFiles({ subject: skill('subject', body) }));
    const { result } = await load(on, 'subject');
    assert.match(result.text, /^kept$/m, JSON.stringify(result.error));
  });

  test('3: the output is put in as it is and not looked at again', async () => {
    const body = "!`printf '$0 and !\\140touch PWNED\\140'`";
    await using on = stage(skillFiles({ subject: skill('subject', body) }));
    const { result, commands } = await load(on, 'subject');
    assert.ok(result.text.includes('$0 and !`touch PWNED`'), JSON.stringify(result));
    assert.equal(commands.length, 1);
  });

  test('4: the model reads the finished text', async () => {
    const files = skillFiles({ subject: skill('subject', 'Changed: !`echo two files`') });
    await using on = stage(files, [{ calls: [{ name: 'skill', input: { name: 'subject' } }] }, 'Done.']);
    await on.agent.run({ skill: 'desk', input: 'Go.' }).result;
    const [shown] = on.model.requests[1]?.messages.filter(({ role }) => role === 'tool') ?? [];
    assert.match(shown?.text ?? '', /Changed: two files/);
  });

  test('the same tool runs them that the model uses, in the same sandbox and on the record', async () => {
    await using on = stage(skillFiles({ subject: skill('subject', '!`echo a`') }));
    const { called } = await load(on, 'subject');
    assert.deepEqual(called, ['subject', 'bash']);
  });

  test('without a shell there is an error, and never the literal text', async () => {
    const settings = { skills: { except: ['bash'] } };
    await using on = stage(skillFiles({ subject: skill('subject', '!`echo a`') }), [], { settings });
    const { result } = await load(on, 'subject');
    assert.deepEqual([result.ok, result.text.includes('!`')], [false, false]);
    assert.notEqual(result.error?.hint, undefined);
  });
});
