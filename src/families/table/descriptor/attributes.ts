import { didYouMean, normaliseKey, type Heading, type Issue } from '../../../core/index.ts';
import type { Prose } from './definition.ts';
import { createIssue } from './create-issue.ts';

/** The attributes of a field, each with the headings that can introduce it. */
export const attributeHeadings = {
  description: ['Description'],
  label: ['Field Display Name', 'Display Name', 'Field Label', 'Label'],
  shortLabel: ['Field Short Label', 'Short Label'],
  aliases: ['Aliases', 'Alias'],
  namePresenter: ['Field Name Presenter', 'Name Presenter'],
  presenter: ['Field Value Presenter', 'Value Presenter', 'Presenter'],
  resolver: ['Field Value Resolver', 'Value Resolver', 'Resolver'],
  enumerator: ['Field Value Enumerator', 'Value Enumerator', 'Enumerator'],
  values: ['Values', 'Allowed Values', 'Enum', 'Enum Values'],
  validator: ['Field Value Validator', 'Value Validator', 'Validator'],
  required: ['Field Value Is Required', 'Value Is Required', 'Is Required', 'Required'],
  derivator: ['Field Value Derivator', 'Value Derivator', 'Derivator', 'Derived', 'Computed'],
  primaryKey: ['Primary Key', 'Primary', 'PK'],
  index: ['Indexed', 'Index'],
  unique: ['Unique'],
  grouping: ['Grouping', 'Group'],
  column: ['Column', 'Database Column'],
  default: ['Default', 'Default Value'],
  type: ['Type', 'Data Type'],
  maxLength: ['Max Length', 'Maximum Length'],
  minLength: ['Min Length', 'Minimum Length'],
  max: ['Max', 'Maximum'],
  min: ['Min', 'Minimum'],
  pattern: ['Pattern', 'Regex'],
} as const;

/** The attributes a field can have. */
export type AttributeKey = keyof typeof attributeHeadings;

/** The attributes of one field, keyed by attribute. An attribute without a value has empty text. */
export type Attributes = ReadonlyMap<AttributeKey, Prose>;

const keyOf = new Map(
  (Object.keys(attributeHeadings) as AttributeKey[]).flatMap((key) =>
    attributeHeadings[key].map((title): [string, AttributeKey] => [squeeze(title), key]),
  ),
);
const known = Object.values(attributeHeadings).flatMap((titles) =>
  titles.map((title) => title.toLowerCase()),
);
const meaningfulWhenBare: ReadonlySet<AttributeKey> = new Set(['required', 'primaryKey', 'index', 'unique']);

/** Reads the headings below a field. Unknown, repeated and empty headings are reported. */
export function readAttributes(below: readonly Heading[], issues: Issue[]): Attributes {
  const found = new Map<AttributeKey, Prose>();
  for (const heading of below) {
    const { key, text } = split(heading);
    if (key === undefined) {
      const hint = didYouMean(heading.title.toLowerCase(), known);
      issues.push(
        createIssue(
          'table.attribute-unknown',
          `The unknown attribute "${heading.title}" is ignored.`,
          heading.line,
          hint,
        ),
      );
    } else if (found.has(key)) {
      issues.push(
        createIssue(
          'table.attribute-repeated',
          `"${heading.title}" appears again for this field; the first one counts.`,
          heading.line,
        ),
      );
    } else if (text === '' && !meaningfulWhenBare.has(key)) {
      issues.push(
        createIssue(
          'table.attribute-empty',
          `"${heading.title}" has no text below it.`,
          heading.line,
          'Write its value on the next line.',
        ),
      );
    } else {
      found.set(key, { text, line: heading.text === '' ? heading.line : heading.textLine });
    }
  }
  return found;
}

/** Splits a heading that contains its own value, such as `#### Type: integer`. */
function split(heading: Heading): { readonly key: AttributeKey | undefined; readonly text: string } {
  const whole = keyOf.get(squeeze(heading.title));
  const colon = heading.title.indexOf(':');
  if (whole !== undefined || colon < 0) return { key: whole, text: heading.text };
  const text = [heading.title.slice(colon + 1).trim(), heading.text].filter(Boolean).join('\n');
  return { key: keyOf.get(squeeze(heading.title.slice(0, colon))), text };
}

function squeeze(title: string): string {
  return normaliseKey(title).replaceAll('-', '');
}
