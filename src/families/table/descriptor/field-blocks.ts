import {
  normaliseKey,
  outline,
  unsafeKeys,
  type Bundle,
  type Heading,
  type Issue,
  type Section,
} from '../../../core/index.ts';
import { report } from './issues.ts';

/** A field's heading, the text directly below it, and its attribute headings. */
export interface FieldBlock {
  readonly name: string;
  readonly line: number;
  readonly text: string;
  readonly attributes: readonly Heading[];
}

const oldHeading = /^field\s*:\s*(\S.*)$/i;

/**
 * Returns the fields in a section, followed by those in the old syntax. Duplicate fields are reported and
 * dropped.
 */
export function fieldBlocks(
  section: Section | undefined,
  old: readonly FieldBlock[],
  issues: Issue[],
): readonly FieldBlock[] {
  const line = old[0]?.line;
  if (line !== undefined) {
    const message = 'The fields use the old format, in which each field has its own section.';
    const hint = 'Write the fields as ### headings below "## Fields".';
    report(issues, 'table.old-dialect', line, message, hint, 'info');
  }
  const seen = new Map<string, FieldBlock>();
  for (const block of [...blocksIn(section?.inner ?? [], issues), ...old]) {
    const { name, line } = block;
    const key = normaliseKey(name);
    const earlier = seen.get(key);
    if (key === '') report(issues, 'table.field-unnamed', line, 'A field has no name and is ignored.');
    else if (unsafeKeys.has(name)) issues.push(reserved(block));
    else if (earlier === undefined) seen.set(key, block);
    else {
      const message = `The field "${name}" appears again; the one on line ${earlier.line} counts.`;
      report(issues, 'table.field-repeated', line, message);
    }
  }
  return [...seen.values()];
}

/** Creates the issue for a reserved field name. A field with such a name would lose its values in JSON. */
function reserved({ name, line }: FieldBlock): Issue {
  const hint = 'Use another name; "Column" names its column in the database.';
  const message = `A field cannot be called "${name}"; it is ignored.`;
  return { level: 'warning', code: 'table.name-reserved', message, line, hint, standard: true };
}

/** Returns the fields that use the old syntax: `## Field: x`, with attributes one heading level deeper. */
export function oldFieldBlocks(bundle: Bundle): readonly FieldBlock[] {
  if (!/^[ \t]*#+[ \t]*field[ \t]*:/im.test(bundle.body)) return [];
  const { headings } = outline(bundle.body, bundle.head.bodyLine);
  const nameOf = (heading: Heading): string | undefined => oldHeading.exec(heading.title)?.[1];
  return grouped(headings, (heading) => (heading.level <= 2 ? nameOf(heading) : undefined), 2);
}

function blocksIn(headings: readonly Heading[], issues: Issue[]): readonly FieldBlock[] {
  const top = headings.reduce((least, heading) => Math.min(least, heading.level), 6);
  const first = headings.findIndex((heading) => heading.level === top);
  for (const heading of headings.slice(0, Math.max(0, first))) {
    const message = `The attribute "${heading.title}" is before the first field and is ignored.`;
    report(issues, 'table.attribute-lost', heading.line, message);
  }
  return grouped(headings, (heading) => (heading.level === top ? heading.title : undefined), top);
}

function grouped(
  headings: readonly Heading[],
  nameOf: (heading: Heading) => string | undefined,
  level: number,
): readonly FieldBlock[] {
  const blocks: (FieldBlock & { readonly attributes: Heading[] })[] = [];
  let isOpen = false;
  for (const heading of headings) {
    const name = nameOf(heading);
    if (name !== undefined) blocks.push({ name, line: heading.line, text: heading.text, attributes: [] });
    else if (isOpen && heading.level > level) blocks.at(-1)?.attributes.push(heading);
    isOpen = name !== undefined || (isOpen && heading.level > level);
  }
  return blocks;
}
