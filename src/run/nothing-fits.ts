import type { ErrorData } from '../core/error.ts';
import type { Output } from '../core/output.ts';
import { isInternal } from '../skills/catalog/offered.ts';
import { hasModel } from './break-tie.ts';
import { callableIn } from './callable.ts';
import { failedOutput } from './clean.ts';
import type { Execution } from './execution.ts';
import { rankedIn } from './ranked-in.ts';

const mostNearest = 3;

/** The honest answer to a prompt that no skill takes: the nearest of all that can be named, or what the one that fits needs. */
export async function nothingFits(execution: Execution, prompt: string): Promise<Output> {
  const typed = fittingOne(execution);
  if (typed !== undefined) {
    return failedOutput({
      code: 'skill.not-found',
      message: `"${typed}" fits this request, but it cannot be called with words alone.`,
      hint: `\`skilled show ${typed}\` shows what it takes. A model could fill that in: \`skilled models\` shows how to set one up.`,
      details: { nearest: [typed] },
    });
  }
  const nearest = await nearestTo(execution, prompt);
  const named = nearest.map((name) => `"${name}"`).join(', ');
  const next =
    nearest[0] === undefined
      ? 'Add one with `skilled new <family> <name>`.'
      : `Name one: /${nearest[0]} <words>.`;
  const error: ErrorData = {
    code: 'skill.not-found',
    message:
      nearest.length === 0 ? 'No skill fits this request.' : `No skill fits this request; nearest: ${named}.`,
    hint: (await hasModel(execution)) ? next : `${next} With a model more can be done: \`skilled models\``,
    details: { nearest },
  };
  return failedOutput(error);
}

/** The best one, where it applies: it was not called because it takes named parts. */
function fittingOne(execution: Execution): string | undefined {
  const ranked = rankedIn(execution, 'workers');
  return ranked?.abstained === false ? ranked.candidates[0]?.skill : undefined;
}

/** Also those that only others call in answer to a prompt. */
async function nearestTo({ kernel, registry, top }: Execution, prompt: string): Promise<readonly string[]> {
  const among = callableIn(registry, undefined).filter((skill) => !isInternal(skill));
  const { candidates } = await top.busy(() => kernel.rank(prompt, among, mostNearest));
  return candidates.map(({ name }) => name);
}
