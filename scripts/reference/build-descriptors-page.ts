import ts from 'typescript';
import type { Family } from '../../src/core/family.ts';
import { normaliseKey } from '../../src/core/names.ts';
import { builtinFamilies } from '../../src/families/index.ts';
import { codeOf, pageHead, tableOf } from './markdown.ts';
import { readFamilyTables } from './read-family-tables.ts';
import { keyOf, readParts, shownAs, type Part } from './read-parts.ts';
import { commentAbove, literalOf, readSource } from './read-source.ts';

const sharedFile = 'src/core/descriptor/card.ts';

/**
 * Builds the page that describes every field of every descriptor. The names come from the parsers, and the
 * descriptions from the READMEs.
 */
export async function buildDescriptorsPage(): Promise<string> {
  const written = builtinFamilies.filter(({ descriptor }) => descriptor !== undefined);
  const withoutFile = builtinFamilies.filter(({ descriptor }) => descriptor === undefined);
  return [
    pageHead(
      'Descriptors',
      `${sharedFile}, src/families/*/reference.ts and the tables of src/families/*/README.md`,
    ),
    'All fields and sections of skill descriptors. Each descriptor has its own page with examples and details. `skilled new <family> <name>` writes one, `skilled validate` checks it, and [validation](../validation.md) explains each issue.\n',
    tableOf(
      ['file', 'family', 'a skill that …'],
      written.map((family) => [
        `[\`${fileOf(family)}\`](#${family.id})`,
        codeOf(family.id),
        purposeOf(family),
      ]),
    ),
    ...withoutFile.map(({ id }) => `Without a file, in code: [${id}](${readmeOf(id)}).\n`),
    'Names ignore case and treat blanks, hyphens and underscores alike: `when_to_use` is `when-to-use`. Sections are headings below the first heading, which names the skill. Many sections can be frontmatter fields instead; the page of the descriptor says which.\n',
    '## Every file\n',
    'The frontmatter of every descriptor accepts these fields. If a descriptor lists one of them again below, that description applies. [Requirements](../discovery.md#requirements) describes what a skill can require of a machine.\n',
    sharedTable(),
    ...(await Promise.all(written.map(sectionOf))),
  ].join('\n');
}

function sharedTable(): string {
  const fields = literalOf(readSource(sharedFile), 'cardFields', ts.isArrayLiteralExpression).elements;
  return tableOf(
    ['field', 'meaning'],
    fields.map((field) => {
      const meaning = commentAbove(field);
      if (!ts.isStringLiteral(field) || meaning === '')
        throw new Error(`${sharedFile} does not say what ${field.getText()} means.`);
      return [codeOf(field.text), meaning];
    }),
  );
}

async function sectionOf(family: Family): Promise<string> {
  const { id } = family;
  const parts = await readParts(id);
  return [
    `## ${id}\n`,
    `[\`${fileOf(family)}\`](${readmeOf(id)}): a skill that ${purposeOf(family)}.\n`,
    ...parts.map((part) => partTable(id, part)),
  ].join('\n');
}

function partTable(id: string, { kind, names }: Part): string {
  const rows = readFamilyTables(id);
  return tableOf(
    [kind, 'also written', 'unless given', 'when empty', 'meaning'],
    Object.entries(names).map(([name, spellings]) => {
      const row = rows.get([name, ...spellings].map(keyOf).find((key) => rows.has(key)) ?? '');
      if (row === undefined || row.meaning === '')
        throw new Error(
          `${readmeOf(id).slice('../../'.length)} does not explain "${name}" in a table of ${kind}s.`,
        );
      const shown = shownAs(kind, name);
      const also = othersOf(shown, spellings).map((other) => (kind === 'field' ? codeOf(other) : other));
      return [kind === 'field' ? codeOf(shown) : shown, also.join(', '), row.absent, row.empty, row.meaning];
    }),
  );
}

/** Returns the spellings that differ from `shown` and from each other after normalisation. */
function othersOf(shown: string, spellings: readonly string[]): readonly string[] {
  const others = new Map(spellings.toReversed().map((spelling) => [normaliseKey(spelling), spelling]));
  others.delete(normaliseKey(shown));
  return [...others.values()].toReversed();
}

function purposeOf({ id, authoring }: Family): string {
  const purpose = authoring?.purpose;
  if (purpose === undefined)
    throw new Error(
      `The family "${id}" does not say what its skills do: give it a "purpose" in "authoring".`,
    );
  return purpose;
}

function fileOf({ descriptor }: Family): string {
  if (descriptor === undefined) return '';
  return 'file' in descriptor ? descriptor.file : `${descriptor.folder}/**/*.md`;
}

function readmeOf(id: string): string {
  return `../../src/families/${id}/README.md`;
}
