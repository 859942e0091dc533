import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ChangeFault } from '../records/change.ts';
import {
  maxTries,
  nextTalk,
  type Happening,
  type PersonReply,
  type RequestDraft,
  type Talk,
  type Ways,
} from './talk.ts';

const person: Ways = { asks: true, confirms: true };
const trusted: Ways = { asks: true, confirms: false };
const program: Ways = { asks: false, confirms: false };

const add: RequestDraft = { operation: 'add', records: [{ name: 'Drill' }] };
const update: RequestDraft = {
  operation: 'update',
  where: { field: 'id', is: 'equals', value: 1 },
  set: { name: 'Saw' },
};
const undo: RequestDraft = { operation: 'undo' };
const remove: RequestDraft = { operation: 'delete', where: { field: 'name', is: 'equals', value: 'Saw' } };
const fault: ChangeFault = { index: 0, field: 'price', message: 'Price must be at least 0.' };

function planned(more: Partial<Extract<Happening, { happened: 'planned' }>> = {}): Happening {
  return { happened: 'planned', found: 1, missing: [], faults: [], isUnchanged: false, ...more };
}

function answered(reply: PersonReply): Happening {
  return { happened: 'answered', reply };
}

function written(outcome: 'done' | 'stale' | 'refused', faults: readonly ChangeFault[] = []): Happening {
  return { happened: 'written', outcome, faults };
}

function after(draft: RequestDraft, ways: Ways, ...happenings: readonly Happening[]): Talk {
  return happenings.reduce<Talk>((talk, happening) => nextTalk(talk, happening, ways), {
    phase: 'plan',
    draft,
  });
}

/** Returns the phase of a talk, with the reason if it has ended. */
function describePhase(talk: Talk): string {
  return talk.phase === 'ended' ? `ended ${talk.why}` : talk.phase;
}

