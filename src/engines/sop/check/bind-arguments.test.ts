import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../../../core/json.ts';
import { checkSop } from './check-sop.ts';
import type { BoundInput, Item } from '../checked-plan.ts';
import type { SopCommand } from '../command.ts';

type Row = readonly [given: string, input: Json];

const values: Readonly<Record<string, Json>> = {
  text: 'hello',
  number: 7,
  digits: '42',
  yes: true,
  nothing: null,
  list: [1, 2],
  jsonList: '[3, 4]',
  object: { name: 'Ada', tags: ['x', 'y'], deep: { on: false } },
};

describe('a command without a schema', () => {
  takes(undefined, [
    ['', ''],
    ['one', 'one'],
    ['one two', 'one two'],
    ['"one two" three', 'one two three'],
    ['$object', values['object'] ?? null],
    ['$digits', '42'],
    ['$nothing', null],
    ['$text $number $object.tags end', 'hello 7 ["x","y"] end'],
    ['key=value', 'key=value'],
    ['$object.deep.on', false],
  ]);
});

describe('a schema that is not an object', () => {
  takes({ type: 'number' }, [
    ['5', 5],
    ['-0.5e1', -5],
    ['-0', 0],
    ['$digits', 42],
    ['$number', 7],
  ]);
  takes({ type: 'string' }, [
    ['5', '5'],
    ['one two', 'one two'],
    ['$object.tags', '["x","y"]'],
    ['$number', '7'],
    ['', ''],
  ]);
  takes({ type: ['integer', 'null'] }, [
    ['null', null],
    ['12', 12],
  ]);
  takes({ anyOf: [{ type: 'boolean' }, { type: 'integer' }] }, [
    ['true', true],
    ['3', 3],
  ]);
  takes({ type: 'object' }, [
    ['', {}],
    [`'{"a": 1}'`, { a: 1 }],
    ['$object.deep', { on: false }],
  ]);
  takes({ enum: [1, 2, 'three'] }, [['three', 'three']]);
  takes({ const: 5 }, [['5', 5]]);
});

describe('a schema of a list', () => {
  takes({ type: 'array', items: { type: 'integer' } }, [
    ['', []],
    ['1', [1]],
    ['1 2', [1, 2]],
    ['1 $digits', [1, 42]],
    ['$list', [1, 2]],
    ['$jsonList', [3, 4]],
    ['"[5, 6]"', [5, 6]],
  ]);
  takes({ type: 'array' }, [['a "b c"', ['a', 'b c']]]);
});

describe('a schema of an object', () => {
  const person = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      age: { type: 'integer' },
      isMember: { type: 'boolean' },
      address: { type: 'object' },
    },
    required: ['name'],
  };
  takes(person, [
    ['Ada', { name: 'Ada' }],
    ['Ada 36 true', { name: 'Ada', age: 36, isMember: true }],
    ['age=36 Ada true', { name: 'Ada', age: 36, isMember: true }],
    ['Ada isMember=false', { name: 'Ada', isMember: false }],
    ['name="Ada L" age=$digits', { name: 'Ada L', age: 42 }],
    ['name=', { name: '' }],
    ['$number', { name: '7' }],
    ['$yes', { name: 'true' }],
    [`Ada address='{"city": "Bath"}'`, { name: 'Ada', address: { city: 'Bath' } }],
    ['$object.name address=$object.deep', { name: 'Ada', address: { on: false } }],
    ['"36"', { name: '36' }],
  ]);

  describe('with one place that takes text', () => {
    takes({ type: 'object', properties: { text: { type: 'string' } } }, [
      ['', {}],
      ['one', { text: 'one' }],
      ['one two "three four"', { text: 'one two three four' }],
      ['$object.deep', { text: '{"on":false}' }],
      ['see $list', { text: 'see [1,2]' }],
    ]);
    takes({ type: 'object', properties: { value: {} } }, [
      ['$object.deep', { value: { on: false } }],
      ['a b', { value: 'a b' }],
    ]);
  });

  describe('with a list in the last place', () => {
    const tagged = {
      type: 'object',
      properties: { name: { type: 'string' }, tags: { type: 'array', items: { type: 'number' } } },
    };
    takes(tagged, [
      ['a', { name: 'a' }],
      ['a 1', { name: 'a', tags: [1] }],
      ['a 1 2 $digits', { name: 'a', tags: [1, 2, 42] }],
      ['a $list', { name: 'a', tags: [1, 2] }],
      ['a tags=$list', { name: 'a', tags: [1, 2] }],
      ['a tags=[1]', { name: 'a', tags: [1] }],
      ['tags=[1] a', { name: 'a', tags: [1] }],
    ]);
  });

  test('fills places in the order of the names of its arguments, the rest by key', () => {
    const commands = [{ name: 'do', input: person, argumentNames: ['age', 'name'], run: () => null }];
    assert.deepEqual(inputOf('36 Ada isMember=true', commands).input, {
      age: 36,
      name: 'Ada',
      isMember: true,
    });
  });

  test('reads definitions that it refers to', () => {
    const schema = {
      $ref: '#/$defs/order',
      $defs: {
        order: { type: 'object', properties: { count: { $ref: '#/$defs/count' }, note: { type: 'string' } } },
        count: { type: 'integer', minimum: 1 },
      },
    };
    assert.deepEqual(inputOf('3', [{ name: 'do', input: schema, run: () => null }]).input, { count: 3 });
    assert.deepEqual(codesOf('0', schema), ['sop.bad-argument']);
  });

  test('may refer to itself', () => {
    const schema = {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          type: 'object',
          properties: { name: { type: 'string' }, nodes: { type: 'array', items: { $ref: '#/$defs/node' } } },
        },
      },
    };
    assert.deepEqual(
      inputOf(`a '{"name": "b"}' $object`, [{ name: 'do', input: schema, run: () => null }]).input,
      {
        name: 'a',
        nodes: [{ name: 'b' }, values['object']],
      },
    );
    const list = {
      $ref: '#/$defs/list',
      $defs: { list: { type: 'array', items: { $ref: '#/$defs/list' } } },
    };
    assert.deepEqual(inputOf('[] [[]]', [{ name: 'do', input: list, run: () => null }]).input, [[], [[]]]);
  });

  test('leaves defaults to the command', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string', default: 'x' } },
      required: ['a'],
    };
    assert.deepEqual(inputOf('', [{ name: 'do', input: schema, run: () => null }]).input, {});
  });

  test('takes the names of prototypes as keys', () => {
    const schema = JSON.parse(
      '{"type": "object", "properties": {"__proto__": {"type": "string"}, "constructor": {}, "toString": {}}}',
    ) as JsonObject;
    const { input } = inputOf('a toString=b constructor=c', [{ name: 'do', input: schema, run: () => null }]);
    assert.equal(JSON.stringify(input), '{"__proto__":"a","toString":"b","constructor":"c"}');
    assert.equal(Object.getPrototypeOf(input), Object.prototype);
  });

  test('does not take the names of prototypes that it does not declare', () => {
    const { input } = inputOf('constructor=c', [
      { name: 'do', input: { type: 'object', properties: { text: { type: 'string' } } }, run: () => null },
    ]);
    assert.deepEqual(input, { text: 'constructor=c' });
  });

  test('cannot be read: arguments are bound, and the command itself tells', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '(' } } };
    assert.deepEqual(inputOf('x', [{ name: 'do', input: schema, run: () => null }]).input, { a: 'x' });
  });
});

