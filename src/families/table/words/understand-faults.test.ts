import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkWords } from '../../../../test/support/check-words.ts';
import { spellUnderstood } from '../../../../test/support/spell-request.ts';
import { clock, equipment } from '../../../../test/support/word-tables.ts';
import { understand } from './understand.ts';

test('a plain form with something wrong in it says what and where', () => {
  const count = checkWords(
    equipment,
    'fault',
    String.raw`
list equipment where colour is red → 21 "colour" is not a field of this table.
list equipment where colour = red → 21 "colour" is not a field of this table.
list equipment where stat is ok → 21 "stat" is not a field of this table.
list equipment where paint colour = red → 21 "paint colour" is not a field of this table.
list equipment where prise > 5 → 21 "prise" is not a field of this table.
list equipment colour = red → 15 "colour" is not a field of this table.
list where = 5 → 11 A field is missing before "=".
list where → 10 A condition is missing at the end.
list equipment where status is ok and → 37 A condition is missing at the end.
list equipment where status is ok or → 36 A condition is missing at the end.
list equipment where not → 24 A condition is missing at the end.
list equipment where status → 27 The value to compare "status" with is missing.
list equipment where price and status is ok → 27 The value to compare "price" with is missing.
list where status is → 20 A value for "status" is missing.
list where status = → 19 A value for "status" is missing.
list where price > → 18 A value for "price" is missing.
list where status is broken → 21 "status" must be one of "ok", "faulty", "in repair", "unknown", not "broken".
list where status is brokn or ok → 21 "status" must be one of "ok", "faulty", "in repair", "unknown", not "brokn".
list where price is abc → 20 "price" must be a number, not "abc".
list where price is 1,25 → 20 "price" must be a number, with a decimal point, not "1,25".
list where stock is 1.5 → 20 "stock" must be a whole number, not "1.5".
list where stock over many → 22 "stock" must be a whole number, not "many".
list where active is maybe → 21 "active" must be yes or no, not "maybe".
list where due date is 31 February 2026 → 23 "Due date" cannot be "31 February 2026": there is no such day.
list where due date is 2026-02-30 → 23 "Due date" cannot be "2026-02-30": there is no such day.
list where due date is 11/12/2026 → 23 "Due date" cannot be "11/12/2026", which is ambiguous: write 2026-12-11 or 2026-11-12.
list where due date is someday → 23 "Due date" must be a date such as 2026-11-16, not "someday".
list where due date before 99 → 27 "Due date" must be a date such as 2026-11-16, not "99".
list where bought is 2026-11-16 25:00 → 21 "bought" must be a date with a time such as 2026-11-16 14:30, not "2026-11-16 25:00".
list where opens is 25:00 → 20 "opens" must be a time such as 14:30, not "25:00".
list where contact is nobody → 22 "contact" must be an email address such as name@example.com, not "nobody".
list where page is example → 19 "page" must be a web address such as https://example.com, not "example".
list where token is 123 → 20 "token" must be a UUID, not "123".
list where serial_count is 99999999999999999999 → 27 "serial_count" must be a whole number of at most 18 digits, not "99999999999999999999".
list where price between 10 and 5 → 25 "price" cannot be between "10" and "5": the first value is greater than the second.
list where price between 5 → 26 The second value for "price" is missing.
list where price from 5 → 23 The second value for "price" is missing.
list where due date between today and yesterday → 28 "Due date" cannot be between "today" and "yesterday": the first value is greater than the second.
list where price contains 5 → 26 "price" does not support the comparison "contains" because its type is decimal.
list where active > yes → 20 "active" does not support the comparison "more" because its type is boolean.
list where tags is red → 19 "tags" does not support the comparison "equals" because its type is array.
list where extra contains x → 26 "extra" does not support the comparison "contains" because its type is json.
list where name contains "" → 25 "Equipment name" needs text for the comparison "contains".
list where (status is ok → 11 The bracket is not closed.
list where status is ok) → 23 Unexpected ")" in the request.
list where ((status is ok) and area is A → 11 The bracket is not closed.
list where area in (A, B → 19 The bracket is not closed.
list where area in () → 19 The list is empty.
list where area in (A B = 5) → 19 The bracket is not closed.
list where name is "Drill → 19 The quote " is not closed.
list where name is 'Drill → 19 The quote ' is not closed.
list where name is “Drill → 19 The quote “ is not closed.
list where name is Salt and Pepper → 28 "Pepper" is not a field of this table.
list where status is ok and faulty → 28 "status" cannot be "faulty" and something else at once.
list where name is Salt, Pepper = 3 → 32 Unexpected "=" in the request.
list where name is red price tag → 23 It is not clear whether "price" is part of the value of "Equipment name".
list equipment sort by → 22 The field to sort by is missing.
list equipment sort by colour → 23 "colour" is not a field of this table.
list equipment sort by name, colour → 29 "colour" is not a field of this table.
list equipment sort by name, price, name → 36 "name" appears twice in the sort order.
list equipment sort by tags → 23 "tags" cannot be used for sorting: its type is array.
list equipment sort by name sort by price → 28 The order is specified twice.
list equipment limit → 20 A number is missing after "limit".
list equipment limit 0 → 21 "limit" cannot be "0".
list equipment limit -5 → 21 "limit" cannot be "-5".
list equipment limit 1001 → 21 "limit" cannot be "1001".
list equipment limit 1.5 → 21 "limit" cannot be "1.5".
list equipment limit many → 21 "limit" cannot be "many".
list equipment first abc → 21 "abc" is not a number.
list equipment first 5 last 3 → 23 The number of records is specified twice.
list first 5 limit 10 → 13 The number of records is specified twice.
list equipment skip 5 page 2 → 22 The offset is specified twice.
list equipment page 0 → 20 "page" cannot be "0".
list equipment offset -1 → 22 "offset" cannot be "-1".
list equipment skip → 19 A number is missing after "skip".
list name, name → 11 "name" is named twice.
sum → 3 The field for the sum is missing.
sum of colour → 7 "colour" is not a field of this table.
sum name → 4 The sum of "name" cannot be computed because its type is string.
average status by area → 8 The average of "status" cannot be computed because its type is string.
average of active → 11 The average of "active" cannot be computed because its type is boolean.
max(price → 9 The bracket is not closed.
count by colour → 9 "colour" is not a field of this table.
group equipment → 15 The field to group by is missing.
count equipment by status by area → 26 Records cannot be grouped by two fields.
count equipment first 5 → 16 A single number cannot be sorted or limited.
count equipment by status sort by name → 26 Groups are always sorted by their computed values.
add equipment name "Saw", colour red → 26 "colour" is not a field of this table.
add equipment colour = red → 14 "colour" is not a field of this table.
add equipment name → 18 A value for "Equipment name" is missing.
add equipment name "Saw", name "Drill" → 26 "Equipment name" has two values.
add equipment name Saw area A → 23 It is not clear whether "area" is part of the value of "Equipment name".
add equipment price abc → 20 "price" must be a number, not "abc".
add equipment name "Saw", worth 5 → 26 "worth" is computed from other fields and cannot be set.
add equipment name "Saw" (red) → 25 It is not clear what "(" belongs to.
add equipment name "Saw", status broken → 33 "status" must be one of "ok", "faulty", "in repair", "unknown", not "broken".
add equipment name Salt and Pepper → 28 "Pepper" is not a field of this table.
set colour to red for D-17 → 4 "colour" is not a field of this table.
change colour of D-17 to red → 7 "colour" is not a field of this table.
set worth to 5 for D-17 → 4 "worth" is computed from other fields and cannot be set.
set equipment_id to D-18 for D-17 → 4 "equipment_id" identifies the record and cannot be changed.
set status to ok and status to faulty for D-17 → 21 "status" has two values.
set status to broken for D-17 → 14 "status" must be one of "ok", "faulty", "in repair", "unknown", not "broken".
set status for D-17 → 19 The value for "status" is missing.
set price to abc for D-17 → 13 "price" must be a number, not "abc".
update D-17 equipment_id D-18 → 12 "equipment_id" identifies the record and cannot be changed.
clear equipment_id of D-17 → 6 "equipment_id" identifies the record and cannot be changed.
clear worth of D-17 → 6 "worth" is computed from other fields and cannot be set.
mark D-17 as worth 5 → 13 "worth" is computed from other fields and cannot be set.
delete equipment first 5 → 17 A change cannot be limited to part of a list.
delete equipment where colour = red → 23 "colour" is not a field of this table.
delete all equipment sorted by name → 21 A change cannot be limited to part of a list.
import → 6 The file to import from is missing.
import items → 12 The file to import from is missing.
export equipment → 16 The file to export to is missing.
export equipment where status is ok → 35 The file to export to is missing.
export equipment to → 19 The file to export to is missing.
export equipment first 5 to items.csv → 17 An export always contains all records that match.
`,
  );
  assert.equal(count, 118);
});

