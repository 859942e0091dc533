import type { CaseFault } from './eval.ts';
import type { TrialResult } from './run-eval.ts';

/** Results as the XML that build servers read: a suite for each skill, and one for files that cannot be used. */
export function buildJunit(results: readonly TrialResult[], faults: readonly CaseFault[]): string {
  const suites = [...Map.groupBy(results, ({ trial }) => trial.skill)].map(([skill, cases]) =>
    suiteOf(skill, cases.length, cases.filter(({ ok }) => !ok).length, cases.map(caseOf)),
  );
  const broken = faults.map(({ file, line, message }) =>
    testCase('files', `${file}:${line}`, 0, [`<failure message="${escaped(message)}"></failure>`]),
  );
  const files = broken.length === 0 ? [] : [suiteOf('files', broken.length, broken.length, broken)];
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${[...suites, ...files].join('')}</testsuites>\n`;
}

function suiteOf(name: string, tests: number, failures: number, cases: readonly string[]): string {
  const head = `name="${escaped(name)}" tests="${tests}" failures="${failures}"`;
  return `  <testsuite ${head}>\n${cases.join('')}  </testsuite>\n`;
}

function caseOf({ trial, milliseconds, mismatches }: TrialResult): string {
  const failures = mismatches.map(({ what, expected, got }) => {
    const message = `${what}: expected ${expected}, got ${got}`;
    return `<failure message="${escaped(message)}">${escaped(`${trial.file}:${trial.line}`)}</failure>`;
  });
  return testCase(trial.skill, trial.name, milliseconds, failures);
}

function testCase(suite: string, name: string, milliseconds: number, inside: readonly string[]): string {
  const head = `classname="${escaped(suite)}" name="${escaped(name)}" time="${milliseconds / 1000}"`;
  return `    <testcase ${head}>${inside.join('')}</testcase>\n`;
}

/** What XML cannot hold at all is a question mark. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '?')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;');
}
