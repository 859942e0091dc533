import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { parseSkill, type Json } from '../../src/index.ts';
import { withoutBubblewrap } from '../support/bubblewrap.ts';
import { render, skill, skillFiles } from './skill-text.ts';
import { load, rulesAndTrust, stage } from './stage.ts';

// Claude Code's rules for fields, placeholders, commands and permissions. Comments describe the rules that
// differ here.
// Not supported: several slash commands before one text, variables in tool rules, background commands.

describe('fields', () => {
  for (const value of ['true', 'yes', 'on', '1', 'True', 'YES']) {
    test(`a flag takes ${value}`, () => {
      const { card } = parseSkill(skill('subject', 'Do it.', `disable-model-invocation: ${value}\n`));
      assert.equal(card.modelInvocable, false);
    });
  }

  for (const value of ['false', 'no', 'off', '0']) {
    test(`a flag takes ${value}`, () => {
      const { card } = parseSkill(skill('subject', 'Do it.', `user-invocable: ${value}\n`));
      assert.equal(card.userInvocable, false);
    });
  }

  test('every field may be missing', () => {
    assert.equal(parseSkill('Does it well.\n', { name: 'subject' }).card.description, 'Does it well.');
  });

  // In Claude Code, frontmatter that is not YAML has no fields. Here, the readable fields are used, with an
  // issue.
  test('a head that is not YAML is read as far as it goes', () => {
    const { card, issues } = parseSkill(
      '---\nname: subject\ndescription: Use when: always\nuser-invocable: no\n---\n\nDo it.\n',
    );
    assert.deepEqual([card.description, card.userInvocable], ['Use when: always', false]);
    assert.ok(issues.some(({ code }) => code === 'frontmatter.repaired'));
  });
});

describe('substitution', () => {
  const named = 'arguments: [one, two]\n';
  const rows: readonly [string, { body: string; args?: Json; head?: string; text: string }][] = [
    ['$0 is $ARGUMENTS[0]', { body: '$0=$ARGUMENTS[0]', args: 'a b', text: 'a=a' }],
    [
      '$ARGUMENTS is what was typed, quotes included',
      { body: '$ARGUMENTS', args: 'a "b c"', text: 'a "b c"' },
    ],
    ['an index goes by the quotes of a shell', { body: '$1', args: `a 'b c'"d"`, text: 'b cd' }],
    ['a missing index stays', { body: '$0 $7', args: 'a', text: 'a $7' }],
    ['a missing declared name is empty', { body: '[$one][$two]', args: 'a', head: named, text: '[a][]' }],
    ['an undeclared name stays', { body: '$0 $three', args: 'a b c', head: named, text: 'a $three' }],
    ['an argument is not looked at again', { body: '$0', args: "'$1' b", text: '$1' }],
    // In Claude Code, variables in arguments are replaced afterwards. Here, inserted text is never processed
    // again.
    [
      'a variable in an argument stays',
      { body: '$0', args: '${CLAUDE_SESSION_ID}', text: '${CLAUDE_SESSION_ID}' },
    ],
    ['a backslash keeps an index', { body: '\\$0 $0', args: 'a', text: '$0 a' }],
    ['a backslash keeps $ARGUMENTS', { body: '\\$ARGUMENTS $0', args: 'a', text: '$ARGUMENTS a' }],
    ['a backslash keeps a declared name', { body: '\\$one $one', args: 'a', head: named, text: '$one a' }],
    // In Claude Code, both backslashes remain. Here, two become one.
    ['two backslashes are one, and the value', { body: '\\\\$0', args: 'a', text: '\\a' }],
    ['a backslash before anything else stays', { body: '\\$x \\n $0', args: 'a', text: '\\$x \\n a' }],
    ['placeholders in fences count', { body: '```sh\nrun $0\n```', args: 'a', text: '```sh\nrun a\n```' }],
    ['a variable of the shell stays', { body: '$HOME ${HOME} $0', args: 'a', text: '$HOME ${HOME} a' }],
    ['the session', { body: '${CLAUDE_SESSION_ID}', text: 'mine' }],
    // In Claude Code, it is the effort of the session. Here, sessions have no effort.
    ['the effort stays as it is written', { body: '${CLAUDE_EFFORT}', text: '${CLAUDE_EFFORT}' }],
  ];
  for (const [row, { body, args, head, text }] of rows) {
    test(row, () => {
      assert.equal(render(body, args, head), text);
    });
  }

  // In Claude Code, a file without arguments is filled too, which damages its prices and shell code.
  test('a file that declares no arguments keeps its code, and gets the arguments as a line too', () => {
    const body = 'Run $0 for $0.50:\n\n```sh\nrun $0\n```';
    const text = 'Run a for $0.50:\n\n```sh\nrun $0\n```\n\nARGUMENTS: a';
    assert.equal(render(body, 'a', ''), text);
  });

  const added: readonly [string, string, string, boolean][] = [
    ['is added when nothing took a value', 'Do it.', '', true],
    ['is added when an index had no argument', 'Do $7.', '', true],
    ['is not added when a declared name was there, even an empty one', 'Do $two.', named, false],
    ['is added when only variables were there', 'In ${CLAUDE_SESSION_ID}.', '', true],
    ['is added when the placeholder was escaped', 'Write \\$0.', '', true],
  ];
  for (const [row, body, head, isAdded] of added) {
    test(`the line with the arguments ${row}`, () => {
      assert.equal(render(body, 'a', head).includes('\n\nARGUMENTS: a'), isAdded);
    });
  }

  test('the folders of the skill and of the project', async () => {
    await using on = stage(
      skillFiles({ subject: skill('subject', '${CLAUDE_SKILL_DIR} ${CLAUDE_PROJECT_DIR}') }),
    );
    const { text } = on.agent.render('subject', {});
    assert.equal(text.trim(), `${on.files.at('.agents/skills/subject')} ${on.files.path}`);
  });
});

