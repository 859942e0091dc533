import { explainSetting } from '../../../config/read/layers.ts';
import { settingsDefinition } from '../../../config/schema/definition.ts';
import type { Json } from '../../../core/json.ts';
import type { Invocation } from '../../command.ts';
import { issueJson, printJson } from '../../output/json.ts';
import { pasteable } from '../../output/pasteable.ts';
import { table } from '../../output/table.ts';
import { oneLine } from '../../output/text.ts';
import { knownLayers } from './known-layers.ts';
import { shownValue, valueText } from './shown-value.ts';

interface Row {
  readonly key: string;
  readonly value?: Json;
  /** Where it comes from; several for what is joined from them. */
  readonly layers: readonly string[];
}

/** What is set, with the layers that it comes from; with `--all` also what nobody has set. */
export function listSettings(invocation: Invocation): number {
  const { flags, own, terminal } = invocation;
  const { layers, issues } = knownLayers(invocation);
  const rows = settingsDefinition
    .map(({ key }) => explainSetting(key.split('.'), layers))
    .map(({ key, value, says }): Row => ({
      key,
      ...(value === undefined ? {} : { value: shownValue(key, value) }),
      layers: [...new Set(says.filter(({ wins }) => wins).map(({ layer }) => layer))],
    }))
    .filter(({ layers: from }) => own['all'] === true || from.some((layer) => layer !== 'default'));
  if (flags.json) printJson(terminal, { ok: true, settings: rows, issues: issues.map(issueJson) });
  else if (rows.length > 0)
    terminal.out(
      table(
        [{ title: 'KEY', isWhole: true }, { title: 'FROM' }, { title: 'VALUE' }],
        rows.map(cells),
        terminal,
      ),
    );
  else if (!flags.quiet)
    terminal.err(pasteable('Nothing is set; `skilled config list --all` shows the defaults.\n', terminal));
  return 0;
}

function cells({ key, value, layers }: Row): readonly { readonly text: string }[] {
  const texts = [key, layers.join(', '), value === undefined ? '' : valueText(value)];
  return texts.map((text) => ({ text: oneLine(text) }));
}
