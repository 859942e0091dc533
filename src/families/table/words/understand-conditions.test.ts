import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkWords } from '../../../../test/support/check-words.ts';
import { equipment } from '../../../../test/support/word-tables.ts';

test('which records are meant', () => {
  const count = checkWords(
    equipment,
    'request',
    String.raw`
list where status is not faulty → list where status not-equals "faulty"
list where status != faulty → list where status not-equals "faulty"
list where status <> "faulty" → list where status not-equals "faulty"
list where status isn't faulty → list where status not-equals "faulty"
list where status not faulty → list where status not-equals "faulty"
list where price <= 10 → list where price at-most 10
list where price ≥ 10 → list where price at-least 10
list where price is above 5 → list where price more 5
list where price more than 1,250.50 → list where price more 1250.5
list where stock is greater than 3 → list where stock more 3
list where stock at least 3 → list where stock at-least 3
list where stock is under 0 → list where stock less 0
list where stock below -5 → list where stock less -5
list where stock less than 3 → list where stock less 3
list where stock fewer than 3 → list where stock less 3
list where stock is at most 3 → list where stock at-most 3
list where stock is not more than 3 → list where stock at-most 3
list where stock is no less than 3 → list where stock at-least 3
list where price is not over 5 → list where !price more 5
list where price between 5 and 10 → list where price between [5,10]
list where price is between 5 and 10 and stock is 0 → list where (price between [5,10] & stock equals 0)
list where price is not between 5 and 10 → list where !price between [5,10]
list where price from 5 to 10 → list where price between [5,10]
list where area in (A, B) → list where area in ["A","B"]
list where area in (A, "B, C", null) → list where (area in ["A","B, C"] | area empty)
list where area in A, B or C → list where area in ["A","B","C"]
list where stock in (1,250) → list where stock in [1,250]
list where area is A or B → list where area in ["A","B"]
list where area is A, B, or C → list where area in ["A","B","C"]
list where area is not A or B → list where area not-in ["A","B"]
list where status is neither ok nor faulty → list where status not-in ["ok","faulty"]
list where status is either ok or in repair → list where status in ["ok","in repair"]
list where status is one of ok, faulty → list where status in ["ok","faulty"]
list where status is ok or area is B → list where (status equals "ok" | area equals "B")
list where name contains drill → list where name contains "drill"
list where name includes "18V" → list where name contains "18V"
list where name does not contain drill → list where name not-contains "drill"
list where name doesn't contain drill → list where name not-contains "drill"
list where name starts with Dri → list where name starts-with "Dri"
list where name begins with "100%_" → list where name starts-with "100%_"
list where name ends with 18V → list where name ends-with "18V"
list where name does not start with Dri → list where !name starts-with "Dri"
list where serial is empty → list where serial empty
list where serial is null → list where serial empty
list where serial = null → list where serial empty
list where serial is missing → list where serial empty
list where serial is not set → list where serial empty
list where serial is not empty → list where serial not-empty
list where serial != null → list where serial not-empty
list where serial is set → list where serial not-empty
list where serial has a value → list where serial not-empty
list where serial has no value → list where serial empty
list equipment that has no serial → list where serial empty
list equipment without a serial → list where serial empty
list equipment without serial and without notes → list where (serial empty & notes empty)
list equipment with a serial → list where serial not-empty
list where stock = 0 → list where stock equals 0
list where stock is zero or more → list where stock at-least 0
list where active → list where active equals true
list where not active → list where active not-equals true
list where active is false → list where active equals false
list where active = no → list where active equals false
list where active is true and not price > 5 → list where (active equals true & !price more 5)
list where not (status is ok or price > 5) → list where !(status equals "ok" | price more 5)
list where (status is ok or status is faulty) and area is A → list where ((status equals "ok" | status equals "faulty") & area equals "A")
list where status is ok and area is A or area is B → list where ((status equals "ok" & area equals "A") | area equals "B")
list where status is ok or price > 5 and stock < 3 → list where (status equals "ok" | (price more 5 & stock less 3))
list where not not active → list where active equals true
list where status is ok but area is not A → list where (status equals "ok" & area not-equals "A")
list equipment whose cost is 5 → list where price equals 5
list equipment where the tool name is "a \"quoted\" text" → list where name equals "a \"quoted\" text"
list equipment where name is 'it''s' → list where name equals "it's"
list equipment where name is 'O'Brien' → list where name equals "O'Brien"
list equipment where name is “Salt and Pepper, ground” → list where name equals "Salt and Pepper, ground"
list equipment where name is „x“ and area is «y» → list where (name equals "x" & area equals "y")
list equipment where name = "He said ""hi""" → list where name equals "He said \"hi\""
list equipment where name is O'Brien → list where name equals "O'Brien"
list equipment where name is red drill sorted by price → list where name equals "red drill" sort [{"field":"price","direction":"up"}]
list equipment where notes contains "sort by price first 5" → list where notes contains "sort by price first 5"
list where contact is ann@example.com → list where contact equals "ann@example.com"
list where page is https://example.com/a?b=1 → list where page equals "https://example.com/a?b=1"
list where token is 0B0E7E1C-8A3F-4E7C-9B7D-1E0C7D1F2A3B → list where token equals "0b0e7e1c-8a3f-4e7c-9b7d-1e0c7d1f2a3b"
list where serial_count is 9007199254740993 → list where serial_count equals "9007199254740993"
list where opens before 2:30 pm → list where opens less "14:30:00"
list where opens is 14:30 → list where opens equals "14:30:00"
list where tags is empty → list where tags empty
list where extra is not empty → list where extra not-empty
`,
  );
  assert.equal(count, 87);
});

