import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../core/json.ts';
import { lookInto, reachInto } from './checked-plan.ts';

const value: Json = { a: { b: [1, { c: null }] }, '': 'blank', text: '{"x": 1}', '0': 'zero' };

for (const [way, found] of [
  [[], value],
  [['a', 'b', '1', 'c'], null],
  [['a', 'b', '0'], 1],
  [['0'], 'zero'],
  [[''], 'blank'],
] as const) {
  test(`the way ${JSON.stringify(way)} leads to ${JSON.stringify(found)}`, () => {
    assert.deepEqual(lookInto(value, way), { found: true, value: found });
  });
}

for (const [way, depth, last] of [
  [['b'], 0, value],
  [['a', 'b', '2'], 2, [1, { c: null }]],
  [['a', 'b', '-1'], 2, [1, { c: null }]],
  [['a', 'b', '01'], 2, [1, { c: null }]],
  [['a', 'b', 'length'], 2, [1, { c: null }]],
  [['text', 'x'], 1, '{"x": 1}'],
  [['text', '0'], 1, '{"x": 1}'],
  [['text', 'length'], 1, '{"x": 1}'],
  [['a', 'b', '1', 'c', 'd'], 4, null],
  [['__proto__'], 0, value],
  [['constructor', 'name'], 0, value],
  [['toString'], 0, value],
] as const) {
  test(`the way ${JSON.stringify(way)} breaks after ${depth}`, () => {
    assert.deepEqual(lookInto(value, way), { found: false, depth, last });
  });
}

test('own members with the names of prototypes are found', () => {
  const own = JSON.parse('{"__proto__": {"toString": 1}}') as Json;
  assert.deepEqual(lookInto(own, ['__proto__', 'toString']), { found: true, value: 1 });
});

for (const [way, message] of [
  [['a', 'x', 'y'], '$v.a.x.y does not exist: $v.a is an object without "x".'],
  [['a', 'b', '5'], '$v.a.b.5 does not exist: $v.a.b is a list of 2 without "5".'],
  [['text', 'x'], '$v.text.x does not exist: $v.text is text without "x".'],
  [['a', 'b', '0', 'x'], '$v.a.b.0.x does not exist: $v.a.b.0 is a number without "x".'],
  [['a', 'b', '1', 'c', 'x'], '$v.a.b.1.c.x does not exist: $v.a.b.1.c is null without "x".'],
] as const) {
  test(`a way that must lead somewhere says where it breaks: ${way.join('.')}`, () => {
    assert.throws(() => reachInto('v', value, way), { code: 'usage.bad-input', message });
  });
}
