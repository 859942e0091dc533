import { renamedMembers } from '../../core/index.ts';
import { checkSop as check, type CheckedScript, type CheckOptions } from './check/check-sop.ts';
import type { SopCommands } from './command.ts';
import { parseSop as parse, type ParsedSop } from './language/parse-sop.ts';
import type { Declares, PlanStep } from './plan.ts';

/** Parses a script. Never throws. Takes time proportional to the script's length. */
export function parseSop(script: string, declares?: Declares): ParsedSop {
  const parsed = parse(script, declares);
  parsed.plan.steps.forEach(addEarlierNames);
  return parsed;
}

/** Parses a script and reports every error that can be found without running the script. Never throws. */
export function checkSop(script: string, commands: SopCommands, options?: CheckOptions): CheckedScript {
  const checked = check(script, commands, options);
  new Set([...checked.steps, ...(checked.plan?.steps ?? [])]).forEach(addEarlierNames);
  return checked;
}

const position = { place: 'position' };
const stepMembers = renamedMembers({ ...position, commandPlace: 'commandPosition' }, 'PlanStep');
const partMembers = renamedMembers(position, 'Argument');

function addEarlierNames(step: PlanStep): void {
  Object.defineProperties(step, stepMembers);
  for (const part of [...step.arguments, step.each, step.when?.of])
    if (part !== undefined) Object.defineProperties(part, partMembers);
}
