import { ownTrustBook } from '../../../config/own-trust-book.ts';
import { machineFor } from '../../../config/machine.ts';
import { reportModels, type ModelReport } from '../../../config/model-report.ts';
import { count } from '../../../doctor/count.ts';
import { trustOf } from '../../../doctor/skill-trust.ts';
import { modelSources } from '../../model-flags.ts';
import { oneLine, wrapWords } from '../../output/text.ts';
import type { Chat } from './chat.ts';
import { slashSkills } from './slash-skills.ts';

/** The first lines that somebody at a terminal sees: who is asked, what there is, and where to go from here. They fit its width. */
export async function greeting(chat: Chat): Promise<readonly string[]> {
  const { flags, terminal } = chat.invocation;
  const report = await reportModels(
    modelSources(chat.invocation),
    machineFor(flags.safe ? undefined : flags.cwd),
  );
  const lines = [
    ...modelLines(report),
    skillsLine(chat),
    'Say what is to be done. /help shows what else can be typed; Ctrl+D leaves.',
  ];
  const columns = terminal.live?.screen().columns ?? Infinity;
  return lines.flatMap((line) => wrapWords(line, columns - 1));
}

/** The model that plans, and how it was found; without one, what still works and what to set. */
export function modelLines(report: ModelReport): readonly string[] {
  const { offline, uses, found, faults, keyVariables } = report;
  const without = 'Skills that need no model work all the same: /skills shows them.';
  if (offline) return [`Offline: no model is asked. ${without}`];
  const model = uses.flatMap(({ models }) => models)[0];
  if (model === undefined) {
    const next =
      faults[0] ?? `Set one of ${keyVariables.join(', ')}, or start a local server such as Ollama.`;
    return [`No model was found. ${oneLine(next)}`, without];
  }
  const provider = found.find((one) => model.startsWith(`${one.provider}/`));
  const place = provider?.variable === undefined ? provider?.url : `${provider.variable}, ${provider.from}`;
  const from = place === undefined ? '' : ` (${oneLine(place)})`;
  return [`Model: ${oneLine(model)}${from}.`, ...faults.map((fault) => `! ${oneLine(fault)}`)];
}

function skillsLine(chat: Chat): string {
  const skills = slashSkills(chat);
  const own = skills.filter(({ source }) => source !== 'bundled');
  const book = ownTrustBook();
  const untrusted = own.filter((skill) => trustOf(chat.agent, book, skill)?.trust === 'needed').length;
  const found = `${count(own.length, 'skill')} found, ${skills.length - own.length} built in.`;
  if (untrusted === 0) return found;
  return `${found} ${untrusted} ${untrusted === 1 ? 'is' : 'are'} not trusted yet: skilled trust.`;
}
