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
import { byGroup, cents, highestOf, is, numberIn, sumOf, textIn, where } from './sums.ts';

export const customers: TableModel = {
  name: 'customers',
  fields: { customer_id: 'number', name: 'text', email: 'text', city: 'text' },
  defaults: {},
  derive: (row) => row,
  breaks: ({ name }) => (name === null ? ['a customer has a name'] : []),
};

const paidBack: Readonly<Record<string, readonly string[]>> = {
  'credit card': ['credit card', 'gift card'],
  paypal: ['paypal', 'gift card'],
  'gift card': ['gift card'],
};

export const orders: TableModel = {
  name: 'orders',
  fields: {
    order_id: 'text',
    customer_id: 'number',
    items: 'list',
    net: 'number',
    shipping: 'number',
    total: 'number',
    payment: 'text',
    status: 'text',
    address: 'text',
    ordered_on: 'date',
    shipped_on: 'date',
    delivered_on: 'date',
    dates_fit: 'boolean',
    cancel_reason: 'text',
    replacement: 'text',
    refund: 'number',
    refund_to: 'text',
    refund_fits: 'boolean',
  },
  defaults: { shipping: 4.9, status: 'pending' },
  derive(row) {
    const [net, shipping, refund] = [
      numberIn(row, 'net'),
      numberIn(row, 'shipping'),
      numberIn(row, 'refund'),
    ];
    const [left, arrived] = [textIn(row, 'shipped_on'), textIn(row, 'delivered_on')];
    const total = net === null || shipping === null ? null : cents(net + shipping);
    return {
      ...row,
      total,
      dates_fit: left === null || arrived === null ? null : left <= arrived,
      refund_fits: refund === null || total === null ? null : refund <= total,
    };
  },
  breaks(after, before) {
    const was = before?.['status'] ?? after['status'];
    const is = after['status'];
    const has = (field: string): boolean => after[field] !== null;
    const moved = (from: string, ...to: readonly string[]): boolean =>
      was === from && to.includes(String(is));
    const hasLeft = ['processed', 'delivered', 'returned', 'exchanged'].includes(String(is));
    const hasArrived = ['delivered', 'returned', 'exchanged'].includes(String(is));
    const isPaidBack = is === 'cancelled' || is === 'returned';
    const isSame = (field: string): boolean =>
      JSON.stringify(before?.[field]) === JSON.stringify(after[field]);
    const wrong: readonly (readonly [string, boolean])[] = [
      [
        'required',
        !['order_id', 'customer_id', 'items', 'net', 'payment', 'address', 'ordered_on'].every(has),
      ],
      ['the number is W and four digits', !/^W[0-9]{4}$/.test(String(after['order_id']))],
      ['an amount is not negative', ['net', 'shipping', 'refund'].some((field) => Number(after[field]) < 0)],
      ['a known payment method', !Object.keys(paidBack).includes(String(after['payment']))],
      ['an order has a shipping date exactly if it has left', hasLeft !== has('shipped_on')],
      ['an order has a delivery date exactly if it has arrived', hasArrived !== has('delivered_on')],
      ['it cannot arrive before it leaves', after['dates_fit'] === false],
      ['a reason exactly if cancelled', (is === 'cancelled') !== has('cancel_reason')],
      ['a replacement exactly if exchanged', (is === 'exchanged') !== has('replacement')],
      ['a refund exactly if cancelled or returned', isPaidBack !== has('refund')],
      ['a refund goes somewhere', isPaidBack && !has('refund_to')],
      ['a refund is at most the total', after['refund_fits'] === false],
      [
        'a refund goes to the original payment method or a gift card',
        has('refund_to') && !paidBack[String(after['payment'])]?.includes(String(after['refund_to'])),
      ],
      [
        'only pending is cancelled, only delivered is returned or exchanged',
        was !== is &&
          !moved('pending', 'processed', 'cancelled') &&
          !moved('processed', 'delivered') &&
          !moved('delivered', 'returned', 'exchanged'),
      ],
      [
        'items and address are fixed when it is no longer pending',
        before !== undefined && was !== 'pending' && !(isSame('items') && isSame('address')),
      ],
    ];
    return wrong.flatMap(([what, isBroken]) => (isBroken ? [what] : []));
  },
};

