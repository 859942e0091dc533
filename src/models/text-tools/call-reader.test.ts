import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { openLoops } from '../../../test/stress/stress.ts';
import type { Json } from '../../core/json.ts';
import { createCallReader, type AnswerPart } from './call-reader.ts';

const { createLoop } = openLoops(import.meta);
const tools = ['read', 'write', 'note'];

/** Parses an answer in these pieces, and joins neighbouring texts. */
function readIn(pieces: readonly string[]): readonly AnswerPart[] {
  const reader = createCallReader(tools);
  const joined: AnswerPart[] = [];
  for (const found of [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()]) {
    const last = joined.at(-1);
    if ('text' in found && last !== undefined && 'text' in last)
      joined[joined.length - 1] = { text: last.text + found.text };
    else joined.push(found);
  }
  return joined;
}

function readWhole(text: string): readonly AnswerPart[] {
  return readIn([text]);
}

function text(shown: string): AnswerPart {
  return { text: shown };
}

function call(name: string, input: Json): AnswerPart {
  return { call: { name, input } };
}

const fenced = '```call\n{"tool": "read", "input": {"path": "a"}}\n```\n';
const read = call('read', { path: 'a' });

describe('a call is read', () => {
  const cases: Readonly<Record<string, readonly [string, readonly AnswerPart[]]>> = {
    'from its block': [fenced, [read]],
    'between texts': [`I look.\n\n${fenced}Done.`, [text('I look.\n\n'), read, text('Done.')]],
    'one after the other': [fenced + fenced, [read, read]],
    'from a block at the end that is not closed': [
      '```call\n{"tool": "read", "input": {"path": "a"}}',
      [read],
    ],
    'from a block that is closed on its last line': [
      '```call\n{"tool": "read", "input": {"path": "a"}}```\nx',
      [read, text('x')],
    ],
    'from a block on one line': ['```call {"tool": "read", "input": {"path": "a"}}```', [read]],
    'from a block with Windows line ends': [fenced.replaceAll('\n', '\r\n'), [read]],
    'from an indented block': [
      '1. Look:\n   ```call\n   {"tool": "read", "input": {"path": "a"}}\n   ```',
      [text('1. Look:\n'), read],
    ],
    'from a block of tildes': ['~~~call\n{"tool": "read", "input": {"path": "a"}}\n~~~', [read]],
    'with another tag of the block': [
      '```tool_call\n{"name": "read", "arguments": {"path": "a"}}\n```',
      [read],
    ],
    'of a tool that there is not': ['```call\n{"tool": "fly"}\n```', [call('fly', {})]],
    'several in one block': [
      '```call\n{"tool": "read"}\n{"tool": "note"}\n```',
      [call('read', {}), call('note', {})],
    ],
    'as a list in one block': [
      '```call\n[{"tool": "read"}, {"tool": "note"}]\n```',
      [call('read', {}), call('note', {})],
    ],
    'with its input beside the name': ['```call\n{"tool": "read", "path": "a"}\n```', [read]],
    'between tags': [
      'Well <tool_call>\n{"name": "read", "arguments": {"path": "a"}}\n</tool_call>!',
      [text('Well '), read, text('!')],
    ],
    'behind a tag that is not closed': ['<tool_call>{"name": "read", "arguments": {"path": "a"}}', [read]],
    'from a json block that names a tool': [
      '```json\n{"name": "read", "arguments": {"path": "a"}}\n```',
      [read],
    ],
    'from a block without a tag': ['```\n{"tool": "read", "input": {"path": "a"}}\n```', [read]],
    'from a whole answer': [' {"name": "read", "parameters": {"path": "a"}}\n', [read, text('\n')]],
    'from a whole answer in the way of OpenAI': [
      '{"type": "function", "function": {"name": "read", "arguments": "{\\"path\\": \\"a\\"}"}}',
      [read],
    ],
    'from objects that follow each other': [
      '{"name": "read", "arguments": {"path": "a"}}\n{"name": "note", "arguments": {}}\nNow I wait.',
      [read, text('\n'), call('note', {}), text('\nNow I wait.')],
    ],
  };
  for (const [name, [answer, found]] of Object.entries(cases)) {
    test(name, () => assert.deepEqual(readWhole(answer), found));
    test(`${name}, character by character`, () => assert.deepEqual(readIn(Array.from(answer)), found));
  }
});

