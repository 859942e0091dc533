import { relative, sep } from 'node:path';
import { optional } from '../../../core/index.ts';
import { count } from '../../../doctor/report.ts';
import type { CaseFault } from '../../../evals/eval.ts';
import type { TrialResult } from '../../../evals/run-eval.ts';
import { oneLine, paint, pasteable, type Invocation } from '../../command-kit.ts';
import { shortId } from '../../runs/run-id.ts';

/** A case in one line, and below it everything that is not as expected. */
export function resultLines(result: TrialResult, invocation: Invocation): string {
  const { trial, ok, milliseconds, mismatches, runIds } = result;
  const { terminal, own } = invocation;
  const word = ok ? paint('ok  ', 'green', terminal) : paint('FAIL', 'red', terminal);
  const place = ok ? '' : `  (${placeOf(trial, invocation)})`;
  const kept = ok || own['keep'] !== true ? [] : runIds.slice(-1);
  const lines = [
    `${word}  ${oneLine(`${trial.skill} › ${trial.name}`)}  ${milliseconds} ms${place}`,
    ...mismatches.flatMap(({ what, expected, got, hint }) => [
      `      ${oneLine(what)}`,
      `        expected  ${oneLine(expected)}`,
      `        got       ${oneLine(got)}`,
      ...(hint === undefined ? [] : [`        ${pasteable(oneLine(hint), terminal)}`]),
    ]),
    ...kept.map((runId) => pasteable(`      What happened: \`skilled trace ${shortId(runId)}\``, terminal)),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** What is wrong with files, as `file:line: error: message`. */
export function faultLines(faults: readonly CaseFault[], invocation: Invocation): string {
  return faults
    .map(({ message, hint, ...place }) => {
      const next = hint === undefined ? '' : ` ${hint}`;
      return `${placeOf(place, invocation)}: error: ${pasteable(oneLine(`${message}${next}`), invocation.terminal)}\n`;
    })
    .join('');
}

/** How it went, in one line. */
export function summaryLine(
  results: readonly TrialResult[],
  faults: readonly CaseFault[],
  all: number,
): string {
  const passed = results.filter(({ ok }) => ok).length;
  const parts = [
    `${passed} passed`,
    `${results.length - passed} failed`,
    ...(results.length < all ? [`${all - results.length} not begun`] : []),
    ...(faults.length === 0 ? [] : [`${count(faults.length, 'error')} in files`]),
  ];
  return `${parts.join(', ')}.\n`;
}

function placeOf({ file, line }: Pick<CaseFault, 'file' | 'line'>, { flags }: Invocation): string {
  const shown = file.startsWith(flags.cwd + sep) ? relative(flags.cwd, file) : file;
  return `${oneLine(shown)}:${line}`;
}

/** The results as `skilled test --json` prints them. */
export function testDocument(
  results: readonly TrialResult[],
  faults: readonly CaseFault[],
  { own }: Invocation,
): object {
  const shown = results.map(({ trial, ok, milliseconds, mismatches, runIds }) => ({
    skill: trial.skill,
    name: trial.name,
    file: trial.file,
    line: trial.line,
    ok,
    milliseconds,
    mismatches,
    ...optional('runIds', own['keep'] === true ? runIds : undefined),
  }));
  return { ok: faults.length === 0 && results.every(({ ok }) => ok), results: shown, faults };
}
