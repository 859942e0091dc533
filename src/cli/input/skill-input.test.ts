import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { tree } from '../../../test/support/tree.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { Skill } from '../../core/skill.ts';
import { splitArguments } from '../../families/agent-skill/render/arguments.ts';
import { splitFlags } from './flags.ts';
import { argumentText, skillInput } from './skill-input.ts';

function skill(input?: JsonObject, argumentNames: readonly string[] = []): Skill {
  const card = { description: 'Does it.', argumentNames, ...(input === undefined ? {} : { input }) };
  const none = {
    aliases: [],
    family: 'f',
    source: 'explicit',
    root: '',
    dir: '',
    file: '',
    issues: [],
  } as const;
  return { name: 'it', card, status: 'ready', ...none };
}

interface How {
  readonly schema?: JsonObject;
  readonly argument?: string;
  readonly cwd?: string;
  readonly stdin?: string;
  readonly json?: string;
  readonly splitsArguments?: boolean;
  readonly acceptsText?: boolean;
  readonly names?: readonly string[];
}

async function inputOf(args: readonly string[], how: How = {}): Promise<Json | undefined> {
  const { known, given } = splitFlags(args, {});
  const said = {
    args: known.filter((arg) => arg !== '--'),
    given,
    json: how.json,
    known: ['json', 'quiet'],
    splitsArguments: how.splitsArguments ?? false,
    acceptsText: how.acceptsText ?? false,
  };
  const stdin = (async function* () {
    yield new TextEncoder().encode(how.stdin ?? '');
  })();
  return skillInput(skill(how.schema, how.names), how.argument, said, { cwd: how.cwd ?? '/', stdin });
}

const schema: JsonObject = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    count: { type: 'integer' },
    factor: { type: 'number' },
    deep: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    sizes: { type: 'array', items: { type: 'number' } },
    more: { type: 'object' },
    either: { anyOf: [{ type: 'number' }, { type: 'null' }] },
    maxItems: { type: 'integer' },
    free: {},
  },
  required: ['title', 'count'],
  additionalProperties: false,
};

describe('without a schema', () => {
  test('nothing is nothing', async () => assert.equal(await inputOf([]), undefined));
  test('words are one text', async () => assert.equal(await inputOf(['a', 'b', '5']), 'a b 5'));
  test('one word that is a JSON object is that object', async () => {
    assert.deepEqual(await inputOf(['{"a": 1}']), { a: 1 });
    assert.equal(await inputOf(['{a: 1}']), '{a: 1}');
    assert.equal(await inputOf(['[1]']), '[1]');
    assert.equal(await inputOf(['{"a": 1}', 'x']), '{"a": 1} x');
  });
  test('flags make an object of texts', async () => {
    assert.deepEqual(await inputOf(['--a', '1', '--b', '--c=x']), { a: '1', b: true, c: 'x' });
  });
  test('words beside flags are the default argument', async () => {
    assert.deepEqual(await inputOf(['some', 'words', '--a', '1']), { input: 'some words', a: '1' });
    assert.deepEqual(await inputOf(['words', '--a=1'], { argument: 'prompt' }), { prompt: 'words', a: '1' });
  });
  test('a flag with a typo of a known flag is a mistake; a shorter or more different one is input', async () => {
    const code = 'usage.unknown-flag';
    for (const flag of ['--quite', '--quiett', '--qviet'])
      await assert.rejects(inputOf([flag, 'x']), { code, details: { near: ['quiet'] } });
    assert.deepEqual(await inputOf(['--quie', 'x', '--quilts', 'y']), { quie: 'x', quilts: 'y' });
    assert.equal(await inputOf(['--', '--quite']), '--quite');
  });
  test('a declared argument that resembles a known flag is input, in any spelling', async () => {
    const names = ['quite', 'file_name'];
    assert.deepEqual(await inputOf(['--quite', 'x', '--file-name', 'y'], { names }), {
      quite: 'x',
      file_name: 'y',
    });
    const schema = { properties: { a: { type: 'string' } }, additionalProperties: false };
    await assert.rejects(inputOf(['--quite', 'x'], { names, schema }), { code: 'usage.unknown-flag' });
  });
  test('a flag named __proto__ is only a key', async () => {
    const input = await inputOf(['--__proto__', 'x']);
    assert.equal(JSON.stringify(input), '{"__proto__":"x"}');
  });
  test('the whole input as JSON, whatever it is', async () => {
    assert.deepEqual(await inputOf([], { json: '[1, "a"]' }), [1, 'a']);
    await assert.rejects(inputOf([], { json: '{a}' }), { code: 'usage.bad-input' });
    await assert.rejects(inputOf(['x'], { json: '{}' }), { code: 'usage.bad-input', message: /--args-json/ });
  });
  test('- is stdin and @file a file, as words and as values', async () => {
    using files = tree({ 'in.txt': 'from a file\n', 'in.json': '{"n": 1}' });
    const how = { cwd: files.path, stdin: 'from stdin\n' };
    assert.equal(await inputOf(['-'], how), 'from stdin');
    assert.equal(await inputOf(['@in.txt'], how), 'from a file');
    assert.deepEqual(await inputOf(['@in.json'], how), { n: 1 });
    assert.deepEqual(await inputOf(['--a', '@in.txt', '--b', '-'], how), {
      a: 'from a file',
      b: 'from stdin',
    });
    assert.deepEqual(await inputOf([], { ...how, json: '@in.json' }), { n: 1 });
    await assert.rejects(inputOf(['@missing'], how), { code: 'usage.not-found' });
  });
});

