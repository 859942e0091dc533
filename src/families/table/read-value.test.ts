import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clock, equipment, tableOf } from '../../../test/support/word-tables.ts';
import type { Json } from '../../core/json.ts';
import type { LocalClock } from '../../engines/values/calendar.ts';
import { showValue } from '../../engines/values/types.ts';
import { readValue } from './read-value.ts';
import type { Field } from './table.ts';

const all = tableOf(
  'All',
  ...[
    'string',
    'text',
    'integer',
    'bigint',
    'decimal',
    'boolean',
    'date',
    'datetime',
    'time',
    'json',
    'array',
  ].map((type) => `a_${type}: ${type}`),
  ...['email', 'url', 'uuid'].map((type) => `a_${type}: ${type}`),
);

function fieldOf(type: string): Field {
  return all.find(`a_${type}`)!;
}

const read: Readonly<Record<string, readonly (readonly [Json, Json])[]>> = {
  string: [
    [' a ', ' a '],
    ['', null],
    [null, null],
    [5, '5'],
    [true, 'true'],
    ['0', '0'],
    ['null', 'null'],
  ],
  integer: [
    ['1,250', 1250],
    ['-1,250,000', -1250000],
    ['+7', 7],
    ['007', 7],
    ['-0', 0],
    [-0, 0],
    ['−5', -5],
    [' ', null],
  ],
  bigint: [
    ['9007199254740993', '9007199254740993'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['12', 12],
    ['0012', 12],
  ],
  decimal: [
    ['0.1', 0.1],
    ['.5', 0.5],
    ['1,250.75', 1250.75],
    ['-3', -3],
    [1e21, 1e21],
    ['-0', 0],
    [0, 0],
  ],
  boolean: [
    ['Yes', true],
    ['off', false],
    [1, true],
    ['0', false],
    [false, false],
    ['TRUE', true],
  ],
  date: [
    ...[
      ['2026-11-16', '2026-11-16'] as const,
      ['2026/1/5', '2026-01-05'] as const,
      ['16.11.2026', '2026-11-16'] as const,
    ],
    ...[['16 November 2026', '2026-11-16'] as const, ['the 1st of May 2026', '2026-05-01'] as const],
    ...[
      ['Nov 16, 2026', '2026-11-16'] as const,
      ['Sept 3rd 2026', '2026-09-03'] as const,
      ['16-Nov-2026', '2026-11-16'] as const,
    ],
    ...[
      ['16/11/2026', '2026-11-16'] as const,
      ['11/16/2026', '2026-11-16'] as const,
      ['5/5/2026', '2026-05-05'] as const,
    ],
    ...[
      ['today', '2026-11-16'] as const,
      ['Yesterday', '2026-11-15'] as const,
      ['3 days ago', '2026-11-13'] as const,
    ],
    ...[
      ['in 2 weeks', '2026-11-30'] as const,
      ['a month ago', '2026-10-16'] as const,
      ['in 1 year', '2027-11-16'] as const,
    ],
    ...[
      ['29 February 2024', '2024-02-29'] as const,
      ['0001-01-01', '0001-01-01'] as const,
      ['now', '2026-11-16'] as const,
    ],
  ],
  datetime: [
    ['2026-11-16T14:30:00Z', '2026-11-16T14:30:00.000Z'],
    ['2026-11-16T14:30:00.123456+02:00', '2026-11-16T12:30:00.123Z'],
    ['2026-11-16 14:30', '2026-11-16T13:30:00.000Z'],
    ['2026-07-16 14:30:05', '2026-07-16T12:30:05.000Z'],
    ['16 Nov 2026 14:30', '2026-11-16T13:30:00.000Z'],
    ['Nov 16, 2026 at 2:30 pm', '2026-11-16T13:30:00.000Z'],
    ['2026-11-16', '2026-11-15T23:00:00.000Z'],
    ['now', '2026-11-16T11:00:00.000Z'],
    ['2 hours ago', '2026-11-16T09:00:00.000Z'],
    ['today 08:00', '2026-11-16T07:00:00.000Z'],
    ['2026-03-29 02:30', '2026-03-29T01:30:00.000Z'], // skipped: an hour later
    ['2026-10-25 02:30', '2026-10-25T00:30:00.000Z'], // twice: the first time
    ['2026-10-25 02:30 +01:00', '2026-10-25T01:30:00.000Z'],
  ],
  time: [
    ['14:30', '14:30:00'],
    ['2:30 pm', '14:30:00'],
    ['12 a.m.', '00:00:00'],
    ['12pm', '12:00:00'],
    ['noon', '12:00:00'],
    ['9:05:07', '09:05:07'],
  ],
  json: [
    ['{"a": [1, null]}', { a: [1, null] }],
    [{ a: 1 }, { a: 1 }],
    ['0', 0],
    ['null', null],
    ['""', null],
    [[1], [1]],
  ],
  array: [
    ['a, b', ['a', 'b']],
    ['["a", 1]', ['a', 1]],
    [['x'], ['x']],
    ['"a, b", c', ['a, b', 'c']],
    ['a', ['a']],
    ['[]', []],
  ],
  email: [
    [' ann@example.com ', 'ann@example.com'],
    ['Ann.B+c@sub.example.org', 'Ann.B+c@sub.example.org'],
  ],
  url: [
    ['https://example.com/a?b=1#c', 'https://example.com/a?b=1#c'],
    ['http://localhost:8080', 'http://localhost:8080'],
  ],
  uuid: [['0B0E7E1C-8A3F-4E7C-9B7D-1E0C7D1F2A3B', '0b0e7e1c-8a3f-4e7c-9b7d-1e0c7d1f2a3b']],
};

describe('what is given becomes the one form of its type', () => {
  for (const [type, cases] of Object.entries(read)) {
    test(type, () => {
      for (const [given, value] of cases) {
        assert.deepEqual(readValue(fieldOf(type), given, clock), { value }, JSON.stringify(given));
      }
    });
  }
});

const refused: Readonly<Record<string, readonly Json[]>> = {
  string: [{}, [], 'a\0b', '\ud800'],
  integer: ['1,25', '1,2500', '0,250', '1.5', 1.5, '1e3', 'x', '12345678901234567890', true, '１'],
  bigint: ['9223372036854775808', '1.0', '9'.repeat(1000), 1.5, 2 ** 53],
  decimal: ['1,25', '1e3', '1.2.3', '.', '-', '5.', 'NaN', 'Infinity', '9'.repeat(400), true, []],
  boolean: ['maybe', 2, [], 'y'],
  date: [
    '2026-02-29',
    '31 April 2026',
    '11/12/2026',
    '2026-13-01',
    '0000-01-01',
    '16 November',
    '2026',
    'soon',
    20261116,
  ],
  datetime: [
    '2026-02-30 10:00',
    '2026-11-16 24:00',
    '2026-11-16 10:60',
    '14:30',
    '2026-11-16T10:00:60Z',
    '11/12/2026 10:00',
    5,
  ],
  time: ['24:00', '13 pm', '0 am', '14', '14:5', '10:00:00.5', 5],
  json: ['abc', '{a: 1}', `${'['.repeat(80)}${']'.repeat(80)}`, '"\\u0000"'],
  array: ['a,,b', ',', 'a,', '[1', {}, 5, '"a" b'],
  email: ['nobody', 'a@b', 'a b@example.com', '@example.com', 'a@@example.com', 'a@example..com', 5],
  url: ['example.com', 'javascript:alert(1)', 'https://', 'ftp://example.com', 'https://a b'],
  uuid: ['123', '0b0e7e1c8a3f4e7c9b7d1e0c7d1f2a3b', 5],
};

test('what is not of the type is a fault that names field and value', () => {
  for (const [type, cases] of Object.entries(refused)) {
    for (const given of cases) {
      const value = readValue(fieldOf(type), given, clock);
      assert.ok('fault' in value, `${type} ${JSON.stringify(given)}: ${JSON.stringify(value)}`);
      assert.match(value.fault, new RegExp(`^"a_${type}" (?:must|cannot|contains) .+\\.$`, 's'));
    }
  }
  const field = fieldOf('date');
  assert.deepEqual(readValue(field, '11/12/2026', clock), {
    fault: '"a_date" cannot be "11/12/2026", which is ambiguous: write 2026-12-11 or 2026-11-12.',
  });
  const long = readValue(fieldOf('integer'), 'x\u0007'.repeat(100), clock);
  assert.ok('fault' in long && long.fault.length < 200 && !long.fault.includes('\u0007'));
});

test('values of a list get the declared spelling, whatever the type', () => {
  const status = equipment.find('status')!;
  assert.deepEqual(readValue(status, 'In-Repair', clock), { value: 'in repair' });
  assert.deepEqual(readValue(status, 'x', clock), {
    fault: '"status" must be one of "ok", "faulty", "in repair", "unknown", not "x".',
  });
  const listed = tableOf('T', 'size: integer; Values=[1, 2]', 'tags: array; Values=[Red, blue]');
  assert.deepEqual(readValue(listed.find('size')!, '2', clock), { value: 2 });
  assert.ok('fault' in readValue(listed.find('size')!, 3, clock));
  assert.deepEqual(readValue(listed.find('tags')!, 'RED, blue', clock), { value: ['Red', 'blue'] });
  assert.ok('fault' in readValue(listed.find('tags')!, ['green'], clock));
});

const zones: readonly (readonly [string, string, string])[] = [
  ['Australia/Lord_Howe', '2026-04-05 01:45', '2026-04-04T14:45:00.000Z'], // half an hour of saving
  ['Asia/Kathmandu', '2026-11-16 00:00', '2026-11-15T18:15:00.000Z'],
  ['Pacific/Apia', '2011-12-30 12:00', '2011-12-30T22:00:00.000Z'], // a day that there was not
  ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z'], // midnight is skipped
];

test('local times are those of the zone', () => {
  for (const [zone, given, value] of zones) {
    assert.deepEqual(readValue(fieldOf('datetime'), given, { ...clock, zone }), { value }, zone);
  }
});

test('values are shown on one line, with nothing hidden', () => {
  const shown: readonly (readonly [string, Json, string])[] = [
    ['string', null, '—'],
    ['string', 'a\u202eb\nc', 'a\\u{202e}b\\nc'],
    ['text', 'x'.repeat(5_000), 'x'.repeat(5_000)],
    ['decimal', 1e-7, '0.0000001'],
    ['decimal', -1.5e22, '-15000000000000000000000'],
    ['boolean', false, 'no'],
    ['integer', 0, '0'],
    ['datetime', '2026-11-16T13:30:00.000Z', '2026-11-16 14:30'],
    ['datetime', '2026-11-16T13:30:05.250Z', '2026-11-16 14:30:05.250'],
    ['datetime', '2026-10-25T01:30:00.000Z', '2026-10-25 02:30 +01:00'],
    ['datetime', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['time', '14:30:00', '14:30'],
    ['array', ['a', 'b'], 'a, b'],
    ['array', ['a, b', 1], '["a, b",1]'],
    ['json', { a: 'x' }, '{"a":"x"}'],
  ];
  for (const [type, value, text] of shown) assert.equal(showValue(fieldOf(type), value, clock), text);
});

test('a clock in another zone has another today', () => {
  const late: LocalClock = { now: Date.UTC(2026, 10, 16, 23, 30), zone: 'Europe/Berlin' };
  assert.deepEqual(readValue(fieldOf('date'), 'today', late), { value: '2026-11-17' });
  assert.deepEqual(readValue(fieldOf('date'), 'today', { ...late, zone: 'America/New_York' }), {
    value: '2026-11-16',
  });
});

test('the first hours of year 1 are shown so that they are read back, also west of Greenwich', () => {
  for (const zone of ['America/New_York', 'Europe/Berlin', 'UTC']) {
    const value = '0001-01-01T00:00:00.000Z';
    const shown = showValue(fieldOf('datetime'), value, { now: 0, zone });
    assert.deepEqual(readValue(fieldOf('datetime'), shown, { now: 0, zone }), { value });
  }
});
