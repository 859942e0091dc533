import type { ModelServer } from '../../src/testing/model-server/server.ts';
import { oskillText } from './orchestrator-stage.ts';
import { skillText } from './tree.ts';

const own = 'home/.agents/skills';

/** A skill in the home folder that makes one model call and ends when the model answers. */
export const sleepFiles = { [`${own}/sleep/SKILL.md`]: skillText('sleep', 'Waits for its model.') };

/** A skill in the home folder that sends its input to the planning model and returns the model's answer. */
export const consultFiles = {
  [`${own}/consult/oskill.md`]: oskillText('consult', { Session: 'loop', 'Allowed Skills': '' }),
};

/** Returns the environment variables with which a process uses this model server. */
export function modelVariables(server: ModelServer): Readonly<Record<string, string>> {
  return { SKILLED_BASE_URL: `${server.url}/v1`, SKILLED_MODEL: 'llama' };
}

/** A skill in the home folder that writes two files in sequence. Each write asks for approval. */
export const planFiles = {
  [`${own}/errand/oskill.md`]: oskillText('errand', {
    'Allowed Skills': '- write',
    Script: `\`\`\`sop
@one  write loans/one.txt 1
@two  write loans/two.txt 2 when $one
@both final_answer "lent" $one.path "and" $two.path
@half final_answer "lent only" $one.path when not $two
\`\`\``,
  }),
};

/** The output of `errand` after both files were written. */
export const planOutput = 'lent loans/one.txt and loans/two.txt\n';
