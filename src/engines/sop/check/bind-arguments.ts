import { AgentError } from '../../../core/error.ts';
import type { Json } from '../../../core/json.ts';
import { badArguments } from './bad-arguments.ts';
import type { CheckedStep, Item } from '../checked-plan.ts';
import { findMisfit } from './find-misfit.ts';
import { layOut } from './lay-out.ts';
import { reachInto } from '../reach-into.ts';
import type { Intake } from './read-intake.ts';
import type { ResolvedStep } from './resolve-step.ts';
import type { SopIssue } from '../sop-issue.ts';
import { fillSlots } from './slot.ts';
import type { Source } from './source.ts';

/** The way from the arguments of a step to the input of its command, and what is wrong with them by their text. */
export interface Binding {
  readonly inputFrom: CheckedStep['inputFrom'];
  readonly issues: readonly SopIssue[];
}

/** Binds the arguments of a step to the places of its command. */
export function bindArguments(step: ResolvedStep, intake: Intake): Binding {
  const layout = layOut(intake, step.sources);
  const positional = step.sources.filter(({ key }) => key === undefined);
  const what = `the input of "${step.command}"`;
  const inputFrom: CheckedStep['inputFrom'] = (find, item) => {
    const read = (source: Source): Json => valueOf(source, find, item);
    const input = fillSlots(layout.slots, read);
    const misfit = findMisfit(what, intake.accepted.schema, input);
    if (misfit !== undefined) throw misfit;
    return { input, arguments: positional.map(read) };
  };
  return { inputFrom, issues: badArguments(step, intake, layout) };
}

function valueOf(source: Source, find: (variable: string) => Json, item: Item | undefined): Json {
  if (source.kind === 'text') return source.text;
  const { variable, keys } = source.target;
  if (source.kind === 'variable') return reachInto(variable, find(variable), keys);
  if (item === undefined) throw new AgentError('internal.bug', `$${variable} was read without an item.`);
  return reachInto(variable, variable === 'item' ? item.value : item.index, keys);
}
