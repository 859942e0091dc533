import type { ErrorData } from '../core/error.ts';
import type { Output } from '../core/output.ts';
import { hasModel } from './break-tie.ts';
import { failedOutput } from './clean.ts';
import type { Execution } from './execution.ts';

const mostNearest = 3;

/** The honest answer to a prompt that no skill fits, with the nearest ones. */
export async function nothingFits(execution: Execution): Promise<Output> {
  const nearest = nearestOf(execution);
  const named = nearest.map((name) => `"${name}"`).join(', ');
  const message =
    nearest.length === 0 ? 'No skill fits this request.' : `No skill fits this request; nearest: ${named}.`;
  const next =
    nearest[0] === undefined ? 'Add one: skilled new <family> <name>.' : `Name one: /${nearest[0]} <words>.`;
  const error: ErrorData = {
    code: 'skill.not-found',
    message,
    hint: (await hasModel(execution)) ? next : `${next} With a model more can be done: skilled models.`,
    details: { nearest },
  };
  return failedOutput(error);
}

/** The best of all that were ranked. */
function nearestOf({ journal }: Execution): readonly string[] {
  const ranked = journal.events.flatMap((event) =>
    event.type === 'candidates.ranked' ? event.candidates : [],
  );
  return ranked
    .toSorted((one, other) => other.score - one.score)
    .slice(0, mostNearest)
    .map(({ skill }) => skill);
}
