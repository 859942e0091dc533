import type { Issue } from '../issue.ts';
import type { SkillCard } from '../skill.ts';
import type { Bundle } from './bundle.ts';
import { fitDescription, readCard } from './card.ts';
import { fieldsOf, type Fields } from './fields.ts';
import { firstParagraph } from './markdown.ts';
import { readSections, type SectionNames, type Sections } from './sections.ts';

/**
 * Derives a description from a body: the first line that is not a heading, or else the first heading, or else
 * the first line of code. Returns an empty string if the body has no text.
 */
export function describeFromBody(bundle: Bundle, issues: Issue[]): string {
  const raw = bundle.body.split('\n').map((line) => line.trim());
  const visible = visibleLines(raw);
  const prose = visible.findIndex((line) => isText(line) && !line.startsWith('#'));
  const heading = visible.findIndex(isText);
  const code = raw.findIndex((line) => isText(line) && opening.exec(line) === null);
  const index = [prose, heading, code].find((found) => found >= 0);
  if (index === undefined) return '';
  const at = bundle.head.bodyLine + index;
  issues.push(
    derived(index === heading && index !== prose ? 'the first heading' : 'the first line of the body', at),
  );
  const text = (raw[index] ?? '')
    .replace(/^#+\s*/, '')
    .replace(/^(?:[-*+>]\s+)+/, '')
    .replace(/(\*\*|__)(.+?)\1/g, '$2')
    .trim();
  return fitDescription(text, issues, at);
}

const opening = /^(?:```|~~~|<!--)/;

function isText(line: string): boolean {
  return /[\p{L}\p{N}]/u.test(line);
}

/** Returns the lines, replacing those inside code fences and comments with blank lines. */
function visibleLines(lines: readonly string[]): readonly string[] {
  let end: string | undefined;
  return lines.map((line) => {
    if (end !== undefined) {
      if (end === '-->' ? line.includes(end) : line.startsWith(end)) end = undefined;
      return '';
    }
    const start = opening.exec(line)?.[0];
    if (start === undefined) return line;
    if (start !== '<!--') end = start;
    else if (!line.includes('-->')) end = '-->';
    return '';
  });
}

/** The name, card, sections and issues of a descriptor with headed sections. */
export interface Headed<Key extends string> {
  readonly name: string;
  readonly card: SkillCard;
  readonly fields: Fields;
  readonly sections: Sections<Key>;
  readonly issues: Issue[];
  /** Whether the descriptor is usable: no limit is exceeded, and a description was found. */
  readonly usable: boolean;
}

/**
 * Reads a descriptor with headings. If it has no description field, the first `describedBy` section that has
 * text provides the description, or else the text under the title.
 */
export function readHeaded<Key extends string>(
  bundle: Bundle,
  names: SectionNames<Key>,
  describedBy: readonly NoInfer<Key>[],
): Headed<Key> {
  const issues: Issue[] = [...bundle.issues, ...bundle.head.issues];
  const fields = fieldsOf(bundle.head, issues);
  const sections = readSections(bundle, names);
  issues.push(...sections.issues);
  const name = fields.text('name')?.trim() ?? '';
  const description = describe(bundle, fields, sections, describedBy, issues);
  const usable = !bundle.head.refused && description !== '';
  if (!usable && !bundle.head.refused) {
    issues.push({
      level: 'error',
      code: 'descriptor.empty',
      message: 'The descriptor has no description, and no text to derive one from.',
      line: 1,
      hint: `Add a "${describedBy[0] ?? 'Description'}" section.`,
    });
  }
  return {
    name: name === '' ? sections.title : name,
    card: readCard(fields, description, bundle, issues),
    fields,
    sections,
    issues,
    usable,
  };
}

function describe<Key extends string>(
  bundle: Bundle,
  fields: Fields,
  sections: Sections<Key>,
  describedBy: readonly Key[],
  issues: Issue[],
): string {
  const declared = fields.text('description')?.trim() ?? '';
  if (declared !== '') return fitDescription(declared, issues, bundle.head.lineOf('description'));
  for (const [index, key] of describedBy.entries()) {
    const section = sections.get(key);
    const text = section === undefined ? '' : firstParagraph(section.text);
    if (text === '') continue;
    if (index > 0) issues.push(derived(`the section "${key}"`, section?.line));
    return fitDescription(text, issues, section?.line);
  }
  const fallback = firstParagraph(sections.preamble) || sections.title;
  if (fallback !== '') issues.push(derived('the text under the title', sections.titleLine));
  return fitDescription(fallback, issues, sections.titleLine);
}

/** Creates the issue for a description that had to be derived. */
export function derived(from: string, line: number | undefined): Issue {
  return {
    level: 'warning',
    code: 'description.derived',
    message: `The description is missing; it was taken from ${from}.`,
    ...(line === undefined ? {} : { line }),
    hint: 'Add a description that says what the skill does and when to use it.',
    standard: true,
  };
}
