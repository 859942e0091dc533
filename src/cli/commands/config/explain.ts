import { explainSetting, layerNames, type Explanation, type Say } from '../../../config/read/layers.ts';
import { optional } from '../../../core/index.ts';
import {
  fitRows,
  issueJson,
  oneLine,
  padTo,
  paint,
  pasteable,
  printJson,
  type Invocation,
  type Terminal,
} from '../../command-kit.ts';
import { isGroup, knownLayers, mustBeSomewhere, namedKey, shownValue, valueText } from './keys.ts';

/** Prints the value of a key in each settings layer, and the layer that takes effect. */
export function explain(invocation: Invocation): number {
  const { flags, terminal } = invocation;
  const path = namedKey(invocation, 'explain');
  const { layers, issues } = knownLayers(invocation);
  const explanation = explainSetting(path, layers);
  mustBeSomewhere(explanation);
  const { key, value, setting } = explanation;
  const says = explanation.says.map((say) => ({ ...say, value: shownValue(say.key ?? key, say.value) }));
  const shown = value === undefined ? undefined : shownValue(key, value);
  if (flags.json)
    printJson(terminal, {
      ok: true,
      key,
      ...optional('description', setting?.description),
      ...optional('expected', setting?.shape.expected),
      ...optional('variable', setting?.variable),
      ...optional('flag', setting?.flag),
      ...optional('value', shown),
      layers: says,
      issues: issues.map(issueJson),
    });
  else
    terminal.out(fitRows(textOf({ ...explanation, says, ...optional('value', shown) }, terminal), terminal));
  return 0;
}

function textOf({ key, value, setting, says }: Explanation, terminal: Terminal): string {
  const head = value === undefined ? `${key} is not set` : `${key} = ${valueText(value)}`;
  const unknown = isGroup(key)
    ? 'A group of settings; `skilled config list --all` lists them.'
    : 'A key that skilled does not use; skills may require it.';
  const about =
    setting === undefined
      ? [unknown]
      : [setting.description, `${setting.key}: ${setting.shape.expected}.`, ...restOf(setting)];
  const rows = layerNames.flatMap((layer): readonly Row[] => {
    const own = says.filter((say) => say.layer === layer);
    if (own.length === 0 && !maySay(layer, setting)) return [];
    return own.length === 0 ? [{ layer, from: '', text: '-', wins: false }] : own.map(rowOf);
  });
  const width = Math.max(...rows.map(({ text }) => Math.min(text.length, 40)));
  const chain = rows.map(({ layer, from, text, wins }) => {
    const line = `${wins ? '→' : ' '} ${layer.padEnd(11)}  ${padTo(text, width)}  ${from}`.trimEnd();
    return wins ? paint(line, 'bold', terminal) : line;
  });
  return `${[oneLine(head), ...about.map((line) => pasteable(oneLine(line), terminal)), '', ...chain].join('\n')}\n`;
}

function restOf(setting: NonNullable<Explanation['setting']>): readonly string[] {
  const { byDefault, inProject } = setting;
  const ways = [setting.flag, setting.variable].filter((way) => way !== undefined);
  return [
    ...(ways.length === 0 ? [] : [`Also set by ${ways.join(' and ')}.`]),
    ...(byDefault === undefined ? [] : [`Default: ${byDefault}.`]),
    ...(inProject === undefined ? [] : [inProject.reason]),
  ];
}

/** Whether a layer can set a setting. Not every setting has a flag or an environment variable. */
function maySay(layer: string, setting: Explanation['setting']): boolean {
  if (layer === 'flag') return setting?.flag !== undefined;
  return layer !== 'environment' || setting?.variable !== undefined;
}

interface Row {
  readonly layer: string;
  readonly from: string;
  readonly text: string;
  readonly wins: boolean;
}

function rowOf({ layer, from, value, key, wins }: Say): Row {
  const source = key === undefined ? from : `${from} (${key})`;
  return { layer, from: oneLine(source), text: oneLine(valueText(value)), wins };
}
