import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { areasText, toolsText } from '../../../../test/support/table-stage.ts';
import { bundleOfText, nowhere } from '../../../core/descriptor/bundle.ts';
import { buildTable } from '../build-table.ts';
import { parse } from '../descriptor/parse.ts';
import type { Table } from '../table.ts';
import { template } from '../template.ts';
import { understand } from '../words/understand.ts';
import { plainForms } from './reports.ts';

const clock = { now: Date.UTC(2026, 10, 16), zone: 'UTC' };

function tableOf(text: string): Table {
  return buildTable(parse(bundleOfText(text, { ...nowhere, stem: 'things' })).definition!);
}

describe('the plain forms that are offered', () => {
  const texts = {
    tools: toolsText,
    areas: areasText,
    'a new table': template('parts')['tskill.md'] ?? '',
    'a table of one field': '# Odd Skill\n\n## Fields\n\n### only one\n\nIt.\n',
    'a table with two keys':
      '# Pairs Skill\n\n## Fields\n\n### a\n\nA.\n\n#### Type: integer\n\n#### PK: given\n\n### b\n\nB.\n\n#### Type: integer\n\n#### PK: given\n\n### open\n\nWhether it is.\n\n#### Type: boolean\n',
  };
  for (const [name, text] of Object.entries(texts))
    test(`are understood: ${name}`, () => {
      const table = tableOf(text);
      for (const form of plainForms(table)) {
        const said = form
          .replace('<tag>', 'D-1')
          .replace('<key>', '1, 2')
          .replace(/<[^>]+>/, '7');
        const understood = understand(table, said, clock);
        assert.equal(understood.kind, 'request', `${said}: ${JSON.stringify(understood)}`);
      }
    });
});

test('what the documentation says can be said is understood', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const section = /\n## Requests in plain words\n([^]*?)\n## /.exec(readme)?.[1] ?? '';
  const fields = ['name', 'status', 'area', 'price'].map(
    (name) =>
      `### ${name}\n\nIt.\n${name === 'price' ? '\n#### Type: decimal\n' : ''}${name === 'status' ? '\n#### Values\n\n[ok, faulty]\n' : ''}`,
  );
  const table = tableOf(
    `# Equipment Skill\n\n## Fields\n\n### tag\n\nIt.\n\n#### Type: varchar(9)\n\n#### PK\n\n${fields.join('\n')}`,
  );
  const rows = section.split('\n').filter((line) => line.includes(' | `'));
  const forms = rows.flatMap((line) => [...line.matchAll(/`([^`]+)`/g)].map(([, form = '']) => form));
  assert.ok(forms.length >= 20, String(forms.length));
  for (const form of forms) {
    const understood = understand(table, form, clock);
    assert.equal(understood.kind, 'request', `${form}: ${JSON.stringify(understood)}`);
  }
});
