import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkWords } from '../../../../test/support/check-words.ts';
import { clock, tableOf } from '../../../../test/support/word-tables.ts';
import type { Table } from '../table.ts';
import { meaningOf, understand } from './understand.ts';

const machines: Table = {
  ...tableOf(
    'Workshop Equipment',
    'tag: varchar(10); Primary Key=given',
    'name; Required=yes',
    'status; Values=[ok, faulty, closed, in repair]',
    'kind; Values=[hand, power]',
    'location',
    'supplier',
    'price: decimal',
    'bought: date',
  ),
  purpose: 'Machines and power tools of the workshop, each with its condition.',
};

test('all records are shown by any word for it', () => {
  checkWords(
    machines,
    'request',
    `
show all → list
list all → list
show everything → list
show all machines → list
list all where status is ok → list where status equals "ok"
`,
  );
});

test('the last records are the end of a list, in the order that was asked for', () => {
  checkWords(
    machines,
    'request',
    `
last 3 → list sort [{"field":"tag","direction":"up"}] limit 3 last true
show the last 3 by price → list sort [{"field":"price","direction":"up"}] limit 3 last true
last 3 sorted by price desc → list sort [{"field":"price","direction":"down"}] limit 3 last true
first 3 by price → list sort [{"field":"price","direction":"up"}] limit 3
`,
  );
});

test('a change names the record first, with or without "to"', () => {
  checkWords(
    machines,
    'request',
    `
update E1 status to ok → update where tag equals "E1" set {"status":"ok"}
update E1 status ok → update where tag equals "E1" set {"status":"ok"}
update E1 set status to ok → update where tag equals "E1" set {"status":"ok"}
update E1 status to ok and price to 5 → update where tag equals "E1" set {"status":"ok","price":5}
`,
  );
});

test('records are named by what the purpose says the table holds', () => {
  checkWords(
    machines,
    'request',
    `
which machines are faulty? → list where status equals "faulty"
which tools are in repair → list where status equals "in repair"
what machines do we have → list
how many machines are there → count
show me the faulty machines → list where status equals "faulty"
which machine is not faulty → list where status not-equals "faulty"
delete all faulty machines → delete where status equals "faulty" many true
`,
  );
  checkWords(
    machines,
    'unknown',
    `
which workshops are faulty → It is not clear what "workshops" means.
list conditions → It is not clear what "conditions" means.
`,
  );
});

test('an adjective can be another form of a listed value', () => {
  checkWords(
    machines,
    'request',
    `
which machines are closing? → list where status equals "closed"
list machines that are not closing → list where status not-equals "closed"
`,
  );
  const cabinets = tableOf(
    'Cabinets',
    'id: integer; Primary Key=',
    'state; Values=[closed]',
    'shop; Values=[closing]',
  );
  checkWords(
    cabinets,
    'question',
    `
which cabinets close → 15-20 What do you mean by "close"? [state is "closed"] [shop is "closing"]
`,
  );
});

test('an assignment takes no other form of a listed value', () => {
  assert.equal(understand(machines, 'set status to closing for E1', clock).kind, 'fault');
});

test('a sentence about a new record names its fields by "called", "in" and listed values', () => {
  checkWords(
    machines,
    'request',
    `
add a drill called D-9 in the hall on 2026-11-16 → add records [{"name":"drill","tag":"D-9","location":"hall","bought":"2026-11-16"}]
add a machine named Big Drill in the back room, price 5 → add records [{"name":"Big Drill","location":"back room","price":5}]
add a faulty drill called D-9 with price 3 → add records [{"name":"drill","status":"faulty","tag":"D-9","price":3}]
`,
  );
});

test('a value that contains "called" or "in" is not a sentence about a new record', () => {
  checkWords(
    machines,
    'request',
    `
add machine name Saw, supplier who called in May → add records [{"name":"Saw","supplier":"who called in May"}]
add machine name "Saw" in the hall → add records [{"name":"Saw","location":"hall"}]
add machine price 5, called E7 → add records [{"price":5,"tag":"E7"}]
`,
  );
});

test('a sentence about a new record is a question if several fields fit', () => {
  const desks = tableOf('Desks', 'id: integer; Primary Key=', 'name', 'room', 'site', 'colour');
  checkWords(
    desks,
    'question',
    `
add a desk called Anna in Berlin → 23-32 Which field is "in Berlin" for? [room "Berlin"] [site "Berlin"]
`,
  );
  const [words, options] = ['add a desk called Anna in Berlin', ['room "Berlin"', 'site "Berlin"']];
  for (const option of options)
    assert.equal(understand(desks, words.slice(0, 23) + option, clock).kind, 'request', option);
});

test('words that no form explains lead to a question whose options are requests', () => {
  const optionsFor = (words: string): readonly string[] => {
    const understood = understand(machines, words, clock);
    assert.ok(understood.kind === 'unknown', words);
    const meaning = meaningOf(machines, words, understood, clock);
    for (const option of meaning?.options ?? []) {
      const said = `${words.slice(0, meaning?.at)}${option}${words.slice(meaning?.end)}`;
      assert.equal(understand(machines, said, clock).kind, 'request', said);
    }
    return meaning?.options ?? [];
  };
  assert.equal(optionsFor('which machines are broken?')[0], 'status is "ok"');
  assert.equal(optionsFor('list broken machines')[1], 'status is "faulty"');
  assert.equal(optionsFor('mark E1 as broken')[1], 'status is "faulty"');
  assert.equal(optionsFor('find drill')[0], 'name contains "drill"');
  assert.equal(optionsFor('delete the old drill')[0], 'name contains "old drill"');
  assert.equal(optionsFor('add equipment Drill')[0], 'name "Drill"');
  assert.deepEqual(optionsFor('how is the weather?'), []);
});

test('a change without values leads to a question without options', () => {
  for (const words of ['update E1', 'update E1.', 'mark E1']) {
    const understood = understand(machines, words, clock);
    assert.ok(understood.kind === 'unknown', words);
    const { options, lead } = meaningOf(machines, words, understood, clock)!;
    assert.deepEqual([options, lead], [[], words === 'mark E1' ? 'as' : ''], words);
  }
});