test('days, periods and moments', () => {
  const count = checkWords(
    equipment,
    'request',
    String.raw`
list where due date is 2026-11-16 → list where due_date equals "2026-11-16"
list where due date is 16 November 2026 → list where due_date equals "2026-11-16"
list where due date = Nov 16, 2026 → list where due_date equals "2026-11-16"
list where due date is 16.11.2026 → list where due_date equals "2026-11-16"
list where due date is 2026/11/16 → list where due_date equals "2026-11-16"
list where due date is today → list where due_date equals "2026-11-16"
list where due before today → list where due_date less "2026-11-16"
list where due date before today → list where due_date less "2026-11-16"
list where due date after 2026-01-31 → list where due_date more "2026-01-31"
list where due date since 1 Jan 2026 → list where due_date at-least "2026-01-01"
list where due date until 31.12.2026 → list where due_date at-most "2026-12-31"
list where due date on 16/11/2026 → list where due_date equals "2026-11-16"
list where due date between 2026-01-01 and 2026-02-01 → list where due_date between ["2026-01-01","2026-02-01"]
list where due date from 1 November 2026 to 30 November 2026 → list where due_date between ["2026-11-01","2026-11-30"]
list where due date in November 2026 → list where due_date between ["2026-11-01","2026-11-30"]
list where due date in 2026 → list where due_date between ["2026-01-01","2026-12-31"]
list where due date this week → list where due_date between ["2026-11-16","2026-11-22"]
list where due date is last month → list where due_date between ["2026-10-01","2026-10-31"]
list where due date next year → list where due_date between ["2027-01-01","2027-12-31"]
list where due date in the last 7 days → list where due_date between ["2026-11-10","2026-11-16"]
list where due date in the next 2 weeks → list where due_date between ["2026-11-16","2026-11-29"]
list where due date is 3 days ago → list where due_date equals "2026-11-13"
list where due date before in 2 weeks → list where due_date less "2026-11-30"
list where due date after 2025 → list where due_date more "2025-12-31"
list where due date is tomorrow or yesterday → list where due_date in ["2026-11-17","2026-11-15"]
list where due date is not today → list where due_date not-equals "2026-11-16"
list where due date in (2026-11-16, 2026-11-17) → list where due_date in ["2026-11-16","2026-11-17"]
list where bought is 2026-11-16 → list where (bought at-least "2026-11-15T23:00:00.000Z" & bought less "2026-11-16T23:00:00.000Z")
list where bought on 29 March 2026 → list where (bought at-least "2026-03-28T23:00:00.000Z" & bought less "2026-03-29T22:00:00.000Z")
list where bought before 2026-11-16 → list where bought less "2026-11-15T23:00:00.000Z"
list where bought after 2026-11-16 → list where bought at-least "2026-11-16T23:00:00.000Z"
list where bought since yesterday → list where bought at-least "2026-11-14T23:00:00.000Z"
list where bought until 2026-11-16 → list where bought less "2026-11-16T23:00:00.000Z"
list where bought at 2026-11-16 14:30 → list where bought equals "2026-11-16T13:30:00.000Z"
list where bought > 16 Nov 2026 14:30 → list where bought more "2026-11-16T13:30:00.000Z"
list where bought >= 2026-11-16T14:30:00Z → list where bought at-least "2026-11-16T14:30:00.000Z"
list where bought between 2026-11-16 and 2026-11-17 → list where (bought at-least "2026-11-15T23:00:00.000Z" & bought less "2026-11-17T23:00:00.000Z")
list where bought from 2026-11-16 to 2026-11-16 14:30 → list where bought between ["2026-11-15T23:00:00.000Z","2026-11-16T13:30:00.000Z"]
list where bought in October 2026 → list where (bought at-least "2026-09-30T22:00:00.000Z" & bought less "2026-10-31T23:00:00.000Z")
list where bought in the last 24 hours → list where bought between ["2026-11-15T11:00:00.000Z","2026-11-16T11:00:00.000Z"]
list where bought this week → list where (bought at-least "2026-11-15T23:00:00.000Z" & bought less "2026-11-22T23:00:00.000Z")
list where bought is not today → list where !(bought at-least "2026-11-15T23:00:00.000Z" & bought less "2026-11-16T23:00:00.000Z")
list where bought today or yesterday → list where ((bought at-least "2026-11-15T23:00:00.000Z" & bought less "2026-11-16T23:00:00.000Z") | (bought at-least "2026-11-14T23:00:00.000Z" & bought less "2026-11-15T23:00:00.000Z"))
list equipment bought today → list where (bought at-least "2026-11-15T23:00:00.000Z" & bought less "2026-11-16T23:00:00.000Z")
`,
  );
  assert.equal(count, 44);
});
