import type { TableModel } from './model.ts';
import type { Play } from './play.ts';
import {
  all,
  ask,
  askOf,
  confirm,
  counts,
  declined,
  exports,
  fails,
  fill,
  finds,
  fix,
  free,
  givesUp,
  groups,
  meanwhile,
  measures,
  no,
  none,
  pick,
  refused,
  shows,
  undoes,
  writes,
  yes,
  type Request,
  type Row,
} from './request.ts';
import { averageOf, byGroup, highestOf, is, numberIn, sumOf, textIn, where } from './sums.ts';

export const staff: TableModel = {
  name: 'staff',
  fields: { staff_id: 'text', name: 'text', team: 'text' },
  defaults: {},
  derive: (row) => row,
  breaks: ({ staff_id, name }) => [
    ...(name === null ? ['required'] : []),
    ...(/^[a-z]{1,10}$/.test(String(staff_id)) ? [] : ['a short name in lower case']),
  ],
};

export const equipment: TableModel = {
  name: 'equipment',
  fields: {
    tag: 'text',
    name: 'text',
    kind: 'text',
    place: 'text',
    status: 'text',
    lent_to: 'text',
    lent_on: 'date',
    due_on: 'date',
    due_fits: 'boolean',
    fault: 'text',
    price: 'number',
    repair_cost: 'number',
    worth_repair: 'boolean',
    inspect_by: 'date',
    covered: 'boolean',
    serial: 'text',
  },
  defaults: { status: 'available' },
  derive(row) {
    const [from, to, inspection] = ['lent_on', 'due_on', 'inspect_by'].map((field) => textIn(row, field));
    const [price, cost] = [numberIn(row, 'price'), numberIn(row, 'repair_cost')];
    const isUntil = (one: string | null = null, other: string | null = null): boolean | null =>
      one === null || other === null ? null : one <= other;
    return {
      ...row,
      due_fits: isUntil(from, to),
      worth_repair: price === null || cost === null ? null : 2 * cost <= price,
      covered: isUntil(to, inspection),
    };
  },
  breaks(after, before) {
    const has = (field: string): boolean => after[field] !== null;
    const status = after['status'];
    const loan = ['lent_to', 'lent_on', 'due_on'];
    const isNewLoan =
      status === 'lent' && (before?.['status'] !== 'lent' || before['lent_to'] !== after['lent_to']);
    const canFall = after['kind'] === 'ladder' || after['kind'] === 'lift';
    const wrong: readonly (readonly [string, boolean])[] = [
      ['required', !['tag', 'name', 'kind', 'price'].every(has)],
      ['the tag has two letters and two digits', !/^[A-Z][A-Z]-[0-9][0-9]$/.test(String(after['tag']))],
      ['no negative amounts', [after['price'], after['repair_cost']].some((amount) => Number(amount) < 0)],
      [
        'a loan has a borrower and two days, and nothing else has',
        !loan.every((field) => has(field) === (status === 'lent')),
      ],
      ['a loan does not end before it begins', after['due_fits'] === false],
      ['a loan ends before the inspection', after['covered'] === false],
      ['a repair has a fault', status === 'in repair' && !has('fault')],
      [
        'what can be used has no fault',
        (status === 'available' || status === 'lent') && (has('fault') || has('repair_cost')),
      ],
      ['a repair costs at most half the price', after['worth_repair'] === false],
      ['ladders and lifts are inspected', canFall && !has('inspect_by')],
      [
        'only what is available is lent',
        before !== undefined && isNewLoan && before['status'] !== 'available',
      ],
      ['retired is final', before?.['status'] === 'retired' && status !== 'retired'],
      [
        'price and kind are fixed',
        before !== undefined && (before['price'] !== after['price'] || before['kind'] !== after['kind']),
      ],
    ];
    return wrong.flatMap(([what, isBroken]) => (isBroken ? [what] : []));
  },
};

const lent = (to: string, from: string, until: string): Row => ({
  status: 'lent',
  lent_to: to,
  lent_on: from,
  due_on: until,
});
const back: Row = { status: 'available', lent_to: null, lent_on: null, due_on: null };
const before =
  (field: string, day: string) =>
  (row: Row): boolean =>
    row[field] !== null && String(row[field]) < day;

