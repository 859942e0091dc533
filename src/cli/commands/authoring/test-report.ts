import { relative, sep } from 'node:path';
import { counted, optional } from '../../../core/index.ts';
import type { EvalFault } from '../../../evals/eval.ts';
import type { EvalResult } from '../../../evals/run-eval.ts';
import { oneLine, paint, pasteable, type Invocation } from '../../command-kit.ts';
import { shortId } from '../../runs/run-id.ts';

/** Formats a test's result on one line, followed by its mismatches. */
export function resultLines(result: EvalResult, invocation: Invocation): string {
  const { eval: evaluation, ok, milliseconds, mismatches, runIds } = result;
  const { terminal, own } = invocation;
  const label = ok ? paint('ok  ', 'green', terminal) : paint('FAIL', 'red', terminal);
  const location = ok ? '' : `  (${formatLocation(evaluation, invocation)})`;
  const storedRuns = ok || own['keep'] !== true ? [] : runIds.slice(-1);
  const lines = [
    `${label}  ${oneLine(`${evaluation.skill} › ${evaluation.name}`)}  ${milliseconds} ms${location}`,
    ...mismatches.flatMap(({ what, expected, got, hint }) => [
      `      ${oneLine(what)}`,
      `        expected  ${oneLine(expected)}`,
      `        got       ${oneLine(got)}`,
      ...(hint === undefined ? [] : [`        ${pasteable(oneLine(hint), terminal)}`]),
    ]),
    ...storedRuns.map((runId) =>
      pasteable(`      What happened: \`skilled trace ${shortId(runId)}\``, terminal),
    ),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** Formats errors in test files as `file:line: error: message`. */
export function faultLines(faults: readonly EvalFault[], invocation: Invocation): string {
  return faults
    .map(({ message, hint, ...location }) => {
      const next = hint === undefined ? '' : ` ${hint}`;
      return `${formatLocation(location, invocation)}: error: ${pasteable(oneLine(`${message}${next}`), invocation.terminal)}\n`;
    })
    .join('');
}

/** Summarises all tests in one line. */
export function summaryLine(
  results: readonly EvalResult[],
  faults: readonly EvalFault[],
  all: number,
): string {
  const passed = results.filter(({ ok }) => ok).length;
  const parts = [
    `${passed} passed`,
    `${results.length - passed} failed`,
    ...(results.length < all ? [`${all - results.length} not started`] : []),
    ...(faults.length === 0 ? [] : [`${counted(faults.length, 'error')} in files`]),
  ];
  return `${parts.join(', ')}.\n`;
}

function formatLocation({ file, line }: Pick<EvalFault, 'file' | 'line'>, { flags }: Invocation): string {
  const shown = file.startsWith(flags.cwd + sep) ? relative(flags.cwd, file) : file;
  return `${oneLine(shown)}:${line}`;
}

/** Converts the results to the document that `skilled test --json` prints. */
export function testDocument(
  results: readonly EvalResult[],
  faults: readonly EvalFault[],
  { own }: Invocation,
): object {
  const shown = results.map(({ eval: evaluation, ok, milliseconds, mismatches, runIds }) => ({
    skill: evaluation.skill,
    name: evaluation.name,
    file: evaluation.file,
    line: evaluation.line,
    ok,
    milliseconds,
    mismatches,
    ...optional('runIds', own['keep'] === true ? runIds : undefined),
  }));
  return { ok: faults.length === 0 && results.every(({ ok }) => ok), results: shown, faults };
}
