import { machineFor } from '../../../config/models/find-models.ts';
import { reportModels, type ModelReport } from '../../../config/models/report.ts';
import { ownTrustBook } from '../../../config/trust.ts';
import type { Skill } from '../../../core/skill.ts';
import { count } from '../../../doctor/report.ts';
import { notTrusted, trustOf } from '../../../doctor/trust.ts';
import { modelSources } from '../../model-flags.ts';
import { pasteable } from '../../output/pasteable.ts';
import { oneLine, wrapWords } from '../../output/text.ts';
import type { Chat } from './chat.ts';
import { slashSkills } from './slash-skills.ts';

/** The first lines that somebody at a terminal sees: who is asked, what there is, and where to go from here. They fit its width, but for commands. */
export async function greeting(chat: Chat): Promise<readonly string[]> {
  const { flags, terminal } = chat.invocation;
  const report = await reportModels(
    modelSources(chat.invocation),
    machineFor(flags.safe ? undefined : flags.cwd),
  );
  const columns = terminal.live?.screen().columns ?? Infinity;
  const fitted = (line: string): readonly string[] => wrapWords(line, columns - 1);
  return [
    ...[...modelLines(report), countsLine(chat)].flatMap(fitted),
    ...untrustedLines(chat),
    ...fitted('Say what is to be done. /help shows what else can be typed; Ctrl+D leaves.'),
  ];
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

function countsLine(chat: Chat): string {
  const skills = slashSkills(chat);
  const own = ownSkills(chat).length;
  return `${count(own, 'skill')} found, ${skills.length - own} built in.`;
}

/** On a line of its own, which is not broken: a command in two lines could not be pasted. */
function untrustedLines(chat: Chat): readonly string[] {
  const book = ownTrustBook();
  const untrusted = ownSkills(chat).filter((skill) => trustOf(chat.agent, book, skill)?.trust === 'needed');
  if (untrusted.length === 0) return [];
  return [pasteable(`${notTrusted(untrusted.length)}: \`skilled trust\``, chat.invocation.terminal)];
}

function ownSkills(chat: Chat): readonly Skill[] {
  return slashSkills(chat).filter(({ source }) => source !== 'bundled');
}
