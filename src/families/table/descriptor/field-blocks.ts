import {
  normaliseKey,
  outline,
  unsafeKeys,
  type Bundle,
  type Heading,
  type Issue,
  type Section,
} from '../../../core/index.ts';
import { finding } from './finding.ts';

/** The heading of a field, the loose text below it and the headings of its attributes. */
export interface FieldBlock {
  readonly name: string;
  readonly line: number;
  readonly text: string;
  readonly attributes: readonly Heading[];
}

const oldHeading = /^field\s*:\s*(\S.*)$/i;

/** The fields inside a section, then those of the old dialect; the second of one name is reported and dropped. */
export function fieldBlocks(
  section: Section | undefined,
  old: readonly FieldBlock[],
  issues: Issue[],
): readonly FieldBlock[] {
  const line = old[0]?.line;
  if (line !== undefined) {
    const message = 'The fields are written in the old dialect, each as a section of its own.';
    issues.push(
      finding('table.old-dialect', message, line, 'Write them as ### headings below "## Fields".', 'info'),
    );
  }
  const seen = new Map<string, FieldBlock>();
  for (const block of [...blocksIn(section?.inner ?? [], issues), ...old]) {
    const key = normaliseKey(block.name);
    const earlier = seen.get(key);
    if (key === '')
      issues.push(finding('table.field-unnamed', 'A field has no name and is not read.', block.line));
    else if (unsafeKeys.has(block.name)) issues.push(reserved(block));
    else if (earlier === undefined) seen.set(key, block);
    else {
      const message = `The field "${block.name}" stands again; the one on line ${earlier.line} counts.`;
      issues.push(finding('table.field-repeated', message, block.line));
    }
  }
  return [...seen.values()];
}

/** Values under such a name are lost on their way through JSON. */
function reserved({ name, line }: FieldBlock): Issue {
  const hint = 'Call it otherwise; "Column" names its column in the database.';
  return finding('table.name-reserved', `A field cannot be called "${name}".`, line, hint, 'error');
}

/** The fields of the old dialect: `## Field: x` with its attributes one level deeper. */
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
    const message = `The attribute "${heading.title}" stands before the first field and is not read.`;
    issues.push(finding('table.attribute-lost', message, heading.line));
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
