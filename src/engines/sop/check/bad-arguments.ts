import { findBadValues } from './find-bad-values.ts';
import { findMisfit } from './find-misfit.ts';
import type { Layout } from './lay-out.ts';
import type { Intake } from './read-intake.ts';
import type { ResolvedStep } from './resolve-step.ts';
import { fillSlots, type Slot } from './slot.ts';
import { errorAt, type SopIssue } from '../sop-issue.ts';
import type { Source } from './source.ts';
import { usageOf } from './usage-of.ts';

/** What is wrong with the arguments of a step, as far as their text tells. */
export function badArguments(step: ResolvedStep, intake: Intake, layout: Layout): readonly SopIssue[] {
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
function knownSlots({ slots, extra }: Layout): readonly Slot[] {
  return extra.length === 0 ? slots : slots.filter(({ sources }) => sources[0]?.key !== undefined);
}

/** Places can fit one by one and not together; that is known once nothing is a reference. */
function misfitAsAWhole(
  { command, commandPlace }: ResolvedStep,
  intake: Intake,
  { slots }: Layout,
): readonly SopIssue[] {
  if (intake.kind === 'places' && intake.isSum) return [];
  if (!slots.every(({ sources }) => sources.every(({ kind }) => kind === 'text'))) return [];
  const input = fillSlots(slots, textOf);
  const misfit = findMisfit(`the input of "${command}"`, intake.accepted.schema, input);
  return misfit === undefined ? [] : [errorAt(commandPlace, 'sop.bad-argument', misfit.message, misfit.hint)];
}

function textOf(source: Source): string {
  return source.kind === 'text' ? source.text : '';
}

function whatIsTaken(intake: Intake): string {
  const names = intake.kind === 'places' ? intake.inOrder : [];
  if (intake.kind === 'places' && intake.places.size === 0) return 'no arguments';
  if (names.length === 0) return 'its arguments by name only';
  if (names.length === 1) return `one argument without a name: ${names.join()}`;
  return `${names.length} arguments without a name: ${names.join(', ')}`;
}