test('a value that does not fit when the step runs fails with its place', () => {
  const input = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } };
  assert.throws(() => inputOf('1 $text', [{ name: 'do', input, run: () => null }]), {
    code: 'usage.bad-input',
    message: 'Invalid input for "do": b must be a number, not a string.',
  });
});

test('a way that leads nowhere fails when the step runs', () => {
  assert.throws(() => inputOf('$object.nme', []), {
    code: 'usage.bad-input',
    message: '$object.nme does not exist: $object is an object without "nme".',
  });
});

test('the arguments without a key are given as they are', () => {
  const input = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } };
  const bound = inputOf('a=1 $digits', [{ name: 'do', input, run: () => null }]);
  assert.deepEqual(bound, { input: { a: 1, b: 42 }, arguments: ['42'] });
});

describe('each', () => {
  const item: Item = { value: { id: 'x', n: 3 }, index: 2 };
  for (const [given, input, positional] of [
    ['', { id: 'x', n: 3 }, [{ id: 'x', n: 3 }]],
    ['behind', '{"id":"x","n":3} behind', [{ id: 'x', n: 3 }, 'behind']],
    ['no $index', 'no 2', ['no', 2]],
    ['$item.id', 'x', ['x']],
    ['$item.id of $text', 'x of hello', ['x', 'of', 'hello']],
  ] as const) {
    test(`gives the item to "do ${given}"`, () => {
      assert.deepEqual(inputOf(given, [], item), { input, arguments: positional });
    });
  }

  test('puts the item in the first place that no key fills', () => {
    const schema = { type: 'object', properties: { unit: { type: 'string' }, of: { type: 'object' } } };
    const commands = [{ name: 'do', input: schema, run: () => null }];
    assert.deepEqual(inputOf('unit=kg', commands, item).input, { unit: 'kg', of: item.value });
  });
});

/** Adds one test for each way to write arguments. */
function takes(schema: JsonObject | undefined, rows: readonly Row[]): void {
  for (const [given, input] of rows) {
    test(`${JSON.stringify(schema) ?? 'nothing'}: "do ${given}"`, () => {
      const command = { name: 'do', run: () => null };
      assert.deepEqual(
        inputOf(given, [schema === undefined ? command : { ...command, input: schema }]).input,
        input,
      );
    });
  }
}

function inputOf(given: string, commands: readonly SopCommand[], item?: Item): BoundInput {
  const declared = Object.keys(values).map((name) => `@${name} assign x`);
  const each = item === undefined ? '' : 'each $list ';
  const script = [...declared, `@result ${each}do ${given}`].join('\n');
  const { plan, issues } = checkSop(script, [{ name: 'do', run: () => null }, ...commands]);
  assert.deepEqual(issues, []);
  const step = plan?.steps.at(-1);
  assert.ok(step !== undefined);
  return step.inputFrom((variable) => values[variable] ?? null, item);
}

function codesOf(given: string, input: JsonObject): readonly string[] {
  return checkSop(`@result do ${given}`, [{ name: 'do', input, run: () => null }]).issues.map(
    ({ code }) => code,
  );
}