describe('commands in a text', () => {
  const rows: readonly [string, string, RegExp][] = [
    ['run in the folder of the project', '!`ls notes.txt`', /^notes\.txt$/m],
    ['may end with one when they search', 'Found: !`grep nothing notes.txt`.', /Found: \.$/m],
    ['get no input', '!`cat; echo end`', /^end$/m],
    // In Claude Code, stderr is part of the text. Here, it is only in the record.
    ['leave out what a success says to stderr', '[ !`echo out; echo err >&2`]', /\[ out\]/],
    // In Claude Code, a long output becomes a file. Here, it is truncated, and the text says so.
    ['are cut when they say too much', '!`head -c 300000 /dev/zero | tr "\\0" x`', /x{50000}[^x]{5,}/],
  ];
  for (const [row, body, text] of rows) {
    test(row, async () => {
      await using on = stage({ ...skillFiles({ subject: skill('subject', body) }), 'notes.txt': 'one\n' });
      const { result } = await load(on, 'subject');
      assert.equal(result.status, 'done', JSON.stringify(result.error));
      assert.match(result.text, text);
      assert.ok(result.text.length < 110_000, `${result.text.length}`);
    });
  }

  test('that fail end the invocation, and nothing half-made is read', async () => {
    const body = '!`echo first`\n\n!`echo broken >&2; false`\n\n!`touch PWNED`';
    await using on = stage(skillFiles({ subject: skill('subject', body) }));
    const { result, commands } = await load(on, 'subject');
    assert.equal(result.error?.code, 'skill.failed');
    assert.doesNotMatch(result.text, /first/);
    assert.equal(commands.length, 2);
    assert.ok(!existsSync(on.files.at('PWNED')));
  });

  // In Claude Code, only allowed commands run, and others end the invocation. Here, a person is asked, and
  // nothing runs before.
  test('of a project that is not trusted wait for a person', async () => {
    await using on = stage(skillFiles({ subject: skill('subject', '!`touch made.txt`') }), [], rulesAndTrust);
    const { result, commands } = await load(on, 'subject');
    assert.deepEqual([result.status, commands], ['waiting', []]);
  });

  // In Claude Code, examples in the text run as well. Here, Markdown decides what is a command.
  test('are not found in examples', () => {
    assert.equal(render('```md\n!`touch PWNED`\n```'), '```md\n!`touch PWNED`\n```');
  });

  // In Claude Code, a notice replaces each command. Here, the invocation fails with an error that says why.
  test('that are switched off are an error', async () => {
    const settings = { skills: { disableShellExecution: true } };
    await using on = stage(skillFiles({ subject: skill('subject', '!`touch PWNED`') }), [], { settings });
    assert.equal((await load(on, 'subject')).result.error?.code, 'policy.shell-disabled');
  });
});

describe('rules for tools', { skip: withoutBubblewrap }, () => {
  const rows: readonly [string, string, string, 'runs' | 'asks'][] = [
    ['a star at the end takes words', 'Bash(ls *)', 'ls -a', 'runs'],
    ['a star at the end takes the bare command', 'Bash(ls *)', 'ls', 'runs'],
    ['the blank before it counts', 'Bash(echo *)', 'echoes', 'asks'],
    ['a colon and a star are a blank and a star', 'Bash(ls:*)', 'ls -a', 'runs'],
    ['a star in the middle spans blanks', 'Bash(echo * end)', 'echo a b end', 'runs'],
    ['all parts of a compound must match', 'Bash(echo *)', 'echo a && touch PWNED', 'asks'],
    ['a compound of what is allowed runs', 'Bash(echo *)', 'echo a && echo b', 'runs'],
    // In Claude Code, wrappers are ignored. Here, a wrapper is checked like the command that it runs.
    ['a wrapper must be allowed too', 'Bash(echo *)', 'timeout 5 echo a', 'asks'],
    ['a substitution is a part', 'Bash(echo *)', 'echo $(touch PWNED)', 'asks'],
  ];
  for (const [row, rule, command, what] of rows) {
    test(row, async () => {
      await using on = stage({}, [], { ...rulesAndTrust, permissions: { allow: [rule] } });
      const run = on.agent.session().shell(command);
      if (what === 'runs') assert.equal((await run).exitCode, 0);
      else await assert.rejects(run, { code: 'policy.waiting' });
      assert.ok(!existsSync(on.files.at('PWNED')));
    });
  }

  for (const [row, permissions, code] of [
    ['deny goes before allow, however exact', { allow: ['Bash(echo a)'], deny: ['Bash'] }, 'policy.denied'],
    ['ask goes before allow', { allow: ['Bash(echo a)'], ask: ['Bash(echo *)'] }, 'policy.waiting'],
  ] as const) {
    test(row, async () => {
      await using on = stage({}, [], { ...rulesAndTrust, permissions });
      await assert.rejects(on.agent.session().shell('echo a'), { code });
    });
  }

  for (const [row, rule, isDenied] of [
    ['Skill(x) means exactly that one', 'Skill(subject)', true],
    ['Skill(x) means no other', 'Skill(sub)', false],
    ['Skill alone means all of them', 'Skill', true],
  ] as const) {
    test(row, async () => {
      const files = skillFiles({ subject: skill('subject') });
      await using on = stage(files, ['Done.'], { ...rulesAndTrust, permissions: { deny: [rule] } });
      const { result } = await load(on, 'subject');
      assert.equal(result.error?.code, isDenied ? 'policy.denied' : undefined);
    });
  }
});
