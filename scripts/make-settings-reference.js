// Writes what comes from the definition of the settings: schemas/settings.json and the table in docs/settings.md.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { settingsSchema } from '../src/config/settings-schema.ts';
import { settingsTable, tableMarks } from '../test/support/settings-table.ts';

const root = path.join(import.meta.dirname, '..');
mkdirSync(path.join(root, 'schemas'), { recursive: true });
writeFileSync(
  path.join(root, 'schemas', 'settings.json'),
  `${JSON.stringify(settingsSchema(), undefined, 2)}\n`,
);

const page = path.join(root, 'docs', 'settings.md');
const [begin, end] = tableMarks;
const text = readFileSync(page, 'utf8');
const from = text.indexOf(begin);
const to = text.indexOf(end, from);
if (from < 0 || to < 0) throw new Error(`${page} has no place for the table: ${begin}`);
writeFileSync(page, text.slice(0, from + begin.length) + settingsTable() + text.slice(to));