test('words that can mean several things are a question', () => {
  const count = checkWords(
    equipment,
    'question',
    String.raw`
list newest → 5-11 Which date do you mean by "newest"? [sorted by due_date down first] [sorted by bought down first]
list unknown equipment → 5-12 What do you mean by "unknown"? [status is "unknown"] [grade is "unknown"]
list where size > 5 → 11-15 Which field do you mean by "size"? [width] [height]
set size to 5 for D-17 → 4-8 Which field do you mean by "size"? [width] [height]
mark D-17 as unknown → 13-20 What do you mean by "unknown"? [status "unknown"] [grade "unknown"]
list equipment newest first → 15-27 Which date do you mean by "newest first"? [sorted by due_date down] [sorted by bought down]
list the newest 3 equipment → 9-15 Which date do you mean by "newest"? [sorted by due_date down first] [sorted by bought down first]
list active → 5-11 Do you want the records that are "active", or the field with that name? [where active] [field active]
list sorted by size → 15-19 Which field do you mean by "size"? [width] [height]
list equipment without stock → 15-28 What do you mean by "without stock"? [where stock is 0] [where stock is empty]
list equipment with a stock → 15-27 What do you mean by "with a stock"? [where stock is more than 0] [where stock is not empty]
count equipment with no stock → 16-29 What do you mean by "with no stock"? [where stock is 0] [where stock is empty]
`,
  );
  assert.equal(count, 12);
});

