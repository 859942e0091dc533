import { findBadValues } from './find-bad-values.ts';
import { findMisfit } from './find-misfit.ts';
import type { Layout } from './lay-out.ts';
import type { PlanStep } from '../plan.ts';
import type { Intake } from './read-intake.ts';
import { fillSlots } from './slot.ts';
import { errorAt, type SopIssue } from '../sop-issue.ts';
import type { Source } from './source.ts';
import { usageOf } from './usage-of.ts';

/** What is wrong with the arguments of a step, as far as their text tells. */
export function badArguments(step: PlanStep, intake: Intake, layout: Layout): readonly SopIssue[] {
  const { command, commandPlace } = step;
  const usage = (): string => `Write: ${usageOf(command, intake)}`;
  const repeated = layout.repeated.map(({ place, key = '' }) =>
    errorAt(place, 'sop.repeated-argument', `"${key}" is given twice to "${command}".`, 'Keep one of them.'),
  );
  const extra = layout.extra.slice(0, 1).map(({ place }) => {
    const message = `"${command}" takes ${whatIsTaken(intake)}.`;
    const hint = `${usage()}. Put text of several words in quotes.`;
    return errorAt(place, 'sop.too-many-arguments', message, hint);
  });
  const missing = layout.missing.map((name) =>
    errorAt(commandPlace, 'sop.missing-argument', `"${command}" needs "${name}".`, `${usage()}.`),
  );
  const issues = [...repeated, ...extra, ...missing, ...findBadValues(command, layout.slots)];
  return issues.length > 0 ? issues : misfitAsAWhole(step, intake, layout);
}

/** Places can fit one by one and not together; that is known once nothing is a reference. */
function misfitAsAWhole(
  { command, commandPlace }: PlanStep,
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
