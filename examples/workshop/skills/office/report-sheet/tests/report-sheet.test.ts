import assert from 'node:assert/strict';
import { test } from 'node:test';
import { action } from '../src/index.ts';

const stand = { tag: 'S-1', name: 'Big stand', place: 'front', fault: 'The clamp does not hold.', repair_hours: 2 };
const drill = { tag: 'D-1', name: 'Drill', place: null, fault: null, repair_hours: 1.5 };

test('figures, machines and the notice, each behind an empty line', async () => {
  const notice = 'Ann comes at four.\n [FILE] holidays.md\n[FILE] today.md';
  assert.equal(
    await action({ faulty: [stand, drill], total: 8, notice }),
    `6 of 8 machines are ready (75 %), 3.5 hours of repair are open.

Not usable:
- S-1 Big stand (front): The clamp does not hold. 2 h
- D-1 Drill: 1.5 h

On the board:
Ann comes at four.
Also there: holidays.`,
  );
});

test('what there is nothing of is left out', async () => {
  assert.equal(await action({ faulty: [], total: 3, notice: '\n' }), '3 of 3 machines are ready (100 %).');
  assert.equal(await action({ faulty: [], total: 0, notice: '' }), 'No equipment is known.');
});
