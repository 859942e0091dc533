import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readType } from './values.ts';
import {
  defaultIn,
  listIn,
  listedValues,
  numberIn,
  patternIn,
  saysNo,
  saysYes,
} from '../../../engines/values/markdown-values.ts';

test('every word of the type map means its type', () => {
  const map: Readonly<Record<string, readonly string[]>> = {
    integer: ['int', 'integer', 'number', 'Integer', '`INT`', 'int(11)'],
    bigint: ['bigint'],
    decimal: ['decimal', 'float', 'double', 'numeric', 'decimal(10, 2)'],
    string: ['string', 'varchar', 'char', 'enum'],
    text: ['text', 'longtext'],
    boolean: ['bool', 'boolean', '- boolean.'],
    date: ['date'],
    datetime: ['datetime', 'timestamp'],
    time: ['time'],
    json: ['json', 'jsonb', 'object'],
    array: ['array'],
    email: ['email'],
    url: ['url'],
    uuid: ['uuid', '**UUID**'],
  };
  for (const [type, names] of Object.entries(map)) {
    for (const name of names) assert.equal(readType(name)?.type, type, name);
  }
});

test('brackets give a string its length and an enum its values', () => {
  assert.deepEqual(readType('varchar(255)'), { type: 'string', maxLength: 255 });
  assert.deepEqual(readType('varchar (255)'), { type: 'string', maxLength: 255 });
  assert.deepEqual(readType('varchar(max)'), { type: 'string' });
  assert.deepEqual(readType('enum(a, "b c")'), { type: 'string', values: ['a', 'b c'] });
  assert.deepEqual(readType('decimal(10)'), { type: 'decimal' });
});

test('prose is never a type', () => {
  for (const text of [
    '',
    'a date',
    'Maintenance point',
    'integer or text',
    'updated',
    'Object.prototype',
    '__proto__',
  ]) {
    assert.equal(readType(text), undefined, text);
  }
});

test('lists are brackets, bullets, commas or lines', () => {
  assert.deepEqual(listIn('[a, "b c", \'d\', a]'), ['a', 'b c', 'd']);
  assert.deepEqual(listIn('- a\n* b, still b\n\n2. `c`: explained'), ['a', 'b, still b', 'c']);
  assert.deepEqual(listIn('a, b\nc'), ['a', 'b', 'c']);
  assert.deepEqual(listIn('[]'), []);
});

test('an enumerator lists its values only where it writes a list', () => {
  assert.deepEqual(listedValues('[a]'), ['a']);
  assert.deepEqual(listedValues('One of [a, b], see [here](x,y).'), ['a', 'b']);
  assert.deepEqual(listedValues('- a\n- b'), ['a', 'b']);
  assert.equal(listedValues('Take "a" or "b" from [the list](a, b).'), undefined);
  assert.equal(listedValues('The names in [areas].'), undefined);
});

test('numbers may carry a unit and nothing else', () => {
  assert.equal(numberIn('80 characters.'), 80);
  assert.equal(numberIn('-1.5'), -1.5);
  for (const text of ['', 'Maximum 5 items', '5-10', '1e999', 'NaN', '0x10'])
    assert.equal(numberIn(text), undefined, text);
});

test('a pattern is bare, code, fenced or between slashes, and compiles', () => {
  assert.deepEqual(patternIn('^a$'), { source: '^a$', flags: '' });
  assert.deepEqual(patternIn('`^a.$`'), { source: '^a.$', flags: '' });
  assert.deepEqual(patternIn('```regex\n^a$\n```'), { source: '^a$', flags: '' });
  assert.deepEqual(patternIn('/^a$/gi'), { source: '^a$', flags: 'i' });
  assert.equal(patternIn('(a'), undefined);
  assert.equal(patternIn('/a/q'), undefined);
});

test('a default loses its quotes; null is none', () => {
  assert.equal(defaultIn('"ok"'), 'ok');
  assert.equal(defaultIn('`0`'), '0');
  assert.equal(defaultIn('""'), '');
  assert.equal(defaultIn('NULL'), undefined);
  assert.equal(defaultIn('"null"'), 'null');
});

test('no text says both yes and no', () => {
  assert.ok(saysYes('') && saysYes('Always required.') && !saysYes('When it rains'));
  assert.ok(saysNo('No.') && saysNo('optional') && !saysNo('When it rains'));
  fc.assert(
    fc.property(fc.string(), (text) => {
      assert.ok(!(saysYes(text) && saysNo(text)));
    }),
  );
});
