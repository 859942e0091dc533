import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkWords } from '../../../../test/support/check-words.ts';
import { equipment } from '../../../../test/support/word-tables.ts';

test('new records', () => {
  const count = checkWords(
    equipment,
    'request',
    String.raw`
add equipment name "Drill 18V", area A → add records [{"name":"Drill 18V","area":"A"}]
add equipment → add records [{}]
add → add records [{}]
create a new equipment with name "Drill" and area A → add records [{"name":"Drill","area":"A"}]
new equipment name: Drill; area: A; price: 1,250.5 → add records [{"name":"Drill","area":"A","price":1250.5}]
register equipment name = Drill, status = in repair, active = yes → add records [{"name":"Drill","status":"in repair","active":true}]
insert equipment name "and, or" area B → add records [{"name":"and, or","area":"B"}]
add an item with stock 0, price 0, active no → add records [{"stock":0,"price":0,"active":false}]
add equipment equipment_id D-20, name "Saw", due date 16 Nov 2026, bought 2026-11-16 14:30, opens 2:30 pm → add records [{"equipment_id":"D-20","name":"Saw","due_date":"2026-11-16","bought":"2026-11-16T13:30:00.000Z","opens":"14:30:00"}]
add equipment name "Saw", tags [red, "dark, blue"] → add records [{"name":"Saw","tags":["red","dark, blue"]}]
add equipment name "Saw", extra '{"a": [1, null]}' → add records [{"name":"Saw","extra":{"a":[1,null]}}]
add equipment name "Saw", serial null → add records [{"name":"Saw","serial":null}]
add equipment name "Saw", serial "" → add records [{"name":"Saw","serial":null}]
add equipment with name "Saw", notes left on the desk, area A → add records [{"name":"Saw","notes":"left on the desk","area":"A"}]
add equipment:\nname: Saw blade\narea: A\nprice: 5 → add records [{"name":"Saw blade","area":"A","price":5}]
`,
  );
  assert.equal(count, 15);
});

test('other values', () => {
  const count = checkWords(
    equipment,
    'request',
    String.raw`
set status to ok for D-17 → update where equipment_id equals "D-17" set {"status":"ok"}
set status to faulty and area to B for D-17 → update where equipment_id equals "D-17" set {"status":"faulty","area":"B"}
set status = ok, area = B where status is faulty → update where status equals "faulty" set {"status":"ok","area":"B"} many true
set the status of D-17 to in repair → update where equipment_id equals "D-17" set {"status":"in repair"}
set name to "Drill for D-18" for D-17 → update where equipment_id equals "D-17" set {"name":"Drill for D-18"}
set notes to waiting for parts for D-17 → update where equipment_id equals "D-17" set {"notes":"waiting for parts"}
set serial to null for D-17 → update where equipment_id equals "D-17" set {"serial":null}
set stock to 0 for all equipment → update set {"stock":0} many true
set status to ok for all faulty ones → update where status equals "faulty" set {"status":"ok"} many true
set status to ok for every equipment in area A → update where area equals "A" set {"status":"ok"} many true
set status to ok → update set {"status":"ok"}
set price to 5 on D-17 → update where equipment_id equals "D-17" set {"price":5}
set due date to tomorrow for D-17 → update where equipment_id equals "D-17" set {"due_date":"2026-11-17"}
update D-17 status ok, area B → update where equipment_id equals "D-17" set {"status":"ok","area":"B"}
update D-17: status ok → update where equipment_id equals "D-17" set {"status":"ok"}
update equipment D-17 set status = ok → update where equipment_id equals "D-17" set {"status":"ok"}
update equipment set status = ok where area = B → update where area equals "B" set {"status":"ok"} many true
update equipment where area is B set status to ok → update where area equals "B" set {"status":"ok"} many true
update all faulty equipment set status to ok → update where status equals "faulty" set {"status":"ok"} many true
update status to ok for D-17 → update where equipment_id equals "D-17" set {"status":"ok"}
change status of D-17 to ok → update where equipment_id equals "D-17" set {"status":"ok"}
change the due date of D-17 to 16 November 2026 → update where equipment_id equals "D-17" set {"due_date":"2026-11-16"}
change status to ok for D-17, D-18 and D-19 → update where equipment_id in ["D-17","D-18","D-19"] set {"status":"ok"} many true
mark D-17 as faulty → update where equipment_id equals "D-17" set {"status":"faulty"}
mark D-17 as in repair → update where equipment_id equals "D-17" set {"status":"in repair"}
mark all faulty equipment as ok → update where status equals "faulty" set {"status":"ok"} many true
mark all faulty equipment as ok where possible → update where status equals "faulty" set {"status":"ok"} many true partial true
mark D-17 as active → update where equipment_id equals "D-17" set {"active":true}
mark D-17 as not active → update where equipment_id equals "D-17" set {"active":false}
mark D-17 as status unknown → update where equipment_id equals "D-17" set {"status":"unknown"}
clear serial of D-17 → update where equipment_id equals "D-17" set {"serial":null}
clear serial and notes for D-17 → update where equipment_id equals "D-17" set {"serial":null,"notes":null}
remove serial from D-17 → update where equipment_id equals "D-17" set {"serial":null}
delete the notes of D-17 → update where equipment_id equals "D-17" set {"notes":null}
`,
  );
  assert.equal(count, 34);
});

test('records that go', () => {
  const count = checkWords(
    equipment,
    'request',
    String.raw`
delete D-17 → delete where equipment_id equals "D-17"
remove D-17 → delete where equipment_id equals "D-17"
drop equipment D-17 → delete where equipment_id equals "D-17"
erase "D 17" → delete where equipment_id equals "D 17"
delete D-17 and D-18 → delete where equipment_id in ["D-17","D-18"] many true
delete all equipment → delete many true
delete all equipment as far as possible → delete many true partial true
delete equipment where status is faulty → delete where status equals "faulty" many true
delete all faulty equipment in area A → delete where (status equals "faulty" & area equals "A") many true
remove everything where stock is 0 → delete where stock equals 0 many true
delete equipment without serial → delete where serial empty many true
delete equipment where equipment_id is D-17 → delete where equipment_id equals "D-17"
delete equipment → delete
`,
  );
  assert.equal(count, 13);
});

test('files', () => {
  const count = checkWords(
    equipment,
    'request',
    String.raw`
import "file.csv" → import file "file.csv"
import from "my file.csv" → import file "my file.csv"
import equipment from items.csv → import file "items.csv"
import items.json skipping faulty rows → import file "items.json" partial true
import data/items.txt as csv and skip bad records → import file "data/items.txt" format "csv" partial true
import from items.csv into equipment → import file "items.csv"
export to items.csv → export file "items.csv"
export equipment to items.json → export file "items.json"
export equipment where status is faulty to out/items.csv → export file "out/items.csv" where status equals "faulty"
export name, price of equipment where name is "to x.csv" to "my file.csv" → export file "my file.csv" where name equals "to x.csv" fields ["name","price"]
export faulty equipment sorted by name to items.txt as json → export file "items.txt" format "json" where status equals "faulty" sort [{"field":"name","direction":"up"}]
export all equipment as csv to items.txt → export file "items.txt" format "csv"
`,
  );
  assert.equal(count, 12);
});
