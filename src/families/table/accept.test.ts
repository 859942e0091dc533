import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toolsText } from '../../../test/support/table-stage.ts';
import { bundleOfText, nowhere } from '../../core/descriptor/bundle.ts';
import { isAgentError } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';
import { parse } from './descriptor/parse.ts';
import { accept } from './execute.ts';
import { configure } from './family.ts';

const definition = parse(bundleOfText(toolsText, { ...nowhere, stem: 'tools' })).definition!;

describe('the input of a table', () => {
  test('is words or the members of a request, and stays what it is when it is taken again', () => {
    const cases: readonly (readonly [Json, Json])[] = [
      ['list tools', { prompt: 'list tools' }],
      [{ prompt: ' list ' }, { prompt: 'list' }],
      [
        { operation: 'list', limit: 3 },
        { operation: 'list', limit: 3 },
      ],
      [{ prompt: null, operation: 'list', where: null }, { operation: 'list' }],
      [{ prompt: '', operation: 'count' }, { operation: 'count' }],
      [{ prompt: 'list', operation: null }, { prompt: 'list' }],
    ];
    for (const [given, taken] of cases) {
      assert.deepEqual(accept(definition, given), taken, JSON.stringify(given));
      assert.deepEqual(accept(definition, taken), taken);
    }
  });

  test('that is both, neither or something else is refused, and shows both forms', () => {
    const wrong: readonly Json[] = [
      ...[null, 7, true, [], ['list'], {}, '', '  '],
      ...[{ prompt: 'list', operation: 'list' }, { prompt: 'list', limit: 3 }, { limit: 3 }],
      ...[{ prompt: 7 }, { operation: ['list'] }],
    ];
    for (const given of wrong)
      assert.throws(
        () => accept(definition, given),
        (thrown) =>
          isAgentError(thrown) &&
          thrown.code === 'usage.bad-input' &&
          /"prompt".*"operation"/.test(thrown.hint ?? ''),
        JSON.stringify(given),
      );
  });
});

describe('the settings of a table', () => {
  test('say where it lives and how changes are confirmed', () => {
    const settings = { database: 'data/own.db', confirm: false, minutes: 1_440 };
    assert.deepEqual(configure(settings), { card: {}, definition: { settings } });
  });

  test('that are unknown or of the wrong shape are refused by name', () => {
    for (const [key, value] of [
      ['database', ''],
      ['confirm', 'no'],
      ['minutes', 0],
      ['minutes', 1_441],
      ['minutes', 1.5],
      ['minute', 5],
    ] as const)
      assert.throws(
        () => configure({ [key]: value }),
        (thrown) =>
          isAgentError(thrown) && thrown.code === 'usage.bad-settings' && thrown.message.includes(`"${key}"`),
      );
  });
});
