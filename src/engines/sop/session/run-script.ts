import {
  AgentError,
  fitSchema,
  optional,
  reasonOf,
  type ErrorData,
  type GivenText,
  type Json,
  type JsonObject,
  type Output,
  type Scope,
  type Skill,
} from '../../../core/index.ts';
import { answerOutput, type SopSessionEnd } from './session.ts';

/** A plan in the file of a skill. */
interface WrittenScript {
  readonly script: GivenText;
  /** The skills that the script can call. Default: the skills that the caller can call. */
  readonly skills?: readonly Skill[] | undefined;
  /** The value of `$input`, or null if there is none. */
  readonly input: Json;
}

/** Runs the plan in a skill's file without a model. Errors state the line in the file. */
export async function runScript(
  scope: Scope,
  { script: given, skills, input }: WrittenScript,
): Promise<Output> {
  const [{ runSopSession }, { parseSop }] = await Promise.all([
    import('./run-session.ts'),
    import('../language/parse-sop.ts'),
  ]);
  const { text, line } = given;
  // The blank lines at the start preserve the line numbers of the file.
  const script = '\n'.repeat(line - 1) + text;
  const end = await runSopSession(scope, {
    script,
    ...optional('skills', skills),
    ...(input === null ? {} : { input }),
  });
  if (end.error === undefined) return fitAnswer(answerOutput(end), scope);
  const lineOf = (step: string): number =>
    parseSop(script).plan.steps.find(({ name }) => name === step)?.position.line ?? line;
  const { name, file } = scope.skill;
  const error = placed(end, end.error, { file: file === '' ? name : file, hasInput: input !== null, lineOf });
  return answerOutput({ ...end, plan: text, error });
}

interface Placing {
  readonly file: string;
  readonly hasInput: boolean;
  lineOf(step: string): number;
}

/** Adds the skill's file and the line to an error. */
function placed(
  { plans, variables }: SopSessionEnd,
  error: ErrorData,
  { file, hasInput, lineOf }: Placing,
): ErrorData {
  if (plans === 0) {
    // Without an input, the error may be the caller's fault rather than the skill's.
    const code = hasInput ? 'skill.invalid' : error.code;
    return { ...error, code, message: `${file}: ${error.message}` };
  }
  const [step] =
    Object.entries(variables).find(
      ([, { status, ...value }]) => status === 'fail' && 'error' in value && value.error === error,
    ) ?? [];
  return step === undefined
    ? error
    : { ...error, message: `@${step} (${file}:${lineOf(step)}): ${error.message}` };
}

/**
 * Checks the answer of a plan against the schema that the caller requested or that the skill's file declares.
 * Throws `skill.no-result` if it does not match. Records the verdict for replays.
 */
export async function fitAnswer(output: Output, scope: Scope): Promise<Output> {
  const schema = scope.request.overrides.result ?? scope.skill.card.output;
  if (output.status === 'failed' || schema === undefined) return output;
  const answer = output.value ?? output.text;
  const { fault, value = null } = await scope.step<Verdict>('answer', () => judge(answer, schema, scope));
  if (fault === undefined) return { ...output, value };
  throw new AgentError('skill.no-result', `"${scope.skill.name}" returned an invalid result: ${fault}`, {
    hint: 'Change the plan so that its answer matches the schema, or request a simpler result.',
  });
}

/** The verdict on a value. A type alias, because an interface is not assignable to `Json`. */
type Verdict = { value?: Json; fault?: string };

async function judge(answer: Json, schema: JsonObject, { request: { overrides } }: Scope): Promise<Verdict> {
  const { check = (value: Json) => value } = overrides;
  try {
    return { value: await check(fitSchema('the answer', schema, answer)) };
  } catch (thrown) {
    return { fault: reasonOf(thrown) };
  }
}
