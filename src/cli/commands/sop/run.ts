import {
  AgentError,
  exitCodeOf,
  fromErrorData,
  isJsonObject,
  optional,
  parseJson,
  toErrorData,
  type Json,
  type RunResult,
} from '../../../core/index.ts';
import { count } from '../../../doctor/report.ts';
import { badScript } from '../../../engines/sop/check/check-sop.ts';
import {
  chosenModels,
  limitsOf,
  mustStream,
  oneLine,
  openAgent,
  readInput,
  rolesOf,
  textFlag,
  wholeNumber,
  type Invocation,
} from '../../command-kit.ts';
import { onInterrupt } from '../../runs/interrupt.ts';
import { printOutcome } from '../../runs/print-outcome.ts';
import { placeOf, prepareStore } from '../../runs/run-store.ts';
import { checkScript, sayIssues, type CheckedFile } from './check.ts';
import { mustNameOne, readScript } from './script.ts';

/** Runs a plan and prints its answer; one with errors does not begin. */
export async function runScript(invocation: Invocation): Promise<number> {
  const { flags, own, words } = invocation;
  mustStream(invocation);
  const limits = limitsOf(own);
  const note = (text: string): void => {
    if (!flags.quiet) invocation.terminal.err(`${text}\n`);
  };
  const maxCommands = wholeNumber(own, 'max-commands', 1);
  const file = mustNameOne(words, 'run');
  const input = await planInput(own, { cwd: flags.cwd, isStdinTaken: file === '-', note });
  const script = await readScript(file, flags.cwd);
  const { where: store, retentionDays } = placeOf(flags);
  await using agent = await openAgent(flags, {
    ...chosenModels(invocation),
    store,
    ...optional('retentionDays', retentionDays),
  });
  const checked = checkScript(agent, script, input !== undefined);
  if (!checked.isSound) {
    const lacksInput = input === undefined && checkScript(agent, script, true).isSound;
    return refuse(checked, invocation, lacksInput ? 'The plan takes an input: --input <text>' : undefined);
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
    ...optional('roles', rolesOf(invocation)),
  };
  using interrupt = onInterrupt();
  const running = agent.run({ ...request, limits, signal: interrupt.signal });
  const comment = (result: RunResult): void => sayFailedSteps(checked, result, invocation);
  return await printOutcome({ agent, invocation, interrupt, run: running, comment });
}

/** Tells all errors at once. */
function refuse(checked: CheckedFile, invocation: Invocation, hint: string | undefined): number {
  const { flags, terminal } = invocation;
  const fault = badScript(checked.issues);
  if (flags.json) throw hint === undefined ? fault : fromErrorData({ ...toErrorData(fault), hint });
  sayIssues(checked, invocation);
  const errors = checked.issues.filter(({ level }) => level === 'error').length;
  terminal.err(`${oneLine(checked.file)} has ${count(errors, 'error')}; nothing was run.\n`);
  if (hint !== undefined) terminal.err(`  ${hint}\n`);
  return exitCodeOf(fault.code);
}

/** Where the input of a plan may come from. */
interface PlanSources {
  readonly cwd: string;
  /** The plan itself comes from there. */
  readonly isStdinTaken: boolean;
  /** Says something beside the answer. */
  note(text: string): void;
}

/** The value of `$input` that flags give: text, JSON where it is an object or a list, or any JSON; undefined when there is none. */
async function planInput(
  own: Invocation['own'],
  { cwd, isStdinTaken, note }: PlanSources,
): Promise<Json | undefined> {
  const said = textFlag(own, 'input');
  const json = textFlag(own, 'args-json');
  if (said !== undefined && json !== undefined)
    throw mistake('--input and --args-json are the same input.', 'Leave out one.');
  const word = json ?? said;
  if (word === undefined) return undefined;
  if (word === '-' && isStdinTaken)
    throw mistake(
      'stdin can be read once, and the plan comes from it.',
      'Give one of them as a file: --input @<file>',
    );
  const text = await readInput([word], { cwd });
  if (json === undefined) {
    if (!/^[[{]/.test(text)) return text;
    const value = parseJson(text);
    if (value === undefined) note('--input begins like JSON and is none, so it is given as text.');
    return value ?? text;
  }
  const value = parseJson(text);
  if (value !== undefined) return value;
  throw mistake('--args-json is not JSON.', 'Put it in single quotes, so that the shell leaves it as it is.');
}

function mistake(message: string, hint: string): AgentError {
  return new AgentError('usage.bad-input', message, { hint });
}

const mostTold = 20;

/** Says on stderr which steps of an ended plan failed and where they stand; of a plan that is done they are warnings. */
function sayFailedSteps({ file, steps }: CheckedFile, result: RunResult, invocation: Invocation): void {
  if (invocation.flags.json || result.status === 'waiting') return;
  const variables = variablesIn(result);
  const level = result.ok ? 'warning' : 'error';
  const issues = steps.flatMap(({ name, place }) => {
    const error = errorIn(variables.get(name));
    return error === undefined ? [] : [{ ...place, level, message: `@${name} failed: ${error}` } as const];
  });
  sayIssues({ file, issues: issues.slice(0, mostTold) }, invocation);
}

function variablesIn({ value, error }: RunResult): ReadonlyMap<string, Json> {
  const told = error === undefined ? value : error.details;
  const variables = isJsonObject(told) ? told['variables'] : undefined;
  return new Map(isJsonObject(variables) ? Object.entries(variables) : []);
}

function errorIn(variable: Json | undefined): string | undefined {
  if (!isJsonObject(variable) || variable['status'] !== 'fail') return undefined;
  const error = variable['error'];
  const message = isJsonObject(error) ? error['message'] : undefined;
  return typeof message === 'string' ? message : undefined;
}
