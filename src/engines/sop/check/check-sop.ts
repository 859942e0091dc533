import { AgentError } from '../../../core/index.ts';
import {
  byPosition,
  errorAt,
  warningAt,
  type CheckedPlan,
  type CheckedStep,
  type Plan,
  type PlanStep,
  type SopCommands,
  type SopIssue,
  type SopIssueCode,
} from '../index.ts';
import { splitLines } from '../language/lines.ts';
import { parseSop } from '../language/parse-sop.ts';
import { bindArguments } from './bind-arguments.ts';
import { findCircles } from './find-cycles.ts';
import { hasParameter } from './intake.ts';
import {
  createKnownCommands,
  createSuggestions,
  unknownCommand,
  type KnownCommand,
  type KnownCommands,
} from './known-commands.ts';
import { createTargets, resolveStep, type ResolvedStep, type Variables } from './resolve-step.ts';
import { findLooseArguments, findUnlikelyNames, findUnlikelyTexts } from './warnings.ts';

/** The result of checking a script. */
export interface CheckedScript {
  /** The plan. Present only if no issue is an error. */
  readonly plan?: CheckedPlan;
  /** All steps that could be parsed, for display. */
  readonly steps: readonly ResolvedStep[];
  /** All issues, ordered by position. */
  readonly issues: readonly SopIssue[];
}

/** Checks a script. Reports every error that can be found before the script runs. Never throws. */
export function checkSop(script: string, commands: SopCommands, options: CheckOptions = {}): CheckedScript {
  const known = createKnownCommands(commands);
  const declares = (command: string, key: string): boolean => {
    const found = known.find(command);
    return found !== undefined && hasParameter(found.intake, key);
  };
  const parsed = parseSop(script, declares);
  const { plan, steps, issues: found } = checkPlan(parsed.plan, script, known, options);
  const unread = linesOf(parsed.issues.filter(isError));
  const issues = [
    ...parsed.issues,
    ...(parsed.plan.steps.length === 0 && !parsed.issues.some(isError) ? [empty] : []),
    ...found.filter(({ line, code }) => !(unread.has(line) && aboutArguments.has(code))),
  ].sort(byPosition);
  return { ...(issues.some(isError) ? {} : { plan }), steps, issues };
}

const empty = warningAt(
  { line: 1, column: 1 },
  'sop.empty',
  'The script has no steps.',
  'The script does nothing. Add a step, for example "@name command".',
);

/**
 * Codes of issues about arguments. Such issues are not reported for a line that cannot be parsed entirely,
 * because some of its arguments are unknown.
 */
const aboutArguments: ReadonlySet<SopIssueCode> = new Set([
  'sop.missing-argument',
  'sop.too-many-arguments',
  'sop.bad-argument',
]);

function linesOf(issues: readonly SopIssue[]): ReadonlySet<number> {
  return new Set(issues.map(({ line }) => line));
}

function isError({ level }: SopIssue): boolean {
  return level === 'error';
}

const maxSteps = 10_000;

/** Information about the run that will execute the script. */
export interface CheckOptions {
  /** Whether the run has a value for `$input`. */
  readonly hasInput?: boolean;
}

/** The result of checking a plan before it runs. */
interface CheckedSteps {
  /** The plan without steps that use unknown commands. The plan can run only if there are no errors. */
  readonly plan: CheckedPlan;
  /** All steps, with the references that were resolved. */
  readonly steps: readonly ResolvedStep[];
  readonly issues: readonly SopIssue[];
}

/** Checks the steps of a script in linear time. Never throws. */
function checkPlan(
  { steps: read }: Plan,
  script: string,
  commands: KnownCommands,
  { hasInput = false }: CheckOptions = {},
): CheckedSteps {
  const excess = read[maxSteps];
  if (excess !== undefined) {
    const message = `The plan has ${read.length} steps; the maximum is ${maxSteps}.`;
    const issue = errorAt(
      excess.position,
      'sop.too-many-steps',
      message,
      'Use "each" for repeated steps, or split the plan.',
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
    // A command that accepts only literals cannot run once for each item of a list.
    if (step.each !== undefined && known.command.isLiteral === true) continue;
    for (const issue of bound.issues.length > 0 ? bound.issues : findLooseArguments(step, known, linesOf))
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

/**
 * Returns an error for each reference in the arguments of a literal command, because a value must never
 * become part of a shell command.
 */
function referencesIn(
  { arguments: given, each }: ResolvedStep,
  { command }: KnownCommand,
): readonly SopIssue[] {
  if (command.isLiteral !== true) return [];
  const references = [
    ...(each === undefined ? [] : [each]),
    ...given.filter(({ kind }) => kind === 'reference'),
  ];
  return references.map(({ position }) =>
    errorAt(
      position,
      'sop.reference-in-command',
      `"${command.name}" accepts only literal arguments, not references.`,
      'Write the text itself, or store the value in a file that the command reads. As an argument, the value could be run as a command.',
    ),
  );
}

function refersToInput({ sources, list, guard }: ResolvedStep): boolean {
  const targets = sources.flatMap((source) => (source.kind === 'variable' ? [source.target] : []));
  return [...targets, list, guard].some((target) => target?.variable === 'input');
}

/** Returns an issue for each repeated declaration of a variable. */
function findDuplicates(steps: readonly PlanStep[]): readonly SopIssue[] {
  const lines = new Map<string, number>();
  return steps.flatMap(({ name, position }) => {
    const first = lines.get(name);
    if (first === undefined) {
      lines.set(name, position.line);
      return [];
    }
    const hint = `Line ${first} declares it first; rename one of them.`;
    return [errorAt(position, 'sop.duplicate', `The variable "${name}" is declared twice.`, hint)];
  });
}

/**
 * Creates the error for a script that cannot run. The error's message contains the first problem, and its
 * details contain all issues.
 */
export function badScript(issues: readonly SopIssue[]): AgentError {
  const errors = issues.filter(({ level }) => level === 'error');
  const [first] = errors;
  const rest = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const where = first === undefined ? '' : ` Line ${first.line}, column ${first.column}: ${first.message}`;
  return new AgentError('usage.bad-input', `The plan cannot run.${where}${rest}`, {
    ...(first?.hint === undefined ? {} : { hint: first.hint }),
    details: { issues: issues.map((issue) => ({ ...issue })) },
  });
}