export const requests: readonly Request[] = [
  // 1 to 22: look-ups, and who may see what
  ask('Borrower', 'list available equipment', finds(is('status', 'available'))),
  ask(
    'Borrower',
    'which ladders are available?',
    finds((row) => row['kind'] === 'ladder' && row['status'] === 'available'),
  ),
  ask('Borrower', 'how many drills', counts(is('kind', 'drill'))),
  ask('Borrower', 'show DR-02', shows('DR-02')),
  ask('Borrower', 'show me SA-02 please', shows('SA-02')),
  ask('Borrower', 'list equipment lent to bob', finds(is('lent_to', 'bob'))),
  ask('Borrower', 'list items due before 2026-11-26', finds(before('due_on', '2026-11-26'))),
  ask('Borrower', 'list equipment without a serial', finds(is('serial', null))),
  ask(
    'Borrower',
    'list equipment that has a fault',
    finds((row) => row['fault'] !== null),
  ),
  ask('Borrower', 'sum of price by kind', groups(byGroup('kind', 'price'))),
  ask(
    'Borrower',
    'sum of repair_cost of equipment in repair',
    measures(sumOf('repair_cost', is('status', 'in repair'))),
  ),
  ask(
    'Borrower',
    'list name and place of saws sort by name',
    finds(is('kind', 'saw'), (row) => row['name'] ?? null),
  ),
  ask(
    'Borrower',
    'list equipment where inspect_by is before 2026-12-02 and status is not retired',
    finds((row) => before('inspect_by', '2026-12-02')(row) && row['status'] !== 'retired'),
  ),
  ask(
    'Borrower',
    'lowest price of drills',
    measures((rows) => Math.min(...rows.filter(is('kind', 'drill')).map((row) => Number(row['price'])))),
  ),
  ask(
    'Borrower',
    'earliest inspect_by',
    measures((rows) => rows.map((row) => String(row['inspect_by'] ?? '~')).sort()[0] ?? null),
  ),
  ask('Borrower', 'list equipment where place is Hall 1', finds(is('place', 'Hall 1'))),
  ask(
    'Borrower',
    'find "drill"',
    finds((row) => String(row['name']).toLowerCase().includes('drill')),
  ),
  ask(
    'Borrower',
    'list equipment first 5',
    finds(all, (row) => row['tag'] ?? null, { limit: 5 }),
  ),
  ask(
    'Borrower',
    'next',
    finds(all, (row) => row['tag'] ?? null, { limit: 5, offset: 5 }),
  ),
  ask(
    'Borrower',
    'previous',
    finds(all, (row) => row['tag'] ?? null, { limit: 5 }),
  ),
  ask('Guest', 'list equipment', fails('policy.denied')),
  ask('Borrower', 'mark DR-01 as retired', fails('policy.denied')),

  // 23 to 40: loans
  ask(
    'Technician',
    'set status to lent, lent_to ann, lent_on 2026-11-19, due_on 2026-11-26 for DR-01',
    confirm('ok'),
    writes({ 'DR-01': lent('ann', '2026-11-19', '2026-11-26') }),
  ),
  ask('Technician', 'set lent_to to cem for DR-01', fix('cancel'), givesUp({ 'DR-01': { lent_to: 'cem' } })),
  ask(
    'Technician',
    'set status to lent for SA-01',
    fix('lent_to dora, lent_on 2026-11-19, due_on 2026-11-20'),
    yes,
    writes({ 'SA-01': lent('dora', '2026-11-19', '2026-11-20') }),
  ),
  ask(
    'Technician',
    'set status to lent, lent_to zoe, lent_on 2026-11-19, due_on 2026-11-21 for SA-02',
    fix('ann'),
    confirm('due date 22 November 2026'),
    yes,
    writes({ 'SA-02': lent('ann', '2026-11-19', '2026-11-22') }),
  ),
  ask(
    'Technician',
    'set status to lent, lent_to bob, lent_on 2026-11-19, due_on 2026-11-18 for DR-04',
    fix('due_on 2026-11-19'),
    yes,
    writes({ 'DR-04': lent('bob', '2026-11-19', '2026-11-19') }),
  ),
  ask(
    'Technician',
    'set status to lent, lent_to cem, lent_on 2026-11-20, due_on 2026-11-26 for LI-02',
    fix('yes'),
    fix('due_on 2026-11-25'),
    yes,
    writes({ 'LI-02': lent('cem', '2026-11-20', '2026-11-25') }),
  ),
  ask(
    'Technician',
    'set status to lent, lent_to ann, lent_on 2026-11-19, due_on 2026-11-21 for DR-03',
    fix('cancel'),
    givesUp({ 'DR-03': lent('ann', '2026-11-19', '2026-11-21') }),
  ),
  ask(
    'Technician',
    'set status to lent, lent_to ann, lent_on 2026-11-19, due_on 2026-11-21, fault null, repair_cost null for DR-03',
    fix('cancel'),
    givesUp({ 'DR-03': { ...lent('ann', '2026-11-19', '2026-11-21'), fault: null, repair_cost: null } }),
  ),
  ask(
    'Technician',
    'set status to available, lent_to null, lent_on null, due_on null for DR-02',
    yes,
    writes({ 'DR-02': back }),
  ),
  ask(
    'Technician',
    'clear lent_to, lent_on and due_on of DR-01',
    fix('cancel'),
    givesUp({ 'DR-01': { lent_to: null, lent_on: null, due_on: null } }),
  ),
  ask('Technician', 'set due_on to 2026-11-30 for DR-01', confirm('n'), declined),
  ask(
    'Technician',
    'change the due date of DR-01 to 30.11.2026',
    confirm('do it'),
    writes({ 'DR-01': { due_on: '2026-11-30' } }),
  ),
  ask(
    'Technician',
    'change the due date of LI-02 to 2026-12-24',
    fix('cancel'),
    givesUp({ 'LI-02': { due_on: '2026-12-24' } }),
  ),
  ask('Technician', 'set lent_to to null for DR-04', fix('cancel'), givesUp({ 'DR-04': { lent_to: null } })),
  ask('Technician', 'set status to lent for SA-03', fix('cancel'), givesUp({ 'SA-03': { status: 'lent' } })),
  ask('Technician', 'set status to broken for DR-01', fails('usage.bad-input')),
  ask('Technician', 'set borrower to bob for DR-02', fix('cancel'), givesUp({ 'DR-02': { lent_to: 'bob' } })),
  ask('Borrower', 'how many items are lent', counts(is('status', 'lent'))),

  // 41 to 52: repairs, prices and inspections
  ask(
    'Technician',
    'set status to in repair, fault "Rung bent", lent_to null, lent_on null, due_on null for LA-02',
    yes,
    writes({ 'LA-02': { ...back, status: 'in repair', fault: 'Rung bent' } }),
  ),
  ask(
    'Technician',
    'set repair_cost to 200 for LA-02',
    fix('repair_cost 120'),
    yes,
    writes({ 'LA-02': { repair_cost: 120 } }),
  ),
  ask('Technician', 'mark DR-04 as in repair', fix('cancel'), givesUp({ 'DR-04': { status: 'in repair' } })),
  ask(
    'Technician',
    'set fault to "Loose chuck" for DR-02',
    fix('cancel'),
    givesUp({ 'DR-02': { fault: 'Loose chuck' } }),
  ),
  ask(
    'Technician',
    'set status to available and fault to null and repair_cost to null for LA-02',
    yes,
    writes({ 'LA-02': { status: 'available', fault: null, repair_cost: null } }),
  ),
  ask('Technician', 'mark SA-03 as available', fix('cancel'), givesUp({ 'SA-03': { status: 'available' } })),
  ask('Technician', 'set price to 100 for LA-01', fix('cancel'), givesUp({ 'LA-01': { price: 100 } })),
  ask('Technician', 'set kind to saw for DR-02', fix('cancel'), givesUp({ 'DR-02': { kind: 'saw' } })),
  ask('Technician', 'clear inspect_by of LI-01', fix('cancel'), givesUp({ 'LI-01': { inspect_by: null } })),
  ask(
    'Technician',
    'set inspect_by to 2027-06-30 for all ladders',
    yes,
    writes({
      'LA-01': { inspect_by: '2027-06-30' },
      'LA-02': { inspect_by: '2027-06-30' },
      'LA-03': { inspect_by: '2027-06-30' },
    }),
  ),
  ask(
    'Technician',
    'undo',
    yes,
    undoes({
      'LA-01': { inspect_by: '2026-12-15' },
      'LA-02': { inspect_by: '2026-12-01' },
      'LA-03': { inspect_by: '2026-11-20' },
    }),
  ),
  ask('Technician', 'mark DR-02 as retired', yes, writes({ 'DR-02': { status: 'retired' } })),

  // 53 to 70: new items, choices, conflicts, files and staff
  ask('Technician', 'undo', confirm('never mind'), declined),
  ask('Technician', 'undo', yes, undoes({ 'DR-02': { status: 'available' } })),
  ask(
    'Technician',
    'add equipment tag SA-04, name "Mitre saw", kind saw, price 329.90',
    yes,
    writes({ 'SA-04': { name: 'Mitre saw', kind: 'saw', price: 329.9 } }),
  ),
  ask(
    'Technician',
    'add equipment tag LA-04, name "Loft ladder", kind ladder',
    fill('199'),
    fix('inspect_by 2027-05-01'),
    confirm('place Hall 2'),
    yes,
    writes({
      'LA-04': { name: 'Loft ladder', kind: 'ladder', price: 199, inspect_by: '2027-05-01', place: 'Hall 2' },
    }),
  ),
  ask(
    'Technician',
    'add equipment',
    fill('kind robot'),
    fill('tag XX-01, name Robot, kind drill, price 5'),
    no,
    declined,
  ),
  ask(
    'Technician',
    'add equipment tag SA-04, name "Table saw", kind saw, price 700, serial PD-0007',
    fix('tag SA-05'),
    fix('serial TS-1'),
    yes,
    writes({ 'SA-05': { name: 'Table saw', kind: 'saw', price: 700, serial: 'TS-1' } }),
  ),
  ask(
    'Technician',
    'set serial to CD-1001 for SA-01',
    fix('CS-3101'),
    yes,
    writes({ 'SA-01': { serial: 'CS-3101' } }),
  ),
  ask(
    'Technician',
    { operation: 'update', where: where('kind', 'ladder'), set: { place: 'Yard' } },
    pick('9'),
    pick('DR-01'),
    pick('LA-03'),
    yes,
    writes({ 'LA-03': { place: 'Yard' } }),
  ),
  ask(
    'Technician',
    'set place to "Shelf C" where kind is saw and status is not retired',
    yes,
    writes({
      'SA-01': { place: 'Shelf C' },
      'SA-02': { place: 'Shelf C' },
      'SA-04': { place: 'Shelf C' },
      'SA-05': { place: 'Shelf C' },
    }),
  ),
  ask(
    'Technician',
    'set place to Yard for LI-01',
    meanwhile(
      {
        operation: 'update',
        where: where('tag', 'LI-01'),
        set: lent('ann', '2026-11-20', '2026-11-27'),
        confirm: false,
      },
      { 'LI-01': lent('ann', '2026-11-20', '2026-11-27') },
    ),
    yes,
    yes,
    writes({ 'LI-01': { place: 'Yard' } }),
  ),
  ask(
    'Technician',
    'set status to lent, lent_to bob, lent_on 2026-11-20, due_on 2026-11-22 for DR-02',
    meanwhile(
      {
        operation: 'update',
        where: where('tag', 'DR-02'),
        set: lent('cem', '2026-11-20', '2026-11-21'),
        confirm: false,
      },
      { 'DR-02': lent('cem', '2026-11-20', '2026-11-21') },
    ),
    yes,
    fix('cancel'),
    givesUp({ 'DR-02': lent('bob', '2026-11-20', '2026-11-22') }),
  ),
  ask(
    'Technician',
    'import more.csv',
    yes,
    writes({
      'DR-05': { name: 'Core drill', kind: 'drill', place: 'Hall 2', price: 1250.5 },
      'LI-03': { name: 'Scissor lift', kind: 'lift', price: 7800, inspect_by: '2027-02-28' },
    }),
  ),
  ask(
    'Technician',
    'import wrong.csv',
    refused({
      'LI-04': { name: 'Lift', kind: 'lift', price: 10 },
      DR6: { name: 'X', kind: 'drill', price: 1 },
    }),
  ),
  ask('Borrower', 'export lent equipment to lent.tsv', exports('lent.tsv', is('status', 'lent'))),
  askOf('staff', 'Manager', 'delete staff where staff_id is cem', fails('usage.bad-input')),
  askOf(
    'staff',
    'Manager',
    'add staff staff_id eva, name "Eva Lund", team paint',
    yes,
    writes({ eva: { name: 'Eva Lund', team: 'paint' } }),
  ),
  askOf('staff', 'Technician', 'add staff staff_id fay, name Fay', fails('policy.denied')),
  askOf('staff', 'Manager', 'delete "eva"', yes, writes({ eva: null })),

  // 71 to 90: programs
  ask(
    'Borrower',
    {
      operation: 'list',
      where: { all: [where('kind', 'drill'), { field: 'price', is: 'less', value: 200 }] },
      sort: [{ field: 'price', direction: 'up' }],
    },
    finds(
      (row) => row['kind'] === 'drill' && Number(row['price']) < 200,
      (row) => row['price'] ?? null,
    ),
  ),
  ask(
    'Borrower',
    { operation: 'list', sort: [{ field: 'inspect_by', direction: 'down' }], limit: 5 },
    finds(all, (row) => row['inspect_by'] ?? null, { down: true, limit: 5 }),
  ),
  ask('Borrower', { operation: 'show', where: where('serial', 'PL-12') }, shows('LI-02')),
  ask(
    'Borrower',
    { operation: 'count', where: { field: 'lent_to', is: 'not-empty' } },
    counts((row) => row['lent_to'] !== null),
  ),
  ask(
    'Borrower',
    { operation: 'average', field: 'price', where: where('kind', 'saw') },
    measures(averageOf('price', is('kind', 'saw'))),
  ),
  ask(
    'Borrower',
    { operation: 'maximum', field: 'price', where: where('status', 'available') },
    measures(highestOf('price', is('status', 'available'))),
  ),
  ask(
    'Borrower',
    {
      operation: 'group',
      by: 'status',
      measure: 'count',
      where: { field: 'kind', is: 'in', value: ['drill', 'saw'] },
    },
    groups(byGroup('status', undefined, is('kind', 'drill', 'saw'))),
  ),
  ask(
    'Technician',
    {
      operation: 'update',
      where: where('tag', 'DR-05'),
      set: lent('dora', '2026-11-19', '2026-11-30'),
      confirm: false,
    },
    writes({ 'DR-05': lent('dora', '2026-11-19', '2026-11-30') }),
  ),
  ask(
    'Technician',
    { operation: 'update', where: where('tag', 'DR-05'), set: { lent_to: 'ann' }, confirm: false },
    refused({ 'DR-05': { lent_to: 'ann' } }),
  ),
  ask(
    'Technician',
    { operation: 'update', where: where('tag', 'DR-05'), set: { lent_to: 'nobody' }, confirm: false },
    fails('usage.bad-input'),
  ),
  ask(
    'Technician',
    { operation: 'update', where: where('lent_to', 'ann'), set: back, many: true, confirm: false },
    writes({ 'DR-01': back, 'SA-02': back, 'LI-01': back }),
  ),
  ask(
    'Technician',
    { operation: 'update', where: where('lent_to', 'ann'), set: back, many: true, confirm: false },
    none,
  ),
  ask(
    'Technician',
    {
      operation: 'update',
      where: where('status', 'available'),
      set: { status: 'in repair' },
      many: true,
      partial: true,
      confirm: false,
    },
    refused({ 'DR-01': { status: 'in repair' } }),
  ),
  ask(
    'Technician',
    {
      operation: 'update',
      where: where('kind', 'lift'),
      set: { inspect_by: '2026-11-24' },
      many: true,
      confirm: false,
    },
    refused({ 'LI-02': { inspect_by: '2026-11-24' } }),
  ),
  ask(
    'Technician',
    {
      operation: 'update',
      where: where('kind', 'lift'),
      set: { inspect_by: '2026-11-24' },
      many: true,
      partial: true,
      confirm: false,
    },
    writes({ 'LI-01': { inspect_by: '2026-11-24' }, 'LI-03': { inspect_by: '2026-11-24' } }),
  ),
  ask(
    'Technician',
    { operation: 'undo', confirm: false },
    undoes({ 'LI-01': { inspect_by: '2027-01-31' }, 'LI-03': { inspect_by: '2027-02-28' } }),
  ),
  ask(
    'Technician',
    { operation: 'update', where: where('tag', 'LI-01'), set: { covered: true }, confirm: false },
    fails('usage.bad-input'),
  ),
  ask(
    'Technician',
    {
      operation: 'add',
      records: [{ tag: 'DR-06', name: 'Drill', kind: 'drill', price: 10, status: 'lent' }],
      confirm: false,
    },
    refused({ 'DR-06': { name: 'Drill', kind: 'drill', price: 10, status: 'lent' } }),
  ),
  ask(
    'Borrower',
    {
      operation: 'add',
      records: [{ tag: 'DR-06', name: 'Drill', kind: 'drill', price: 10 }],
      confirm: false,
    },
    fails('policy.denied'),
  ),
  ask(
    'Technician',
    { operation: 'delete', where: where('status', 'retired'), many: true, confirm: false },
    writes({ 'SA-03': null }),
  ),

  // 91 to 100: free words, which a model reads
  free(
    'Borrower',
    'What could I carry to the roof today?',
    { operation: 'list', where: { all: [where('kind', 'ladder'), where('status', 'available')] } },
    finds((row) => row['kind'] === 'ladder' && row['status'] === 'available'),
  ),
  free(
    'Borrower',
    'Is anybody hogging our stuff?',
    { operation: 'group', by: 'lent_to', measure: 'count', where: where('status', 'lent') },
    groups(byGroup('lent_to', undefined, is('status', 'lent'))),
  ),
  free(
    'Borrower',
    'Please put me down for the roof ladder',
    { operation: 'update', where: where('tag', 'LA-03'), set: lent('ann', '2026-11-19', '2026-11-20') },
    fails('policy.denied'),
  ),
  free(
    'Technician',
    'Ann would like to have the roof ladder',
    { operation: 'update', where: where('tag', 'LA-03'), set: lent('ann', '2026-11-19', '2026-11-20') },
    fix('cancel'),
    givesUp({ 'LA-03': lent('ann', '2026-11-19', '2026-11-20') }),
  ),
  free(
    'Technician',
    'Then let her take the small one for two days',
    { operation: 'update', where: where('tag', 'LA-01'), set: lent('ann', '2026-11-19', '2026-11-21') },
    confirm('due_on 2026-11-20'),
    yes,
    writes({ 'LA-01': lent('ann', '2026-11-19', '2026-11-20') }),
  ),
  free(
    'Technician',
    'Bob brought his driver back',
    { operation: 'update', where: where('tag', 'DR-04'), set: back },
    yes,
    writes({ 'DR-04': back }),
  ),
  free('Technician', 'Everything must go', { operation: 'delete', many: true }, no, declined),
  free(
    'Technician',
    'The pillar drill is beyond saving',
    { operation: 'update', where: where('tag', 'DR-03'), set: { status: 'retired' } },
    yes,
    writes({ 'DR-03': { status: 'retired' } }),
  ),
  free(
    'Technician',
    'Or maybe somebody can still use it',
    {
      operation: 'update',
      where: where('tag', 'DR-03'),
      set: { status: 'available', fault: null, repair_cost: null },
    },
    fix('cancel'),
    givesUp({ 'DR-03': { status: 'available', fault: null, repair_cost: null } }),
  ),
  free(
    'Borrower',
    'What is all of this worth?',
    { operation: 'sum', field: 'price' },
    measures(sumOf('price')),
  ),
];

export const play: Play = {
  model: equipment,
  others: [staff],
  writer: 'Manager',
  requests,
  files: {
    'more.csv':
      'tag;name;kind;place;price;inspect_by\nDR-05;Core drill;drill;Hall 2;1.250,50;\nLI-03;Scissor lift;lift;;7800;2027-02-28\n',
    'wrong.csv': 'tag,name,kind,price\nLI-04,Lift,lift,10\nDR6,X,drill,1\n',
  },
};
