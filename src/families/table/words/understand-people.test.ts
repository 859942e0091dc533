import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkWords } from '../../../../test/support/check-words.ts';
import { tableOf } from '../../../../test/support/word-tables.ts';

/** Ambiguous names, as in tables that people write. */
const jobs = tableOf(
  'Repair Jobs',
  'job_no: varchar(12); Primary Key=given; Label=Job',
  'customer_id: integer',
  'plate; Label=Licence plate; Aliases=[car]',
  'problem: text',
  'status; Values=[open, in progress, waiting for parts, done]',
  'priority; Values=[low, high]',
  'mechanic',
  'total: decimal',
  'received_on: date',
  'due: date',
  'paid: boolean',
);

const grades = tableOf(
  'Grades',
  'id: integer; Primary Key=auto-increment',
  'pupil_id: integer',
  'gender; Values=[girl, boy]',
  'grade: decimal',
);

test('the last word of the name of a table stands for it, also beside a field of that name', () => {
  const count = checkWords(
    jobs,
    'request',
    String.raw`
show me all open jobs → list where status equals "open"
open jobs → list where status equals "open"
which jobs are waiting for parts? → list where status equals "waiting for parts"
how many jobs are open → count where status equals "open"
how many open jobs per mechanic → group by "mechanic" measure "count" where status equals "open"
jobs due this week → list where due between ["2026-11-16","2026-11-22"]
jobs with plate B-AB 123 → list where plate equals "B-AB 123"
jobs without a due date → list where due empty
show job J-2 → show where job_no equals "J-2"
open J-2 → show where job_no equals "J-2"
list jobs sorted by due date → list sort [{"field":"due","direction":"up"}]
list plate and problem of open jobs → list where status equals "open" fields ["plate","problem"]
delete all done jobs → delete where status equals "done" many true
jobs per status → group by "status" measure "count"
`,
  );
  assert.equal(count, 14);
});

test('what records are like is before them, after them, or in the word itself', () => {
  const count = checkWords(
    jobs,
    'request',
    String.raw`
high priority jobs → list where priority equals "high"
jobs with high priority that are not done → list where (priority equals "high" & status not-equals "done")
paid jobs → list where paid equals true
unpaid jobs → list where paid not-equals true
sum of total of unpaid jobs → sum field "total" where paid not-equals true
how many are unpaid? → count where paid not-equals true
mark J-2 as unpaid → update where job_no equals "J-2" set {"paid":false}
set problem to unpaid for J-2 → update where job_no equals "J-2" set {"problem":"unpaid"}
anything due next month? → list where due between ["2026-12-01","2026-12-31"]
jobs due in Q1 2027 → list where due between ["2027-01-01","2027-03-31"]
jobs due this quarter → list where due between ["2026-10-01","2026-12-31"]
jobs received last quarter → list where received_on between ["2026-07-01","2026-09-30"]
jobs where the problem mentions oil → list where problem contains "oil"
show me J-2 please → show where job_no equals "J-2"
jobs with mechanic Tom, thank you → list where mechanic equals "Tom"
add job no J-9 plate=X mechanic=Tom → add records [{"job_no":"J-9","plate":"X","mechanic":"Tom"}]
`,
  );
  assert.equal(count, 16);
});

test('a field that is called as the table, and the plural of a value', () => {
  const count = checkWords(
    grades,
    'request',
    String.raw`
list grades grade between 1 and 2 → list where grade between [1,2]
list grades → list
how many girls → count where gender equals "girl"
all boys → list where gender equals "boy"
show #3 → show where id equals 3
`,
  );
  assert.equal(count, 5);
});

const returns = tableOf(
  'Returns',
  'id: integer; Primary Key=auto-increment',
  'refund: decimal',
  'refund_to; Values=[paypal, gift card]',
  'note: text',
);

test('a field named "refund to" does not take the "to" of another field\'s value', () => {
  const count = checkWords(
    returns,
    'request',
    String.raw`
set refund to 10 for 3 → update where id equals 3 set {"refund":10}
set refund to null for 3 → update where id equals 3 set {"refund":null}
set refund to paypal for 3 → update where id equals 3 set {"refund_to":"paypal"}
set refund to = gift card for 3 → update where id equals 3 set {"refund_to":"gift card"}
set refund_to to paypal for 3 → update where id equals 3 set {"refund_to":"paypal"}
set refund to 10 and refund to paypal for 3 → update where id equals 3 set {"refund":10,"refund_to":"paypal"}
update 3 refund to 10, note "to be paid" → update where id equals 3 set {"refund":10,"note":"to be paid"}
add a return with refund to paypal, refund 5 → add records [{"refund_to":"paypal","refund":5}]
`,
  );
  assert.equal(count, 8);
});

