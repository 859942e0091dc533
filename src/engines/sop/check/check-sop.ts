import { AgentError } from '../../../core/index.ts';
import {
  byPlace,
  errorAt,
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
import { hasPlace } from './intake.ts';
import {
  createKnownCommands,
  createSuggestions,
  unknownCommand,
  type KnownCommand,
  type KnownCommands,
} from './known-commands.ts';
import { createTargets, resolveStep, type ResolvedStep, type Variables } from './resolve-step.ts';
import { findLooseWords, findUnlikelyNames, findUnlikelyTexts } from './warnings.ts';

/** A script that was looked at, and not run. */
export interface CheckedScript {
  /** There if and only if no issue is an error. */
  readonly plan?: CheckedPlan;
  /** All steps that could be read, for drawing. */
  readonly steps: readonly ResolvedStep[];
  /** All of them, in the order of their places. */
  readonly issues: readonly SopIssue[];
}

/** Reads a script and tells all that is wrong with it, so far as it can be told before it runs. Never throws. */
export function checkSop(script: string, commands: SopCommands, options: CheckOptions = {}): CheckedScript {
  const known = createKnownCommands(commands);
  const declares = (command: string, key: string): boolean => {
    const found = known.find(command);
    return found !== undefined && hasPlace(found.intake, key);
  };
  const parsed = parseSop(script, declares);
  const { plan, steps, issues: found } = checkPlan(parsed.plan, script, known, options);
  const unread = linesOf(parsed.issues.filter(isError));
  const issues = [
    ...parsed.issues,
    ...(parsed.plan.steps.length === 0 && !parsed.issues.some(isError) ? [empty] : []),
    ...found.filter(({ line, code }) => !(unread.has(line) && aboutArguments.has(code))),
  ].sort(byPlace);
  return { ...(issues.some(isError) ? {} : { plan }), steps, issues };
}

const empty = errorAt(
  { line: 1, column: 1 },
  'sop.empty',
  'The script has no step.',
  'Write one, as in "@name command".',
);

/** Where a line cannot be read to its end, its arguments are not known. */
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

const mostSteps = 10_000;

/** What the checker knows from outside the script. */
interface CheckOptions {
  /** Set when a value for `$input` is supplied. */
  readonly hasInput?: boolean;
}

/** What can be told of a plan before it runs. */
interface CheckedSteps {
  /** Without the steps whose command is unknown; for running only when no issue is an error. */
  readonly plan: CheckedPlan;
  /** All steps, with the references that could be found. */
  readonly steps: readonly ResolvedStep[];
  readonly issues: readonly SopIssue[];
}

/** Checks the steps of a script against each other and against commands. Never throws, and linear in their number. */
function checkPlan(
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

/** Every declaration of a variable behind its first. */
function findDuplicates(steps: readonly PlanStep[]): readonly SopIssue[] {
  const lines = new Map<string, number>();
  return steps.flatMap(({ name, place }) => {
    const first = lines.get(name);
    if (first === undefined) {
      lines.set(name, place.line);
      return [];
    }
    const hint = `Line ${first} declares it first; give one of them another name.`;
    return [errorAt(place, 'sop.duplicate', `The variable "${name}" is declared twice.`, hint)];
  });
}

/** What is thrown for a script that cannot run: all its errors in the details, the first one in words. */
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
