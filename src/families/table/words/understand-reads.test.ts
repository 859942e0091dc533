import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkWords } from '../../../../test/support/check-words.ts';
import { equipment, loans, seats } from '../../../../test/support/word-tables.ts';

test('lists and their windows', () => {
  const count = checkWords(
    equipment,
    'request',
    String.raw`
list equipment → list
list all equipment → list
list all the equipment → list
show all items → list
display the records → list
find equipment → list
get equipment → list
give me all equipment → list
search equipment → list
please list equipment → list
can you show me all equipment please → list
equipment → list
list name, price and status → list fields ["name","price","status"]
list the name and price of all equipment → list fields ["name","price"]
list equipment name, due date → list fields ["name","due_date"]
show only name and cost → list fields ["name","price"]
list tool names → list fields ["name"]
list equipment where status is faulty and area = "A" sort by name first 20 → list where (status equals "faulty" & area equals "A") sort [{"field":"name","direction":"up"}] limit 20
list equipment with price over 100 sorted by price descending → list where price more 100 sort [{"field":"price","direction":"down"}]
list equipment ordered by due date down then name → list sort [{"field":"due_date","direction":"down"},{"field":"name","direction":"up"}]
list equipment order by status, price desc, name asc → list sort [{"field":"status","direction":"up"},{"field":"price","direction":"down"},{"field":"name","direction":"up"}]
list equipment by name → list sort [{"field":"name","direction":"up"}]
list the first 5 equipment → list limit 5
list first twenty equipment → list limit 20
list first twenty-five → list limit 25
list equipment limit 1,000 → list limit 1000
list top 3 by price → list sort [{"field":"price","direction":"down"}] limit 3
list equipment top 3 sorted by price → list sort [{"field":"price","direction":"up"}] limit 3
last 5 → list sort [{"field":"equipment_id","direction":"up"}] limit 5 last true
show the last 5 equipment sorted by name → list sort [{"field":"name","direction":"up"}] limit 5 last true
list the last equipment → list sort [{"field":"equipment_id","direction":"up"}] limit 1 last true
list equipment skip 20 limit 10 → list limit 10 offset 20
list equipment offset 40 → list offset 40
list equipment page 3 → list limit 20 offset 40
list equipment page 2 limit 50 → list limit 50 offset 50
list equipment, sorted by name, first 5 → list sort [{"field":"name","direction":"up"}] limit 5
list equipment sort by price from high to low → list sort [{"field":"price","direction":"down"}]
which equipment is faulty? → list where status equals "faulty"
which equipment is in repair → list where status equals "in repair"
what equipment has no serial → list where serial empty
which items are in area A → list where area equals "A"
what is the status of D-17? → list where equipment_id equals "D-17" fields ["status"]
what are the name and price of D-17 → list where equipment_id equals "D-17" fields ["name","price"]
show name of D-17 → list where equipment_id equals "D-17" fields ["name"]
list items from area A → list where area equals "A"
list equipment in area A → list where area equals "A"
list equipment of area A with status ok → list where (area equals "A" & status equals "ok")
list faulty equipment → list where status equals "faulty"
list faulty or in repair equipment in area "A" → list where (status in ["faulty","in repair"] & area equals "A")
list used equipment that is faulty → list where (grade equals "used" & status equals "faulty")
list active equipment → list where active equals true
list equipment that is not active → list where active not-equals true
list everything → list
list name, active → list fields ["name","active"]
first 10 equipment → list limit 10
faulty equipment → list where status equals "faulty"
equipment where price < 5 → list where price less 5
`,
  );
  assert.equal(count, 57);
});

test('one record, and a text that is looked for', () => {
  const count = checkWords(
    equipment,
    'request',
    String.raw`
show D-17 → show where equipment_id equals "D-17"
open D-17 → show where equipment_id equals "D-17"
view equipment D-17 → show where equipment_id equals "D-17"
get the equipment D-17 → show where equipment_id equals "D-17"
equipment D-17 → show where equipment_id equals "D-17"
show "D-17" → show where equipment_id equals "D-17"
show equipment with equipment id D-17 → show where equipment_id equals "D-17"
show D-17, D-18 → list where equipment_id in ["D-17","D-18"]
find "drill" → list where name contains "drill"
show "Drill 18V" → list where name contains "Drill 18V"
search for "and or not" → list where name contains "and or not"
`,
  );
  assert.equal(count, 11);
});