test('records without a boolean field are those for which it is not true', () => {
  const count = checkWords(
    jobs,
    'request',
    String.raw`
jobs with paid → list where paid equals true
how many jobs without paid → count where paid not-equals true
jobs that have no paid → list where paid not-equals true
jobs without a mechanic → list where mechanic empty
`,
  );
  assert.equal(count, 4);
});

const parcels = tableOf(
  'Parcels',
  'id: integer; Primary Key=auto-increment',
  'name',
  'status; Values=[pending, delivered, cancelled]',
  'shipped_on: date',
  'delivered_on: date',
  'cancelled_at: datetime',
);

test('delivered parcels have that status, even if there is a field "delivered_on"', () => {
  const count = checkWords(
    parcels,
    'request',
    String.raw`
delivered parcels → list where status equals "delivered"
list delivered parcels → list where status equals "delivered"
list delivered → list where status equals "delivered"
what is cancelled → list where status equals "cancelled"
how many delivered parcels → count where status equals "delivered"
export delivered parcels to x.csv → export file "x.csv" where status equals "delivered"
delete all cancelled parcels → delete where status equals "cancelled" many true
delete cancelled parcels → delete where status equals "cancelled" many true
set name to X for all delivered parcels → update where status equals "delivered" set {"name":"X"} many true
list parcels delivered after 2026-11-01 → list where delivered_on more "2026-11-01"
list parcels delivered this week → list where delivered_on between ["2026-11-16","2026-11-22"]
list parcels delivered today → list where delivered_on equals "2026-11-16"
list parcels that were not delivered → list where status not-equals "delivered"
list name, delivered → list fields ["name","delivered_on"]
list delivered_on → list fields ["delivered_on"]
list parcels sorted by delivered → list sort [{"field":"delivered_on","direction":"up"}]
set delivered to 2026-11-16 for 3 → update where id equals 3 set {"delivered_on":"2026-11-16"}
`,
  );
  assert.equal(count, 17);
});

test('shipped parcels have a date in the field "shipped_on"', () => {
  const count = checkWords(
    parcels,
    'request',
    String.raw`
shipped parcels → list where shipped_on not-empty
list shipped parcels → list where shipped_on not-empty
list parcels shipped → list where shipped_on not-empty
list parcels not shipped → list where shipped_on empty
which parcels are shipped? → list where shipped_on not-empty
how many parcels are not shipped → count where shipped_on empty
parcels shipped but not delivered → list where (shipped_on not-empty & status not-equals "delivered")
count shipped parcels → count where shipped_on not-empty
remove 3 from parcels → delete where id equals 3
delete 3 and 4 from the parcels → delete where id in [3,4] many true
set name to X for 3 in parcels → update where id equals 3 set {"name":"X"}
delete all shipped parcels → delete where shipped_on not-empty many true
export shipped parcels to x.csv → export file "x.csv" where shipped_on not-empty
list shipped pending parcels → list where (shipped_on not-empty & status equals "pending")
list parcels shipped this week → list where shipped_on between ["2026-11-16","2026-11-22"]
list parcels shipped before 2026-11-01 sorted by name → list where shipped_on less "2026-11-01" sort [{"field":"name","direction":"up"}]
list name, shipped → list fields ["name","shipped_on"]
list shipped, name of all parcels → list fields ["shipped_on","name"]
show shipped of 3 → list where id equals 3 fields ["shipped_on"]
earliest shipped → minimum field "shipped_on"
list shipped_on → list fields ["shipped_on"]
clear shipped of 3 → update where id equals 3 set {"shipped_on":null}
`,
  );
  assert.equal(count, 22);
});

test('words that only look like a value of a field are none', () => {
  const count = checkWords(
    jobs,
    'unknown',
    String.raw`
which cars are due today? → It is not clear what "due today" means.
which mechanics are late → It is not clear what "late" means.
which mechanics do we have → It is not clear what "do we have" means.
how many mechanics have jobs → It is not clear what "have jobs" means.
open invoices → It is not clear which record to open.
jobs for Tom → It is not clear what "for Tom" means.
what is the total of all jobs → It is not clear which field to use for the sum.
jobs received since Monday → "received_on" must be a date such as 2026-11-16, not "Monday".
jobs received in November → The year is missing in "November".
`,
  );
  assert.equal(count, 9);
});

test('words at the end of a value that may name a record are reported', () => {
  const count = checkWords(
    jobs,
    'fault',
    String.raw`
set mechanic Tom for Bob Stone → 17 It is not clear whether "for Bob Stone" is part of the value.
change the mechanic number of Bob Stone to Tom → 27 It is not clear whether "of Bob Stone to Tom" is part of the value.
set problem of J-2 to brakes, clutch → 28 It is not clear what ", clutch" belongs to.
add repair job plaet X → 15 "plaet" is not a field of this table.
`,
  );
  assert.equal(count, 4);
});
