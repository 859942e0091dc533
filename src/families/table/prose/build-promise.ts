import type { ProseKind } from '../rules/prose-rules.ts';
import { quoteLines } from './quote-lines.ts';
import type { ProseItem } from './prose-items.ts';

/**
 * Describes a function's task as text that changes only if the task changes. Generated code is current only
 * if its manifest contains the same text. Pure.
 */
export function buildPromise({ kind, call, prose, field }: ProseItem): string {
  const about =
    field === undefined ? 'a whole record' : `the field ${JSON.stringify(field.name)} (${field.type})`;
  return `## ${call}\n\n${tasks[kind]} It is about ${about}. The rule, as its author wrote it:\n\n${quoteLines(prose.text)}\n`;
}

// Manifests contain these strings, so changing any of them makes all generated files outdated.
const tasks: Readonly<Record<ProseKind, string>> = {
  validate:
    'Gives for each case null where the rule allows the value, else a sentence for people that says what is wrong.',
  present: 'Gives for each case the text in which the value is shown to people.',
  resolve:
    'Gives for each case the value to be kept for what a person said; a value in the form that is kept is given back as it is, and what cannot be understood as well.',
  enumerate: 'Gives for each case the list of the values that are allowed.',
  derive:
    'Gives for each case the value that follows from the other fields of the record; null where none does.',
  require: 'Gives for each case true where the field must have a value, else false.',
  key: 'Gives for each case the key of the new record.',
  rule: 'Gives for each case null where the record keeps the rule, else a sentence for people that says what is wrong.',
};