test('one record, and a text that is looked for: loans', () => {
  const count = checkWords(
    loans,
    'request',
    String.raw`
show 17 → show where id equals 17
loan 17 → show where id equals 17
open loan 17 → show where id equals 17
list the newest 5 loans → list sort [{"field":"due","direction":"down"}] limit 5
list loans newest first → list sort [{"field":"due","direction":"down"}]
show the oldest loan → list sort [{"field":"due","direction":"up"}] limit 1
latest loan → list sort [{"field":"due","direction":"down"}] limit 1
latest loans → list sort [{"field":"due","direction":"down"}]
list loans due this week → list where due between ["2026-11-16","2026-11-22"]
list returned loans → list where returned equals true
list loans where not returned → list where returned not-equals true
last 3 sorted by due desc → list sort [{"field":"due","direction":"down"}] limit 3 last true
show loans where id is 0 → show where id equals 0
count loans where id > 0 and id < 10 → count where (id more 0 & id less 10)
delete 5 → delete where id equals 5
delete loan 5 → delete where id equals 5
delete 5, 7 and 9 → delete where id in [5,7,9] many true
set returned to yes for 5 → update where id equals 5 set {"returned":true}
mark 5 as returned → update where id equals 5 set {"returned":true}
mark 5 as not returned → update where id equals 5 set {"returned":false}
update 5 borrower "Ann, and Bob" → update where id equals 5 set {"borrower":"Ann, and Bob"}
`,
  );
  assert.equal(count, 21);
});

test('one record, and a text that is looked for: seats', () => {
  const count = checkWords(
    seats,
    'request',
    String.raw`
show 3, 7 → show where (row equals 3 & number equals 7)
show row 3 and number 7 → show where (row equals 3 & number equals 7)
list seats last 2 → list sort [{"field":"row","direction":"up"},{"field":"number","direction":"up"}] limit 2 last true
delete 3, 7 → delete where (row equals 3 & number equals 7)
update 3, 7 guest Ann → update where (row equals 3 & number equals 7) set {"guest":"Ann"}
`,
  );
  assert.equal(count, 5);
});

test('numbers and groups', () => {
  const count = checkWords(
    equipment,
    'request',
    String.raw`
count equipment → count
count faulty equipment → count where status equals "faulty"
how many equipment are there? → count
how many items are in area A → count where area equals "A"
how many equipment are faulty → count where status equals "faulty"
how many are in repair → count where status equals "in repair"
number of equipment where stock is 0 → count where stock equals 0
what is the number of equipment → count
sum price → sum field "price"
sum of price of equipment where area is A → sum field "price" where area equals "A"
total stock of faulty equipment → sum field "stock" where status equals "faulty"
what is the total price → sum field "price"
what's the average price of equipment in area A → average field "price" where area equals "A"
average of the cost → average field "price"
mean price → average field "price"
avg(price) → average field "price"
minimum price → minimum field "price"
lowest cost of used equipment → minimum field "price" where grade equals "used"
max stock → maximum field "stock"
highest price where status is ok → maximum field "price" where status equals "ok"
earliest due date → minimum field "due_date"
count equipment by status → group by "status" measure "count"
count equipment per area → group by "area" measure "count"
count equipment grouped by status where price > 5 → group by "status" measure "count" where price more 5
how many equipment for each area → group by "area" measure "count"
sum of price by area → group by "area" measure "sum" field "price"
average price per status of equipment in area A → group by "status" measure "average" field "price" where area equals "A"
group equipment by status → group by "status" measure "count"
group by area → group by "area" measure "count"
count by status ascending → group by "status" measure "count" direction "up"
count equipment by area top 5 → group by "area" measure "count" limit 5
`,
  );
  assert.equal(count, 31);
});

test('what is said in fixed words', () => {
  const count = checkWords(
    equipment,
    'request',
    String.raw`
undo → undo
Undo that. → undo
revert last change → undo
fields → fields
help → fields
describe equipment → fields
what can I ask? → fields
which fields are there → fields
next → next
more → next
next page → next
previous → previous
back → previous
`,
  );
  assert.equal(count, 13);
});