const cancelled = (refund: number, to: string, reason = 'no longer needed'): Row => ({
  status: 'cancelled',
  cancel_reason: reason,
  refund,
  refund_to: to,
});

export const requests: readonly Request[] = [
  // 1 to 10: look-ups, and who may see what
  ask('Agent', 'list orders where status is pending', finds(is('status', 'pending'))),
  ask(
    'Agent',
    'list orders sort by total desc first 3',
    finds(all, (row) => row['total'] ?? null, { down: true, limit: 3 }),
  ),
  ask('Agent', 'how many orders are pending?', counts(is('status', 'pending'))),
  ask('Agent', 'show W1003', shows('W1003')),
  ask('Clerk', 'list orders where customer is 1', finds(is('customer_id', 1))),
  ask('Clerk', 'count orders by status', groups(byGroup('status'))),
  ask('Clerk', 'sum of total where status is delivered', measures(sumOf('total', is('status', 'delivered')))),
  ask('Clerk', 'sum of total by payment', groups(byGroup('payment', 'total'))),
  ask('Customer', 'list orders', fails('policy.denied')),
  ask('Clerk', 'list delivered orders', finds(is('status', 'delivered'))),

  // 11 to 20: an order leaves, and can no longer be cancelled
  ask('Customer', 'set address to "Elsewhere 1, Rome" for W1001', fails('policy.denied')),
  ask('Clerk', 'delete W1001', fails('policy.denied')),
  ask('Clerk', 'set status to processed, shipped_on 2026-11-20 for W1001', fails('policy.denied')),
  ask(
    'Agent',
    'set status to processed, shipped_on 2026-11-20 for W1001',
    yes,
    writes({ W1001: { status: 'processed', shipped_on: '2026-11-20' } }),
  ),
  ask(
    'Agent',
    'set status to cancelled, cancel_reason ordered by mistake, refund 44.80, refund_to credit card for W1001',
    fix('yes'),
    fix('cancel'),
    givesUp({ W1001: cancelled(44.8, 'credit card', 'ordered by mistake') }),
  ),
  ask('Agent', 'undo', yes, undoes({ W1001: { status: 'pending', shipped_on: null } })),
  ask(
    'Agent',
    'set status to cancelled, cancel_reason ordered by mistake, refund 44.80, refund_to credit card for W1001',
    yes,
    writes({ W1001: cancelled(44.8, 'credit card', 'ordered by mistake') }),
  ),
  ask(
    'Agent',
    'set status to pending, cancel_reason to null, refund to null, refund_to to null for W1001',
    fix('cancel'),
    givesUp({ W1001: { status: 'pending', cancel_reason: null, refund: null, refund_to: null } }),
  ),
  ask('Agent', 'undo', no, declined),
  ask('Agent 2', 'undo', fails('usage.not-found')),

  // 21 to 30: refunds
  ask(
    'Agent',
    'set status to cancelled, reason no longer needed, refund 22.90, refund_to credit card for W1005',
    fix('refund_to paypal'),
    yes,
    writes({ W1005: cancelled(22.9, 'paypal') }),
  ),
  ask(
    'Agent',
    'set status to returned, refund 300, refund_to credit card for W1004',
    fix('refund 259'),
    confirm('refund 200'),
    yes,
    writes({ W1004: { status: 'returned', refund: 200, refund_to: 'credit card' } }),
  ),
  ask('Agent', 'set status to returned for W1003', fix('no'), givesUp({ W1003: { status: 'returned' } })),
  ask(
    'Agent',
    'set status to returned, refund 79.40, refund_to paypal for W1003',
    fix('cancel'),
    givesUp({ W1003: { status: 'returned', refund: 79.4, refund_to: 'paypal' } }),
  ),
  ask(
    'Agent',
    'set status to returned, refund 79.40 and refund_to gift card for W1003',
    yes,
    writes({ W1003: { status: 'returned', refund: 79.4, refund_to: 'gift card' } }),
  ),
  ask('Agent', 'set refund to 10 for W1009', fix('cancel'), givesUp({ W1009: { refund: 10 } })),
  ask('Agent', 'set refund to -5 for W1003', fix('cancel'), givesUp({ W1003: { refund: -5 } })),
  ask('Agent', 'set refund to 80 for W1003', fix('refund 79.40'), unchanged),
  ask('Agent', 'set net to 10 for W1007', fix('cancel'), givesUp({ W1007: { net: 10 } })),
  ask('Clerk', 'list orders where refund_to is gift card', finds(is('refund_to', 'gift card'))),

  // 31 to 40: exchanges, addresses and items
  ask(
    'Agent',
    'set status to exchanged for W1010',
    fix('replacement "floor lamp"'),
    yes,
    writes({ W1010: { status: 'exchanged', replacement: 'floor lamp' } }),
  ),
  ask(
    'Agent',
    'set status to exchanged, replacement "seat" for W1002',
    fix('cancel'),
    givesUp({ W1002: { status: 'exchanged', replacement: 'seat' } }),
  ),
  ask(
    'Agent',
    'change the address of W1009 to "Rose Walk 11, Cologne"',
    yes,
    writes({ W1009: { address: 'Rose Walk 11, Cologne' } }),
  ),
  ask(
    'Agent',
    'change the delivery address of W1011 to "Oak Street 2, Berlin"',
    fix('cancel'),
    givesUp({ W1011: { address: 'Oak Street 2, Berlin' } }),
  ),
  ask(
    'Agent',
    'set items to [teapot, cups, tray] for W1009',
    yes,
    writes({ W1009: { items: ['teapot', 'cups', 'tray'] } }),
  ),
  ask('Agent', 'set items to [pen] for W1002', fix('cancel'), givesUp({ W1002: { items: ['pen'] } })),
  ask(
    'Agent',
    'set net to 60 for W1009',
    confirm('net 61.50'),
    confirm('shipping 0'),
    yes,
    writes({ W1009: { net: 61.5, shipping: 0 } }),
  ),
  ask('Agent', 'set total to 5 for W1009', fails('usage.bad-input')),
  ask('Agent', 'set order_id to W2009 for W1009', fails('usage.bad-input')),
  ask('Agent', 'set status to shipped for W1009', fails('usage.bad-input')),

  // 41 to 50: new orders
  ask(
    'Agent',
    'add orders order_id W1013, customer 3, items [mug], net 9.50, payment paypal, address "Mill Lane 12, Berlin", ordered_on 2026-11-18',
    yes,
    writes({
      W1013: {
        customer_id: 3,
        items: ['mug'],
        net: 9.5,
        payment: 'paypal',
        address: 'Mill Lane 12, Berlin',
        ordered_on: '2026-11-18',
      },
    }),
  ),
  ask(
    'Agent',
    'add an order with customer 4, net 20',
    fill('order_id W1014, items [scarf, hat], payment gift card'),
    fill('address "Park Avenue 3, Munich", ordered_on 2026-11-18'),
    yes,
    writes({
      W1014: {
        customer_id: 4,
        items: ['scarf', 'hat'],
        net: 20,
        payment: 'gift card',
        address: 'Park Avenue 3, Munich',
        ordered_on: '2026-11-18',
      },
    }),
  ),
  ask('Agent', 'add orders', fill('cancel'), declined),
  ask(
    'Agent',
    'add orders order_id W1013, customer 3, items [mug], net 9.50, payment paypal, address "Mill Lane 12, Berlin", ordered_on 2026-11-18',
    fix('order_id W1015'),
    no,
    declined,
  ),
  ask(
    'Agent',
    'add orders order_id 1016, customer 3, items [mug], net 9.50, payment paypal, address "Mill Lane 12, Berlin", ordered_on 2026-11-18',
    fix('W1016'),
    yes,
    writes({
      W1016: {
        customer_id: 3,
        items: ['mug'],
        net: 9.5,
        payment: 'paypal',
        address: 'Mill Lane 12, Berlin',
        ordered_on: '2026-11-18',
      },
    }),
  ),
  ask(
    'Agent',
    'add orders order_id W1017, customer 99, items [mug], net 9.50, payment paypal, address "Nowhere 1, Berlin", ordered_on 2026-11-18',
    fix('customer 5'),
    yes,
    writes({
      W1017: {
        customer_id: 5,
        items: ['mug'],
        net: 9.5,
        payment: 'paypal',
        address: 'Nowhere 1, Berlin',
        ordered_on: '2026-11-18',
      },
    }),
  ),
  ask('Agent', 'undo', yes, undoes({ W1017: null })),
  ask('Agent', 'remove W1016 from orders', yes, writes({ W1016: null })),
  ask('Agent', 'show W1016', shows(null)),
  ask('Clerk', 'how many orders', counts(all)),

  // 51 to 60: many records, choices and conflicts
  ask(
    'Agent',
    'set shipping to 0 where status is pending and net > 50',
    yes,
    writes({ W1012: { shipping: 0 } }),
  ),
  ask('Agent', 'set shipping to 5.90 where status is pending', confirm('no'), declined),
  ask(
    'Agent',
    'set shipping to 5.90 where status is pending',
    yes,
    writes({
      W1009: { shipping: 5.9 },
      W1012: { shipping: 5.9 },
      W1013: { shipping: 5.9 },
      W1014: { shipping: 5.9 },
    }),
  ),
  ask(
    'Agent',
    'undo',
    yes,
    undoes({
      W1009: { shipping: 0 },
      W1012: { shipping: 0 },
      W1013: { shipping: 4.9 },
      W1014: { shipping: 4.9 },
    }),
  ),
  ask(
    'Agent',
    { operation: 'update', where: where('customer_id', 2), set: { shipping: 3 } },
    pick('W1012'),
    yes,
    writes({ W1012: { shipping: 3 } }),
  ),
  ask(
    'Agent',
    { operation: 'update', where: where('customer_id', 2), set: { shipping: 3.5 } },
    pick('3'),
    yes,
    writes({ W1012: { shipping: 3.5 } }),
  ),
  ask('Agent', { operation: 'delete', where: where('status', 'exchanged') }, pick('all'), no, declined),
  ask(
    'Agent',
    'set shipping to 7 for W1014',
    meanwhile(
      { operation: 'update', where: where('order_id', 'W1014'), set: { shipping: 2 }, confirm: false },
      { W1014: { shipping: 2 } },
    ),
    yes,
    yes,
    writes({ W1014: { shipping: 7 } }),
  ),
  ask(
    'Agent',
    'set shipping to 8 for W1014',
    meanwhile(
      {
        operation: 'update',
        where: where('order_id', 'W1014'),
        set: { status: 'processed', shipped_on: '2026-11-19' },
        confirm: false,
      },
      { W1014: { status: 'processed', shipped_on: '2026-11-19' } },
    ),
    yes,
    no,
    declined,
  ),
  ask('Agent', 'undo', yes, fails('usage.not-found')),

  // 61 to 70: files, references and things that do not exist
  ask(
    'Agent',
    'import new-orders.csv',
    yes,
    writes({
      W1020: {
        customer_id: 1,
        items: ['ruler'],
        net: 3,
        payment: 'paypal',
        address: 'Oak Street 1, Berlin',
        ordered_on: '2026-11-17',
      },
      W1021: {
        customer_id: 2,
        items: ['globe', 'atlas'],
        net: 88.5,
        shipping: 0,
        payment: 'credit card',
        address: 'Harbour Road 7, Hamburg',
        ordered_on: '2026-11-17',
      },
    }),
  ),
  ask(
    'Agent',
    'import bad-orders.csv',
    refused({
      W1022: {
        customer_id: 1,
        items: ['x'],
        net: 1,
        payment: 'cash',
        address: 'A',
        ordered_on: '2026-11-17',
      },
    }),
  ),
  ask(
    'Agent',
    'import bad-orders.csv skipping faulty rows',
    yes,
    writes({
      W1023: {
        customer_id: 4,
        items: ['clock'],
        net: 31,
        payment: 'gift card',
        address: 'Park Avenue 3, Munich',
        ordered_on: '2026-11-17',
      },
    }),
  ),
  ask('Agent', 'undo', yes, undoes({ W1023: null })),
  ask('Clerk', 'import new-orders.csv', fails('policy.denied')),
  ask(
    'Clerk',
    'export orders where status is delivered or returned to returns.csv',
    exports('returns.csv', is('status', 'delivered', 'returned')),
  ),
  askOf('customers', 'Manager', 'delete 1', fails('usage.bad-input')),
  askOf(
    'customers',
    'Manager',
    'add customers name "Fay Hill", city Berlin',
    yes,
    writes({ 6: { name: 'Fay Hill', city: 'Berlin' } }),
  ),
  askOf(
    'customers',
    'Manager',
    'set email to ann@example.com for 6',
    fix('fay@example.com'),
    yes,
    writes({ 6: { email: 'fay@example.com' } }),
  ),
  ask('Agent', 'set status to processed, shipped_on 2026-11-20 for W9999', fails('usage.not-found')),

  // 71 to 90: programs
  ask(
    'Agent',
    { operation: 'list', where: where('status', 'returned'), fields: ['order_id', 'refund'] },
    finds(is('status', 'returned')),
  ),
  ask(
    'Agent',
    { operation: 'count', where: { any: [where('payment', 'paypal'), where('payment', 'gift card')] } },
    counts(is('payment', 'paypal', 'gift card')),
  ),
  ask('Agent', { operation: 'show', where: where('order_id', 'W1012') }, shows('W1012')),
  ask('Agent', { operation: 'maximum', field: 'total' }, measures(highestOf('total'))),
  ask(
    'Agent',
    { operation: 'group', by: 'customer_id', measure: 'sum', field: 'total' },
    groups(byGroup('customer_id', 'total')),
  ),
  ask(
    'Agent',
    {
      operation: 'update',
      where: where('order_id', 'W1012'),
      set: { address: 'Harbour Road 9, Hamburg' },
      confirm: false,
    },
    writes({ W1012: { address: 'Harbour Road 9, Hamburg' } }),
  ),
  ask(
    'Agent',
    { operation: 'update', where: where('order_id', 'W1002'), set: cancelled(189, 'paypal'), confirm: false },
    refused({ W1002: cancelled(189, 'paypal') }),
  ),
  ask(
    'Agent',
    {
      operation: 'update',
      where: where('order_id', 'W1002'),
      set: { ...cancelled(189, 'paypal'), shipped_on: null },
      confirm: false,
    },
    refused({ W1002: { ...cancelled(189, 'paypal'), shipped_on: null } }),
  ),
  ask(
    'Agent',
    {
      operation: 'update',
      where: where('order_id', 'W1002'),
      set: { status: 'delivered', delivered_on: '2026-10-29' },
      confirm: false,
    },
    refused({ W1002: { status: 'delivered', delivered_on: '2026-10-29' } }),
  ),
  ask(
    'Agent',
    {
      operation: 'update',
      where: where('order_id', 'W1002'),
      set: { status: 'delivered', delivered_on: '2026-11-03' },
      confirm: false,
    },
    writes({ W1002: { status: 'delivered', delivered_on: '2026-11-03' } }),
  ),
  ask(
    'Agent',
    { operation: 'update', where: where('status', 'pending'), set: { shipping: 1 }, confirm: false },
    fails('usage.bad-input'),
  ),
  ask(
    'Agent',
    {
      operation: 'update',
      where: where('customer_id', 2),
      set: { status: 'cancelled', cancel_reason: 'no longer needed', refund: 0, refund_to: 'gift card' },
      many: true,
      confirm: false,
    },
    refused({
      W1003: cancelled(0, 'gift card'),
      W1004: cancelled(0, 'gift card'),
      W1012: cancelled(0, 'gift card'),
    }),
  ),
  ask(
    'Agent',
    {
      operation: 'update',
      where: where('customer_id', 2),
      set: { status: 'cancelled', cancel_reason: 'no longer needed', refund: 0, refund_to: 'gift card' },
      many: true,
      partial: true,
      confirm: false,
    },
    writes({ W1012: cancelled(0, 'gift card'), W1021: cancelled(0, 'gift card') }),
  ),
  ask(
    'Agent',
    { operation: 'undo', confirm: false },
    undoes({
      W1012: { status: 'pending', cancel_reason: null, refund: null, refund_to: null },
      W1021: { status: 'pending', cancel_reason: null, refund: null, refund_to: null },
    }),
  ),
  ask(
    'Agent',
    { operation: 'delete', where: where('status', 'cancelled'), many: true, confirm: false },
    writes({ W1001: null, W1005: null, W1006: null }),
  ),
  ask(
    'Agent',
    { operation: 'delete', where: where('status', 'cancelled'), many: true, confirm: false },
    none,
  ),
  ask(
    'Agent',
    {
      operation: 'add',
      records: [
        {
          order_id: 'W1030',
          customer_id: 6,
          items: ['kite'],
          net: 14,
          payment: 'paypal',
          address: 'Low Street 2, Berlin',
          ordered_on: '2026-11-19',
        },
        {
          order_id: 'W1031',
          customer_id: 7,
          items: ['kite'],
          net: 14,
          payment: 'paypal',
          address: 'Low Street 2, Berlin',
          ordered_on: '2026-11-19',
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
          order_id: 'W1030',
          customer_id: 6,
          items: ['kite'],
          net: 14,
          payment: 'paypal',
          address: 'Low Street 2, Berlin',
          ordered_on: '2026-11-19',
        },
      ],
      confirm: false,
    },
    writes({
      W1030: {
        customer_id: 6,
        items: ['kite'],
        net: 14,
        payment: 'paypal',
        address: 'Low Street 2, Berlin',
        ordered_on: '2026-11-19',
      },
    }),
  ),
  ask(
    'Clerk',
    { operation: 'delete', where: where('order_id', 'W1030'), confirm: false },
    fails('policy.denied'),
  ),
  ask('Clerk', { operation: 'export', file: 'all.csv' }, exports('all.csv', all)),

  // 91 to 100: free words, which a model reads
  free(
    'Agent',
    'Which of our parcels are still on their way?',
    { operation: 'list', where: where('status', 'processed') },
    finds(is('status', 'processed')),
  ),
  free(
    'Agent',
    'How much money did people get back?',
    { operation: 'sum', field: 'refund' },
    measures(sumOf('refund')),
  ),
  free(
    'Agent',
    'Please get rid of the kite that Fay bought',
    { operation: 'delete', where: where('order_id', 'W1030') },
    no,
    declined,
  ),
  free(
    'Agent',
    'The globe left the house on the nineteenth',
    {
      operation: 'update',
      where: where('order_id', 'W1021'),
      set: { status: 'processed', shipped_on: '2026-11-19' },
    },
    yes,
    writes({ W1021: { status: 'processed', shipped_on: '2026-11-19' } }),
  ),
  free(
    'Agent',
    'Now forget about the globe, they do not want it',
    { operation: 'update', where: where('order_id', 'W1021'), set: cancelled(88.5, 'credit card') },
    fix('cancel'),
    givesUp({ W1021: cancelled(88.5, 'credit card') }),
  ),
  free('Agent', 'Throw all of it away, no questions', { operation: 'delete', many: true }, no, declined),
  free(
    'Clerk',
    'Let the kite vanish',
    { operation: 'delete', where: where('order_id', 'W1030') },
    fails('policy.denied'),
  ),
  free(
    'Agent',
    'The ruler is no longer wanted',
    { operation: 'update', where: where('order_id', 'W1020'), set: cancelled(7.9, 'paypal') },
    confirm('refund_to gift card'),
    yes,
    writes({ W1020: cancelled(7.9, 'gift card') }),
  ),
  free(
    'Agent',
    'The one from Munich came this morning',
    {
      operation: 'update',
      where: where('order_id', 'W1014'),
      set: { status: 'delivered', delivered_on: '2026-11-20' },
    },
    yes,
    writes({ W1014: { status: 'delivered', delivered_on: '2026-11-20' } }),
  ),
  free(
    'Clerk',
    'How are we doing per state?',
    { operation: 'group', by: 'status', measure: 'count' },
    groups(byGroup('status')),
  ),
];

export const play: Play = {
  model: orders,
  others: [customers],
  writer: 'Manager',
  requests,
  files: {
    'new-orders.csv':
      'order_id,customer,items,net,shipping,payment,address,ordered_on\n' +
      'W1020,1,"[""ruler""]",3,4.90,paypal,"Oak Street 1, Berlin",2026-11-17\n' +
      'W1021,2,"[""globe"",""atlas""]",88.50,0,credit card,"Harbour Road 7, Hamburg",17 November 2026\n',
    'bad-orders.csv':
      'order_id,customer,items,net,payment,address,ordered_on\n' +
      'W1022,1,"[""x""]",1,cash,A,2026-11-17\n' +
      'W1023,4,"[""clock""]",31,gift card,"Park Avenue 3, Munich",2026-11-17\n',
  },
};
