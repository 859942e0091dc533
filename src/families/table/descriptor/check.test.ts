import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tableText } from '../../../../test/support/written-table.ts';
import { bundleOfText, nowhere } from '../../../core/descriptor/bundle.ts';
import { parse } from './parse.ts';

/** Returns the issues about derived fields, as `line message`. */
function circles(fields: Readonly<Record<string, string>>): readonly string[] {
  const { issues } = parse(
    bundleOfText(tableText({ id: 'Primary Key', ...fields }), { ...nowhere, stem: 'x' }),
  );
  return issues.flatMap(({ code, line, message }) =>
    code === 'table.derived-circle' ? [`${line ?? ''} ${message}`] : [],
  );
}

test('derived values that follow from themselves are reported where they are written', () => {
  const found = circles({
    own: 'Type: decimal; Derivator: own + 1',
    one: 'Type: decimal; Label: First; Derivator: `other * 2`',
    other: 'Type: decimal; Derivator: = First + 1',
    behind: 'Type: decimal; Derivator: one + own',
  });
  assert.deepEqual(
    found.map((text) => text.replace(/^\d+ /, '')),
    ['own', 'one', 'other'].map((name) => `The value of "${name}" depends on itself, so it is not derived.`),
  );
  assert.match(found[0] ?? '', /^25 /);
});

test('derived values that only look so are not', () => {
  const fine = {
    net: 'Type: decimal; Derivator: a * 2',
    a: 'Type: decimal',
    gross: 'Derivator: gross = net * 2',
  };
  assert.deepEqual(circles(fine), []);
  assert.deepEqual(circles({ note: 'Derivator: note and time of the last visit' }), []);
});
