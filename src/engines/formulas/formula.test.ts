import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../core/json.ts';
import { normaliseKey } from '../../core/names.ts';
import { evaluate, readExpression, type Expression, type FindField } from './formula.ts';
import { orderDerived } from './order.ts';

type TableRow = Readonly<Record<string, Json>>;

const types: Readonly<Record<string, string>> = {
  quantity: 'integer',
  unit_price: 'decimal',
  total: 'decimal',
  serial: 'bigint',
  name: 'string',
  last_name: 'string',
  'research and development': 'decimal',
  active: 'boolean',
  ordered_on: 'date',
  at: 'datetime',
  extra: 'json',
};

const find: FindField = (given) => {
  const key = given === 'price' ? 'unit-price' : normaliseKey(given);
  const name = Object.keys(types).find((one) => normaliseKey(one) === key);
  return name === undefined ? undefined : { name, type: types[name] ?? '' };
};

const row: TableRow = {
  quantity: 3,
  unit_price: 19.99,
  total: null,
  serial: '9007199254740993',
  name: 'Ann',
  last_name: 'Lee',
  'research and development': 7,
  active: true,
  ordered_on: '2026-05-31',
  at: '2026-12-01T23:00:00.000Z',
  extra: { a: 1 },
};

function worth(text: string, over: TableRow = {}, own?: string): Json | undefined {
  const expression = readExpression(text, find, own);
  return expression && evaluate(expression, { ...row, ...over });
}

describe('an expression', () => {
  const worths: readonly (readonly [string, Json])[] = [
    ['quantity * price', 59.97],
    ['= quantity * [Unit Price]', 59.97],
    ['`unit price * quantity`', 59.97],
    ['~~~js\nquantity\n  * price\n~~~', 59.97],
    ['quantity + 1.', 4],
    ['2 + 3 * 4 - -1', 15],
    ['(2 + 3) * 4 / 8', 2.5],
    ['10 − 2 × 3 ÷ 6', 9],
    ['0.1 + 0.2', 0.3],
    ['9007199254740991 - 1', 9007199254740990],
    ['name + " " + last_name', 'Ann Lee'],
    ["name + '-' + quantity", 'Ann-3'],
    ['concat(name, active, 1)', 'Anntrue1'],
    ['"say \\"x\\" \\\\"', 'say "x" \\'],
    ['round(unit_price * 0.19, 2)', 3.8],
    ['round(1.005, 2)', 1.01],
    ['round(-2.5)', -3],
    ['round(1234, -2)', 1200],
    ['abs(-2) + floor(1.9) + ceil(1.1)', 5],
    ['min(3, quantity, 9) + max(1, 2)', 5],
    ['lower("ÄB") + upper("ß") + trim("  x ")', 'äbSSx'],
    ['length("a😀b")', 3],
    ['replace("a.b.c", ".", "$&")', 'a$&b$&c'],
    ['replace(name, "n", "")', 'A'],
    ['year(ordered_on) * 10000 + month(at) * 100 + day(at)', 20261201],
    ['if(quantity < 5, "reorder", "ok")', 'reorder'],
    ['if(total > 1, 1)', null],
    ['coalesce(total, quantity)', 3],
    ['quantity >= 3 and not (quantity > 3) or false', true],
    ['not active', false],
    ['quantity <> 3 || quantity == 3', true],
    ['name = "ANN" && name < "b"', true],
    ['total = null', true],
    ['name != null', true],
    ['research and development + 1', 8],
    ['serial > 9007199254740991', true],
    ['if(total = null or total < 5, 1, 2)', 1],
    ['extra = extra', true],
  ];
  for (const [text, expected] of worths) {
    test(`${text.replaceAll('\n', ' ')} is ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(worth(text), expected);
    });
  }

  test('may be after the name of its own field, which then is not a comparison', () => {
    assert.equal(worth('total = quantity * 2', {}, 'total'), 6);
    assert.equal(worth('Total: 3', {}, 'total'), undefined);
    assert.equal(worth('quantity = 3', {}, 'total'), true);
  });

  test('without a value in it has none', () => {
    const without = { quantity: null, name: null, active: null, ordered_on: null };
    const texts = [
      'quantity * 2',
      '-quantity',
      'name + "x"',
      'round(quantity)',
      'quantity < 3',
      'not active',
    ];
    for (const text of [...texts, 'year(ordered_on)', 'min(1, quantity)', 'active and true'])
      assert.equal(worth(text, without), null, text);
    assert.equal(worth('active and false', without), false);
    assert.equal(worth('active or true', without), true);
  });

  test('that cannot be worked out has no value', () => {
    for (const text of ['1 / 0', '0 / 0', 'quantity / (3 - quantity)', 'extra * 2', 'abs(extra)'])
      assert.equal(worth(text), null, text);
    const huge = Array.from({ length: 30 }, () => '99999999999999999999').join(' * ');
    assert.equal(worth(huge), null);
    assert.equal(evaluate({ field: 'constructor' }, {}), null);
  });

  test('that names, signs or kinds make no sense of is prose', () => {
    const prose = [
      ...['', '=', 'the price times the quantity', 'quantity times price', 'quantity *', '* quantity', 'a b'],
      ...['quantity price', 'quantity; price', 'quantity % 2', 'sum(quantity)', 'round()', 'round(1, 2, 3)'],
      ...['today', 'days(ordered_on, today)', 'name * 2', '-name', 'ordered_on - at', 'active + 1'],
      ...['quantity and active', 'quantity < name', '1 < 2 < 3', '(quantity', 'quantity)', 'if(1, 2, 3)'],
      ...[
        '"open',
        '[unknown]',
        '[quantity',
        'price = name',
        '`quantity` times `price`',
        '1.2.3',
        '3rd',
        '1e5',
      ],
      ...[
        'constructor',
        '__proto__',
        'year(quantity)',
        'length(5)',
        'round(quantity price',
        'if(true, 1 quantity',
        'max(1, quantity',
      ],
    ];
    for (const text of prose) assert.equal(readExpression(text, find), undefined, text);
  });

  test('is bounded in length and depth', () => {
    assert.equal(readExpression(`${'('.repeat(900)}1${')'.repeat(900)}`, find), undefined);
    assert.equal(readExpression('-'.repeat(1500) + '1', find), undefined);
    assert.equal(readExpression('not '.repeat(300) + 'true', find), undefined);
    assert.equal(readExpression('1 + '.repeat(600) + '1', find), undefined);
    assert.equal(readExpression(`"${'x'.repeat(3000)}"`, find), undefined);
    assert.equal(worth('1 + '.repeat(200) + '1'), 201);
    const name = 'a'.repeat(40_000); // inserted into itself, it would be longer than any text can be
    for (const text of ['replace(name, "a", name)', `concat(${Array(30).fill('name').join(', ')})`])
      assert.equal(worth(text, { name }), null);
  });

  test('reads whatever text there is without a throw', () => {
    const tokens = [
      'quantity',
      'price',
      'name',
      '(',
      ')',
      '+',
      '-',
      '*',
      '/',
      '<',
      'and',
      'not',
      'if',
      ',',
      '"x"',
    ];
    const piece = fc.oneof(
      fc.constantFrom(...tokens, '[', ']', '=', 'round', 'null', '`', '\\', '"'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
        const expression = readExpression(pieces.join(' '), find);
        if (expression !== undefined) assert.notEqual(evaluate(expression, row), undefined);
      }),
      { numRuns: 500 },
    );
  });
});

