import { AgentError, didYouMean, type Json } from '../../../core/index.ts';
import { errorAt, reachInto, type CheckedStep, type Item, type SopIssue } from '../index.ts';
import { accepts, findMisfit, kindOf, type Accepted, type JsonKind } from './accepted-values.ts';
import {
  fillSlot,
  fillSlots,
  joinValues,
  layOut,
  type ArgumentLayout,
  type ArgumentSlot,
} from './argument-slots.ts';
import { usageOf, type Intake } from './intake.ts';
import type { ResolvedStep, ArgumentSource } from './resolve-step.ts';

/** The way from the arguments of a step to the input of its command, and what is wrong with them by their text. */
interface Binding {
  readonly inputFrom: CheckedStep['inputFrom'];
  readonly issues: readonly SopIssue[];
}

/** Binds the arguments of a step to the places of its command. */
export function bindArguments(step: ResolvedStep, intake: Intake): Binding {
  const layout = layOut(intake, step.sources);
  const positional = step.sources.filter(({ key }) => key === undefined);
  const what = `the input of "${step.command}"`;
  const inputFrom: CheckedStep['inputFrom'] = (find, item) => {
    const read = (source: ArgumentSource): Json => valueOf(source, find, item);
    const input = fillSlots(layout.slots, read);
    const misfit = findMisfit(what, intake.accepted.schema, input);
    if (misfit !== undefined) throw misfit;
    return { input, arguments: positional.map(read) };
  };
  return { inputFrom, issues: badArguments(step, intake, layout) };
}

function valueOf(source: ArgumentSource, find: (variable: string) => Json, item: Item | undefined): Json {
  if (source.kind === 'text') return source.text;
  const { variable, keys } = source.target;
  if (source.kind === 'variable') return reachInto(variable, find(variable), keys);
  if (item === undefined) throw new AgentError('internal.bug', `$${variable} was read without an item.`);
  return reachInto(variable, variable === 'item' ? item.value : item.index, keys);
}

/** What is wrong with the arguments of a step, as far as their text tells. */
function badArguments(step: ResolvedStep, intake: Intake, layout: ArgumentLayout): readonly SopIssue[] {
  const { command, commandPlace } = step;
  const usage = (): string => `Write: ${usageOf(command, intake)}.`;
  const usageInOrder = (): string => `${usage()} ${hasItemFirst(step) ? itemFirst : quotes}`;
  const repeated = layout.repeated.map(({ place, key = '' }) =>
    errorAt(place, 'sop.repeated-argument', `"${key}" is given twice to "${command}".`, 'Keep one of them.'),
  );
  const extra = layout.extra.slice(0, 1).map(({ place }) => {
    const message = `"${command}" takes ${whatIsTaken(intake)}.`;
    return errorAt(place, 'sop.too-many-arguments', message, usageInOrder());
  });
  const missing = layout.missing.map((name) =>
    errorAt(commandPlace, 'sop.missing-argument', `"${command}" needs "${name}".`, usage()),
  );
  const bad = findBadValues(command, knownSlots(layout), usageInOrder);
  const issues = [...repeated, ...extra, ...missing, ...bad];
  return issues.length > 0 ? issues : misfitAsAWhole(step, intake, layout);
}

const quotes = 'Put text of several words in quotes.';
const itemFirst = 'The item comes first here; write $item where it belongs.';

function hasItemFirst({ sources, arguments: given }: ResolvedStep): boolean {
  return sources.length > given.length;
}

/** Where there are too many arguments, what goes where is known only of those with a key. */
function knownSlots({ slots, extra }: ArgumentLayout): readonly ArgumentSlot[] {
  return extra.length === 0 ? slots : slots.filter(({ sources }) => sources[0]?.key !== undefined);
}

/** Places can fit one by one and not together; that is known once nothing is a reference. */
function misfitAsAWhole(
  { command, commandPlace }: ResolvedStep,
  intake: Intake,
  { slots }: ArgumentLayout,
): readonly SopIssue[] {
  if (intake.kind === 'places' && intake.isSum) return [];
  if (!slots.every(({ sources }) => sources.every(({ kind }) => kind === 'text'))) return [];
  const input = fillSlots(slots, textOf);
  const misfit = findMisfit(`the input of "${command}"`, intake.accepted.schema, input);
  return misfit === undefined ? [] : [errorAt(commandPlace, 'sop.bad-argument', misfit.message, misfit.hint)];
}

function textOf(source: ArgumentSource): string {
  return source.kind === 'text' ? source.text : '';
}

function whatIsTaken(intake: Intake): string {
  const names = intake.kind === 'places' ? intake.inOrder : [];
  if (intake.kind === 'places' && intake.places.size === 0) return 'no arguments';
  if (names.length === 0) return 'its arguments by name only';
  if (names.length === 1) return `one argument without a name: ${names.join()}`;
  return `${names.length} arguments without a name: ${names.join(', ')}`;
}

const mostTold = 20;

/** Arguments that are written out and do not fit their place; what is referred to is known only when the step runs. `usage` is for those that may have got to the wrong place. */
function findBadValues(
  command: string,
  slots: readonly ArgumentSlot[],
  usage: () => string,
): readonly SopIssue[] {
  const issues: SopIssue[] = [];
  for (const part of slots.flatMap(partsOf)) {
    if (issues.length < mostTold) issues.push(...badValue(command, part, usage));
  }
  return issues;
}

/** What can be looked at by itself: each of several items of a list, and any other slot as a whole. */
function partsOf(slot: ArgumentSlot): readonly ArgumentSlot[] {
  if (slot.as !== 'list' || slot.sources.length < 2) return [slot];
  return slot.sources.map((source) => ({
    ...slot,
    as: 'value',
    sources: [source],
    accepted: slot.accepted.items ?? {},
  }));
}

function badValue(command: string, part: ArgumentSlot, usage: () => string): readonly SopIssue[] {
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
function isInOrder({ name, as, sources }: ArgumentSlot): boolean {
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

const words: Readonly<Record<JsonKind, string>> = {
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
