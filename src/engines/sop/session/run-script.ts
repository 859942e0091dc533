import type { ErrorData } from '../../../core/error.ts';
import type { Given } from '../../../core/descriptor/values.ts';
import type { Json } from '../../../core/json.ts';
import { optional } from '../../../core/collections.ts';
import type { Output } from '../../../core/run.ts';
import type { Scope } from '../../../core/scope.ts';
import type { Skill } from '../../../core/skill.ts';
import { fitAnswer } from './fit-answer.ts';
import type { SopSessionEnd } from './sop-session.ts';

/** A plan that stands in the file of a skill. */
export interface WrittenScript {
  readonly script: Given;
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
  const [{ runSopSession }, { answerOutput }, { parseSop }] = await Promise.all([
    import('../../sop.ts'),
    import('./sop-output.ts'),
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