describe('expressions as they are drawn', () => {
  /** An expression, and its value computed in another way. */
  interface Drawn {
    readonly text: string;
    readonly worth: number | null;
  }
  const values: TableRow = { quantity: 4, unit_price: 2.5, total: null };
  const leaf = fc.oneof(
    fc.integer({ min: 0, max: 50 }).map((value): Drawn => ({ text: String(value), worth: value })),
    fc.constantFrom('quantity', 'unit_price', 'total').map((name): Drawn => {
      return { text: name, worth: values[name] as number | null };
    }),
  );
  const { drawn } = fc.letrec<{ drawn: Drawn }>((tie) => ({
    drawn: fc.oneof(
      { maxDepth: 6, withCrossShrink: true },
      leaf,
      fc.tuple(tie('drawn'), fc.constantFrom('+', '-', '*', '/'), tie('drawn')).map(joined),
      fc.tuple(tie('drawn'), tie('drawn'), tie('drawn')).map(chosen),
    ),
  }));

  function joined([left, sign, right]: readonly [Drawn, string, Drawn]): Drawn {
    const text = `(${left.text} ${sign} ${right.text})`;
    if (left.worth === null || right.worth === null) return { text, worth: null };
    const plain = {
      '+': left.worth + right.worth,
      '-': left.worth - right.worth,
      '*': left.worth * right.worth,
    };
    const result = sign === '/' ? left.worth / right.worth : plain[sign as '+'];
    return { text, worth: Number.isFinite(result) ? result : null };
  }

  function chosen([one, other, last]: readonly [Drawn, Drawn, Drawn]): Drawn {
    const isLess = one.worth !== null && other.worth !== null && one.worth < other.worth;
    return {
      text: `if(${one.text} < ${other.text}, ${last.text}, coalesce(${one.text}, 1))`,
      worth: isLess ? last.worth : (one.worth ?? 1),
    };
  }

  test('are worth what a plain reckoning says', () => {
    fc.assert(
      fc.property(drawn, ({ text, worth: expected }) => {
        fc.pre(text.length < 1500);
        const expression = readExpression(text, find);
        if (expression === undefined) return; // deeper than the limit
        const found = evaluate(expression, values);
        if (expected === null || found === null) assert.equal(found, expected, text);
        else
          assert.ok(Math.abs((found as number) - expected) <= 1e-9 * Math.max(1, Math.abs(expected)), text);
      }),
      { numRuns: 500 },
    );
  });
});

describe('derived fields', () => {
  const expressions = (texts: Readonly<Record<string, string>>): ReadonlyMap<string, Expression> =>
    new Map(
      Object.entries(texts).map(([name, text]) => [
        name,
        readExpression(text, (one) => ({ name: one, type: 'decimal' })) ?? { value: null },
      ]),
    );

  test('come after those that they follow from', () => {
    const { ordered, circular } = orderDerived(
      expressions({ gross: 'net + tax', tax: 'net * 0.19', net: 'a * b' }),
    );
    assert.deepEqual([ordered, circular], [['net', 'tax', 'gross'], []]);
  });

  test('that follow from themselves are reported, and those after them are not', () => {
    const texts = {
      own: 'own + 1',
      one: 'other',
      other: 'third',
      third: 'one',
      behind: 'one + after',
      after: 'a',
    };
    const { ordered, circular } = orderDerived(expressions(texts));
    assert.deepEqual(circular, ['own', 'one', 'other', 'third']);
    assert.deepEqual(ordered, ['after', 'behind']);
  });
});
