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

/** A plan that stands in the file of a skill. */
interface WrittenScript {
  readonly script: GivenText;
  /** What it may call. Default: what the caller may call. */
  readonly skills?: readonly Skill[] | undefined;
  /** The value of `$input`; null is none. */
  readonly input: Json;
}

/** Runs the plan that a skill has in its file, without a model; what is wrong is told with its line of the file. */
export async function runScript(
  scope: Scope,
  { script: given, skills, input }: WrittenScript,
): Promise<Output> {
  const [{ runSopSession }, { parseSop }] = await Promise.all([
    import('./run-session.ts'),
    import('../language/parse-sop.ts'),
  ]);
  const { text, line } = given;
  const script = '\n'.repeat(line - 1) + text; // its lines are those of the file
  const end = await runSopSession(scope, {
    script,
    ...optional('skills', skills),
    ...(input === null ? {} : { input }),
  });
  if (end.error === undefined) return fitAnswer(answerOutput(end), scope);
  const lineOf = (step: string): number =>
    parseSop(script).plan.steps.find(({ name }) => name === step)?.place.line ?? line;
  const { name, file } = scope.skill;
  const error = placed(end, end.error, { file: file === '' ? name : file, hasInput: input !== null, lineOf });
  return answerOutput({ ...end, plan: text, error });
}

interface Placing {
  readonly file: string;
  readonly hasInput: boolean;
  lineOf(step: string): number;
}

/** The same error with the place that it is about. */
function placed(
  { plans, variables }: SopSessionEnd,
  error: ErrorData,
  { file, hasInput, lineOf }: Placing,
): ErrorData {
  if (plans === 0) {
    const code = hasInput ? 'skill.invalid' : error.code; // without an input it may be that which is missing
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
 * The output of a plan whose answer fits what is wanted, or what its file says; throws `skill.no-result` for one that
 * does not. A verdict is kept, so that a replay gives the same one.
 */
export async function fitAnswer(output: Output, scope: Scope): Promise<Output> {
  const schema = scope.request.wanted.result ?? scope.skill.card.output;
  if (output.status === 'failed' || schema === undefined) return output;
  const answer = output.value ?? output.text;
  const { fault, value = null } = await scope.step<Verdict>('answer', () => judge(answer, schema, scope));
  if (fault === undefined) return { ...output, value };
  throw new AgentError(
    'skill.no-result',
    `"${scope.skill.name}" came to no result as it is wanted: ${fault}`,
    {
      hint: 'Have the plan answer with what is wanted, or ask for something simpler.',
    },
  );
}

/** A type and no interface, so that it is JSON. */
type Verdict = { value?: Json; fault?: string };

async function judge(answer: Json, schema: JsonObject, { request: { wanted } }: Scope): Promise<Verdict> {
  const { check = (value: Json) => value } = wanted;
  try {
    return { value: await check(fitSchema('the answer', schema, answer)) };
  } catch (thrown) {
    return { fault: reasonOf(thrown) };
  }
}