describe('text stays text', () => {
  const texts: Readonly<Record<string, string>> = {
    'in an ordinary block': '```js\nread();\n```\nas above',
    'in a longer block around a call': `Write it so:\n\n\`\`\`\`markdown\n${fenced}\`\`\`\`\n`,
    'in a block of the same length around a call': '```\n```call\n{"tool": "read"}\n```\n',
    'in a block of tildes around a tag': '~~~\n<tool_call>{"name": "read"}</tool_call>\n~~~\n',
    'when a json block names no tool': '```json\n{"name": "Ada"}\n```\n',
    'when a json block has more than a call': '```json\n{"name": "read", "age": 3}\n```\n',
    'when the whole answer is another object': '{"name": "Ada"}',
    'when an object does not come first': 'So: {"name": "read", "arguments": {}}',
    'when the tag is only mentioned': 'Write <tool_call> and then </tool_call>.',
    'when the tag is only begun': 'a <tool_',
    'when marks stand within a line': 'Use ```call``` for it, or ```json` so.\n```x``` is code\n',
    'when a word only begins like the tag': '```caller\nx\n```\n```call-graph\n```\n',
    'when a result comes without a call': '```result read\nx\n```\n',
    'when marks are left over': 'x\n```',
    'when a block is only begun': 'x\n```js',
    'when it is indented a lot': `${' '.repeat(30)}\`\`\`call\n`,
    'when an empty json block comes': '```json\n```\nx',
    'when code within a line comes first on it': '``` a ``` b\n\nx',
    'when nothing is said': '',
  };
  for (const [name, answer] of Object.entries(texts)) {
    const found = answer === '' ? [] : [text(answer)];
    test(name, () => assert.deepEqual(readWhole(answer), found));
    test(`${name}, character by character`, () => assert.deepEqual(readIn(Array.from(answer)), found));
  }

  test('and calls are read after it', () => {
    for (const answer of Object.values(texts).filter((one) => one.endsWith('\n') && !one.endsWith('call\n')))
      if (!answer.startsWith('```\n```call'))
        assert.deepEqual(readWhole(answer + fenced), [text(answer), read]);
  });
});

describe('a block that cannot be read', () => {
  const broken: Readonly<Record<string, readonly [string, string]>> = {
    'in broken JSON': ['```call\n{"tool": "read", "input": {"path": }}\n```', 'read'],
    'between tags': ['<tool_call>{"name": "read", "arguments": </tool_call>', 'read'],
    'without a name': ['```call\n{"input": {}}\n```', 'unknown'],
    'that is a number': ['```call\n7\n```', 'unknown'],
    'that is empty': ['```call\n```', 'unknown'],
    'that is only begun': ['```call', 'unknown'],
    'in a json block that names a tool': ['```json\n{"name": "read", "arguments": {\n```', 'read'],
    'as a whole answer that names a tool': ['{"name": "read", "arguments": {"path": "a"}', 'read'],
  };
  for (const [name, [answer, tool]] of Object.entries(broken)) {
    test(`is a call with a fault: ${name}`, () => {
      for (const found of [readWhole(answer), readIn(Array.from(answer))]) {
        assert.equal(found.length, 1);
        const toolCall = found[0] !== undefined && 'call' in found[0] ? found[0].call : undefined;
        assert.equal(toolCall?.name, tool);
        assert.match(toolCall.fault ?? '', /^The block is not .*\.$/);
        assert.equal(typeof toolCall.input, 'string');
      }
    });
  }
});

test('what follows a result that the model made up does not count', () => {
  const answer = `${fenced}\`\`\`result read\nsecret\n\`\`\`\nIt says so.\n${fenced}`;
  assert.deepEqual(readWhole(answer), [read]);
});

test('text is shown as soon as it cannot be a call any more', () => {
  const reader = createCallReader(tools);
  assert.deepEqual(reader.push('Hel'), [text('Hel')]);
  assert.deepEqual(reader.push('lo <'), [text('lo ')]);
  assert.deepEqual(reader.push('b>\n``'), [text('<b>\n')]);
  assert.deepEqual(reader.push('`json\n{"nam'), []);
  assert.deepEqual(reader.push('e": "Ad'), [text('```json\n{"name": "Ad')]);
  assert.deepEqual(reader.push('a"}'), [text('a"}')]);
});

// The parts of blocks, tags and the answers of careless models.
const scrap = fc.constantFrom(
  ...[
    '\n',
    '\n\n',
    '\r\n',
    ' ',
    '    ',
    'word',
    'a b',
    '`',
    '``',
    '```',
    '````',
    '~~~',
    '{',
    '}',
    '"',
    '\\',
    ':',
  ],
  ...[
    'call',
    'json',
    'result',
    'tool_call',
    '<',
    '<tool_call>',
    '</tool_call>',
    '{"tool": ',
    '"read"',
    '{"name": "read"',
  ],
  ...[
    '```call\n',
    '```json\n',
    '\n```\n',
    '{"name": "Ada"}',
    '{"name": "read", "arguments": {}}',
    '😀',
    fenced,
  ],
);
const scraps = fc.array(scrap, { maxLength: 25 }).map((parts) => parts.join(''));
const cuts = fc.array(fc.nat(200), { maxLength: 12 });

