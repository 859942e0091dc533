import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from '../parse.ts';
import { bundleOfText, nowhere } from '../../../core/index.ts';
import { bodyFor, joinPieces } from './render-skill.ts';

const context = { session: 's', skillDir: '/d', projectDir: '/p' };

/** Renders a file as its family does. */
function textOf(
  file: string,
  args: string,
  { isPrompt, command }: { isPrompt?: true; command?: true } = {},
): string {
  const bundle = { ...bundleOfText(file, { ...nowhere, stem: 'demo' }), ...(command ? { command } : {}) };
  const { definition } = parse(bundle);
  assert.ok(definition);
  const { pieces } = bodyFor(definition, args, { ...context, ...(isPrompt ? { isPrompt } : {}) });
  return joinPieces(pieces, (found) => `<${found.command}>`).trim();
}

const head = '---\nname: demo\ndescription: Tries things.\n---\n';
const withNames = '---\nname: demo\ndescription: Tries things.\narguments: [who]\n---\n';
const withHint = '---\nname: demo\ndescription: Tries things.\nargument-hint: "[who]"\n---\n';

describe('a file that declares no arguments', () => {
  const bodies = [
    'Each call costs $0.01, or $1 per day.',
    "Run:\n\n```sh\nawk '{print $1}' log | cut -d' ' -f$0\n```",
    'Use `$0` as the name of the script, and ``echo `$1` `` too.',
    '    indented $0\n',
  ];
  for (const body of bodies) {
    test(`keeps ${JSON.stringify(body)} when a prompt selects it`, () => {
      const prompt = 'summarise this invoice';
      assert.equal(textOf(head + body, prompt, { isPrompt: true }), `${body.trim()}\n\nARGUMENTS: ${prompt}`);
    });
  }

  test('gets explicit arguments, and the whole of them as well', () => {
    assert.equal(textOf(`${head}Greet $0 and $1.`, 'Ann Bo'), 'Greet Ann and Bo.\n\nARGUMENTS: Ann Bo');
    assert.equal(textOf(`${head}Greet $ARGUMENTS[1].`, 'Ann Bo'), 'Greet Bo.');
    assert.equal(textOf(`${head}Do $ARGUMENTS.`, 'it all', { isPrompt: true }), 'Do it all.');
  });

  test('keeps amounts of money, even with explicit arguments', () => {
    for (const body of ['$0.01', '$1,500 a month', '$1M of revenue', '$0k', '$1bn', '$1 million', '$1 USD.'])
      assert.equal(textOf(head + body, 'a b'), `${body}\n\nARGUMENTS: a b`);
  });

  test('keeps code, but fills commands', () => {
    const body = 'Try `cp $0 $1`, not $0.\n\n~~~\ncp $0\n~~~\n\n!`ls $0`\n\n- item\n\n  ```\n  cp $1\n  ```';
    assert.equal(
      textOf(head + body, 'a b'),
      "Try `cp $0 $1`, not a.\n\n~~~\ncp $0\n~~~\n\n<ls 'a'>\n\n- item\n\n  ```\n  cp $1\n  ```\n\nARGUMENTS: a b",
    );
  });

  test('does not take the words of a prompt as arguments of a command', () => {
    assert.equal(
      textOf(`${head}!\`awk '{print $1}' log\``, 'count the lines', { isPrompt: true }),
      "<awk '{print $1}' log>\n\nARGUMENTS: count the lines",
    );
  });
});

for (const [what, declared] of Object.entries({
  'argument names': withNames,
  'an argument hint': withHint,
})) {
  test(`a file with ${what} is filled everywhere`, () => {
    const body = 'Greet $0 in `$0.txt`.\n\n```\necho $0\n```';
    assert.equal(textOf(declared + body, 'Ann', { isPrompt: true }), body.replaceAll('$0', 'Ann'));
  });
}

describe('a command file', () => {
  test('counts from $1 if it has no $0, as users of Claude Code mean it', () => {
    assert.equal(textOf('Review PR $1 for $2.', '7 Ann', { command: true }), 'Review PR 7 for Ann.');
    assert.equal(textOf('Review $1: `gh pr view $1`', '7', { command: true }), 'Review 7: `gh pr view 7`');
  });

  test('counts from $0 if it has one', () => {
    assert.equal(textOf('Review PR $0 for $1.', '7 Ann', { command: true }), 'Review PR 7 for Ann.');
    assert.equal(textOf('$ARGUMENTS[0] for $1.', '7 Ann', { command: true }), '7 for Ann.');
  });

  test('gets $10 as its tenth argument', () => {
    assert.equal(textOf('$1 $10', 'a b c d e f g h i j', { command: true }), 'a j');
  });
});
