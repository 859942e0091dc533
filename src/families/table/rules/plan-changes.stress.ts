import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLoops } from '../../../../test/stress/stress.ts';
import { builtTable } from '../../../../test/support/written-table.ts';
import { noProse } from './drafts.ts';
import { planAdds, planUpdates } from './plan-changes.ts';

const { createLoop } = openLoops(import.meta);
const loop = createLoop({ small: 3_000, full: 100_000 });

test('very many records are planned at once, each by all of its rules', async () => {
  const table = builtTable(
    {
      tag: 'Primary Key: given; Pattern: ^[A-Z]+-[0-9]+$',
      name: 'Unique; Required; Max Length: 50',
      words: 'Pattern: ^(?:[a-z]+ ?)+$',
      status: 'Values: [ok, faulty]; Default: ok',
      quantity: 'Type: integer; Default: 2; Min: 0',
      price: 'Type: decimal; Required: if status is faulty',
      total: 'Type: decimal; Derivator: quantity * price',
      gross: 'Type: decimal; Derivator: round(total * 1.19, 2)',
    },
    '## Business Rules\n\n- if status is faulty then price is at most 10\n',
  );
  const context = { table, prose: noProse, clock: { now: 0, zone: 'UTC' }, makeId: () => '' };
  await loop.sizes(async (many) => {
    const given = Array.from({ length: many }, (_, index) => {
      return { tag: `D-${index}`, name: `Drill ${index}`, words: 'some plain words', price: index };
    });
    const planned = await planAdds(context, given);
    assert.deepEqual([planned.changes.length, planned.faults], [many, []]);
    const rows = planned.changes.flatMap((change) => (change.kind === 'add' ? [change.after] : []));
    assert.deepEqual(rows.at(-1)?.['total'], 2 * (many - 1));
    const updated = await planUpdates(context, rows, { status: 'faulty' });
    assert.equal(updated.faults.length, many - 11);
    const cheaper = await planUpdates(context, rows, { price: 1 });
    assert.deepEqual(cheaper.faults, []);
  });
});
