import {
  AgentError,
  counted,
  exitCodeOf,
  fromErrorData,
  isJsonObject,
  optional,
  parseJson,
  toErrorData,
  type Json,
  type RunResult,
} from '../../../core/index.ts';
import { badScript } from '../../../engines/sop/check/check-sop.ts';
import {
  chosenModels,
  limitsOf,
  mustStream,
  oneLine,
  openAgent,
  readInput,
  userOf,
  textFlag,
  wholeNumber,
  type Invocation,
} from '../../command-kit.ts';
import { onInterrupt } from '../../runs/interrupt.ts';
import { printOutcome } from '../../runs/print-outcome.ts';
import { storeLocation, prepareStore } from '../../runs/run-store.ts';
import { checkScript, sayIssues, type CheckedFile } from './check.ts';
import { mustNameOne, readScript } from './script.ts';

/** Runs a plan and prints its answer. Does not start a plan that has errors. */
export async function runScript(invocation: Invocation): Promise<number> {
  const { flags, own, args } = invocation;
  mustStream(invocation);
  const limits = limitsOf(own);
  const note = (text: string): void => {
    if (!flags.quiet) invocation.terminal.err(`${text}\n`);
  };
  const maxCommands = wholeNumber(own, 'max-commands', 1);
  const file = mustNameOne(args, 'run');
  const input = await planInput(own, { cwd: flags.cwd, isStdinTaken: file === '-', note });
  const script = await readScript(file, flags.cwd);
  const { where: store, retentionDays } = storeLocation(flags);
  await using agent = await openAgent(flags, {
    ...chosenModels(invocation),
    store,
    ...optional('retentionDays', retentionDays),
  });
  const checked = checkScript(agent, script, input !== undefined);
  if (!checked.isSound) {
    const lacksInput = input === undefined && checkScript(agent, script, true).isSound;
    return refuse(checked, invocation, lacksInput ? 'The plan needs an input: --input <text>' : undefined);
  }
  sayIssues(checked, invocation);
  await prepareStore(invocation);
  const request = {
    skill: 'bundled:run-sop',
    input: {
      ...(file === '-' ? {} : { name: file }),
      script: script.text,
      ...optional('input', input),
      ...optional('maxCommands', maxCommands),
    },
    ...optional('session', textFlag(own, 'session')),
    ...optional('user', userOf(invocation)),
  };
  using interrupt = onInterrupt();
  const running = agent.run({ ...request, limits, signal: interrupt.signal });
  const comment = (result: RunResult): void => sayFailedSteps(checked, result, invocation);
  return await printOutcome({ agent, invocation, interrupt, run: running, comment });
}

/** Prints all errors of a plan that cannot run, and returns the exit code. */
function refuse(checked: CheckedFile, invocation: Invocation, hint: string | undefined): number {
  const { flags, terminal } = invocation;
  const fault = badScript(checked.issues);
  if (flags.json) throw hint === undefined ? fault : fromErrorData({ ...toErrorData(fault), hint });
  sayIssues(checked, invocation);
  const errors = checked.issues.filter(({ level }) => level === 'error').length;
  terminal.err(`${oneLine(checked.file)} has ${counted(errors, 'error')}; nothing ran.\n`);
  if (hint !== undefined) terminal.err(`  ${hint}\n`);
  return exitCodeOf(fault.code);
}

/** The sources from which a plan's input can be read. */
interface PlanSources {
  readonly cwd: string;
  /** Whether the plan itself is read from stdin. */
  readonly isStdinTaken: boolean;
  /** Prints a note to stderr. */
  note(text: string): void;
}

/**
 * Returns the value of `$input` from flags, or undefined if no flag sets it. `--input` is parsed as JSON if
 * it is an object or a list; otherwise, it is text. `--args-json` can be any JSON.
 */
async function planInput(
  own: Invocation['own'],
  { cwd, isStdinTaken, note }: PlanSources,
): Promise<Json | undefined> {
  const said = textFlag(own, 'input');
  const json = textFlag(own, 'args-json');
  if (said !== undefined && json !== undefined)
    throw mistake('--input and --args-json set the same input.', 'Use only one of these flags.');
  const source = json ?? said;
  if (source === undefined) return undefined;
  if (source === '-' && isStdinTaken)
    throw mistake(
      'stdin can only be read once, and the plan is read from it.',
      'Read one of them from a file: --input @<file>',
    );
  const text = await readInput([source], { cwd });
  if (json === undefined) {
    if (!/^[[{]/.test(text)) return text;
    const value = parseJson(text);
    if (value === undefined) note('--input looks like JSON but is not valid JSON, so it is used as text.');
    return value ?? text;
  }
  const value = parseJson(text);
  if (value !== undefined) return value;
  throw mistake(
    '--args-json is not valid JSON.',
    'Put the JSON in single quotes so that the shell does not change it.',
  );
}

function mistake(message: string, hint: string): AgentError {
  return new AgentError('usage.bad-input', message, { hint });
}

const maxReported = 20;

/**
 * Prints the failed steps of a finished plan with their positions to stderr, as warnings if the whole plan
 * succeeded.
 */
function sayFailedSteps({ file, steps }: CheckedFile, result: RunResult, invocation: Invocation): void {
  if (invocation.flags.json || result.status === 'waiting') return;
  const variables = variablesIn(result);
  const level = result.ok ? 'warning' : 'error';
  const issues = steps.flatMap(({ name, position }) => {
    const error = errorIn(variables.get(name));
    return error === undefined ? [] : [{ ...position, level, message: `@${name} failed: ${error}` } as const];
  });
  sayIssues({ file, issues: issues.slice(0, maxReported) }, invocation);
}

function variablesIn({ value, error }: RunResult): ReadonlyMap<string, Json> {
  const details = error === undefined ? value : error.details;
  const variables = isJsonObject(details) ? details['variables'] : undefined;
  return new Map(isJsonObject(variables) ? Object.entries(variables) : []);
}

function errorIn(variable: Json | undefined): string | undefined {
  if (!isJsonObject(variable) || variable['status'] !== 'fail') return undefined;
  const error = variable['error'];
  const message = isJsonObject(error) ? error['message'] : undefined;
  return typeof message === 'string' ? message : undefined;
}