function cutAt(whole: string, positions: readonly number[]): readonly string[] {
  const sorted = [0, ...positions.filter((position) => position < whole.length), whole.length].sort(
    (a, b) => a - b,
  );
  return sorted.slice(1).map((end, index) => whole.slice(sorted[index], end));
}

describe('for any answer', () => {
  const cutting = createLoop({ small: 500, full: 30_000 });
  const joining = createLoop({ small: 500, full: 30_000 });
  const calling = createLoop({ small: 200, full: 10_000 });

  test('it makes no difference where it is cut', () => {
    fc.assert(
      fc.property(scraps, cuts, (answer, positions) => {
        const whole = readWhole(answer);
        assert.deepEqual(readIn(cutAt(answer, positions)), whole);
        assert.deepEqual(readIn(answer.split('')), whole);
      }),
      cutting.runs(),
    );
  });

  test('without calls the pieces join to the text', () => {
    const plain = fc.string({
      maxLength: 60,
      unit: fc.constantFrom('a', ' ', '\n', '`', '``', '```', '~~~', 'js', '<', '>', '{', '"', '😀'),
    });
    fc.assert(
      fc.property(plain, cuts, (answer, positions) => {
        fc.pre(!answer.includes('<tool_call>'));
        assert.deepEqual(readIn(cutAt(answer, positions)), answer === '' ? [] : [text(answer)]);
      }),
      joining.runs(),
    );
  });

  test('the calls that it makes come out, with the text around them', () => {
    const input = fc
      .dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 })
      .map((value) => JSON.parse(JSON.stringify(value)) as Json)
      .filter((value) => !/__proto__|constructor|prototype|-0|<\/tool_call>/.test(JSON.stringify(value)));
    const anyCall = fc.record({
      name: fc.constantFrom(...tools),
      input,
      form: fc.nat(3),
      indent: fc.constantFrom(undefined, 2),
    });
    const prose = fc.stringMatching(/^[a-z .,!]{0,20}$/);
    fc.assert(
      fc.property(fc.array(fc.tuple(prose, anyCall), { maxLength: 4 }), cuts, (parts, positions) => {
        const answer = parts.map(([said, one]) => `${said}\n${written(one)}`).join('');
        const found = readIn(cutAt(answer, positions));
        assert.deepEqual(
          found.flatMap((one) => ('call' in one ? [one.call] : [])),
          parts.map(([, { name, input: given }]) => ({ name, input: given })),
        );
        const shown = found.map((one) => ('text' in one ? one.text : '')).join('');
        assert.equal(shown.replaceAll('\n', ''), parts.map(([said]) => said).join(''));
      }),
      calling.runs(),
    );
  });
});

function written(toolCall: { name: string; input: Json; form: number; indent: number | undefined }): string {
  const { name, input, form, indent } = toolCall;
  const ours = JSON.stringify({ tool: name, input }, undefined, indent);
  const theirs = JSON.stringify({ name, arguments: input }, undefined, indent);
  const forms = [
    `\`\`\`call\n${ours}\n\`\`\`\n`,
    `<tool_call>\n${theirs}\n</tool_call>\n`,
    `\`\`\`json\n${theirs}\n\`\`\`\n`,
    `\`\`\`\`\`call\n${ours}\n\`\`\`\`\`\n`,
  ];
  return forms[form] ?? '';
}

describe('a long answer takes time in proportion to its length', () => {
  const size = 100_000;
  const long: Readonly<Record<string, string>> = {
    'one line': 'a'.repeat(size),
    'spaces at its start': `{"name":${' '.repeat(size)}`,
    'spaces in a json block': `\`\`\`json\n${' '.repeat(size)}`,
    'spaces behind a tag': `<tool_call>${' '.repeat(size)}`,
    'a call on one line': `\`\`\`call {"tool": "note", "input": {"a": "${'x'.repeat(size)}"}}\n\`\`\``,
    'a call between tags': `<tool_call>{"name": "note", "arguments": {"a": "${'>'.repeat(size)}"}}`,
    'a whole answer': `{"name": "note", "arguments": {"a": "${'x'.repeat(size)}"}}`,
    'lines that nearly close': '```call\n' + '}``\n'.repeat(size / 4),
    'many backticks': '`'.repeat(size),
    'many tags': '<tool_call>'.repeat(size / 11),
    'many blocks': '```json\n'.repeat(size / 8),
    'many braces': '{'.repeat(size),
    'many blocks that are none': '```json\n{}\n```\n'.repeat(size / 15),
    'many calls': fenced.repeat(size / 50),
  };
  for (const [name, answer] of Object.entries(long)) {
    test(name, () => {
      readIn(answer.split('')); // quadratic time would take minutes
      readWhole(answer.repeat(4));
    });
  }
});
