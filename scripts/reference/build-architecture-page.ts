import { readFileSync } from 'node:fs';
import path from 'node:path';
import { mayImport } from '../../test/architecture/rules/layers.ts';
import { root } from './read-source.ts';

const marks = /(?<=<!-- layers: written by npm run docs -->\n\n)[^]*?(?=\n<!-- end of layers -->)/;

/** Builds ARCHITECTURE.md. Only the table of layers is generated, from the rules of the architecture test. */
export function buildArchitecturePage(): string {
  const page = readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8');
  if (!marks.test(page)) throw new Error('ARCHITECTURE.md has no marks for the table of layers.');
  return page.replace(marks, layerTable());
}

function layerTable(): string {
  const rows = Object.entries(mayImport).map(
    ([folder, others]) =>
      `| \`${folder}\` | ${others.map((name) => `\`${name}\``).join(', ') || 'nothing'} |\n`,
  );
  return `| folder | may import |\n|---|---|\n${rows.join('')}`;
}
