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
  unchanged,
  undoes,
  writes,
  yes,
  type Request,
  type Row,
} from './request.ts';
import { averageOf, byGroup, cents, highestOf, is, numberIn, sumOf, textIn, where } from './sums.ts';

export const flights: TableModel = {
  name: 'flights',
  fields: { flight: 'text', origin: 'text', destination: 'text', day: 'date', state: 'text' },
  defaults: { state: 'on time' },
  derive: (row) => row,
  breaks: ({ origin, destination, day }) => ([origin, destination, day].includes(null) ? ['required'] : []),
};

const hours24 = 24 * 3_600_000;
const ownBags: Readonly<Record<string, number>> = { 'basic economy': 0, economy: 1, business: 2 };
const moreBags: Readonly<Record<string, number>> = { regular: 0, silver: 1, gold: 2 };

export const bookings: TableModel = {
  name: 'bookings',
  fields: {
    booking_id: 'text',
    passenger: 'text',
    flight: 'text',
    cabin: 'text',
    travellers: 'number',
    membership: 'text',
    bags: 'number',
    free_bags: 'number',
    bag_fee: 'number',
    insurance: 'boolean',
    fare: 'number',
    total: 'number',
    status: 'text',
    booked_at: 'time',
    free_until: 'time',
    cancelled_at: 'time',
    in_time: 'boolean',
    cancel_reason: 'text',
  },
  defaults: { travellers: 1, membership: 'regular', bags: 0, insurance: false, status: 'confirmed' },
  derive(row) {
    const people = numberIn(row, 'travellers') ?? 0;
    const each =
      (ownBags[textIn(row, 'cabin') ?? ''] ?? 0) + (moreBags[textIn(row, 'membership') ?? ''] ?? 0);
    const paid = Math.max(0, (numberIn(row, 'bags') ?? 0) - people * each);
    const [booked, cancelled] = [textIn(row, 'booked_at'), textIn(row, 'cancelled_at')];
    const until = booked === null ? null : Date.parse(booked) + hours24;
    const insured = row['insurance'] === true ? 30 * people : 0;
    return {
      ...row,
      free_bags: people * each,
      bag_fee: 50 * paid,
      total: cents((numberIn(row, 'fare') ?? 0) * people + 50 * paid + insured),
      free_until: until === null ? null : new Date(until).toISOString(),
      in_time: until === null || cancelled === null ? null : Date.parse(cancelled) <= until,
    };
  },
  breaks(after, before) {
    const has = (field: string): boolean => after[field] !== null;
    const isSame = (field: string): boolean => before === undefined || before[field] === after[field];
    const isCancelled = after['status'] === 'cancelled';
    const reason = after['cancel_reason'];
    const isCovered = after['insurance'] === true && (reason === 'health' || reason === 'weather');
    const mayCancel =
      after['in_time'] === true || after['cabin'] === 'business' || reason === 'airline' || isCovered;
    const people = numberIn(after, 'travellers') ?? 0;
    const wrong: readonly (readonly [string, boolean])[] = [
      ['required', !['booking_id', 'passenger', 'flight', 'cabin', 'fare', 'booked_at'].every(has)],
      ['six characters', !/^[0-9A-Z]{6}$/.test(String(after['booking_id']))],
      ['one to five travellers', people < 1 || people > 5],
      ['nothing is negative', [after['bags'], after['fare']].some((number) => Number(number) < 0)],
      ['a cabin of the airline', !Object.keys(ownBags).includes(String(after['cabin']))],
      [
        'a time and a reason exactly if cancelled',
        isCancelled !== has('cancelled_at') || isCancelled !== has('cancel_reason'),
      ],
      ['cancelled too late, and for no good reason', isCancelled && !mayCancel],
      [
        'basic economy is fixed',
        before?.['cabin'] === 'basic economy' && !(isSame('flight') && isSame('cabin')),
      ],
      ['travellers are fixed', !isSame('travellers')],
      ['bags are only added', before !== undefined && Number(after['bags']) < Number(before['bags'])],
      ['insurance is bought at the start', before?.['insurance'] === false && after['insurance'] === true],
      ['flown and cancelled are final', before !== undefined && before['status'] !== 'confirmed'],
    ];
    return wrong.flatMap(([what, isBroken]) => (isBroken ? [what] : []));
  },
};