describe('a conversation', () => {
  const yes = answered({ reply: 'yes' });
  const no = answered({ reply: 'no' });
  const unclear = answered({ reply: 'unclear', message: '' });
  const cases: readonly (readonly [string, string, RequestDraft, Ways, ...Happening[]])[] = [
    ['is confirmed, written and done', 'done', add, person, planned(), yes, written('done')],
    ['stands at the preview first', 'confirm', add, person, planned()],
    ['is called off at the preview', 'ended cancelled', update, person, planned(), no],
    ['asks for what is missing', 'capture', add, person, planned({ missing: ['area'] })],
    ['is called off while it asks', 'ended cancelled', add, person, planned({ missing: ['area'] }), no],
    ['asks for a correction', 'correct', add, person, planned({ faults: [fault] })],
    ['lets somebody choose', 'choose', update, person, planned({ found: 3 })],
    ['ends where no record is meant', 'ended none', remove, person, planned({ found: 0 })],
    ['ends where nothing would change', 'ended unchanged', update, person, planned({ isUnchanged: true })],
    [
      'shows what was changed by others anew',
      'confirm',
      update,
      person,
      planned(),
      yes,
      written('stale'),
      planned(),
    ],
    [
      'ends when the record is gone',
      'ended gone',
      update,
      person,
      planned(),
      yes,
      written('stale'),
      planned({ found: 0 }),
    ],
    [
      'asks for a correction of what the database refuses',
      'correct',
      add,
      person,
      planned(),
      yes,
      written('refused', [fault]),
    ],
    [
      'ends when a delete is refused',
      'ended refused',
      remove,
      person,
      planned(),
      yes,
      written('refused', [fault]),
    ],
    ['asks again after words that are no answer', 'confirm', add, person, planned(), unclear],
    ['does not take yes for a choice', 'choose', remove, person, planned({ found: 3 }), yes],
    ['does not take yes for a value', 'capture', add, person, planned({ missing: ['area'] }), yes],
    ['is written at once where settings say so', 'write', add, trusted, planned()],
    [
      'still asks for what is missing where settings say so',
      'capture',
      add,
      trusted,
      planned({ missing: ['area'] }),
    ],
    ['is written at once for a program', 'write', add, program, planned()],
    [
      'is refused for a program',
      'ended refused',
      add,
      program,
      planned({ missing: ['area'], faults: [fault] }),
    ],
    [
      'ends for an undo of what was changed since',
      'ended overtaken',
      undo,
      program,
      planned(),
      written('stale'),
    ],
    ['leaves no choice to a program', 'ended several', remove, program, planned({ found: 2 })],
  ];
  for (const [name, expected, draft, ways, ...happenings] of cases)
    test(name, () => {
      assert.equal(describePhase(after(draft, ways, ...happenings)), expected);
    });

  test('is given up after several invalid answers, with nothing written', () => {
    const asked = after(add, person, planned(), ...Array.from({ length: maxTries - 1 }, () => unclear));
    assert.equal(asked.phase, 'confirm');
    assert.equal(describePhase(nextTalk(asked, unclear, person)), 'ended given-up');
  });

  test('restarts the count of invalid answers after each step', () => {
    const corrected = answered({ reply: 'values', set: { name: 'Saw' } });
    const talk = after(add, person, planned(), unclear, unclear, corrected, planned());
    assert.ok(talk.phase === 'confirm' && talk.tries === 0);
  });

  test('takes what was missing into the records that lack it, and corrections into all', () => {
    const two: RequestDraft = { operation: 'add', records: [{ name: 'Drill' }, { name: 'Saw', area: 'B' }] };
    const missing = planned({ missing: ['area'], found: 2 });
    const said = answered({ reply: 'values', set: { area: 'A', price: 3 } });
    assert.deepEqual(after(two, person, missing, said).draft, {
      operation: 'add',
      records: [
        { name: 'Drill', area: 'A', price: 3 },
        { name: 'Saw', area: 'B', price: 3 },
      ],
    });
    assert.deepEqual(after(update, person, planned(), said).draft, {
      ...update,
      set: { name: 'Saw', area: 'A', price: 3 },
    });
  });

  test('turns the pages of a choice, and no further than they go', () => {
    const next = answered({ reply: 'next' });
    const previous = answered({ reply: 'previous' });
    const choose = after(remove, person, planned({ found: 12 }));
    const pageOf = (talk: Talk): number => (talk.phase === 'choose' ? talk.page : -1);
    const second = nextTalk(choose, next, person);
    assert.deepEqual([pageOf(choose), pageOf(second)], [0, 1]);
    assert.equal(pageOf(nextTalk(second, next, person)), 1);
    assert.equal(pageOf(nextTalk(second, previous, person)), 0);
    assert.match((nextTalk(choose, previous, person) as { notice?: string }).notice ?? '', /no more pages/);
  });

  test('is about the chosen record, or about all of them', () => {
    const choose = after(remove, person, planned({ found: 12 }));
    const where = { field: 'id', is: 'equals', value: 7 } as const;
    assert.deepEqual(nextTalk(choose, answered({ reply: 'record', where }), person), {
      phase: 'plan',
      draft: { operation: 'delete', where },
    });
    assert.deepEqual(nextTalk(choose, answered({ reply: 'all' }), person).draft, { ...remove, many: true });
  });

  test('asks again when no matching record has the key', () => {
    const choose = after(remove, person, planned({ found: 12 }));
    const where = { field: 'id', is: 'equals', value: 99 } as const;
    const named = nextTalk(choose, answered({ reply: 'record', where, isKey: true }), person);
    const named99 = { all: [{ field: 'name', is: 'equals', value: 'Saw' }, where] };
    assert.deepEqual(named.draft, { operation: 'delete', where: named99 });
    assert.equal(describePhase(nextTalk(named, planned(), person)), 'confirm');
    const again = nextTalk(named, planned({ found: 0 }), person);
    assert.deepEqual([again.phase, again.draft], ['choose', remove]);
  });

  test('ignores events that are impossible in its phase', () => {
    const talk = after(add, person, planned());
    assert.equal(nextTalk(talk, written('done'), person), talk);
    assert.equal(nextTalk(talk, planned(), person), talk);
    const end = after(add, person, planned(), no);
    assert.equal(nextTalk(end, yes, person), end);
  });
});
