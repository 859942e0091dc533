import type { Json } from '../../../core/json.ts';
import { didYouMean } from '../../../core/names.ts';
import { accepts, kindOf, type Accepted, type Kind } from './accepted.ts';
import { findMisfit } from './find-misfit.ts';
import { fillSlot, joinValues, type Slot } from './slot.ts';
import { errorAt, type SopIssue } from '../sop-issue.ts';

const mostTold = 20;

/** Arguments that are written out and do not fit their place; what is referred to is known only when the step runs. `usage` is for those that may have got to the wrong place. */
export function findBadValues(
  command: string,
  slots: readonly Slot[],
  usage: () => string,
): readonly SopIssue[] {
  const issues: SopIssue[] = [];
  for (const part of slots.flatMap(partsOf)) {
    if (issues.length < mostTold) issues.push(...badValue(command, part, usage));
  }
  return issues;
}

/** What can be looked at by itself: each of several items of a list, and any other slot as a whole. */
function partsOf(slot: Slot): readonly Slot[] {
  if (slot.as !== 'list' || slot.sources.length < 2) return [slot];
  return slot.sources.map((source) => ({
    ...slot,
    as: 'value',
    sources: [source],
    accepted: slot.accepted.items ?? {},
  }));
}

function badValue(command: string, part: Slot, usage: () => string): readonly SopIssue[] {
  const texts = part.sources.flatMap((source) => (source.kind === 'text' ? [source.text] : []));
  const [first] = part.sources;
  if (first === undefined || texts.length < part.sources.length) return [];
  const value = fillSlot(part, (source) => (source.kind === 'text' ? source.text : ''));
  const written = `"${shorten(texts.join(' '))}"`;
  const place = part.name === undefined ? `the input of "${command}"` : `"${part.name}" of "${command}"`;
  const options = optionsIn(part.accepted);
  const misfit = findMisfit(`${written} for ${place}`, part.accepted.schema, value);
  if (misfit === undefined) return [];
  const message =
    options === undefined ? misfit.message : `${written} for ${place} must be one of ${shortList(options)}.`;
  const hint =
    options === undefined
      ? [hintFor(part.accepted, value), ...(isInOrder(part) ? [usage()] : [])].join(' ')
      : (didYouMean(texts.join(' '), options) ?? 'Write one of them.');
  return [errorAt(first.place, 'sop.bad-argument', message, hint)];
}

/** Whether its place was found by counting. */
function isInOrder({ name, as, sources }: Slot): boolean {
  return name !== undefined && as === 'value' && sources[0]?.key === undefined;
}

function optionsIn({ schema }: Accepted): readonly string[] | undefined {
  const options = schema?.['enum'];
  return Array.isArray(options)
    ? (options as readonly Json[]).map((option) => joinValues([option]))
    : undefined;
}

function hintFor(accepted: Accepted, value: Json): string {
  if (accepted.kinds === undefined || accepts(accepted, kindOf(value))) return 'Write one that fits.';
  const wanted = [...accepted.kinds].map((kind) => words[kind]).join(' or ');
  return `It takes ${wanted}.`;
}

const words: Readonly<Record<Kind, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  array: 'a list in JSON',
  object: 'an object in JSON',
};

function shorten(text: string): string {
  const line = text.slice(0, 200).replace(/\s+/g, ' ');
  return line.length > 40 ? `${line.slice(0, 40)}…` : line;
}

function shortList(options: readonly string[]): string {
  return options.length > 10 ? `${options.slice(0, 10).join(', ')}, …` : options.join(', ');
}
