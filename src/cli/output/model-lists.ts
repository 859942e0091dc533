import type { ModelReport } from '../../config/models/report.ts';
import type { Terminal } from '../terminal.ts';
import { pasteableLines } from './command-text.ts';
import { oneLine, wrapWords } from './text.ts';

const maxNames = 20;

/** Formats the model providers that were found or configured, each with the models that its server lists. */
export function providerLines(report: ModelReport, { width = Infinity }: Terminal): readonly string[] {
  const { found, moved, named } = report;
  const rows = [
    ...found.map(({ provider, label, from, variable, url, models }) => ({
      provider,
      label,
      models,
      where: url === undefined ? `${variable ?? ''} (${from})` : `${url} (${countText(models)})`,
    })),
    ...moved.map(({ provider, label, url, variable, models }) => ({
      provider,
      label,
      models,
      where: `${url} (${variable}${models === undefined ? '' : `, ${countText(models)}`})`,
    })),
    ...named
      .filter(({ provider }) => !found.some((one) => one.provider === provider))
      .map(({ provider, url, variable, models }) => ({
        provider,
        label: provider,
        models,
        where: `${url}${variable === undefined ? '' : `, key in ${variable}`} (${models === undefined ? 'named' : countText(models)})`,
      })),
  ];
  const widest = Math.max(...rows.map(({ label }) => label.length));
  return rows.flatMap(({ provider, label, models = [], where }) => {
    const row = `  ${oneLine(label).padEnd(width < leastColumns ? 0 : widest)}  ${oneLine(where)}`;
    const names = models.slice(0, maxNames).map((name) => oneLine(`${provider}/${name}`));
    const more = models.length - names.length;
    const list = [...names, ...(more > 0 ? [`… ${more} more`] : [])].join(', ');
    return [
      ...wrapWords(row, width, '    '),
      ...(list === '' ? [] : wrapWords(`    ${list}`, width, '    ')),
    ];
  });
}

const leastColumns = 60; // On a narrower screen, addresses do not have a column of their own.

function countText(models: readonly string[] = []): string {
  return `${models.length} ${models.length === 1 ? 'model' : 'models'}`;
}

/** Formats the reasons why a request to a model would fail. Commands in them are never broken. */
export function faultLines({ faults }: ModelReport, terminal: Terminal): readonly string[] {
  const { width = Infinity } = terminal;
  return faults.flatMap((fault) => {
    const [first = '', ...others] = pasteableLines(oneLine(fault), terminal, { width, indent: '  ' });
    return [`!${first.slice(1)}`, ...others];
  });
}
