import { machineFor } from '../../../config/models/find-models.ts';
import { checkModels, type ModelCheck } from '../../../config/models/open-models.ts';
import { reportModels, type ModelReport, type ModelUse } from '../../../config/models/report.ts';
import {
  chosenModels,
  faultLines,
  modelFlags,
  modelFlagsHelp,
  modelSources,
  mustBeFolder,
  oneLine,
  paint,
  pasteable,
  pasteableRows,
  printJson,
  providerLines,
  table,
  wrapWords,
  type Cell,
  type CliCommand,
  type Terminal,
} from '../../command-kit.ts';

/**
 * `skilled models`: shows the models that were found and their uses. With `--check`, also shows which models
 * respond.
 */
export const models: CliCommand = {
  summary: 'Show the available models and what each is used for.',
  usage: `Usage: skilled models [--check] [flags]

Looks for keys in the environment and in the .env of a trusted project, and for local
servers on their usual ports. Asks configured servers of OpenAI's protocol for their
models. Never prints a key.

  skilled models --check --model ollama/llama3.2

  --check               send each model a small request; exit 6 if one fails
${modelFlagsHelp}`,
  options: { check: { type: 'boolean' }, ...modelFlags },
  async run(invocation) {
    const { flags, own, terminal } = invocation;
    mustBeFolder(flags.cwd, '--cwd');
    const options = chosenModels(invocation);
    const machine = machineFor(flags.safe ? undefined : flags.cwd);
    const report = await reportModels(modelSources(invocation), machine, { lists: true });
    const { offline, uses } = report;
    if (!flags.json) terminal.out(modelLines(report, terminal));
    const names = [...new Set(uses.flatMap((use) => use.models))];
    const mayCheck = own['check'] === true && !offline;
    if (mayCheck && !flags.json && !flags.quiet) terminal.progress('checking …');
    const checks: readonly ModelCheck[] = mayCheck ? await checkModels(names, options, machine) : [];
    const ok = checks.every((check) => check.ok) && !(mayCheck && names.length === 0);
    if (flags.json) printJson(terminal, { ok, ...report, ...(mayCheck ? { checks } : {}) });
    else if (mayCheck) terminal.out(checkLines(checks, terminal));
    return ok ? 0 : 6;
  },
};

/** Formats the available models and their uses as text. */
function modelLines(report: ModelReport, terminal: Terminal): string {
  const { offline, uses, pricesOf } = report;
  const found = providerLines(report, terminal);
  const isNone = uses.every(({ models }) => models.length === 0);
  const parts = [
    offline ? 'Offline: no model is called.\n' : '',
    found.length === 0 ? '' : `Found:\n${linesText(found)}\n`,
    isNone
      ? pasteableRows(nothing(report), terminal)
      : table(
          columns,
          uses.flatMap((use) => rowsOf(use, report)),
          terminal,
        ),
    isNone ? '' : linesText(wrapWords(pricesNote(pricesOf), terminal.width ?? Infinity)),
    linesText(faultLines(report, terminal)),
  ];
  return parts.join('');
}

function pricesNote(month: string): string {
  return `Prices are in US dollars per million input / output tokens, as of ${month} unless you set them.`;
}

function linesText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** Formats the results of `--check` as text. */
function checkLines(checks: readonly ModelCheck[], terminal: Terminal): string {
  if (checks.length === 0) return '\nNo models to check.\n';
  const lines = checks.map(({ model, seconds, error }) => {
    const time = `${seconds.toFixed(1)} s`;
    if (error === undefined) return `${paint('ok  ', 'green', terminal)}  ${oneLine(model)}  ${time}\n`;
    const hint = error.hint === undefined ? '' : `      → ${pasteable(oneLine(error.hint), terminal)}\n`;
    const head = `${paint('FAIL', 'red', terminal)}  ${oneLine(model)}  ${time}`;
    return `${head}  ${error.code}: ${oneLine(error.message)}\n${hint}`;
  });
  return `\n${lines.join('')}`;
}

const columns = [
  { title: 'ROLE' },
  { title: 'TIER' },
  { title: 'MODEL', isWhole: true },
  { title: 'PRICE', dropOrder: 1 },
  { title: 'FROM' },
] as const;

/** Returns the table rows for one use of models: its first model, followed by the fallbacks. */
function rowsOf(use: ModelUse, { prices }: ModelReport): readonly (readonly Cell[])[] {
  const { role = '', tier, models } = use;
  return models.map((model, index) => {
    const price = Object.hasOwn(prices, model) ? prices[model] : undefined;
    const cost = price === undefined ? '' : `${price.input} / ${price.output}`;
    const texts = index === 0 ? [role, tier, model, cost, originOf(use)] : ['', '', model, cost, 'fallback'];
    return texts.map((text) => ({ text: oneLine(text) }));
  });
}

function originOf({ from, layer, place, instead }: ModelUse): string {
  const source = layer === undefined ? 'found' : [layer, place].filter((part) => part !== '').join(' ');
  return from === 'fallback' ? `${source}, as ${instead ?? ''}` : source;
}

function nothing({ offline, keyVariables, faults }: ModelReport): string {
  if (offline) return '';
  // Issues with the configured model are printed elsewhere.
  if (faults.length > 0) return 'No model found.\n';
  const keys = `${keyVariables.slice(0, -1).join(', ')} or ${keyVariables.at(-1) ?? ''}`;
  return `No model found.\n  Set ${keys},\n  start a local server such as Ollama, or name one with --base-url.\n`;
}
