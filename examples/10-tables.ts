// Records in a database, described by one file. Plain words and typed requests do the same; neither needs a model.
// In a project of your own, import from 'skilled'; the records are then in .skilled/tables.db.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecursiveSkilledAgent, type JsonObject } from '../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'tables-'));
mkdirSync(join(folder, 'skills', 'bicycles'), { recursive: true });
writeFileSync(
  join(folder, 'skills', 'bicycles', 'tskill.md'),
  `# Bicycles Skill

## Table Purpose

The bicycles that are lent out, each with its size and condition.

## Fields

### tag

What is printed on the frame.

#### Type: varchar(10)

#### Primary Key

### kind

What it is made for.

#### Values: [city, cargo, racing]

#### Required

### status

Whether it can be lent.

#### Values: [ready, lent, in repair]

#### Default: ready

### bought

When it came to us.

#### Type: date

### price

What it cost, in euros.

#### Type: decimal

#### Min: 0
`,
);

await using agent = new RecursiveSkilledAgent({
  additionalSkillRoots: [join(folder, 'skills')], // folders that you name yourself are trusted
  only: true,
  workspace: folder, // files are read and written here
  database: join(folder, 'records.db'),
  permissions: { allow: ['Write(exports/**)'] },
  embeddings: false,
  models: { model: () => undefined },
});
const ask = async (input: string | JsonObject): Promise<string> => {
  const { status, text, error } = await agent.run({ skill: 'bicycles', input }).result;
  return status === 'done' ? text : `${status}: ${error?.message ?? text}`;
};

// A program may write at once; words of people are shown to them first and confirmed.
const records = [
  { tag: 'C-1', kind: 'city', bought: '2025-04-02', price: 649 },
  { tag: 'C-2', kind: 'city', status: 'in repair', bought: '2026-01-15', price: 700.5 },
  { tag: 'L-1', kind: 'cargo', status: 'lent', bought: '2026-03-09', price: 4200 },
];
console.log(await ask({ operation: 'add', records, confirm: false }));

// What the file declares is kept as a rule, whoever writes.
const wrong = { operation: 'add', records: [{ tag: 'X-1', kind: 'unicycle' }], confirm: false };
console.log(await ask(wrong));

// Words are read without a model.
console.log(await ask('list where status is not ready sort by price'));
console.log(await ask('how many where bought after 2026-01-01'));
console.log(await ask({ operation: 'group', by: 'kind', measure: 'sum', field: 'price' }));

// Into a file of the workspace, by the rules for writing files; an import would give the same records.
console.log(await ask('export to exports/bicycles.csv'));
console.log(readFileSync(join(folder, 'exports', 'bicycles.csv'), 'utf8'));

// Once more in words: the run waits until somebody says yes, also in another process.
const asked = await agent.run({ skill: 'bicycles', input: 'set status to ready for C-2' }).result;
console.log(`${asked.status}: ${asked.question?.text ?? ''}`);
await agent.runs.answer(asked.runId, 'yes');
console.log((await agent.runs.resume(asked.runId).result).text);

await agent.shutdown();
rmSync(folder, { recursive: true });
