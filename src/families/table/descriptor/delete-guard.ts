import { normaliseKey, type Issue, type Section } from '../../../core/index.ts';
import type { TableDefinition } from './definition.ts';
import { finding } from './finding.ts';
import { plainLines } from './plain-lines.ts';
import { plainValue } from './values.ts';

/** The guard of deletes; a guard that is not known stays marked as such, so that nobody takes it for none. */
export function readDeleteGuard(
  section: Section | undefined,
  issues: Issue[],
): TableDefinition['deleteGuard'] {
  if (section === undefined) return undefined;
  const lines = plainLines(section).map((line) => line.text);
  const isKnown = lines.some(
    (line) => normaliseKey(plainValue(line.replace(/^[^:]*:/, ''))) === 'block-if-referenced',
  );
  if (isKnown) return 'block-if-referenced';
  const message =
    lines[0] === undefined
      ? 'The delete guard is empty.'
      : `"${lines[0]}" is not a delete guard that is known.`;
  issues.push(
    finding(
      'table.guard-unknown',
      message,
      section.line,
      'Write block_if_referenced, or remove the section.',
    ),
  );
  return 'unknown';
}
