import { bindArguments } from './bind-arguments.ts';
import type { CheckedPlan, CheckedStep } from '../checked-plan.ts';
import { createSuggestions } from './create-suggestions.ts';
import { createTargets } from './create-targets.ts';
import { findCircles } from './find-circles.ts';
import { findDuplicates } from './find-duplicates.ts';
import { findLooseWords } from './find-loose-words.ts';
import { findUnlikelyNames } from './find-unlikely-names.ts';
import { findUnlikelyTexts } from './find-unlikely-texts.ts';
import type { KnownCommand, KnownCommands } from './known-commands.ts';
import type { Plan } from '../plan.ts';
import { resolveStep, type ResolvedStep, type Variables } from './resolve-step.ts';
import { errorAt, type SopIssue } from '../sop-issue.ts';
import { splitLines } from '../language/split-lines.ts';
import { unknownCommand } from './unknown-command.ts';

const mostSteps = 10_000;

/** What the checker knows from outside the script. */
export interface CheckOptions {
  /** Set when a value for `$input` is supplied. */
  readonly hasInput?: boolean;
}

/** What can be told of a plan before it runs. */
export interface CheckedSteps {
  /** Without the steps whose command is unknown; for running only when no issue is an error. */
  readonly plan: CheckedPlan;
  /** All steps, with the references that could be found. */
  readonly steps: readonly ResolvedStep[];
  readonly issues: readonly SopIssue[];
}

/** Checks the steps of a script against each other and against commands. Never throws, and linear in their number. */
export function checkPlan(
  { steps: read }: Plan,
  script: string,
  commands: KnownCommands,
  { hasInput = false }: CheckOptions = {},
): CheckedSteps {
  const excess = read[mostSteps];
  if (excess !== undefined) {
    const message = `The plan has ${read.length} steps; ${mostSteps} are allowed.`;
    const issue = errorAt(
      excess.place,
      'sop.too-many-steps',
      message,
      'Use "each" for what repeats, or divide it.',
    );
    return { plan: { script, steps: [], takesInput: false }, steps: [], issues: [issue] };
  }

  const declared = new Set(read.map(({ name }) => name));
  const variables = variablesOf(declared, hasInput);
  const issues: SopIssue[] = [...findDuplicates(read)];
  const steps = read.map((step) => resolveStep(step, variables, issues));
  issues.push(...findCircles(steps));

  let lines: readonly string[] | undefined;
  const linesOf = (): readonly string[] => (lines ??= splitLines(script));
  const checked: CheckedStep[] = [];
  for (const [order, step] of steps.entries()) {
    const known = commands.find(step.command);
    if (known === undefined) {
      issues.push(unknownCommand(step, commands));
      continue;
    }
    const bound = bindArguments(step, known.intake);
    checked.push({ ...step, order, runs: known.command, inputFrom: bound.inputFrom });
    for (const issue of referencesIn(step, known)) issues.push(issue);
    for (const issue of findUnlikelyNames(step, known, linesOf)) issues.push(issue);
    for (const issue of findUnlikelyTexts(step, known, variables, linesOf)) issues.push(issue);
    if (step.each !== undefined && known.command.isLiteral === true) continue; // it will have no item
    for (const issue of bound.issues.length > 0 ? bound.issues : findLooseWords(step, known, linesOf))
      issues.push(issue);
  }
  const takesInput = hasInput && !declared.has('input') && steps.some(refersToInput);
  return { plan: { script, steps: checked, takesInput }, steps, issues };
}

function variablesOf(declared: ReadonlySet<string>, hasInput: boolean): Variables {
  const names = hasInput ? new Set([...declared, 'input']) : declared;
  return {
    find: createTargets(names),
    isDeclared: (name) => declared.has(name),
    suggest: createSuggestions(() => names),
  };
}

/** A value must never become part of what a shell runs. */
function referencesIn(
  { arguments: given, each }: ResolvedStep,
  { command }: KnownCommand,
): readonly SopIssue[] {
  if (command.isLiteral !== true) return [];
  const references = [
    ...(each === undefined ? [] : [each]),
    ...given.filter(({ kind }) => kind === 'reference'),
  ];
  return references.map(({ place }) =>
    errorAt(
      place,
      'sop.reference-in-command',
      `"${command.name}" takes only arguments that are written out.`,
      'Write the text itself, or write the value to a file that the command reads: here it could become a command.',
    ),
  );
}

function refersToInput({ sources, list, guard }: ResolvedStep): boolean {
  const targets = sources.flatMap((source) => (source.kind === 'variable' ? [source.target] : []));
  return [...targets, list, guard].some((target) => target?.variable === 'input');
}
