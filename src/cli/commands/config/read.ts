import { existsSync } from 'node:fs';
import { settingsFiles } from '../../../config/paths.ts';
import { explainSetting } from '../../../config/read/layers.ts';
import { settingsSources } from '../../../config/read/settings.ts';
import { settingsDefinition } from '../../../config/schema/definition.ts';
import { optional, type Json } from '../../../core/index.ts';
import {
  fitRows,
  issueJson,
  mustBeFolder,
  oneLine,
  pasteable,
  printJson,
  table,
  type Invocation,
} from '../../command-kit.ts';
import { knownLayers, mustBeSomewhere, namedKey, shownValue, valueText } from './keys.ts';

/** Prints only a key's effective value. If there is none, prints nothing to stdout. */
export function getSetting(invocation: Invocation): number {
  const { flags, terminal } = invocation;
  const path = namedKey(invocation, 'get');
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

interface Row {
  readonly key: string;
  readonly value?: Json;
  /** The layers that contribute to the value. A merged value has several layers. */
  readonly layers: readonly string[];
}

/** Lists the settings that have a value, with their layers. With `--all`, lists all settings. */
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

/** Prints the settings files, highest precedence first, and whether each one exists. */
export function showPaths({ flags, terminal }: Invocation): number {
  mustBeFolder(flags.cwd, '--cwd');
  const files = settingsFiles(settingsSources(flags.cwd, { isSafe: flags.safe }))
    .toReversed()
    .map(({ layer, file }) => ({ layer, file, exists: existsSync(file) }));
  if (flags.json) printJson(terminal, { ok: true, files });
  else
    for (const { layer, file, exists } of files)
      terminal.out(
        fitRows(`${layer.padEnd(7)}  ${exists ? 'exists' : 'absent'}  ${oneLine(file)}\n`, terminal),
      );
  return 0;
}
