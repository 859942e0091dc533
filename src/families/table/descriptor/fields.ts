import {
  didYouMean,
  normaliseKey,
  outline,
  unsafeKeys,
  type Bundle,
  type Heading,
  type Issue,
  type Section,
} from '../../../core/index.ts';
import { attributeList, attributes, type AttributeKey } from './attributes.ts';
import type { Prose, TableField } from './definition.ts';
import { report } from './issues.ts';
import { readType } from './values.ts';

/** A field's heading, the text directly below it, and its attribute headings. */
export interface FieldBlock {
  readonly name: string;
  readonly line: number;
  readonly text: string;
  readonly attributes: readonly Heading[];
}

/**
 * Reads the fields in a section, followed by those in the old syntax. Duplicate fields are reported and
 * dropped.
 */
export function readFields(
  section: Section | undefined,
  old: readonly FieldBlock[],
  issues: Issue[],
): readonly TableField[] {
  const [first] = old;
  if (first !== undefined) {
    const message = 'The fields use the old format, in which each field has its own section.';
    const hint = 'Write the fields as ### headings below "## Fields".';
    report(issues, 'table.old-dialect', first.line, message, hint, 'info');
  }
  const seen = new Map<string, FieldBlock>();
  for (const block of [...findBlocks(section?.inner ?? [], issues), ...old]) {
    const { name, line } = block;
    const key = normaliseKey(name);
    const earlier = seen.get(key);
    if (key === '') report(issues, 'table.field-unnamed', line, 'A field has no name and is ignored.');
    else if (unsafeKeys.has(name)) {
      // A field with such a name would lose its values in JSON.
      const hint = 'Use another name; "Column" names its column in the database.';
      const message = `A field cannot be called "${name}"; it is ignored.`;
      issues.push({ level: 'warning', code: 'table.name-reserved', message, line, hint, standard: true });
    } else if (earlier === undefined) seen.set(key, block);
    else {
      const message = `The field "${name}" appears again; the one on line ${earlier.line} counts.`;
      report(issues, 'table.field-repeated', line, message);
    }
  }
  return [...seen.values()].map((block) => readField(block, issues));
}

/** Returns the fields that use the old syntax: `## Field: x`, with attributes one heading level deeper. */
export function oldFieldBlocks(bundle: Bundle): readonly FieldBlock[] {
  if (!/^[ \t]*#+[ \t]*field[ \t]*:/im.test(bundle.body)) return [];
  const { headings } = outline(bundle.body, bundle.head.bodyLine);
  const nameOf = ({ level, title }: Heading): string | undefined =>
    level <= 2 ? /^field\s*:\s*(\S.*)$/i.exec(title)?.[1] : undefined;
  return groupBlocks(headings, nameOf, 2);
}

function findBlocks(headings: readonly Heading[], issues: Issue[]): readonly FieldBlock[] {
  const top = headings.reduce((least, heading) => Math.min(least, heading.level), 6);
  const first = headings.findIndex((heading) => heading.level === top);
  for (const heading of headings.slice(0, Math.max(0, first))) {
    const message = `The attribute "${heading.title}" is before the first field and is ignored.`;
    report(issues, 'table.attribute-lost', heading.line, message);
  }
  return groupBlocks(headings, (heading) => (heading.level === top ? heading.title : undefined), top);
}

function groupBlocks(
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

/**
 * Reads one field. Its type is the declared type, or string if none is declared. Nothing is inferred from
 * prose.
 */
function readField(block: FieldBlock, issues: Issue[]): TableField {
  const written = readAttributes(block.attributes, issues);
  const type = readType(written.get('type')?.text ?? '')?.type;
  const field: TableField = {
    name: block.name,
    line: block.line,
    description: [block.text, written.get('description')?.text].filter(Boolean).join('\n\n'),
    type: 'string',
  };
  for (const [key, { read }] of attributeList) {
    const prose = written.get(key);
    if (prose !== undefined) Object.assign(field, read(prose, { type, issues }));
  }
  const { minimum = -Infinity, maximum = Infinity, minLength = 0, maxLength = Infinity } = field;
  if (minimum > maximum || minLength > maxLength) {
    const line = (written.get('min') ?? written.get('minLength'))?.line ?? 1;
    report(issues, 'table.bounds', line, 'The minimum is greater than the maximum, so no value is valid.');
  }
  return field;
}

const keyOf = new Map(
  attributeList.flatMap(([key, { titles }]) => titles.map((title) => [squeeze(title), key] as const)),
);
const known = attributeList.flatMap(([, { titles }]) => titles.map((title) => title.toLowerCase()));

/** Reads the headings below a field. Unknown, repeated and empty headings are reported. */
function readAttributes(below: readonly Heading[], issues: Issue[]): ReadonlyMap<AttributeKey, Prose> {
  const found = new Map<AttributeKey, Prose>();
  for (const heading of below) {
    const { title, line } = heading;
    const { key, text } = split(heading);
    if (key === undefined) {
      const hint = didYouMean(title.toLowerCase(), known);
      report(issues, 'table.attribute-unknown', line, `The unknown attribute "${title}" is ignored.`, hint);
    } else if (found.has(key)) {
      const message = `"${title}" appears again for this field; the first one counts.`;
      report(issues, 'table.attribute-repeated', line, message);
    } else if (text === '' && !('isFlag' in attributes[key])) {
      const hint = 'Write its value on the next line.';
      report(issues, 'table.attribute-empty', line, `"${title}" has no text below it.`, hint);
    } else {
      found.set(key, { text, line: heading.text === '' ? line : heading.textLine });
    }
  }
  return found;
}

/** Splits a heading that contains its own value, such as `#### Type: integer`. */
function split({ title, text }: Heading): { readonly key: AttributeKey | undefined; readonly text: string } {
  const whole = keyOf.get(squeeze(title));
  const colon = title.indexOf(':');
  if (whole !== undefined || colon < 0) return { key: whole, text };
  const value = [title.slice(colon + 1).trim(), text].filter(Boolean).join('\n');
  return { key: keyOf.get(squeeze(title.slice(0, colon))), text: value };
}

function squeeze(title: string): string {
  return normaliseKey(title).replaceAll('-', '');
}
