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

/**
 * A function that converts a step's arguments to the command's input, and the issues that are known before
 * the step runs.
 */
interface Binding {
  readonly inputFrom: CheckedStep['inputFrom'];
  readonly issues: readonly SopIssue[];
}

/** Assigns a step's arguments to the parameters of its command. */
export function bindArguments(step: ResolvedStep, intake: Intake): Binding {
  const layout = layOut(intake, step.sources);
  const positional = step.sources.filter(({ key }) => key === undefined);
  const what = `the input for "${step.command}"`;
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
  if (item === undefined)
    throw new AgentError('internal.bug', `$${variable} was read outside a step that runs for each item.`);
  return reachInto(variable, variable === 'item' ? item.value : item.index, keys);
}

/** Returns the issues with a step's arguments that are known before the script runs. */
function badArguments(step: ResolvedStep, intake: Intake, layout: ArgumentLayout): readonly SopIssue[] {
  const { command, commandPosition } = step;
  const usage = (): string => `Usage: ${usageOf(command, intake)}.`;
  const usageInOrder = (): string => `${usage()} ${hasItemFirst(step) ? itemFirst : quotes}`;
  const repeated = layout.repeated.map(({ position, key = '' }) =>
    errorAt(
      position,
      'sop.repeated-argument',
      `"${key}" is set twice for "${command}".`,
      'Keep only one of these arguments.',
    ),
  );
  const extra = layout.extra.slice(0, 1).map(({ position }) => {
    const message = `"${command}" takes ${whatIsTaken(intake)}.`;
    return errorAt(position, 'sop.too-many-arguments', message, usageInOrder());
  });
  const missing = layout.missing.map((name) =>
    errorAt(commandPosition, 'sop.missing-argument', `"${command}" needs "${name}".`, usage()),
  );
  const bad = findBadValues(command, knownSlots(layout), usageInOrder);
  const issues = [...repeated, ...extra, ...missing, ...bad];
  return issues.length > 0 ? issues : misfitAsAWhole(step, intake, layout);
}

const quotes = 'Put text with several words in quotes.';
const itemFirst = 'The item is the first argument here; write $item where you want it.';

function hasItemFirst({ sources, arguments: given }: ResolvedStep): boolean {
  return sources.length > given.length;
}

/**
 * Returns the slots whose arguments are certain. If there are too many arguments, only named arguments are
 * certain.
 */
function knownSlots({ slots, extra }: ArgumentLayout): readonly ArgumentSlot[] {
  return extra.length === 0 ? slots : slots.filter(({ sources }) => sources[0]?.key !== undefined);
}

/**
 * Returns an issue if the arguments are valid separately but not together. Checks this only if no argument is
 * a reference.
 */
function misfitAsAWhole(
  { command, commandPosition }: ResolvedStep,
  intake: Intake,
  { slots }: ArgumentLayout,
): readonly SopIssue[] {
  if (intake.kind === 'parameters' && intake.isSum) return [];
  if (!slots.every(({ sources }) => sources.every(({ kind }) => kind === 'text'))) return [];
  const input = fillSlots(slots, textOf);
  const misfit = findMisfit(`the input for "${command}"`, intake.accepted.schema, input);
  return misfit === undefined
    ? []
    : [errorAt(commandPosition, 'sop.bad-argument', misfit.message, misfit.hint)];
}

function textOf(source: ArgumentSource): string {
  return source.kind === 'text' ? source.text : '';
}

function whatIsTaken(intake: Intake): string {
  const names = intake.kind === 'parameters' ? intake.inOrder : [];
  if (intake.kind === 'parameters' && intake.parameters.size === 0) return 'no arguments';
  if (names.length === 0) return 'only named arguments';
  if (names.length === 1) return `one positional argument: ${names.join()}`;
  return `${names.length} positional arguments: ${names.join(', ')}`;
}

const maxReported = 20;

/**
 * Returns issues for literal arguments that their parameter does not accept. Skips references, whose values
 * are not known yet. `usage` is the hint for an argument that may be in the wrong position.
 */
function findBadValues(
  command: string,
  slots: readonly ArgumentSlot[],
  usage: () => string,
): readonly SopIssue[] {
  const issues: SopIssue[] = [];
  for (const part of slots.flatMap(partsOf)) {
    if (issues.length < maxReported) issues.push(...badValue(command, part, usage));
  }
  return issues;
}

/**
 * Splits a slot into slots that can be checked separately. A list becomes one slot per item; any other slot
 * is returned unchanged.
 */
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
  const subject = part.name === undefined ? `the input for "${command}"` : `"${part.name}" of "${command}"`;
  const options = optionsIn(part.accepted);
  const misfit = findMisfit(`value ${written} for ${subject}`, part.accepted.schema, value);
  if (misfit === undefined) return [];
  const message =
    options === undefined
      ? misfit.message
      : `${written} for ${subject} must be one of ${shortList(options)}.`;
  const hint =
    options === undefined
      ? [hintFor(part.accepted, value), ...(isInOrder(part) ? [usage()] : [])].join(' ')
      : (didYouMean(texts.join(' '), options) ?? 'Use one of the listed values.');
  return [errorAt(first.position, 'sop.bad-argument', message, hint)];
}

/** Whether the argument was assigned to its parameter by position. */
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
  if (accepted.kinds === undefined || accepts(accepted, kindOf(value)))
    return 'Use a value that matches the schema.';
  const expected = [...accepted.kinds].map((kind) => kindLabels[kind]).join(' or ');
  return `It takes ${expected}.`;
}

const kindLabels: Readonly<Record<JsonKind, string>> = {
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
