import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { openLoops } from '../../../test/stress/stress.ts';
import { isAgentError } from '../../core/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { parseJsonWithComments } from '../../core/json/jsonc.ts';
import { valueAt } from '../schema/key.ts';
import { commentsIn, setInJson, unsetInJson } from './edit-json.ts';

const { createLoop } = openLoops(import.meta);

const key = fc.constantFrom('a', 'b', 'c', 'a b', '"', '//', '/*', ',');
const { value: anyValue } = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  object: fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(1, -2.5e3, true, null, '', 'x', '// no', '/* no */', '{,}', '\\"'),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
}));
const anyObject = fc.dictionary(key, anyValue, { maxKeys: 5, noNullPrototype: true });
const filler = fc.constantFrom('', ' ', '\n', '\n  ', ' // note, {\n', ' /* more: } */ ', '\r\n\t');

/** Returns JSON text with comments and white space at every allowed position. */
function dress(value: Json, fill: () => string): string {
  const parts = isJsonObject(value)
    ? dressMembers(value, fill)
    : Array.isArray(value)
      ? value.map((inner: Json) => `${fill()}${dress(inner, fill)}${fill()}`)
      : undefined;
  if (parts === undefined) return JSON.stringify(value);
  const trailing = parts.length > 0 && fill() === ' ' ? `,${fill()}` : '';
  const [open, close] = isJsonObject(value) ? ['{', '}'] : ['[', ']'];
  return `${open}${parts.join(',')}${trailing}${parts.length === 0 ? fill() : ''}${close}`;
}

function dressMembers(object: JsonObject, fill: () => string): readonly string[] {
  return Object.entries(object).map(
    ([name, inner]) => `${fill()}${JSON.stringify(name)}${fill()}:${fill()}${dress(inner, fill)}${fill()}`,
  );
}

test('whatever is set or removed, only that changes, and no comment is lost', () => {
  const dressed = fc.tuple(anyObject, fc.array(filler, { minLength: 200, maxLength: 200 }));
  const path = fc.array(key, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(dressed, path, anyValue, ([object, fillers], names, value) => {
      let at = 0;
      const text = `${fillers[0] ?? ''}${dress(object, () => fillers[at++ % fillers.length] ?? '')}\n`;
      const comments = [...commentsIn(text)].sort();
      const removed = unsetInJson(text, names);
      assert.deepEqual([...commentsIn(removed)].sort(), comments);
      const outer = names.slice(0, -1).map((_, index) => valueAt(object, names.slice(0, index + 1)));
      const isBlocked = outer.some((value) => value !== undefined && !isJsonObject(value));
      if (isBlocked) return;
      const set = setInJson(text, names, value);
      assert.deepEqual([...commentsIn(set)].sort(), comments);
      const read = parseJsonWithComments(set);
      assert.ok(read.ok && isJsonObject(read.value));
      assert.deepEqual(valueAt(read.value, names), value);
    }),
    { numRuns: 500 },
  );
});

interface WrittenMember {
  readonly value: number;
  readonly comment: string;
}

interface Style {
  readonly indent: string;
  readonly lineEnd: string;
  readonly byteOrderMark: string;
  readonly hasTrailingComma: boolean;
}

/** Returns the text of an object with one member per line, as most people write settings. */
function onLines(members: readonly WrittenMember[], style: Style): string {
  const { indent, lineEnd, byteOrderMark, hasTrailingComma } = style;
  const lines = members.map(({ value, comment }, index) => {
    const comma = hasTrailingComma || index < members.length - 1 ? ',' : '';
    return `${indent}"key-${index}": ${value}${comma}${comment === '' ? '' : ` ${comment}`}`;
  });
  return [`${byteOrderMark}{`, ...lines, '}', ''].join(lineEnd);
}

