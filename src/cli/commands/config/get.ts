import { explainSetting } from '../../../config/read/layers.ts';
import { optional } from '../../../core/collections.ts';
import type { Invocation } from '../../command.ts';
import { issueJson, printJson } from '../../output/json.ts';
import { oneLine } from '../../output/text.ts';
import { knownLayers } from './known-layers.ts';
import { mustBeSomewhere, namedKey } from './must-know-key.ts';
import { shownValue, valueText } from './shown-value.ts';

/** The effective value alone; nothing on stdout where there is none. */
export function getSetting(invocation: Invocation): number {
  const { flags, terminal } = invocation;
  const path = namedKey(invocation.words, 'get');
  const { layers, issues } = knownLayers(invocation);
  const explanation = explainSetting(path, layers);
  mustBeSomewhere(explanation);
  const { key, value, setting, says } = explanation;
  const shown = value === undefined ? undefined : shownValue(key, value);
  if (flags.json) {
    const winner = says.find(({ wins }) => wins);
    printJson(terminal, {
      ok: true,
      key,
      ...optional('value', shown),
      ...optional('layer', winner?.layer),
      issues: issues.map(issueJson),
    });
  } else if (shown !== undefined) terminal.out(`${oneLine(valueText(shown))}\n`);
  else if (!flags.quiet) {
    const instead = setting?.byDefault === undefined ? '' : ` (${setting.byDefault})`;
    terminal.err(`${oneLine(key)} is not set${instead}.\n`);
  }
  return 0;
}