test('what is not a plain form is left to others', () => {
  const count = checkWords(
    equipment,
    'unknown',
    String.raw`
list where price is 12 euros → It is not clear what "euros" means.
update D-17 colour red → It is not clear what "D-17" means.
hello → The request does not begin with a word such as list, show, count, add, set or delete.
how is the weather → The request does not begin with a word such as list, show, count, add, set or delete.
show drill → It is not clear what "drill" means.
find drill → It is not clear what "drill" means.
list broken equipment → It is not clear what "broken" means.
list equipment that are faulty and old → It is not clear what "old" means.
delete the old drill → It is not clear what "old" means.
delete them → It is not clear what "them" means.
add equipment Drill → It is not clear which field "Drill" is for.
update D-17 → It is not clear what to change.
mark D-17 as broken → "broken" is not a value of any field.
mark D-17 → It is not clear what to mark the record as.
clear everything → It is not clear which field you mean.
import items.csv quickly → It is not clear what "quickly" means.
export equipment to items.csv twice → It is not clear what "twice" means.
page 3 → The request does not begin with a word such as list, show, count, add, set or delete.
the status of everything should be ok → The request does not begin with a word such as list, show, count, add, set or delete.
set everything to ok → It is not clear what "to" means.
undo twice → The request does not begin with a word such as list, show, count, add, set or delete.
count the money → It is not clear what "money" means.
list equipment sort → It is not clear what "sort" means.
why is D-17 faulty → The request does not begin with a word such as list, show, count, add, set or delete.
`,
  );
  assert.equal(count, 24);
});

test('each option of a question can be put in the place of what is unclear', () => {
  for (const words of [
    ...[
      'list unknown equipment',
      'list where size > 5',
      'set size to 5 for D-17',
      'mark D-17 as unknown',
      'list active',
    ],
    ...[
      'list equipment newest first',
      'list the newest 3 equipment',
      'show the oldest equipment',
      'list sorted by size',
    ],
  ]) {
    const question = understand(equipment, words, clock);
    assert.ok(question.kind === 'question', words);
    const { at, end, options } = question;
    const said = options.map((option) => words.slice(0, at) + option + words.slice(end));
    const requests = said.map((one) => understand(equipment, one, clock));
    assert.ok(
      requests.every(({ kind }) => kind === 'request'),
      said.join('\n'),
    );
    assert.equal(new Set(requests.map(spellUnderstood)).size, options.length, words);
  }
});

test('a text that no database can store is refused in a search as in a condition', () => {
  for (const words of ['find "a\0b"', 'list where name contains "a\ud800b"'])
    assert.equal(understand(equipment, words, clock).kind, 'fault', words);
});