const cancelled = (at: string, reason: string): Row => ({
  status: 'cancelled',
  cancelled_at: new Date(at).toISOString(),
  cancel_reason: reason,
});
const since =
  (day: string) =>
  (row: Row): boolean =>
    String(row['booked_at']) > day;
const time = (at: string): string => new Date(at).toISOString();

export const requests: readonly Request[] = [
  // 1 to 20: look-ups, and who may see what
  ask('Gate', 'list bookings where flight is HA101', finds(is('flight', 'HA101'))),
  ask('Gate', 'show 4WQ150', shows('4WQ150')),
  ask('Gate', 'show booking 8C8K4E', shows('8C8K4E')),
  ask('Gate', 'how many bookings are confirmed?', counts(is('status', 'confirmed'))),
  ask('Gate', 'list business bookings', finds(is('cabin', 'business'))),
  ask(
    'Gate',
    'list confirmed economy bookings',
    finds((row) => row['status'] === 'confirmed' && row['cabin'] === 'economy'),
  ),
  ask('Gate', 'list bookings with insurance', finds(is('insurance', true))),
  ask('Gate', 'how many bookings without insurance', counts(is('insurance', false))),
  ask('Gate', 'sum of bag_fee', measures(sumOf('bag_fee'))),
  ask('Gate', 'average fare of business bookings', measures(averageOf('fare', is('cabin', 'business')))),
  ask('Gate', 'count bookings by cabin', groups(byGroup('cabin'))),
  ask(
    'Gate',
    'sum of total by flight where status is confirmed',
    groups(byGroup('flight', 'total', is('status', 'confirmed'))),
  ),
  ask(
    'Gate',
    'list passenger and flight of gold bookings sort by passenger',
    finds(is('membership', 'gold'), (row) => row['passenger'] ?? null),
  ),
  ask('Gate', 'list bookings where booked_at is after 2026-11-10', finds(since('2026-11-11'))),
  ask('Gate', 'list bookings where passenger contains khan', finds(is('passenger', 'Liam Khan'))),
  ask('Gate', 'highest total of confirmed bookings', measures(highestOf('total', is('status', 'confirmed')))),
  ask(
    'Gate',
    'list the newest 3 bookings',
    pick('1'),
    finds(all, (row) => row['booked_at'] ?? null, { down: true, limit: 3 }),
  ),
  ask('Passenger', 'list bookings', fails('policy.denied')),
  ask('Gate', 'set bags to 2 for 4WQ150', fails('policy.denied')),
  ask('Gate', 'list cancelled bookings', finds(is('status', 'cancelled'))),

  // 21 to 35: cabins, flights, bags, insurance and travellers
  ask('Agent', 'set cabin to business for 4WQ150', yes, writes({ '4WQ150': { cabin: 'business' } })),
  ask('Agent', 'set cabin to economy for PGAGLM', fix('cancel'), givesUp({ PGAGLM: { cabin: 'economy' } })),
  ask(
    'Agent',
    'change the flight of RRKDK0 to HA202',
    fix('yes'),
    fix('no'),
    givesUp({ RRKDK0: { flight: 'HA202' } }),
  ),
  ask(
    'Agent',
    'set flight to HA999 for 4WQ150',
    fix('HA102'),
    yes,
    writes({ '4WQ150': { flight: 'HA102' } }),
  ),
  ask('Agent', 'set bags to 3 for 4WQ150', yes, writes({ '4WQ150': { bags: 3 } })),
  ask(
    'Agent',
    'set bags to 1 for 4WQ150',
    fix('bags 4'),
    confirm('bags 5'),
    yes,
    writes({ '4WQ150': { bags: 5 } }),
  ),
  ask('Agent', 'set bags to many for 4WQ150', fails('usage.bad-input')),
  ask('Agent', 'set insurance to yes for H9ZU1C', fix('cancel'), givesUp({ H9ZU1C: { insurance: true } })),
  ask('Agent', 'mark I57WNG as insurance no', yes, writes({ I57WNG: { insurance: false } })),
  ask('Agent', 'undo', yes, undoes({ I57WNG: { insurance: true } })),
  ask('Agent', 'set travellers to 2 for IFOYYZ', fix('cancel'), givesUp({ IFOYYZ: { travellers: 2 } })),
  ask('Agent', 'set travellers to 6 for H9ZU1C', fix('cancel'), givesUp({ H9ZU1C: { travellers: 6 } })),
  ask('Agent', 'set membership to gold for H9ZU1C', yes, writes({ H9ZU1C: { membership: 'gold' } })),
  ask('Agent', 'set membership to gold for H9ZU1C', unchanged),
  ask('Agent', 'set total to 1 for H9ZU1C', fails('usage.bad-input')),

  // 36 to 52: cancellations
  ask(
    'Agent',
    'set status to cancelled for PGAGLM',
    fix('cancelled_at 2026-11-16T10:00:00Z, reason change of plan'),
    yes,
    writes({ PGAGLM: cancelled('2026-11-16T10:00:00Z', 'change of plan') }),
  ),
  ask(
    'Agent',
    'set status to cancelled, cancelled_at 2026-11-16T00:00:00Z, reason change of plan for IFOYYZ',
    fix('reason health'),
    fix('cancel'),
    givesUp({ IFOYYZ: cancelled('2026-11-16T00:00:00Z', 'health') }),
  ),
  ask(
    'Agent',
    'set status to cancelled, cancelled_at 2026-11-15T23:10:01Z, reason change of plan for IFOYYZ',
    fix('cancel'),
    givesUp({ IFOYYZ: cancelled('2026-11-15T23:10:01Z', 'change of plan') }),
  ),
  ask(
    'Agent',
    'set status to cancelled, cancelled_at 2026-11-15T23:10:00Z, reason change of plan for IFOYYZ',
    yes,
    writes({ IFOYYZ: cancelled('2026-11-15T23:10:00Z', 'change of plan') }),
  ),
  ask('Agent', 'undo', no, declined),
  ask(
    'Agent',
    'set status to cancelled, cancelled_at 2026-11-18T08:00:00Z, reason change of plan for I57WNG',
    fix('reason health'),
    yes,
    writes({ I57WNG: cancelled('2026-11-18T08:00:00Z', 'health') }),
  ),
  ask(
    'Agent',
    'undo',
    yes,
    undoes({ I57WNG: { status: 'confirmed', cancelled_at: null, cancel_reason: null } }),
  ),
  ask(
    'Agent',
    'set status to cancelled, cancelled_at 2026-11-18T08:00:00Z, reason change of plan for VAAOXJ',
    yes,
    writes({ VAAOXJ: cancelled('2026-11-18T08:00:00Z', 'change of plan') }),
  ),
  ask(
    'Agent',
    'set status to cancelled, cancelled_at 2026-11-18T08:00:00Z, reason airline for 8C8K4E',
    yes,
    writes({ '8C8K4E': cancelled('2026-11-18T08:00:00Z', 'airline') }),
  ),
  ask(
    'Agent',
    'set status to cancelled, cancelled_at 2026-11-18T08:00:00Z, reason bored for K1NW8N',
    fails('usage.bad-input'),
  ),
  ask(
    'Agent',
    'set status to cancelled, cancelled_at 2026-11-18T08:00:00Z, reason weather for K1NW8N',
    fix('cancel'),
    givesUp({ K1NW8N: cancelled('2026-11-18T08:00:00Z', 'weather') }),
  ),
  ask(
    'Agent',
    'set status to cancelled, cancelled_at 2026-11-18T08:00:00Z, reason airline for UHDAHF',
    fix('cancel'),
    givesUp({ UHDAHF: cancelled('2026-11-18T08:00:00Z', 'airline') }),
  ),
  ask(
    'Agent',
    'set status to confirmed, cancelled_at to null, reason to null for 3RK2T9',
    fix('cancel'),
    givesUp({ '3RK2T9': { status: 'confirmed', cancelled_at: null, cancel_reason: null } }),
  ),
  ask(
    'Agent',
    'set passenger to "Liam Cahn" for 3RK2T9',
    fix('cancel'),
    givesUp({ '3RK2T9': { passenger: 'Liam Cahn' } }),
  ),
  ask(
    'Agent',
    'set reason to weather for H9ZU1C',
    fix('cancel'),
    givesUp({ H9ZU1C: { cancel_reason: 'weather' } }),
  ),
  ask(
    'Agent',
    'set status to cancelled, cancelled_at yesterday, reason airline for ZZZZZZ',
    fails('usage.not-found'),
  ),
  ask('Gate', 'count bookings by status', groups(byGroup('status'))),

  // 53 to 70: new bookings, many bookings, choices, conflicts and files
  ask(
    'Agent',
    'add bookings booking_id QQ1234, passenger "Ida Berg", flight HA102, cabin economy, fare 140.50, booked_at 2026-11-18T12:00:00Z',
    yes,
    writes({
      QQ1234: {
        passenger: 'Ida Berg',
        flight: 'HA102',
        cabin: 'economy',
        fare: 140.5,
        booked_at: time('2026-11-18T12:00:00Z'),
      },
    }),
  ),
  ask(
    'Agent',
    'add a booking with passenger "Jon Roe", travellers 2, bags 5, insurance yes',
    fill('booking_id J0NR0E, flight HA202, cabin business'),
    fill('fare 500, booked_at 2026-11-18T13:00:00Z'),
    confirm('membership silver'),
    yes,
    writes({
      J0NR0E: {
        passenger: 'Jon Roe',
        travellers: 2,
        bags: 5,
        insurance: true,
        flight: 'HA202',
        cabin: 'business',
        fare: 500,
        membership: 'silver',
        booked_at: time('2026-11-18T13:00:00Z'),
      },
    }),
  ),
  ask(
    'Agent',
    'add bookings booking_id short, passenger X, flight HA102, cabin economy, fare 1, booked_at 2026-11-18T12:00:00Z',
    fix('cancel'),
    givesUp({
      short: {
        passenger: 'X',
        flight: 'HA102',
        cabin: 'economy',
        fare: 1,
        booked_at: time('2026-11-18T12:00:00Z'),
      },
    }),
  ),
  ask(
    'Agent',
    'add bookings booking_id QQ1234, passenger X, flight HA102, cabin economy, fare 1, booked_at 2026-11-18T12:00:00Z',
    fix('cancel'),
    declined,
  ),
  ask('Agent', 'delete QQ1234', no, declined),
  ask('Agent', 'delete QQ1234', yes, writes({ QQ1234: null })),
  ask(
    'Agent',
    'undo',
    yes,
    undoes({
      QQ1234: {
        passenger: 'Ida Berg',
        flight: 'HA102',
        cabin: 'economy',
        fare: 140.5,
        booked_at: time('2026-11-18T12:00:00Z'),
      },
    }),
  ),
  ask(
    'Agent',
    'set bags to 8 where flight is HA202',
    yes,
    writes({ K1NW8N: { bags: 8 }, H9ZU1C: { bags: 8 }, J0NR0E: { bags: 8 } }),
  ),
  ask('Agent', 'undo', yes, undoes({ K1NW8N: { bags: 3 }, H9ZU1C: { bags: 6 }, J0NR0E: { bags: 5 } })),
  ask(
    'Agent',
    'set bags to 4 where flight is HA202',
    fix('cancel'),
    givesUp({ K1NW8N: { bags: 4 }, H9ZU1C: { bags: 4 }, J0NR0E: { bags: 4 } }),
  ),
  ask(
    'Agent',
    'set flight to HA102 where flight is HA202 as far as possible',
    yes,
    writes({ H9ZU1C: { flight: 'HA102' }, J0NR0E: { flight: 'HA102' } }),
  ),
  ask(
    'Agent',
    { operation: 'update', where: where('passenger', 'Emma Garcia'), set: { bags: 9 } },
    pick('H9ZU1C'),
    yes,
    writes({ H9ZU1C: { bags: 9 } }),
  ),
  ask(
    'Agent',
    'set bags to 10 for H9ZU1C',
    meanwhile(
      { operation: 'update', where: where('booking_id', 'H9ZU1C'), set: { bags: 12 }, confirm: false },
      { H9ZU1C: { bags: 12 } },
    ),
    yes,
    fix('bags 13'),
    yes,
    writes({ H9ZU1C: { bags: 13 } }),
  ),
  ask(
    'Agent',
    'delete J0NR0E',
    meanwhile(
      { operation: 'delete', where: where('booking_id', 'J0NR0E'), confirm: false },
      { J0NR0E: null },
    ),
    yes,
    fails('usage.not-found'),
  ),
  ask(
    'Agent',
    'import group.json',
    yes,
    writes({
      GRP001: {
        passenger: 'Kai Low',
        flight: 'HA101',
        cabin: 'economy',
        travellers: 4,
        bags: 6,
        fare: 90,
        booked_at: time('2026-11-17T09:30:00Z'),
      },
      GRP002: {
        passenger: 'Lea Low',
        flight: 'HA101',
        cabin: 'basic economy',
        insurance: true,
        fare: 60.1,
        booked_at: time('2026-11-17T09:31:00Z'),
      },
    }),
  ),
  ask('Agent', 'import late.csv', fails('usage.bad-input')),
  ask('Gate', 'export bookings first 5 to out/confirmed.csv', fails('usage.bad-input')),
  ask(
    'Gate',
    'export confirmed bookings to out/confirmed.csv',
    exports('out/confirmed.csv', is('status', 'confirmed')),
  ),

  // 71 to 90: programs, and the flights
  ask(
    'Gate',
    { operation: 'list', where: { field: 'fare', is: 'between', value: [80, 130] } },
    finds((row) => Number(row['fare']) >= 80 && Number(row['fare']) <= 130),
  ),
  ask(
    'Gate',
    { operation: 'list', sort: [{ field: 'fare', direction: 'down' }], limit: 4, offset: 2 },
    finds(all, (row) => row['fare'] ?? null, { down: true, limit: 4, offset: 2 }),
  ),
  ask(
    'Gate',
    { operation: 'count', where: { not: where('membership', 'regular') } },
    counts((row) => row['membership'] !== 'regular'),
  ),
  ask('Gate', { operation: 'average', field: 'bags' }, measures(averageOf('bags'))),
  ask(
    'Gate',
    { operation: 'group', by: 'membership', measure: 'sum', field: 'bag_fee' },
    groups(byGroup('membership', 'bag_fee')),
  ),
  ask(
    'Agent',
    {
      operation: 'update',
      where: where('booking_id', 'RRKDK0'),
      set: { status: 'cancelled', cancelled_at: '2026-11-18T08:00:00Z', cancel_reason: 'change of plan' },
      confirm: false,
    },
    refused({ RRKDK0: cancelled('2026-11-18T08:00:00Z', 'change of plan') }),
  ),
  ask(
    'Agent',
    {
      operation: 'update',
      where: where('booking_id', 'RRKDK0'),
      set: { status: 'cancelled', cancelled_at: '2026-11-18T08:00:00Z', cancel_reason: 'weather' },
      confirm: false,
    },
    writes({ RRKDK0: cancelled('2026-11-18T08:00:00Z', 'weather') }),
  ),
  ask(
    'Agent',
    { operation: 'update', where: where('booking_id', 'RRKDK0'), set: { bags: 2 }, confirm: false },
    refused({ RRKDK0: { bags: 2 } }),
  ),
  ask(
    'Agent',
    {
      operation: 'update',
      where: where('booking_id', 'GRP001'),
      set: { free_until: '2030-01-01T00:00:00Z' },
      confirm: false,
    },
    fails('usage.bad-input'),
  ),
  ask(
    'Agent',
    {
      operation: 'update',
      where: where('booking_id', 'GRP001'),
      set: { booked_at: '2026-11-17T10:30:00+01:00' },
      confirm: false,
    },
    unchanged,
  ),
  ask(
    'Agent',
    { operation: 'update', where: where('booking_id', 'GRP002'), set: { status: 'flown' }, confirm: false },
    writes({ GRP002: { status: 'flown' } }),
  ),
  ask(
    'Agent',
    {
      operation: 'update',
      where: where('flight', 'HA101'),
      set: { membership: 'silver' },
      many: true,
      confirm: false,
    },
    refused({
      GRP001: { membership: 'silver' },
      GRP002: { membership: 'silver' },
      PGAGLM: { membership: 'silver' },
      IFOYYZ: { membership: 'silver' },
    }),
  ),
  ask(
    'Agent',
    {
      operation: 'update',
      where: where('flight', 'HA101'),
      set: { membership: 'silver' },
      many: true,
      partial: true,
      confirm: false,
    },
    writes({ GRP001: { membership: 'silver' } }),
  ),
  ask(
    'Agent',
    {
      operation: 'add',
      records: [
        {
          booking_id: 'NEW001',
          passenger: 'Moe',
          flight: 'HA101',
          cabin: 'first',
          fare: 1,
          booked_at: '2026-11-18T12:00:00Z',
        },
      ],
      confirm: false,
    },
    fails('usage.bad-input'),
  ),
  ask(
    'Agent',
    {
      operation: 'add',
      records: [
        {
          booking_id: 'NEW001',
          passenger: 'Moe',
          flight: 'HA101',
          cabin: 'economy',
          fare: 1,
          booked_at: '2026-11-18T12:00:00Z',
          status: 'cancelled',
          cancelled_at: '2026-11-20T12:00:00Z',
          cancel_reason: 'health',
        },
      ],
      confirm: false,
    },
    refused({
      NEW001: {
        passenger: 'Moe',
        flight: 'HA101',
        cabin: 'economy',
        fare: 1,
        booked_at: time('2026-11-18T12:00:00Z'),
        ...cancelled('2026-11-20T12:00:00Z', 'health'),
      },
    }),
  ),
  ask(
    'Gate',
    { operation: 'update', where: where('booking_id', 'GRP001'), set: { bags: 9 }, confirm: false },
    fails('policy.denied'),
  ),
  ask(
    'Agent',
    { operation: 'delete', where: where('status', 'confirmed'), confirm: false },
    fails('usage.bad-input'),
  ),
  ask('Agent', { operation: 'delete', where: where('passenger', 'Zed'), many: true, confirm: false }, none),
  askOf(
    'flights',
    'Manager',
    { operation: 'delete', where: where('flight', 'HA101'), confirm: false },
    fails('usage.bad-input'),
  ),
  askOf('flights', 'Manager', 'mark HA201 as grounded', yes, writes({ HA201: { state: 'grounded' } })),

  // 91 to 100: free words, which a model reads
  free(
    'Gate',
    'Who flies with us for next to nothing?',
    { operation: 'list', where: where('cabin', 'basic economy') },
    finds(is('cabin', 'basic economy')),
  ),
  free(
    'Gate',
    'What do people owe us for luggage, by status?',
    { operation: 'group', by: 'status', measure: 'sum', field: 'bag_fee' },
    groups(byGroup('status', 'bag_fee')),
  ),
  free(
    'Agent',
    'Liam is ill and wants out',
    {
      operation: 'update',
      where: where('booking_id', 'I57WNG'),
      set: { status: 'cancelled', cancelled_at: '2026-11-19T07:00:00Z', cancel_reason: 'health' },
    },
    yes,
    writes({ I57WNG: cancelled('2026-11-19T07:00:00Z', 'health') }),
  ),
  free(
    'Agent',
    'Emma changed her mind',
    {
      operation: 'update',
      where: where('booking_id', 'H9ZU1C'),
      set: { status: 'cancelled', cancelled_at: '2026-11-19T07:00:00Z', cancel_reason: 'change of plan' },
    },
    fix('cancel'),
    givesUp({ H9ZU1C: cancelled('2026-11-19T07:00:00Z', 'change of plan') }),
  ),
  free(
    'Agent',
    'Forget everything about cancelled trips',
    { operation: 'delete', where: where('status', 'cancelled'), many: true },
    no,
    declined,
  ),
  free(
    'Agent',
    'Two more suitcases for Kai',
    { operation: 'update', where: where('booking_id', 'GRP001'), set: { bags: 8 } },
    confirm('bags 9'),
    yes,
    writes({ GRP001: { bags: 9 } }),
  ),
  free('Agent', 'Oops, not for Kai', { operation: 'undo' }, yes, undoes({ GRP001: { bags: 6 } })),
  free(
    'Gate',
    'Whom do we bring to Berlin?',
    { operation: 'list', where: where('flight', 'HA102') },
    finds(is('flight', 'HA102')),
  ),
  free(
    'Gate',
    'Upgrade my friend Kai',
    { operation: 'update', where: where('booking_id', 'GRP001'), set: { cabin: 'business' } },
    fails('policy.denied'),
  ),
  free(
    'Gate',
    'What is the dearest trip?',
    { operation: 'maximum', field: 'total' },
    measures(highestOf('total')),
  ),
];

export const play: Play = {
  model: bookings,
  others: [flights],
  writer: 'Manager',
  requests,
  files: {
    'group.json': JSON.stringify([
      {
        booking_id: 'GRP001',
        passenger: 'Kai Low',
        flight: 'HA101',
        cabin: 'economy',
        travellers: 4,
        bags: 6,
        fare: 90,
        booked_at: '2026-11-17T09:30:00Z',
      },
      {
        booking_id: 'GRP002',
        passenger: 'Lea Low',
        flight: 'HA101',
        cabin: 'basic economy',
        insurance: true,
        fare: 60.1,
        booked_at: '2026-11-17T09:31:00Z',
      },
    ]),
    'late.csv':
      'booking_id,passenger,flight,cabin,fare,booked_at\n' +
      'LATE01,Kai Low,HA777,economy,90,2026-11-17T09:30:00Z\n' +
      'LATE02,Kai Low,HA101,economy,-90,2026-11-17T09:30:00Z\n',
  },
};
