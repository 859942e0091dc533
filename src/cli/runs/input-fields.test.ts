import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { previewLines } from './approval-preview.ts';
import { fieldLines } from './input-fields.ts';

const machine = { equipment_id: 'D-17', area: 'back room behind the green door' };

describe('the input of a call', () => {
  test('to a table is shown as rows and fields, not as JSON', () => {
    const add = { operation: 'add', records: [machine, { equipment_id: 'D-18', area: 'front' }] };
    assert.deepEqual(fieldLines(add, 80), [
      '  operation: add',
      '  records:',
      '    equipment_id  area',
      '    D-17          back room behind the green door',
      '    D-18          front',
    ]);
    assert.deepEqual(fieldLines(add, 40), [
      '  operation: add',
      '  records:',
      '    - equipment_id: D-17',
      '      area: back room behind the green door',
      '    - equipment_id: D-18',
      '      area: front',
    ]);
    const where = { field: 'equipment_id', is: 'equals', value: 'D-17' };
    assert.deepEqual(fieldLines({ operation: 'update', where, set: { status: 'faulty' } }, 80), [
      '  operation: update',
      '  where:',
      '    field: equipment_id',
      '    is: equals',
      '    value: D-17',
      '  set:',
      '    status: faulty',
    ]);
  });

  test('cannot look like other members, and hides nothing', () => {
    assert.deepEqual(fieldLines({ note: '\nset: x', 'a\u202eb': ['c\nd', { e: null }] }, 80), [
      '  note: |',
      '    ',
      '    set: x',
      String.raw`  a\u{202e}b:`,
      String.raw`    - c\nd`,
      '    - {"e":null}',
    ]);
    assert.deepEqual(fieldLines({ a: [], b: {}, c: [1, 'x'], d: '' }, 80), [
      '  a: []',
      '  b: {}',
      '  c: [1,"x"]',
      '  d: ',
    ]);
  });

  test('continues on the next row without losing a character', () => {
    const command = `echo ${'word '.repeat(20)}${'x'.repeat(100)}  end`;
    const asks = { skill: 'bash', input: { command }, reason: '', rule: 'Bash(echo *)' };
    const rows = previewLines(asks, { terminal: { color: false }, cwd: '/', width: 40 });
    assert.ok(rows.every((row) => row.length <= 40));
    const text = rows.map((row, index) => row.slice(index === 0 ? 0 : 4)).join('');
    assert.equal(text, `  $ ${command}`);
  });
});