describe('every other byte stays', () => {
  const anyStyle = fc.record<Style>({
    indent: fc.constantFrom('', ' ', '  ', '    ', '\t'),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    byteOrderMark: fc.constantFrom('', '\ufeff'),
    hasTrailingComma: fc.boolean(),
  });
  const member = fc.record<WrittenMember>({
    value: fc.integer(),
    comment: fc.constantFrom('', '// one, {', '/* two: } */', '// "key-0": 1,'),
  });
  const anyMembers = fc.array(member, { minLength: 1, maxLength: 6 });
  const onLinesLoop = createLoop({ small: 500, full: 50_000 });

  test('when a value is set, added or removed in a file with one member on each line', () => {
    fc.assert(
      fc.property(anyMembers, fc.nat(), fc.integer(), anyStyle, (members, number, value, style) => {
        const text = onLines(members, style);
        const index = number % members.length;
        const { comment = '' } = members[index] ?? {};
        const replaced = onLines(members.with(index, { value, comment }), style);
        assert.equal(setInJson(text, [`key-${index}`], value), replaced);

        const added = onLines([...members, { value, comment: '' }], style);
        assert.equal(setInJson(text, [`key-${members.length}`], value), added);
        assert.equal(unsetInJson(added, [`key-${members.length}`]), text);

        const isLast = index === members.length - 1;
        const lines = text.split(style.lineEnd);
        lines.splice(index + 1, 1, ...(comment === '' ? [] : [style.indent + comment]));
        if (isLast && index > 0 && !style.hasTrailingComma) lines[index] = lines[index]!.replace(',', '');
        assert.equal(unsetInJson(text, [`key-${index}`]), lines.join(style.lineEnd));
      }),
      onLinesLoop.runs(),
    );
  });

  const anyFormLoop = createLoop({ small: 300, full: 30_000 });

  test('when a value is set in a file of any form, and nothing but spaces goes when one is added or removed', () => {
    const fillers = fc.array(filler, { minLength: 50, maxLength: 50 });
    const plain = fc.constantFrom<Json>(1, 'x', '// no', null);
    fc.assert(
      fc.property(anyObject, anyObject, fillers, plain, plain, (before, after, fill, old, value) => {
        let at = 0;
        const next = (): string => fill[at++ % fill.length] ?? '';
        const start = [...dressMembers(before, next), `${next()}"key"${next()}:${next()}`].join(',');
        const end = [next(), ...dressMembers(after, next)].join(',');
        const written = (one: Json): string => `{${start}${JSON.stringify(one)}${end}}`;
        const text = written(old);
        assert.equal(setInJson(text, ['key'], value), written(value));

        const bare = withoutSpaces(text);
        assert.ok(isWithin(bare, withoutSpaces(setInJson(text, ['new', 'key'], value))));
        assert.ok(isWithin(withoutSpaces(unsetInJson(text, ['key'])), bare));
      }),
      anyFormLoop.runs(),
    );
  });
});

function withoutSpaces(text: string): string {
  return text.replace(/\s+/g, '');
}

/** Whether a text is a subsequence of another one. */
function isWithin(part: string, whole: string): boolean {
  let at = 0;
  for (const character of whole) if (character === part[at]) at += 1;
  return at === part.length;
}

describe('an edit of any text', () => {
  const piece = fc.constantFrom(
    ...['{', '}', '[', ']', ',', ':', '"a"', '"b"', '"__proto__"', '"', '\\'],
    ...['1', '1e999', 'true', 'nul', '\ufeff'],
    ...['\n', '\r\n', '\r', ' ', '\t', '// c', '/* d */', '/*', '*/', '/'],
  );
  const texts = createLoop({ small: 500, full: 100_000 });

  test('gives a text that can be read, or an error with a code', () => {
    const text = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''));
    const object = fc.tuple(text, text).map(([before, after]) => `{"a": 1${before}, "b": {"a": 2}${after}}`);
    fc.assert(
      fc.property(fc.oneof(text, object), fc.constantFrom(['a'], ['b'], ['b', 'a']), (given, path) => {
        for (const edit of [() => setInJson(given, path, [1]), () => unsetInJson(given, path)])
          try {
            const edited = edit();
            assert.ok(edited === given || parseJsonWithComments(edited).ok);
          } catch (thrown) {
            assert.ok(isAgentError(thrown) && /^usage\./.test(thrown.code), String(thrown));
          }
      }),
      texts.runs(),
    );
  });
});
