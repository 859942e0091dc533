import { didYouMean, normaliseKey, type Heading, type Issue } from '../../../core/index.ts';
import { attributeList, attributes, type AttributeKey } from './attributes.ts';
import type { FieldBlock } from './field-blocks.ts';
import type { Prose, TableField } from './definition.ts';
import { report } from './issues.ts';
import { readType } from './values.ts';

/**
 * Reads one field. Its type is the declared type, or string if none is declared. Nothing is inferred from
 * prose.
 */
export function readField(block: FieldBlock, issues: Issue[]): TableField {
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
