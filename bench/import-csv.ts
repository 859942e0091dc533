import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RecursiveSkilledAgent } from '../src/config/preset.ts';
import { startPostgres } from '../test/support/postgres.ts';
import type { Row } from './measure.ts';

const count = 100_000;

const descriptor = `# Stock Skill

## Table Purpose

What is in stock.

## Fields

### code

As printed on it.

#### Type: varchar(20)

#### Primary Key

### name

What people call it.

#### Required

### status

Its condition.

#### Values

[ok, faulty, in repair]

#### Index

### price

What it cost.

#### Type: decimal

#### Min: 0

### bought

When.

#### Type: date
`;

/**
 * T3: imports a CSV file of 100,000 rows with one skill call, which reads, checks and writes the rows and
 * stores the data for undoing the import. Also measures the progress that the user sees.
 */
export async function importCsv(folder: string): Promise<readonly Row[]> {
  const workspace = join(folder, 'import');
  mkdirSync(join(workspace, '.agents/skills/stock'), { recursive: true });
  writeFileSync(join(workspace, '.agents/skills/stock/tskill.md'), descriptor);
  writeFileSync(join(workspace, 'stock.csv'), ['code,name,status,price,bought', ...lines()].join('\n'));
  await using server = await startPostgres();
  const databases = [
    ['SQLite', join(workspace, 'stock.db')],
    ...(server === undefined ? [] : [['PostgreSQL', server.url]]),
  ];
  const rows: Row[] = [];
  for (const [kind = '', database = ''] of databases) rows.push(await importInto(kind, workspace, database));
  return rows;
}

async function importInto(kind: string, workspace: string, database: string): Promise<Row> {
  await using agent = new RecursiveSkilledAgent({ startDir: workspace, database, embeddings: false });
  const start = performance.now();
  const input = { operation: 'import', file: 'stock.csv', confirm: false };
  const run = agent.run({ skill: 'stock', input });
  let notes = 0;
  for await (const { type } of run.events) if (type === 'note.added') notes++;
  const { text, ok } = await run.result;
  if (!ok) throw new Error(text);
  const took = (performance.now() - start) / 1000;
  return {
    id: 'T3',
    what: `${kind}: a CSV file of ${count} rows imported by a skill`,
    figure: `${took.toFixed(1)} s, ${notes} notes of progress`,
    target: '≤ 15 s',
    met: took <= 15,
  };
}

function lines(): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const status = ['ok', 'faulty', 'in repair'][index % 3] ?? '';
    return `A-${index},"Item, number ${index % 977}",${status},${(index % 5_000) / 100},2024-0${1 + (index % 9)}-15`;
  });
}