describe('for a skill that reads words out of a text', () => {
  const how = { splitsArguments: true };
  test('several words stay the words that they are', async () => {
    assert.equal(await inputOf(['a b', 'c'], how), '"a b" c');
    assert.equal(await inputOf(['a', 'b'], how), 'a b');
  });
  test('a single word is text as it is typed', async () => {
    assert.equal(await inputOf(['a "b c"'], how), 'a "b c"');
    assert.equal(await inputOf(["Ann's bike"], how), "Ann's bike");
  });
  test('among others, @name and { are neither files nor JSON', async () => {
    assert.equal(await inputOf(['@ann', 'b c'], how), '@ann "b c"');
    assert.equal(await inputOf(['{"a":1}', 'x'], how), `'{"a":1}' x`);
    assert.equal(await inputOf(['-', 'x'], how), '- x');
  });
  test('words that are a part of an object need no quotes', async () => {
    const title = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
    assert.deepEqual(await inputOf(['a b', 'c'], { ...how, schema: title }), { title: 'a b c' });
  });
  test('where the arguments have names, the skill itself knows which word is what', async () => {
    const named = { ...how, names: ['title', 'count'], schema };
    assert.equal(await inputOf(['some title', '3'], named), '"some title" 3');
    assert.deepEqual(await inputOf(['--title', 'x', '--count', '3'], named), { title: 'x', count: 3 });
    assert.deepEqual(await inputOf(['{"title": "x"}'], named), { title: 'x' });
    assert.deepEqual(await inputOf([], named), {});
  });
});

