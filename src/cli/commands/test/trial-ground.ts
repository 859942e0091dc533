import { readSettings, settingsSources } from '../../../config/read/settings.ts';
import { optional } from '../../../core/collections.ts';
import type { TrialGround } from '../../../evals/eval.ts';
import type { CommonFlags, Invocation } from '../../command.ts';
import { chosenModels } from '../../model-flags.ts';
import { placeOf } from '../../run-store.ts';

/** What the cases of a command stand on: the roots and settings of its flags, as for any other command. */
export function trialGround(invocation: Invocation, signal: AbortSignal): TrialGround {
  const { flags, own } = invocation;
  const { cwd, safe, skills, only } = flags;
  const { settings } = readSettings(settingsSources(cwd, { isSafe: safe }));
  return {
    folder: cwd,
    roots: {
      ...(safe ? {} : { startDir: cwd }),
      ...{ additionalSkillRoots: skills, only, userRoots: !safe },
    },
    settings,
    ...optional('decides', decisionOf(flags)),
    ...optional('store', own['keep'] === true ? placeOf(flags).where : undefined),
    ...optional('records', own['record'] === true ? chosenModels(invocation) : undefined),
    signal,
  };
}

function decisionOf({ yes, safe }: CommonFlags): TrialGround['decides'] {
  if (yes) return 'allow';
  return safe ? 'deny' : undefined;
}
