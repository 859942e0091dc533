import { explainSetting } from '../../../config/explain-setting.ts';
import { optional } from '../../../core/optional.ts';
import type { Invocation } from '../../command.ts';
import { printJson } from '../../output/json.ts';
import { oneLine } from '../../output/text.ts';
import { knownLayers } from './known-layers.ts';
import { mustBeSomewhere, namedKey } from './must-know-key.ts';
import { shownValue, valueText } from './shown-value.ts';

/** The effective value alone; nothing on stdout where there is none. */
export function getSetting(invocation: Invocation): number {
  const { flags, terminal } = invocation;
  const explanation = explainSetting(namedKey(invocation.words, 'get'), knownLayers(invocation));
  mustBeSomewhere(explanation);
  const { key, value, setting, says } = explanation;
  const shown = value === undefined ? undefined : shownValue(key, value);
  if (flags.json) {
    const winner = says.find(({ wins }) => wins);
    printJson(terminal, { ok: true, key, ...optional('value', shown), ...optional('layer', winner?.layer) });
  } else if (shown !== undefined) terminal.out(`${oneLine(valueText(shown))}\n`);
  else if (!flags.quiet) {
    const instead = setting?.byDefault === undefined ? '' : ` (${setting.byDefault})`;
    terminal.err(`${oneLine(key)} is not set${instead}.\n`);
  }
  return 0;
}