describe('with a schema', () => {
  const cases: readonly (readonly [args: readonly string[], input: Json])[] = [
    [[], {}],
    [['--title', '5', '--count', '5'], { title: '5', count: 5 }],
    [['--factor=-0.5'], { factor: -0.5 }],
    [['--factor', '-0.5'], { factor: -0.5 }],
    [['--deep'], { deep: true }],
    [['--deep', 'false'], { deep: false }],
    [['--no-deep'], { deep: false }],
    [['--tags', '["a", "b"]'], { tags: ['a', 'b'] }],
    [['--tags', 'a', '--tags', 'b'], { tags: ['a', 'b'] }],
    [['--tags', 'a, b'], { tags: ['a, b'] }],
    [['--sizes', '1', '--sizes', '2'], { sizes: [1, 2] }],
    [['--more', '{"a": [1]}'], { more: { a: [1] } }],
    [['--either', 'null'], { either: null }],
    [['--either', '3'], { either: 3 }],
    [['--free', '3'], { free: '3' }],
    [['--max-items', '3'], { maxItems: 3 }],
    [['--TITLE', 'x'], { title: 'x' }],
    [['some', 'title', '--count', '1'], { title: 'some title', count: 1 }],
    [['{"title": "t"}', '--count', '2'], { title: 't', count: 2 }],
  ];
  for (const [args, input] of cases) {
    test(args.join(' ') || 'nothing', async () => assert.deepEqual(await inputOf(args, { schema }), input));
  }

  const mistakes: readonly (readonly [args: readonly string[], code: string, hint: RegExp])[] = [
    [['--count', 'five'], 'usage.bad-input', /whole number/],
    [['--count', '1.5'], 'usage.bad-input', /whole number/],
    [['--deep', 'maybe'], 'usage.bad-input', /^Use true or false\.$/],
    [['--more', 'x'], 'usage.bad-input', /JSON/],
    [['--title'], 'usage.bad-input', /--title <string>/],
    [['some', 'words', '--title', 'x'], 'usage.bad-input', /--title/],
    [['--titel', 'x'], 'usage.unknown-flag', /--title/],
    [['--jsno'], 'usage.unknown-flag', /--json/],
    [['--frobnicate'], 'usage.unknown-flag', /--title, --count/],
  ];
  for (const [args, code, hint] of mistakes) {
    test(`${args.join(' ')}: ${code}`, async () => {
      await assert.rejects(inputOf(args, { schema }), { code, hint });
    });
  }

  test('a property is set by its own flag, even if a known flag is nearly the same', async () => {
    const quite: JsonObject = { type: 'object', properties: { quite: { type: 'string' } } };
    assert.deepEqual(await inputOf(['--quite', 'x'], { schema: quite }), { quite: 'x' });
  });
  test('words go to the default argument if it is described', async () => {
    const prompt = { type: 'object', properties: { a: { type: 'string' }, prompt: { type: 'string' } } };
    assert.deepEqual(await inputOf(['x', 'y'], { schema: prompt, argument: 'prompt' }), { prompt: 'x y' });
    await assert.rejects(inputOf(['x'], { schema: prompt, argument: 'input' }), {
      code: 'usage.bad-input',
      hint: /--a <value> --prompt <value>/,
    });
  });

  test('that is not an object, words are the value and flags are a mistake', async () => {
    assert.equal(await inputOf(['5'], { schema: { type: 'number' } }), 5);
    assert.deepEqual(await inputOf(['[1, 2]'], { schema: { type: 'array' } }), [1, 2]);
    assert.equal(await inputOf(['5'], { schema: { type: ['string', 'number'] } }), '5');
    await assert.rejects(inputOf(['--a', '1'], { schema: { type: 'string' } }), { code: 'usage.bad-input' });
  });

  test('that says nothing, anything is taken', async () => {
    assert.equal(await inputOf(['5'], { schema: {} }), '5');
    assert.deepEqual(await inputOf(['--a', '5'], { schema: {} }), { a: '5' });
  });
});

describe('a skill that reads words itself', () => {
  const how = {
    schema: { type: 'object', properties: { from: {}, to: {} }, required: ['from', 'to'] },
    acceptsText: true,
  };

  test('gets them as they are', async () => {
    assert.equal(await inputOf(['a', 'to', 'b'], how), 'a to b');
  });

  test('gets an object for flags, and for JSON', async () => {
    assert.deepEqual(await inputOf(['--from', 'a', '--to', 'b'], how), { from: 'a', to: 'b' });
    assert.deepEqual(await inputOf(['{"from": "a", "to": "b"}'], how), { from: 'a', to: 'b' });
    assert.deepEqual(await inputOf([], how), {});
  });
});

const rows: readonly (readonly [args: readonly string[], text: string])[] = [
  [[], ''],
  [['42', 'urgent'], '42 urgent'],
  [['a b', 'c'], '"a b" c'],
  [['', 'c'], '"" c'],
  [['say "no"', 'c'], `'say "no"' c`],
  [["Ann's", 'bike'], `"Ann's" bike`],
  [[`Ann's "bike"`, 'c'], `"Ann's \\"bike\\"" c`],
  [['C:\\temp', 'c'], `'C:\\temp' c`],
  [[`it's C:\\`, 'c'], `"it's C:\\\\" c`],
  [['two\nlines', 'c'], '"two\nlines" c'],
  [['$HOME', '`id`', '--flag', '*.md', 'ä'], '$HOME `id` --flag *.md ä'],
];

for (const [args, text] of rows) {
  test(JSON.stringify(args), () => assert.equal(argumentText(args), text));
}

test('whatever the words are, the same ones are read again', () => {
  const arg = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('a', ' ', '\n', '"', "'", '\\') }));
  fc.assert(fc.property(fc.array(arg), (args) => assert.deepEqual(splitArguments(argumentText(args)), args)));
});
